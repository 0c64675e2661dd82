# cython: binding=False, embedsignature.format=clinic
"""TensorBase: the metadata of a tensor, kept in C so that small operations stay cheap."""

from cpython.buffer cimport (
    Py_buffer, PyBUF_ANY_CONTIGUOUS, PyBUF_C_CONTIGUOUS, PyBUF_F_CONTIGUOUS, PyBUF_STRIDES,
    PyBUF_WRITABLE, PyBuffer_IsContiguous,
)
from cpython.number cimport PyNumber_Index
from cpython.long cimport PyLong_Check
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport int64_t
from libc.string cimport memcpy
from math import prod

from kael._kernels.storage cimport Storage, new_storage

cdef extern from "Python.h":
    ctypedef object (*newfunc)(PyTypeObject *kind, object args, PyObject *kwargs)

    ctypedef struct PyTypeObject:
        newfunc tp_new

    object PyLong_FromLongLong(long long value)

cdef type tensor_class = TensorBase
cdef tuple dtype_objects = ()
cdef Storage nothing = new_storage(0)

# The allocator refuses more (kLargestBucket).
cdef int64_t largest_request = <int64_t> 1 << 62

# Buffer-protocol formats by enum kl_dtype.
cdef const char *formats[6]
formats[:] = [b"?", b"B", b"i", b"q", b"f", b"d"]


def register_tensor_class(type kind):
    """Names the class that every new tensor gets; kael.tensor calls it once."""
    global tensor_class
    tensor_class = kind


def register_dtypes(tuple dtypes):
    """Names the DType object of each dtype code; kael.dtypes calls it once."""
    global dtype_objects
    dtype_objects = dtypes


cdef class TensorBase:
    def __cinit__(self, *args):
        if args:
            raise TypeError("a tensor is made by kael.tensor(...), kael.zeros(...) and the like")
        # kael.Tensor() is complete: empty, as PyTorch's. Whoever calls tp_new sets the rest.
        self.storage = nothing
        self.dtype = KL_DTYPE_f32
        self.ndim = 1
        self.contiguous = True

    @property
    def shape(self):
        """Sizes of the dims, as a tuple."""
        return int_tuple(self.shape_, self.ndim)

    def stride(self, dim=None):
        """Elements to step for the next index of a dim.

        Parameters
        ----------
        dim : int, optional
            IndexError if there is no such dim.

        Returns
        -------
        tuple of int, or int
            Of each dim, or of the one.
        """
        if dim is None:
            return int_tuple(self.strides_, self.ndim)
        return self.strides_[wrap_dim(dim, self.ndim, "stride")]

    def numel(self):
        """Number of elements.

        Returns
        -------
        int
        """
        return self.size

    def data_ptr(self):
        """Address of the first element; 0 when there is none.

        Returns
        -------
        int
        """
        return <size_t> self.data

    def storage_offset(self):
        """Elements between the start of the storage and the first element.

        Returns
        -------
        int
        """
        return (self.data - self.storage.data) // kl_itemsize(self.dtype)

    def is_contiguous(self):
        """Whether the elements lie in row-major order without gaps."""
        return self.contiguous

    # kael.Tensor binds these two to the names that C fields occupy here.
    @property
    def dims(self):
        """Number of dims."""
        return self.ndim

    @property
    def dtype_object(self):
        """The element type, a kael.dtypes.DType."""
        return <object> dtype_objects[self.dtype]

    @property
    def dtype_code(self):
        return self.dtype

    @property
    def is_writable(self):
        """Whether in-place operations may write to the memory."""
        return self.storage.writable

    @property
    def _version(self):
        """Counts the in-place changes of the memory; views share it."""
        return self.storage.version

    @property
    def requires_grad(self):
        """Whether operations on this tensor are recorded for :meth:`backward`."""
        return self.requires_grad_flag

    @requires_grad.setter
    def requires_grad(self, value):
        if value is not True and value is not False:
            from kael.checks import flag
            value = flag("requires_grad", "the value", value)
        if self.grad_fn is not None and not value:
            raise RuntimeError(
                "requires_grad of a computed tensor cannot be cleared; use detach()")
        if value and not kl_is_float(self.dtype):
            raise RuntimeError("only tensors of floating point dtype can require gradients, "
                               f"this one is {dtype_objects[self.dtype].name}")
        self.requires_grad_flag = value

    @property
    def is_leaf(self):
        """Whether no recorded operation made this tensor."""
        return self.grad_fn is None

    @property
    def grad(self):
        """The accumulated gradient, a tensor of the same shape and dtype, or None."""
        return self.grad_

    @grad.setter
    def grad(self, value):
        if value is not None:
            if not isinstance(value, TensorBase):
                raise TypeError(f"grad must be a Tensor or None, got {type(value).__name__}")
            if not same_shape(self, value) or (<TensorBase> value).dtype != self.dtype:
                raise RuntimeError(
                    f"grad must be {self.dtype_object.name} of shape {self.shape}, as the tensor "
                    f"is, got {value.dtype_object.name} of shape {value.shape}")
        self.grad_ = value

    @grad.deleter
    def grad(self):
        self.grad_ = None

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        cdef int64_t itemsize = kl_itemsize(self.dtype)
        cdef int d
        if self.requires_grad_flag:
            raise BufferError("the tensor requires grad; export tensor.detach()")
        if (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE and not self.storage.writable:
            raise BufferError("the tensor's memory is read-only")
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
        if not in_order(buffer, flags):
            raise BufferError("the tensor is not contiguous")
        Py_INCREF(owned)

    def __releasebuffer__(self, Py_buffer *buffer):
        Py_DECREF(<object> <PyObject *> buffer.internal)


cdef bint in_order(Py_buffer *buffer, int flags) noexcept:
    """Whether the memory is as contiguous as asked; who asks for no strides assumes packed rows."""
    if flags & PyBUF_STRIDES != PyBUF_STRIDES or flags & PyBUF_C_CONTIGUOUS == PyBUF_C_CONTIGUOUS:
        return PyBuffer_IsContiguous(buffer, b"C")
    if flags & PyBUF_F_CONTIGUOUS == PyBUF_F_CONTIGUOUS:
        return PyBuffer_IsContiguous(buffer, b"F")
    if flags & PyBUF_ANY_CONTIGUOUS == PyBUF_ANY_CONTIGUOUS:
        return PyBuffer_IsContiguous(buffer, b"A")
    return True


cdef tuple int_tuple(const int64_t *values, int count):
    cdef tuple result = PyTuple_New(count)
    cdef int d
    for d in range(count):
        value = PyLong_FromLongLong(values[d])
        Py_INCREF(value)
        PyTuple_SET_ITEM(result, d, value)
    return result


cdef TensorBase instance(type kind, int dtype, int ndim):
    cdef TensorBase self = <TensorBase> (<PyTypeObject *> kind).tp_new(
        <PyTypeObject *> kind, (), NULL)
    self.dtype = dtype
    self.ndim = ndim
    return self


cdef int set_contiguous(TensorBase self, const int64_t *shape) except -1:
    """Shape, packed strides and size."""
    cdef bint fits = kl_pack_strides(self.ndim, shape, self.strides_, &self.size)
    if self.ndim > 0:  # else shape may be NULL, which memcpy must not get
        memcpy(self.shape_, shape, self.ndim * sizeof(int64_t))
    self.contiguous = True
    if not fits or self.size > largest_request // kl_itemsize(self.dtype):
        nbytes = prod(self.shape) * kl_itemsize(self.dtype)
        raise MemoryError(f"cannot reserve {nbytes} bytes")
    return 0


cdef int check_ndim(Py_ssize_t ndim, str op) except -1:
    if ndim > KL_MAX_DIMS:
        raise ValueError(f"{op}: a tensor has at most {KL_MAX_DIMS} dims, not {ndim}")
    return 0


cdef TensorBase new_tensor(int dtype, int ndim, const int64_t *shape):
    check_ndim(ndim, "empty")
    cdef TensorBase self = instance(tensor_class, dtype, ndim)
    set_contiguous(self, shape)
    self.storage = new_storage(self.size * kl_itemsize(dtype))
    self.data = self.storage.data
    return self


cdef TensorBase new_like(TensorBase like, int dtype):
    return new_tensor(dtype, like.ndim, like.shape_)


cdef TensorBase new_view(TensorBase base, char *data, int ndim, const int64_t *shape,
                         const int64_t *strides):
    return tensor_on(base.storage, base.dtype, data, ndim, shape, strides)


cdef TensorBase tensor_on(Storage storage, int dtype, char *data, int ndim, const int64_t *shape,
                          const int64_t *strides):
    cdef TensorBase self = instance(tensor_class, dtype, ndim)
    place(self, storage, data, shape, strides)
    return self


cdef void place(TensorBase self, Storage storage, char *data, const int64_t *shape,
                const int64_t *strides) noexcept:
    cdef int d
    cdef int64_t packed = 1
    cdef bint empty = False
    self.storage = storage
    self.data = data
    self.contiguous = True
    for d in range(self.ndim - 1, -1, -1):
        self.shape_[d] = shape[d]
        self.strides_[d] = strides[d]
        if shape[d] == 0:
            empty = True
        elif not empty:
            # Elements exist in memory or are repeated by a stride of 0, and expand refuses what
            # does not fit: no overflow.
            if shape[d] != 1 and strides[d] != packed:
                self.contiguous = False
            packed *= shape[d]
    self.size = 0 if empty else packed
    self.contiguous = self.contiguous or empty


cdef int check_write(TensorBase self, str op) except -1:
    cdef int d
    if not self.storage.writable:
        raise RuntimeError(f"{op}: the tensor's memory is read-only")
    if not self.contiguous:
        for d in range(self.ndim):
            if self.strides_[d] == 0 and self.shape_[d] > 1:
                raise RuntimeError(f"{op}: an expanded tensor shows one element at several places "
                                   f"(stride 0 at dim {d}); write to a clone")
    return 0


cdef bint same_shape(TensorBase a, TensorBase b) noexcept nogil:
    cdef int d
    if a.ndim != b.ndim:
        return False
    for d in range(a.ndim):
        if a.shape_[d] != b.shape_[d]:
            return False
    return True


cdef int wrap_dim(object dim, int ndim, str op) except -1:
    cdef int64_t count = ndim if ndim > 0 else 1, value
    try:
        value = dim if PyLong_Check(dim) else integer(op, "dim", dim)
    except OverflowError:
        value = count
    if value < -count or value >= count:
        raise IndexError(f"{op}: dim {dim} is out of range for {ndim} dims "
                         f"(expected {-count} to {count - 1})")
    return <int> (value + count if value < 0 else value)


cdef int read_shape(object sizes, int64_t *shape, str op) except -1:
    cdef int d
    if not isinstance(sizes, (tuple, list)):
        sizes = tuple(sizes) if hasattr(sizes, "__iter__") else (sizes,)
    check_ndim(len(sizes), op)
    for d, size in enumerate(sizes):
        try:
            shape[d] = size if PyLong_Check(size) else integer(op, "a size", size)
        except OverflowError:
            raise ValueError(f"{op}: size {size} does not fit in 64 bits") from None
    return len(sizes)


def integer(str op, str name, value):
    """``value`` as an int; TypeError unless it is one: NumPy's integers are, a float is not."""
    try:
        return PyNumber_Index(value)
    except TypeError:
        raise TypeError(f"{op}: {name} must be an integer, got {value!r}") from None


def require_tensor(str op, *operands, **optional):
    """TypeError unless every operand is a tensor; those given by name may be None."""
    for at, x in enumerate(operands, 1):
        if not isinstance(x, TensorBase):
            raise TypeError(f"{op}: operand {at} must be a Tensor, got {type(x).__name__}")
    for name, x in optional.items():
        if x is not None and not isinstance(x, TensorBase):
            raise TypeError(f"{op}: {name} must be a Tensor or None, got {type(x).__name__}")


def empty(sizes, int code, str op="empty"):
    """A fresh tensor of sizes that a user gave to ``op``, contents arbitrary."""
    cdef int64_t shape[KL_MAX_DIMS]
    cdef int d, ndim = read_shape(sizes, shape, op)
    for d in range(ndim):
        if shape[d] < 0:
            raise ValueError(f"{op}: negative size {shape[d]} at dim {d}")
    return new_tensor(code, ndim, shape)


def alias(TensorBase self not None):
    """Another tensor on the same elements, outside of any graph."""
    return new_view(self, self.data, self.ndim, self.shape_, self.strides_)


def as_class(type kind, TensorBase x not None):
    """Another tensor on the same elements, of a subclass of kael.Tensor, outside of any graph."""
    cdef TensorBase self = instance(kind, x.dtype, x.ndim)
    place(self, x.storage, x.data, x.shape_, x.strides_)
    return self
