/* Roots: rsqrt, cbrt, hypot. */
/* 1 / sqrt(x): one step of Newton takes away what root and quotient lost. 0.51 / 0.51 ulp. */
KL_INLINE V(vec) KL_FN(rsqrt)(V(vec) x) {
    const V(vec) one = V(splat)(1);
    const V(vec) y = V(div)(one, V(sqrt)(x));
    const V(vec) root = V(mul)(x, y);
    const V(vec) root_low = V(fma)(x, y, V(neg)(root));
    /* (1 - x y^2) / 2; NaN for 0 and inf, where y is exact */
    const V(vec) rest = V(fnma)(root_low, y, V(fnma)(root, y, one));
    const V(vec) value = V(fma)(V(mul)(y, V(splat)((T)0.5)), rest, y);
    return V(select)(V(is_nan)(rest), y, value);
}

#if !KL_CAT2(KL_SINGLE_, KL_TYPE)

/* The cube root of x = m 2^(3 q + j), j in {-1, 0, 1}: a polynomial in m, then a step of Halley.
 * 0.51 / 0.51 ulp. */
KL_INLINE V(vec) KL_FN(cbrt)(V(vec) x) {
    V(vec) k;
    const V(vec) a = V(abs)(x), one = V(splat)(1), zero = V(splat)(0);
    const V(vec) f = KL_FN(log_reduce)(a, true, &k);
    const V(vec) rounder = V(splat)(KL_ROUNDER + 2 * KL_BIAS);
    const V(vec) shifted = V(fma)(k, V(splat)((T)(1.0 / 3)), rounder);
    const V(vec) j = V(fnma)(V(sub)(shifted, rounder), V(splat)(3), k);
    const V(mask) below = V(lt)(j, zero), above = V(lt)(zero, j);
    const V(vec) m = V(add)(f, one);
    const V(vec) cube = V(mul)(
        m, V(select)(below, V(splat)((T)0.5), V(select)(above, V(splat)(2), one)));
    const V(vec) root = V(select)(below, V(splat)(K.root_of_half),
                                  V(select)(above, V(splat)(2 * K.root_of_quarter), one));
    const V(vec) y = V(mul)(KL_HORNER(f, cbrt), root);
    /* y (y^3 + 2 c) / (2 y^3 + c) = y + y (c - y^3) / (2 y^3 + c) */
    const V(vec) square = V(mul)(y, y);
    const V(vec) square_low = V(fma)(y, y, V(neg)(square));
    const V(vec) rest = V(fnma)(square_low, y, V(fnma)(square, y, cube));
    const V(vec) step = V(div)(V(mul)(y, rest), V(fma)(V(mul)(square, y), V(splat)(2), cube));
    const V(vec) power = KL_FN(power_of_two)(V(as_bits)(shifted), 0);
    const V(vec) value = KL_FN(add_sign)(V(mul)(V(add)(y, step), power), x);
    const V(mask) ordinary = V(both)(V(lt)(zero, a), V(lt)(a, V(splat)((T)INFINITY)));
    return V(select)(ordinary, value, x);
}

/* sqrt(x^2 + y^2) without overflow on the way; inf where either is, even beside NaN.
 * 0.51 / 1.1 ulp. */
KL_INLINE V(vec) KL_FN(hypot)(V(vec) x, V(vec) y) {
    const V(vec) a = V(abs)(x), b = V(abs)(y), infinity = V(splat)((T)INFINITY);
    const V(mask) infinite = V(either)(V(eq)(a, infinity), V(eq)(b, infinity));
#if KL_CAT2(KL_FOR_FLOATS_, KL_TYPE)
    const V(vec) value = V(sqrt)(V(fma)(a, a, V(mul)(b, b)));
#else
    const V(mask) less = V(lt)(a, b);
    const V(vec) one = V(splat)(1), up = V(splat)(0x1p600), down = V(splat)(0x1p-600);
    const V(vec) great = V(select)(less, b, a), small = V(select)(less, a, b);
    const V(mask) huge = V(lt)(V(splat)(0x1p500), great), tiny = V(lt)(great, V(splat)(0x1p-400));
    const V(vec) scale = V(select)(huge, down, V(select)(tiny, up, one));
    const V(vec) back = V(select)(huge, up, V(select)(tiny, down, one));
    const V(vec) g = V(mul)(great, scale), s = V(mul)(small, scale);
    const V(vec) value = V(mul)(V(sqrt)(V(fma)(g, g, V(mul)(s, s))), back);
#endif
    return V(select)(infinite, infinity, value);
}

#endif
