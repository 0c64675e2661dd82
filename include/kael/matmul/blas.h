/* The optional system CBLAS (KAEL_USE_BLAS=1; Accelerate on macOS), outside the promise of equal
 * bits. Its sizes are int. */
#ifndef KAEL_MATMUL_BLAS_H
#define KAEL_MATMUL_BLAS_H

#include "kael/matmul/tile.h"

#define KL_BLAS_LARGEST INT64_C(0x7fffffff)

#if defined(KAEL_USE_BLAS)
#define KL_BLAS_AVAILABLE 1
#if defined(KAEL_USE_ACCELERATE)
#include <Accelerate/Accelerate.h>
#else
#include <cblas.h>
#endif

static void kl_matmul_blas(int dtype, const struct kl_rung *rung) {
    const int rows = (int)rung->rows, inner = (int)rung->inner, columns = (int)rung->columns;
    if (rows == 0 || inner == 0 || columns == 0) return;
    if (dtype == KL_DTYPE_f32)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner, 1.0f, rung->a,
                    inner, rung->b, columns, 1.0f, rung->out, columns);
    else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner, 1.0, rung->a,
                    inner, rung->b, columns, 1.0, rung->out, columns);
}

#else
#define KL_BLAS_AVAILABLE 0

/* Never called: the boundary refuses first. */
static void kl_matmul_blas(int dtype, const struct kl_rung *rung) {
    (void)dtype;
    (void)rung;
}

#endif
#endif
