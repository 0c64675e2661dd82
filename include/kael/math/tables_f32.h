/* Constants for f32; written by tools/fit_math.py. */
#ifndef KAEL_MATH_TABLES_F32_H
#define KAEL_MATH_TABLES_F32_H

static const struct kl_math_f32 {
    float log10e, log10e_low;
    float log10_2, log10_2_low;
    float tan_eighth, tan_eighth_low;
    float atan_huge;
    float root_of_half, root_of_half_low;
    float root_of_quarter, root_of_quarter_low;
    float sinh_largest;
    float log2e, log2e_low;
    float ln2, ln2_low;
    float exp_largest;
    float exp_smallest;
    float sigmoid_smallest;
    float sigmoid_largest;
    float sigmoid_scale;
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
    .log10e = 0x1.bcb7b2p-2f,
    .log10e_low = -0x1.5b235ep-27f,
    .log10_2 = 0x1.344136p-2f,
    .log10_2_low = -0x1.ec10cp-27f,
    .tan_eighth = 0x1.a8279ap-2f,
    .tan_eighth_low = -0x1.80c434p-28f,
    .atan_huge = 0x1p+120f,
    .root_of_half = 0x1.965feap-1f,
    .root_of_half_low = 0x1.4f5b9p-27f,
    .root_of_quarter = 0x1.428a3p-1f,
    .root_of_quarter_low = -0x1.9ca35ep-27f,
    .sinh_largest = 0x1.68p+6f,
    .log2e = 0x1.715476p+0f,
    .log2e_low = 0x1.4ae0cp-26f,
    .ln2 = 0x1.62e43p-1f,
    .ln2_low = -0x1.05c61p-29f,
    .exp_largest = 0x1.64p+6f,
    .exp_smallest = -0x1.ap+6f,
    .sigmoid_smallest = -0x1.4p+4f,
    .sigmoid_largest = 0x1.b8p+6f,
    .sigmoid_scale = 0x1p-32f,
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

#endif
