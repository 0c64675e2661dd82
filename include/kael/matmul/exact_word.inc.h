/* Micro-kernels for integers of one width w, exact modulo 2^w: unsigned words wrap without
 * undefined behaviour, and the low w bits do not depend on the sign. exact.inc.h stamps them with
 *
 *     KL_WORD, KL_ELEMENT             what is multiplied, and what lies in memory
 *     KL_EXACT_HALVES                 whether products are put together from those of halves
 *     KL_EXACT(word), KL_EXACT_PACK   the names of the functions; what packs their panels
 *
 * The vectors are the compiler's, as wide as the set's, and so is the product where the set has one
 * of that width; where it has not, exact_x86.inc.h puts it together from products of halves. Bytes
 * are multiplied as 16-bit words, of which the low halves count. A sum waits one cycle for its add,
 * so fewer rows need no wider tile.
 *
 * Registers: 4 x 2 vectors are 8 sums, 2 of b, a value of a and a product, of 16.
 */
enum { KL_EXACT(WIDTH) = KL_EXACT_BYTES / (int)sizeof(KL_WORD) };
typedef KL_WORD KL_EXACT(vec) __attribute__((vector_size(KL_EXACT_BYTES)));
/* Elements as they lie in memory, at any address: one, and as many as a vector has. */
typedef KL_ELEMENT KL_EXACT(loose) __attribute__((aligned(1), may_alias));
typedef KL_ELEMENT KL_EXACT(lanes) __attribute__((
    vector_size(KL_EXACT_BYTES / sizeof(KL_WORD) * sizeof(KL_ELEMENT)), aligned(1), may_alias));

KL_INLINE KL_EXACT(vec) KL_EXACT(load)(const char *p) {
    return __builtin_convertvector(*(const KL_EXACT(lanes) *)p, KL_EXACT(vec));
}

KL_INLINE KL_EXACT(vec) KL_EXACT(load_part)(const char *p, int64_t count) {
    KL_ELEMENT lanes[KL_EXACT(WIDTH)] = {0};
    memcpy(lanes, p, (size_t)count * sizeof(KL_ELEMENT));
    return KL_EXACT(load)((const char *)lanes);
}

KL_INLINE void KL_EXACT(store)(char *p, KL_EXACT(vec) x) {
    *(KL_EXACT(lanes) *)p = __builtin_convertvector(x, KL_EXACT(lanes));
}

KL_INLINE void KL_EXACT(store_part)(char *p, KL_EXACT(vec) x, int64_t count) {
    KL_ELEMENT lanes[KL_EXACT(WIDTH)];
    KL_EXACT(store)((char *)lanes, x);
    memcpy(p, lanes, (size_t)count * sizeof(KL_ELEMENT));
}

#if KL_EXACT_HALVES
#include "kael/matmul/exact_x86.inc.h"
#else
typedef KL_EXACT(vec) KL_EXACT(sum);
typedef KL_EXACT(vec) KL_EXACT(row);
typedef KL_WORD KL_EXACT(value);
KL_INLINE KL_EXACT(sum) KL_EXACT(begin)(KL_EXACT(vec) x) { return x; }
KL_INLINE KL_EXACT(row) KL_EXACT(row_of)(KL_EXACT(vec) x) { return x; }
KL_INLINE KL_EXACT(value) KL_EXACT(value_at)(const char *p) { return *(const KL_EXACT(loose) *)p; }
KL_INLINE KL_EXACT(sum) KL_EXACT(add)(KL_EXACT(sum) sum, KL_EXACT(row) row,
                                      KL_EXACT(value) value) {
    return sum + row * value;
}
KL_INLINE KL_EXACT(vec) KL_EXACT(total)(KL_EXACT(sum) sum) { return sum; }

#define KL_EXACT_TILES(X) KL_HEIGHTS_4(X, 1) KL_HEIGHTS_4(X, 2)
#define KL_EXACT_ROWS 4
#define KL_EXACT_VECTORS {2, 2, 2, 2}
#define KL_EXACT_REGISTERS(h, v) ((h) * (v) + (v) + 2)
#endif

#define KL_AT(base, v) ((base) + (v) * KL_EXACT(WIDTH) * (int)sizeof(KL_ELEMENT))
#define KL_LOAD(base, v)                                                             \
    (edge && (v) == vectors - 1 ? KL_EXACT(load_part)(KL_AT(base, v), part)          \
                                : KL_EXACT(load)(KL_AT(base, v)))

/* See struct kl_tile; there is no bias. Of an edge, b lies in a panel, padded to whole vectors:
 * loads of a part in every step would take longer than its products. */
KL_INLINE void KL_EXACT(multiply)(const struct kl_tile *tile, const int rows, const int vectors,
                                  const bool edge) {
    const int64_t part = tile->columns - (vectors - 1) * KL_EXACT(WIDTH);
    const bool park = tile->mode == KL_TILE_PARK;
    char *const out = park ? tile->parked : tile->out;
    const int64_t out_row = park ? tile->parked_row : tile->out_row;
    const int64_t a_row = tile->a_row, a_inner = tile->a_inner, b_inner = tile->b_inner;
    const int64_t saved_inner = tile->saved_inner;
    const char *a = tile->a;
    const char *b = tile->b;
    char *saved = tile->saved;
    KL_EXACT(sum) acc[KL_EXACT_ROWS][KL_EXACT_WIDEST];
    KL_UNROLL for (int i = 0; i < rows; ++i) {
        const char *const parked = tile->parked + i * tile->parked_row;
        KL_UNROLL for (int v = 0; v < vectors; ++v)
            acc[i][v] = KL_EXACT(begin)(tile->resumed ? KL_LOAD(parked, v) : (KL_EXACT(vec)){0});
    }
    for (int64_t k = tile->inner; k > 0; --k) {
        KL_EXACT(row) row[KL_EXACT_WIDEST];
        KL_UNROLL for (int v = 0; v < vectors; ++v) {
            const KL_EXACT(vec) lanes = KL_EXACT(load)(KL_AT(b, v));
            if (saved != NULL) KL_EXACT(store)(KL_AT(saved, v), lanes);
            row[v] = KL_EXACT(row_of)(lanes);
        }
        if (saved != NULL) saved += saved_inner;
        KL_UNROLL for (int i = 0; i < rows; ++i) {
            const KL_EXACT(value) value = KL_EXACT(value_at)(a + i * a_row);
            KL_UNROLL for (int v = 0; v < vectors; ++v)
                acc[i][v] = KL_EXACT(add)(acc[i][v], row[v], value);
        }
        a += a_inner;
        b += b_inner;
    }
    KL_UNROLL for (int i = 0; i < rows; ++i) {
        char *const to = out + i * out_row;
        KL_UNROLL for (int v = 0; v < vectors; ++v) {
            KL_EXACT(vec) sum = KL_EXACT(total)(acc[i][v]);
            if (tile->mode == KL_TILE_ADD) sum += KL_LOAD(to, v);
            if (edge && v == vectors - 1)
                KL_EXACT(store_part)(KL_AT(to, v), sum, part);
            else
                KL_EXACT(store)(KL_AT(to, v), sum);
        }
    }
}

#undef KL_AT
#undef KL_LOAD

#define KL_SHAPE(word, h, v) KL_EXACT(word##_##h##x##v)
#define X(h, v)                                                       \
    _Static_assert(KL_EXACT_REGISTERS(h, v) <= 16,                    \
                   "the sums of this tile do not fit the registers"); \
    KL_KERNEL(KL_SHAPE(tile, h, v), struct kl_tile, KL_EXACT(multiply)(job, h, v, false)) \
    KL_KERNEL(KL_SHAPE(edge, h, v), struct kl_tile, KL_EXACT(multiply)(job, h, v, true))
KL_EXACT_TILES(X)
#undef X

static const struct kl_tile_kernels KL_EXACT(kernels) = {
    .size = sizeof(KL_ELEMENT),
    .width = KL_EXACT(WIDTH),
    .rows = KL_EXACT_ROWS,
    .padded = true,
    .vectors = KL_EXACT_VECTORS,
#define X(h, v) [(v) - 1][(h) - 1] = KL_SHAPE(tile, h, v),
    .kernel = {KL_EXACT_TILES(X)},
#undef X
#define X(h, v) [(v) - 1][(h) - 1] = KL_SHAPE(edge, h, v),
    .edge = {KL_EXACT_TILES(X)},
#undef X
    .pack = KL_EXACT_PACK,
};

#undef KL_SHAPE
#undef KL_EXACT_TILES
#undef KL_EXACT_ROWS
#undef KL_EXACT_VECTORS
#undef KL_EXACT_REGISTERS
#undef KL_EXACT_HALVES
#undef KL_WORD
#undef KL_ELEMENT
#undef KL_EXACT
#undef KL_EXACT_PACK
