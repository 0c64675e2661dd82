/* A reduction's geometry: which dims run inside an output, which across outputs, in what tiles.
 *
 *     rows form      the reduced elements are contiguous (or closest together): lanes in registers
 *     columns form   neighbouring outputs are closer together than an output's elements: vectors
 *                    run across a strip of columns, memory is streamed
 *
 * Either way an item of work is one block of KL_REDUCTION_BLOCK elements of each output in a tile,
 * and the fold's order is that of the logical index, so the form never shows in the bits.
 */
#ifndef KAEL_REDUCE_PLAN_H
#define KAEL_REDUCE_PLAN_H

#include <stdlib.h>

#include "kael/dims.h"
#include "kael/fold.h"

enum {
    /* Columns of a strip: 32 KiB of an f32 row, and 1 MiB of lanes in L2. Reading whole rows is
     * what streams: (4096, 4096) took 2.4 ms so, 8 ms with 256 columns and 20 ms with 64. */
    KL_STRIP_COLUMNS = 4096,
    KL_STAGED_COLUMNS = 256,
    KL_STRIP_ROWS = 256, /* rows that a strip reads before it moves on: eight for each lane */
    /* Rows shorter than this are turned, so that vectors run across them: in place a row takes 3 ns
     * for a sum, 7 for an extreme and 30 to 130 for its index. */
    KL_SHORT_SUM = 4,
    KL_SHORT_EXTREME = 16,
    KL_SHORT_INDEX = 48,
    KL_SHORT_EXTREMES = 128, /* elements of rows whose extremes narrower vectors find faster */
    /* Elements of neighbouring rows that are staged together, or read in place by one call. */
    KL_STAGED_ROWS = 4096,
    KL_DIRECT_ROWS = 1 << 16,
    KL_GROUP_BLOCKS = 16 /* of one output, taken together at most: 1 MiB of f32 */
};

struct kl_plan {
    int64_t size, outputs;    /* elements of an output, outputs */
    struct kl_dims reduced;   /* in logical order; at least one */
    struct kl_dims outer;     /* kept dims but the strip */
    int64_t strip, strip_stride, strip_out; /* the kept dim along which tiles run */
    bool columns, direct;     /* direct: read in place, else staged through scratch */
    int64_t width;            /* outputs of a whole tile */
    int64_t tiles, blocks;    /* tiles of a strip, blocks of an output */
    int64_t group;            /* blocks of one output that are taken together */
};

/* Takes the kept dim of least stride out of `outer`. */
KL_INLINE void kl_plan_strip(struct kl_plan *plan) {
    struct kl_dims *outer = &plan->outer;
    plan->strip = 1;
    plan->strip_stride = plan->strip_out = 0;
    if (outer->count == 0) return;
    int least = 0;
    for (int d = 1; d < outer->count; d++) {
        if (llabs(outer->strides[d]) <= llabs(outer->strides[least])) least = d;
    }
    plan->strip = outer->shape[least];
    plan->strip_stride = outer->strides[least];
    plan->strip_out = outer->out[least];
    outer->count--;
    for (int d = least; d < outer->count; d++) {
        outer->shape[d] = outer->shape[d + 1];
        outer->strides[d] = outer->strides[d + 1];
        outer->out[d] = outer->out[d + 1];
    }
}

/* Outputs of a tile. Strips are wide, but `threads` get one each. */
KL_INLINE int64_t kl_plan_width(const struct kl_plan *plan, int64_t threads, bool may_end) {
    if (!plan->columns) {
        int64_t rows = KL_STAGED_ROWS / kl_max(1, plan->size);
        if (plan->direct && plan->blocks == 1) {
            const int64_t shared = plan->outputs / (4 * threads);
            rows = kl_max(rows, kl_min(KL_DIRECT_ROWS / kl_max(1, plan->size), shared));
        }
        const bool few = may_end && plan->direct && plan->size <= KL_FEW_ELEMENTS;
        return kl_max(1, kl_min(plan->strip, few ? rows : kl_min(rows, KL_NEAR_OUTPUTS)));
    }
    int64_t width = plan->direct ? KL_STRIP_COLUMNS : KL_STAGED_COLUMNS;
    if (plan->outputs / plan->strip * plan->blocks < threads) {
        width = kl_min(width, kl_round_up(kl_ceil_div(plan->strip, threads), KL_NEAR_OUTPUTS));
    }
    return kl_min(width, plan->strip);
}

/* Blocks that are read in place are taken together. Where the elements of a long output are nearer
 * to each other across its innermost dim than along it (the sum of a transposed matrix), staging as
 * many blocks at once as make 16 lines of that dim uses each cache line whole. */
KL_INLINE int64_t kl_plan_group(const struct kl_plan *plan) {
    const struct kl_dims *reduced = &plan->reduced;
    const int last = reduced->count - 1;
    if (plan->columns || plan->strip > 1 || plan->blocks == 1) return 1;
    if (plan->direct) return KL_GROUP_BLOCKS;
    if (last < 1) return 1;
    if (llabs(reduced->strides[last]) <= llabs(reduced->strides[last - 1])) return 1;
    return kl_min(KL_GROUP_BLOCKS, kl_ceil_div(16 * reduced->shape[last], KL_REDUCTION_BLOCK));
}

/* Bit d of `mask` marks a reduced dim. The output is contiguous in the order of the kept dims.
 * `threads`, `short_row` (below it rows are turned) and `may_end` (rows that can be read in place
 * are not, short as they are: kernels store results of many) change the tiles, never the bits. */
static void kl_plan_make(struct kl_plan *plan, int ndim, const int64_t *shape,
                         const int64_t *strides, uint32_t mask, int64_t threads,
                         int64_t short_row, bool may_end) {
    int64_t out[KL_MAX_DIMS];
    plan->size = plan->outputs = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        out[d] = (mask >> d & 1) ? 0 : plan->outputs;
        *((mask >> d & 1) ? &plan->size : &plan->outputs) *= shape[d];
    }
    plan->reduced.count = plan->outer.count = 0;
    for (int d = 0; d < ndim; d++) {
        const int64_t stride = plan->size == 0 ? 0 : strides[d];
        kl_dims_append((mask >> d & 1) ? &plan->reduced : &plan->outer, shape[d], stride, out[d]);
    }
    kl_plan_strip(plan);

    struct kl_dims *reduced = &plan->reduced;
    const bool single = reduced->count == 0 || plan->size == 0;
    if (single) {
        reduced->count = 1;
        reduced->shape[0] = plan->size;
        reduced->strides[0] = 0;
    }
    const int64_t step = llabs(reduced->strides[reduced->count - 1]);
    if (may_end && reduced->count == 1 && reduced->strides[0] == 1) short_row = 0;
    plan->columns = plan->strip > 1 && plan->size > 0 &&
                    (single || llabs(plan->strip_stride) < step ||
                     (plan->size < short_row && plan->strip >= KL_NEAR_OUTPUTS));
    const int64_t inner = plan->columns ? plan->strip_stride : reduced->strides[0];
    plan->direct = reduced->count == 1 && inner == 1;
    plan->blocks = kl_max(1, kl_ceil_div(plan->size, KL_REDUCTION_BLOCK));
    plan->width = kl_plan_width(plan, threads, may_end);
    plan->tiles = kl_ceil_div(plan->strip, plan->width);
    plan->group = kl_plan_group(plan);
}

/* One item: `count` outputs, the first at element `x` and output `out`, elements
 * [begin, begin + size) of each; or `blocks` whole blocks of one output, `size` elements each. */
struct kl_item {
    int64_t x, out, count, begin, size, block, blocks;
};

/* Item `number`; it may take the numbers up to `last` with it, as further blocks. */
KL_INLINE struct kl_item kl_plan_item(const struct kl_plan *plan, int64_t number, int64_t last) {
    struct kl_item item;
    const int64_t most = kl_min(plan->group, last - number);
    item.block = 0;
    if (plan->blocks > 1) { /* a division takes as long as a short item */
        item.block = number % plan->blocks;
        number /= plan->blocks;
    }
    const int64_t column = plan->tiles > 1 ? number % plan->tiles * plan->width : 0;
    int64_t group = plan->tiles > 1 ? number / plan->tiles : number;
    item.count = kl_min(plan->width, plan->strip - column);
    item.x = column * plan->strip_stride;
    item.out = column * plan->strip_out;
    for (int d = plan->outer.count - 1; d >= 0; d--) {
        const int64_t digit = d > 0 ? group % plan->outer.shape[d] : group;
        if (d > 0) group /= plan->outer.shape[d];
        item.x += digit * plan->outer.strides[d];
        item.out += digit * plan->outer.out[d];
    }
    item.begin = item.block * KL_REDUCTION_BLOCK;
    item.size = kl_min(plan->size - item.begin, KL_REDUCTION_BLOCK);
    item.blocks = kl_max(1, kl_min(most, (plan->size - item.begin) / KL_REDUCTION_BLOCK));
    return item;
}

/* A run of reduced elements from number `index` on that step by the innermost stride: its first
 * element's offset, its length, at most `most`, and how many runs like it follow at the stride of
 * the dim before (1 unless it is whole). */
KL_INLINE int64_t kl_plan_run(const struct kl_plan *plan, int64_t index, int64_t most,
                              int64_t *length, int64_t *runs) {
    const struct kl_dims *dims = &plan->reduced;
    const int last = dims->count - 1;
    const int64_t offset = kl_dims_run(dims, index, most, length);
    *runs = 1;
    if (last > 0 && *length == dims->shape[last]) {
        const int64_t line = index / dims->shape[last] % dims->shape[last - 1];
        *runs = kl_min(dims->shape[last - 1] - line, most / *length);
    }
    return offset;
}

#endif
