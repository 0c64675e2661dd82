/* Dims of a strided walk, as few as describe it: neighbours that step as one are joined. */
#ifndef KAEL_DIMS_H
#define KAEL_DIMS_H

#include "kael/config.h"

/* In logical order, the last one innermost; strides in elements, `out` those of an output. */
struct kl_dims {
    int count;
    int64_t shape[KL_MAX_DIMS], strides[KL_MAX_DIMS], out[KL_MAX_DIMS];
};

/* Appends a dim, joined to the one before where both step through memory and output as one. */
KL_INLINE void kl_dims_append(struct kl_dims *dims, int64_t shape, int64_t stride, int64_t out) {
    if (shape == 1) return;
    const int last = dims->count - 1;
    if (last >= 0 && dims->strides[last] == shape * stride && dims->out[last] == shape * out) {
        dims->shape[last] *= shape;
        dims->strides[last] = stride;
        dims->out[last] = out;
        return;
    }
    dims->shape[dims->count] = shape;
    dims->strides[dims->count] = stride;
    dims->out[dims->count++] = out;
}

/* A run of elements from number `index` on that step by the innermost stride: its first element's
 * offset, and its length, at most `most`. */
KL_INLINE int64_t kl_dims_run(const struct kl_dims *dims, int64_t index, int64_t most,
                              int64_t *length) {
    int64_t offset = 0;
    for (int d = dims->count - 1; d >= 0; d--) {
        const int64_t digit = index % dims->shape[d];
        index /= dims->shape[d];
        offset += digit * dims->strides[d];
        if (d == dims->count - 1) *length = kl_min(dims->shape[d] - digit, most);
    }
    return offset;
}

#endif
