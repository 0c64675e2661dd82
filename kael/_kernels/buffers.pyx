"""Tensors on memory that the buffer protocol lends."""

from libc.stdint cimport int64_t, uint8_t

from kael._kernels.elementwise cimport KL_BINARY_ne, as_contiguous, binary_op
from kael._kernels.numbers cimport new_number
from kael._kernels.storage cimport Storage, borrow_storage
from kael._kernels.tensor cimport (
    KL_DTYPE_bool, KL_DTYPE_f32, KL_DTYPE_f64, KL_DTYPE_i32, KL_DTYPE_i64, KL_DTYPE_u8,
    KL_MAX_DIMS, TensorBase, check_ndim, kl_itemsize, kl_pack_strides, read_shape, tensor_on,
)

# By format without its byte-order mark, and itemsize: "l" has two sizes.
cdef dict dtype_of_format = {
    ("?", 1): KL_DTYPE_bool, ("B", 1): KL_DTYPE_u8, ("i", 4): KL_DTYPE_i32,
    ("l", 4): KL_DTYPE_i32, ("l", 8): KL_DTYPE_i64, ("q", 8): KL_DTYPE_i64,
    ("f", 4): KL_DTYPE_f32, ("d", 8): KL_DTYPE_f64,
}


def from_buffer(object exporter):
    """A tensor on the memory of an object with the buffer protocol; read-only stays read-only.

    TypeError for an element type that kael does not have, ValueError for strides that are not
    multiples of the itemsize.
    """
    cdef Storage storage = borrow_storage(exporter)
    cdef int64_t shape[KL_MAX_DIMS]
    cdef int64_t strides[KL_MAX_DIMS]
    cdef int64_t size
    cdef int d
    cdef str spelled = storage.view.format.decode() if storage.view.format is not NULL else "B"
    cdef int64_t itemsize = storage.view.itemsize
    code = dtype_of_format.get((spelled.lstrip("@=<"), itemsize))
    if code is None:
        raise TypeError(f"buffer format {spelled!r} is not supported; kael has bool, uint8, int32, "
                        "int64, float32 and float64 in native byte order")
    check_ndim(storage.view.ndim, "from_buffer")
    for d in range(storage.view.ndim):
        shape[d] = storage.view.shape[d]
    if not kl_pack_strides(storage.view.ndim, shape, strides, &size):
        raise ValueError("from_buffer: the number of elements does not fit 64 bits")
    for d in range(storage.view.ndim):
        if storage.view.strides is NULL:  # ctypes' arrays, which are packed, say no more
            break
        if shape[d] > 1 and storage.view.strides[d] % itemsize != 0:
            raise ValueError(f"stride {storage.view.strides[d]} at dim {d} is not a multiple of "
                             f"the itemsize {itemsize}; copy the array first")
        strides[d] = storage.view.strides[d] // itemsize
    return truths(tensor_on(storage, code, storage.data, storage.view.ndim, shape, strides))


def reinterpret(TensorBase raw not None, int code, sizes):
    """The bytes of a packed uint8 tensor as elements of another dtype and shape."""
    cdef int64_t shape[KL_MAX_DIMS]
    cdef int64_t strides[KL_MAX_DIMS]
    cdef int64_t size
    cdef int ndim = read_shape(sizes, shape, "reinterpret")
    cdef bint fits = kl_pack_strides(ndim, shape, strides, &size)
    fits = fits and raw.contiguous and raw.dtype == KL_DTYPE_u8
    if not fits or raw.size != size * kl_itemsize(code):
        raise ValueError(f"{raw.size} bytes do not make shape {tuple(sizes)}")
    return truths(tensor_on(raw.storage, code, raw.data, ndim, shape, strides))


def truths(TensorBase x not None):
    """x; of bools made elsewhere that hold other bytes than 0 and 1, a copy with 1 for those.

    Any byte but 0 is true to NumPy, and 1 is the only one that kernels know.
    """
    if x.dtype != KL_DTYPE_bool:
        return x
    cdef TensorBase packed = as_contiguous(x)
    cdef const uint8_t *data = <const uint8_t *> packed.data
    cdef uint8_t seen = 0
    cdef int64_t i
    with nogil:
        for i in range(packed.size):
            seen |= data[i]
    return x if seen <= 1 else binary_op(KL_BINARY_ne, packed, new_number(KL_DTYPE_bool, 0), None)
