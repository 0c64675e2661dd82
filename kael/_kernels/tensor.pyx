"""TensorBase: the metadata of a tensor, kept in C so that small operations stay cheap."""

from cpython.buffer cimport Py_buffer
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int64_t

from kael._kernels.storage cimport Storage, borrow_storage, new_storage

cdef extern from "Python.h":
    ctypedef object (*newfunc)(PyTypeObject *kind, object args, PyObject *kwargs)

    ctypedef struct PyTypeObject:
        newfunc tp_new

cdef type tensor_class = TensorBase
cdef tuple no_args = ()

# Buffer-protocol formats by enum kl_dtype.
cdef const char *formats[6]
formats[:] = [b"?", b"B", b"i", b"q", b"f", b"d"]
DTYPE_OF_FORMAT = {
    "?": KL_DTYPE_bool, "B": KL_DTYPE_u8, "i": KL_DTYPE_i32, "l": KL_DTYPE_i64,
    "q": KL_DTYPE_i64, "f": KL_DTYPE_f32, "d": KL_DTYPE_f64,
}


def register_tensor_class(type kind):
    """Names the class that every new tensor gets; kael.tensor calls it once."""
    global tensor_class
    tensor_class = kind


cdef class TensorBase:
    @property
    def shape(self):
        return tuple([self.shape_[d] for d in range(self.ndim)])

    @property
    def dtype_code(self):
        return self.dtype

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        cdef int64_t itemsize = kl_itemsize(self.dtype)
        cdef int d
        owned = bytearray(2 * KL_MAX_DIMS * sizeof(Py_ssize_t))
        cdef Py_ssize_t *sizes = <Py_ssize_t *> <char *> owned
        for d in range(self.ndim):
            sizes[d] = self.shape_[d]
            sizes[KL_MAX_DIMS + d] = self.strides_[d] * itemsize
        buffer.buf = self.data
        buffer.obj = self
        buffer.len = self.size * itemsize
        buffer.itemsize = itemsize
        buffer.readonly = not self.storage.writable
        buffer.ndim = self.ndim
        buffer.format = <char *> formats[self.dtype]
        buffer.shape = sizes
        buffer.strides = sizes + KL_MAX_DIMS
        buffer.suboffsets = NULL
        buffer.internal = <void *> <PyObject *> owned
        Py_INCREF(owned)

    def __releasebuffer__(self, Py_buffer *buffer):
        Py_DECREF(<object> <PyObject *> buffer.internal)


cdef TensorBase bare(int dtype, int ndim):
    cdef PyTypeObject *kind = <PyTypeObject *> tensor_class
    cdef TensorBase self = <TensorBase> kind.tp_new(kind, no_args, NULL)
    self.dtype = dtype
    self.ndim = ndim
    return self


cdef int set_contiguous(TensorBase self, const int64_t *shape) except -1:
    cdef int d
    cdef int64_t stride = 1
    for d in range(self.ndim - 1, -1, -1):
        if shape[d] < 0:
            raise ValueError(f"negative size {shape[d]} at dim {d}")
        self.shape_[d] = shape[d]
        self.strides_[d] = stride
        stride *= shape[d]
    self.size = stride
    self.contiguous = True
    return 0


cdef TensorBase new_tensor(int dtype, int ndim, const int64_t *shape):
    if ndim > KL_MAX_DIMS:
        raise ValueError(f"a tensor has at most {KL_MAX_DIMS} dims, got {ndim}")
    cdef TensorBase self = bare(dtype, ndim)
    set_contiguous(self, shape)
    self.storage = new_storage(self.size * kl_itemsize(dtype))
    self.data = self.storage.data
    return self


cdef TensorBase new_like(TensorBase like, int dtype):
    return new_tensor(dtype, like.ndim, like.shape_)


cdef TensorBase new_view(TensorBase base, char *data, int ndim, const int64_t *shape,
                         const int64_t *strides):
    cdef TensorBase self = bare(base.dtype, ndim)
    cdef int d
    cdef int64_t packed = 1
    self.storage = base.storage
    self.data = data
    self.contiguous = True
    self.size = 1
    for d in range(ndim - 1, -1, -1):
        self.shape_[d] = shape[d]
        self.strides_[d] = strides[d]
        if shape[d] != 1 and strides[d] != packed:
            self.contiguous = False
        packed *= shape[d]
    self.size = packed
    if packed == 0:
        self.contiguous = True
    return self


cdef int begin_write(TensorBase self, str op) except -1:
    if not self.storage.writable:
        raise RuntimeError(f"{op}: the tensor's memory is read-only")
    self.storage.version += 1
    return 0


cdef bint same_shape(TensorBase a, TensorBase b) noexcept nogil:
    cdef int d
    if a.ndim != b.ndim:
        return False
    for d in range(a.ndim):
        if a.shape_[d] != b.shape_[d]:
            return False
    return True


def from_buffer(object exporter):
    """A tensor on the memory of an object with the buffer protocol."""
    cdef Storage storage = borrow_storage(exporter)
    cdef int64_t shape[KL_MAX_DIMS]
    cdef int64_t strides[KL_MAX_DIMS]
    cdef int d
    cdef str format = storage.view.format.decode()
    cdef int code = DTYPE_OF_FORMAT[format]
    cdef TensorBase base = bare(code, 0)
    base.storage = storage
    for d in range(storage.view.ndim):
        shape[d] = storage.view.shape[d]
        strides[d] = storage.view.strides[d] // storage.view.itemsize
    return new_view(base, storage.data, storage.view.ndim, shape, strides)
