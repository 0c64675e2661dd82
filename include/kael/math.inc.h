/* Elementary functions in words of the vocabulary.
 *
 * Included by a body of foreach_isa.h for one type and instruction set; KL_FN(exp) maps a vector.
 * Every function is branch-free, lane by lane, so a lane's bits do not depend on its neighbours.
 * The largest error found is beside each, in units in the last place (ulp) of the exact result,
 * f32 / f64; tests/test_math.py asserts it. K holds the constants of the type.
 */
#include "kael/math/angle.h"
#include "kael/math/tables.h"

#undef K
#define K KL_CAT2(kl_math_, KL_TYPE)
#define KL_HORNER(x, table) KL_FN(horner)(x, K.table, (int)(sizeof K.table / sizeof K.table[0]))

/* Whether T is float. */
#define KL_SINGLE_f32 1
#define KL_SINGLE_f64 0

/* The format of T. */
#undef KL_FRACTION
#undef KL_BIAS
#undef KL_WORD
#define KL_FRACTION KL_CAT2(kl_fraction_, KL_TYPE)
#define KL_BIAS KL_CAT2(kl_bias_, KL_TYPE)
#define KL_WORD KL_CAT2(kl_word_, KL_TYPE)

/* 1.5 * 2^fraction: adding it rounds to an integer, which is then in the low bits. */
#define KL_ROUNDER ((T)1.5 * (T)((KL_WORD)1 << KL_FRACTION))

#define KL_SIGMOID_SHIFT ((int)sizeof(T) * 8)
#define KL_SIGMOID_SCALE (1 / (T)((uint64_t)1 << KL_SIGMOID_SHIFT / 2) / (T)((uint64_t)1 << KL_SIGMOID_SHIFT / 2))
#include "kael/math/words.inc.h"
#include "kael/math/exp.inc.h"
#include "kael/math/log.inc.h"
#include "kael/math/pow.inc.h"
#include "kael/math/circular.inc.h"
#include "kael/math/normal.inc.h"
#include "kael/math/gelu.inc.h"
