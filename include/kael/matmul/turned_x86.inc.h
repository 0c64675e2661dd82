/* Few rows against a transposed b in vectors of x86, as wide as the set has them; see turned.h.
 * Squares of as many rows of b as a vector has lanes, by 16 bytes of each, go from memory through
 * KL_TURNED_SQUARE, which turns them, straight into fma.
 *
 * The file of the set says how many streams go abreast, KL_TURNED_ABREAST, and for which heights,
 * KL_TURNED_HEIGHTS(X). Registers: streams x rows sums, and 8 for a square of 4 (f32) or 2 (f64)
 * vectors, those on their way to one, and a value of a: 2 x 4 rows in 16, 24 rows in 32.
 */
/* sum += the products of step s: lanes of b against values of a. */
KL_INLINE void KL_FN(turned_step)(const char *a, V(vec) b, const int rows, V(vec) *sum) {
    KL_UNROLL for (int i = 0; i < rows; ++i) {
        sum[i] = V(fma)(V(splat)(((const KL_LOOSE *)a)[i]), b, sum[i]);
        KL_SETTLE(sum[i]);
    }
}

/* What becomes of the sums, as with a tile. */
KL_INLINE void KL_FN(turned_end)(const struct kl_turned_stream *stream, const int rows,
                                 const V(vec) *sum) {
    char *out = stream->out;
    const char *bias = stream->bias;
    KL_UNROLL for (int i = 0; i < rows; ++i) {
        V(vec) row = V(splat)((T)0);
        if (stream->mode == KL_TILE_ADD) row = V(load)((const T *)out);
        row = V(add)(row, sum[i]);
        if (stream->bias != NULL) row = V(add)(row, V(load)((const T *)bias));
        V(store)((T *)out, row);
        out += stream->out_row;
        bias += stream->bias_row;
    }
}

/* The streams take turns, a square at a time. Meanwhile each asks for as many bytes of its next
 * block, row by row, so that memory is read in order, as fast as it can be. */
KL_INLINE void KL_FN(turned)(const struct kl_turned *job, const int rows) {
    enum { STREAMS = KL_TURNED_ABREAST, LANES = V(width), STEPS = 16 / sizeof(T) };
    enum { GROUPS = LANES / STEPS, BYTES = LANES * 16 };
    const int64_t size = sizeof(T), column = job->b_column;
    const char *a[STREAMS], *b[STREAMS][GROUPS], *next[STREAMS];
    V(vec) sum[STREAMS][KL_TURNED_ROWS];
    KL_UNROLL for (int x = 0; x < STREAMS; ++x) {
        a[x] = job->stream[x].a;
        KL_UNROLL for (int g = 0; g < GROUPS; ++g) b[x][g] = job->stream[x].b + g * STEPS * column;
        next[x] = job->stream[x].next;
        KL_UNROLL for (int i = 0; i < rows; ++i) sum[x][i] = V(splat)((T)0);
    }
    const int64_t share = kl_ceil_div(job->inner / STEPS, LANES); /* of one row of the next block */
    int64_t squares;
    for (int64_t left = job->inner / STEPS; left > 0; left -= squares) {
        squares = kl_min(share, left);
        for (int64_t square = squares; square > 0; --square) {
            KL_UNROLL for (int x = 0; x < STREAMS; ++x) {
                KL_UNROLL for (int line = 0; line < BYTES; line += 64)
                    __builtin_prefetch(next[x] + line, 0, 2); /* into L2 */
                next[x] += BYTES;
                V(vec) turned[STEPS];
                KL_TURNED_SQUARE(b[x], column, turned);
                KL_UNROLL for (int s = 0; s < STEPS; ++s)
                    KL_FN(turned_step)(a[x] + s * rows * size, turned[s], rows, sum[x]);
                a[x] += STEPS * rows * size;
                KL_UNROLL for (int g = 0; g < GROUPS; ++g) b[x][g] += 16;
            }
        }
        KL_UNROLL for (int x = 0; x < STREAMS; ++x) next[x] += column - squares * BYTES;
    }
    for (int64_t k = job->inner % STEPS; k > 0; --k) {
        KL_UNROLL for (int x = 0; x < STREAMS; ++x) {
            T lane[LANES];
            for (int l = 0; l < LANES; ++l) lane[l] = *(const KL_LOOSE *)(b[x][0] + l * column);
            KL_FN(turned_step)(a[x], V(load)(lane), rows, sum[x]);
            a[x] += rows * size;
            b[x][0] += size;
        }
    }
    KL_UNROLL for (int x = 0; x < STREAMS; ++x)
        KL_FN(turned_end)(&job->stream[x], rows, sum[x]);
}

#define X(h, v)                                                         \
    _Static_assert(KL_TURNED_ABREAST * (h) + 8 <= KL_TILE_REGISTERS,    \
                   "the sums of this kernel do not fit the registers"); \
    KL_KERNEL(KL_FN(turned_##h), const struct kl_turned, KL_FN(turned)(job, h))
KL_TURNED_HEIGHTS(X)
#undef X

#define X(h, v) +1
enum { KL_FN(turned_rows) = KL_TURNED_HEIGHTS(X) };
#undef X
_Static_assert((KL_TURNED_ONCE == INT64_MAX ? 1 : KL_TURNED_PASSES) * KL_FN(turned_rows) *
                       V(width) * (int)sizeof(T) + KL_PACK_SLACK <= KL_TURNED_SET_BYTES,
               "a set does not fit its buffer");

static const struct kl_turned_kernels KL_FN(turned_kernels) = {
    .streams = KL_TURNED_ABREAST,
    .lanes = V(width),
    .once = KL_TURNED_ONCE,
    .wider = KL_TURNED_WIDER,
#define X(h, v) [(h) - 1] = KL_FN(turned_##h),
    .kernel = {KL_TURNED_HEIGHTS(X)},
#undef X
    .rows = KL_FN(turned_rows),
};
#undef KL_TURNED_ABREAST
#undef KL_TURNED_HEIGHTS
#undef KL_TURNED_ONCE
#undef KL_TURNED_WIDER
#undef KL_TURNED_SQUARE
