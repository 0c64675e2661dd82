/* The norm of a list of tensors as if they were one vector (numerics R3).
 *
 *     tensors   |---- 0 ----|- 1 -|------------ 2 ------------|--- 3 ---|
 *     blocks    |  16384   |  16384   |  16384   |  16384   |  the rest |
 *
 * Blocks are of the joint index, so that the bits do not show where one tensor ends and the next
 * begins. Nothing is copied together: a block walks the pieces of tensors that it covers, each one
 * entering the lanes where the piece before it stopped.
 */
#ifndef KAEL_NORM_H
#define KAEL_NORM_H

#include <string.h>

#include "kael/dims.h"
#include "kael/fold.h"
#include "kael/norm_part.h"
#include "kael/plane.h"
#include "kael/runtime.h"

/* What an element adds, p being the norm's order. */
enum kl_norm_term {
    KL_NORM_SQUARE,   /* 2 */
    KL_NORM_ABS,      /* 1 */
    KL_NORM_POWER,    /* |x|^p */
    KL_NORM_NOT_ZERO, /* 0: how many are not zero */
    KL_NORM_GREATEST, /* inf: of |x|, NaN wins */
    KL_NORM_LEAST     /* -inf */
};

#define KL_BODY "kael/math.inc.h"
#include "kael/foreach_isa.h"
#define KL_BODY "kael/norm.inc.h"
#include "kael/foreach_isa.h"

/* add: x[count] meets a block's KL_LANES lanes, element 0 at `lane`. widen: of 16 bits to f32.
 * meet: the block's partial. */
struct kl_norm_kernels {
    void (*add[2])(int term, double p, const void *x, int64_t count, int64_t lane, double *lanes);
    void (*widen)(int storage, const uint16_t *x, float *wide, int64_t count);
    double (*meet)(int term, const double *lanes);
};

static const struct kl_norm_kernels kl_norm_table[KL_ISA_COUNT] = {
#define X(isa, title, usable) \
    {{kl_norm_add_f32_##isa, kl_norm_add_f64_##isa}, \
     kl_widen_halves_f32_##isa, kl_norm_meet_f64_##isa},
    KL_ISAS(X)
#undef X
};

enum { KL_NORM_TILE = 1024 }; /* elements of a strided tensor that are gathered at a time */

struct kl_norm {
    const struct kl_norm_kernels *kernels;
    const struct kl_norm_part *parts;
    int64_t count, size;
    int term;
    double p;
    double *partials;
};

/* The tensor that holds joint index i: the last one that begins at or before it. */
KL_INLINE int64_t kl_norm_find(const struct kl_norm *norm, int64_t i) {
    int64_t low = 0, high = norm->count;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (norm->parts[middle].begin <= i) low = middle;
        else high = middle;
    }
    return low;
}

/* Elements of a tile, or of a contiguous tensor, meet the lanes. */
static void kl_norm_meet_lanes(const struct kl_norm *norm, const struct kl_norm_part *part,
                               const void *x, int64_t count, int64_t lane, double *lanes) {
    float wide[KL_NORM_TILE];
    if (part->storage == KL_STORAGE_plain) {
        norm->kernels->add[part->dtype == KL_DTYPE_f64](norm->term, norm->p, x, count, lane, lanes);
        return;
    }
    for (int64_t i = 0; i < count; i += KL_NORM_TILE) {
        const int64_t most = kl_min(count - i, KL_NORM_TILE);
        norm->kernels->widen(part->storage, (const uint16_t *)x + i, wide, most);
        norm->kernels->add[0](norm->term, norm->p, wide, most, (lane + i) % KL_LANES, lanes);
    }
}

KL_INLINE int64_t kl_norm_itemsize(const struct kl_norm_part *part) {
    return part->storage == KL_STORAGE_plain ? kl_itemsize(part->dtype) : 2;
}

/* Elements [first, first + count) of a strided tensor, by way of a tile. */
static void kl_norm_gather(const struct kl_norm *norm, const struct kl_norm_part *part,
                           int64_t first, int64_t count, int64_t lane, double *lanes) {
    _Alignas(KL_ALIGNMENT) char tile[KL_NORM_TILE * sizeof(double)];
    const int64_t itemsize = kl_norm_itemsize(part);
    struct kl_dims dims = {.count = 0};
    for (int d = 0; d < part->ndim; d++) kl_dims_append(&dims, part->shape[d], part->strides[d], 0);
    while (count > 0) {
        const int64_t most = kl_min(count, KL_NORM_TILE);
        for (int64_t done = 0, length = 1; done < most; done += length) {
            const int64_t offset = kl_dims_run(&dims, first + done, most - done, &length);
            const int64_t step = dims.count > 0 ? dims.strides[dims.count - 1] : 1;
            const struct kl_plane to = {tile + done * itemsize, length, 1};
            const struct kl_plane from = {(char *)part->data + offset * itemsize, 0, step};
            if (itemsize == 2) kl_plane_each(to, from, 0, 1, 0, length, 2);
            else kl_plane_copy(to, from, 1, length, itemsize);
        }
        kl_norm_meet_lanes(norm, part, tile, most, lane, lanes);
        lane = (lane + most) % KL_LANES;
        first += most;
        count -= most;
    }
}

static double kl_norm_block(const struct kl_norm *norm, int64_t block) {
    const int64_t begin = block * KL_REDUCTION_BLOCK;
    const int64_t end = kl_min(norm->size, begin + KL_REDUCTION_BLOCK);
    const struct kl_norm_part *part = norm->parts + kl_norm_find(norm, begin);
    double lanes[KL_LANES];
    for (int l = 0; l < KL_LANES; l++) lanes[l] = norm->term == KL_NORM_LEAST ? INFINITY : 0.0;
    for (int64_t i = begin; i < end; ++part) {
        const int64_t first = i - part->begin, lane = (i - begin) % KL_LANES;
        const int64_t count = kl_min(part->size - first, end - i);
        if (count <= 0) continue;
        if (part->contiguous) {
            const char *x = part->data + first * kl_norm_itemsize(part);
            kl_norm_meet_lanes(norm, part, x, count, lane, lanes);
        } else {
            kl_norm_gather(norm, part, first, count, lane, lanes);
        }
        i += count;
    }
    return norm->kernels->meet(norm->term, lanes);
}

static int kl_norm_body(void *context, int64_t first, int64_t last) {
    const struct kl_norm *norm = context;
    for (int64_t b = first; b < last; b++) norm->partials[b] = kl_norm_block(norm, b);
    return KL_OK;
}

/* The blocks' partials, in R3's tree; extremes are exact in any order. */
static double kl_norm_total(const struct kl_norm *norm, int64_t blocks) {
    struct kl_tree tree = {.blocks = 0, .depth = 0};
    double total = norm->partials[0];
    if (norm->term < KL_NORM_GREATEST) {
        for (int64_t b = 0; b < blocks; b++) {
            kl_tree_push(&tree, KL_TERM_VALUE, norm->partials[b]);
        }
        return kl_tree_total(&tree, KL_TERM_VALUE);
    }
    for (int64_t b = 1; b < blocks; b++) {
        const double next = norm->partials[b];
        const bool beyond = norm->term == KL_NORM_LEAST ? next < total : next > total;
        if (total == total && (beyond || next != next)) total = next;
    }
    return total;
}

/* *total: the sum, or the extreme, of what the elements add; 0 for none. The root is the caller's.
 * Parts may be empty. */
static int kl_norm(const struct kl_runtime *rt, int term, double p, struct kl_norm_part *parts,
                   int64_t count, double *total) {
    struct kl_norm norm = {&kl_norm_table[rt->isa], parts, count, 0, term, p, total};
    for (int64_t k = 0; k < count; k++) {
        parts[k].begin = norm.size;
        norm.size += parts[k].size;
    }
    *total = 0;
    if (norm.size == 0) return KL_OK;
    const int64_t blocks = kl_ceil_div(norm.size, KL_REDUCTION_BLOCK);
    const int64_t bytes = blocks * (int64_t)sizeof(double);
    if (blocks == 1) return kl_norm_body(&norm, 0, 1);
    norm.partials = rt->alloc(bytes);
    if (!norm.partials) return KL_NO_MEMORY;
    const int64_t grain = kl_grain(rt, blocks, KL_REDUCTION_BLOCK);
    const int status = rt->parallel_for(0, blocks, grain, kl_norm_body, &norm);
    if (status == KL_OK) *total = kl_norm_total(&norm, blocks);
    rt->release(norm.partials, bytes);
    return status;
}

#endif
