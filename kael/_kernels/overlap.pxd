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
