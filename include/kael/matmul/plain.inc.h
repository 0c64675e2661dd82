/* A micro-kernel in plain C, and its table row: KL_PLAIN_ROWS x KL_PLAIN_COLUMNS, named
 * KL_PLAIN(tile), KL_PLAIN(edge_tile) and KL_PLAIN(kernels).
 *
 * The whole tile has constant bounds, so that its accumulators may live in registers; edge tiles
 * run the same sums with bounds read from the tile.
 *
 * Registers, of 16 bytes: the sums, a row of b, a value of a. 6 x 8 is 12 + 2 + 1 of f32 and
 * 24 + 4 + 1 of f64, 4 x 4 is 4 + 1 + 1 and 8 + 2 + 1, of the 32 that AArch64 has, whose baseline
 * has fma. Where fma is a function, as for x86-64, no register keeps its value across the call.
 */
#define KL_PLAIN_REGISTERS(rows, columns) \
    (((rows) + 1) * ((columns) * (int)sizeof(T) / 16) + 1)
_Static_assert(KL_PLAIN_REGISTERS(KL_PLAIN_ROWS, KL_PLAIN_COLUMNS) <= 32,
               "the sums of this tile do not fit the registers");
#undef KL_PLAIN_REGISTERS

KL_INLINE void KL_PLAIN(sum)(const struct kl_tile *tile, const int rows, const int columns) {
    T acc[KL_PLAIN_ROWS][KL_PLAIN_COLUMNS];
    for (int i = 0; i < rows; ++i) {
        const KL_LOOSE *const parked = (const KL_LOOSE *)(tile->parked + i * tile->parked_row);
        for (int j = 0; j < columns; ++j) acc[i][j] = tile->resumed ? parked[j] : (T)0;
    }

    const char *a = tile->a;
    const char *b = tile->b;
    char *saved = tile->saved;
    for (int64_t k = 0; k < tile->inner; ++k) {
        for (int i = 0; i < rows; ++i) {
            const T value = *(const KL_LOOSE *)(a + i * tile->a_row);
            for (int j = 0; j < columns; ++j)
                acc[i][j] = KL_FMA(value, ((const KL_LOOSE *)b)[j], acc[i][j]);
        }
        if (saved != NULL) {
            for (int j = 0; j < columns; ++j) ((T *)saved)[j] = ((const KL_LOOSE *)b)[j];
            saved += tile->saved_inner;
        }
        a += tile->a_inner;
        b += tile->b_inner;
    }

    const bool park = tile->mode == KL_TILE_PARK;
    for (int i = 0; i < rows; ++i) {
        KL_LOOSE *const row = (KL_LOOSE *)(park ? tile->parked + i * tile->parked_row
                                                : tile->out + i * tile->out_row);
        for (int j = 0; j < columns; ++j) {
            T sum = acc[i][j];
            if (!park) sum = (tile->mode == KL_TILE_ADD ? row[j] : (T)0) + sum;
            if (tile->bias != NULL) sum = sum + ((const KL_LOOSE *)tile->bias)[j];
            row[j] = sum;
        }
    }
}

static void KL_PLAIN(tile)(struct kl_tile *tile) {
    KL_PLAIN(sum)(tile, KL_PLAIN_ROWS, KL_PLAIN_COLUMNS);
}

static void KL_PLAIN(edge_tile)(struct kl_tile *tile) {
    KL_PLAIN(sum)(tile, tile->rows, (int)tile->columns);
}

static const struct kl_tile_kernels KL_PLAIN(kernels) = {
    .size = sizeof(T),
    .width = KL_PLAIN_COLUMNS,
    .rows = KL_PLAIN_ROWS,
    .vectors = {[0 ... KL_PLAIN_ROWS - 1] = 1},
    .kernel[0] = {[0 ... KL_PLAIN_ROWS - 2] = KL_PLAIN(edge_tile),
                  [KL_PLAIN_ROWS - 1] = KL_PLAIN(tile)},
    .edge[0] = {[0 ... KL_PLAIN_ROWS - 1] = KL_PLAIN(edge_tile)},
    .pack = KL_FN(pack),
};
