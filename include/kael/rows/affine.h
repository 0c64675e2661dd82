/* Sums over rows that the gradients of a norm's weight and bias are; see affine.inc.h. */
#ifndef KAEL_ROWS_AFFINE_H
#define KAEL_ROWS_AFFINE_H

#include <string.h>

#include "kael/fold.h"
#include "kael/runtime.h"

enum { KL_AFFINE_STRIP = 256 }; /* columns: two arrays of lanes of 64 KiB, products of 8 KiB */

/* x[rows][size] and g[rows][size], contiguous; moments[rows][2] as in struct kl_rows. weight[size]
 * and bias[size] receive the gradients; either may be NULL. */
struct kl_affine {
    const struct kl_runtime *rt;
    const struct kl_affine_kernels *kernels;
    int64_t rows, size;
    const void *x, *g;
    const double *moments;
    void *weight, *bias;
    int64_t width, strips, blocks;
};

struct kl_affine_lanes {
    double *weight, *bias; /* KL_LANES * width each, or NULL */
};

struct kl_affine_kernels {
    void (*block)(const struct kl_affine *call, int64_t begin, int64_t end, int64_t column,
                  int64_t width, struct kl_affine_lanes *lanes);
    void (*store)(const double *totals, int64_t count, void *out, int64_t at);
};

/* A column's blocks meet in a tree. */
KL_INLINE void kl_affine_push(struct kl_tree *trees, const double *totals, int64_t width) {
    for (int64_t c = 0; c < width; c++) kl_tree_push(trees + c, KL_TERM_VALUE, totals[c]);
}

KL_INLINE void kl_affine_end(const struct kl_affine *call, struct kl_tree *trees, double *totals,
                             int64_t width, void *out, int64_t column) {
    for (int64_t c = 0; trees && c < width; c++) {
        totals[c] = kl_tree_total(trees + c, KL_TERM_VALUE);
    }
    call->kernels->store(totals, width, out, column);
}

/* Strips of columns: each thread its own, all rows of it. */
static int kl_affine_body(void *context, int64_t first, int64_t last) {
    const struct kl_affine *call = (const struct kl_affine *)context;
    const int64_t lanes_bytes = KL_LANES * call->width * (int64_t)sizeof(double);
    const int64_t tree_bytes =
        call->blocks > 1 ? call->width * (int64_t)sizeof(struct kl_tree) : 0;
    const int64_t bytes = 2 * (lanes_bytes + tree_bytes);
    char *scratch = (char *)call->rt->alloc(bytes);
    if (!scratch) return KL_NO_MEMORY;
    struct kl_affine_lanes lanes = {call->weight ? (double *)scratch : NULL,
                                    call->bias ? (double *)(scratch + lanes_bytes) : NULL};
    struct kl_tree *trees = tree_bytes ? (struct kl_tree *)(scratch + 2 * lanes_bytes) : NULL;
    struct kl_tree *others = trees ? trees + call->width : NULL;
    for (int64_t strip = first; strip < last; strip++) {
        const int64_t column = strip * call->width;
        const int64_t width = kl_min(call->width, call->size - column);
        if (trees) memset(trees, 0, (size_t)(2 * tree_bytes));
        for (int64_t begin = 0; begin < call->rows; begin += KL_REDUCTION_BLOCK) {
            const int64_t end = kl_min(call->rows, begin + KL_REDUCTION_BLOCK);
            call->kernels->block(call, begin, end, column, width, &lanes);
            if (trees && lanes.weight) kl_affine_push(trees, lanes.weight, width);
            if (trees && lanes.bias) kl_affine_push(others, lanes.bias, width);
        }
        if (lanes.weight) kl_affine_end(call, trees, lanes.weight, width, call->weight, column);
        if (lanes.bias) kl_affine_end(call, others, lanes.bias, width, call->bias, column);
    }
    call->rt->release(scratch, bytes);
    return KL_OK;
}

/* Runs a call of which rt, rows, size, x, g, moments, weight and bias are set; rows > 0. */
static int kl_affine_run(struct kl_affine *call, const struct kl_affine_kernels *kernels) {
    if (call->size == 0) return KL_OK;
    const int64_t share = kl_ceil_div(call->size, call->rt->num_threads());
    call->kernels = kernels;
    call->width = kl_min(KL_AFFINE_STRIP, kl_round_up(share, 16));
    call->strips = kl_ceil_div(call->size, call->width);
    call->blocks = kl_ceil_div(call->rows, KL_REDUCTION_BLOCK);
    const int64_t grain = kl_grain(call->rt, call->strips, 4 * call->rows * call->width);
    return call->rt->parallel_for(0, call->strips, grain, kl_affine_body, call);
}

#endif
