/* Copies between row-major memory and its transpose: squares that use whole cache lines on both
 * sides, where the walk row by row would fetch each line of the source once per element. */
#ifndef KAEL_ELEMENTWISE_TRANSPOSE_H
#define KAEL_ELEMENTWISE_TRANSPOSE_H

#include "kael/elementwise/walk.h"
#include "kael/tile.h"

/* Rows of the output copied at a time: their lines and pages stay in L1 and its page table. */
enum { kTransposeRows = 64 };

struct kl_transpose {
    const struct kl_walk *walk;
    int rows; /* the dim along which the input is contiguous; the last is that of the output */
    int64_t blocks;
};

/* The dim for struct kl_transpose, or -1 when the walk does just as well. */
static inline KL_UNUSED int kl_transpose_dim(const struct kl_walk *walk) {
    const int64_t itemsize = walk->operand[0].itemsize;
    const int inner = walk->dims - 1;
    const int64_t *in = walk->operand[1].strides;
    if (walk->kernel != NULL || walk->operand[0].strides[inner] != itemsize) return -1;
    if (in[inner] == 0 || in[inner] == itemsize || walk->shape[inner] < 4) return -1;
    for (int d = 0; d < inner; ++d)
        if ((in[d] == itemsize || in[d] == -itemsize) && walk->shape[d] >= 4) return d;
    return -1;
}

/* Blocks [first, last): a body for parallel_for. */
static inline KL_UNUSED int kl_transpose_range(void *context, int64_t first, int64_t last) {
    const struct kl_transpose *job = context;
    const struct kl_walk *walk = job->walk;
    const int inner = walk->dims - 1;
    const struct kl_operand *out = &walk->operand[0], *in = &walk->operand[1];
    const int64_t itemsize = out->itemsize;
    for (int64_t i = first; i < last; ++i) {
        const int64_t row = i % job->blocks * kTransposeRows;
        int64_t to = row * out->strides[job->rows], from = row * in->strides[job->rows];
        int64_t plane = i / job->blocks;
        for (int d = inner - 1; d >= 0; --d) {
            if (d == job->rows) continue;
            to += plane % walk->shape[d] * out->strides[d];
            from += plane % walk->shape[d] * in->strides[d];
            plane /= walk->shape[d];
        }
        const struct kl_tile target = {out->data + to, out->strides[job->rows] / itemsize, 1};
        const struct kl_tile source = {in->data + from, in->strides[job->rows] / itemsize,
                                       in->strides[inner] / itemsize};
        kl_tile_copy(target, source, kl_min(kTransposeRows, walk->shape[job->rows] - row),
                     walk->shape[inner], itemsize);
    }
    return KL_OK;
}

/* Runs a planned walk without a kernel; `rows` is kl_transpose_dim of it. */
static inline KL_UNUSED int kl_transpose_run(const struct kl_runtime *rt, struct kl_walk *walk,
                                             int64_t size, int rows) {
    if (size == 0) return KL_OK;
    const int64_t blocks = kl_ceil_div(walk->shape[rows], kTransposeRows);
    struct kl_transpose job = {walk, rows, blocks};
    const int64_t planes = size / (walk->shape[rows] * walk->shape[walk->dims - 1]);
    const int64_t block = kl_min(kTransposeRows, walk->shape[rows]) * walk->shape[walk->dims - 1];
    const int64_t grain = kl_max(1, rt->element_grain() / block);
    return rt->parallel_for(0, planes * blocks, grain, kl_transpose_range, &job);
}

#endif
