"""Where the elements of a tensor lie, for the C code that looks for overlap."""
from libc.stdint cimport int64_t, uintptr_t

from kael._kernels.tensor cimport TensorBase, kl_itemsize


cdef extern from "kael/elementwise/overlap.h" nogil:
    struct kl_layout:
        const char *data
        int64_t itemsize
        int dims
        const int64_t *shape
        const int64_t *strides

    bint kl_in_the_way(const kl_layout *x, const kl_layout *out)
    void kl_extent(const kl_layout *x, uintptr_t *low, uintptr_t *high)


cdef inline void describe(TensorBase x, kl_layout *layout) noexcept:
    layout.data = x.data
    layout.itemsize = kl_itemsize(x.dtype)
    layout.dims = x.ndim
    layout.shape = x.shape_
    layout.strides = x.strides_


cdef inline void extent(TensorBase x, uintptr_t *low, uintptr_t *high) noexcept:
    cdef kl_layout layout
    describe(x, &layout)
    kl_extent(&layout, low, high)


cdef inline bint spans_meet(TensorBase x, TensorBase y) noexcept:
    """Whether the address ranges of two tensors meet."""
    cdef uintptr_t x_low, x_high, y_low, y_high
    if x.size == 0 or y.size == 0:
        return False
    extent(x, &x_low, &x_high)
    extent(y, &y_low, &y_high)
    return x_low < y_high and y_low < x_high
