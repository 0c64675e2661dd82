/* Row kernels: softmax and its kin, norms, running sums, and their gradients. */
#ifndef KAEL_ROWS_H
#define KAEL_ROWS_H

#include "kael/rows/affine.h"
#include "kael/rows/driver.h"
#include "kael/rows/folds.h"

/* X(name, cost of an element) */
#define KL_ROW_KERNELS(X)                            \
    X(softmax, KL_EXPONENTIAL_COST)                  \
    X(log_softmax, KL_EXPONENTIAL_COST)              \
    X(causal_softmax, KL_EXPONENTIAL_COST)           \
    X(logsumexp, KL_EXPONENTIAL_COST)                \
    X(standardize, KL_STANDARDIZE_COST)              \
    X(rms, KL_STANDARDIZE_COST)                      \
    X(cumsum, KL_STANDARDIZE_COST)                   \
    X(softmax_backward, KL_STANDARDIZE_COST)         \
    X(log_softmax_backward, KL_EXPONENTIAL_COST)     \
    X(causal_softmax_backward, KL_STANDARDIZE_COST)  \
    X(logsumexp_backward, KL_EXPONENTIAL_COST)       \
    X(standardize_backward, 2 * KL_STANDARDIZE_COST) \
    X(rms_backward, 2 * KL_STANDARDIZE_COST)

enum kl_row_kernel {
#define X(name, cost) KL_ROW_##name,
    KL_ROW_KERNELS(X)
#undef X
    KL_ROW_COUNT
};

#define KL_BODY "kael/rows.inc.h"
#include "kael/foreach_isa.h"

static const kl_row_function *const kl_row_table[KL_ISA_COUNT][2] = {
#define X(isa, title, usable) {kl_row_functions_f32_##isa, kl_row_functions_f64_##isa},
    KL_ISAS(X)
#undef X
};

/* NULL where a kernel knows rows only. */
static const kl_row_function *const kl_column_table[KL_ISA_COUNT][2] = {
#define X(isa, title, usable) {kl_column_functions_f32_##isa, kl_column_functions_f64_##isa},
    KL_ISAS(X)
#undef X
};

/* Running totals of integers, which wrap. */
static int kl_cumsum_integers(const struct kl_rows *call, const struct kl_row_view *view,
                              int64_t row, int64_t rows) {
    (void)row;
    for (int64_t r = 0; r < rows; r++) {
        const int64_t *x = (const int64_t *)view->data[KL_ROW_X] + r * view->stride[KL_ROW_X];
        int64_t *out = (int64_t *)view->data[KL_ROW_OUT] + r * view->stride[KL_ROW_OUT];
        uint64_t total = 0;
        for (int64_t i = 0; i < call->size; i++) out[i] = (int64_t)(total += (uint64_t)x[i]);
    }
    return KL_OK;
}

static int kl_cumsum_integer_columns(const struct kl_rows *call, const struct kl_row_view *view,
                                     int64_t row, int64_t rows) {
    const int64_t x_step = call->operand[KL_ROW_X].element;
    const int64_t out_step = call->operand[KL_ROW_OUT].element;
    const int64_t *x = (const int64_t *)view->data[KL_ROW_X];
    uint64_t *out = (uint64_t *)view->data[KL_ROW_OUT], total[KL_ROW_BESIDE] = {0};
    (void)row;
    for (int64_t e = 0; e < call->size; e++, x += x_step, out += out_step) {
        for (int64_t r = 0; r < rows; r++) out[r] = total[r] += (uint64_t)x[r];
    }
    return KL_OK;
}

/* Runs a row kernel: f32 and f64; cumsum also i64. */
static int kl_rows_apply(struct kl_rows *call, int kernel, int dtype) {
    static const int64_t costs[] = {
#define X(name, cost) cost,
        KL_ROW_KERNELS(X)
#undef X
    };
    const int isa = call->rt->isa, wide = dtype == KL_DTYPE_f64;
    call->kernel = kl_row_table[isa][wide][kernel];
    call->columns = kl_column_table[isa][wide][kernel];
    if (dtype == KL_DTYPE_i64) {
        call->kernel = kl_cumsum_integers;
        call->columns = kl_cumsum_integer_columns;
    }
    return kl_rows_run(call, costs[kernel], kl_itemsize(dtype));
}

static const struct kl_affine_kernels kl_affine_table[KL_ISA_COUNT][2] = {
#define X(isa, title, usable)                                 \
    {{kl_affine_block_f32_##isa, kl_affine_store_f32_##isa}, \
     {kl_affine_block_f64_##isa, kl_affine_store_f64_##isa}},
    KL_ISAS(X)
#undef X
};

/* The gradients of weight and bias; see struct kl_affine. */
static int kl_rows_affine(struct kl_affine *call, int dtype) {
    return kl_affine_run(call, &kl_affine_table[call->rt->isa][dtype == KL_DTYPE_f64]);
}

#endif
