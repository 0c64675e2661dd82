/* Elementary functions in words of the vocabulary.
 *
 * Included by a body of foreach_isa.h for one type and instruction set; KL_FN(exp) maps a vector.
 * Every function is lane by lane: a lane's bits do not depend on its neighbours, though a branch
 * may skip work that no lane needs. The largest error found is beside each, in units in the last
 * place (ulp) of the exact result, f32 / f64; docs/accuracy.md has the table and
 * tests/test_math.py asserts it. K holds the constants of the type.
 */
#include "kael/math/angle.h"
#include "kael/math/tables.h"

#undef K
#define K KL_CAT2(kl_math_, KL_TYPE)
#define KL_HORNER(x, table) KL_FN(horner)(x, K.table, (int)(sizeof K.table / sizeof K.table[0]))

/* The format of T. */
#undef KL_FRACTION
#undef KL_BIAS
#undef KL_WORD
#define KL_FRACTION KL_CAT2(kl_fraction_, KL_TYPE)
#define KL_BIAS KL_CAT2(kl_bias_, KL_TYPE)
#define KL_WORD KL_CAT2(kl_word_, KL_TYPE)

/* 1.5 * 2^fraction: adding it rounds to an integer, which is then in the low bits. */
#define KL_ROUNDER ((T)1.5 * (T)((KL_WORD)1 << KL_FRACTION))

/* Many a function of floats is computed in double lanes, where no step needs a correction. KL_TYPE
 * is `wide` for these: the same bodies as for f64, with polynomials for the precision of float. */
#define KL_SINGLE_f32 1
#define KL_SINGLE_f64 0
#define KL_SINGLE_wide 0
#define KL_FOR_FLOATS_f32 0
#define KL_FOR_FLOATS_f64 0
#define KL_FOR_FLOATS_wide 1
#if KL_CAT2(KL_SINGLE_, KL_TYPE)
#undef KL_TYPE
#undef T
#undef V
#define KL_TYPE wide
#define T double
#define V(word) KL_CAT4(v, word, f64, KL_ISA)
#include "kael/math/lanes.inc.h"
#undef KL_TYPE
#undef T
#undef V
#define KL_TYPE f32
#define T float
#define V(word) KL_CAT4(v, word, KL_TYPE, KL_ISA)
#include "kael/math/wide.inc.h"
#endif

#include "kael/math/lanes.inc.h"
#include "kael/math/bases.inc.h"
#include "kael/math/pow.inc.h"
#include "kael/math/normal.inc.h"
#include "kael/math/pieces.inc.h"
#include "kael/math/gelu.inc.h"
