/* Drives row kernels: a call of any operands becomes tiles of contiguous rows.
 *
 * A row is a line of elements along one dim. Kernels work on contiguous, aligned rows; where those
 * of an operand are not, tiles of neighbouring rows are staged through scratch and copied back, so
 * every layout has the bits of the contiguous one. Where neighbouring rows lie side by side, some
 * kernels have a second form that reads them so (rows/columns.inc.h).
 */
#ifndef KAEL_ROWS_DRIVER_H
#define KAEL_ROWS_DRIVER_H

#include <math.h>

#include "kael/fold.h"
#include "kael/plane.h"
#include "kael/runtime.h"
#include "kael/streamed.h"

/* Work of an element against one addition: what the grain is reckoned from. */
enum { KL_EXPONENTIAL_COST = 16, KL_STANDARDIZE_COST = 4 };

enum {
    KL_ROW_TILE = 16,   /* staged rows: a cache line of f32 across them */
    KL_ROW_GROUP = 16,  /* rows whose passes a kernel interleaves */
    KL_ROW_BESIDE = 64, /* rows side by side that a kernel takes together, at most */
    KL_ROW_FEW = 16,    /* fewer are staged */
    KL_SCAN_SHORT = 256, /* elements of a row whose running sums are made beside those of others */
    /* Bytes of their elements, where they are more than KL_ROW_FEW: (64, 1000, 64) f32 takes 3.4 ms
     * so, 4.3 with a quarter. */
    KL_ROW_ROOM = 1 << 18,
    /* Bytes of a row of a result that is streamed. One thread of Zen 4: (1024, 50257) f32 takes
     * 0.65 to 0.9 of the time so, rows of 16 KB 0.8 to 1.08, of 4 KB 1.05 to 1.15, of 2 KB up to
     * 1.8; what is kept of longer ones leaves L2. */
    KL_ROW_STREAMED_LEAST = 1 << 15,
    KL_ROW_STREAMED_MOST = 1 << 20,
    KL_ROW_AHEAD = 2048 /* bytes, of an operand that is read while a result is streamed */
};

/* One operand of a call. */
struct kl_row_operand {
    char *data;                    /* NULL: the kernel has no such operand */
    int64_t strides[KL_MAX_DIMS];  /* of the dims that number the rows */
    int64_t element, size;         /* stride along a row, elements in a row */
};

/* KL_ROW_SLOPE: the gradient of a result that is one element a row. */
enum { KL_ROW_X, KL_ROW_Y, KL_ROW_SLOPE, KL_ROW_OUT, KL_ROW_OPERANDS };

/* Neighbouring rows: their first elements, and the strides between rows, in elements. */
struct kl_row_view {
    char *data[KL_ROW_OPERANDS];
    int64_t stride[KL_ROW_OPERANDS];
    char *scratch; /* of kernels that take rows side by side; a row of streamed results */
};

struct kl_rows;
typedef int (*kl_row_function)(const struct kl_rows *call, const struct kl_row_view *view,
                               int64_t row, int64_t rows);

struct kl_rows {
    const struct kl_runtime *rt;
    kl_row_function kernel;
    kl_row_function columns; /* the kernel for rows side by side, or NULL */
    int64_t rows, size, itemsize;
    bool streamed; /* results go past the caches, in kernels that can store them so */
    int ndim;      /* dims that number the rows, row-major */
    int64_t shape[KL_MAX_DIMS];
    struct kl_row_operand operand[KL_ROW_OPERANDS];
    const int64_t *targets;    /* [rows] or NULL */
    int64_t ignored;           /* a target whose row counts nothing */
    int *skipped;              /* set where a row was ignored */
    const void *weight, *bias; /* [size] or NULL */
    double eps;                /* added to a variance; of cross entropy, the share smoothed away */
    int64_t height, offset;    /* causal: row r % height counts 1 + r % height + offset elements */
    /* [rows][2]: center and scale; standardize writes them unless NULL, its gradient reads them. */
    double *moments;
};

/* How many elements of a row of a triangle count. */
KL_INLINE int64_t kl_row_length(const struct kl_rows *call, int64_t row) {
    return kl_max(0, kl_min(call->size, row % call->height + 1 + call->offset));
}

/* Bodies of kernels walk a row by vectors: `i` is the first element of one, of which `left` exist;
 * and a call by groups of rows: `first` is the first one of `count`. */
#define KL_EACH(i, left, size, vector) \
    for (int64_t i = 0, left = (size); left > 0; i += (vector), left -= (vector))
#define KL_EACH_GROUP(first, count, size, rows)                                      \
    for (int64_t first = 0, count = KL_FN(group)((size), (rows)); first < (rows);    \
         first += count, count = kl_min(count, (rows) - first))

/* A call on rows of x along the dims first .. last (one run in memory if several; none where last
 * is below first); the operands are still to be named. */
static KL_UNUSED void kl_rows_begin(struct kl_rows *call, const struct kl_runtime *rt, int ndim,
                                    const int64_t *shape, int first, int last) {
    memset(call, 0, sizeof *call);
    call->rt = rt;
    call->rows = call->size = 1;
    for (int d = 0; d < ndim; d++) {
        if (d >= first && d <= last) {
            call->size *= shape[d];
        } else {
            call->shape[call->ndim++] = shape[d];
            call->rows *= shape[d];
        }
    }
}

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

/* Whether kernels cannot read an operand in place: its elements are apart, or at odd addresses. */
KL_INLINE bool kl_row_staged(const struct kl_rows *call, const struct kl_row_operand *operand) {
    return operand->data && ((operand->element != 1 && operand->size > 1) ||
                             !kl_aligned(operand->data, call->itemsize));
}

/* Finds row `row`; returns how many rows, at most `most`, follow it at constant strides. */
static KL_UNUSED int64_t kl_rows_find(const struct kl_rows *call, int64_t row, int64_t most,
                                      struct kl_row_view *view) {
    int64_t offset[KL_ROW_OPERANDS] = {0}, count = most;
    for (int d = call->ndim - 1; d >= 0; d--) {
        const int64_t digit = d > 0 ? row % call->shape[d] : row;
        if (d > 0) row /= call->shape[d];
        if (d == call->ndim - 1) count = kl_min(most, call->shape[d] - digit);
        for (int o = 0; o < KL_ROW_OPERANDS; o++) {
            if (call->operand[o].data) offset[o] += digit * call->operand[o].strides[d];
        }
    }
    for (int o = 0; o < KL_ROW_OPERANDS; o++) {
        const struct kl_row_operand *operand = &call->operand[o];
        view->data[o] = operand->data ? operand->data + offset[o] * call->itemsize : NULL;
        view->stride[o] = call->ndim > 0 ? operand->strides[call->ndim - 1] : 0;
    }
    return count;
}

/* Makes one dim of the last two while every operand steps over them as over one. */
static KL_UNUSED void kl_rows_merge(struct kl_rows *call) {
    for (; call->ndim > 1; call->ndim--) {
        const int last = call->ndim - 1;
        for (int o = 0; o < KL_ROW_OPERANDS; o++) {
            const int64_t *strides = call->operand[o].strides;
            if (!call->operand[o].data) continue;
            if (strides[last - 1] != strides[last] * call->shape[last]) return;
        }
        call->shape[last - 1] *= call->shape[last];
        for (int o = 0; o < KL_ROW_OPERANDS; o++) {
            call->operand[o].strides[last - 1] = call->operand[o].strides[last];
        }
    }
}

/* Whether the rows lie side by side, enough of them, and the kernel can take them so. Operands of
 * one element for each row, such as losses, may lie anywhere. */
KL_INLINE bool kl_rows_beside(const struct kl_rows *call) {
    const int last = call->ndim - 1;
    if (!call->columns || last < 0 || call->shape[last] < KL_ROW_FEW) return false;
    if (call->size == 1 || call->size > KL_REDUCTION_BLOCK) return false;
    if (call->operand[KL_ROW_X].element == 1) return false;
    for (int o = 0; o < KL_ROW_OPERANDS; o++) {
        const struct kl_row_operand *operand = &call->operand[o];
        if (!operand->data) continue;
        if (!kl_aligned(operand->data, call->itemsize)) return false;
        if (operand->size > 1 && operand->strides[last] != 1) return false;
    }
    return true;
}

/* Whether kernels may store results past the caches: they fit none, and nothing is staged. */
KL_INLINE bool kl_rows_streamed(const struct kl_rows *call) {
    const int64_t bytes = call->operand[KL_ROW_OUT].size * call->itemsize;
    if (call->columns || bytes < KL_ROW_STREAMED_LEAST || bytes > KL_ROW_STREAMED_MOST ||
        call->rows < KL_STREAMED_BYTES / bytes) {
        return false;
    }
    for (int o = 0; o < KL_ROW_OPERANDS; o++) {
        if (kl_row_staged(call, &call->operand[o])) return false;
    }
    return true;
}

/* How many a kernel takes at a time. */
KL_INLINE int64_t kl_rows_width(const struct kl_rows *call) {
    const int64_t fit = KL_ROW_ROOM / (call->size * call->itemsize) / KL_ROW_FEW * KL_ROW_FEW;
    return kl_max(KL_ROW_FEW, kl_min(KL_ROW_BESIDE, fit));
}

KL_INLINE int64_t kl_rows_scratch_bytes(const struct kl_rows *call) {
    int64_t tiles = 0;
    if (call->columns) {
        const int64_t lanes = KL_LANES * (int64_t)sizeof(double);
        return kl_rows_width(call) * (2 * call->size * call->itemsize + lanes);
    }
    if (call->streamed) return call->size * call->itemsize;
    for (int o = 0; o < KL_ROW_OPERANDS; o++) tiles += kl_row_staged(call, &call->operand[o]);
    return tiles * KL_ROW_TILE * call->size * call->itemsize;
}

/* Runs the kernel on `count` rows from `row` on. */
static KL_UNUSED int kl_rows_tile(const struct kl_rows *call, int64_t row, int64_t count,
                                  const struct kl_row_view *view, char *scratch) {
    struct kl_row_view near = *view;
    const int64_t tile_bytes = KL_ROW_TILE * call->size * call->itemsize;
    for (int o = 0; o < KL_ROW_OPERANDS; o++) {
        if (!kl_row_staged(call, &call->operand[o])) continue;
        near.data[o] = scratch;
        near.stride[o] = call->size;
        scratch += tile_bytes;
        if (o == KL_ROW_OUT) continue;
        kl_plane_copy((struct kl_plane){near.data[o], call->size, 1},
                      (struct kl_plane){view->data[o], view->stride[o], call->operand[o].element},
                      count, call->operand[o].size, call->itemsize);
    }
    KL_TRY(call->kernel(call, &near, row, count));
    if (kl_row_staged(call, &call->operand[KL_ROW_OUT])) {
        kl_plane_copy((struct kl_plane){view->data[KL_ROW_OUT], view->stride[KL_ROW_OUT],
                                        call->operand[KL_ROW_OUT].element},
                      (struct kl_plane){near.data[KL_ROW_OUT], call->size, 1}, count,
                      call->operand[KL_ROW_OUT].size, call->itemsize);
    }
    return KL_OK;
}

static KL_UNUSED int kl_rows_body(void *context, int64_t first, int64_t last) {
    const struct kl_rows *call = (const struct kl_rows *)context;
    const int64_t bytes = kl_rows_scratch_bytes(call);
    char *scratch = bytes > 0 ? (char *)call->rt->alloc(bytes) : NULL;
    if (bytes > 0 && !scratch) return KL_NO_MEMORY;
    const int64_t most = call->columns ? kl_rows_width(call) : bytes > 0 ? KL_ROW_TILE
                                                                         : last - first;
    int status = KL_OK;
    for (int64_t row = first, count = 0; row < last && status == KL_OK; row += count) {
        struct kl_row_view view;
        count = kl_rows_find(call, row, kl_min(most, last - row), &view);
        view.scratch = scratch;
        status = call->columns ? call->columns(call, &view, row, count)
                               : kl_rows_tile(call, row, count, &view, scratch);
    }
    if (scratch) call->rt->release(scratch, bytes);
    if (call->streamed) kl_streamed_end();
    return status;
}

/* map_rows: runs the call's kernel on every row, an element costing as much as `cost` additions. */
static KL_UNUSED int kl_rows_run(struct kl_rows *call, int64_t cost, int64_t itemsize) {
    if (call->rows == 0 || call->size == 0) return KL_OK;
    call->itemsize = itemsize;
    kl_rows_merge(call);
    if (!kl_rows_beside(call)) call->columns = NULL;
    call->streamed = kl_rows_streamed(call);
    const int64_t grain = kl_grain(call->rt, call->rows, cost * call->size);
    return call->rt->parallel_for(0, call->rows, grain, kl_rows_body, call);
}

#endif
