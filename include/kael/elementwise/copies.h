/* Copies between layouts of which neither is the transpose of the other: row by row, without the
 * tiles that kernels need. */
#ifndef KAEL_ELEMENTWISE_COPIES_H
#define KAEL_ELEMENTWISE_COPIES_H

#include "kael/copy.h"
#include "kael/elementwise/walk.h"

struct kl_copies {
    struct kl_walk rows; /* the walk without its last dim */
    int64_t row;         /* elements of that */
    int64_t to, from;    /* bytes from one of them to the next */
};

/* Rows [first, last): a body for parallel_for. */
static inline KL_UNUSED int kl_copies_range(void *context, int64_t first, int64_t last) {
    const struct kl_copies *job = context;
    const struct kl_walk *rows = &job->rows;
    const struct kl_operand *out = &rows->operand[0], *in = &rows->operand[1];
    const int inner = rows->dims - 1;
    const int64_t itemsize = out->itemsize;
    const bool runs = job->to == itemsize && job->from == itemsize;
    struct kl_position place;
    kl_walk_seek(rows, first, &place);
    while (first < last) {
        const int64_t n = kl_min(rows->shape[inner] - place.counter[inner], last - first);
        char *to = out->data + place.offset[0];
        const char *from = in->data + place.offset[1];
        if (runs) {
            kl_copy_rows(to, out->strides[inner], from, in->strides[inner], n,
                         job->row * itemsize);
        } else {
            for (int64_t r = 0; r < n; ++r)
                kl_move_run(to + r * out->strides[inner], job->to,
                            from + r * in->strides[inner], job->from, itemsize, job->row);
        }
        kl_walk_advance(rows, &place, inner, n);
        first += n;
    }
    return KL_OK;
}

/* Elements [first, last) of one dim: a body for parallel_for. */
static inline KL_UNUSED int kl_copies_run_range(void *context, int64_t first, int64_t last) {
    const struct kl_copies *job = context;
    const struct kl_operand *out = &job->rows.operand[0], *in = &job->rows.operand[1];
    kl_move_run(out->data + first * job->to, job->to, in->data + first * job->from, job->from,
                out->itemsize, last - first);
    return KL_OK;
}

/* Runs a planned walk of size elements without a kernel. */
static inline KL_UNUSED int kl_copies_run(const struct kl_runtime *rt, const struct kl_walk *walk,
                                          int64_t size) {
    if (size == 0) return KL_OK;
    const int inner = walk->dims - 1;
    struct kl_copies job = {*walk, walk->shape[inner], walk->operand[0].strides[inner],
                            walk->operand[1].strides[inner]};
    if (inner == 0)
        return rt->parallel_for(0, size, kl_grain(rt, size, 1), kl_copies_run_range, &job);
    job.rows.dims = inner;
    const int64_t rows = size / job.row;
    return rt->parallel_for(0, rows, kl_grain(rt, rows, job.row), kl_copies_range, &job);
}

#endif
