/* Where the elements of an array lie, told by shape and strides that belong to somebody else: what
 * can be walked as one run, and what beside what. */
#ifndef KAEL_LAYOUT_H
#define KAEL_LAYOUT_H

#include "kael/config.h"

struct kl_strided {
    char *data;
    int64_t size, itemsize;
    int ndim;
    const int64_t *shape, *strides; /* in elements */
};

struct kl_interval {
    size_t first, last; /* bytes [first, last) */
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

/* Without gaps in some order of the dims, no stride negative, and aligned: a kernel may walk it. */
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

/* From the lowest element to the end of the highest; of no elements, nothing. */
KL_INLINE struct kl_interval kl_extent(const struct kl_strided *a) {
    struct kl_interval span = {(size_t)a->data, (size_t)a->data};
    if (a->size == 0) return span;
    span.last += (size_t)a->itemsize;
    for (int d = 0; d < a->ndim; d++) {
        const int64_t reach = (a->shape[d] - 1) * a->strides[d] * a->itemsize;
        *(reach < 0 ? &span.first : &span.last) += (size_t)reach;
    }
    return span;
}

/* Whether two arrays share bytes, as their ends tell it; gaps count as theirs. */
KL_INLINE bool kl_extents_meet(const struct kl_strided *a, const struct kl_strided *b) {
    const struct kl_interval x = kl_extent(a), y = kl_extent(b);
    return a->size > 0 && b->size > 0 && x.first < y.last && y.first < x.last;
}

/* Every element of x lies where the element of the same index of out lies. */
KL_INLINE bool kl_same_layout(const struct kl_strided *x, const struct kl_strided *out) {
    if (x->data != out->data || x->itemsize != out->itemsize) return false;
    if (!kl_same_sizes(x, out)) return false;
    for (int d = 0; d < x->ndim; d++) {
        if (x->shape[d] != 1 && x->strides[d] != out->strides[d]) return false;
    }
    return true;
}

/* Whether x must be copied before out is written, element by element. */
KL_INLINE bool kl_in_the_way(const struct kl_strided *x, const struct kl_strided *out) {
    return kl_extents_meet(x, out) && !kl_same_layout(x, out);
}

#endif
