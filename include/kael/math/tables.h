/* Tables of math.inc.h, written by tools/fit_math.py: the bits of 2 / pi, and for each type its
 * constants and coefficients.
 *
 * A constant c is held as two floats, c and c_low, whose sum has twice the precision. Coefficients
 * are listed from the highest on; the error beside a polynomial is the largest before rounding to
 * the element type, in the weight that suits its use.
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

/* IEEE 754 formats: fraction bits, exponent bias, and the unsigned type of the same width. `wide`
 * is a double that serves the precision of float. */
enum { kl_fraction_f32 = 23, kl_fraction_f64 = 52, kl_fraction_wide = 52 };
enum { kl_bias_f32 = 127, kl_bias_f64 = 1023, kl_bias_wide = 1023 };
typedef uint32_t kl_word_f32;
typedef uint64_t kl_word_f64;
typedef uint64_t kl_word_wide;

#include "kael/math/tables_f32.h"
#include "kael/math/tables_f64.h"
#include "kael/math/tables_wide.h"

#endif
