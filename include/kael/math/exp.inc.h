/* Functions of the exponential: exp, expm1, sigmoid. */
/* x + x_low = n ln 2 + r + *low with |r| <= ln 2 / 2 and a small x_low: returns r; the low bits of
 * *steps hold n + 2 * bias. The first fnma is exact: n ln2 and x have no bits below the last place
 * of r. */
KL_INLINE V(vec) KL_FN(exp_reduce_split)(V(vec) x, V(vec) x_low, V(vec) *low, V(bits) *steps) {
    const V(vec) rounder = V(splat)(KL_ROUNDER + 2 * KL_BIAS);
    const V(vec) shifted = V(fma)(x, V(splat)(K.log2e), rounder);
    const V(vec) n = V(sub)(shifted, rounder);
    *steps = V(as_bits)(shifted);
    const V(vec) main = V(fnma)(n, V(splat)(K.ln2), x);
    const V(vec) rest = V(fnma)(n, V(splat)(K.ln2_low), x_low);
    const V(vec) r = V(add)(main, rest);
    *low = V(add)(V(sub)(main, r), rest);
    return r;
}

/* The same without the low parts. */
KL_INLINE V(vec) KL_FN(exp_reduce)(V(vec) x, V(bits) *steps) {
    const V(vec) rounder = V(splat)(KL_ROUNDER + 2 * KL_BIAS);
    const V(vec) shifted = V(fma)(x, V(splat)(K.log2e), rounder);
    const V(vec) n = V(sub)(shifted, rounder);
    *steps = V(as_bits)(shifted);
    return V(fnma)(n, V(splat)(K.ln2_low), V(fnma)(n, V(splat)(K.ln2), x));
}

/* exp(r + low) - 1 - r for |r| <= ln 2 / 2 and a small low. */
KL_INLINE V(vec) KL_FN(exp_rest)(V(vec) r, V(vec) low) {
    return V(fma)(V(mul)(r, r), KL_HORNER(r, exp), low);
}

/* exp(r + low), of which only the last sum is rounded. */
KL_INLINE V(vec) KL_FN(exp_reduced)(V(vec) r, V(vec) low) {
    const V(vec) one = V(splat)(1);
    const V(vec) main = V(add)(one, r);
    const V(vec) lost = V(sub)(r, V(sub)(main, one));
    return V(add)(main, KL_FN(exp_rest)(r, V(add)(lost, low)));
}

/* exp of what is not above exp_largest. 0.99 / 1.0 ulp: of what r and 1 + r lose nothing is carried
 * along, for speed. */
KL_INLINE V(vec) KL_FN(exp_below)(V(vec) x) {
    V(bits) steps;
    x = V(max)(V(splat)(K.exp_smallest), x);
    const V(vec) r = KL_FN(exp_reduce)(x, &steps);
    const V(vec) t = KL_FN(exp_rest)(r, r);
    return KL_FN(scale)(V(add)(V(splat)(1), t), steps);
}

KL_INLINE V(vec) KL_FN(exp)(V(vec) x) {
    return KL_FN(exp_below)(V(min)(V(splat)(K.exp_largest), x));
}

/* (p + p_low) exp(x + x_low) 2^-n, of which only the last sum is rounded; n is in steps. */
KL_INLINE V(vec) KL_FN(times_exp)(V(vec) p, V(vec) p_low, V(vec) x, V(vec) x_low, V(bits) *steps) {
    V(vec) low;
    const V(vec) r = KL_FN(exp_reduce_split)(x, x_low, &low, steps);
    const V(vec) one = V(splat)(1);
    const V(vec) main = V(add)(one, r);
    const V(vec) lost = V(add)(V(sub)(r, V(sub)(main, one)), low);
    const V(vec) q = V(fma)(V(mul)(r, r), KL_HORNER(r, exp_short), lost);
    return V(fma)(p, main, V(fma)(p, q, V(mul)(p_low, main)));
}

/* exp(x) - 1 = (2^n - 1 + 2^n r) + 2^n (exp(r) - 1 - r). 0.9 / 1.2 ulp. */
KL_INLINE V(vec) KL_FN(expm1)(V(vec) x) {
    V(bits) steps;
    V(vec) low;
    /* Below -40 the result is -1; the upper bound overflows. */
    const V(vec) bounded =
        V(max)(V(splat)(-40), V(min)(V(splat)(K.exp_largest), x));
    const V(vec) r = KL_FN(exp_reduce_split)(bounded, V(splat)(0), &low, &steps);
    /* 2^(n - 1), since 2^n overflows where the result need not. */
    const V(vec) power = KL_FN(power_of_two)(steps, 1);
    const V(vec) unit = V(splat)((T)0.5);
    const V(vec) base = V(sub)(power, unit);
    const V(vec) base_rest = V(sub)(V(sub)(power, base), unit);
    const V(vec) main = V(fma)(power, r, base);
    const V(vec) lost = V(add)(V(fma)(power, r, V(sub)(base, main)), base_rest);
    const V(vec) value = V(add)(main, V(fma)(power, KL_FN(exp_rest)(r, low), lost));
    /* Halves would lose denormals, and -0. */
    const V(vec) tiny = V(splat)((T)1 / (T)((KL_WORD)128 << KL_FRACTION));
    return V(select)(V(lt)(V(abs)(x), tiny), x, V(add)(value, value));
}

/* With a = n ln 2 + r and steps holding n: 1 / (1 + exp(a)) = s (1 + *rest) 2^-k, k the bits of T;
 * returns s. The scale keeps every step from overflow where the quotient is denormal. */
KL_INLINE V(vec) KL_FN(sigmoid_split)(V(vec) r, V(bits) steps, V(vec) *rest) {
    const V(vec) one = V(splat)(1), scaled = V(splat)(K.sigmoid_scale);
    const V(vec) t = V(fma)(V(mul)(r, r), KL_HORNER(r, exp_short), r);
    const V(vec) power = KL_FN(power_of_two)(steps, (int)sizeof(T) * 8);
    /* d = (1 + 2^n) + 2^n t; what the first sum loses of a 2^n below 2^-25 does not matter. */
    const V(vec) base = V(add)(power, scaled);
    const V(vec) base_rest = V(sub)(scaled, V(sub)(base, power));
    const V(vec) d = V(fma)(power, t, base);
    const V(vec) d_rest = V(add)(V(fma)(power, t, V(sub)(base, d)), base_rest);
    const V(vec) s = V(div)(one, d);
    *rest = V(fnma)(d_rest, s, V(fnma)(d, s, one));
    return s;
}

/* 1.0 / 1.0 ulp. */
KL_INLINE V(vec) KL_FN(sigmoid)(V(vec) x) {
    V(bits) steps;
    V(vec) rest;
    const V(vec) a = V(max)(V(splat)(K.sigmoid_smallest),
                            V(min)(V(splat)(K.sigmoid_largest), V(neg)(x)));
    const V(vec) r = KL_FN(exp_reduce)(a, &steps);
    const V(vec) s = KL_FN(sigmoid_split)(r, steps, &rest);
    return V(mul)(V(fma)(s, rest, s), V(splat)(K.sigmoid_scale));
}
