/* Constants for f64; written by tools/fit_math.py. */
#ifndef KAEL_MATH_TABLES_F64_H
#define KAEL_MATH_TABLES_F64_H

static const struct kl_math_f64 {
    double log10e, log10e_low;
    double log10_2, log10_2_low;
    double atan_huge;
    double atan_tiny;
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
    double erf_largest;
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
    double atan[5];
    double sinh[8];
    double cbrt[7];
    double atan_base[16];
    double atan_base_low[16];
    double mills_center[16];
    double mills[15][16];
    kl_word_f64 root_half_bits; /* of the square root of 1/2 */
} kl_math_f64 = {
    .log10e = 0x1.bcb7b1526e50ep-2,
    .log10e_low = 0x1.95355baaafad3p-57,
    .log10_2 = 0x1.34413509f79ffp-2,
    .log10_2_low = -0x1.9dc1da994fd21p-59,
    .atan_huge = 0x1p+1000,
    .atan_tiny = 0x1p-900,
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
    .erf_largest = 0x1.4p+4,
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
    .atan = { /* error 1.31e-15 */
        -0x1.6f8d8255eed32p-4,
        0x1.c715d30ad2517p-4,
        -0x1.24924747f7e5p-3,
        0x1.999999993bbbp-3,
        -0x1.555555555553ep-2,
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
    .atan_base = {0x0p+0, 0x1.fd5ba9aac2f6ep-4, 0x1.f5b75f92c80ddp-3,
         0x1.6f61941e4def1p-2, 0x1.dac670561bb4fp-2, 0x1.1e00babdefeb4p-1,
         0x1.4978fa3269ee1p-1, 0x1.700a7c5784634p-1, 0x1.921fb54442d18p+0,
         0x1.7249faa996a21p+0, 0x1.5368c951e9cfdp+0, 0x1.3647503caf55cp+0,
         0x1.1b6e192ebbe44p+0, 0x1.031f57e54adbep+0, 0x1.dac670561bb4fp-1,
         0x1.b434ee31013fdp-1},
    .atan_base_low = {0x0p+0, -0x1.cd37686760c17p-59, 0x1.8ab6e3cf7afbdp-57,
         -0x1.c63aae6f6e918p-56, 0x1.a2b7f222f65e2p-56, -0x1.928df287a668fp-58,
         0x1.2419a87f2a458p-56, -0x1.8c34d25aadef6p-56, 0x1.1a62633145c07p-54,
         0x1.a8cc1e7480c68p-54, -0x1.96f47948a99f1p-54, 0x1.17e21d9a42c9ap-55,
         0x1.b1b466a88828ep-54, 0x1.338b4259c027p-54, 0x1.a2b7f222f65e2p-55,
         -0x1.0520d0701d877p-55},
    .mills_center = {0x1.0866p+5, 0x1.4954p+5, 0x1.ea5p-3,
         0x1.8214p-1, 0x1.7e14p+0, 0x1.3dacp+1,
         0x1.bed6p+1, 0x1.20f4p+2, 0x1.7e4cp+2,
         0x1.fe2ep+2, 0x1.404fp+3, 0x1.7fddp+3,
         0x1.dd0cp+3, 0x1.2fd6p+4, 0x1.7069p+4,
         0x1.af59p+4},
    .mills = { /* error 9.83e-18 */
        {0x1.e74240b477041p-78, 0x1.32379a77eeebfp-82, 0x1.496cc20903c0fp-22,
         0x1.b95418fdd7d1bp-25, 0x1.30e38e84ce1dp-28, 0x1.f888523ff18efp-33,
         0x1.24f4b055c3355p-36, 0x1.c5b56a49588b3p-40, 0x1.64adc5a7dadebp-44,
         0x1.6fd707a630059p-49, 0x1.4d3ff8297cb13p-53, 0x1.cb975d0ae5127p-57,
         0x1.5a60ee75e89c5p-61, 0x1.771641acdf39dp-66, 0x1.74927bc8cb69ap-70,
         0x1.1b80ea9eed58ep-73},
        {-0x1.f2e8d9fd044eep-73, -0x1.75d20fdeead32p-77, -0x1.51e5b8b382707p-20,
         -0x1.cbab52c2b3591p-23, -0x1.6cdb12b4833c8p-26, -0x1.5e545a67c796cp-30,
         -0x1.bf65eedb7e2a1p-34, -0x1.710c9f206661bp-37, -0x1.7108de3816f09p-41,
         -0x1.ca386dd728bbbp-46, -0x1.d2402cecb8736p-50, -0x1.7b33d17b6e96cp-53,
         -0x1.750b6fe4e1f82p-57, -0x1.d2acf31d99aa3p-62, -0x1.0f158f0200672p-65,
         -0x1.f21a094e598a1p-69},
        {0x1.ed828982a7346p-68, 0x1.d3e5f0eb0ebf7p-72, 0x1.3cc06c83c53efp-18,
         0x1.cead52e075eaap-21, 0x1.8abdcb1c03c09p-24, 0x1.b4d515fb33aefp-28,
         0x1.3e7d8c412efb6p-31, 0x1.2a3b53fe62813p-34, 0x1.51f46298b820ep-38,
         0x1.041b9106fdc3dp-42, 0x1.3e21d5c6f79a1p-46, 0x1.2eec8dacd6972p-49,
         0x1.5d665321b5125p-53, 0x1.14603c674c1acp-57, 0x1.855a30372f0d1p-61,
         0x1.a36999e8bd7c2p-64},
        {-0x1.0220272e9069ap-62, -0x1.2fd53a9bf94a3p-66, -0x1.21bfdb5a37798p-16,
         -0x1.c7f45749c94fcp-19, -0x1.af389cc542573p-22, -0x1.112da2c3abfd2p-25,
         -0x1.c6ee81e79e29fp-29, -0x1.e3c05d137cbe9p-32, -0x1.423f4c9d319fep-35,
         -0x1.2f773d0c233c8p-39, -0x1.bc27a558b3568p-43, -0x1.ebdc5540c5f29p-46,
         -0x1.5610773950a4bp-49, -0x1.53532c341307dp-53, -0x1.1ef7447e65845p-56,
         -0x1.6769cd5da0bbdp-59},
        {0x1.0dd117e155e4ep-57, 0x1.89cc0ebec40c9p-61, 0x1.fd96f88f4e122p-15,
         0x1.b109bdef765f1p-17, 0x1.c8f1fed6531c2p-20, 0x1.4d30893c99197p-23,
         0x1.3df8326fe8c18p-26, 0x1.80fb3d043a9d4p-29, 0x1.303d6670b4801p-32,
         0x1.5f4eaaf762125p-36, 0x1.33ceffcde26bp-39, 0x1.8d3cb73ecce2cp-42,
         0x1.4f6df3e90a079p-45, 0x1.9fef8c982bae3p-49, 0x1.a63a25da65374p-52,
         0x1.33c1cd6476fcbp-54},
        {-0x1.19706ff3e6042p-52, -0x1.fdd9882448943p-56, -0x1.acf0baf047ac7p-13,
         -0x1.8b204970e4aa6p-15, -0x1.d33461364e262p-18, -0x1.8aa04ad0dfaap-21,
         -0x1.b1edfea08d7cp-24, -0x1.2c6d512d7e8d1p-26, -0x1.1aa6b8aa7f1fcp-29,
         -0x1.924282e74be61p-33, -0x1.a7504ca959986p-36, -0x1.3ef5f50bbdeb6p-38,
         -0x1.4746375eb895p-41, -0x1.fc3f8b6a59514p-45, -0x1.35fae37f242c8p-47,
         -0x1.0723d816e606cp-49},
        {0x1.254d9fa8ddf0fp-47, 0x1.49dde41ad834ap-50, 0x1.582af09a4655cp-11,
         0x1.5922b726a7f61p-13, 0x1.cbeaf909eebebp-16, 0x1.c517d41bfab12p-19,
         0x1.20b76bda66f8fp-21, 0x1.cb679af3a8edbp-24, 0x1.02956b033cb55p-26,
         0x1.c7b858513b021p-30, 0x1.20df7dc2dc40dp-32, 0x1.fd4df63e8b3cp-35,
         0x1.3e08009ec4c13p-37, 0x1.35bb5714dfa0ep-40, 0x1.c656bb8c37987p-43,
         0x1.c1638c49bdccp-45},
        {-0x1.316627df2356bp-42, -0x1.aa97feac243fdp-45, -0x1.05e0d1ee92705p-9,
         -0x1.1f524f7405f81p-11, -0x1.b26801ed715e4p-14, -0x1.f7196bb3d4d91p-17,
         -0x1.760354a59ab52p-19, -0x1.57c3f12171254p-21, -0x1.d1a62597f39f4p-24,
         -0x1.feaad11852a57p-27, -0x1.873423a19b18fp-29, -0x1.9444f1b4b3e78p-31,
         -0x1.33d344e81e568p-33, -0x1.788ac1371c841p-36, -0x1.4c5e6c57f0c9ep-38,
         -0x1.7f398b4e6a2aap-40},
        {0x1.3db5a4b22cbc6p-37, 0x1.13ae86328b287p-39, 0x1.778412dcab6cfp-8,
         0x1.c576dac4a1f76p-10, 0x1.880bc39fb28f3p-12, 0x1.0d59142190529p-14,
         0x1.d6c4eff62ba5ap-17, 0x1.f6ddfcf915edbp-19, 0x1.9c557072817ffp-21,
         0x1.1ae88987bec2cp-23, 0x1.06caead326846p-25, 0x1.3f02824e14901p-27,
         0x1.28bfcbe61140dp-29, 0x1.c894da0170dbep-32, 0x1.e569698fc63b7p-34,
         0x1.465e556483f91p-35},
        {-0x1.4a385afb8f851p-32, -0x1.641b04b8020a1p-34, -0x1.f73cf1bda022fp-7,
         -0x1.50e419ec8fee6p-8, -0x1.50558d49950dep-10, -0x1.152bb292f143ap-12,
         -0x1.1f3de33928b78p-14, -0x1.66ff60d89e4c7p-16, -0x1.66cf20448990fp-18,
         -0x1.35d463626139p-20, -0x1.5e33981bba802p-22, -0x1.f473eb560ee3p-24,
         -0x1.1ce86af8618c2p-25, -0x1.1418d2e15feb3p-27, -0x1.61d29a78d8436p-29,
         -0x1.1593c8fbdd44ep-30},
        {0x1.56ea40bd5eabfp-27, 0x1.cbb917b7251bbp-29, 0x1.37c1cd73a1f3cp-5,
         0x1.d31db44da0ddfp-7, 0x1.1082e53e749b8p-8, 0x1.10fa124b4d771p-10,
         0x1.52f3e4cafa9efp-12, 0x1.f37f17ca9dd4fp-14, 0x1.3291ce5c4c626p-15,
         0x1.4f4031f8890fcp-17, 0x1.cecf96124556fp-19, 0x1.8628d8af99365p-20,
         0x1.1069b3e168334p-21, 0x1.4d09ece6cd3fp-23, 0x1.01700cd5d8724p-24,
         0x1.d7876ac113eabp-26},
        {-0x1.63c6fa8ad05f1p-22, -0x1.28926cfe06e7p-23, -0x1.5fd7bd137ae62p-4,
         -0x1.2a9d7939bd96fp-5, -0x1.9d91c673af91ap-7, -0x1.fff860473c29ap-9,
         -0x1.8193773f48996p-10, -0x1.51fd6f15274dcp-11, -0x1.00f0792084b95p-12,
         -0x1.6643a84eb4035p-14, -0x1.2f372ac427b35p-15, -0x1.2e4a3a5191112p-16,
         -0x1.036166a67e312p-17, -0x1.90a9a1cf9b77ep-19, -0x1.75ef37ead8ea4p-20,
         -0x1.8ff666de0c745p-21},
        {0x1.70c9dde7b80cp-17, 0x1.7e6b5aaa15d3ap-18, 0x1.61dfdba8c7dddp-3,
         0x1.5a250b6c72884p-4, 0x1.2291680040f67p-5, 0x1.c6244e3218d39p-7,
         0x1.a53d96b5b652p-8, 0x1.bbef257f001fbp-9, 0x1.a60555ee054aep-10,
         0x1.79f197da0cfa1p-11, 0x1.89d9042bf658ep-12, 0x1.d1774a19dd3d6p-13,
         0x1.ebdbf27414c46p-14, 0x1.e0bbdc0597db1p-15, 0x1.0f137fd96f444p-15,
         0x1.52ccf9578e293p-16},
        {-0x1.7dedf281483bep-12, -0x1.ecd3e09014613p-13, -0x1.323e1ed4f761cp-2,
         -0x1.6277d472e87bfp-3, -0x1.73ec80b1a2ad6p-4, -0x1.79c49ca9a4828p-5,
         -0x1.b7ec5d6225628p-6, -0x1.1a39d7794a474p-6, -0x1.53332b4263dbfp-7,
         -0x1.8964c6da87f66p-8, -0x1.faff65306f5cbp-9, -0x1.640f6349be8fdp-9,
         -0x1.d05c38f0bb0dbp-10, -0x1.1fa119acfd1dfp-10, -0x1.884c1d9be0662p-11,
         -0x1.1e9a6953b26d4p-11},
        {0x1.8b2df3d2e5dc8p-7, 0x1.3d5e9b6617414p-7, 0x1.ab312ef6705fap-2,
         0x1.32b79da2b0256p-2, 0x1.a6d4af41afcb9p-3, 0x1.2327acd1ec729p-3,
         0x1.b49677fa3d60bp-4, 0x1.5a4d03e1c32cfp-4, 0x1.0a75b18e64864p-4,
         0x1.93ce46e05b787p-5, 0x1.43553db7126c8p-5, 0x1.0e9621fe391bdp-5,
         0x1.b480851a84122p-6, 0x1.5740d9eb3bc9ep-6, 0x1.1b563c63f5303p-6,
         0x1.e43c67fbdf0d2p-7},
    },
    .root_half_bits = 0x3fe6a09e667f3bcd,
};

#endif
