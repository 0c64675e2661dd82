/* Constants for f32; written by tools/fit_math.py. */
#ifndef KAEL_MATH_TABLES_F32_H
#define KAEL_MATH_TABLES_F32_H

static const struct kl_math_f32 {
    float log10e, log10e_low;
    float log10_2, log10_2_low;
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
    float tanh_largest;
    float erf_largest;
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
    float mills_center[16];
    float mills[7][16];
    float gelu_center[16];
    float gelu[8][16];
    float gelu_slope_center[16];
    float gelu_slope[8][16];
    float tanh_center[16];
    float tanh[8][16];
    float erf_center[16];
    float erf[8][16];
    kl_word_f32 root_half_bits; /* of the square root of 1/2 */
} kl_math_f32 = {
    .log10e = 0x1.bcb7b2p-2f,
    .log10e_low = -0x1.5b235ep-27f,
    .log10_2 = 0x1.344136p-2f,
    .log10_2_low = -0x1.ec10cp-27f,
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
    .tanh_largest = 0x1.22p+3f,
    .erf_largest = 0x1.f8p+1f,
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
    .mills_center = {0x1.4282p+0f, 0x1.c016p+0f, 0x1.20edp+1f, 0x1.5f93p+1f,
         0x1.be28p+1f, 0x1.1e9ap+2f, 0x1.5f94p+2f, 0x1.9f0bp+2f,
         0x1.00a8p+3f, 0x1.3fcbp+3f, 0x1.7fddp+3f, 0x1.c0bcp+3f,
         0x1.06cp-3f, 0x1.7ecp-2f, 0x1.3d2ep-1f, 0x1.c034p-1f},
    .mills = { /* error 4.9e-9 */
        {0x1.3ee03p-11f, 0x1.e43fp-13f, 0x1.8e4256p-14f, 0x1.609c84p-15f,
         0x1.d8671cp-17f, 0x1.034002p-18f, 0x1.50f7fp-20f, 0x1.f6082p-22f,
         0x1.1a5bf4p-23f, 0x1.0c7154p-25f, 0x1.41bcaep-27f, 0x1.c8f3bap-29f,
         0x1.f2dfb2p-8f, 0x1.0f7176p-8f, 0x1.2fabfp-9f, 0x1.5c78fep-10f},
        {-0x1.015a2ep-9f, -0x1.b4b652p-11f, -0x1.85a412p-12f, -0x1.7e45fep-13f,
         -0x1.262e0ap-14f, -0x1.79e80ep-16f, -0x1.159e9ep-17f, -0x1.d7ae76p-19f,
         -0x1.325ecp-20f, -0x1.66d496p-22f, -0x1.f9ff98p-24f, -0x1.99ec22p-25f,
         -0x1.44c77p-6f, -0x1.7745b4p-7f, -0x1.bcfdbap-8f, -0x1.093284p-8f},
        {0x1.8996ap-8f, 0x1.71eedep-9f, 0x1.6d3a3p-10f, 0x1.894c36p-11f,
         0x1.54ed2ep-12f, 0x1.02342ep-13f, 0x1.b8886ap-15f, 0x1.aad388p-16f,
         0x1.45ce2cp-17f, 0x1.d2581ap-19f, 0x1.862738p-20f, 0x1.6ed28ep-21f,
         0x1.872f3p-5f, 0x1.dd578p-6f, 0x1.2ac3ccp-6f, 0x1.7864a8p-7f},
        {-0x1.1b4e92p-6f, -0x1.29416cp-7f, -0x1.471212p-8f, -0x1.84d982p-9f,
         -0x1.8357c4p-10f, -0x1.5b4d6ap-11f, -0x1.596f9p-12f, -0x1.7e8abep-13f,
         -0x1.5e1f22p-14f, -0x1.3110dep-15f, -0x1.2e4778p-16f, -0x1.4974b4p-17f,
         -0x1.ad9426p-4f, -0x1.165dd2p-4f, -0x1.71d804p-5f, -0x1.ef52a6p-6f},
        {0x1.7748ccp-5f, 0x1.bd1fa2p-6f, 0x1.13e262p-6f, 0x1.6d562ap-7f,
         0x1.a6c788p-8f, 0x1.c5603cp-9f, 0x1.08be0cp-9f, 0x1.50c7e8p-10f,
         0x1.73713cp-11f, 0x1.8baf7ep-12f, 0x1.d1774ap-13f, 0x1.267bfp-13f,
         0x1.a2c00cp-3f, 0x1.22b17cp-3f, 0x1.9d5088p-4f, 0x1.28993p-4f},
        {-0x1.c0e0cp-4f, -0x1.324096p-4f, -0x1.b20556p-5f, -0x1.43c672p-5f,
         -0x1.b90b38p-6f, -0x1.1e58d6p-6f, -0x1.8bf85ap-7f, -0x1.22efdcp-7f,
         -0x1.84cfp-8f, -0x1.fc9682p-9f, -0x1.640f64p-9f, -0x1.05f4f6p-9f,
         -0x1.5d0c36p-2f, -0x1.071a74p-2f, -0x1.9567fep-3f, -0x1.3b9136p-3f},
        {0x1.d663b4p-3f, 0x1.7b4d94p-3f, 0x1.39e48p-3f, 0x1.0bfe46p-3f,
         0x1.b52c2ap-4f, 0x1.5ce984p-4f, 0x1.207318p-4f, 0x1.ecbbd4p-5f,
         0x1.9169aap-5f, 0x1.43d828p-5f, 0x1.0e9622p-5f, 0x1.cfc6fep-6f,
         0x1.cf8814p-2f, 0x1.85093p-2f, 0x1.4c3aecp-2f, 0x1.1e6c26p-2f},
    },
    .gelu_center = {0x0p+0f, 0x1.eafddp-2f, 0x1.0d1d94p+0f, 0x1.a8abb6p+0f,
         0x1.0c353p+1f, 0x1.40c3e6p+1f, 0x1.6f9744p+1f, 0x1.9b9b8cp+1f,
         0x1.c6404p+1f, 0x1.efcedcp+1f, 0x1.0b0e66p+2f, 0x1.1da296p+2f,
         0x1.2fcfc4p+2f, 0x1.408424p+2f, 0x1.518a54p+2f, 0x1.61294ap+2f},
    .gelu = { /* error 2.65e-9 */
        {0x1.06db8ep-10f, 0x1.a25f0cp-9f, 0x1.063f4ep-11f, -0x1.aad982p-10f,
         -0x1.053f64p-10f, 0x1.8290ep-15f, 0x1.986732p-12f, 0x1.23eff6p-12f,
         0x1.a92c16p-14f, 0x1.663c9ep-19f, -0x1.b30586p-16f, -0x1.8b54b2p-16f,
         -0x1.e587c2p-17f, -0x1.ecb3cp-18f, -0x1.b79b2ep-19f, -0x1.668968p-20f},
        {-0x1.51c96p-7f, -0x1.c8f8d4p-9f, 0x1.a2abbcp-8f, 0x1.94d444p-9f,
         -0x1.20a33ep-10f, -0x1.ff771ep-10f, -0x1.25662ep-10f, -0x1.3d74b6p-12f,
         0x1.657572p-14f, 0x1.4fec3cp-13f, 0x1.f3b88ap-14f, 0x1.188682p-14f,
         0x1.080a18p-15f, 0x1.d06dd2p-17f, 0x1.64e352p-18f, 0x1.0ff69ep-19f},
        {0x1.cfc778p-15f, -0x1.696da8p-6f, -0x1.d0a45ep-7f, 0x1.acbd36p-8f,
         0x1.183d92p-7f, 0x1.135422p-8f, 0x1.7d0b66p-11f, -0x1.64859cp-11f,
         -0x1.b2040ep-11f, -0x1.230d1cp-11f, -0x1.384f66p-12f, -0x1.1fcd4ep-13f,
         -0x1.d63a26p-15f, -0x1.72e00cp-16f, -0x1.045fc8p-17f, -0x1.6ebb36p-19f},
        {0x1.10535ep-4f, 0x1.2899a4p-5f, -0x1.8a14acp-6f, -0x1.088816p-5f,
         -0x1.c428e8p-7f, -0x1.8987d8p-12f, 0x1.f7cf0cp-9f, 0x1.dd3b2ap-9f,
         0x1.2abe6ep-9f, 0x1.2a787ap-10f, 0x1.0b6956p-11f, 0x1.aeb9fp-13f,
         0x1.3b98dp-14f, 0x1.c8a624p-16f, 0x1.287daap-17f, 0x1.8754fcp-19f},
        {0x1.7eb248p-23f, 0x1.b6db24p-4f, 0x1.dcf604p-4f, 0x1.1ce2eap-5f,
         -0x1.8d075cp-8f, -0x1.0d6834p-6f, -0x1.ae221cp-7f, -0x1.f8e66ep-8f,
         -0x1.e98186p-9f, -0x1.9a15ecp-10f, -0x1.4312a4p-11f, -0x1.d466cp-13f,
         -0x1.39b2cp-14f, -0x1.a5873ap-16f, -0x1.ff0244p-18f, -0x1.3e2dc6p-19f},
        {-0x1.988454p-2f, -0x1.424b8p-2f, -0x1.a4c6f4p-4f, 0x1.36584cp-5f,
         0x1.b2e196p-5f, 0x1.2eb7acp-5f, 0x1.4a7608p-6f, 0x1.35ce68p-7f,
         0x1.fe19dcp-9f, 0x1.7755b6p-10f, 0x1.0ae8fap-11f, 0x1.6268fep-13f,
         0x1.b747b8p-15f, 0x1.14772p-16f, 0x1.3b14dcp-18f, 0x1.741ee6p-20f},
        {0x1p-1f, 0x1.298a16p-3f, -0x1.842e8ep-4f, -0x1.e5cb18p-4f,
         -0x1.332acap-4f, -0x1.3079ep-5f, -0x1.0e629p-6f, -0x1.b3226ap-8f,
         -0x1.3c6308p-9f, -0x1.a31478p-11f, -0x1.1148fp-12f, -0x1.5025bap-14f,
         -0x1.84e312p-16f, -0x1.cd73d6p-18f, -0x1.f10cf4p-20f, -0x1.17826ep-21f},
        {0x0p+0f, 0x1.361b84p-3f, 0x1.3b911ap-3f, 0x1.4a06dep-4f,
         0x1.362888p-5f, 0x1.f55f1p-7f, 0x1.8011d2p-8f, 0x1.123f84p-9f,
         0x1.67f898p-11f, 0x1.b3bf8p-13f, 0x1.07598p-14f, 0x1.2e8308p-16f,
         0x1.48c30ap-18f, 0x1.718f1ep-20f, 0x1.79d036p-22f, 0x1.95fb32p-24f},
    },
    .gelu_slope_center = {0x1.099dcep-3f, 0x1.1acabap-1f, 0x1.1c22b2p+0f, 0x1.99cc86p+0f,
         0x1.044e26p+1f, 0x1.37a962p+1f, 0x1.67c888p+1f, 0x1.96042cp+1f,
         0x1.c15b6cp+1f, 0x1.e8a178p+1f, 0x1.083808p+2f, 0x1.1a8e34p+2f,
         0x1.2cbd1ep+2f, 0x1.3e53a8p+2f, 0x1.4e86c4p+2f, 0x1.5f448ep+2f},
    .gelu_slope = { /* error 1.8e-9 */
        {0x1.21363p-7f, 0x1.aebc12p-15f, -0x1.c2ccd6p-8f, -0x1.044128p-10f,
         0x1.724c1p-9f, 0x1.e8f052p-10f, 0x1.f57172p-14f, -0x1.1ebc88p-11f,
         -0x1.d313b6p-12f, -0x1.891daap-13f, -0x1.c57176p-16f, 0x1.da65dp-16f,
         0x1.09f0f6p-15f, 0x1.5f61f4p-16f, 0x1.73aa2cp-17f, 0x1.56983ap-18f},
        {0x1.12797p-7f, 0x1.6d91dep-6f, 0x1.b5bb12p-9f, -0x1.75e268p-7f,
         -0x1.d21206p-8f, 0x1.645b34p-13f, 0x1.63f652p-9f, 0x1.01b9f4p-9f,
         0x1.75072cp-11f, 0x1.26cb5cp-15f, -0x1.7a90c4p-13f, -0x1.5e2d7p-13f,
         -0x1.af362ap-14f, -0x1.b189c2p-15f, -0x1.8ecb8cp-16f, -0x1.3c76aap-17f},
        {-0x1.cf1322p-5f, -0x1.6d9806p-7f, 0x1.49b0aep-5f, 0x1.71ffa4p-6f,
         -0x1.13948ep-8f, -0x1.875a0ap-7f, -0x1.f9da2ep-8f, -0x1.2de9cep-9f,
         0x1.80047cp-12f, 0x1.f7c58p-11f, 0x1.908fd8p-11f, 0x1.d5e4ccp-12f,
         0x1.c776aap-13f, 0x1.864252p-14f, 0x1.3ff688p-15f, 0x1.cbabe8p-17f},
        {-0x1.37ff0ap-5f, -0x1.dbb20ap-4f, -0x1.e71da4p-5f, 0x1.b64878p-6f,
         0x1.6bcd22p-5f, 0x1.9ce0e8p-6f, 0x1.7e5f76p-8f, -0x1.826d4ap-9f,
         -0x1.14a7e8p-8f, -0x1.8f133ap-9f, -0x1.b1567p-10f, -0x1.9d59cap-11f,
         -0x1.59113ap-12f, -0x1.07762p-13f, -0x1.8ac20ap-15f, -0x1.0568a2p-16f},
        {0x1.06220cp-2f, 0x1.c9b8bcp-4f, -0x1.c8d93ep-4f, -0x1.16babep-3f,
         -0x1.0e37aap-4f, -0x1.08714ep-7f, 0x1.d22a5cp-7f, 0x1.ef724ep-7f,
         0x1.3fb2e4p-7f, 0x1.553e46p-8f, 0x1.2fe88cp-9f, 0x1.f9099ep-11f,
         0x1.78d8b2p-12f, 0x1.062cfap-13f, 0x1.6c2624p-15f, 0x1.c15738p-17f},
        {0x1.a28b88p-4f, 0x1.65e19ap-2f, 0x1.52f5bap-2f, 0x1.050b94p-3f,
         -0x1.c81c42p-8f, -0x1.8beb2ap-5f, -0x1.58da96p-5f, -0x1.9a8e5p-6f,
         -0x1.9297eep-7f, -0x1.69509p-8f, -0x1.184178p-9f, -0x1.a2b80ap-11f,
         -0x1.1d0668p-12f, -0x1.6e690ap-14f, -0x1.dc4818p-16f, -0x1.13e288p-17f},
        {-0x1.91b03ep-1f, -0x1.293a28p-1f, -0x1.52f8ccp-3f, 0x1.fe79eep-5f,
         0x1.b9523cp-4f, 0x1.4b3c36p-4f, 0x1.7330ep-5f, 0x1.5845dap-6f,
         0x1.1c76d8p-7f, 0x1.c2364ap-9f, 0x1.392c34p-10f, 0x1.ac57e8p-12f,
         0x1.0d761ap-13f, 0x1.4315e8p-15f, 0x1.8bbca8p-17f, 0x1.b0e8bp-19f},
        {0x1.96a054p-2f, 0x1.9e7688p-4f, -0x1.b0b6f4p-4f, -0x1.f6465ep-4f,
         -0x1.4e3e72p-4f, -0x1.5d921cp-5f, -0x1.3927dep-6f, -0x1.ec3caap-8f,
         -0x1.659b6cp-9f, -0x1.ff6f9cp-11f, -0x1.449ec4p-12f, -0x1.9b4522p-14f,
         -0x1.e283bep-16f, -0x1.0fab1p-17f, -0x1.3b32e2p-19f, -0x1.470ebap-21f},
    },
    .tanh_center = {0x1.85bc2p-1f, 0x1.0eda2ep+0f, 0x1.5b3c2p+0f, 0x1.ab72aap+0f,
         0x1.1001fp+1f, 0x1.5b4708p+1f, 0x1.ab3p+1f, 0x1.f8c22ep+1f,
         0x1.3541b2p+2f, 0x1.8457c2p+2f, 0x1.d1cba2p+2f, 0x1.10764ep+3f,
         0x0p+0f, 0x1.af6e8cp-3f, 0x1.857364p-2f, 0x1.113974p-1f},
    .tanh = { /* error 1.56e-9 */
        {-0x1.2cf356p-11f, 0x1.387fe6p-6f, 0x1.74fd08p-7f, 0x1.b5c46ap-9f,
         -0x1.081cf6p-11f, -0x1.2706f2p-11f, -0x1.b8e9f6p-13f, -0x1.172486p-14f,
         -0x1.83288p-17f, -0x1.12b8e4p-20f, -0x1.856e26p-24f, -0x1.133acap-27f,
         -0x1.7fb23ap-6f, -0x1.0ddeaep-4f, -0x1.1b114ep-4f, -0x1.69faf8p-5f},
        {-0x1.030cp-4f, -0x1.44a38p-5f, -0x1.62d384p-7f, 0x1.347adep-9f,
         0x1.22e43p-8f, 0x1.0bcfa4p-9f, 0x1.575b44p-11f, 0x1.a534a8p-13f,
         0x1.2d086ep-15f, 0x1.97b3b6p-19f, 0x1.21fef6p-22f, 0x1.8685bcp-26f,
         0x1.18e74ep-3f, 0x1.6864ep-4f, 0x1.0f8ef8p-6f, -0x1.2a48d6p-5f},
        {0x1.8a01dep-4f, 0x1.f3b1b4p-7f, -0x1.4e7bcap-6f, -0x1.95ef6cp-6f,
         -0x1.eae87p-7f, -0x1.660e26p-8f, -0x1.b0476p-10f, -0x1.04f74ep-11f,
         -0x1.62cbb2p-14f, -0x1.de9a2ap-18f, -0x1.546eccp-21f, -0x1.ca212cp-25f,
         -0x1.2ac462p-12f, 0x1.fb6dc8p-4f, 0x1.59417ep-3f, 0x1.463776p-3f},
        {0x1.7a6216p-5f, 0x1.bca08cp-4f, 0x1.9e388ap-4f, 0x1.218bfap-4f,
         0x1.15b186p-5f, 0x1.73193cp-7f, 0x1.b4b99ap-9f, 0x1.05c6b2p-10f,
         0x1.62361ep-13f, 0x1.dee936p-17f, 0x1.548f46p-20f, 0x1.cbb2dcp-24f,
         -0x1.5552e8p-2f, -0x1.1c64aap-2f, -0x1.666dd2p-3f, -0x1.28800cp-4f},
        {-0x1.828022p-2f, -0x1.3493d6p-2f, -0x1.a2881cp-3f, -0x1.f8b71cp-4f,
         -0x1.b986bp-5f, -0x1.1b50eep-6f, -0x1.493e62p-8f, -0x1.894ea2p-10f,
         -0x1.0a5254p-12f, -0x1.68060ap-16f, -0x1.00035ep-19f, -0x1.598c4ep-23f,
         -0x1.a1e8a8p-24f, -0x1.96d686p-3f, -0x1.42b974p-2f, -0x1.7cc158p-2f},
        {0x1.1d67c8p-28f, -0x1.c7dac8p-30f, 0x1.36f0aep-29f, -0x1.59b1dap-32f,
         0x1.891974p-30f, 0x1.2698ecp-32f, 0x1.c65e3cp-34f, 0x1.e552d2p-38f,
         0x1.d326dcp-37f, 0x1.743ebp-41f, -0x1.73914ap-44f, 0x1.b3d92p-49f,
         0x0p+0f, 0x1.5bd768p-29f, -0x1.af258ep-30f, -0x1.e72954p-30f},
        {0x1.2d1d3ap-1f, 0x1.8923fep-2f, 0x1.de0528p-3f, 0x1.0ee942p-3f,
         0x1.c64dbp-5f, 0x1.1dd21ap-6f, 0x1.4a1368p-8f, 0x1.899a4p-10f,
         0x1.0a6046p-12f, 0x1.6805e6p-16f, 0x1.00032p-19f, 0x1.598366p-23f,
         0x1p+0f, 0x1.e9ef3p-1f, 0x1.bc89ecp-1f, 0x1.85fd8ep-1f},
        {0x1.4897e2p-1f, 0x1.91dee2p-1f, 0x1.c04862p-1f, 0x1.dcef76p-1f,
         0x1.f199bcp-1f, 0x1.fb83bp-1f, 0x1.feb582p-1f, 0x1.ff9d9p-1f,
         0x1.ffef5ap-1f, 0x1.fffe98p-1f, 0x1.ffffep-1f, 0x1.fffffep-1f,
         0x0p+0f, 0x1.a9294p-3f, 0x1.73b31cp-2f, 0x1.f3e024p-2f},
    },
    .erf_center = {0x1.42be5p-2f, 0x1.d774a2p-2f, 0x1.2dd25p-1f, 0x1.728d0ep-1f,
         0x1.d9a4a2p-1f, 0x1.2f786cp+0f, 0x1.73a50ep+0f, 0x1.b65af2p+0f,
         0x1.0e78p+1f, 0x1.51ab28p+1f, 0x1.940794p+1f, 0x1.d878a2p+1f,
         0x0p+0f, 0x1.78de5p-4f, 0x1.4184a2p-3f, 0x1.cb80d8p-3f},
    .erf = { /* error 3.2e-9 */
        {-0x1.850a3cp-5f, -0x1.a1bd34p-5f, -0x1.6aef76p-5f, -0x1.ef21bap-6f,
         -0x1.3336c2p-8f, 0x1.3212bcp-6f, 0x1.53ee66p-6f, 0x1.5de1cap-7f,
         -0x1.5ec61cp-10f, -0x1.21892cp-9f, -0x1.adfdcp-12f, -0x1.0087bep-15f,
         -0x1.53f3a2p-8f, -0x1.2622bp-6f, -0x1.d9907ep-6f, -0x1.3831acp-5f},
        {0x1.018472p-4f, 0x1.3d597ep-6f, -0x1.29a86cp-6f, -0x1.8e336ep-5f,
         -0x1.1a05ecp-4f, -0x1.c12892p-5f, -0x1.549146p-6f, 0x1.152f9p-8f,
         0x1.95bb54p-7f, 0x1.0e4d56p-8f, 0x1.13c456p-11f, 0x1.ea16d4p-16f,
         0x1.cfb5fap-4f, 0x1.bab196p-4f, 0x1.96c3b6p-4f, 0x1.60642cp-4f},
        {0x1.33e8cp-3f, 0x1.718c1p-3f, 0x1.71b5c8p-3f, 0x1.4255c6p-3f,
         0x1.8637dep-4f, 0x1.53bba8p-7f, -0x1.4a4baep-5f, -0x1.92a222p-5f,
         -0x1.bc834ep-6f, -0x1.510c18p-8f, -0x1.ef9916p-12f, -0x1.5260fep-16f,
         -0x1.979efcp-17f, 0x1.a34b68p-5f, 0x1.5c268ap-4f, 0x1.dc7ec8p-4f},
        {-0x1.177288p-2f, -0x1.66fa4p-3f, -0x1.4bf128p-4f, 0x1.5b4a42p-7f,
         0x1.d1d4eap-4f, 0x1.561c1ap-3f, 0x1.2cffbep-3f, 0x1.8f539ap-4f,
         0x1.19301ep-5f, 0x1.2e48c4p-8f, 0x1.5e7d22p-12f, 0x1.8dd0b2p-17f,
         -0x1.81273cp-2f, -0x1.7770cp-2f, -0x1.6540fep-2f, -0x1.495ee6p-2f},
        {-0x1.49bd3ap-2f, -0x1.ae5d6ep-2f, -0x1.e13076p-2f, -0x1.ef48c6p-2f,
         -0x1.c63acap-2f, -0x1.500034p-2f, -0x1.97bc88p-3f, -0x1.a5b876p-4f,
         -0x1.c17418p-6f, -0x1.72975ep-9f, -0x1.5fc72cp-13f, -0x1.527236p-18f,
         -0x1.b2795cp-31f, -0x1.a5aa68p-4f, -0x1.61f64cp-3f, -0x1.ed09eep-3f},
        {0x1.58f358p-28f, 0x1.5fb4p-28f, 0x1.18d2a6p-28f, 0x1.10395cp-28f,
         -0x1.daa1f6p-29f, 0x1.5b1d1ap-30f, -0x1.502becp-30f, -0x1.83ada4p-31f,
         -0x1.47142ap-32f, 0x1.1c98p-35f, -0x1.d58c46p-40f, 0x1.39ae7ap-45f,
         -0x1.f7ac92p-25f, 0x1.03115p-31f, 0x1.fb233ap-30f, 0x1.42b51ep-30f},
        {0x1.058c8ep+0f, 0x1.d3602ap-1f, 0x1.982302p-1f, 0x1.562c72p-1f,
         0x1.eb03acp-2f, 0x1.1b711ap-2f, 0x1.18dc6ep-3f, 0x1.ec9216p-5f,
         0x1.a9699ap-7f, 0x1.18f644p-10f, 0x1.bdd62ap-15f, 0x1.6eba34p-20f,
         0x1.20dd76p+0f, 0x1.1e6e12p+0f, 0x1.19d528p+0f, 0x1.12aef4p+0f},
        {0x1.607818p-2f, 0x1.f0aaa4p-2f, 0x1.30e9dcp-1f, 0x1.634b5ap-1f,
         0x1.9e51b4p-1f, 0x1.d00d2cp-1f, 0x1.eb7c74p-1f, 0x1.f81698p-1f,
         0x1.fe9048p-1f, 0x1.ffe6fap-1f, 0x1.fffef2p-1f, 0x1.fffffap-1f,
         0x0p+0f, 0x1.a80db2p-4f, 0x1.67d5f2p-3f, 0x1.fdec62p-3f},
    },
    .root_half_bits = 0x3f3504f3,
};

#endif
