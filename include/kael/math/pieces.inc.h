/* tanh and erf; f32 has these, and gelu, by 16 pieces, each a polynomial: no exponential, no
 * division. */
#if KL_CAT2(KL_SINGLE_, KL_TYPE)

/* A function at a, inside a piece: first + slope u + curve u^2, u measured from the center. */
struct KL_FN(piece) {
    V(vec) u, first, slope, curve;
};

/* The piece that the low four bits of index name; tables list the highest coefficients first. */
KL_INLINE struct KL_FN(piece) KL_FN(piece_at)(V(vec) a, V(bits) index, const T *center,
                                              const T (*table)[16], int terms) {
    struct KL_FN(piece) at;
    at.u = V(sub)(a, V(lookup)(center, index));
    at.curve = V(lookup)(table[0], index);
    KL_UNROLL
    for (int i = 1; i < terms - 2; ++i)
        at.curve = V(fma)(at.curve, at.u, V(lookup)(table[i], index));
    at.slope = V(lookup)(table[terms - 2], index);
    at.first = V(lookup)(table[terms - 1], index);
    return at;
}

#define KL_PIECE(a, index, table)                               \
    KL_FN(piece_at)(a, index, K.KL_CAT2(table, _center), K.table, \
                    (int)(sizeof K.table / sizeof K.table[0]))

/* An odd function of x, whose slope is in two parts, the second one with what curves. */
KL_INLINE V(vec) KL_FN(odd_piece)(struct KL_FN(piece) at, V(vec) x) {
    const V(vec) bend = V(mul)(at.u, at.curve);
    return KL_FN(add_sign)(V(add)(at.first, V(fma)(at.u, at.slope, bend)), x);
}

/* The exponent and the first two bits of 1 + scale a tell pieces apart. */
KL_INLINE V(bits) KL_FN(octave_piece)(V(vec) a, T scale) {
    const V(vec) shifted = V(fma)(a, V(splat)(scale), V(splat)(1));
    return V(bits_shr)(V(as_bits)(shifted), KL_FRACTION - 2);
}

/* 0.9 ulp. */
KL_INLINE V(vec) KL_FN(tanh)(V(vec) x) {
    const V(vec) a = V(min)(V(splat)(K.tanh_largest), V(abs)(x));
    return KL_FN(odd_piece)(KL_PIECE(a, KL_FN(octave_piece)(a, (T)1.65), tanh), x);
}

/* 1.0 ulp, just above the denormals; 0.9 elsewhere. */
KL_INLINE V(vec) KL_FN(erf)(V(vec) x) {
    const V(vec) a = V(min)(V(splat)(K.erf_largest), V(abs)(x));
    return KL_FN(odd_piece)(KL_PIECE(a, KL_FN(octave_piece)(a, (T)3.8), erf), x);
}

#else

/* An odd polynomial near 0; 1 - 2 / (exp(2 |x|) + 1) beyond, where n ln2_low does not matter.
 * 1.4 ulp. */
KL_INLINE V(vec) KL_FN(tanh)(V(vec) x) {
    const V(vec) one = V(splat)(1);
    const V(vec) a = V(min)(V(splat)(K.tanh_largest), V(abs)(x));
    const V(vec) rounder = V(splat)(KL_ROUNDER + 2 * KL_BIAS);
    const V(vec) shifted = V(fma)(a, V(splat)(2 * K.log2e), rounder);
    const V(vec) n = V(sub)(shifted, rounder);
    /* d = (exp(2 a) + 1) / 2 */
    const V(vec) r = V(fnma)(n, V(splat)(K.ln2), V(add)(a, a));
    const V(vec) t = V(fma)(V(mul)(r, r), KL_HORNER(r, exp_short), r);
    const V(vec) power = KL_FN(power_of_two)(V(as_bits)(shifted), 1);
    const V(vec) d = V(fma)(power, t, V(add)(power, V(splat)((T)0.5)));
    const V(vec) far = V(sub)(one, V(div)(one, d));
    const V(vec) z = V(mul)(a, a);
    const V(vec) near = V(fma)(V(mul)(a, z), KL_HORNER(z, tanh), a);
    const V(vec) value = V(select)(V(lt)(a, V(splat)(K.tanh_small)), near, far);
    return KL_FN(add_sign)(value, x);
}

/* An odd polynomial near 0; 1 - erfc(|x|) beyond. 0.9 ulp. */
KL_INLINE V(vec) KL_FN(erf)(V(vec) x) {
    const V(vec) one = V(splat)(1);
    const V(vec) a = V(min)(V(splat)(K.erf_largest), V(abs)(x));
    const V(vec) far = V(sub)(one, KL_FN(erfc_right)(a));
    const V(vec) z = V(mul)(a, a);
    const V(vec) slope = V(fma)(z, KL_HORNER(z, erf), V(splat)(K.erf_slope));
    const V(vec) near = V(fma)(a, slope, a);
    return KL_FN(add_sign)(V(select)(V(lt)(a, V(splat)(K.erf_small)), near, far), x);
}

#endif
