/* Powers, by a logarithm of twice the precision. */
/* log(x) for finite x > 0 to twice the precision: returns the high part. */
KL_INLINE V(vec) KL_FN(log_split)(V(vec) x, V(vec) *low) {
    V(vec) k;
    const V(vec) two = V(splat)(2);
    const V(vec) f = KL_FN(log_reduce)(x, true, &k);
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

/* exp(y log |x|), then C99's special cases. 0.91 / 1.8 ulp. */
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
    const V(vec) kept = V(select)(V(eq)(bounded, product), rest, zero);
    V(vec) low;
    const V(vec) r = KL_FN(exp_reduce_split)(bounded, kept, &low, &steps);
    V(vec) value = KL_FN(scale)(KL_FN(exp_reduced)(r, low), steps);
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
    value = V(select)(odd, KL_FN(add_sign)(value, x), value);
    /* 1 to any power, any base to the power 0, and -1 to an infinite one. */
    const V(mask) infinite = V(eq)(V(abs)(y), infinity);
    const V(mask) unit = V(either)(V(eq)(x, one), V(both)(V(eq)(a, one), infinite));
    return V(select)(V(either)(unit, V(eq)(y, zero)), one, value);
}
