/* Multiply-adds in registers, and walks along arrays; a body for each type. */

/* Every chain becomes 0.999 x + 0.001: it tends to 1, so that nothing overflows or is denormal. */
KL_INLINE double KL_FN(machine_fma)(int64_t steps, const int chains) {
    const V(vec) factor = V(splat)((T)0.999), term = V(splat)((T)1e-3);
    V(vec) chain[KL_MACHINE_MANY];
    KL_UNROLL
    for (int c = 0; c < chains; c++) chain[c] = V(splat)((T)c);
    for (int64_t i = 0; i < steps; i++) {
        KL_UNROLL
        for (int c = 0; c < chains; c++) chain[c] = V(fma)(chain[c], factor, term);
    }
    KL_UNROLL
    for (int c = 1; c < chains; c++) chain[0] = V(add)(chain[0], chain[c]);
    return V(head)(chain[0]);
}

static double KL_FN(machine_fma_few)(int64_t steps) {
    return KL_FN(machine_fma)(steps, KL_MACHINE_FEW);
}
static double KL_FN(machine_fma_many)(int64_t steps) {
    return KL_FN(machine_fma)(steps, KL_MACHINE_MANY);
}

/* The sum of g: eight chains, so that memory is what it waits for. */
static double KL_FN(machine_read)(const T *g, int64_t count) {
    enum { width = V(width), chains = 8 };
    V(vec) sum[chains];
    KL_UNROLL
    for (int c = 0; c < chains; c++) sum[c] = V(splat)(0);
    int64_t i = 0;
    for (; i + chains * width <= count; i += chains * width) {
        KL_UNROLL
        for (int c = 0; c < chains; c++) sum[c] = V(add)(sum[c], V(load)(g + i + c * width));
    }
    for (; i < count; i += width) {
        sum[0] = V(add)(sum[0], V(load_part)(g + i, kl_min(width, count - i)));
    }
    KL_UNROLL
    for (int c = 1; c < chains; c++) sum[0] = V(add)(sum[0], sum[c]);
    return V(head)(sum[0]);
}

/* An optimizer's traffic: p and as many states as there are move by g. count lanes at i: whole
 * vectors by plain loads, the last ones by masked ones. */
#define KL_GET(x) (count == V(width) ? V(load)((x) + i) : V(load_part)((x) + i, count))
#define KL_PUT(x, value) \
    (count == V(width) ? V(store)((x) + i, value) : V(store_part)((x) + i, value, count))
KL_INLINE void KL_FN(machine_move)(T *p, const T *g, T *a, T *b, int64_t i, const int64_t count,
                                   const int states) {
    V(vec) step = KL_GET(g);
    if (states > 1) {
        const V(vec) next = V(sub)(KL_GET(b), step);
        KL_PUT(b, next);
        step = V(add)(step, next);
    }
    if (states > 0) {
        const V(vec) next = V(sub)(KL_GET(a), step);
        KL_PUT(a, next);
        step = V(add)(step, next);
    }
    KL_PUT(p, V(add)(KL_GET(p), step));
}
#undef KL_GET
#undef KL_PUT

KL_INLINE void KL_FN(machine_update)(T *p, const T *g, T *a, T *b, int64_t count,
                                     const int states) {
    int64_t i = 0;
    for (; i + V(width) <= count; i += V(width)) {
        KL_FN(machine_move)(p, g, a, b, i, V(width), states);
    }
    if (i < count) KL_FN(machine_move)(p, g, a, b, i, count - i, states);
}

static double KL_FN(machine_stream)(const struct kl_machine_stream *stream, int64_t first,
                                    int64_t last) {
    const T *g = (const T *)stream->g + first;
    const int64_t count = last - first;
    if (stream->p == NULL) return KL_FN(machine_read)(g, count);
    T *p = (T *)stream->p + first;
    T *a = stream->a == NULL ? NULL : (T *)stream->a + first;
    T *b = stream->b == NULL ? NULL : (T *)stream->b + first;
    if (b != NULL) KL_FN(machine_update)(p, g, a, b, count, 2);
    else if (a != NULL) KL_FN(machine_update)(p, g, a, NULL, count, 1);
    else KL_FN(machine_update)(p, g, NULL, NULL, count, 0);
    return 0;
}
