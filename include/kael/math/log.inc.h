/* Logarithms: log, log1p. */
/* x = m 2^k with m in [sqrt(1/2), sqrt(2)) for finite x > 0: returns m - 1. odd: x may be denormal
 * somewhere. */
KL_INLINE V(vec) KL_FN(log_reduce)(V(vec) x, bool odd, V(vec) *k) {
    const KL_WORD one = (KL_WORD)KL_BIAS << KL_FRACTION;
    const KL_WORD root = K.root_half_bits;
    const T rounder = (T)((KL_WORD)1 << KL_FRACTION);
    V(vec) offset = V(splat)(rounder + KL_BIAS);
    if (odd) {
        /* A denormal is scaled up by 2^(fraction + 1), its exponent corrected. */
        const V(mask) tiny = V(lt)(x, V(splat)(K.smallest_normal));
        const T up = (T)((KL_WORD)2 << KL_FRACTION);
        x = V(select)(tiny, V(mul)(x, V(splat)(up)), x);
        offset = V(select)(tiny, V(splat)(rounder + KL_BIAS + KL_FRACTION + 1), offset);
    }
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

/* 0.86 / 0.88 ulp. Vectors without zeros, denormals and what has no logarithm are most: they take
 * 0.63 of the time so, the others 1.08. */
KL_INLINE V(vec) KL_FN(log)(V(vec) x) {
    V(vec) k;
    const V(mask) normal = V(le)(V(splat)(K.smallest_normal), x);
    const V(mask) ordinary = V(both)(normal, V(lt)(x, V(splat)((T)INFINITY)));
    const bool odd = V(any)(V(not)(ordinary));
    const V(vec) f = KL_FN(log_reduce)(x, odd, &k);
    const V(vec) low = V(mul)(k, V(splat)(K.ln2_low));
    const V(vec) value = KL_FN(log_sum)(f, k, low);
    return odd ? KL_FN(log_specials)(x, value) : value;
}

/* log(1 + x): that of the rounded sum u, which is no denormal, and the rounding over u.
 * 0.86 / 0.88 ulp. */
KL_INLINE V(vec) KL_FN(log1p)(V(vec) x) {
    V(vec) k;
    const V(vec) one = V(splat)(1);
    const V(vec) u = V(add)(one, x);
    const V(vec) f = KL_FN(log_reduce)(u, false, &k);
    /* x - (u - 1) where x is the smaller summand, 1 - (u - x) where it is the greater one. */
    const V(vec) lost = V(select)(V(lt)(x, one), V(sub)(x, V(sub)(u, one)),
                                  V(sub)(one, V(sub)(u, x)));
    const V(vec) low = V(fma)(k, V(splat)(K.ln2_low), V(div)(lost, u));
    const V(vec) value = KL_FN(log_sum)(f, k, low);
    return V(select)(V(eq)(x, V(splat)(0)), x, KL_FN(log_specials)(u, value));
}
