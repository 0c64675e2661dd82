/* Row kernels: softmax, log_softmax, standardize, cross entropy, and their gradients.
 *
 * A row is a line of elements along one dim. Kernels work on contiguous rows; where an operand's
 * elements are apart, tiles of neighbouring rows are staged through scratch and copied back, so
 * every layout has the bits of the contiguous one.
 */
#ifndef KAEL_ROWS_H
#define KAEL_ROWS_H

#include <math.h>

#include "kael/fold.h"
#include "kael/row_kernels.h"
#include "kael/runtime.h"
#include "kael/tile.h"

enum {
    kl_row_tile = 16, /* staged rows: a cache line of f32 across them */
    kl_row_group = 16 /* rows whose passes a kernel interleaves */
};

/* One operand of a call. */
struct kl_row_operand {
    char *data;                    /* NULL: the kernel has no such operand */
    int64_t strides[KL_MAX_DIMS];  /* of the dims that number the rows */
    int64_t element, size;         /* stride along a row, elements in a row */
};

enum { KL_ROW_X, KL_ROW_Y, KL_ROW_OUT, KL_ROW_OPERANDS };

/* Neighbouring rows: their first elements, and the strides between rows, in elements. */
struct kl_row_view {
    char *data[KL_ROW_OPERANDS];
    int64_t stride[KL_ROW_OPERANDS];
};

struct kl_rows;
typedef int (*kl_row_function)(const struct kl_rows *call, const struct kl_row_view *view,
                               int64_t row, int64_t rows);

struct kl_rows {
    const struct kl_runtime *rt;
    kl_row_function kernel;
    int64_t rows, size, itemsize;
    int ndim; /* dims that number the rows, row-major */
    int64_t shape[KL_MAX_DIMS];
    struct kl_row_operand operand[KL_ROW_OPERANDS];
    const int64_t *targets;   /* [rows] */
    const void *weight, *bias; /* [size] */
    double eps;
    /* [rows][2]: center and scale; standardize writes them unless NULL, its gradient reads them. */
    double *moments;
};

#define KL_BODY "kael/rows.inc.h"
#include "kael/foreach_isa.h"

#define KL_ROW_FUNCTIONS(isa, type)                                                               \
    {kl_softmax_rows_##type##_##isa, kl_log_softmax_rows_##type##_##isa,                          \
     kl_standardize_rows_##type##_##isa, kl_cross_entropy_rows_##type##_##isa,                    \
     kl_softmax_backward_rows_##type##_##isa, kl_log_softmax_backward_rows_##type##_##isa,        \
     kl_standardize_backward_rows_##type##_##isa, kl_cross_entropy_backward_rows_##type##_##isa}
#define X(isa, title, usable) {KL_ROW_FUNCTIONS(isa, f32), KL_ROW_FUNCTIONS(isa, f64)},
static const kl_row_function kl_row_table[KL_ISA_COUNT][2][KL_ROW_COUNT] = {KL_ISAS(X)};
#undef X
#undef KL_ROW_FUNCTIONS

/* Names the dims of the rows: all but `dim` (-1: all, each row being one element long there), the
 * operand's element stride being that of `dim`. */
KL_INLINE void kl_row_operand_set(struct kl_row_operand *operand, void *data, int ndim,
                                  const int64_t *strides, int dim, int64_t size) {
    int count = 0;
    for (int d = 0; d < ndim; d++) {
        if (d != dim) operand->strides[count++] = strides[d];
    }
    operand->data = (char *)data;
    operand->element = dim < 0 ? 1 : strides[dim];
    operand->size = size;
}

KL_INLINE bool kl_row_staged(const struct kl_row_operand *operand) {
    return operand->data && operand->element != 1 && operand->size > 1;
}

/* Finds row `row`; returns how many rows, at most `most`, follow it at constant strides. */
static int64_t kl_rows_find(const struct kl_rows *call, int64_t row, int64_t most,
                            struct kl_row_view *view) {
    int64_t offset[KL_ROW_OPERANDS] = {0}, count = most;
    for (int d = call->ndim - 1; d >= 0; d--) {
        const int64_t digit = d > 0 ? row % call->shape[d] : row;
        if (d > 0) row /= call->shape[d];
        if (d == call->ndim - 1) count = kl_min(most, call->shape[d] - digit);
        for (int o = 0; o < KL_ROW_OPERANDS; o++) offset[o] += digit * call->operand[o].strides[d];
    }
    for (int o = 0; o < KL_ROW_OPERANDS; o++) {
        const struct kl_row_operand *operand = &call->operand[o];
        view->data[o] = operand->data ? operand->data + offset[o] * call->itemsize : NULL;
        view->stride[o] = call->ndim > 0 ? operand->strides[call->ndim - 1] : 0;
    }
    return count;
}

KL_INLINE int64_t kl_rows_scratch_bytes(const struct kl_rows *call) {
    int64_t bytes = 0;
    for (int o = 0; o < KL_ROW_OPERANDS; o++) {
        if (kl_row_staged(&call->operand[o])) bytes += kl_row_tile * call->size * call->itemsize;
    }
    return bytes;
}

/* Runs the kernel on `count` rows from `row` on. */
static int kl_rows_tile(const struct kl_rows *call, int64_t row, int64_t count,
                        const struct kl_row_view *view, char *scratch) {
    struct kl_row_view near = *view;
    const int64_t tile_bytes = kl_row_tile * call->size * call->itemsize;
    for (int o = 0; o < KL_ROW_OPERANDS; o++) {
        if (!kl_row_staged(&call->operand[o])) continue;
        near.data[o] = scratch;
        near.stride[o] = call->size;
        scratch += tile_bytes;
        if (o == KL_ROW_OUT) continue;
        kl_tile_copy((struct kl_tile){near.data[o], call->size, 1},
                     (struct kl_tile){view->data[o], view->stride[o], call->operand[o].element},
                     count, call->size, call->itemsize);
    }
    KL_TRY(call->kernel(call, &near, row, count));
    if (kl_row_staged(&call->operand[KL_ROW_OUT])) {
        kl_tile_copy((struct kl_tile){view->data[KL_ROW_OUT], view->stride[KL_ROW_OUT],
                                      call->operand[KL_ROW_OUT].element},
                     (struct kl_tile){near.data[KL_ROW_OUT], call->size, 1}, count, call->size,
                     call->itemsize);
    }
    return KL_OK;
}

static int kl_rows_body(void *context, int64_t first, int64_t last) {
    const struct kl_rows *call = (const struct kl_rows *)context;
    const int64_t bytes = kl_rows_scratch_bytes(call);
    char *scratch = bytes > 0 ? (char *)call->rt->alloc(bytes) : NULL;
    if (bytes > 0 && !scratch) return KL_NO_MEMORY;
    const int64_t most = bytes > 0 ? kl_row_tile : last - first;
    int status = KL_OK;
    for (int64_t row = first, count = 0; row < last && status == KL_OK; row += count) {
        struct kl_row_view view;
        count = kl_rows_find(call, row, kl_min(most, last - row), &view);
        status = kl_rows_tile(call, row, count, &view, scratch);
    }
    if (scratch) call->rt->release(scratch, bytes);
    return status;
}

/* map_rows: runs `kernel` on every row; the call says all but rt->isa's function. */
static int kl_rows_run(struct kl_rows *call, int kernel, int dtype) {
    static const int costs[] = {
#define X(name, cost) cost,
        KL_ROW_KERNELS(X)
#undef X
    };
    if (call->rows == 0 || call->size == 0) return KL_OK;
    call->itemsize = kl_itemsize(dtype);
    call->kernel = kl_row_table[call->rt->isa][dtype == KL_DTYPE_f64][kernel];
    const int64_t work = costs[kernel] * call->size;
    const int64_t grain = kl_grain(call->rt, call->rows, work);
    return call->rt->parallel_for(0, call->rows, grain, kl_rows_body, call);
}

#endif
