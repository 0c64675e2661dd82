/* The micro-kernel in vocabulary words, stamped for the shapes that ukr_<isa>.h lists with the
 * registers they take, as KL_SHAPE(tile, h, v) and KL_SHAPE(edge, h, v).
 */
#define KL_AT(base, v) ((T *)(base) + (v) * V(width))
#define KL_LOAD(base, v) \
    (edge && (v) == vectors - 1 ? V(load_part)(KL_AT(base, v), part) : V(load)(KL_AT(base, v)))

/* The place `bytes` further on, worked out then and there: the addresses of all rows of out would
 * not fit the registers. */
#define KL_STEP(place, bytes) \
    (place) += (bytes);       \
    __asm__("" : "+r"(place))

/* Asks for lines needed later, a few rows at a time between the steps, first those of the next
 * panel of b, then, some time before the end, those of out: all at once they would keep a and b
 * waiting for a line, and out would be gone again if it came much earlier. The number of steps to
 * the next pause, or 0. */
KL_INLINE int64_t KL_FN(tile_pause)(struct kl_tile *tile, const int vectors) {
    if (tile->fetches == 0) {
        const int64_t last = tile->last_steps;
        if (tile->out_fetches == 0) {
            tile->last_steps = 0;
            return last;
        }
        tile->fetch = tile->out;
        tile->fetch_row = tile->out_row;
        tile->fetches = tile->out_fetches;
        tile->fetch_steps = KL_TILE_STEPS;
        tile->out_fetches = 0;
    }
    const char *fetch = tile->fetch;
    int64_t fetches = tile->fetches;
    for (int row = 0; row < KL_TILE_FETCHES && fetches > 0; ++row, --fetches) {
        KL_UNROLL for (int v = 0; v < vectors; ++v) __builtin_prefetch(KL_AT(fetch, v), 1);
        __builtin_prefetch((const char *)KL_AT(fetch, vectors) - 1, 1);
        fetch += tile->fetch_row;
    }
    tile->fetch = fetch;
    tile->fetches = fetches;
    return tile->fetch_steps;
}

/* acc += the products, values of a broadcast against the vectors of a row of b. The sums are local
 * because clang 14 keeps some of the caller's array in memory. */
KL_INLINE void KL_FN(tile_sum)(struct kl_tile *tile, const int rows, const int vectors,
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
    char *saved = tile->saved;
    const int64_t ahead = tile->b_ahead;
    int64_t steps = tile->steps;
    for (;;) {
        for (int64_t k = steps; k > 0; --k) {
            KL_UNROLL for (int v = 0; v < vectors; ++v)
                __builtin_prefetch((const char *)KL_AT(b, v) + ahead);
            if (rows < vectors) {
                V(vec) value[KL_TILE_ROWS];
                KL_UNROLL for (int i = 0; i < rows; ++i) value[i] = KL_VALUE(i);
                KL_UNROLL for (int v = 0; v < vectors; ++v) {
                    const V(vec) row = KL_LOAD(b, v);
                    KL_TILE_ORDER;
                    KL_UNROLL for (int i = 0; i < rows; ++i) {
                        sum[i][v] = V(fma)(value[i], row, sum[i][v]);
                        KL_SETTLE(sum[i][v]);
                    }
                }
            } else {
                V(vec) row[KL_TILE_VECTORS];
                KL_UNROLL for (int v = 0; v < vectors; ++v) row[v] = KL_LOAD(b, v);
                if (saved != NULL) {
                    KL_UNROLL for (int v = 0; v < vectors; ++v) V(store)(KL_AT(saved, v), row[v]);
                    saved += vectors * V(width) * (int64_t)sizeof(T);
                }
                KL_UNROLL for (int i = 0; i < rows; ++i) {
                    const V(vec) value = KL_VALUE(i);
                    KL_TILE_ORDER;
                    KL_UNROLL for (int v = 0; v < vectors; ++v)
                        sum[i][v] = V(fma)(value, row[v], sum[i][v]);
                }
            }
            /* Steps taken, not worked out from their number after the loop: both would be spilled,
             * and what a tile stores waits in one queue with the sums of the one before. */
            KL_UNROLL for (int i = 0; i < rows; i += 3) { KL_STEP(a[i / 3], a_inner); }
            KL_STEP(b, b_inner);
        }
        steps = KL_FN(tile_pause)(tile, vectors);
        if (steps == 0) break;
    }
    KL_UNROLL for (int i = 0; i < rows; ++i) {
        KL_UNROLL for (int v = 0; v < vectors; ++v) acc[i][v] = sum[i][v];
    }
#undef KL_VALUE
}

/* out += the sums of `tail` steps, out being in acc. */
KL_INLINE void KL_FN(tile_tail)(const struct kl_tile *tile, const int rows, const int vectors,
                                const bool edge, const int64_t part,
                                V(vec) acc[][KL_TILE_VECTORS]) {
    const char *a = tile->a + tile->inner * tile->a_inner;
    const char *const b = tile->b + tile->inner * tile->b_inner;
    /* Sums of a row at once: all find registers where fma reads b from memory, whole vectors of it
     * on x86. */
    const int abreast = edge || KL_TILE_LANES ? 1 : vectors;
    KL_UNROLL for (int i = 0; i < rows; ++i) {
        KL_UNROLL for (int first = 0; first < vectors; first += abreast) {
            const char *value = a, *row = b;
            V(vec) sum[KL_TILE_VECTORS];
            KL_UNROLL for (int v = 0; v < abreast; ++v) sum[v] = V(splat)((T)0);
            KL_ROLLED for (int64_t k = tile->tail; k > 0; --k) {
                const V(vec) x = V(splat)(*(const KL_LOOSE *)value);
                KL_UNROLL for (int v = 0; v < abreast; ++v)
                    sum[v] = V(fma)(x, KL_LOAD(row, first + v), sum[v]);
                value += tile->a_inner;
                row += tile->b_inner;
            }
            KL_UNROLL for (int v = 0; v < abreast; ++v)
                acc[i][first + v] = V(add)(acc[i][first + v], sum[v]);
        }
        KL_STEP(a, tile->a_row);
    }
}

/* See struct kl_tile. */
KL_INLINE void KL_FN(tile)(struct kl_tile *tile, const int rows, const int vectors,
                           const bool edge) {
    V(vec) acc[KL_TILE_ROWS][KL_TILE_VECTORS];
    const int64_t part = edge ? tile->columns - (vectors - 1) * V(width) : V(width);
    KL_UNROLL for (int i = 0; i < rows; ++i) {
        KL_UNROLL for (int v = 0; v < vectors; ++v) acc[i][v] = V(splat)((T)0);
    }
    if (KL_UNLIKELY(tile->resumed)) {
        const char *parked = tile->parked;
        KL_UNROLL for (int i = 0; i < rows; ++i) {
            KL_UNROLL for (int v = 0; v < vectors; ++v) acc[i][v] = KL_LOAD(parked, v);
            KL_STEP(parked, tile->parked_row);
        }
    }
#if KL_TILE_LANES
    if (!edge && rows >= vectors && rows % V(width) == 0 && tile->a_row == (int64_t)sizeof(T))
        KL_FN(tile_sum_lanes)(tile, rows, vectors, acc);
    else
#endif
        KL_FN(tile_sum)(tile, rows, vectors, edge, part, acc);
    char *out = tile->mode == KL_TILE_PARK ? tile->parked : tile->out;
    const int64_t out_row = tile->mode == KL_TILE_PARK ? tile->parked_row : tile->out_row;
    if (tile->mode == KL_TILE_ADD) {
        const char *old = out;
        KL_UNROLL for (int i = 0; i < rows; ++i) {
            KL_UNROLL for (int v = 0; v < vectors; ++v)
                acc[i][v] = V(add)(KL_LOAD(old, v), acc[i][v]);
            KL_STEP(old, out_row);
        }
    } else if (tile->mode == KL_TILE_FRESH) {
        KL_UNROLL for (int i = 0; i < rows; ++i) {
            KL_UNROLL for (int v = 0; v < vectors; ++v)
                acc[i][v] = V(add)(V(splat)((T)0), acc[i][v]);
        }
    }
    if (rows >= vectors && KL_UNLIKELY(tile->tail > 0))
        KL_FN(tile_tail)(tile, rows, vectors, edge, part, acc);
    if (tile->bias != NULL) {
        KL_UNROLL for (int v = 0; v < vectors; ++v) {
            const V(vec) bias = KL_LOAD(tile->bias, v);
            KL_UNROLL for (int i = 0; i < rows; ++i) acc[i][v] = V(add)(acc[i][v], bias);
        }
    }
    KL_UNROLL for (int i = 0; i < rows; ++i) {
        KL_UNROLL for (int v = 0; v < vectors - (edge ? 1 : 0); ++v)
            V(store)(KL_AT(out, v), acc[i][v]);
        if (edge) V(store_part)(KL_AT(out, vectors - 1), acc[i][vectors - 1], part);
        KL_STEP(out, out_row);
    }
}

#undef KL_STEP
#undef KL_AT
#undef KL_LOAD

#define KL_SHAPE(word, h, v) KL_FN(word##_##h##x##v)
#define KL_SHAPE_REGISTERS(h, v) ((h) * (v) + ((h) < (v) ? (h) : (v)) + 1 + KL_TILE_MASKS)
#define X(h, v)                                                                  \
    _Static_assert(KL_SHAPE_REGISTERS(h, v) <= KL_TILE_REGISTERS,                \
                   "the sums of this tile do not fit the registers");            \
    KL_KERNEL(KL_SHAPE(tile, h, v), struct kl_tile, KL_FN(tile)(job, h, v, false)) \
    KL_KERNEL(KL_SHAPE(edge, h, v), struct kl_tile, KL_FN(tile)(job, h, v, true))
KL_CAT4(KL, TILES, KL_TYPE, KL_ISA)(X)
#undef X
#undef KL_SHAPE_REGISTERS

/* The kernels as data: tiles of at most `tallest` rows, a tile of h rows at most the h-th of the
 * widths. */
#define KL_KERNELS(packing, half, streaming, tallest, ...)                              \
    {                                                                                   \
        .size = sizeof(T), .width = V(width), .rows = (tallest), .narrow = (half),      \
        .few = KL_TILE_FEW,                                                             \
        .brief = KL_TILE_BRIEF, .lanes = KL_TILE_LANES, .tails = true,                  \
        .packs_from = KL_TILE_PACKS_FROM,                                               \
        .vectors = __VA_ARGS__,                                                         \
        .pack = (packing), .stream = (streaming), .turned = KL_TILE_TURNED,             \
        .kernel = {KL_CAT4(KL, TILES, KL_TYPE, KL_ISA)(KL_TILE_ENTRY)},                 \
        .edge = {KL_CAT4(KL, TILES, KL_TYPE, KL_ISA)(KL_EDGE_ENTRY)},                   \
    }
#define KL_TILE_ENTRY(h, v) [(v) - 1][(h) - 1] = KL_SHAPE(tile, h, v),
#define KL_EDGE_ENTRY(h, v) [(v) - 1][(h) - 1] = KL_SHAPE(edge, h, v),
