/* Constants of math.inc.h, highest coefficient first; written by tools/fit_math.py.
 *
 * A constant c is held as two floats, c and c_low, whose sum has twice the precision. The error
 * beside a polynomial is the largest absolute one before rounding to the element type, that of the
 * quotient tail_above / tail_below relative.
 */
#ifndef KAEL_MATH_TABLES_H
#define KAEL_MATH_TABLES_H

#include <stdint.h>

/* 2 / pi: 0, then its first 1280 fraction bits, the highest first. */
static const uint64_t kl_two_over_pi[21] = {
    0,
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
};

/* IEEE 754 formats: fraction bits, exponent bias, and the unsigned type of the same width. */
enum { kl_fraction_f32 = 23, kl_bias_f32 = 127, kl_fraction_f64 = 52, kl_bias_f64 = 1023 };
typedef uint32_t kl_word_f32;
typedef uint64_t kl_word_f64;

static const struct kl_math_f32 {
    float log2e, log2e_low;
    float ln2, ln2_low;
    float exp_largest;
    float exp_smallest;
    float smallest_normal;
    float two_thirds, two_thirds_low;
    float two_over_pi, two_over_pi_low;
    float half_pi, half_pi_low;
    float largest_angle;
    float tanh_small, tanh_small_low;
    float tanh_largest;
    float erf_slope, erf_slope_low;
    float root_two, root_two_low;
    float tail_largest;
    float normal_peak, normal_peak_low;
    float gelu_linear, gelu_linear_low;
    float gelu_cubic, gelu_cubic_low;
    float half_pi_lowest;
    float exp[6];
    float log[3];
    float pow[3];
    float sin[4];
    float cos[4];
    float tanh[7];
    float erf[7];
    float tail_above[5];
    float tail_below[6];
    kl_word_f32 root_half_bits; /* of the square root of 1/2 */
} kl_math_f32 = {
    .log2e = 0x1.715476p+0f,
    .log2e_low = 0x1.4ae0cp-26f,
    .ln2 = 0x1.62e43p-1f,
    .ln2_low = -0x1.05c61p-29f,
    .exp_largest = 0x1.64p+6f,
    .exp_smallest = -0x1.ap+6f,
    .smallest_normal = 0x1p-126f,
    .two_thirds = 0x1.555556p-1f,
    .two_thirds_low = -0x1.555556p-26f,
    .two_over_pi = 0x1.45f306p-1f,
    .two_over_pi_low = 0x1.b9391p-26f,
    .half_pi = 0x1.921fb6p+0f,
    .half_pi_low = -0x1.777a5cp-25f,
    .largest_angle = 0x1p+17f,
    .tanh_small = 0x1.f0a3d8p-1f,
    .tanh_small_low = -0x1.eb851ep-26f,
    .tanh_largest = 0x1.4p+3f,
    .erf_slope = 0x1.06eba8p-3f,
    .erf_slope_low = 0x1.0a6db4p-30f,
    .root_two = 0x1.6a09e6p+0f,
    .root_two_low = 0x1.9fcef4p-26f,
    .tail_largest = 0x1.dp+3f,
    .normal_peak = 0x1.988454p-2f,
    .normal_peak_low = -0x1.857936p-27f,
    .gelu_linear = 0x1.988454p+0f,
    .gelu_linear_low = -0x1.857936p-25f,
    .gelu_cubic = 0x1.2444f2p-4f,
    .gelu_cubic_low = 0x1.49b16ap-29f,
    .half_pi_lowest = -0x1.ee59dap-50f,
    .exp = { /* error 1.36e-9 */
        0x1.a17e7ap-13f,
        0x1.6d43b4p-10f,
        0x1.1110acp-7f,
        0x1.5554e8p-5f,
        0x1.555556p-3f,
        0x1p-1f,
    },
    .log = { /* error 1.87e-7 */
        0x1.2eee58p-2f,
        0x1.997bf8p-2f,
        0x1.55555cp-1f,
    },
    .pow = { /* error 1.53e-7 */
        0x1.d81496p-3f,
        0x1.247a02p-2f,
        0x1.9999a4p-2f,
    },
    .sin = { /* error 2.92e-11 */
        0x1.6db3ccp-19f,
        -0x1.a01388p-13f,
        0x1.11110ep-7f,
        -0x1.555556p-3f,
    },
    .cos = { /* error 2.44e-12 */
        -0x1.251d72p-22f,
        0x1.a015bp-16f,
        -0x1.6c16cp-10f,
        0x1.555556p-5f,
    },
    .tanh = { /* error 1.24e-8 */
        -0x1.dcffbp-12f,
        0x1.553676p-9f,
        -0x1.106568p-7f,
        0x1.639806p-6f,
        -0x1.b9e886p-5f,
        0x1.11105ap-3f,
        -0x1.555554p-2f,
    },
    .erf = { /* error 1.36e-10 */
        -0x1.574692p-17f,
        0x1.e07e26p-14f,
        -0x1.be1df8p-11f,
        0x1.564548p-8f,
        -0x1.b82bf8p-6f,
        0x1.ce2f1ep-4f,
        -0x1.812746p-2f,
    },
    .tail_above = { /* error 7.39e-9 */
        0x1.0b8a9cp-8f,
        0x1.4b3308p-5f,
        0x1.761bcep-3f,
        0x1.c0189p-2f,
        0x1p-1f,
    },
    .tail_below = { /* error 7.39e-9 */
        0x1.4f4f3ep-7f,
        0x1.9f1f98p-4f,
        0x1.df3304p-2f,
        0x1.3343eap+0f,
        0x1.ac4e78p+0f,
        0x1p+0f,
    },
    .root_half_bits = 0x3f3504f3,
};

static const struct kl_math_f64 {
    double log2e, log2e_low;
    double ln2, ln2_low;
    double exp_largest;
    double exp_smallest;
    double smallest_normal;
    double two_thirds, two_thirds_low;
    double two_over_pi, two_over_pi_low;
    double half_pi, half_pi_low;
    double largest_angle;
    double tanh_small;
    double tanh_largest;
    double erf_slope, erf_slope_low;
    double root_two, root_two_low;
    double tail_largest;
    double normal_peak, normal_peak_low;
    double gelu_linear, gelu_linear_low;
    double gelu_cubic, gelu_cubic_low;
    double half_pi_lowest;
    double exp[11];
    double log[7];
    double pow[7];
    double sin[7];
    double cos[7];
    double tanh[12];
    double erf[14];
    double tail_above[11];
    double tail_below[12];
    kl_word_f64 root_half_bits; /* of the square root of 1/2 */
} kl_math_f64 = {
    .log2e = 0x1.71547652b82fep+0,
    .log2e_low = 0x1.777d0ffda0d24p-56,
    .ln2 = 0x1.62e42fefa39efp-1,
    .ln2_low = 0x1.abc9e3b39803fp-56,
    .exp_largest = 0x1.63p+9,
    .exp_smallest = -0x1.75p+9,
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
    .erf_slope = 0x1.06eba8214db69p-3,
    .erf_slope_low = -0x1.ca38add6025p-57,
    .root_two = 0x1.6a09e667f3bcdp+0,
    .root_two_low = -0x1.bdd3413b26456p-54,
    .tail_largest = 0x1.38p+5,
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
    .tanh = { /* error 3.68e-18 */
        0x1.b4637f2a0a145p-18,
        -0x1.060cd361a3012p-15,
        0x1.846b1fe9ff92bp-14,
        -0x1.f24d600981dffp-13,
        0x1.3527b7bd75f55p-11,
        -0x1.7d9f84b082b33p-10,
        0x1.d6d39c5691feap-9,
        -0x1.226e347ba4603p-7,
        0x1.664f487e3b306p-6,
        -0x1.ba1ba1ba0fafp-5,
        0x1.11111111110aep-3,
        -0x1.5555555555555p-2,
    },
    .erf = { /* error 1.34e-22 */
        0x1.46352d440f25ep-42,
        -0x1.b870094283221p-38,
        0x1.9ae6751c18765p-34,
        -0x1.519503fa5308fp-30,
        0x1.fcbebbb695bf8p-27,
        -0x1.5f73f1445c213p-23,
        0x1.b9e6c6c0825adp-20,
        -0x1.f4d25c21f74ap-17,
        0x1.f9a326f90c44fp-14,
        -0x1.c02db4003e0acp-11,
        0x1.565bcd0e6a4d9p-8,
        -0x1.b82ce31288b5p-6,
        0x1.ce2f21a042be2p-4,
        -0x1.812746b0379e7p-2,
    },
    .tail_above = { /* error 1.7e-18 */
        0x1.d50d5493f64abp-23,
        0x1.ca5c9d6be1585p-18,
        0x1.b7530dc8b741cp-14,
        0x1.0cb7637736ae3p-10,
        0x1.cd74f7874e3ecp-8,
        0x1.21839af918d4bp-5,
        0x1.0c81e61f0ec27p-3,
        0x1.6c009cb28c501p-2,
        0x1.5abe52e33fdd9p-1,
        0x1.a723039e938e5p-1,
        0x1p-1,
    },
    .tail_below = { /* error 1.7e-18 */
        0x1.25ef4ed08f42fp-21,
        0x1.1f3c5366a58d1p-16,
        0x1.13e13ddeb90f6p-12,
        0x1.5307b0eac3235p-9,
        0x1.25757d306e4aep-6,
        0x1.753c851d18663p-4,
        0x1.6210c3b91b08fp-2,
        0x1.f305bef9c1f7p-1,
        0x1.fe557e6d8adfep+0,
        0x1.67aa8c82d4867p+1,
        0x1.39b2969e9aa07p+1,
        0x1p+0,
    },
    .root_half_bits = 0x3fe6a09e667f3bcd,
};

#endif
