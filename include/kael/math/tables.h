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
    float sigmoid_smallest;
    float sigmoid_largest;
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
    float gelu_largest;
    float erfc_largest;
    float mills_shift;
    float normal_peak, normal_peak_low;
    float gelu_linear, gelu_linear_low;
    float gelu_cubic, gelu_cubic_low;
    float half_pi_lowest;
    float exp[6];
    float exp_short[5];
    float log[3];
    float pow[3];
    float sin[4];
    float cos[4];
    float tanh[7];
    float erf[7];
    float mills_center[16];
    float mills[7][16];
    float gelu_center[16];
    float gelu[8][16];
    float gelu_slope[8][16];
    kl_word_f32 root_half_bits; /* of the square root of 1/2 */
} kl_math_f32 = {
    .log2e = 0x1.715476p+0f,
    .log2e_low = 0x1.4ae0cp-26f,
    .ln2 = 0x1.62e43p-1f,
    .ln2_low = -0x1.05c61p-29f,
    .exp_largest = 0x1.64p+6f,
    .exp_smallest = -0x1.ap+6f,
    .sigmoid_smallest = -0x1.4p+4f,
    .sigmoid_largest = 0x1.b8p+6f,
    .smallest_normal = 0x1p-126f,
    .two_thirds = 0x1.555556p-1f,
    .two_thirds_low = -0x1.555556p-26f,
    .two_over_pi = 0x1.45f306p-1f,
    .two_over_pi_low = 0x1.b9391p-26f,
    .half_pi = 0x1.921fb6p+0f,
    .half_pi_low = -0x1.777a5cp-25f,
    .largest_angle = 0x1p+17f,
    .tanh_small = 0x1.e66666p-1f,
    .tanh_small_low = 0x1.99999ap-27f,
    .tanh_largest = 0x1.4p+3f,
    .erf_slope = 0x1.06eba8p-3f,
    .erf_slope_low = 0x1.0a6db4p-30f,
    .root_two = 0x1.6a09e6p+0f,
    .root_two_low = 0x1.9fcef4p-26f,
    .tail_largest = 0x1.dfp+3f,
    .gelu_largest = 0x1.67p+2f,
    .erfc_largest = 0x1.48p+3f,
    .mills_shift = 0x1p+0f,
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
    .exp_short = { /* error 3.33e-9 */
        0x1.6db1dap-10f,
        0x1.123a34p-7f,
        0x1.555462p-5f,
        0x1.555492p-3f,
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
    .tanh = { /* error 2.1e-9 */
        -0x1.adfb4p-12f,
        0x1.426a1p-9f,
        -0x1.0a9724p-7f,
        0x1.61dbc8p-6f,
        -0x1.b9a6f2p-5f,
        0x1.110e36p-3f,
        -0x1.55554ap-2f,
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
    .mills_center = {0x1.407p+0f, 0x1.c016p+0f, 0x1.1fp+1f, 0x1.5f0dp+1f,
         0x1.c18p+1f, 0x1.212dp+2f, 0x1.5f3dp+2f, 0x1.9fe7p+2f,
         0x1.fea6p+2f, 0x1.40bcp+3f, 0x1.8143p+3f, 0x1.c18cp+3f,
         0x1.0048p-3f, 0x1.7ecp-2f, 0x1.3d2ep-1f, 0x1.c20cp-1f},
    .mills = { /* error 4.93e-9 */
        {0x1.3f28bep-11f, 0x1.e43fp-13f, 0x1.8eb9c6p-14f, 0x1.60b366p-15f,
         0x1.d7a4d4p-17f, 0x1.02b18cp-18f, 0x1.510a92p-20f, 0x1.f5c7fep-22f,
         0x1.1acac8p-23f, 0x1.0c2c8p-25f, 0x1.4155e4p-27f, 0x1.c8ae8cp-29f,
         0x1.f312c8p-8f, 0x1.0f7176p-8f, 0x1.2fabfp-9f, 0x1.5c5578p-10f},
        {-0x1.053fbap-9f, -0x1.b4b652p-11f, -0x1.8e9fbcp-12f, -0x1.806cb4p-13f,
         -0x1.1cf554p-14f, -0x1.6a4d7ap-16f, -0x1.16f38cp-17f, -0x1.d2a97p-19f,
         -0x1.3b2e28p-20f, -0x1.60e2p-22f, -0x1.ef65bap-24f, -0x1.958c0cp-25f,
         -0x1.4725f2p-6f, -0x1.7745b4p-7f, -0x1.bcfdbap-8f, -0x1.074f0ap-8f},
        {0x1.8ed37p-8f, 0x1.71eedep-9f, 0x1.74a2bp-10f, 0x1.8b41a2p-11f,
         0x1.4b7bfap-12f, 0x1.f1d1a8p-14f, 0x1.ba60eap-15f, 0x1.a6e42ap-16f,
         0x1.4de028p-17f, 0x1.cbcf64p-19f, 0x1.7f5284p-20f, 0x1.6b96fcp-21f,
         0x1.89c1e6p-5f, 0x1.dd578p-6f, 0x1.2ac3ccp-6f, 0x1.7603ccp-7f},
        {-0x1.1e82cp-6f, -0x1.29416cp-7f, -0x1.4c9efep-8f, -0x1.86764ap-9f,
         -0x1.7a8f6ap-10f, -0x1.511adap-11f, -0x1.5a9ba4p-12f, -0x1.7bb078p-13f,
         -0x1.64fc88p-14f, -0x1.2da912p-15f, -0x1.2a0deep-16f, -0x1.472348p-17f,
         -0x1.b00ed6p-4f, -0x1.165dd2p-4f, -0x1.71d804p-5f, -0x1.ec9eep-6f},
        {0x1.7abd92p-5f, 0x1.bd1fa2p-6f, 0x1.179b2ep-6f, 0x1.6e881cp-7f,
         0x1.9f46dcp-8f, 0x1.bb0dbap-9f, 0x1.096e72p-9f, 0x1.4edcap-10f,
         0x1.78f60ep-11f, 0x1.8856bap-12f, 0x1.cc8c04p-13f, 0x1.24ebd4p-13f,
         0x1.a4ca94p-3f, 0x1.22b17cp-3f, 0x1.9d5088p-4f, 0x1.2743a8p-4f},
        {-0x1.c3ed48p-4f, -0x1.324096p-4f, -0x1.b63312p-5f, -0x1.4485fep-5f,
         -0x1.b39224p-6f, -0x1.19d71ap-6f, -0x1.8cac88p-7f, -0x1.21cf44p-7f,
         -0x1.88b3dep-8f, -0x1.f9b0aap-9f, -0x1.6187eap-9f, -0x1.050654p-9f,
         -0x1.5e5fa2p-2f, -0x1.071a74p-2f, -0x1.9567fep-3f, -0x1.3a8066p-3f},
        {0x1.d835fp-3f, 0x1.7b4d94p-3f, 0x1.3b886cp-3f, 0x1.0c531cp-3f,
         0x1.b24f62p-4f, 0x1.5a0e38p-4f, 0x1.20b67p-4f, 0x1.ebc24ap-5f,
         0x1.937228p-5f, 0x1.42e972p-5f, 0x1.0d9e0ep-5f, 0x1.cef288p-6f,
         0x1.d0a2dap-2f, 0x1.85093p-2f, 0x1.4c3aecp-2f, 0x1.1ddafp-2f},
    },
    .gelu_center = {0x0p+0f, 0x1.9d971p-1f, 0x1.66f09ep+0f, 0x1.e816acp+0f,
         0x1.2ac898p+1f, 0x1.5c5beep+1f, 0x1.8a1abcp+1f, 0x1.b3ed74p+1f,
         0x1.db6cd6p+1f, 0x1.00753ep+2f, 0x1.1294ccp+2f, 0x1.231d22p+2f,
         0x1.33abb2p+2f, 0x1.42edccp+2f, 0x1.51facp+2f, 0x1.604f0cp+2f},
    .gelu = { /* error 6.73e-9 */
        {0x1.c9b7acp-10f, 0x1.48de2ap-9f, -0x1.34af96p-10f, -0x1.60365cp-10f,
         -0x1.6d3fd8p-13f, 0x1.7dd6a8p-12f, 0x1.55dab4p-12f, 0x1.350e44p-13f,
         0x1.baaf78p-16f, -0x1.54f8f8p-16f, -0x1.bd2d98p-16f, -0x1.46080ep-16f,
         -0x1.7efb4ep-17f, -0x1.8b7a52p-18f, -0x1.759444p-19f, -0x1.4a1a3ep-20f},
        {-0x1.6905ap-7f, 0x1.b70dcep-9f, 0x1.786bd8p-8f, 0x1.98a14ap-12f,
         -0x1.f652d8p-10f, -0x1.8eacfp-10f, -0x1.3395fap-11f, -0x1.1ed7aap-15f,
         0x1.354f12p-13f, 0x1.343e76p-13f, 0x1.968944p-14f, 0x1.c81b7ap-15f,
         0x1.bb87f4p-16f, 0x1.9a1462p-17f, 0x1.5e3f8p-18f, 0x1.207106p-19f},
        {0x1.493518p-12f, -0x1.653d36p-6f, -0x1.b5d54p-12f, 0x1.27e72cp-7f,
         0x1.9878e6p-8f, 0x1.f75eb6p-10f, -0x1.5081fep-12f, -0x1.c07ecep-11f,
         -0x1.71d43ap-11f, -0x1.c3bf0cp-12f, -0x1.d0d98cp-13f, -0x1.bd8f2ep-14f,
         -0x1.7ecb9ap-15f, -0x1.41da8p-16f, -0x1.faa88p-18f, -0x1.856bdap-19f},
        {0x1.10250ap-4f, -0x1.bbb0dap-10f, -0x1.2c719ep-5f, -0x1.6c252cp-6f,
         -0x1.3e2c66p-8f, 0x1.787e56p-9f, 0x1.05e56cp-8f, 0x1.7a7a5ep-9f,
         0x1.ae320cp-10f, 0x1.a88c6cp-11f, 0x1.7783cep-12f, 0x1.41ee4ap-13f,
         0x1.f6f5aap-15f, 0x1.876f3p-16f, 0x1.1fa964p-17f, 0x1.a08056p-19f},
        {0x1.e6cf22p-19f, 0x1.09b65ep-3f, 0x1.22a7d2p-4f, 0x1.ec63d4p-8f,
         -0x1.e33db6p-7f, -0x1.f1bcdep-7f, -0x1.4141a8p-7f, -0x1.55a1fcp-8f,
         -0x1.403d56p-9f, -0x1.12873ap-10f, -0x1.b1ea02p-12f, -0x1.545554p-13f,
         -0x1.eb26a8p-15f, -0x1.65b326p-16f, -0x1.eef98cp-18f, -0x1.53b11cp-19f},
        {-0x1.98845ap-2f, -0x1.8d3922p-3f, -0x1.4d878ep-9f, 0x1.b1f92p-5f,
         0x1.719e8ap-5f, 0x1.b3607ap-6f, 0x1.ab4358p-7f, 0x1.7c252ep-8f,
         0x1.37778ep-9f, 0x1.df3da6p-11f, 0x1.598888p-12f, 0x1.f6b812p-14f,
         0x1.52938p-15f, 0x1.d0fd04p-17f, 0x1.30ba7p-18f, 0x1.8e66b2p-20f},
        {0x1p-1f, -0x1.77ec6ap-6f, -0x1.07eedp-3f, -0x1.862acap-4f,
         -0x1.a423dap-5f, -0x1.811152p-6f, -0x1.3db674p-7f, -0x1.f042b6p-9f,
         -0x1.6d96cp-10f, -0x1.011d1cp-11f, -0x1.56b6a4p-13f, -0x1.d2be1ap-15f,
         -0x1.27932ep-16f, -0x1.80e2a4p-18f, -0x1.e00a54p-20f, -0x1.2c077ep-21f},
        {0x0p+0f, 0x1.5ac30ep-3f, 0x1.cdfa4ep-4f, 0x1.b9cd36p-5f,
         0x1.767726p-6f, 0x1.21b9b6p-7f, 0x1.a32d36p-9f, 0x1.269c56p-10f,
         0x1.8cde48p-12f, 0x1.02381ap-13f, 0x1.410a9ap-15f, 0x1.9c0542p-17f,
         0x1.ed694ap-19f, 0x1.31e9f4p-20f, 0x1.6c67d8p-22f, 0x1.b4d9p-24f},
    },
    .gelu_slope = { /* error 3.16e-9 */
        {0x1.e51d8ep-8f, -0x1.483ebep-8f, -0x1.f2cec2p-9f, 0x1.2b734cp-9f,
         0x1.3427bp-9f, 0x1.f4b016p-12f, -0x1.f28978p-12f, -0x1.0ce90ap-11f,
         -0x1.19c66ep-12f, -0x1.3ac86p-14f, 0x1.a62c36p-17f, 0x1.1895cp-15f,
         0x1.d71466p-16f, 0x1.29555cp-16f, 0x1.42ddb6p-17f, 0x1.3d7954p-18f},
        {0x1.06e8cap-9f, 0x1.1787d6p-6f, -0x1.089778p-7f, -0x1.34d56cp-7f,
         -0x1.5d8b34p-10f, 0x1.4a8d08p-9f, 0x1.2dd1fcp-9f, 0x1.16d97ep-10f,
         0x1.a70826p-13f, -0x1.22191cp-13f, -0x1.85bd04p-13f, -0x1.20914ep-13f,
         -0x1.4fe4e6p-14f, -0x1.5fee06p-15f, -0x1.4c70bp-16f, -0x1.2941ep-17f},
        {-0x1.f11eep-5f, 0x1.56c04ap-6f, 0x1.1d8e9p-5f, 0x1.1bc3e8p-9f,
         -0x1.7d4992p-7f, -0x1.2bc31p-7f, -0x1.cacfcap-9f, -0x1.88926p-13f,
         0x1.d44eap-11f, 0x1.cf77d8p-11f, 0x1.30bb1p-11f, 0x1.55444ep-12f,
         0x1.4b58b2p-13f, 0x1.3213a2p-14f, 0x1.052d2cp-15f, 0x1.adfc24p-17f},
        {0x1.832bd6p-13f, -0x1.be4ebp-4f, -0x1.138306p-9f, 0x1.71e54ep-5f,
         0x1.feae9ep-6f, 0x1.3aa416p-7f, -0x1.a4d2bcp-10f, -0x1.185eb2p-8f,
         -0x1.ce57a4p-9f, -0x1.1a5a6ep-9f, -0x1.2287bap-10f, -0x1.16757p-11f,
         -0x1.de7b82p-13f, -0x1.924494p-14f, -0x1.3c9e18p-15f, -0x1.e6a8e4p-17f},
        {0x1.1052aep-2f, -0x1.be1564p-8f, -0x1.2c7766p-3f, -0x1.6c217cp-4f,
         -0x1.3e233ap-6f, 0x1.7880d4p-7f, 0x1.05e486p-6f, 0x1.7a78f6p-7f,
         0x1.ae30e6p-8f, 0x1.a88be4p-9f, 0x1.7783f6p-10f, 0x1.41eeeep-11f,
         0x1.f6f7a2p-13f, 0x1.877134p-14f, 0x1.1fab5p-15f, 0x1.a0836cp-17f},
        {0x1.2f7196p-20f, 0x1.8e9126p-2f, 0x1.b3fbdep-3f, 0x1.714aaep-6f,
         -0x1.6a6e6ap-5f, -0x1.754dacp-5f, -0x1.e1e276p-6f, -0x1.003976p-6f,
         -0x1.e05bf6p-8f, -0x1.9bcad2p-9f, -0x1.456f82p-10f, -0x1.fe8008p-12f,
         -0x1.705d02p-13f, -0x1.0c4668p-14f, -0x1.733b3ep-16f, -0x1.fd89dcp-18f},
        {-0x1.988454p-1f, -0x1.8d390ap-2f, -0x1.4d8676p-8f, 0x1.b1f91cp-4f,
         0x1.719e88p-4f, 0x1.b3607ap-5f, 0x1.ab4358p-6f, 0x1.7c252ep-7f,
         0x1.37778ep-8f, 0x1.df3da8p-10f, 0x1.598888p-11f, 0x1.f6b81p-13f,
         0x1.52937ep-14f, 0x1.d0fd02p-16f, 0x1.30ba6ep-17f, 0x1.8e66bp-19f},
        {0x1p-1f, -0x1.77ec66p-6f, -0x1.07eedp-3f, -0x1.862acap-4f,
         -0x1.a423dap-5f, -0x1.811152p-6f, -0x1.3db674p-7f, -0x1.f042b6p-9f,
         -0x1.6d96cp-10f, -0x1.011d1cp-11f, -0x1.56b6a4p-13f, -0x1.d2be1ap-15f,
         -0x1.27932ep-16f, -0x1.80e2a4p-18f, -0x1.e00a54p-20f, -0x1.2c077ep-21f},
    },
    .root_half_bits = 0x3f3504f3,
};

static const struct kl_math_f64 {
    double log2e, log2e_low;
    double ln2, ln2_low;
    double exp_largest;
    double exp_smallest;
    double sigmoid_smallest;
    double sigmoid_largest;
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
    double mills_center[16];
    double mills[15][16];
    kl_word_f64 root_half_bits; /* of the square root of 1/2 */
} kl_math_f64 = {
    .log2e = 0x1.71547652b82fep+0,
    .log2e_low = 0x1.777d0ffda0d24p-56,
    .ln2 = 0x1.62e42fefa39efp-1,
    .ln2_low = 0x1.abc9e3b39803fp-56,
    .exp_largest = 0x1.63p+9,
    .exp_smallest = -0x1.75p+9,
    .sigmoid_smallest = -0x1.4p+5,
    .sigmoid_largest = 0x1.78p+9,
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
    .mills_center = {0x1.0752p+5, 0x1.4954p+5, 0x1.05bp-2, 0x1.8214p-1,
         0x1.7e7cp+0, 0x1.3e6cp+1, 0x1.bed6p+1, 0x1.1e84p+2,
         0x1.7f02p+2, 0x1.fe2ep+2, 0x1.3f12p+3, 0x1.8086p+3,
         0x1.e0bap+3, 0x1.2fd6p+4, 0x1.7069p+4, 0x1.b06dp+4},
    .mills = { /* error 9.7e-18 */
        {0x1.e7861efec7d32p-78, 0x1.32379a77eeebfp-82, 0x1.4946dd019f2d5p-22, 0x1.b95418fdd7d1bp-25,
         0x1.30e212d66b923p-28, 0x1.f87eacc6691d6p-33, 0x1.24f4b055c3355p-36, 0x1.c60949dfbe349p-40,
         0x1.64a602034af2ep-44, 0x1.6fd707a630059p-49, 0x1.4d6323fccb496p-53, 0x1.cb753f00ce9ep-57,
         0x1.5a233788ce812p-61, 0x1.771641acdf39dp-66, 0x1.74927bc8cb69ap-70, 0x1.1b66fcc84bf84p-73},
        {-0x1.07cd6c1ccab7ap-72, -0x1.75d20fdeead32p-77, -0x1.3f4f6261d96ecp-20, -0x1.cbab52c2b3591p-23,
         -0x1.6b2b7e665e767p-26, -0x1.592c1a546ee0cp-30, -0x1.bf65eedb7e2a1p-34, -0x1.8f4811ed5ec65p-37,
         -0x1.6a22f28054fa3p-41, -0x1.ca386dd728bbbp-46, -0x1.e8c706308faf5p-50, -0x1.72e45d6b545f7p-53,
         -0x1.524e5eb369d46p-57, -0x1.d2acf31d99aa3p-62, -0x1.0f158f0200672p-65, -0x1.e166a0474fdfap-69},
        {0x1.04cbbc8f68397p-67, 0x1.d3e5f0eb0ebf7p-72, 0x1.2b8375c99c7dbp-18, 0x1.cead52e075eaap-21,
         0x1.88dd5b56ca3e6p-24, 0x1.ae3660ca46791p-28, 0x1.3e7d8c412efb6p-31, 0x1.420079e7b58a1p-34,
         0x1.4b5becefd63fap-38, 0x1.041b9106fdc3dp-42, 0x1.4d23f47667029p-46, 0x1.28a3c965ae107p-49,
         0x1.3c307c2d8bbfp-53, 0x1.14603c674c1acp-57, 0x1.855a30372f0d1p-61, 0x1.96026456f0aep-64},
        {-0x1.0ef2cfb8cfd33p-62, -0x1.2fd53a9bf94a3p-66, -0x1.12d46ce9d65dcp-16, -0x1.c7f45749c94fcp-19,
         -0x1.ad58900e5f8c7p-22, -0x1.0d5e1f374be2ep-25, -0x1.c6ee81e79e29fp-29, -0x1.03956c89e14a3p-31,
         -0x1.3cab57cc5adcp-35, -0x1.2f773d0c233c8p-39, -0x1.cf0dd51a47097p-43, -0x1.e295b27db86b5p-46,
         -0x1.39619355d8fc5p-49, -0x1.53532c341307dp-53, -0x1.1ef7447e65845p-56, -0x1.5cfc48ea1c057p-59},
        {0x1.1a11b369b40f5p-57, 0x1.89cc0ebec40c9p-61, 0x1.e487f7707e00ap-15, 0x1.b109bdef765f1p-17,
         0x1.c71148575eea5p-20, 0x1.48d18b798bbebp-23, 0x1.3df8326fe8c18p-26, 0x1.9b3aea0a5cfe8p-29,
         0x1.2b5c451967b47p-32, 0x1.5f4eaaf762125p-36, 0x1.3fdfd1753eb75p-39, 0x1.8653badaa0577p-42,
         0x1.358a13e258c18p-45, 0x1.9fef8c982bae3p-49, 0x1.a63a25da65374p-52, 0x1.2b8dac09e0c73p-54},
        {-0x1.250ee85899b23p-52, -0x1.fdd9882448943p-56, -0x1.98e23a4c3041p-13, -0x1.8b204970e4aa6p-15,
         -0x1.d1654046bf809p-18, -0x1.85c70c62d41ap-21, -0x1.b1edfea08d7cp-24, -0x1.3f5f58d4c9aaap-26,
         -0x1.1675f38eb34a1p-29, -0x1.924282e74be61p-33, -0x1.b67e045ed5cc1p-36, -0x1.39e23445bd5e8p-38,
         -0x1.301c82f7f1c4cp-41, -0x1.fc3f8b6a59514p-45, -0x1.35fae37f242c8p-47, -0x1.00bf0fb63a86p-49},
        {0x1.30306a6f6a8abp-47, 0x1.49dde41ad834ap-50, 0x1.48f4552628e37p-11, 0x1.5922b726a7f61p-13,
         0x1.ca40beff33f8p-16, 0x1.bfec2a5fe0c4dp-19, 0x1.20b76bda66f8fp-21, 0x1.e5f3bf0c5f049p-24,
         0x1.fe27c0d4e7492p-27, 0x1.c7b858513b021p-30, 0x1.2a40536cad041p-32, 0x1.f5f603663a32bp-35,
         0x1.299f248cbac38p-37, 0x1.35bb5714dfa0ep-40, 0x1.c656bb8c37987p-43, 0x1.b7896d35de21dp-45},
        {-0x1.3b7686673a773p-42, -0x1.aa97feac243fdp-45, -0x1.f606de4aec1d1p-10, -0x1.1f524f7405f81p-11,
         -0x1.b0f30045e3976p-14, -0x1.f1d1e9cbf4cbep-17, -0x1.760354a59ab52p-19, -0x1.69c33ccf24463p-21,
         -0x1.cbf17276ac399p-24, -0x1.feaad11852a57p-27, -0x1.928ff768f0f5ep-29, -0x1.8f0dc8989a31fp-31,
         -0x1.22224922212c7p-33, -0x1.788ac1371c841p-36, -0x1.4c5e6c57f0c9ep-38, -0x1.77bce29fd898ap-40},
        {0x1.46dc32604915fp-37, 0x1.13ae86328b287p-39, 0x1.6907379a02baap-8, 0x1.c576dac4a1f76p-10,
         0x1.86d7725a5fae9p-12, 0x1.0ac83b63bc872p-14, 0x1.d6c4eff62ba5ap-17, 0x1.072fcb1b485a6p-18,
         0x1.97d5e379b680ap-21, 0x1.1ae88987bec2cp-23, 0x1.0d82defb4967ep-25, 0x1.3b6277372e8f4p-27,
         0x1.19b68687754fbp-29, 0x1.c894da0170dbep-32, 0x1.e569698fc63b7p-34, 0x1.40c66fcf429p-35},
        {-0x1.525cf9be2383cp-32, -0x1.641b04b8020a1p-34, -0x1.e567949da934cp-7, -0x1.50e419ec8fee6p-8,
         -0x1.4f67041c9c309p-10, -0x1.12d08e661503fp-12, -0x1.1f3de33928b78p-14, -0x1.75b1cedd55658p-16,
         -0x1.636480961baaap-18, -0x1.35d463626139p-20, -0x1.65ece699d859cp-22, -0x1.ef8b895629309p-24,
         -0x1.10706578b1bd5p-25, -0x1.1418d2e15feb3p-27, -0x1.61d29a78d8436p-29, -0x1.117d43224a1e5p-30},
        {0x1.5df430a4acd5bp-27, 0x1.cbb917b7251bbp-29, 0x1.2dc86ecf23a8p-5, 0x1.d31db44da0ddfp-7,
         0x1.0fd856657d19dp-8, 0x1.0ef496b550212p-10, 0x1.52f3e4cafa9efp-12, 0x1.0277a07a1eee6p-13,
         0x1.30171ee69f644p-15, 0x1.4f4031f8890fcp-17, 0x1.d75fa2e970594p-19, 0x1.82f2f61c20c45p-20,
         0x1.06669f1b3a33ep-21, 0x1.4d09ece6cd3fp-23, 0x1.01700cd5d8724p-24, 0x1.d1ba26eedd419p-26},
        {-0x1.699cea68ea591p-22, -0x1.28926cfe06e7p-23, -0x1.55f0573b334f7p-4, -0x1.2a9d7939bd96fp-5,
         -0x1.9cb4a16ba891cp-7, -0x1.fcc87b647411fp-9, -0x1.8193773f48996p-10, -0x1.5baab349c2157p-11,
         -0x1.fe7cab8010c23p-13, -0x1.6643a84eb4035p-14, -0x1.33bbe95f2d361p-15, -0x1.2c4937da30a55p-16,
         -0x1.f76374d950b0fp-18, -0x1.90a9a1cf9b77ep-19, -0x1.75ef37ead8ea4p-20, -0x1.8c03f022aa414p-21},
        {0x1.7551fd4583786p-17, 0x1.7e6b5aaa15d3ap-18, 0x1.597992948e2d1p-3, 0x1.5a250b6c72884p-4,
         0x1.22138749f2b25p-5, 0x1.c3e6224812f5ap-7, 0x1.a53d96b5b652p-8, 0x1.c5b9e06f6093fp-9,
         0x1.a3e324a3ccecdp-10, 0x1.79f197da0cfa1p-11, 0x1.8e47c81b4d8bep-12, 0x1.cf2299cb6634ap-13,
         0x1.e0d751a609d34p-14, 0x1.e0bbdc0597db1p-15, 0x1.0f137fd96f444p-15, 0x1.50495b9acde5dp-16},
        {-0x1.810e05255905ap-12, -0x1.ecd3e09014613p-13, -0x1.2c99102d2ddecp-2, -0x1.6277d472e87bfp-3,
         -0x1.73768f334f90ap-4, -0x1.7870d8f8d4c61p-5, -0x1.b7ec5d6225628p-6, -0x1.1e7fcf18fddbap-6,
         -0x1.5207e5d5ad5bfp-7, -0x1.8964c6da87f66p-8, -0x1.fed442568dab8p-9, -0x1.62dce0b5ea072p-9,
         -0x1.c95eb522de7cbp-10, -0x1.1fa119acfd1dfp-10, -0x1.884c1d9be0662p-11, -0x1.1d2e7fdcb82e7p-11},
        {0x1.8ccb66c5a72dp-7, 0x1.3d5e9b6617414p-7, 0x1.a64b4042d9e1fp-2, 0x1.32b79da2b0256p-2,
         0x1.a6892f32f023ep-3, 0x1.229a42d95302ap-3, 0x1.b49677fa3d60bp-4, 0x1.5d02214baa878p-4,
         0x1.09fd539a5b6b4p-4, 0x1.93ce46e05b787p-5, 0x1.449053ebaf858p-5, 0x1.0e20cd8ad5eep-5,
         0x1.b1309fdbca534p-6, 0x1.5740d9eb3bc9ep-6, 0x1.1b563c63f5303p-6, 0x1.e3082dec8296bp-7},
    },
    .root_half_bits = 0x3fe6a09e667f3bcd,
};

#endif
