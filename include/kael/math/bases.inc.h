/* Exponentials and logarithms of other bases: exp2, log2, log10. */
/* 2^x = 2^n exp(f ln 2) with x = n + f. 0.8 / 0.8 ulp. */
KL_INLINE V(vec) KL_FN(exp2)(V(vec) x) {
    /* Twice the range, so that no rounding is lost; NaN passes. */
    x = V(max)(V(splat)(-2 * KL_BIAS), V(min)(V(splat)(KL_BIAS + 1), x));
    const V(vec) rounder = V(splat)(KL_ROUNDER + 2 * KL_BIAS);
    const V(vec) shifted = V(add)(x, rounder);
    const V(vec) f = V(sub)(x, V(sub)(shifted, rounder));
    const V(vec) r = V(mul)(f, V(splat)(K.ln2));
    const V(vec) low =
        V(fma)(f, V(splat)(K.ln2_low), V(fma)(f, V(splat)(K.ln2), V(neg)(r)));
    return KL_FN(scale)(KL_FN(exp_reduced)(r, low), V(as_bits)(shifted));
}

/* log(x) / log(base) = k unit + log(m) factor, both factors in two parts. */
KL_INLINE V(vec) KL_FN(log_base)(V(vec) x, T unit, T unit_low, T factor, T factor_low) {
    V(vec) k;
    const V(vec) f = KL_FN(log_reduce)(x, true, &k);
    /* log(m) = f - (h - s (h + R)) as in log_sum, in two parts */
    const V(vec) s = V(div)(f, V(add)(V(splat)(2), f));
    const V(vec) z = V(mul)(s, s);
    const V(vec) half = V(mul)(V(splat)((T)0.5), f);
    const V(vec) h = V(mul)(half, f);
    const V(vec) h_low = V(fma)(half, f, V(neg)(h));
    const V(vec) main = V(sub)(f, h);
    const V(vec) small = V(fma)(s, V(fma)(z, KL_HORNER(z, log), h), V(neg)(h_low));
    const V(vec) rest = V(add)(V(sub)(V(sub)(f, main), h), small);
    const V(vec) p = V(mul)(main, V(splat)(factor));
    const V(vec) p_low = V(fma)(main, V(splat)(factor), V(neg)(p));
    const V(vec) q = V(fma)(rest, V(splat)(factor), V(fma)(main, V(splat)(factor_low), p_low));
    /* |k unit| > |p| unless k = 0, where the sum is p. */
    const V(vec) n = V(mul)(k, V(splat)(unit));
    const V(vec) n_low = V(fma)(k, V(splat)(unit_low), V(fma)(k, V(splat)(unit), V(neg)(n)));
    const V(vec) sum = V(add)(n, p);
    const V(vec) lost = V(add)(V(sub)(V(sub)(n, sum), V(neg)(p)), V(add)(n_low, q));
    const V(vec) value = V(add)(sum, V(select)(V(eq)(k, V(splat)(0)), q, lost));
    return KL_FN(log_specials)(x, value);
}

/* 0.76 / 0.8 ulp; exact for powers of two. */
KL_INLINE V(vec) KL_FN(log2)(V(vec) x) {
    return KL_FN(log_base)(x, 1, 0, K.log2e, K.log2e_low);
}

/* 0.75 / 0.75 ulp. */
KL_INLINE V(vec) KL_FN(log10)(V(vec) x) {
    return KL_FN(log_base)(x, K.log10_2, K.log10_2_low, K.log10e, K.log10e_low);
}
