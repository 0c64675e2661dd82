/* Hyperbolic functions: sinh, cosh; tanh is in pieces.inc.h. */
#if !KL_CAT2(KL_SINGLE_, KL_TYPE)

/* exp(a) / 2, rounded once, which overflows where cosh does. */
KL_INLINE V(vec) KL_FN(half_exp)(V(vec) a) {
    V(vec) low;
    V(bits) steps;
    a = V(min)(V(splat)(K.sinh_largest), a);
    const V(vec) r = KL_FN(exp_reduce_split)(a, V(splat)(0), &low, &steps);
    return KL_FN(scale)(KL_FN(exp_reduced)(r, low), V(bits_sub)(steps, V(bits_splat)(1)));
}

/* (exp(a) - exp(-a)) / 2; an odd polynomial below 1. 0.51 / 1.7 ulp. */
KL_INLINE V(vec) KL_FN(sinh)(V(vec) x) {
    const V(vec) a = V(abs)(x);
    const V(vec) half = KL_FN(half_exp)(a);
    const V(vec) far = V(sub)(half, V(div)(V(splat)((T)0.25), half));
    const V(vec) z = V(mul)(a, a);
    const V(vec) near = V(fma)(V(mul)(a, z), KL_HORNER(z, sinh), a);
    return KL_FN(add_sign)(V(select)(V(lt)(a, V(splat)(1)), near, far), x);
}

/* (exp(a) + exp(-a)) / 2. 0.51 / 1.2 ulp. */
KL_INLINE V(vec) KL_FN(cosh)(V(vec) x) {
    const V(vec) half = KL_FN(half_exp)(V(abs)(x));
    return V(add)(half, V(div)(V(splat)((T)0.25), half));
}

#endif
