from libc.stdint cimport int64_t

from kael._kernels.storage cimport Storage


cdef extern from "kael/config.h":
    enum:
        KL_MAX_DIMS
    enum:
        KL_DTYPE_bool
        KL_DTYPE_u8
        KL_DTYPE_i32
        KL_DTYPE_i64
        KL_DTYPE_f32
        KL_DTYPE_f64
        KL_DTYPE_COUNT
    int64_t kl_itemsize(int dtype) nogil
    bint kl_is_float(int dtype) nogil
    bint kl_aligned(const void *data, int64_t itemsize) nogil


cdef extern from "kael/layout.h":
    bint kl_pack_strides(int ndim, const int64_t *shape, int64_t *strides, int64_t *size) nogil


cdef class TensorBase:
    """Where the elements lie and what they are; kael.Tensor derives from it."""
    cdef Storage storage
    cdef char *data                        # first element; NULL only for an empty tensor
    cdef int dtype                         # enum kl_dtype
    cdef int ndim
    cdef int64_t size                      # number of elements
    cdef bint contiguous                   # row-major without gaps
    cdef bint requires_grad_flag
    cdef int64_t shape_[KL_MAX_DIMS]
    cdef int64_t strides_[KL_MAX_DIMS]     # in elements, any sign
    cdef object grad_                      # Tensor or None
    cdef public object grad_fn             # autograd.Node or None
    cdef object hooks                      # dict of callables that see the gradient, or None
    cdef object __weakref__


# ValueError if a tensor cannot have so many dims.
cdef int check_ndim(Py_ssize_t ndim, str op) except -1

# A fresh contiguous kael.Tensor, contents arbitrary. ValueError for a bad shape, MemoryError.
cdef TensorBase new_tensor(int dtype, int ndim, const int64_t *shape)

# A fresh contiguous tensor of the shape of `like`.
cdef TensorBase new_like(TensorBase like, int dtype)

# A kael.Tensor on the same storage; shape and strides (in elements) are copied.
cdef TensorBase new_view(TensorBase base, char *data, int ndim, const int64_t *shape,
                         const int64_t *strides)

# A kael.Tensor on any storage; shape and strides (in elements) are copied.
cdef TensorBase tensor_on(Storage storage, int dtype, char *data, int ndim, const int64_t *shape,
                          const int64_t *strides)

# Raises RuntimeError unless an in-place `op` may write to self: read-only memory, or an expanded
# tensor (one element seen at several places).
cdef int check_write(TensorBase self, str op) except -1

cdef inline int begin_write(TensorBase self, str op) except -1:
    """The same, and bumps the storage's version."""
    check_write(self, op)
    self.storage.version += 1
    return 0

cdef bint same_shape(TensorBase a, TensorBase b) noexcept nogil

# `dim` counted from the front; IndexError names op and dim. A 0-d tensor has the dims -1 and 0.
cdef int wrap_dim(object dim, int ndim, str op) except -1

# Fills shape from a sequence of ints, or from one int; returns their number.
cdef int read_shape(object sizes, int64_t *shape, str op) except -1

cdef inline int64_t bytes_of(TensorBase x) noexcept:
    """Bytes of the distinct elements that an operation on x touches; x may be None."""
    cdef int64_t nbytes
    cdef int d
    if x is None:
        return 0
    nbytes = kl_itemsize(x.dtype)
    for d in range(x.ndim):
        if x.strides_[d] != 0 or x.shape_[d] == 0:
            nbytes *= x.shape_[d]
    return nbytes
