/* Elementary functions in words of the vocabulary.
 *
 * Included by a body of foreach_isa.h for one type and instruction set; KL_FN(exp) maps a vector.
 * Every function is branch-free, lane by lane, so a lane's bits do not depend on its neighbours.
 * The largest error found is beside each, in units in the last place (ulp) of the exact result,
 * f32 / f64; tests/test_math.py asserts it. K holds the constants of the type.
 */
#include "kael/math_angle.h"
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

/* log(1 + f) + k ln2 + low, where low is small:
 * log(1 + f) = f - (h - s (h + R(s^2))) with s = f / (2 + f), h = f^2 / 2. */
KL_INLINE V(vec) KL_FN(log_sum)(V(vec) f, V(vec) k, V(vec) low) {
    const V(vec) s = V(div)(f, V(add)(V(splat)(2), f));
    const V(vec) z = V(mul)(s, s);
    const V(vec) h = V(mul)(V(mul)(V(splat)((T)0.5), f), f);
    const V(vec) small = V(fma)(s, V(fma)(z, KL_HORNER(z, log), h), low);
    return V(fma)(k, V(splat)(K.ln2), V(sub)(f, V(sub)(h, small)));
}

/* 0.80 / 0.83 ulp. */
KL_INLINE V(vec) KL_FN(log)(V(vec) x) {
    V(vec) k;
    const V(vec) f = KL_FN(log_reduce)(x, &k);
    const V(vec) low = V(mul)(k, V(splat)(K.ln2_low));
    return KL_FN(log_specials)(x, KL_FN(log_sum)(f, k, low));
}

/* ---- exponentials ---- */

/* exp(x) - 1 = 2^n (exp(r) - 1) + (2^n - 1). */
KL_INLINE V(vec) KL_FN(expm1)(V(vec) x) {
    V(bits) steps;
    /* Below -40 the result is -1; the upper bound overflows. */
    const V(vec) bounded =
        V(max)(V(splat)(-40), V(min)(V(splat)(K.exp_largest), x));
    const V(vec) r = KL_FN(exp_reduce)(bounded, &steps);
    /* 2^(n - 1), since 2^n overflows where the result need not. */
    const V(bits) half = V(bits_sub)(steps, V(bits_splat)(KL_BIAS + 1));
    const V(vec) power = V(from_bits)(V(bits_shl)(half, KL_FRACTION));
    const V(vec) value = V(fma)(KL_FN(expm1_reduced)(r), power,
                                V(sub)(power, V(splat)((T)0.5)));
    /* Halves would lose denormals, and -0. */
    const V(vec) tiny = V(splat)((T)1 / (T)((KL_WORD)128 << KL_FRACTION));
    return V(select)(V(lt)(V(abs)(x), tiny), x, V(add)(value, value));
}

/* 1 / (1 + exp(-x)). With E = exp(-|x|) and s = 1 / (1 + E) it is s or E s; the errors of E and
 * of s are carried along. */
KL_INLINE V(vec) KL_FN(sigmoid_split)(V(vec) x, V(vec) low) {
    V(bits) steps;
    const V(vec) one = V(splat)(1);
    const V(mask) negative = V(lt)(x, V(splat)(0));
    const V(vec) a = V(max)(V(splat)(K.exp_smallest), V(neg)(V(abs)(x)));
    const V(vec) shift = V(select)(negative, low, V(neg)(low));
    const V(vec) t = KL_FN(expm1_reduced)(V(add)(KL_FN(exp_reduce)(a, &steps), shift));
    const V(vec) high = V(add)(one, t);
    const V(vec) rest = V(sub)(t, V(sub)(high, one));
    const V(vec) e = KL_FN(scale)(high, steps);
    const V(vec) e_rest = KL_FN(scale)(rest, steps);
    const V(vec) d = V(add)(one, e);
    const V(vec) d_rest = V(add)(V(sub)(e, V(sub)(d, one)), e_rest);
    const V(vec) s = V(div)(one, d);
    const V(vec) s_rest = V(fma)(V(neg)(d_rest), s, V(fma)(V(neg)(d), s, one));
    const V(vec) p = V(mul)(high, s);
    const V(vec) p_rest = V(fma)(s, V(fma)(high, s_rest, rest), V(fma)(high, s, V(neg)(p)));
    return V(select)(negative, KL_FN(scale)(V(add)(p, p_rest), steps), V(fma)(s, s_rest, s));
}

KL_INLINE V(vec) KL_FN(sigmoid)(V(vec) x) { return KL_FN(sigmoid_split)(x, V(splat)(0)); }

/* The magnitude's bits with the sign of another vector. */
KL_INLINE V(vec) KL_FN(copy_sign)(V(vec) magnitude, V(vec) sign) {
    const V(bits) top = V(as_bits)(V(splat)((T)-0.0));
    return V(from_bits)(V(bits_or)(V(as_bits)(magnitude), V(bits_and)(V(as_bits)(sign), top)));
}

/* An odd polynomial near 0; 1 - 2 / (exp(2 |x|) + 1) beyond. */
KL_INLINE V(vec) KL_FN(tanh)(V(vec) x) {
    V(bits) steps;
    const V(vec) one = V(splat)(1);
    const V(vec) a = V(min)(V(splat)(K.tanh_largest), V(abs)(x));
    const V(vec) t = KL_FN(expm1_reduced)(KL_FN(exp_reduce)(V(add)(a, a), &steps));
    const V(bits) exponent = V(bits_sub)(steps, V(bits_splat)(KL_BIAS));
    const V(vec) power = V(from_bits)(V(bits_shl)(exponent, KL_FRACTION));
    const V(vec) e = V(fma)(power, t, power);
    const V(vec) far = V(sub)(one, V(div)(V(splat)(2), V(add)(e, one)));
    const V(vec) z = V(mul)(a, a);
    const V(vec) near = V(fma)(V(mul)(a, z), KL_HORNER(z, tanh), a);
    const V(vec) value = V(select)(V(lt)(a, V(splat)(K.tanh_small)), near, far);
    return KL_FN(copy_sign)(value, x);
}

/* ---- logarithms ---- */

/* log(1 + x): that of the rounded sum u, and the rounding over u. */
KL_INLINE V(vec) KL_FN(log1p)(V(vec) x) {
    V(vec) k;
    const V(vec) one = V(splat)(1);
    const V(vec) u = V(add)(one, x);
    const V(vec) f = KL_FN(log_reduce)(u, &k);
    /* x - (u - 1) where x is the smaller summand, 1 - (u - x) where it is the greater one. */
    const V(vec) lost = V(select)(V(lt)(x, one), V(sub)(x, V(sub)(u, one)),
                                  V(sub)(one, V(sub)(u, x)));
    const V(vec) low = V(fma)(k, V(splat)(K.ln2_low), V(div)(lost, u));
    const V(vec) value = KL_FN(log_sum)(f, k, low);
    return V(select)(V(eq)(x, V(splat)(0)), x, KL_FN(log_specials)(u, value));
}

/* ---- powers ---- */

/* log(x) for finite x > 0 to twice the precision: returns the high part. */
KL_INLINE V(vec) KL_FN(log_split)(V(vec) x, V(vec) *low) {
    V(vec) k;
    const V(vec) two = V(splat)(2);
    const V(vec) f = KL_FN(log_reduce)(x, &k);
    /* s = f / (2 + f) */
    const V(vec) d = V(add)(two, f);
    const V(vec) d_rest = V(sub)(f, V(sub)(d, two));
    const V(vec) s = V(div)(f, d);
    const V(vec) s_left = V(fma)(V(neg)(s), d_rest, V(fma)(V(neg)(s), d, f));
    const V(vec) s_rest = V(div)(s_left, d);
    /* z = s^2, c = s^3 */
    const V(vec) z = V(mul)(s, s);
    const V(vec) z_rest = V(fma)(V(add)(s, s), s_rest, V(fma)(s, s, V(neg)(z)));
    const V(vec) c = V(mul)(s, z);
    const V(vec) c_rest = V(fma)(s, z_rest, V(fma)(s_rest, z, V(fma)(s, z, V(neg)(c))));
    /* q = 2/3 + z R(z) */
    const V(vec) w = V(mul)(z, KL_HORNER(z, pow));
    const V(vec) q = V(add)(V(splat)(K.two_thirds), w);
    const V(vec) q_rest = V(add)(V(add)(V(sub)(V(splat)(K.two_thirds), q), w),
                                 V(splat)(K.two_thirds_low));
    /* k ln 2 + 2 s + c q, the greatest first */
    const V(vec) p = V(mul)(c, q);
    const V(vec) p_rest = V(fma)(c, q_rest, V(fma)(c_rest, q, V(fma)(c, q, V(neg)(p))));
    const V(vec) s2 = V(add)(s, s);
    const V(vec) m = V(add)(s2, p);
    const V(vec) m_rest = V(add)(V(add)(V(sub)(s2, m), p), V(fma)(two, s_rest, p_rest));
    const V(vec) n = V(mul)(k, V(splat)(K.ln2));
    const V(vec) n_rest = V(fma)(k, V(splat)(K.ln2_low), V(fma)(k, V(splat)(K.ln2), V(neg)(n)));
    /* |n| > |m| unless k = 0, where n = 0 and the sum is m. */
    const V(vec) sum = V(add)(n, m);
    *low = V(add)(V(add)(V(sub)(n, sum), m), V(add)(n_rest, m_rest));
    *low = V(select)(V(eq)(k, V(splat)(0)), m_rest, *low);
    return sum;
}

/* exp(y log |x|), then C99's special cases. */
KL_INLINE V(vec) KL_FN(pow)(V(vec) x, V(vec) y) {
    const V(vec) zero = V(splat)(0), one = V(splat)(1), infinity = V(splat)((T)INFINITY);
    const V(vec) a = V(abs)(x);
    V(vec) log_low;
    const V(vec) log_high = KL_FN(log_split)(a, &log_low);
    const V(vec) product = V(mul)(y, log_high);
    const V(vec) rest = V(fma)(y, log_low, V(fma)(y, log_high, V(neg)(product)));
    const V(vec) bounded =
        V(max)(V(splat)(K.exp_smallest), V(min)(V(splat)(K.exp_largest), product));
    V(bits) steps;
    const V(vec) r = KL_FN(exp_reduce)(bounded, &steps);
    const V(vec) kept = V(select)(V(eq)(bounded, product), rest, zero);
    V(vec) value =
        KL_FN(scale)(V(add)(one, KL_FN(expm1_reduced)(V(add)(r, kept))), steps);
    /* A base of 0 or inf: 0 or inf, by the exponent's sign. */
    const V(mask) falls = V(lt)(y, zero);
    const V(vec) at_zero = V(select)(falls, infinity, zero);
    const V(vec) at_infinity = V(select)(falls, zero, infinity);
    value = V(select)(V(eq)(a, zero), at_zero, value);
    value = V(select)(V(eq)(a, infinity), at_infinity, value);
    value = V(select)(V(either)(V(is_nan)(x), V(is_nan)(y)), V(splat)((T)NAN), value);
    /* A negative base: the sign of an odd exponent, NaN for a fraction; -inf and -0 take any. */
    const V(vec) half = V(mul)(y, V(splat)((T)0.5));
    const V(mask) whole = V(eq)(y, V(trunc)(y));
    const V(mask) odd = V(both)(whole, V(ne)(half, V(trunc)(half)));
    const V(mask) fraction = V(both)(V(both)(V(lt)(x, zero), V(lt)(a, infinity)), V(not)(whole));
    value = V(select)(fraction, V(splat)((T)NAN), value);
    value = V(select)(odd, KL_FN(copy_sign)(value, x), value);
    /* 1 to any power, any base to the power 0, and -1 to an infinite one. */
    const V(mask) infinite = V(eq)(V(abs)(y), infinity);
    const V(mask) unit = V(either)(V(eq)(x, one), V(both)(V(eq)(a, one), infinite));
    return V(select)(V(either)(unit, V(eq)(y, zero)), one, value);
}

/* ---- circular functions ---- */

/* |x| = q pi / 2 + r + low for |x| <= largest_angle: returns r; q is in the low bits of *q. The
 * first fma is exact: x and q half_pi have no bits below the last place of half_pi. */
KL_INLINE V(vec) KL_FN(angle_reduce)(V(vec) a, V(vec) *low, V(bits) *q) {
    const V(vec) rounder = V(splat)(KL_ROUNDER);
    const V(vec) shifted = V(fma)(a, V(splat)(K.two_over_pi), rounder);
    const V(vec) n = V(neg)(V(sub)(shifted, rounder));
    *q = V(as_bits)(shifted);
    const V(vec) first = V(fma)(n, V(splat)(K.half_pi), a);
    const V(vec) second = V(mul)(n, V(splat)(K.half_pi_low));
    const V(vec) product_lost = V(fma)(n, V(splat)(K.half_pi_low), V(neg)(second));
    /* Either may be the greater: Knuth's sum of two. */
    const V(vec) r = V(add)(first, second);
    const V(vec) seen = V(sub)(r, first);
    const V(vec) lost = V(add)(V(sub)(first, V(sub)(r, seen)), V(sub)(second, seen));
    *low = V(fma)(n, V(splat)(K.half_pi_lowest), V(add)(lost, product_lost));
    return r;
}

/* The lanes beyond largest_angle, one by one; inf becomes NaN. */
static __attribute__((noinline)) KL_UNUSED void KL_FN(angle_reduce_huge)(const T *a, T *r, T *low,
                                                                        KL_WORD *q) {
    for (int l = 0; l < V(width); ++l) {
        if (!(a[l] > K.largest_angle)) continue;
        double high = NAN, rest = NAN;
        q[l] = a[l] < (T)INFINITY ? (KL_WORD)kl_reduce_angle((double)a[l], &high, &rest) : 0;
        r[l] = (T)high;
        low[l] = (T)(high - (double)r[l] + rest);
    }
}

/* sin(|x| + turn pi / 2) for turn 0 or 1. */
KL_INLINE V(vec) KL_FN(sine_turned)(V(vec) a, unsigned turn) {
    V(vec) low;
    V(bits) q;
    V(vec) r = KL_FN(angle_reduce)(a, &low, &q);
    if (KL_UNLIKELY(V(any)(V(lt)(V(splat)(K.largest_angle), a)))) {
        T lanes[3][V(width)];
        KL_WORD quadrants[V(width)];
        V(store)(lanes[0], a);
        V(store)(lanes[1], r);
        V(store)(lanes[2], low);
        memcpy(quadrants, &q, sizeof quadrants);
        KL_FN(angle_reduce_huge)(lanes[0], lanes[1], lanes[2], quadrants);
        r = V(load)(lanes[1]);
        low = V(load)(lanes[2]);
        memcpy(&q, quadrants, sizeof quadrants);
    }
    q = V(bits_add)(q, V(bits_splat)(turn));
    const V(vec) one = V(splat)(1);
    const V(vec) z = V(mul)(r, r);
    /* sin(r + low) = r + (r^3 S + low cos r), cos r about 1 - z / 2 */
    const V(vec) half = V(mul)(z, V(splat)((T)0.5));
    const V(vec) slope = V(fma)(V(neg)(low), half, low);
    const V(vec) sine = V(add)(r, V(fma)(V(mul)(r, z), KL_HORNER(z, sin), slope));
    /* cos(r + low) = (1 - z / 2) + (what that lost + z^2 C - low r) */
    const V(vec) main = V(sub)(one, half);
    const V(vec) lost = V(sub)(V(sub)(one, main), half);
    const V(vec) quartic = V(fma)(V(mul)(z, z), KL_HORNER(z, cos), V(fma)(V(neg)(low), r, lost));
    const V(vec) cosine = V(add)(main, quartic);
    const V(vec) odd = V(from_bits)(V(bits_and)(q, V(bits_splat)(1)));
    const V(vec) value = V(select)(V(eq)(odd, V(splat)(0)), sine, cosine);
    const V(bits) sign = V(bits_and)(V(bits_shl)(q, (int)(sizeof(T) * 8) - 2),
                                     V(as_bits)(V(splat)((T)-0.0)));
    return V(from_bits)(V(bits_xor)(V(as_bits)(value), sign));
}

KL_INLINE V(vec) KL_FN(sin)(V(vec) x) {
    const V(bits) sign = V(bits_and)(V(as_bits)(x), V(as_bits)(V(splat)((T)-0.0)));
    const V(vec) value = KL_FN(sine_turned)(V(abs)(x), 0);
    return V(from_bits)(V(bits_xor)(V(as_bits)(value), sign));
}

KL_INLINE V(vec) KL_FN(cos)(V(vec) x) { return KL_FN(sine_turned)(V(abs)(x), 1); }

/* ---- the normal distribution ---- */

/* For a >= 0: P(normal > a) = factor 2^n, with n + 2 * bias in steps. *density is the factor of
 * exp(-a^2 / 2). */
KL_INLINE V(vec) KL_FN(normal_tail)(V(vec) a, V(vec) *density, V(bits) *steps) {
    const V(vec) one = V(splat)(1);
    /* -a^2 / 2, and what its rounding lost */
    const V(vec) half = V(mul)(a, V(splat)((T)-0.5));
    const V(vec) square = V(mul)(a, half);
    const V(vec) lost = V(fma)(a, half, V(neg)(square));
    const V(vec) r = V(add)(KL_FN(exp_reduce)(square, steps), lost);
    *density = V(add)(one, KL_FN(expm1_reduced)(r));
    const V(vec) u = V(div)(one, V(add)(a, V(splat)(K.tail_shift)));
    return V(mul)(V(mul)(*density, u), KL_HORNER(u, tail));
}

/* x P(normal < x): x - x p or -|x| p, where p is the tail of |x|. */
KL_INLINE V(vec) KL_FN(gelu)(V(vec) x) {
    V(vec) density;
    V(bits) steps;
    const V(mask) negative = V(lt)(x, V(splat)(0));
    const V(vec) a = V(min)(V(splat)(K.tail_largest), V(abs)(x));
    const V(vec) factor = KL_FN(normal_tail)(a, &density, &steps);
    /* The negative side is multiplied before it is scaled, so that denormals round once. */
    const V(vec) minus = V(neg)(a);
    const V(vec) p = KL_FN(scale)(V(select)(negative, V(mul)(minus, factor), factor), steps);
    return V(select)(negative, p, V(fma)(minus, p, x));
}

/* An odd polynomial near 0; 1 - 2 P(normal > sqrt(2) |x|) beyond. */
KL_INLINE V(vec) KL_FN(erf)(V(vec) x) {
    V(vec) density;
    V(bits) steps;
    const V(vec) one = V(splat)(1);
    const V(vec) a = V(min)(V(splat)(K.tanh_largest), V(abs)(x));
    const V(vec) scaled = V(mul)(a, V(splat)(K.root_two));
    const V(vec) factor = KL_FN(normal_tail)(scaled, &density, &steps);
    const V(vec) tail = KL_FN(scale)(factor, steps);
    const V(vec) far = V(fma)(V(splat)(-2), tail, one);
    const V(vec) z = V(mul)(a, a);
    const V(vec) slope = V(fma)(z, KL_HORNER(z, erf), V(splat)(K.erf_slope));
    const V(vec) near = V(fma)(a, slope, a);
    return KL_FN(copy_sign)(V(select)(V(lt)(a, one), near, far), x);
}

/* The derivative of gelu: P(normal < x) + x density(x). */
KL_INLINE V(vec) KL_FN(gelu_slope)(V(vec) x) {
    V(vec) density;
    V(bits) steps;
    const V(vec) a = V(min)(V(splat)(K.tail_largest), V(abs)(x));
    const V(vec) factor = KL_FN(normal_tail)(a, &density, &steps);
    const V(vec) p = KL_FN(scale)(factor, steps);
    const V(vec) peak = V(mul)(density, V(splat)(K.normal_peak));
    const V(vec) bump = KL_FN(scale)(V(mul)(a, peak), steps);
    const V(vec) right = V(add)(V(sub)(V(splat)(1), p), bump);
    const V(vec) value = V(select)(V(lt)(x, V(splat)(0)), V(sub)(p, bump), right);
    return V(select)(V(is_nan)(x), x, value);
}

/* 2 sqrt(2 / pi) (x + 0.044715 x^3), and what its rounding lost in *low; |x| <= tail_largest. */
KL_INLINE V(vec) KL_FN(gelu_argument)(V(vec) x, V(vec) *low) {
    const V(vec) cubic = V(splat)(K.gelu_cubic), linear = V(splat)(K.gelu_linear);
    const V(vec) z = V(mul)(x, x);
    const V(vec) z_rest = V(fma)(x, x, V(neg)(z));
    const V(vec) p = V(mul)(z, cubic);
    const V(vec) p_rest = V(fma)(z, V(splat)(K.gelu_cubic_low),
                                 V(fma)(z_rest, cubic, V(fma)(z, cubic, V(neg)(p))));
    /* Either may be the greater: Knuth's sum of two. */
    const V(vec) w = V(add)(linear, p);
    const V(vec) seen = V(sub)(w, linear);
    const V(vec) lost = V(add)(V(sub)(linear, V(sub)(w, seen)), V(sub)(p, seen));
    const V(vec) w_rest = V(add)(lost, V(add)(p_rest, V(splat)(K.gelu_linear_low)));
    const V(vec) y = V(mul)(x, w);
    *low = V(fma)(x, w_rest, V(fma)(x, w, V(neg)(y)));
    return y;
}

/* x / (1 + exp(-y)) with y from gelu_argument: gelu with tanh in place of erf. */
KL_INLINE V(vec) KL_FN(gelu_tanh)(V(vec) x) {
    V(vec) low;
    const V(vec) limit = V(splat)(K.tail_largest);
    const V(vec) bounded = V(max)(V(neg)(limit), V(min)(limit, x));
    const V(vec) y = KL_FN(gelu_argument)(bounded, &low);
    const V(vec) s = KL_FN(sigmoid_split)(y, low);
    return V(mul)(V(select)(V(lt)(x, V(splat)(0)), bounded, x), s);
}

/* Its derivative: s + x s (1 - s) y'. */
KL_INLINE V(vec) KL_FN(gelu_tanh_slope)(V(vec) x) {
    V(vec) low;
    const V(vec) one = V(splat)(1), limit = V(splat)(K.tail_largest);
    const V(vec) bounded = V(max)(V(neg)(limit), V(min)(limit, x));
    const V(vec) y = KL_FN(gelu_argument)(bounded, &low);
    const V(vec) s = KL_FN(sigmoid_split)(y, low);
    const V(vec) z = V(mul)(bounded, bounded);
    const V(vec) slope = V(fma)(z, V(splat)(3 * K.gelu_cubic), V(splat)(K.gelu_linear));
    return V(fma)(V(mul)(bounded, slope), V(mul)(s, V(sub)(one, s)), s);
}
