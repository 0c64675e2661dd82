/* Reduction of huge angles (Payne and Hanek): x modulo pi / 2, in integers.
 *
 * With x = m 2^e, the bits of 2 / pi above 2^(1 - e) contribute multiples of 4 quadrants. The next
 * 192 bits times m, modulo 2^192, are x * 2 / pi modulo 4 with 190 fraction bits; what is left out
 * weighs less than 2^-136, and no double lies closer than 2^-62 to a multiple of a quadrant.
 */
#ifndef KAEL_MATH_ANGLE_H
#define KAEL_MATH_ANGLE_H

#include <math.h>

#include "kael/config.h"
#include "kael/math/tables.h"

__extension__ typedef unsigned __int128 kl_u128;

/* 64 bits of 2 / pi from fraction bit `bit` (>= -64) on. */
static inline KL_UNUSED uint64_t kl_two_over_pi_bits(int bit) {
    const int word = (bit + 64) >> 6, shift = bit & 63;
    const uint64_t high = kl_two_over_pi[word] << shift;
    return shift == 0 ? high : high | kl_two_over_pi[word + 1] >> (64 - shift);
}

/* For finite |x| >= 1: the number, modulo 4, of the multiple of pi / 2 nearest to |x|, and
 * |x| minus it, as *high + *low. */
static inline KL_UNUSED int kl_reduce_angle(double x, double *high, double *low) {
    int exponent;
    const uint64_t m = (uint64_t)ldexp(frexp(fabs(x), &exponent), 53);
    const int bit = exponent - 53 - 2;
    uint64_t product[3];
    kl_u128 carry = 0;
    for (int i = 0; i < 3; ++i) {
        carry += (kl_u128)kl_two_over_pi_bits(bit + 128 - 64 * i) * m;
        product[i] = (uint64_t)carry;
        carry >>= 64;
    }
    /* The two bits in front count quadrants; the rest, rounded to the nearest one, is signed. */
    const int quadrant = (int)((product[2] >> 61) + 1) >> 1;
    kl_u128 rest = ((kl_u128)product[2] << 64 | product[1]) << 2 | product[0] >> 62;
    const bool negative = rest >> 127;
    if (negative) rest = -rest;
    uint64_t below = product[0] << 2;
    if (negative) below = -below;
    int zeros = 0;
    while (rest >> 127 == 0 && zeros < 128) {
        rest = rest << 1 | below >> 63;
        below <<= 1;
        ++zeros;
    }
    const double sign = negative ? -1 : 1;
    const double first = sign * ldexp((double)(uint64_t)(rest >> 75), -53 - zeros);
    const double second =
        sign * ldexp((double)((uint64_t)(rest >> 22) & (((uint64_t)1 << 53) - 1)), -106 - zeros);
    *high = first * kl_math_f64.half_pi;
    *low = fma(first, kl_math_f64.half_pi, -*high) + first * kl_math_f64.half_pi_low +
           second * kl_math_f64.half_pi;
    return quadrant & 3;
}

#endif
