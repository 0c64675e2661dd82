/* Functions of the normal distribution: erfc, gelu and its form with tanh. */
/* Mills' ratio exp(b^2 / 2) P(normal > b) at b = a + a_low >= 0: a polynomial for each of 16
 * pieces, which the exponent and first two bits of a + shift tell apart. Its leading coefficient is
 * exact and all others are small. Returns the high part. */
KL_INLINE V(vec) KL_FN(mills)(V(vec) a, V(vec) a_low, V(vec) *low) {
    const int terms = (int)(sizeof K.mills / sizeof K.mills[0]);
    const V(vec) shifted = V(add)(a, V(splat)(K.mills_shift));
    const V(bits) piece = V(bits_shr)(V(as_bits)(shifted), KL_FRACTION - 2);
    const V(vec) u = V(add)(V(sub)(a, V(lookup)(K.mills_center, piece)), a_low);
    V(vec) slope = V(lookup)(K.mills[0], piece);
    KL_UNROLL
    for (int i = 1; i < terms - 1; ++i) slope = V(fma)(slope, u, V(lookup)(K.mills[i], piece));
    const V(vec) first = V(lookup)(K.mills[terms - 1], piece);
    const V(vec) value = V(fma)(slope, u, first);
    *low = V(fma)(slope, u, V(sub)(first, value));
    return value;
}

/* -a^2 / 2; *low is what its rounding lost. */
KL_INLINE V(vec) KL_FN(half_square)(V(vec) a, V(vec) *low) {
    const V(vec) half = V(mul)(a, V(splat)((T)0.5));
    const V(vec) square = V(mul)(a, half);
    *low = V(fnma)(a, half, square);
    return V(neg)(square);
}

/* x P(normal < x) = max(x, 0) - |x| P(normal > |x|). 1.0 / 1.0 ulp. */
KL_INLINE V(vec) KL_FN(gelu_by_mills)(V(vec) x) {
    V(vec) square_low, mills_low;
    V(bits) steps;
    const V(vec) a = V(min)(V(splat)(K.tail_largest), V(abs)(x));
    const V(vec) square = KL_FN(half_square)(a, &square_low);
    const V(vec) mills = KL_FN(mills)(a, V(splat)(0), &mills_low);
    const V(vec) p = V(mul)(a, mills);
    const V(vec) p_low = V(fma)(a, mills_low, V(fma)(a, mills, V(neg)(p)));
    const V(vec) tail = KL_FN(times_exp)(p, p_low, square, square_low, &steps);
    return V(sub)(V(max)(V(splat)((T)-0.0), x), KL_FN(scale)(tail, steps));
}

/* The derivative of gelu: P(normal < x) + x density(x). */
KL_INLINE V(vec) KL_FN(gelu_slope_by_mills)(V(vec) x) {
    V(vec) square_low, mills_low, low;
    V(bits) steps;
    const V(vec) a = V(min)(V(splat)(K.tail_largest), V(abs)(x));
    const V(vec) square = KL_FN(half_square)(a, &square_low);
    const V(vec) mills = KL_FN(mills)(a, V(splat)(0), &mills_low);
    const V(vec) r = KL_FN(exp_reduce_split)(square, square_low, &low, &steps);
    const V(vec) density = KL_FN(exp_reduced)(r, low);
    /* P(normal > a) - a density(a) */
    const V(vec) bump = V(fnma)(a, V(splat)(K.normal_peak), mills);
    const V(vec) tail = KL_FN(scale)(V(mul)(bump, density), steps);
    const V(vec) value = V(select)(V(lt)(x, V(splat)(0)), tail, V(sub)(V(splat)(1), tail));
    return V(select)(V(is_nan)(x), x, value);
}

/* 1 - erf(a) for a >= 0: exp(-a^2) twice Mills' ratio of sqrt(2) a. */
KL_INLINE V(vec) KL_FN(erfc_right)(V(vec) a) {
    V(vec) mills_low;
    V(bits) steps;
    const V(vec) root = V(splat)(K.root_two);
    const V(vec) b = V(mul)(a, root);
    const V(vec) b_low = V(fma)(a, V(splat)(K.root_two_low), V(fma)(a, root, V(neg)(b)));
    const V(vec) square = V(mul)(a, a);
    const V(vec) square_low = V(fnma)(a, a, square);
    const V(vec) mills = KL_FN(mills)(b, b_low, &mills_low);
    const V(vec) half = KL_FN(times_exp)(mills, mills_low, V(neg)(square), square_low, &steps);
    return KL_FN(scale)(half, V(bits_add)(steps, V(bits_splat)(1)));
}

/* 1 - erf(x). 0.9 / 1.1 ulp. */
KL_INLINE V(vec) KL_FN(erfc)(V(vec) x) {
    const V(vec) a = V(min)(V(splat)(K.erfc_largest), V(abs)(x));
    const V(vec) right = KL_FN(erfc_right)(a);
    return V(select)(V(lt)(x, V(splat)(0)), V(sub)(V(splat)(2), right), right);
}

/* -2 sqrt(2 / pi) (x + 0.044715 x^3), and what its rounding lost in *low; |x| <= tail_largest. */
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
    *low = V(fnma)(x, w_rest, V(fnma)(x, w, y));
    return V(neg)(y);
}

/* 1 / (1 + exp(y)) with y from gelu_argument, as sigmoid_split. */
KL_INLINE V(vec) KL_FN(gelu_tanh_split)(V(vec) x, V(vec) *rest) {
    V(bits) steps;
    V(vec) y_low, low;
    const V(vec) y = KL_FN(gelu_argument)(x, &y_low);
    const V(vec) bounded = V(max)(V(splat)(K.sigmoid_smallest),
                                  V(min)(V(splat)(K.sigmoid_largest), y));
    const V(vec) r = KL_FN(exp_reduce_split)(bounded, y_low, &low, &steps);
    const V(vec) s = KL_FN(sigmoid_split)(r, steps, rest);
    /* low moves the logarithm of s by s - 1 times that. */
    const V(vec) slope = V(fnma)(s, V(splat)(K.sigmoid_scale), V(splat)(1));
    *rest = V(fnma)(low, slope, *rest);
    return s;
}

/* x / (1 + exp(-y)) with y from gelu_argument: gelu with tanh in place of erf. 0.9 / 1.6 ulp. */
KL_INLINE V(vec) KL_FN(gelu_tanh)(V(vec) x) {
    V(vec) rest;
    const V(vec) limit = V(splat)(K.tail_largest);
    const V(vec) bounded = V(max)(V(neg)(limit), V(min)(limit, x));
    const V(vec) s = KL_FN(gelu_tanh_split)(bounded, &rest);
    const V(vec) p = V(mul)(bounded, s);
    const V(vec) p_rest = V(fma)(p, rest, V(fma)(bounded, s, V(neg)(p)));
    const V(vec) value = V(mul)(V(add)(p, p_rest), V(splat)(K.sigmoid_scale));
    /* The sign is lost by -0 only. */
    return V(select)(V(lt)(limit, x), x, KL_FN(add_sign)(value, x));
}

/* Its derivative: s + x s (1 - s) y'. */
KL_INLINE V(vec) KL_FN(gelu_tanh_slope)(V(vec) x) {
    V(vec) rest;
    const V(vec) one = V(splat)(1), limit = V(splat)(K.tail_largest);
    const V(vec) bounded = V(max)(V(neg)(limit), V(min)(limit, x));
    const V(vec) split = KL_FN(gelu_tanh_split)(bounded, &rest);
    const V(vec) s = V(mul)(V(fma)(split, rest, split), V(splat)(K.sigmoid_scale));
    const V(vec) z = V(mul)(bounded, bounded);
    const V(vec) slope = V(fma)(z, V(splat)(3 * K.gelu_cubic), V(splat)(K.gelu_linear));
    return V(fma)(V(mul)(bounded, slope), V(mul)(s, V(sub)(one, s)), s);
}
