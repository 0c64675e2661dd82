/* The micro-kernel in vocabulary words, stamped for the shapes that ukr_<isa>.h lists with the
 * registers they take.
 */
#define KL_AT(base, v) ((T *)(base) + (v) * V(width))
#define KL_LOAD(base, v) \
    (edge && (v) == vectors - 1 ? V(load_part)(KL_AT(base, v), part) : V(load)(KL_AT(base, v)))

/* acc += the products, values of a broadcast against the vectors of a row of b. The sums are local
 * because clang 14 keeps some of the caller's array in memory. */
KL_INLINE void KL_FN(tile_sum)(const struct kl_tile *tile, const int rows, const int vectors,
                               const bool edge, const int64_t part,
                               V(vec) acc[][KL_TILE_VECTORS]) {
    /* One base pointer for three rows: x86 scales an index by 1 and 2, and fourteen pointers
     * would not fit the general registers. */
    const int64_t a_row = tile->a_row, a_inner = tile->a_inner, b_inner = tile->b_inner;
    const char *a[(KL_TILE_ROWS + 2) / 3];
    KL_UNROLL for (int i = 0; i < rows; i += 3) a[i / 3] = tile->a + i * a_row;
#define KL_VALUE(i) V(splat)(*(const KL_LOOSE *)(a[(i) / 3] + ((i) % 3) * a_row))
    const char *b = tile->b;
    V(vec) sum[KL_TILE_ROWS][KL_TILE_VECTORS];
    KL_UNROLL for (int i = 0; i < rows; ++i) {
        KL_UNROLL for (int v = 0; v < vectors; ++v) sum[i][v] = acc[i][v];
    }
    for (int64_t k = tile->inner; k > 0; --k) {
#if KL_TILE_AHEAD
        KL_UNROLL for (int v = 0; v < vectors; ++v)
            __builtin_prefetch(KL_AT(b + KL_TILE_AHEAD * b_inner, v));
#endif
        if (rows < vectors) {
            V(vec) value[KL_TILE_ROWS];
            KL_UNROLL for (int i = 0; i < rows; ++i) value[i] = KL_VALUE(i);
            KL_UNROLL for (int v = 0; v < vectors; ++v) {
                const V(vec) row = KL_LOAD(b, v);
                KL_TILE_ORDER;
                KL_UNROLL for (int i = 0; i < rows; ++i)
                    sum[i][v] = V(fma)(value[i], row, sum[i][v]);
            }
        } else {
            V(vec) row[KL_TILE_VECTORS];
            KL_UNROLL for (int v = 0; v < vectors; ++v) row[v] = KL_LOAD(b, v);
            KL_UNROLL for (int i = 0; i < rows; ++i) {
                const V(vec) value = KL_VALUE(i);
                KL_TILE_ORDER;
                KL_UNROLL for (int v = 0; v < vectors; ++v)
                    sum[i][v] = V(fma)(value, row[v], sum[i][v]);
            }
        }
        KL_UNROLL for (int i = 0; i < rows; i += 3) a[i / 3] += a_inner;
        b += b_inner;
    }
    KL_UNROLL for (int i = 0; i < rows; ++i) {
        KL_UNROLL for (int v = 0; v < vectors; ++v) acc[i][v] = sum[i][v];
    }
#undef KL_VALUE
}

/* See struct kl_tile. */
KL_INLINE void KL_FN(tile)(const struct kl_tile *tile, const int rows, const int vectors,
                           const bool edge) {
    V(vec) acc[KL_TILE_ROWS][KL_TILE_VECTORS];
    const int64_t part = edge ? tile->columns - (vectors - 1) * V(width) : V(width);
    const bool park = tile->mode == KL_TILE_PARK;
    char *out = park ? tile->parked : tile->out;
    int64_t out_row = park ? tile->parked_row : tile->out_row;
    KL_UNROLL for (int i = 0; i < rows; ++i) {
        KL_UNROLL for (int v = 0; v < vectors; ++v) acc[i][v] = V(splat)((T)0);
    }
    if (tile->resumed) {
        const char *parked = tile->parked;
        KL_UNROLL for (int i = 0; i < rows; ++i) {
            KL_UNROLL for (int v = 0; v < vectors; ++v) acc[i][v] = KL_LOAD(parked, v);
            parked += tile->parked_row;
        }
    }
    /* The lines of out arrive while the sums run. */
    KL_UNROLL for (int i = 0; i < rows; ++i) {
        KL_UNROLL for (int v = 0; v < vectors; ++v)
            __builtin_prefetch(KL_AT(out + i * out_row, v), 1);
    }
#ifdef KL_TILE_LANES
    if (!edge && rows >= vectors && rows % V(width) == 0 && tile->a_row == (int64_t)sizeof(T))
        KL_FN(tile_sum_lanes)(tile, rows, vectors, acc);
    else
#endif
        KL_FN(tile_sum)(tile, rows, vectors, edge, part, acc);
    /* Addresses of out are worked out again: kept over the sums, they would cost registers. */
    __asm__("" : "+r"(out), "+r"(out_row));
    if (tile->mode == KL_TILE_ADD) {
        KL_UNROLL for (int i = 0; i < rows; ++i) {
            KL_UNROLL for (int v = 0; v < vectors; ++v)
                acc[i][v] = V(add)(KL_LOAD(out + i * out_row, v), acc[i][v]);
        }
    } else if (tile->mode == KL_TILE_FRESH) {
        KL_UNROLL for (int i = 0; i < rows; ++i) {
            KL_UNROLL for (int v = 0; v < vectors; ++v)
                acc[i][v] = V(add)(V(splat)((T)0), acc[i][v]);
        }
    }
    if (tile->bias != NULL) {
        KL_UNROLL for (int v = 0; v < vectors; ++v) {
            const V(vec) bias = KL_LOAD(tile->bias, v);
            KL_UNROLL for (int i = 0; i < rows; ++i) acc[i][v] = V(add)(acc[i][v], bias);
        }
    }
    KL_UNROLL for (int i = 0; i < rows; ++i) {
        KL_UNROLL for (int v = 0; v < vectors - (edge ? 1 : 0); ++v)
            V(store)(KL_AT(out + i * out_row, v), acc[i][v]);
        if (edge) V(store_part)(KL_AT(out + i * out_row, vectors - 1), acc[i][vectors - 1], part);
    }
}

#undef KL_AT
#undef KL_LOAD

#define KL_SHAPE(word, h, v) KL_FN(word##_##h##x##v)
#define KL_SHAPE_REGISTERS(h, v) ((h) * (v) + ((h) < (v) ? (h) : (v)) + 1 + KL_TILE_MASKS)
#define X(h, v)                                                       \
    _Static_assert(KL_SHAPE_REGISTERS(h, v) <= KL_TILE_REGISTERS,     \
                   "the sums of this tile do not fit the registers"); \
    static void KL_SHAPE(tile, h, v)(const struct kl_tile *tile) {    \
        KL_FN(tile)(tile, h, v, false);                               \
    }                                                                 \
    static void KL_SHAPE(edge, h, v)(const struct kl_tile *tile) {    \
        KL_FN(tile)(tile, h, v, true);                                \
    }
KL_CAT4(KL, TILES, KL_TYPE, KL_ISA)(X)
#undef X

static const struct kl_tile_kernels KL_FN(tile_kernels) = {
    .size = sizeof(T),
    .width = V(width),
    .rows = KL_CAT4(KL, TILE_ROWS, KL_TYPE, KL_ISA),
    .vectors = KL_CAT4(KL, TILE_VECTORS, KL_TYPE, KL_ISA),
#define X(h, v) [(v) - 1][(h) - 1] = KL_SHAPE(tile, h, v),
    .kernel = {KL_CAT4(KL, TILES, KL_TYPE, KL_ISA)(X)},
#undef X
#define X(h, v) [(v) - 1][(h) - 1] = KL_SHAPE(edge, h, v),
    .edge = {KL_CAT4(KL, TILES, KL_TYPE, KL_ISA)(X)},
#undef X
    .pack = KL_FN(pack),
};

#undef KL_SHAPE
#undef KL_SHAPE_REGISTERS
#undef KL_TILE_LANES
#undef KL_TILE_REGISTERS
#undef KL_TILE_MASKS
#undef KL_TILE_AHEAD
#undef KL_TILE_ORDER
#define KL_TILE_KERNELS KL_FN(tile_kernels)
