/* Whether an operation may write its output while it still reads an input. */
#ifndef KAEL_ELEMENTWISE_OVERLAP_H
#define KAEL_ELEMENTWISE_OVERLAP_H

#include "kael/config.h"

struct kl_layout {
    const char *data;
    int64_t itemsize;
    int dims;
    const int64_t *shape, *strides; /* in elements */
};

/* The bytes from the lowest to the highest element: [*low, *high). */
static inline KL_UNUSED void kl_extent(const struct kl_layout *x, uintptr_t *low,
                                       uintptr_t *high) {
    int64_t below = 0, above = 0;
    for (int d = 0; d < x->dims; ++d) {
        const int64_t reach = (x->shape[d] - 1) * x->strides[d] * x->itemsize;
        if (reach < 0)
            below += reach;
        else
            above += reach;
    }
    *low = (uintptr_t)x->data + (uintptr_t)below;
    *high = (uintptr_t)x->data + (uintptr_t)(above + x->itemsize);
}

/* Every element of x lies where the element of the same index of out lies. */
static inline KL_UNUSED bool kl_same_layout(const struct kl_layout *x,
                                            const struct kl_layout *out) {
    if (x->data != out->data || x->itemsize != out->itemsize || x->dims != out->dims) return false;
    for (int d = 0; d < x->dims; ++d) {
        if (x->shape[d] != out->shape[d]) return false;
        if (x->shape[d] != 1 && x->strides[d] != out->strides[d]) return false;
    }
    return true;
}

/* Whether x must be copied before out is written. Views that interleave without sharing an
 * element count as overlapping. Neither is empty. */
static inline KL_UNUSED bool kl_in_the_way(const struct kl_layout *x,
                                           const struct kl_layout *out) {
    uintptr_t x_low, x_high, out_low, out_high;
    kl_extent(x, &x_low, &x_high);
    kl_extent(out, &out_low, &out_high);
    return x_low < out_high && out_low < x_high && !kl_same_layout(x, out);
}

#endif
