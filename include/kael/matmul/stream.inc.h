/* The kernels of stream.h in vocabulary words: sums[rows, columns] += a[rows, steps] @
 * b[steps, columns], along the rows of b, a line of each at a time.
 *
 * Registers: rows x steps values of a, the sums of one vector, and one of b, for the rows and steps
 * that the set's file lists as KL_TILE_STREAMS. Each has a body without requests: those for lines
 * that come by themselves, from L3, cost 15% of one row.
 */
/* One vector of columns, or the first `part` of it. */
KL_INLINE void KL_FN(stream_vector)(V(vec) value[][KL_STREAM_STEPS], const int rows,
                                    const int steps, const char *const *b, int64_t b_inner,
                                    char *sums, int64_t sums_row, const bool edge, int64_t part) {
    V(vec) sum[KL_STREAM_ROWS];
    KL_UNROLL for (int i = 0; i < rows; ++i) {
        const T *const old = (const T *)(sums + i * sums_row);
        sum[i] = edge ? V(load_part)(old, part) : V(load)(old);
    }
    KL_UNROLL for (int k = 0; k < steps; ++k) {
        KL_TILE_ORDER;
        const T *const from = (const T *)(b[k / 3] + k % 3 * b_inner);
        const V(vec) row = edge ? V(load_part)(from, part) : V(load)(from);
        KL_UNROLL for (int i = 0; i < rows; ++i) sum[i] = V(fma)(value[i][k], row, sum[i]);
    }
    KL_UNROLL for (int i = 0; i < rows; ++i) {
        T *const to = (T *)(sums + i * sums_row);
        if (edge)
            V(store_part)(to, sum[i], part);
        else
            V(store)(to, sum[i]);
    }
}

/* See struct kl_stream. One base pointer for three rows of b, as in tile_sum. */
KL_INLINE void KL_FN(stream)(const struct kl_stream *job, const int rows, const int steps,
                            const bool asks) {
    enum { BYTES = V(width) * sizeof(T), VECTORS = KL_ALIGNMENT / BYTES };
    const int64_t b_inner = job->b_inner, sums_row = job->sums_row;
    const char *b[(KL_STREAM_STEPS + 2) / 3], *ahead[(KL_STREAM_STEPS + 2) / 3];
    char *sums = job->sums;
    V(vec) value[KL_STREAM_ROWS][KL_STREAM_STEPS];
    KL_UNROLL for (int k = 0; k < steps; ++k) {
        KL_UNROLL for (int i = 0; i < rows; ++i)
            value[i][k] = V(splat)(
                *(const KL_LOOSE *)(job->a + i * job->a_row + k * job->a_inner));
    }
    KL_UNROLL for (int k = 0; k < steps; k += 3) {
        b[k / 3] = job->b + k * b_inner;
        ahead[k / 3] = b[k / 3] + job->ahead;
    }
    int64_t left = job->columns;
    for (; left >= VECTORS * V(width); left -= VECTORS * V(width)) {
        KL_UNROLL for (int k = 0; asks && k < steps; ++k)
            __builtin_prefetch(ahead[k / 3] + k % 3 * b_inner, 0, 2); /* into L2 */
        KL_UNROLL for (int k = 0; asks && k < steps; k += 3) ahead[k / 3] += KL_ALIGNMENT;
        KL_UNROLL for (int v = 0; v < VECTORS; ++v) {
            KL_FN(stream_vector)(value, rows, steps, b, b_inner, sums, sums_row, false, 0);
            KL_UNROLL for (int k = 0; k < steps; k += 3) b[k / 3] += BYTES;
            sums += BYTES;
        }
    }
    for (; left > 0; left -= V(width)) {
        KL_FN(stream_vector)(value, rows, steps, b, b_inner, sums, sums_row, true,
                             kl_min(left, V(width)));
        KL_UNROLL for (int k = 0; k < steps; k += 3) b[k / 3] += BYTES;
        sums += BYTES;
    }
}

#define X(rows, steps)                                                                 \
    _Static_assert((rows) * (steps) + (rows) + 1 + KL_TILE_MASKS <= KL_TILE_REGISTERS, \
                   "the values of this kernel do not fit the registers");              \
    static void KL_FN(stream_##rows##x##steps)(const struct kl_stream *job) {          \
        if (job->ahead != 0)                                                           \
            KL_FN(stream)(job, rows, steps, true);                                     \
        else                                                                           \
            KL_FN(stream)(job, rows, steps, false);                                    \
    }
KL_TILE_STREAMS(X)
#undef X

static const struct kl_stream_kernels KL_FN(stream_kernels) = {
    .rows = KL_TILE_STREAM_ROWS,
    .steps = KL_TILE_STREAM_STEPS,
    .l3_steps = KL_TILE_STREAM_L3_STEPS,
#define X(rows, steps) [steps][(rows) - 1] = KL_FN(stream_##rows##x##steps),
    .kernel = {KL_TILE_STREAMS(X)},
#undef X
};
#undef KL_TILE_STREAMS
#undef KL_TILE_STREAM_ROWS
#undef KL_TILE_STREAM_STEPS
#undef KL_TILE_STREAM_L3_STEPS
