/* Elementary functions in words of the vocabulary: exp, log.
 *
 * Included by a body of foreach_isa.h for one type and instruction set; KL_FN(exp) maps a vector.
 * Every function is branch-free, lane by lane, so a lane's bits do not depend on its neighbours.
 * The largest error found is beside each, in units in the last place (ulp) of the exact result,
 * f32 / f64; tests/test_math.py asserts it. K holds the constants of the type.
 */
#include "kael/math_tables.h"

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

KL_INLINE V(vec) KL_FN(horner)(V(vec) x, const T *table, int terms) {
    V(vec) sum = V(splat)(table[0]);
    KL_UNROLL
    for (int i = 1; i < terms; ++i) sum = V(fma)(sum, x, V(splat)(table[i]));
    return sum;
}

/* x * 2^n, rounded once; the low bits of steps hold n + 2 * bias. Two factors, since 2^n itself
 * may be no normal number; the first product is exact for x near 1. */
KL_INLINE V(vec) KL_FN(scale)(V(vec) x, V(bits) steps) {
    const V(bits) half = V(bits_shr)(steps, 1);
    const V(bits) rest = V(bits_sub)(steps, half);
    x = V(mul)(x, V(from_bits)(V(bits_shl)(half, KL_FRACTION)));
    return V(mul)(x, V(from_bits)(V(bits_shl)(rest, KL_FRACTION)));
}

/* x = n ln 2 + r with |r| <= ln 2 / 2: returns r; the low bits of *steps hold n + 2 * bias.
 * The first fma is exact: n ln2 and x have no bits below the last place of r. */
KL_INLINE V(vec) KL_FN(exp_reduce)(V(vec) x, V(bits) *steps) {
    const V(vec) rounder = V(splat)(KL_ROUNDER + 2 * KL_BIAS);
    const V(vec) shifted = V(fma)(x, V(splat)(K.log2e), rounder);
    const V(vec) n = V(sub)(shifted, rounder);
    *steps = V(as_bits)(shifted);
    return V(fma)(n, V(splat)(-K.ln2_low), V(fma)(n, V(splat)(-K.ln2), x));
}

/* exp(r) - 1 for |r| <= ln 2 / 2. */
KL_INLINE V(vec) KL_FN(expm1_reduced)(V(vec) r) {
    return V(fma)(V(mul)(r, r), KL_HORNER(r, exp), r);
}

/* 0.98 / 0.98 ulp. */
KL_INLINE V(vec) KL_FN(exp)(V(vec) x) {
    V(bits) steps;
    x = V(max)(V(splat)(K.exp_smallest), V(min)(V(splat)(K.exp_largest), x));
    const V(vec) r = KL_FN(exp_reduce)(x, &steps);
    return KL_FN(scale)(V(add)(V(splat)(1), KL_FN(expm1_reduced)(r)), steps);
}

/* x = m 2^k with m in [sqrt(1/2), sqrt(2)) for finite x > 0: returns m - 1. */
KL_INLINE V(vec) KL_FN(log_reduce)(V(vec) x, V(vec) *k) {
    const KL_WORD one = (KL_WORD)KL_BIAS << KL_FRACTION;
    const KL_WORD root = K.root_half_bits;
    /* A denormal is scaled up by 2^(fraction + 1), its exponent corrected. */
    const V(mask) tiny = V(lt)(x, V(splat)(K.smallest_normal));
    const T up = (T)((KL_WORD)2 << KL_FRACTION);
    x = V(select)(tiny, V(mul)(x, V(splat)(up)), x);
    const T rounder = (T)((KL_WORD)1 << KL_FRACTION);
    const V(vec) offset = V(select)(tiny, V(splat)(rounder + KL_BIAS + KL_FRACTION + 1),
                                    V(splat)(rounder + KL_BIAS));
    const V(bits) shifted = V(bits_add)(V(as_bits)(x), V(bits_splat)(one - root));
    const V(bits) exponent = V(bits_or)(V(bits_shr)(shifted, KL_FRACTION),
                                        V(as_bits)(V(splat)(rounder)));
    *k = V(sub)(V(from_bits)(exponent), offset);
    const V(bits) fraction = V(bits_and)(shifted, V(bits_splat)(((KL_WORD)1 << KL_FRACTION) - 1));
    return V(sub)(V(from_bits)(V(bits_add)(fraction, V(bits_splat)(root))), V(splat)(1));
}

/* What log gives for 0, negative numbers, inf and NaN; result elsewhere. */
KL_INLINE V(vec) KL_FN(log_specials)(V(vec) x, V(vec) result) {
    const V(vec) infinity = V(splat)((T)INFINITY);
    const V(vec) zero = V(splat)(0);
    result = V(select)(V(lt)(x, infinity), result, x);
    result = V(select)(V(lt)(x, zero), V(splat)((T)NAN), result);
    return V(select)(V(eq)(x, zero), V(neg)(infinity), result);
}

/* log(1 + f) = f - (h - s (h + R(s^2))) with s = f / (2 + f), h = f^2 / 2. 0.80 / 0.83 ulp. */
KL_INLINE V(vec) KL_FN(log)(V(vec) x) {
    V(vec) k;
    const V(vec) f = KL_FN(log_reduce)(x, &k);
    const V(vec) s = V(div)(f, V(add)(V(splat)(2), f));
    const V(vec) z = V(mul)(s, s);
    const V(vec) h = V(mul)(V(mul)(V(splat)((T)0.5), f), f);
    const V(vec) inner = V(fma)(z, KL_HORNER(z, log), h);
    const V(vec) low = V(fma)(s, inner, V(mul)(k, V(splat)(K.ln2_low)));
    const V(vec) result = V(fma)(k, V(splat)(K.ln2), V(sub)(f, V(sub)(h, low)));
    return KL_FN(log_specials)(x, result);
}
