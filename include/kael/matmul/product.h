/* What the loops work on: a product as it comes, and a block of it.
 */
#ifndef KAEL_MATMUL_PRODUCT_H
#define KAEL_MATMUL_PRODUCT_H

#include "kael/matmul/activation.h"
#include "kael/matmul/tile.h"

/* An operand as it comes; strides in bytes, of any sign, or 0. The column of b is its element size
 * where there is one column: the stride of a dim of size 1 may be anything. */
struct kl_matrix {
    const char *data;
    int64_t row, column;
};

/* out[rows, columns] (+)= a[rows, inner] @ b[inner, columns] (+ bias[columns]); an activation. */
struct kl_product {
    int64_t rows, inner, columns;
    struct kl_matrix a, b;
    char *out;
    int64_t out_row, out_column; /* the loops take columns side by side (out_column == size) */
    const char *bias; /* or NULL; of rows where columns of out lie apart, as only turned.h has it */
    struct kl_activation activation;
    bool fresh;                  /* out holds nothing yet */
};

/* Multiply-adds of a product, saturating: sizes are 64-bit and may be huge beside a zero. */
KL_INLINE int64_t kl_work(int64_t rows, int64_t inner, int64_t columns) {
    int64_t work;
    if (__builtin_mul_overflow(rows, inner, &work) || __builtin_mul_overflow(work, columns, &work))
        return INT64_MAX;
    return work;
}

enum { KL_L2_BYTES = 1 << 20, KL_L3_BYTES = 8 << 20 };

/* Whether all of b fits that many bytes. */
KL_INLINE bool kl_b_within(const struct kl_tile_kernels *kernels,
                           const struct kl_product *product, int64_t bytes) {
    return kl_work(product->inner, product->columns, kernels->size) <= bytes;
}

/* Heights of the row panels: as equal as can be, none above `tallest` (64 rows of 14 give
 * 13, 13, 13, 13, 12), so that no panel is left with too few sums to hide the latency of fma. */
struct kl_panels {
    int64_t count;
    int height; /* of the first `taller` panels plus one, of the others exactly */
    int64_t taller;
};

KL_INLINE struct kl_panels kl_balance(int64_t rows, int tallest) {
    const int64_t count = kl_ceil_div(rows, tallest);
    return (struct kl_panels){count, (int)(rows / count), rows % count};
}

/* A part of a product: its inner blocks from one on, as many as one visit of out takes. */
struct kl_block {
    int64_t rows, inner, columns;
    const char *a;
    int64_t a_row, a_inner; /* unused when packed */
    const char *b;
    int64_t b_inner, b_column;
    bool a_packed, b_packed;
    char *a_panels; /* or NULL: a is packed here while the first panel of columns goes by */
    char *b_panel;  /* or NULL: each panel of b is copied here for its second use */
    int vectors;    /* width of a full panel of b */
    int tallest;    /* rows of a panel of a, at most */
    char *out;
    int64_t out_row;
    const char *bias;
    struct kl_activation activation; /* none before the last inner block */
    char *parked; /* see struct kl_tile */
    int64_t parked_row;
    int mode;
    bool resumed;
};

#endif
