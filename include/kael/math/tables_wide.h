/* Constants for wide; written by tools/fit_math.py. */
#ifndef KAEL_MATH_TABLES_WIDE_H
#define KAEL_MATH_TABLES_WIDE_H

static const struct kl_math_wide {
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
    double exp[6];
    double exp_short[5];
    double log[3];
    double pow[3];
    double sin[4];
    double cos[4];
    double asin[8];
    double atan[3];
    double sinh[4];
    double cbrt[4];
    double atan_base[16];
    kl_word_wide root_half_bits; /* of the square root of 1/2 */
} kl_math_wide = {
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
    .exp = { /* error 1.36e-9 */
        0x1.a17e7a7f9f838p-13,
        0x1.6d43b447d44b6p-10,
        0x1.1110ab2ee92eap-7,
        0x1.5554e89cfcf51p-5,
        0x1.555555744fb89p-3,
        0x1.0000000ba2e33p-1,
    },
    .exp_short = { /* error 3.33e-9 */
        0x1.6db1d9ce7a37ep-10,
        0x1.123a332859968p-7,
        0x1.555461d5fbaa4p-5,
        0x1.55549117ec6bcp-3,
        0x1.0000004e97493p-1,
    },
    .log = { /* error 1.87e-7 */
        0x1.2eee58589664bp-2,
        0x1.997bf735c44cdp-2,
        0x1.55555b97a508fp-1,
    },
    .pow = { /* error 1.53e-7 */
        0x1.d814956a8bf39p-3,
        0x1.247a016fdc934p-2,
        0x1.9999a3dbf5c5fp-2,
    },
    .sin = { /* error 2.92e-11 */
        0x1.6db3cb1d3983fp-19,
        -0x1.a0138800e4bc9p-13,
        0x1.11110dd7dfac6p-7,
        -0x1.555555545489p-3,
    },
    .cos = { /* error 2.44e-12 */
        -0x1.251d71817255p-22,
        0x1.a015af5074938p-16,
        -0x1.6c16bf4540e05p-10,
        0x1.55555554ff9c9p-5,
    },
    .asin = { /* error 1.34e-11 */
        0x1.e3ee75a4d2eafp-6,
        0x1.57857df0f3532p-8,
        0x1.3d70fc3e8e307p-6,
        0x1.6a6d5357ca23dp-6,
        0x1.f20d29ba30cedp-6,
        0x1.6db5b94379e3dp-5,
        0x1.333334fb2f25ep-4,
        0x1.55555554dff06p-3,
    },
    .atan = { /* error 1.82e-9 */
        -0x1.21d42042c7544p-3,
        0x1.99977944239fbp-3,
        -0x1.555555360d444p-2,
    },
    .sinh = { /* error 1.99e-10 */
        0x1.78a7c14f15135p-19,
        0x1.a008fb8991d29p-13,
        0x1.11111eb63b84ep-7,
        0x1.5555554e7ff56p-3,
    },
    .cbrt = { /* error 7.27e-5 */
        0x1.d6aaa4fa4de8bp-5,
        -0x1.d974f2162bd19p-4,
        0x1.55b2256cb539p-2,
        0x1.0004506252369p+0,
    },
    .atan_base = {0x0p+0, 0x1.fd5ba9aac2f6ep-4, 0x1.f5b75f92c80ddp-3,
         0x1.6f61941e4def1p-2, 0x1.dac670561bb4fp-2, 0x1.1e00babdefeb4p-1,
         0x1.4978fa3269ee1p-1, 0x1.700a7c5784634p-1, 0x1.921fb54442d18p+0,
         0x1.7249faa996a21p+0, 0x1.5368c951e9cfdp+0, 0x1.3647503caf55cp+0,
         0x1.1b6e192ebbe44p+0, 0x1.031f57e54adbep+0, 0x1.dac670561bb4fp-1,
         0x1.b434ee31013fdp-1},
    .root_half_bits = 0x3fe6a09e667f3bcd,
};

#endif
