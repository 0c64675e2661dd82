/* The strided walk: applies a kernel of contiguous loops to operands of any layout.
 *
 * Operands share one shape; a stride of 0 repeats an element. Dims are ordered by the output's
 * strides and merged where every operand allows it; the coalesced space is split over its linear
 * index, so a chunk may begin in the middle of a row:
 *
 *     out [4, 6] in chunks of 8:  starts at (0, 0), (1, 2), (2, 4)
 *
 * A kernel sees contiguous memory only. Operands that are not contiguous and aligned go through
 * tiles of KL_TILE_BYTES on the stack (4 operands: 16 KiB, half of L1); long rows are walked one by
 * one, so that operands contiguous along the row need no tile, short rows are gathered several to
 * a tile.
 */
#ifndef KAEL_ELEMENTWISE_WALK_H
#define KAEL_ELEMENTWISE_WALK_H

#include <string.h>

#include "kael/copy.h"
#include "kael/elementwise/streamed.h"
#include "kael/plane.h"
#include "kael/runtime.h"

enum {
    KL_TILE_BYTES = 4096,
    /* A tile of one repeated element must outlive in L1 what streams by. Where that comes from
     * memory, 128 elements do: x + column of (4096, 4096) takes 3.0 ms so, 3.6 with 64, which make
     * more calls, 3.4 with 512. */
    KL_FAR_BYTES = 16 << 20,
    KL_FAR_REPEATS = 128,
    KL_LONG_ROW = 96      /* elements; below it the call per row costs more than gathering */
};

struct kl_operand {
    char *data;
    int64_t itemsize;
    bool packed;                    /* contiguous and aligned in the coalesced space */
    bool same_rows;                 /* an input of which every row is the same memory */
    int64_t strides[KL_MAX_DIMS];   /* bytes */
};

struct kl_walk {
    kl_kernel kernel; /* NULL: copies the one input, of the same itemsize (elementwise/copies.h) */
    int operands;     /* operand[0] is the output */
    int dims;
    int64_t tile; /* elements */
    bool far;     /* the operands do not fit the caches */
    bool streamed;
    int64_t ahead[KL_MAX_OPERANDS - 1]; /* of the inputs, as a kernel gets it */
    int64_t shape[KL_MAX_DIMS];
    struct kl_operand operand[KL_MAX_OPERANDS];
};

/* ---- planning ---- */

/* A walk over the output's shape; its operands follow, in the kernel's order, by kl_walk_add. */
static inline KL_UNUSED void kl_walk_begin(struct kl_walk *walk, kl_kernel kernel, int dims,
                                           const int64_t *shape) {
    walk->kernel = kernel;
    walk->operands = 0;
    walk->dims = dims;
    for (int d = 0; d < dims; ++d) walk->shape[d] = shape[d];
}

/* Adds the output or an input, whose dims broadcast to the walk's from the right. */
static inline KL_UNUSED void kl_walk_add(struct kl_walk *walk, void *data, int64_t itemsize,
                                         int dims, const int64_t *shape, const int64_t *strides) {
    struct kl_operand *operand = &walk->operand[walk->operands++];
    operand->data = data;
    operand->itemsize = itemsize;
    const int missing = walk->dims - dims;
    for (int d = 0; d < missing; ++d) operand->strides[d] = 0;
    for (int d = 0; d < dims; ++d)
        operand->strides[missing + d] = shape[d] == 1 ? 0 : strides[d] * itemsize;
}

KL_INLINE void kl_walk_move_dim(struct kl_walk *walk, int to, int from) {
    walk->shape[to] = walk->shape[from];
    for (int k = 0; k < walk->operands; ++k)
        walk->operand[k].strides[to] = walk->operand[k].strides[from];
}

/* Sorts dims by the output's strides, the greatest first: memory is written in its order. */
static inline KL_UNUSED void kl_walk_sort(struct kl_walk *walk) {
    const int64_t *strides = walk->operand[0].strides;
    for (int d = 1; d < walk->dims; ++d) {
        for (int e = d; e > 0; --e) {
            const int64_t outer = strides[e - 1], inner = strides[e];
            if ((outer < 0 ? -outer : outer) >= (inner < 0 ? -inner : inner)) break;
            const int64_t size = walk->shape[e];
            walk->shape[e] = walk->shape[e - 1];
            walk->shape[e - 1] = size;
            for (int k = 0; k < walk->operands; ++k) {
                int64_t *swapped = walk->operand[k].strides;
                const int64_t stride = swapped[e];
                swapped[e] = swapped[e - 1];
                swapped[e - 1] = stride;
            }
        }
    }
}

/* Whether every operand steps over dim d as over one long dim together with inner. */
KL_INLINE bool kl_walk_mergeable(const struct kl_walk *walk, int d, int inner) {
    for (int k = 0; k < walk->operands; ++k) {
        const int64_t *strides = walk->operand[k].strides;
        if (strides[d] != strides[inner] * walk->shape[inner]) return false;
    }
    return true;
}

/* Drops dims of size 1 and merges neighbours; leaves at least one dim. */
static inline KL_UNUSED void kl_walk_coalesce(struct kl_walk *walk) {
    int last = -1;
    for (int d = 0; d < walk->dims; ++d) {
        if (walk->shape[d] == 1) continue;
        if (last >= 0 && kl_walk_mergeable(walk, last, d)) {
            const int64_t size = walk->shape[last] * walk->shape[d];
            kl_walk_move_dim(walk, last, d);
            walk->shape[last] = size;
        } else if (++last != d) {
            kl_walk_move_dim(walk, last, d);
        }
    }
    walk->dims = last + 1;
    if (walk->dims == 0) {
        walk->dims = 1;
        walk->shape[0] = 1;
        for (int k = 0; k < walk->operands; ++k)
            walk->operand[k].strides[0] = walk->operand[k].itemsize;
    }
}

KL_INLINE bool kl_walk_packed(const struct kl_walk *walk, const struct kl_operand *operand) {
    int64_t packed = operand->itemsize;
    for (int d = walk->dims - 1; d >= 0; --d) {
        if (operand->strides[d] != packed) return false;
        packed *= walk->shape[d];
    }
    return kl_aligned(operand->data, operand->itemsize);
}

KL_INLINE bool kl_walk_repeats(const struct kl_walk *walk, const struct kl_operand *operand) {
    for (int d = 0; d < walk->dims; ++d)
        if (operand->strides[d] == 0) return true;
    return false;
}

KL_INLINE bool kl_walk_same_rows(const struct kl_walk *walk, const struct kl_operand *operand) {
    for (int d = 0; d < walk->dims - 1; ++d)
        if (operand->strides[d] != 0) return false;
    return operand != &walk->operand[0];
}

KL_INLINE bool kl_walk_streamed(const struct kl_walk *walk, int64_t size) {
    const struct kl_operand *operand = walk->operand;
    char *in[KL_MAX_OPERANDS - 1] = {0};
    for (int k = 1; k < walk->operands; ++k) in[k - 1] = operand[k].data;
    return kl_streamed(size * operand->itemsize, operand->data, in, walk->operands - 1);
}

/* Input k is near when it is read again; what goes through tiles is too, and asked for in vain. */
KL_INLINE int64_t kl_walk_ahead(const struct kl_walk *walk, int k) {
    const struct kl_operand *operand = &walk->operand[k];
    const bool contiguous = operand->strides[walk->dims - 1] == operand->itemsize;
    return contiguous && !kl_walk_repeats(walk, operand) ? KL_STREAMED_AHEAD : 0;
}

/* Finishes the plan; returns the number of elements. */
static inline KL_UNUSED int64_t kl_walk_plan(struct kl_walk *walk) {
    kl_walk_sort(walk);
    kl_walk_coalesce(walk);
    int64_t widest = 1, size = 1;
    for (int k = 0; k < walk->operands; ++k) {
        struct kl_operand *operand = &walk->operand[k];
        operand->packed = kl_walk_packed(walk, operand);
        operand->same_rows = kl_walk_same_rows(walk, operand);
        widest = kl_max(widest, operand->itemsize);
    }
    for (int k = 1; k < walk->operands; ++k) walk->ahead[k - 1] = kl_walk_ahead(walk, k);
    walk->tile = KL_TILE_BYTES / widest;
    for (int d = 0; d < walk->dims; ++d) size *= walk->shape[d];
    walk->far = size > KL_FAR_BYTES / widest;
    walk->streamed = kl_walk_streamed(walk, size);
    return size;
}

/* ---- places ---- */

/* Where a linear index lies: a counter per dim and a byte offset per operand. */
struct kl_position {
    int64_t counter[KL_MAX_DIMS];
    int64_t offset[KL_MAX_OPERANDS];
};

static inline KL_UNUSED void kl_walk_seek(const struct kl_walk *walk, int64_t index,
                                          struct kl_position *place) {
    for (int k = 0; k < walk->operands; ++k) place->offset[k] = 0;
    for (int d = walk->dims - 1; d >= 0; --d) {
        place->counter[d] = index % walk->shape[d];
        index /= walk->shape[d];
        for (int k = 0; k < walk->operands; ++k)
            place->offset[k] += place->counter[d] * walk->operand[k].strides[d];
    }
}

/* Moves on by n indices of dim d, the counters behind it being 0; they end at most at its end. */
KL_INLINE void kl_walk_advance(const struct kl_walk *walk, struct kl_position *place, int d,
                               int64_t n) {
    place->counter[d] += n;
    for (int k = 0; k < walk->operands; ++k)
        place->offset[k] += n * walk->operand[k].strides[d];
    while (d > 0 && place->counter[d] == walk->shape[d]) {
        place->counter[d] = 0;
        ++place->counter[d - 1];
        for (int k = 0; k < walk->operands; ++k) {
            const int64_t *strides = walk->operand[k].strides;
            place->offset[k] += strides[d - 1] - walk->shape[d] * strides[d];
        }
        --d;
    }
}

/* ---- running ---- */

struct kl_tiles {
    _Alignas(KL_ALIGNMENT) char bytes[KL_MAX_OPERANDS][KL_TILE_BYTES];
};

/* n elements that are contiguous, in memory or in tiles; `in_place`: out is in memory. */
KL_INLINE int kl_walk_apply(const struct kl_walk *walk, char *out, const void *const *in,
                            int64_t n, bool in_place) {
    int64_t itemsizes[KL_MAX_OPERANDS] = {0};
    for (int k = 0; k < walk->operands; ++k) itemsizes[k] = walk->operand[k].itemsize;
    return kl_run_kernel(walk->kernel, out, in, itemsizes, walk->operands - 1, n,
                         in_place && walk->streamed ? walk->ahead : NULL);
}

/* n elements of one row, from place on. */
static inline KL_UNUSED int kl_walk_row(const struct kl_walk *walk, const struct kl_position *place,
                                        int64_t n, struct kl_tiles *tiles) {
    char *data[KL_MAX_OPERANDS] = {0};
    int64_t step[KL_MAX_OPERANDS] = {0};
    bool direct[KL_MAX_OPERANDS] = {0}, all_direct = true, repeats = false;
    for (int k = 0; k < walk->operands; ++k) {
        const struct kl_operand *operand = &walk->operand[k];
        data[k] = operand->data + place->offset[k];
        step[k] = operand->strides[walk->dims - 1];
        direct[k] = step[k] == operand->itemsize && kl_aligned(data[k], operand->itemsize);
        all_direct = all_direct && direct[k];
        repeats = repeats || step[k] == 0;
    }
    /* A repeated element is written to the tile once, so a short row deserves a short tile. */
    const int64_t short_tile = walk->far ? KL_FAR_REPEATS : kl_min(walk->tile, kl_max(256, n / 8));
    const int64_t most = all_direct ? n : repeats ? short_tile : walk->tile;
    for (int64_t i = 0; i < n; i += most) {
        const int64_t count = kl_min(most, n - i);
        const void *in[KL_MAX_OPERANDS] = {0};
        for (int k = 1; k < walk->operands; ++k) {
            in[k - 1] = direct[k] ? data[k] + i * step[k] : tiles->bytes[k];
            if (!direct[k] && (step[k] != 0 || i == 0))
                kl_move_run(tiles->bytes[k], walk->operand[k].itemsize, data[k] + i * step[k],
                            step[k], walk->operand[k].itemsize, count);
        }
        char *out = direct[0] ? data[0] + i * step[0] : tiles->bytes[0];
        KL_TRY(kl_walk_apply(walk, out, in, count, direct[0]));
        if (!direct[0])
            kl_move_run(data[0] + i * step[0], step[0], out, walk->operand[0].itemsize,
                        walk->operand[0].itemsize, count);
    }
    return KL_OK;
}

/* Rows x n elements between operand's memory at `offset` and its tile. */
static inline KL_UNUSED void kl_walk_block(const struct kl_walk *walk,
                                           const struct kl_operand *operand, int64_t offset,
                                           char *tile, int64_t rows, int64_t n, bool out) {
    const int inner = walk->dims - 1;
    const int64_t size = operand->itemsize, step = operand->strides[inner];
    const int64_t row = operand->strides[inner - 1];
    char *memory = operand->data + offset;
    const struct kl_plane packed = {tile, n, 1}, strided = {memory, row / size, step / size};
    if (step == size) {
        kl_copy_rows(out ? memory : tile, out ? row : n * size, out ? tile : memory,
                     out ? n * size : row, rows, n * size);
    } else if (rows == 1) {
        kl_move_run(out ? memory : tile, out ? step : size, out ? tile : memory, out ? size : step,
                    size, n);
    } else {
        kl_plane_copy(out ? strided : packed, out ? packed : strided, rows, n, size);
    }
}

/* What kl_walk_tile moves. */
enum kl_moved {
    KL_INPUTS,       /* every input that is not packed, into tiles */
    KL_OTHER_INPUTS, /* those whose rows differ, since the tiles hold the rest from before */
    KL_OUTPUT        /* the output, from its tile */
};

KL_INLINE bool kl_walk_moves(const struct kl_walk *walk, int k, enum kl_moved moved) {
    const struct kl_operand *operand = &walk->operand[k];
    if (operand->packed || (k == 0) != (moved == KL_OUTPUT)) return false;
    return moved != KL_OTHER_INPUTS || !operand->same_rows;
}

/* Moves count elements from place on between memory and tiles. Leaves place behind them. */
static inline KL_UNUSED void kl_walk_tile(const struct kl_walk *walk, struct kl_position *place,
                                          int64_t count, struct kl_tiles *tiles,
                                          enum kl_moved moved) {
    const int inner = walk->dims - 1;
    const int64_t row = walk->shape[inner];
    for (int64_t i = 0; i < count;) {
        const bool whole = place->counter[inner] == 0 && count - i >= row;
        const int64_t below = walk->shape[inner - 1] - place->counter[inner - 1];
        const int64_t rows = whole ? kl_min(below, (count - i) / row) : 1;
        const int64_t n = whole ? row : kl_min(row - place->counter[inner], count - i);
        for (int k = 0; k < walk->operands; ++k) {
            const struct kl_operand *operand = &walk->operand[k];
            if (kl_walk_moves(walk, k, moved))
                kl_walk_block(walk, operand, place->offset[k],
                              tiles->bytes[k] + i * operand->itemsize, rows, n,
                              moved == KL_OUTPUT);
        }
        kl_walk_advance(walk, place, whole ? inner - 1 : inner, whole ? rows : n);
        i += rows * n;
    }
}

/* [first, last) of the linear index, through tiles of several rows. From the first row that begins
 * in the range, tiles begin with rows, and an input whose rows are all the same is moved once. */
static inline KL_UNUSED int kl_walk_short_rows(const struct kl_walk *walk, int64_t first,
                                               int64_t last, struct kl_tiles *tiles) {
    const int64_t row = walk->shape[walk->dims - 1], tile = walk->tile / row * row;
    enum kl_moved moved = KL_INPUTS;
    struct kl_position read, write;
    kl_walk_seek(walk, first, &read);
    write = read;
    int64_t count;
    for (int64_t i = first; i < last; i += count) {
        const int64_t begun = read.counter[walk->dims - 1];
        count = kl_min(tile - begun, last - i);
        const void *in[KL_MAX_OPERANDS] = {0};
        char *pointer[KL_MAX_OPERANDS] = {0};
        for (int k = 0; k < walk->operands; ++k) {
            const struct kl_operand *operand = &walk->operand[k];
            pointer[k] = operand->packed ? operand->data + i * operand->itemsize : tiles->bytes[k];
            if (k > 0) in[k - 1] = pointer[k];
        }
        kl_walk_tile(walk, &read, count, tiles, moved);
        if (begun == 0) moved = KL_OTHER_INPUTS;
        KL_TRY(kl_walk_apply(walk, pointer[0], in, count, walk->operand[0].packed));
        if (!walk->operand[0].packed) kl_walk_tile(walk, &write, count, tiles, KL_OUTPUT);
    }
    if (walk->streamed) kl_streamed_end();
    return KL_OK;
}

/* [first, last) of the linear index: a body for parallel_for. */
static inline KL_UNUSED int kl_walk_range(void *context, int64_t first, int64_t last) {
    const struct kl_walk *walk = context;
    const int64_t row = walk->shape[walk->dims - 1];
    struct kl_tiles tiles;
    if (walk->dims > 1 && row < KL_LONG_ROW) return kl_walk_short_rows(walk, first, last, &tiles);
    struct kl_position place;
    kl_walk_seek(walk, first, &place);
    while (first < last) {
        const int64_t n = kl_min(row - place.counter[walk->dims - 1], last - first);
        KL_TRY(kl_walk_row(walk, &place, n, &tiles));
        kl_walk_advance(walk, &place, walk->dims - 1, n);
        first += n;
    }
    if (walk->streamed) kl_streamed_end();
    return KL_OK;
}

/* Runs a planned walk of size elements, each worth cost additions. */
static inline KL_UNUSED int kl_walk_run(const struct kl_runtime *rt, struct kl_walk *walk,
                                        int64_t size, int64_t cost) {
    if (size == 0) return KL_OK;
    return rt->parallel_for(0, size, kl_grain(rt, size, cost), kl_walk_range, walk);
}

#endif
