/* Functions of the exponential: exp, expm1, sigmoid, tanh. */
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

/* exp(x) - 1 = 2^n (exp(r) - 1) + (2^n - 1). 1.44 / 1.82 ulp. */
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

/* 0.97 / 0.98 ulp. */
KL_INLINE V(vec) KL_FN(sigmoid)(V(vec) x) { return KL_FN(sigmoid_split)(x, V(splat)(0)); }

/* An odd polynomial near 0; 1 - 2 / (exp(2 |x|) + 1) beyond. 1.05 / 1.34 ulp. */
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
