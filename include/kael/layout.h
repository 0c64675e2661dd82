/* Where the elements of an array lie, told by shape and strides that belong to somebody else: what
 * can be walked as one run, and what beside what. */
#ifndef KAEL_LAYOUT_H
#define KAEL_LAYOUT_H

#include "kael/config.h"

struct kl_strided {
    char *data;
    int64_t size, itemsize;
    int ndim;
    const int64_t *shape, *strides; /* in elements, none negative */
};

KL_INLINE int64_t kl_count(int ndim, const int64_t *shape) {
    int64_t size = 1;
    for (int d = 0; d < ndim; d++) size *= shape[d];
    return size;
}

/* Row-major strides without gaps, and the number of elements; false where that does not fit.
 * Nothing follows the strides of an empty array: those that do not fit are 0. */
KL_INLINE bool kl_pack_strides(int ndim, const int64_t *shape, int64_t *strides, int64_t *size) {
    bool fits = true, empty = false;
    int64_t step = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        strides[d] = fits ? step : 0;
        if (shape[d] == 0) {
            empty = true;
        } else if (fits) {
            fits = !__builtin_mul_overflow(step, shape[d], &step);
        }
    }
    *size = empty ? 0 : step;
    return fits || empty;
}

KL_INLINE bool kl_same_sizes(const struct kl_strided *a, const struct kl_strided *b) {
    if (a->ndim != b->ndim) return false;
    for (int d = 0; d < a->ndim; d++) {
        if (a->shape[d] != b->shape[d]) return false;
    }
    return true;
}

/* Row-major without gaps. */
KL_INLINE bool kl_is_packed(const struct kl_strided *a) {
    int64_t expected = 1;
    for (int d = a->ndim - 1; d >= 0; d--) {
        if (a->shape[d] == 1) continue;
        if (a->strides[d] != expected) return a->size == 0;
        expected *= a->shape[d];
    }
    return true;
}

/* Without gaps in some order of the dims, and aligned: a kernel may walk it. */
KL_INLINE bool kl_is_dense(const struct kl_strided *a) {
    if ((uintptr_t)a->data % (uintptr_t)a->itemsize != 0) return false;
    if (kl_is_packed(a)) return true;
    for (int64_t expected = 1; expected < a->size;) {
        int found = -1;
        for (int d = 0; d < a->ndim; d++) {
            if (a->shape[d] != 1 && a->strides[d] == expected) found = d;
        }
        if (found < 0) return false;
        expected *= a->shape[found];
    }
    return true;
}

/* Whether b can be walked beside a dense a of its shape: in the same order, and aligned. */
KL_INLINE bool kl_goes_with(const struct kl_strided *b, const struct kl_strided *a) {
    if ((uintptr_t)b->data % (uintptr_t)b->itemsize != 0) return false;
    for (int d = 0; d < a->ndim; d++) {
        if (a->shape[d] != 1 && a->strides[d] != b->strides[d]) return a->size == 0;
    }
    return true;
}

/* Bytes from the first element to the end of the last, where there are any. */
KL_INLINE int64_t kl_reach(const struct kl_strided *a) {
    int64_t last = 0;
    for (int d = 0; d < a->ndim; d++) last += a->strides[d] * (a->shape[d] - 1);
    return a->size > 0 ? (last + 1) * a->itemsize : 0;
}

#endif
