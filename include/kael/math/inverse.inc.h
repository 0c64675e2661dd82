/* Inverse circular functions: asin, acos, atan, atan2. */
#if !KL_CAT2(KL_SINGLE_, KL_TYPE)

/* asin(s) - s for 0 <= s <= 1/2 and z = s^2. */
KL_INLINE V(vec) KL_FN(asin_rest)(V(vec) s, V(vec) z) {
    return V(mul)(V(mul)(s, z), KL_HORNER(z, asin));
}

/* For |x| > 1/2: z = (1 - |x|) / 2 and the result is sqrt(z), of which asin is pi / 4 - half the
 * asin of |x|; for the others z = x^2 and |x|. */
KL_INLINE V(vec) KL_FN(asin_reduce)(V(vec) a, V(mask) far, V(vec) *z) {
    const V(vec) half = V(splat)((T)0.5);
    *z = V(select)(far, V(fnma)(half, a, half), V(mul)(a, a));
    return V(select)(far, V(sqrt)(*z), a);
}

/* NaN beyond 1. 0.51 / 1.2 ulp. */
KL_INLINE V(vec) KL_FN(asin)(V(vec) x) {
    V(vec) z;
    const V(vec) a = V(abs)(x);
    const V(mask) far = V(lt)(V(splat)((T)0.5), a);
    const V(vec) s = KL_FN(asin_reduce)(a, far, &z);
    const V(vec) rest = KL_FN(asin_rest)(s, z);
    /* pi / 2 - 2 s, and all that is small */
    const V(vec) right = V(splat)(K.half_pi), twice = V(add)(s, s);
    const V(vec) main = V(sub)(right, twice);
    const V(vec) lost = V(add)(V(sub)(V(sub)(right, main), twice), V(splat)(K.half_pi_low));
    const V(vec) turned = V(add)(main, V(fma)(V(splat)(-2), rest, lost));
    return KL_FN(add_sign)(V(select)(far, turned, V(add)(s, rest)), x);
}

/* NaN beyond 1. 0.51 / 1.2 ulp. */
KL_INLINE V(vec) KL_FN(acos)(V(vec) x) {
    V(vec) z;
    const V(vec) a = V(abs)(x), zero = V(splat)(0);
    const V(mask) far = V(lt)(V(splat)((T)0.5), a);
    const V(vec) s = KL_FN(asin_reduce)(a, far, &z);
    const V(vec) near = V(add)(s, KL_FN(asin_rest)(s, z));
    /* pi / 2 - asin(x), 2 asin(s) or pi - 2 asin(s) */
    const V(mask) left = V(lt)(x, zero);
    const V(vec) signed_near = V(select)(left, V(neg)(near), near);
    const V(vec) middle =
        V(add)(V(splat)(K.half_pi), V(sub)(V(splat)(K.half_pi_low), signed_near));
    const V(vec) twice = V(add)(near, near);
    const V(vec) turned = V(add)(V(splat)(2 * K.half_pi),
                                 V(sub)(V(splat)(2 * K.half_pi_low), twice));
    return V(select)(far, V(select)(left, turned, twice), middle);
}

/* atan(y / x) for y, x >= 0: a quarter of pi is taken off the middle, where y / x > tan(pi / 8),
 * and the quotient is turned over where y > x. *low is added last. */
KL_INLINE V(vec) KL_FN(atan_quotient)(V(vec) y, V(vec) x, V(vec) *low) {
    const V(vec) zero = V(splat)(0), quarter = V(splat)((T)0.5 * K.half_pi);
    const V(vec) quarter_low = V(splat)((T)0.5 * K.half_pi_low);
    const V(mask) steep = V(lt)(x, y);
    const V(vec) great = V(select)(steep, y, x), small = V(select)(steep, x, y);
    const V(mask) middle = V(lt)(V(mul)(great, V(splat)(K.tan_eighth)), small);
    const V(vec) over = V(select)(middle, V(sub)(small, great), small);
    const V(vec) under = V(select)(middle, V(add)(small, great), great);
    const V(vec) t = V(div)(over, under);
    const V(vec) z = V(mul)(t, t);
    const V(vec) rest = V(mul)(V(mul)(t, z), KL_HORNER(z, atan));
    /* base + t, or pi / 2 - (base + t): the greater summand first */
    const V(vec) base = V(select)(middle, quarter, zero);
    const V(vec) base_low = V(select)(middle, quarter_low, zero);
    const V(vec) turned = V(select)(steep, V(sub)(V(splat)(K.half_pi), base), base);
    const V(vec) turned_low = V(select)(steep, V(sub)(V(splat)(K.half_pi_low), base_low), base_low);
    const V(vec) part = V(select)(steep, V(neg)(t), t);
    const V(vec) part_low = V(select)(steep, V(neg)(rest), rest);
    const V(vec) sum = V(add)(turned, part);
    const V(vec) lost = V(add)(V(sub)(turned, sum), part);
    *low = V(add)(V(select)(V(eq)(turned, zero), zero, lost), V(add)(turned_low, part_low));
    return sum;
}

/* 0.51 / 2 ulp. */
KL_INLINE V(vec) KL_FN(atan)(V(vec) x) {
    V(vec) low;
    /* Of 2^60 and more it is pi / 2, rounded. */
    const V(vec) a = V(min)(V(splat)((T)((uint64_t)1 << 60)), V(abs)(x));
    const V(vec) high = KL_FN(atan_quotient)(a, V(splat)(1), &low);
    return KL_FN(add_sign)(V(add)(high, low), x);
}

/* The angle of the point (x, y), with C99's signs of zero and infinities. 0.51 / 2.2 ulp. */
KL_INLINE V(vec) KL_FN(atan2)(V(vec) y, V(vec) x) {
    const V(vec) zero = V(splat)(0), one = V(splat)(1), infinity = V(splat)((T)INFINITY);
    V(vec) b = V(abs)(y), a = V(abs)(x);
    /* Two infinities count as equal, two zeros as a flat angle; huge ones are scaled down, so that
     * their sum is finite. */
    const V(mask) infinite = V(both)(V(eq)(a, infinity), V(eq)(b, infinity));
    a = V(select)(V(either)(infinite, V(eq)(V(max)(a, b), zero)), one, a);
    b = V(select)(infinite, one, b);
    const V(mask) huge = V(lt)(V(splat)(K.atan_huge), V(max)(a, b));
    const V(vec) down = V(select)(huge, V(splat)((T)0.25), one);
    V(vec) low;
    const V(vec) high = KL_FN(atan_quotient)(V(mul)(b, down), V(mul)(a, down), &low);
    const V(vec) right = V(add)(high, low);
    const V(vec) left = V(add)(V(sub)(V(splat)(2 * K.half_pi), high),
                               V(sub)(V(splat)(2 * K.half_pi_low), low));
    const V(mask) back = V(lt)(KL_FN(add_sign)(one, x), zero);
    const V(vec) value = KL_FN(add_sign)(V(select)(back, left, right), y);
    return V(select)(V(either)(V(is_nan)(x), V(is_nan)(y)), V(splat)((T)NAN), value);
}

#endif
