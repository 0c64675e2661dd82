/* Losses of rows: cross entropy against classes or distributions, and its gradient. */
#ifndef KAEL_LOSSES_H
#define KAEL_LOSSES_H

#include "kael/rows/driver.h"
#include "kael/rows/folds.h"

/* X(name, cost of an element) */
#define KL_LOSS_KERNELS(X)                         \
    X(cross_entropy, KL_EXPONENTIAL_COST)          \
    X(mixed_cross_entropy, KL_EXPONENTIAL_COST)    \
    X(cross_entropy_backward, KL_EXPONENTIAL_COST) \
    X(mixed_cross_entropy_backward, KL_EXPONENTIAL_COST)

enum kl_loss_kernel {
#define X(name, cost) KL_LOSS_##name,
    KL_LOSS_KERNELS(X)
#undef X
    KL_LOSS_COUNT
};

#define KL_BODY "kael/losses.inc.h"
#include "kael/foreach_isa.h"

static const kl_row_function *const kl_loss_table[KL_ISA_COUNT][2] = {
#define X(isa, title, usable) {kl_loss_functions_f32_##isa, kl_loss_functions_f64_##isa},
    KL_ISAS(X)
#undef X
};

/* NULL where a kernel knows rows only. */
static const kl_row_function *const kl_loss_column_table[KL_ISA_COUNT][2] = {
#define X(isa, title, usable) \
    {kl_loss_column_functions_f32_##isa, kl_loss_column_functions_f64_##isa},
    KL_ISAS(X)
#undef X
};

/* Runs a loss kernel of f32 or f64; KL_INDEX_RANGE where a target is no class. */
static int kl_losses_apply(struct kl_rows *call, int kernel, int dtype) {
    static const int64_t costs[] = {
#define X(name, cost) cost,
        KL_LOSS_KERNELS(X)
#undef X
    };
    call->kernel = kl_loss_table[call->rt->isa][dtype == KL_DTYPE_f64][kernel];
    call->columns = kl_loss_column_table[call->rt->isa][dtype == KL_DTYPE_f64][kernel];
    return kl_rows_run(call, costs[kernel], kl_itemsize(dtype));
}

#endif
