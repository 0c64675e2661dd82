/* Constants of math.inc.h, highest coefficient first; written by tools/fit_math.py.
 *
 * A constant c is held as two floats, c and c_low, whose sum has twice the precision. The error
 * beside a polynomial is the largest absolute one before rounding to the element type.
 */
#ifndef KAEL_MATH_TABLES_H
#define KAEL_MATH_TABLES_H

#include <stdint.h>

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
    float exp[6];
    float log[3];
    kl_word_f32 root_half_bits; /* of the square root of 1/2 */
} kl_math_f32 = {
    .log2e = 0x1.715476p+0f,
    .log2e_low = 0x1.4ae0cp-26f,
    .ln2 = 0x1.62e43p-1f,
    .ln2_low = -0x1.05c61p-29f,
    .exp_largest = 0x1.64p+6f,
    .exp_smallest = -0x1.ap+6f,
    .smallest_normal = 0x1p-126f,
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
    .root_half_bits = 0x3f3504f3,
};

static const struct kl_math_f64 {
    double log2e, log2e_low;
    double ln2, ln2_low;
    double exp_largest;
    double exp_smallest;
    double smallest_normal;
    double exp[11];
    double log[7];
    kl_word_f64 root_half_bits; /* of the square root of 1/2 */
} kl_math_f64 = {
    .log2e = 0x1.71547652b82fep+0,
    .log2e_low = 0x1.777d0ffda0d24p-56,
    .ln2 = 0x1.62e42fefa39efp-1,
    .ln2_low = 0x1.abc9e3b39803fp-56,
    .exp_largest = 0x1.63p+9,
    .exp_smallest = -0x1.75p+9,
    .smallest_normal = 0x1p-1022,
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
    .root_half_bits = 0x3fe6a09e667f3bcd,
};

#endif
