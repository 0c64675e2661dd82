/* The first rungs of the ladder, on contiguous row-major operands: out += a @ b, each element
 * summed as numerics R2 says. v1_ijk is the oracle of every other path: keep it readable.
 */
#define KL_RUNG_OPERANDS(rung)              \
    const KL_LOOSE *const a = rung->a;      \
    const KL_LOOSE *const b = rung->b;      \
    KL_LOOSE *const out = rung->out;        \
    T *const acc KL_UNUSED = rung->scratch; \
    const int64_t rows = rung->rows, inner = rung->inner, columns = rung->columns

/* Textbook order: every product of a row by a column, one after the other. */
static void KL_FN(v1_ijk)(const struct kl_rung *rung) {
    KL_RUNG_OPERANDS(rung);
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
            for (int64_t block = 0; block < inner; block += KL_INNER_BLOCK) {
                const int64_t end = kl_min(inner, block + KL_INNER_BLOCK);
                T acc = 0;
                for (int64_t k = block; k < end; ++k)
                    acc = KL_FMA(a[i * inner + k], b[k * columns + j], acc);
                out[i * columns + j] += acc;
            }
        }
    }
}

/* acc[j] = fma(a[k], b[k][j], acc[j]) for k in [first, end): the walk along rows of b. */
KL_INLINE void KL_FN(sum_rows)(const KL_LOOSE *a, const KL_LOOSE *b, int64_t columns, int64_t first,
                               int64_t end, int64_t width, T *KL_RESTRICT acc) {
    for (int64_t k = first; k < end; ++k) {
        const T value = a[k];
        const KL_LOOSE *const row = b + k * columns;
        for (int64_t j = 0; j < width; ++j) acc[j] = KL_FMA(value, row[j], acc[j]);
    }
}

/* Inner loops swapped: b is read along its rows. A block's sums wait in acc[columns]. */
static void KL_FN(v2_ikj)(const struct kl_rung *rung) {
    KL_RUNG_OPERANDS(rung);
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t block = 0; block < inner; block += KL_INNER_BLOCK) {
            memset(acc, 0, (size_t)columns * sizeof(T));
            KL_FN(sum_rows)(a + i * inner, b, columns, block, kl_min(inner, block + KL_INNER_BLOCK),
                            columns, acc);
            for (int64_t j = 0; j < columns; ++j) out[i * columns + j] += acc[j];
        }
    }
}

/* Rows of sums lie a line further apart than they are wide: a stride of 4096 bytes, which b often
 * has too, would put all of them at one place of L1 (n = 1024, AVX-512: 66 ms instead of 36). */
enum { KL_FN(SUM_GAP) = KL_ALIGNMENT / sizeof(T) };

/* acc[i][j] += the products of k in [first, end): four rows of b come from memory once and then
 * from L1 for every row of a, and a sum passes through a register once for the four. */
KL_INLINE void KL_FN(sum_tile)(const KL_LOOSE *a, const KL_LOOSE *b, int64_t height, int64_t inner,
                               int64_t columns, int64_t first, int64_t end, int64_t width,
                               T *KL_RESTRICT acc) {
    const int64_t pitch = width + KL_FN(SUM_GAP);
    int64_t k = first;
    for (; k + 4 <= end; k += 4) {
        const KL_LOOSE *const row = b + k * columns;
        for (int64_t i = 0; i < height; ++i) {
            const KL_LOOSE *const value = a + i * inner + k;
            const T v0 = value[0], v1 = value[1], v2 = value[2], v3 = value[3];
            T *const sum = acc + i * pitch;
            KL_INDEPENDENT
            for (int64_t j = 0; j < width; ++j) {
                T part = KL_FMA(v0, row[j], sum[j]);
                part = KL_FMA(v1, row[j + columns], part);
                part = KL_FMA(v2, row[j + 2 * columns], part);
                sum[j] = KL_FMA(v3, row[j + 3 * columns], part);
            }
        }
    }
    for (int64_t i = 0; i < height; ++i)
        KL_FN(sum_rows)(a + i * inner, b, columns, k, end, width, acc + i * pitch);
}

/* Cache tiles (kl_tile_blocks): 2 MiB of b (f32) serve 64 rows, and a row segment of 8 KiB stays in
 * L1. Two tiles of 256 make one block of R2, so the sums of a band of rows wait in acc[64][2048
 * and a gap] from the first tile to the second. */
static void KL_FN(v3_band)(const KL_LOOSE *a, const KL_LOOSE *b, KL_LOOSE *out, int64_t height,
                           int64_t inner, int64_t columns, int64_t width, int64_t block,
                           T *KL_RESTRICT acc) {
    const int64_t block_end = kl_min(inner, block + KL_INNER_BLOCK);
    const int64_t pitch = width + KL_FN(SUM_GAP);
    memset(acc, 0, (size_t)(height * pitch) * sizeof(T));
    for (int64_t first = block; first < block_end; first += kl_tile_blocks.inner)
        KL_FN(sum_tile)(a, b, height, inner, columns, first,
                        kl_min(block_end, first + kl_tile_blocks.inner), width, acc);
    for (int64_t i = 0; i < height; ++i)
        for (int64_t j = 0; j < width; ++j) out[i * columns + j] += acc[i * pitch + j];
}

static void KL_FN(v3_tiled)(const struct kl_rung *rung) {
    KL_RUNG_OPERANDS(rung);
    for (int64_t left = 0; left < columns; left += kl_tile_blocks.columns) {
        const int64_t width = kl_min(columns - left, kl_tile_blocks.columns);
        for (int64_t block = 0; block < inner; block += KL_INNER_BLOCK) {
            for (int64_t top = 0; top < rows; top += kl_tile_blocks.rows)
                KL_FN(v3_band)(a + top * inner, b + left, out + top * columns + left,
                               kl_min(rows - top, kl_tile_blocks.rows), inner, columns, width,
                               block, acc);
        }
    }
}

#undef KL_RUNG_OPERANDS

static const struct kl_matmul_row KL_FN(matmul_row) = {
    .v1_ijk = KL_FN(v1_ijk),
    .v2_ikj = KL_FN(v2_ikj),
    .v3_tiled = KL_FN(v3_tiled),
    .v4_packed = &KL_TILE_KERNELS_4,
    .v5_simd = &KL_TILE_KERNELS,
};
