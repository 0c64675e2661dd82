/* Few rows against a transposed b in 256-bit registers, for both x86 sets; see turned.h. Squares of
 * KL_TURNED_LANES rows of b by KL_TURNED_STEPS steps go from memory through the shuffles of
 * ukr_avx2.inc.h straight into fma.
 *
 * Registers: 2 x rows sums, and 8 for a square of 4 (f32) or 2 (f64) vectors, those on their way to
 * one, and a value of a: 4 rows in 16, 12 rows in 32.
 */
#define KL_YMM_f32(name) _mm256_##name##_ps
#define KL_YMM_f64(name) _mm256_##name##_pd
#define KL_YMM(name) KL_CAT2(KL_YMM_, KL_TYPE)(name)
#define KL_YMM_VECTOR_f32 __m256
#define KL_YMM_VECTOR_f64 __m256d
#define KL_YMM_VECTOR KL_CAT2(KL_YMM_VECTOR_, KL_TYPE)

/* sum += the products of step s: lanes of b against values of a. */
KL_INLINE void KL_FN(turned_step)(const char *a, KL_YMM_VECTOR b, const int rows,
                                  KL_YMM_VECTOR *sum) {
    KL_UNROLL for (int i = 0; i < rows; ++i) {
        sum[i] = KL_YMM(fmadd)(KL_YMM(set1)(((const KL_LOOSE *)a)[i]), b, sum[i]);
        KL_SETTLE(sum[i]);
    }
}

/* What becomes of the sums, as with a tile. */
KL_INLINE void KL_FN(turned_end)(const struct kl_turned_stream *stream, const int rows,
                                 const KL_YMM_VECTOR *sum) {
    char *out = stream->out;
    KL_UNROLL for (int i = 0; i < rows; ++i) {
        KL_YMM_VECTOR row = KL_YMM(setzero)();
        if (stream->mode == KL_TILE_ADD) row = KL_YMM(loadu)((const T *)out);
        row = KL_YMM(add)(row, sum[i]);
        if (stream->bias != NULL)
            row = KL_YMM(add)(row, KL_YMM(loadu)((const T *)stream->bias));
        KL_YMM(storeu)((T *)out, row);
        out += stream->out_row;
    }
}

/* Half a square of a stream: lanes of b, of which `low` is the first and `high` the one in the
 * middle, turned on their way into the sums. */
KL_INLINE void KL_FN(turned_half)(const char *a, const char *low, const char *high,
                                  const int64_t column, const int rows, KL_YMM_VECTOR *sum) {
    enum { STEPS = 16 / sizeof(T) };
    const int64_t third = 3 * column;
    __m256 pair[STEPS];
    KL_YMM_VECTOR turned[STEPS];
    KL_UNROLL for (int l = 0; l < STEPS; ++l) {
        const int64_t lane = l < 3 ? l * column : third;
        pair[l] = KL_PAIR(low + lane, high + lane);
    }
    KL_FN(KL_CAT2(turn_, KL_TYPE))(pair, turned);
    KL_UNROLL for (int s = 0; s < STEPS; ++s)
        KL_FN(turned_step)(a + s * rows * (int64_t)sizeof(T), turned[s], rows, sum);
}

/* The streams take turns, half a square at a time. Meanwhile each asks for as many bytes of its
 * next block, row by row, so that memory is read in order, as fast as it can be. */
KL_INLINE void KL_FN(turned)(const struct kl_turned *job, const int rows) {
    enum { LANES = 32 / sizeof(T), STEPS = LANES / 2 };
    const int64_t size = sizeof(T), column = job->b_column;
    const char *a[KL_TURNED_STREAMS], *low[KL_TURNED_STREAMS], *high[KL_TURNED_STREAMS];
    const char *next[KL_TURNED_STREAMS];
    KL_YMM_VECTOR sum[KL_TURNED_STREAMS][KL_TURNED_ROWS];
    KL_UNROLL for (int x = 0; x < KL_TURNED_STREAMS; ++x) {
        a[x] = job->stream[x].a;
        low[x] = job->stream[x].b;
        high[x] = low[x] + STEPS * column;
        next[x] = job->stream[x].next;
        KL_UNROLL for (int i = 0; i < rows; ++i) sum[x][i] = KL_YMM(setzero)();
    }
    const int64_t share = kl_ceil_div(job->inner / STEPS, LANES); /* of one row of the next block */
    int64_t halves;
    for (int64_t left = job->inner / STEPS; left > 0; left -= halves) {
        halves = kl_min(share, left);
        for (int64_t half = halves; half > 0; --half) {
            KL_UNROLL for (int x = 0; x < KL_TURNED_STREAMS; ++x) {
                KL_UNROLL for (int line = 0; line < STEPS * 32; line += 64)
                    __builtin_prefetch(next[x] + line, 0, 2); /* into L2 */
                next[x] += STEPS * 32;
                KL_FN(turned_half)(a[x], low[x], high[x], column, rows, sum[x]);
                a[x] += STEPS * rows * size;
                low[x] += STEPS * size;
                high[x] += STEPS * size;
            }
        }
        KL_UNROLL for (int x = 0; x < KL_TURNED_STREAMS; ++x)
            next[x] += column - halves * STEPS * 32;
    }
    for (int64_t k = job->inner % STEPS; k > 0; --k) {
        KL_UNROLL for (int x = 0; x < KL_TURNED_STREAMS; ++x) {
            T lane[LANES];
            for (int l = 0; l < LANES; ++l) lane[l] = *(const KL_LOOSE *)(low[x] + l * column);
            KL_FN(turned_step)(a[x], KL_YMM(loadu)(lane), rows, sum[x]);
            a[x] += rows * size;
            low[x] += size;
        }
    }
    KL_UNROLL for (int x = 0; x < KL_TURNED_STREAMS; ++x)
        KL_FN(turned_end)(&job->stream[x], rows, sum[x]);
}

/* Twice 12 rows are faster than panels where b comes from beyond L2, twice 4 from beyond L3. */
#if KL_TILE_REGISTERS >= 32
#define KL_TURNED_HEIGHTS(X) KL_HEIGHTS_12(X, 1)
#define KL_TURNED_ONCE (1 << 20)
#else
#define KL_TURNED_HEIGHTS(X) KL_HEIGHTS_4(X, 1)
#define KL_TURNED_ONCE (8 << 20)
#endif

#define X(h, v)                                                         \
    _Static_assert(KL_TURNED_STREAMS * (h) + 8 <= KL_TILE_REGISTERS,    \
                   "the sums of this kernel do not fit the registers"); \
    KL_KERNEL(KL_FN(turned_##h), kl_turned, KL_FN(turned)(job, h))
KL_TURNED_HEIGHTS(X)
#undef X

static const struct kl_turned_kernels KL_FN(turned_kernels) = {
    .lanes = 32 / sizeof(T),
    .once = KL_TURNED_ONCE,
#define X(h, v) [(h) - 1] = KL_FN(turned_##h),
    .kernel = {KL_TURNED_HEIGHTS(X)},
#undef X
#define X(h, v) +1
    .rows = KL_TURNED_HEIGHTS(X),
#undef X
};
#undef KL_TURNED_HEIGHTS
#undef KL_TURNED_ONCE

#undef KL_YMM_f32
#undef KL_YMM_f64
#undef KL_YMM
#undef KL_YMM_VECTOR_f32
#undef KL_YMM_VECTOR_f64
#undef KL_YMM_VECTOR
