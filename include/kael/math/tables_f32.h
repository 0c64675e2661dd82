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
    float erf_small;
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
    .erf_small = 0x1.cp-1f,
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
    .erf = { /* error 2.3e-11 */
        -0x1.767f18p-17f,
        0x1.e9ed9ap-14f,
        -0x1.bf2eeep-11f,
        0x1.56536ep-8f,
        -0x1.b82cap-6f,
        0x1.ce2f2p-4f,
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
    .gelu_center = {0x0p+0f, 0x1.9d971p-1f, 0x1.750fdp+0f, 0x1.f4054ep+0f,
         0x1.3028d6p+1f, 0x1.6169ecp+1f, 0x1.8f3adcp+1f, 0x1.b84464p+1f,
         0x1.e03e3p+1f, 0x1.024fb4p+2f, 0x1.13ce94p+2f, 0x1.24a6e8p+2f,
         0x1.34b8fcp+2f, 0x1.4468ccp+2f, 0x1.53b656p+2f, 0x1.61b648p+2f},
    .gelu = { /* error 6.73e-9 */
        {0x1.c9b7acp-10f, 0x1.48de2ap-9f, -0x1.346814p-10f, -0x1.603954p-10f,
         -0x1.6db3a2p-13f, 0x1.7db7ep-12f, 0x1.55e01ep-12f, 0x1.35119ap-13f,
         0x1.bb0f2ap-16f, -0x1.54e8aap-16f, -0x1.bd2c16p-16f, -0x1.4605p-16f,
         -0x1.7efe48p-17f, -0x1.8b7bfp-18f, -0x1.75acc6p-19f, -0x1.4a103ep-20f},
        {-0x1.6905ap-7f, 0x1.b70dcep-9f, 0x1.5a8166p-8f, -0x1.9169ep-15f,
         -0x1.01d11ep-9f, -0x1.7444f4p-10f, -0x1.03b6a8p-11f, 0x1.931aaap-21f,
         0x1.43d5b6p-13f, 0x1.2b989ep-13f, 0x1.879dd6p-14f, 0x1.acaf7p-15f,
         0x1.a582f4p-16f, 0x1.7a132ap-17f, 0x1.3ae29p-18f, 0x1.071c46p-19f},
        {0x1.493518p-12f, -0x1.653d36p-6f, 0x1.70f9e4p-10f, 0x1.297918p-7f,
         0x1.78692cp-8f, 0x1.9c0a94p-10f, -0x1.d8d046p-12f, -0x1.c24794p-11f,
         -0x1.5ff516p-11f, -0x1.a957d8p-12f, -0x1.b9ebbcp-13f, -0x1.9da962p-14f,
         -0x1.6977d4p-15f, -0x1.268166p-16f, -0x1.c4a162p-18f, -0x1.61245ap-19f},
        {0x1.10250ap-4f, -0x1.bbb0dap-10f, -0x1.2b4b8p-5f, -0x1.49893p-6f,
         -0x1.d77f7ep-9f, 0x1.a5a0b6p-9f, 0x1.00cf0cp-8f, 0x1.676ba4p-9f,
         0x1.8c3af4p-10f, 0x1.88cdc6p-11f, 0x1.61cf8p-12f, 0x1.2820a6p-13f,
         0x1.d8628cp-15f, 0x1.63cf9ep-16f, 0x1.fe74fap-18f, 0x1.77d40cp-19f},
        {0x1.e6cf22p-19f, 0x1.09b65ep-3f, 0x1.0188b8p-4f, 0x1.d36fdp-9f,
         -0x1.fa7562p-7f, -0x1.e1f30cp-7f, -0x1.2c7982p-7f, -0x1.3c9d82p-8f,
         -0x1.2124f4p-9f, -0x1.f5bc5ep-11f, -0x1.95fc48p-12f, -0x1.36a3cap-13f,
         -0x1.cb195p-15f, -0x1.432734p-16f, -0x1.b43f4ep-18f, -0x1.30f9ccp-19f},
        {-0x1.98845ap-2f, -0x1.8d3922p-3f, 0x1.177be6p-7f, 0x1.b84802p-5f,
         0x1.620376p-5f, 0x1.965a42p-6f, 0x1.85ec5cp-7f, 0x1.5aae62p-8f,
         0x1.151614p-9f, 0x1.b19f78p-11f, 0x1.4169bep-12f, 0x1.c7cff4p-14f,
         0x1.3b2826p-15f, 0x1.a1c7p-17f, 0x1.0af51ep-18f, 0x1.640914p-20f},
        {0x1p-1f, -0x1.77ec6ap-6f, -0x1.073b48p-3f, -0x1.71c66cp-4f,
         -0x1.85be1ep-5f, -0x1.5fd596p-6f, -0x1.1d01c4p-7f, -0x1.bf0188p-9f,
         -0x1.4153f2p-10f, -0x1.cd656ep-12f, -0x1.3d2d6ap-13f, -0x1.a4b3cp-15f,
         -0x1.12180cp-16f, -0x1.5814d8p-18f, -0x1.a236e2p-20f, -0x1.0afaacp-21f},
        {0x0p+0f, 0x1.5ac30ep-3f, 0x1.b0dfep-4f, 0x1.9660ep-5f,
         0x1.5475bap-6f, 0x1.04a4p-7f, 0x1.72f28p-9f, 0x1.06a81ap-10f,
         0x1.59394p-12f, 0x1.cbfbc8p-14f, 0x1.27c6f4p-15f, 0x1.71662p-17f,
         0x1.c7f9c2p-19f, 0x1.1038ep-20f, 0x1.3bd714p-22f, 0x1.832c58p-24f},
    },
    .gelu_slope = { /* error 3.16e-9 */
        {0x1.e51d8ep-8f, -0x1.483ebep-8f, -0x1.f2747cp-9f, 0x1.2bea04p-9f,
         0x1.34137ep-9f, 0x1.f4134cp-12f, -0x1.f32494p-12f, -0x1.0cdf4p-11f,
         -0x1.197614p-12f, -0x1.3acc48p-14f, 0x1.a5f182p-17f, 0x1.18963cp-15f,
         0x1.d70e8ep-16f, 0x1.29522cp-16f, 0x1.4291bep-17f, 0x1.3d77bap-18f},
        {0x1.06e8cap-9f, 0x1.1787d6p-6f, -0x1.3861fcp-7f, -0x1.1c4b2ep-7f,
         -0x1.51ae9cp-11f, 0x1.5ba8c4p-9f, 0x1.1c4d76p-9f, 0x1.edf48cp-11f,
         0x1.12fdaep-13f, -0x1.41cfe6p-13f, -0x1.8226ccp-13f, -0x1.14c378p-13f,
         -0x1.425c9ap-14f, -0x1.47e6ap-15f, -0x1.2deb24p-16f, -0x1.10f19p-17f},
        {-0x1.f11eep-5f, 0x1.56c04ap-6f, 0x1.05b21p-5f, -0x1.7fe84ep-12f,
         -0x1.8574f2p-7f, -0x1.17ada4p-7f, -0x1.846658p-9f, 0x1.1a5944p-16f,
         0x1.e8027ep-11f, 0x1.c22e7ep-11f, 0x1.259654p-11f, 0x1.40e2d8p-12f,
         0x1.3b1e02p-13f, 0x1.1a7c8p-14f, 0x1.d6d454p-16f, 0x1.8879e6p-17f},
        {0x1.832bd6p-13f, -0x1.be4ebp-4f, 0x1.d2a83p-8f, 0x1.7393d2p-5f,
         0x1.d62baep-6f, 0x1.016c1ep-7f, -0x1.2726c2p-9f, -0x1.194b3p-8f,
         -0x1.b7d05p-9f, -0x1.09d028p-9f, -0x1.14351p-10f, -0x1.0291fcp-11f,
         -0x1.c3ec68p-13f, -0x1.703f12p-14f, -0x1.1b085ep-15f, -0x1.b99ad8p-17f},
        {0x1.1052aep-2f, -0x1.be1564p-8f, -0x1.2b4d6cp-3f, -0x1.498884p-4f,
         -0x1.d77824p-7f, 0x1.a5a1d6p-7f, 0x1.00ceep-6f, 0x1.676ae4p-7f,
         0x1.8c3aa2p-8f, 0x1.88cd76p-9f, 0x1.61cf96p-10f, 0x1.282114p-11f,
         0x1.d863ep-13f, 0x1.63d0dp-14f, 0x1.fe75f8p-16f, 0x1.77d65cp-17f},
        {0x1.2f7196p-20f, 0x1.8e9126p-2f, 0x1.824c66p-3f, 0x1.5e96c6p-7f,
         -0x1.7bd7a8p-5f, -0x1.69763cp-5f, -0x1.c2b654p-6f, -0x1.daec58p-7f,
         -0x1.b1b784p-8f, -0x1.784d4ep-9f, -0x1.307d34p-10f, -0x1.d1f5a2p-12f,
         -0x1.5852eap-13f, -0x1.e4baa2p-15f, -0x1.472f48p-16f, -0x1.c97678p-18f},
        {-0x1.988454p-1f, -0x1.8d390ap-2f, 0x1.177bf8p-6f, 0x1.b84802p-4f,
         0x1.620374p-4f, 0x1.965a4p-5f, 0x1.85ec5cp-6f, 0x1.5aae62p-7f,
         0x1.151614p-8f, 0x1.b19f78p-10f, 0x1.4169bep-11f, 0x1.c7cff4p-13f,
         0x1.3b2824p-14f, 0x1.a1c6fep-16f, 0x1.0af51ep-17f, 0x1.640912p-19f},
        {0x1p-1f, -0x1.77ec66p-6f, -0x1.073b48p-3f, -0x1.71c66cp-4f,
         -0x1.85be1ep-5f, -0x1.5fd596p-6f, -0x1.1d01c2p-7f, -0x1.bf0188p-9f,
         -0x1.4153f2p-10f, -0x1.cd656ep-12f, -0x1.3d2d6ap-13f, -0x1.a4b3cp-15f,
         -0x1.12180ep-16f, -0x1.5814d8p-18f, -0x1.a236e2p-20f, -0x1.0afaacp-21f},
    },
    .root_half_bits = 0x3f3504f3,
};

#endif
