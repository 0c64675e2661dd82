/* gelu and its derivative, which f32 has by pieces. */
#if KL_CAT2(KL_SINGLE_, KL_TYPE)

/* Pieces are where 0.2359 (a + 0.096) (a + 5.904) rounds to the same integer. */
KL_INLINE V(bits) KL_FN(gelu_piece)(V(vec) a) {
    const V(vec) scaled = V(fma)(a, V(splat)((T)0.2359), V(splat)((T)(0.2359 * 0.096)));
    const V(vec) other = V(add)(a, V(splat)((T)5.904));
    return V(as_bits)(V(fma)(scaled, other, V(splat)(KL_ROUNDER)));
}

/* Beyond the pieces, on the far left, all lanes are computed again. */
static __attribute__((noinline)) KL_UNUSED V(vec) KL_FN(gelu_far)(V(vec) x) {
    return KL_FN(gelu_by_mills)(x);
}
static __attribute__((noinline)) KL_UNUSED V(vec) KL_FN(gelu_slope_far)(V(vec) x) {
    return KL_FN(gelu_slope_by_mills)(x);
}

/* max(x, 0) - |x| P(normal > |x|). 1.0 ulp. */
KL_INLINE V(vec) KL_FN(gelu)(V(vec) x) {
    const V(vec) end = V(splat)(K.gelu_largest);
    const V(vec) a = V(min)(end, V(abs)(x));
    const struct KL_FN(piece) at = KL_PIECE(a, KL_FN(gelu_piece)(a), gelu);
    /* Of three sums only the last one rounds, whose order keeps the sign of -0. */
    const V(vec) right = V(max)(V(splat)((T)-0.0), x);
    const V(vec) base = V(sub)(right, at.first);
    const V(vec) main = V(fnma)(at.u, at.slope, base);
    const V(vec) lost = V(add)(V(fma)(at.u, at.slope, V(sub)(main, base)),
                               V(sub)(at.first, V(sub)(right, base)));
    const V(vec) bend = V(fma)(V(mul)(at.u, at.u), at.curve, lost);
    /* gelu(inf) is no difference of infinities. */
    const V(vec) value = V(select)(V(lt)(end, x), x, V(sub)(main, bend));
    const V(mask) far = V(lt)(x, V(neg)(end));
    if (KL_LIKELY(!V(any)(far))) return value;
    return V(select)(far, KL_FN(gelu_far)(x), value);
}

/* P(normal < x) + x density(x). */
KL_INLINE V(vec) KL_FN(gelu_slope)(V(vec) x) {
    const V(vec) end = V(splat)(K.gelu_largest);
    const V(vec) a = V(min)(end, V(abs)(x));
    const struct KL_FN(piece) at = KL_PIECE(a, KL_FN(gelu_piece)(a), gelu_slope);
    const V(vec) left = V(fma)(at.u, V(fma)(at.u, at.curve, at.slope), at.first);
    const V(vec) bump = V(select)(V(lt)(end, x), V(splat)(0), left);
    const V(vec) value = V(select)(V(lt)(x, V(splat)(0)), left, V(sub)(V(splat)(1), bump));
    const V(mask) far = V(lt)(x, V(neg)(end));
    if (KL_LIKELY(!V(any)(far))) return value;
    return V(select)(far, KL_FN(gelu_slope_far)(x), value);
}

#else

/* 1.0 ulp. */
KL_INLINE V(vec) KL_FN(gelu)(V(vec) x) { return KL_FN(gelu_by_mills)(x); }
KL_INLINE V(vec) KL_FN(gelu_slope)(V(vec) x) { return KL_FN(gelu_slope_by_mills)(x); }

#endif
