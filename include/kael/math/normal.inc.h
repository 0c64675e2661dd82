/* Functions of the normal distribution: erf, gelu and its form with tanh. */
/* For a >= 0: P(normal > a) = factor 2^n, with n + 2 * bias in steps. *density is the factor of
 * exp(-a^2 / 2). */
KL_INLINE V(vec) KL_FN(normal_tail)(V(vec) a, V(vec) *density, V(bits) *steps) {
    /* -a^2 / 2, and what its rounding lost */
    const V(vec) half = V(mul)(a, V(splat)((T)-0.5));
    const V(vec) square = V(mul)(a, half);
    const V(vec) lost = V(fma)(a, half, V(neg)(square));
    const V(vec) r = V(add)(KL_FN(exp_reduce)(square, steps), lost);
    *density = V(add)(V(splat)(1), KL_FN(expm1_reduced)(r));
    /* Every coefficient is positive: nothing cancels. */
    const V(vec) above = V(mul)(*density, KL_HORNER(a, tail_above));
    return V(div)(above, KL_HORNER(a, tail_below));
}

/* x P(normal < x): x - x p or -|x| p, where p is the tail of |x|. 6.2 / 8.1 ulp, in the far left
 * tail; 1.7 ulp for x > 1/2. */
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

/* An odd polynomial near 0; 1 - 2 P(normal > sqrt(2) |x|) beyond. 1.48 / 1.62 ulp. */
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

/* x / (1 + exp(-y)) with y from gelu_argument: gelu with tanh in place of erf. 1.6 / 1.6 ulp;
 * where 1 / (1 + exp(-y)) is denormal, its rounding times x. */
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
