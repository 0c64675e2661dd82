/* Constants for f64; written by tools/fit_math.py. */
#ifndef KAEL_MATH_TABLES_F64_H
#define KAEL_MATH_TABLES_F64_H

static const struct kl_math_f64 {
    double log10e, log10e_low;
    double log10_2, log10_2_low;
    double tan_eighth, tan_eighth_low;
    double atan_huge;
    double root_of_half, root_of_half_low;
    double root_of_quarter, root_of_quarter_low;
    double sinh_largest;
    double log2e, log2e_low;
    double ln2, ln2_low;
    double exp_largest;
    double exp_smallest;
    double sigmoid_smallest;
    double sigmoid_largest;
    double sigmoid_scale;
    double smallest_normal;
    double two_thirds, two_thirds_low;
    double two_over_pi, two_over_pi_low;
    double half_pi, half_pi_low;
    double largest_angle;
    double tanh_small;
    double tanh_largest;
    double erf_small;
    double erf_slope, erf_slope_low;
    double root_two, root_two_low;
    double tail_largest;
    double gelu_largest;
    double erfc_largest;
    double mills_shift;
    double normal_peak, normal_peak_low;
    double gelu_linear, gelu_linear_low;
    double gelu_cubic, gelu_cubic_low;
    double half_pi_lowest;
    double exp[11];
    double exp_short[10];
    double log[7];
    double pow[7];
    double sin[7];
    double cos[7];
    double tanh[12];
    double erf[14];
    double asin[13];
    double atan[12];
    double sinh[8];
    double cbrt[7];
    double mills_center[16];
    double mills[15][16];
    kl_word_f64 root_half_bits; /* of the square root of 1/2 */
} kl_math_f64 = {
    .log10e = 0x1.bcb7b1526e50ep-2,
    .log10e_low = 0x1.95355baaafad3p-57,
    .log10_2 = 0x1.34413509f79ffp-2,
    .log10_2_low = -0x1.9dc1da994fd21p-59,
    .tan_eighth = 0x1.a827999fcef32p-2,
    .tan_eighth_low = 0x1.08b2fb1366ea9p-56,
    .atan_huge = 0x1p+1000,
    .root_of_half = 0x1.965fea53d6e3dp-1,
    .root_of_half_low = -0x1.f53e999952f09p-55,
    .root_of_quarter = 0x1.428a2f98d728bp-1,
    .root_of_quarter_low = -0x1.ddc22548ea41ep-57,
    .sinh_largest = 0x1.638p+9,
    .log2e = 0x1.71547652b82fep+0,
    .log2e_low = 0x1.777d0ffda0d24p-56,
    .ln2 = 0x1.62e42fefa39efp-1,
    .ln2_low = 0x1.abc9e3b39803fp-56,
    .exp_largest = 0x1.63p+9,
    .exp_smallest = -0x1.75p+9,
    .sigmoid_smallest = -0x1.4p+5,
    .sigmoid_largest = 0x1.78p+9,
    .sigmoid_scale = 0x1p-64,
    .smallest_normal = 0x1p-1022,
    .two_thirds = 0x1.5555555555555p-1,
    .two_thirds_low = 0x1.5555555555555p-55,
    .two_over_pi = 0x1.45f306dc9c883p-1,
    .two_over_pi_low = -0x1.6b01ec5417056p-55,
    .half_pi = 0x1.921fb54442d18p+0,
    .half_pi_low = 0x1.1a62633145c07p-54,
    .largest_angle = 0x1p+30,
    .tanh_small = 0x1.4p-1,
    .tanh_largest = 0x1.4p+4,
    .erf_small = 0x1.cp-1,
    .erf_slope = 0x1.06eba8214db69p-3,
    .erf_slope_low = -0x1.ca38add6025p-57,
    .root_two = 0x1.6a09e667f3bcdp+0,
    .root_two_low = -0x1.bdd3413b26456p-54,
    .tail_largest = 0x1.3cp+5,
    .gelu_largest = 0x1.67p+2,
    .erfc_largest = 0x1.b8p+4,
    .mills_shift = 0x1.8p+1,
    .normal_peak = 0x1.9884533d43651p-2,
    .normal_peak_low = -0x1.cbc0d30ebfd15p-56,
    .gelu_linear = 0x1.9884533d43651p+0,
    .gelu_linear_low = -0x1.cbc0d30ebfd15p-54,
    .gelu_cubic = 0x1.2444f2a4d8b4bp-4,
    .gelu_cubic_low = -0x1.6c843a29d1c7p-61,
    .half_pi_lowest = -0x1.f1976b7ed8fbcp-110,
    .exp = { /* error 1.38e-18 */
        0x1.1f8b935291f1dp-29,
        0x1.af4e55af18e3ep-26,
        0x1.27e4cca2d5831p-22,
        0x1.71de01fd84e7p-19,
        0x1.a01a01ad0d1f3p-16,
        0x1.a01a01abf871ep-13,
        0x1.6c16c16c151c9p-10,
        0x1.11111111100bdp-7,
        0x1.5555555555558p-5,
        0x1.5555555555557p-3,
        0x1p-1,
    },
    .exp_short = { /* error 4.01e-18 */
        0x1.af82d8f7c8581p-26,
        0x1.28ad2899ce848p-22,
        0x1.71dde1c28f4dbp-19,
        0x1.a0199a85dd9dap-16,
        0x1.a01a01b9d8554p-13,
        0x1.6c16c183e79a1p-10,
        0x1.111111110d9f3p-7,
        0x1.5555555550a46p-5,
        0x1.555555555556p-3,
        0x1.0000000000009p-1,
    },
    .log = { /* error 3.08e-16 */
        0x1.2b662bd0f44a1p-3,
        0x1.39fd33f4f06b4p-3,
        0x1.7462be2cad858p-3,
        0x1.c71c62c21a3a2p-3,
        0x1.2492492e0efb2p-2,
        0x1.99999999951cp-2,
        0x1.5555555555558p-1,
    },
    .pow = { /* error 2.76e-16 */
        0x1.0884693b335bfp-3,
        0x1.1017acc202e2fp-3,
        0x1.3b18c119a033cp-3,
        0x1.745d09d1ead98p-3,
        0x1.c71c71d81b59p-3,
        0x1.249249248e436p-2,
        0x1.999999999999fp-2,
    },
    .sin = { /* error 1.24e-20 */
        -0x1.ab0f343b66601p-41,
        0x1.61217059f75bfp-33,
        -0x1.ae64540027278p-26,
        0x1.71de3a5455d29p-19,
        -0x1.a01a01a0198dfp-13,
        0x1.111111111111p-7,
        -0x1.5555555555555p-3,
    },
    .cos = { /* error 6.9e-22 */
        0x1.ab70adba6e36ep-45,
        -0x1.9394acf84a245p-37,
        0x1.1eed8de34e0b4p-29,
        -0x1.27e4fb770e0bdp-22,
        0x1.a01a01a019ce3p-16,
        -0x1.6c16c16c16c16p-10,
        0x1.5555555555555p-5,
    },
    .tanh = { /* error 3.9e-19 */
        0x1.99065847c84fcp-18,
        -0x1.fc8f37beb2b1bp-16,
        0x1.8092f0523cc44p-14,
        -0x1.f1372d67cc658p-13,
        0x1.350ef4d4a1525p-11,
        -0x1.7d9ca21ff99fap-10,
        0x1.d6d363a278817p-9,
        -0x1.226e331323ca9p-7,
        0x1.664f48732c61ep-6,
        -0x1.ba1ba1b9dea15p-5,
        0x1.1111111110d74p-3,
        -0x1.5555555555553p-2,
    },
    .erf = { /* error 3.53e-24 */
        0x1.68af72b03a455p-42,
        -0x1.c44b1ce418f63p-38,
        0x1.9cb60946dd9c3p-34,
        -0x1.51be682bdbe5dp-30,
        0x1.fcc384938c5bep-27,
        -0x1.5f742134cd54cp-23,
        0x1.b9e6c955bdaccp-20,
        -0x1.f4d25c3a6753cp-17,
        0x1.f9a326f9a775dp-14,
        -0x1.c02db40040841p-11,
        0x1.565bcd0e6a539p-8,
        -0x1.b82ce31288b51p-6,
        0x1.ce2f21a042be2p-4,
        -0x1.812746b0379e7p-2,
    },
    .asin = { /* error 1.33e-17 */
        0x1.db792c1d590a8p-6,
        -0x1.f38659a6ceb31p-7,
        0x1.214bd8dcd4d6cp-6,
        0x1.5f5bcdffeffe1p-8,
        0x1.53020a5166ed6p-7,
        0x1.780827ac0e1dap-7,
        0x1.c9d2307ea0d8ap-7,
        0x1.1c4d19eb185e9p-6,
        0x1.6e8bb3001804bp-6,
        0x1.f1c71c15a6c01p-6,
        0x1.6db6db6e3fa0cp-5,
        0x1.3333333332e38p-4,
        0x1.5555555555556p-3,
    },
    .atan = { /* error 1.09e-18 */
        0x1.0b61a38f9423fp-6,
        -0x1.1b77d9f11533fp-5,
        0x1.74fa02b95a851p-5,
        -0x1.ac8129fab1cfbp-5,
        0x1.e19b087d433eap-5,
        -0x1.110e93735cabfp-4,
        0x1.3b139388ca497p-4,
        -0x1.745d16647b3a2p-4,
        0x1.c71c71c3291cbp-4,
        -0x1.249249248db2ep-3,
        0x1.9999999999957p-3,
        -0x1.5555555555555p-2,
    },
    .sinh = { /* error 2.54e-22 */
        0x1.99f097c2719f8p-49,
        0x1.ae777be550101p-41,
        0x1.612467cd22731p-33,
        0x1.ae64567929dedp-26,
        0x1.71de3a556f972p-19,
        0x1.a01a01a01a001p-13,
        0x1.1111111111111p-7,
        0x1.5555555555555p-3,
    },
    .cbrt = { /* error 1.7e-7 */
        -0x1.489ac8e63ae04p-6,
        0x1.113103bad18d5p-5,
        -0x1.56edffa86f46ap-5,
        0x1.f86bd83b59e9fp-5,
        -0x1.c7006a0cca5e2p-4,
        0x1.5555e06fb4571p-2,
        0x1.fffffb75e6a0ep-1,
    },
    .mills_center = {0x1.0752p+5, 0x1.4954p+5, 0x1.05bp-2,
         0x1.8214p-1, 0x1.7e7cp+0, 0x1.3e6cp+1,
         0x1.bed6p+1, 0x1.1e84p+2, 0x1.7f02p+2,
         0x1.fe2ep+2, 0x1.3f12p+3, 0x1.8086p+3,
         0x1.e0bap+3, 0x1.2fd6p+4, 0x1.7069p+4,
         0x1.b06dp+4},
    .mills = { /* error 9.7e-18 */
        {0x1.e7861efec7d32p-78, 0x1.32379a77eeebfp-82, 0x1.4946dd019f2d5p-22,
         0x1.b95418fdd7d1bp-25, 0x1.30e212d66b923p-28, 0x1.f87eacc6691d6p-33,
         0x1.24f4b055c3355p-36, 0x1.c60949dfbe349p-40, 0x1.64a602034af2ep-44,
         0x1.6fd707a630059p-49, 0x1.4d6323fccb496p-53, 0x1.cb753f00ce9ep-57,
         0x1.5a233788ce812p-61, 0x1.771641acdf39dp-66, 0x1.74927bc8cb69ap-70,
         0x1.1b66fcc84bf84p-73},
        {-0x1.07cd6c1ccab7ap-72, -0x1.75d20fdeead32p-77, -0x1.3f4f6261d96ecp-20,
         -0x1.cbab52c2b3591p-23, -0x1.6b2b7e665e767p-26, -0x1.592c1a546ee0cp-30,
         -0x1.bf65eedb7e2a1p-34, -0x1.8f4811ed5ec65p-37, -0x1.6a22f28054fa3p-41,
         -0x1.ca386dd728bbbp-46, -0x1.e8c706308faf5p-50, -0x1.72e45d6b545f7p-53,
         -0x1.524e5eb369d46p-57, -0x1.d2acf31d99aa3p-62, -0x1.0f158f0200672p-65,
         -0x1.e166a0474fdfap-69},
        {0x1.04cbbc8f68397p-67, 0x1.d3e5f0eb0ebf7p-72, 0x1.2b8375c99c7dbp-18,
         0x1.cead52e075eaap-21, 0x1.88dd5b56ca3e6p-24, 0x1.ae3660ca46791p-28,
         0x1.3e7d8c412efb6p-31, 0x1.420079e7b58a1p-34, 0x1.4b5becefd63fap-38,
         0x1.041b9106fdc3dp-42, 0x1.4d23f47667029p-46, 0x1.28a3c965ae107p-49,
         0x1.3c307c2d8bbfp-53, 0x1.14603c674c1acp-57, 0x1.855a30372f0d1p-61,
         0x1.96026456f0aep-64},
        {-0x1.0ef2cfb8cfd33p-62, -0x1.2fd53a9bf94a3p-66, -0x1.12d46ce9d65dcp-16,
         -0x1.c7f45749c94fcp-19, -0x1.ad58900e5f8c7p-22, -0x1.0d5e1f374be2ep-25,
         -0x1.c6ee81e79e29fp-29, -0x1.03956c89e14a3p-31, -0x1.3cab57cc5adcp-35,
         -0x1.2f773d0c233c8p-39, -0x1.cf0dd51a47097p-43, -0x1.e295b27db86b5p-46,
         -0x1.39619355d8fc5p-49, -0x1.53532c341307dp-53, -0x1.1ef7447e65845p-56,
         -0x1.5cfc48ea1c057p-59},
        {0x1.1a11b369b40f5p-57, 0x1.89cc0ebec40c9p-61, 0x1.e487f7707e00ap-15,
         0x1.b109bdef765f1p-17, 0x1.c71148575eea5p-20, 0x1.48d18b798bbebp-23,
         0x1.3df8326fe8c18p-26, 0x1.9b3aea0a5cfe8p-29, 0x1.2b5c451967b47p-32,
         0x1.5f4eaaf762125p-36, 0x1.3fdfd1753eb75p-39, 0x1.8653badaa0577p-42,
         0x1.358a13e258c18p-45, 0x1.9fef8c982bae3p-49, 0x1.a63a25da65374p-52,
         0x1.2b8dac09e0c73p-54},
        {-0x1.250ee85899b23p-52, -0x1.fdd9882448943p-56, -0x1.98e23a4c3041p-13,
         -0x1.8b204970e4aa6p-15, -0x1.d1654046bf809p-18, -0x1.85c70c62d41ap-21,
         -0x1.b1edfea08d7cp-24, -0x1.3f5f58d4c9aaap-26, -0x1.1675f38eb34a1p-29,
         -0x1.924282e74be61p-33, -0x1.b67e045ed5cc1p-36, -0x1.39e23445bd5e8p-38,
         -0x1.301c82f7f1c4cp-41, -0x1.fc3f8b6a59514p-45, -0x1.35fae37f242c8p-47,
         -0x1.00bf0fb63a86p-49},
        {0x1.30306a6f6a8abp-47, 0x1.49dde41ad834ap-50, 0x1.48f4552628e37p-11,
         0x1.5922b726a7f61p-13, 0x1.ca40beff33f8p-16, 0x1.bfec2a5fe0c4dp-19,
         0x1.20b76bda66f8fp-21, 0x1.e5f3bf0c5f049p-24, 0x1.fe27c0d4e7492p-27,
         0x1.c7b858513b021p-30, 0x1.2a40536cad041p-32, 0x1.f5f603663a32bp-35,
         0x1.299f248cbac38p-37, 0x1.35bb5714dfa0ep-40, 0x1.c656bb8c37987p-43,
         0x1.b7896d35de21dp-45},
        {-0x1.3b7686673a773p-42, -0x1.aa97feac243fdp-45, -0x1.f606de4aec1d1p-10,
         -0x1.1f524f7405f81p-11, -0x1.b0f30045e3976p-14, -0x1.f1d1e9cbf4cbep-17,
         -0x1.760354a59ab52p-19, -0x1.69c33ccf24463p-21, -0x1.cbf17276ac399p-24,
         -0x1.feaad11852a57p-27, -0x1.928ff768f0f5ep-29, -0x1.8f0dc8989a31fp-31,
         -0x1.22224922212c7p-33, -0x1.788ac1371c841p-36, -0x1.4c5e6c57f0c9ep-38,
         -0x1.77bce29fd898ap-40},
        {0x1.46dc32604915fp-37, 0x1.13ae86328b287p-39, 0x1.6907379a02baap-8,
         0x1.c576dac4a1f76p-10, 0x1.86d7725a5fae9p-12, 0x1.0ac83b63bc872p-14,
         0x1.d6c4eff62ba5ap-17, 0x1.072fcb1b485a6p-18, 0x1.97d5e379b680ap-21,
         0x1.1ae88987bec2cp-23, 0x1.0d82defb4967ep-25, 0x1.3b6277372e8f4p-27,
         0x1.19b68687754fbp-29, 0x1.c894da0170dbep-32, 0x1.e569698fc63b7p-34,
         0x1.40c66fcf429p-35},
        {-0x1.525cf9be2383cp-32, -0x1.641b04b8020a1p-34, -0x1.e567949da934cp-7,
         -0x1.50e419ec8fee6p-8, -0x1.4f67041c9c309p-10, -0x1.12d08e661503fp-12,
         -0x1.1f3de33928b78p-14, -0x1.75b1cedd55658p-16, -0x1.636480961baaap-18,
         -0x1.35d463626139p-20, -0x1.65ece699d859cp-22, -0x1.ef8b895629309p-24,
         -0x1.10706578b1bd5p-25, -0x1.1418d2e15feb3p-27, -0x1.61d29a78d8436p-29,
         -0x1.117d43224a1e5p-30},
        {0x1.5df430a4acd5bp-27, 0x1.cbb917b7251bbp-29, 0x1.2dc86ecf23a8p-5,
         0x1.d31db44da0ddfp-7, 0x1.0fd856657d19dp-8, 0x1.0ef496b550212p-10,
         0x1.52f3e4cafa9efp-12, 0x1.0277a07a1eee6p-13, 0x1.30171ee69f644p-15,
         0x1.4f4031f8890fcp-17, 0x1.d75fa2e970594p-19, 0x1.82f2f61c20c45p-20,
         0x1.06669f1b3a33ep-21, 0x1.4d09ece6cd3fp-23, 0x1.01700cd5d8724p-24,
         0x1.d1ba26eedd419p-26},
        {-0x1.699cea68ea591p-22, -0x1.28926cfe06e7p-23, -0x1.55f0573b334f7p-4,
         -0x1.2a9d7939bd96fp-5, -0x1.9cb4a16ba891cp-7, -0x1.fcc87b647411fp-9,
         -0x1.8193773f48996p-10, -0x1.5baab349c2157p-11, -0x1.fe7cab8010c23p-13,
         -0x1.6643a84eb4035p-14, -0x1.33bbe95f2d361p-15, -0x1.2c4937da30a55p-16,
         -0x1.f76374d950b0fp-18, -0x1.90a9a1cf9b77ep-19, -0x1.75ef37ead8ea4p-20,
         -0x1.8c03f022aa414p-21},
        {0x1.7551fd4583786p-17, 0x1.7e6b5aaa15d3ap-18, 0x1.597992948e2d1p-3,
         0x1.5a250b6c72884p-4, 0x1.22138749f2b25p-5, 0x1.c3e6224812f5ap-7,
         0x1.a53d96b5b652p-8, 0x1.c5b9e06f6093fp-9, 0x1.a3e324a3ccecdp-10,
         0x1.79f197da0cfa1p-11, 0x1.8e47c81b4d8bep-12, 0x1.cf2299cb6634ap-13,
         0x1.e0d751a609d34p-14, 0x1.e0bbdc0597db1p-15, 0x1.0f137fd96f444p-15,
         0x1.50495b9acde5dp-16},
        {-0x1.810e05255905ap-12, -0x1.ecd3e09014613p-13, -0x1.2c99102d2ddecp-2,
         -0x1.6277d472e87bfp-3, -0x1.73768f334f90ap-4, -0x1.7870d8f8d4c61p-5,
         -0x1.b7ec5d6225628p-6, -0x1.1e7fcf18fddbap-6, -0x1.5207e5d5ad5bfp-7,
         -0x1.8964c6da87f66p-8, -0x1.fed442568dab8p-9, -0x1.62dce0b5ea072p-9,
         -0x1.c95eb522de7cbp-10, -0x1.1fa119acfd1dfp-10, -0x1.884c1d9be0662p-11,
         -0x1.1d2e7fdcb82e7p-11},
        {0x1.8ccb66c5a72dp-7, 0x1.3d5e9b6617414p-7, 0x1.a64b4042d9e1fp-2,
         0x1.32b79da2b0256p-2, 0x1.a6892f32f023ep-3, 0x1.229a42d95302ap-3,
         0x1.b49677fa3d60bp-4, 0x1.5d02214baa878p-4, 0x1.09fd539a5b6b4p-4,
         0x1.93ce46e05b787p-5, 0x1.449053ebaf858p-5, 0x1.0e20cd8ad5eep-5,
         0x1.b1309fdbca534p-6, 0x1.5740d9eb3bc9ep-6, 0x1.1b563c63f5303p-6,
         0x1.e3082dec8296bp-7},
    },
    .root_half_bits = 0x3fe6a09e667f3bcd,
};

#endif
