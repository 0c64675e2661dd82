"""Where the elements of PyTorch's tensors lie, without a header of PyTorch's.

A tensor is described by DLPack's C exchange API, which PyTorch has since 2.10 (some 25 ns for each
tensor), or else by its Python attributes (microseconds).
"""

cimport cython
from cpython.exc cimport PyErr_Clear
from cpython.object cimport PyObject, PyTypeObject
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t, uint32_t

from kael._kernels.dlpack cimport CPU, Described
from kael._kernels.layout cimport kl_count, kl_is_packed, kl_strided
from kael._kernels.step cimport KL_STORAGE_bf16, KL_STORAGE_f16, KL_STORAGE_plain
from kael._kernels.tensor cimport (
    KL_DTYPE_f32, KL_DTYPE_f64, KL_DTYPE_i32, KL_DTYPE_i64, KL_DTYPE_u8,
)


# DLPackExchangeAPI, the layout of which is an ABI; only `describe` is called.
cdef struct ExchangeApi:
    uint32_t major
    uint32_t minor
    void *previous
    void *allocate
    void *to_managed
    void *from_managed
    describe_function describe
    void *stream

cdef extern from "Python.h":
    ctypedef struct PyGetSetDescrObject:
        PyGetSetDef *d_getset
    bint Py_IS_TYPE(object thing, PyTypeObject *type)
    PyTypeObject PyGetSetDescr_Type

# Codes of DLPack's element types.
cdef enum:
    INTEGER = 0
    UNSIGNED = 1
    FLOAT = 2
    BFLOAT = 4
    COMPLEX = 5


@cython.final
cdef class Reader:
    """Looks at tensors for an optimizer that messages call ``op``."""

    def __init__(self, tensors, str op):
        self.torch = tensors
        self.op = op
        self.tensor_type = tensors.Tensor
        self.parameter_type = tensors.Parameter
        self.describe = exchange_of(tensors.exchange_api())

    cdef int begin(self) except -1:
        """Finds what reads `grad`: the lookup of an attribute takes as long as all the rest."""
        descriptor = self.parameter_type.grad
        if descriptor is not self.grad:
            self.grad = descriptor
            self.grad_getter = NULL
            if Py_IS_TYPE(descriptor, &PyGetSetDescr_Type) and (
                    self.tensor_type.grad is descriptor):
                self.grad_getter = (<PyGetSetDescrObject *> <void *> descriptor).d_getset
        return 0

    cdef bint is_tensor(self, object thing) except -1:
        return type(thing) is self.tensor_type or isinstance(thing, self.tensor_type)

    cdef object take(self, object t, Array *a, str what):
        cdef Described d
        self.look_at(t, &d, what)
        if d.dtype.code == COMPLEX and d.dtype.bits in (64, 128):
            t = self.torch.real(t, self.op, what)
            self.look_at(t, &d, what)
        a.layout = layout_of(&d)
        a.storage = KL_STORAGE_plain
        a.dtype = KL_DTYPE_f32
        if d.dtype.code == FLOAT and d.dtype.bits == 64:
            a.dtype = KL_DTYPE_f64
        elif d.dtype.code == BFLOAT and d.dtype.bits == 16:
            a.storage = KL_STORAGE_bf16
        elif d.dtype.code == FLOAT and d.dtype.bits == 16:
            a.storage = KL_STORAGE_f16
        elif d.dtype.code != FLOAT or d.dtype.bits != 32:
            self.torch.refuse(t, self.op, what)
        # A negated view, which PyTorch makes of imaginary parts, is never contiguous.
        if (a.layout.size == 1 or not kl_is_packed(&a.layout)) and t.is_neg():
            t = t.resolve_neg() if what == "gradients" else self.torch.refuse(t, self.op, what)
            return self.take(t, a, what)
        return t

    cdef int look_at(self, object t, Described *d, str what) except -1:
        """Describes a tensor, or raises what says why it cannot be taken."""
        if type(t) is not self.tensor_type and type(t) is not self.parameter_type:
            self.torch.check_kind(t, self.op, what)
        if self.describe is NULL:
            self.torch.check_place(t, self.op, what)
            return self.look_slowly(t, d, what)
        if self.describe(<void *> <PyObject *> t, d) != 0:
            PyErr_Clear()
            self.torch.refuse(t, self.op, what)
        # Tensors inside a transform of torch.func, or of a storage that was freed, have no data.
        if d.device.kind != CPU or (d.data is NULL and kl_count(d.ndim, d.shape) > 0):
            self.torch.refuse(t, self.op, what)
        return 0

    cdef int look_slowly(self, object t, Described *d, str what) except -1:
        cdef int k
        cdef tuple shape = tuple(t.shape), strides = t.stride()
        sizes = bytearray((2 * len(shape) + 1) * sizeof(int64_t))
        self.room.append(sizes)
        d.data = <void *> <size_t> self.torch.address(t)
        if d.data is NULL and t.numel() > 0:
            self.torch.refuse(t, self.op, what)
        d.byte_offset = 0
        d.ndim = len(shape)
        d.shape = <int64_t *> <char *> sizes
        d.strides = d.shape + d.ndim
        d.dtype.code, d.dtype.bits = self.torch.element_type(t)
        for k in range(d.ndim):
            d.shape[k] = shape[k]
            d.strides[k] = strides[k]
        return 0


cdef describe_function exchange_of(object capsule) except? NULL:
    """The function that describes a tensor; NULL without an API of version 1."""
    cdef ExchangeApi *api
    if capsule is None:
        return NULL
    api = <ExchangeApi *> PyCapsule_GetPointer(capsule, b"dlpack_exchange_api")
    while api is not NULL and api.major != 1:
        api = <ExchangeApi *> api.previous
    return NULL if api is NULL else api.describe


cdef kl_strided layout_of(const Described *d) noexcept:
    cdef kl_strided layout
    layout.data = <char *> d.data + d.byte_offset
    layout.size = kl_count(d.ndim, d.shape)
    layout.itemsize = d.dtype.bits // 8
    layout.ndim = d.ndim
    layout.shape = d.shape
    layout.strides = d.strides
    return layout


cdef int number_dtype(const Described *d) noexcept:
    """The dtype of a number of the state, -1 where it is none that a step can advance."""
    cdef int code = d.dtype.code, bits = d.dtype.bits
    if code == FLOAT:
        return KL_DTYPE_f32 if bits == 32 else KL_DTYPE_f64 if bits == 64 else -1
    if code == INTEGER:
        return KL_DTYPE_i64 if bits == 64 else KL_DTYPE_i32 if bits == 32 else -1
    return KL_DTYPE_u8 if code == UNSIGNED and bits == 8 else -1
