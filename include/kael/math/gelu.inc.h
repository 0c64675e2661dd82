/* gelu and its derivative. f32 has 16 pieces, each a polynomial: no exponential, no division. */
#if KL_CAT2(KL_SINGLE_, KL_TYPE)

/* The function of a table at a, one polynomial for each of the 16 pieces where 0.32 a (a + 3)
 * rounds to the same integer: first + slope u + curve u^2 with u measured from its center. */
struct KL_FN(piece) {
    V(vec) u, first, slope, curve;
};

KL_INLINE struct KL_FN(piece) KL_FN(piece_at)(V(vec) a, const T (*table)[16], int terms) {
    struct KL_FN(piece) at;
    const V(vec) scaled = V(mul)(a, V(splat)((T)0.32));
    const V(bits) piece =
        V(as_bits)(V(fma)(scaled, V(add)(a, V(splat)(3)), V(splat)(KL_ROUNDER)));
    at.u = V(sub)(a, V(lookup)(K.gelu_center, piece));
    at.curve = V(lookup)(table[0], piece);
    KL_UNROLL
    for (int i = 1; i < terms - 2; ++i)
        at.curve = V(fma)(at.curve, at.u, V(lookup)(table[i], piece));
    at.slope = V(lookup)(table[terms - 2], piece);
    at.first = V(lookup)(table[terms - 1], piece);
    return at;
}

#define KL_PIECE(a, table) \
    KL_FN(piece_at)(a, K.table, (int)(sizeof K.table / sizeof K.table[0]))

/* Beyond the pieces, on the far left, all lanes are computed again. */
static __attribute__((noinline)) KL_UNUSED V(vec) KL_FN(gelu_far)(V(vec) x) {
    return KL_FN(gelu_by_mills)(x);
}
static __attribute__((noinline)) KL_UNUSED V(vec) KL_FN(gelu_slope_far)(V(vec) x) {
    return KL_FN(gelu_slope_by_mills)(x);
}

/* max(x, 0) - |x| P(normal > |x|). 1.2 ulp. */
KL_INLINE V(vec) KL_FN(gelu)(V(vec) x) {
    const V(vec) end = V(splat)(K.gelu_largest);
    const struct KL_FN(piece) at = KL_PIECE(V(min)(end, V(abs)(x)), gelu);
    /* Of three sums only the last one rounds. */
    const V(vec) right = V(max)(V(splat)((T)-0.0), x);
    const V(vec) base = V(sub)(right, at.first);
    const V(vec) main = V(fnma)(at.u, at.slope, base);
    const V(vec) lost = V(add)(V(fnma)(at.u, at.slope, V(sub)(base, main)),
                               V(sub)(V(sub)(right, base), at.first));
    const V(vec) sum = V(add)(main, V(fnma)(V(mul)(at.u, at.u), at.curve, lost));
    /* gelu(-0) is -0, gelu(inf) no difference of infinities. */
    const V(vec) value = V(select)(V(lt)(end, x), x, KL_FN(add_sign)(sum, x));
    const V(mask) far = V(lt)(x, V(neg)(end));
    if (KL_LIKELY(!V(any)(far))) return value;
    return V(select)(far, KL_FN(gelu_far)(x), value);
}

/* P(normal < x) + x density(x). */
KL_INLINE V(vec) KL_FN(gelu_slope)(V(vec) x) {
    const V(vec) end = V(splat)(K.gelu_largest);
    const struct KL_FN(piece) at = KL_PIECE(V(min)(end, V(abs)(x)), gelu_slope);
    const V(vec) left = V(fma)(at.u, V(fma)(at.u, at.curve, at.slope), at.first);
    const V(vec) bump = V(select)(V(lt)(end, x), V(splat)(0), left);
    const V(vec) value = V(select)(V(lt)(x, V(splat)(0)), left, V(sub)(V(splat)(1), bump));
    const V(mask) far = V(lt)(x, V(neg)(end));
    if (KL_LIKELY(!V(any)(far))) return value;
    return V(select)(far, KL_FN(gelu_slope_far)(x), value);
}

#else

/* 1.5 ulp. */
KL_INLINE V(vec) KL_FN(gelu)(V(vec) x) { return KL_FN(gelu_by_mills)(x); }
KL_INLINE V(vec) KL_FN(gelu_slope)(V(vec) x) { return KL_FN(gelu_slope_by_mills)(x); }

#endif
