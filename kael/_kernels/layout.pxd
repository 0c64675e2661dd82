"""Where the elements of an array lie, as the C code is told it."""
from libc.stdint cimport int64_t

from kael._kernels.tensor cimport TensorBase, kl_itemsize


cdef extern from "kael/layout.h" nogil:
    struct kl_strided:
        char *data
        int64_t size
        int64_t itemsize
        int ndim
        const int64_t *shape
        const int64_t *strides

    struct kl_interval:
        size_t first
        size_t last

    int64_t kl_count(int ndim, const int64_t *shape)
    bint kl_same_sizes(const kl_strided *a, const kl_strided *b)
    bint kl_is_packed(const kl_strided *a)
    bint kl_is_dense(const kl_strided *a)
    bint kl_goes_with(const kl_strided *b, const kl_strided *a)
    kl_interval kl_extent(const kl_strided *a)
    bint kl_extents_meet(const kl_strided *a, const kl_strided *b)
    bint kl_in_the_way(const kl_strided *x, const kl_strided *out)


cdef inline kl_strided strided(TensorBase x) noexcept:
    cdef kl_strided layout
    layout.data = x.data
    layout.size = x.size
    layout.itemsize = kl_itemsize(x.dtype)
    layout.ndim = x.ndim
    layout.shape = x.shape_
    layout.strides = x.strides_
    return layout
