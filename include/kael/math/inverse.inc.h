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

/* small / great - 1/64, roughly: what is told from it may be off by 5% of the quotient. */
KL_INLINE V(vec) KL_FN(rough_quotient)(V(vec) small, V(vec) great) {
    const V(vec) less = V(splat)((T)(-1.0 / 64));
#if KL_CAT2(KL_FOR_FLOATS_, KL_TYPE)
    /* The reciprocal by the logarithm that the bits of a double nearly are. */
    const V(bits) magic = V(bits_splat)(UINT64_C(0x7fde5f73aabb2400));
    return V(fma)(small, V(from_bits)(V(bits_sub)(magic, V(as_bits)(great))), less);
#else
    return V(add)(V(div)(small, great), less);
#endif
}

/* atan(y / x) for y, x >= 0. With q the smaller over the greater one and c a multiple of 1/8
 * near q, it is atan(c) + atan((q - c) / (1 + c q)), or pi / 2 less that where y > x. c is not the
 * nearest one, lest both summands be greater than a small sum. *low is added last. */
KL_INLINE V(vec) KL_FN(atan_quotient)(V(vec) y, V(vec) x, V(vec) *low) {
    const V(mask) steep = V(lt)(x, y);
    const V(vec) great = V(select)(steep, y, x), small = V(select)(steep, x, y);
    const V(vec) q = V(min)(V(splat)((T)0.9), KL_FN(rough_quotient)(small, great));
    /* 8 c in the low bits, and 8 more for a complement. */
    const V(vec) rounder = V(select)(steep, V(splat)(KL_ROUNDER / 8 + 1), V(splat)(KL_ROUNDER / 8));
    const V(vec) shifted = V(add)(q, rounder);
    const V(vec) c = V(sub)(shifted, rounder);
    /* The fnma is exact. */
    const V(vec) over = V(fnma)(c, great, small), under = V(fma)(c, small, great);
    const V(vec) t = V(div)(V(select)(steep, V(neg)(over), over), under);
    const V(vec) z = V(mul)(t, t);
    const V(vec) rest = V(mul)(V(mul)(t, z), KL_HORNER(z, atan));
    const V(vec) base = V(lookup)(K.atan_base, V(as_bits)(shifted));
    const V(vec) sum = V(add)(base, t);
#if KL_CAT2(KL_FOR_FLOATS_, KL_TYPE)
    *low = rest;
#else
    const V(vec) lost = V(add)(V(sub)(base, sum), t);
    *low = V(add)(V(lookup)(K.atan_base_low, V(as_bits)(shifted)), V(add)(lost, rest));
#endif
    return sum;
}

/* 0.51 / 1.2 ulp. */
KL_INLINE V(vec) KL_FN(atan)(V(vec) x) {
    V(vec) low;
    /* Of 2^60 and more it is pi / 2, rounded. */
    const V(vec) a = V(min)(V(splat)((T)((uint64_t)1 << 60)), V(abs)(x));
    const V(vec) high = KL_FN(atan_quotient)(a, V(splat)(1), &low);
    return KL_FN(add_sign)(V(add)(high, low), x);
}

/* Magnitudes of coordinates, neither infinite nor both zero, so that atan_quotient works. */
KL_INLINE void KL_FN(atan_point)(V(vec) *y, V(vec) *x) {
#if KL_CAT2(KL_FOR_FLOATS_, KL_TYPE)
    /* Beyond all floats, by more than their range. */
    const V(vec) huge = V(splat)(0x1p600), tiny = V(splat)(0x1p-600);
    *y = V(min)(huge, *y);
    *x = V(max)(tiny, V(min)(huge, *x));
#else
    const V(vec) zero = V(splat)(0), one = V(splat)(1), infinity = V(splat)((T)INFINITY);
    const V(mask) tall = V(eq)(*y, infinity), wide = V(eq)(*x, infinity);
    const V(mask) infinite = V(either)(tall, wide);
    /* An infinity is 1 beside 0, or beside another 1. */
    const V(vec) b = V(select)(infinite, V(select)(tall, one, zero), *y);
    const V(vec) a = V(select)(infinite, V(select)(wide, one, zero), *x);
    /* The greater one is kept from overflow of the sum, and from steps too coarse for it. */
    const V(vec) great = V(max)(a, b);
    const V(vec) up = V(select)(V(lt)(great, V(splat)(K.atan_tiny)), V(splat)(0x1p100), one);
    const V(vec) scale = V(select)(V(lt)(V(splat)(K.atan_huge), great), V(splat)((T)0.25), up);
    *y = V(mul)(b, scale);
    *x = V(select)(V(eq)(great, zero), one, V(mul)(a, scale));
#endif
}

/* The angle of the point (x, y), with C99's signs of zero and infinities. 0.51 / 1.7 ulp. */
KL_INLINE V(vec) KL_FN(atan2)(V(vec) y, V(vec) x) {
    V(vec) low, b = V(abs)(y), a = V(abs)(x);
    KL_FN(atan_point)(&b, &a);
    const V(vec) high = KL_FN(atan_quotient)(b, a, &low);
    const V(vec) right = V(add)(high, low);
    const V(vec) left = V(add)(V(sub)(V(splat)(2 * K.half_pi), high),
                               V(sub)(V(splat)(2 * K.half_pi_low), low));
    const V(mask) back = V(lt)(KL_FN(add_sign)(V(splat)(1), x), V(splat)(0));
    const V(vec) value = KL_FN(add_sign)(V(select)(back, left, right), y);
    return V(select)(V(either)(V(is_nan)(x), V(is_nan)(y)), V(splat)((T)NAN), value);
}

#endif
