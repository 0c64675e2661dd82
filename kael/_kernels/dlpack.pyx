"""DLPack, versions 0 and 1: memory shared with other array libraries.

A capsule named "dltensor" (or "dltensor_versioned") owns a managed tensor until somebody renames it
to "used_...": from then on that one calls the deleter.
"""

from cpython.object cimport PyObject
from cpython.pycapsule cimport (
    PyCapsule_GetPointer, PyCapsule_IsValid, PyCapsule_New, PyCapsule_SetName,
)
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from kael._kernels.layout cimport kl_extent, kl_interval, kl_strided
from kael._kernels.storage cimport Storage, wrap_storage
from kael._kernels.tensor cimport (
    KL_MAX_DIMS, TensorBase, check_ndim, kl_itemsize, kl_pack_strides, tensor_on,
)

# The layout of these structs, and the numbers below, are DLPack's ABI.
cdef struct Managed:
    Described tensor
    void *context
    void (*deleter)(Managed *self) noexcept

cdef struct Versioned:
    uint32_t major
    uint32_t minor
    void *context
    void (*deleter)(Versioned *self) noexcept
    uint64_t flags
    Described tensor

cdef enum:
    READ_ONLY = 1
    IS_COPIED = 2

# (code, bits) by enum kl_dtype: code 6 is bool, 1 unsigned, 0 signed, 2 float.
cdef tuple element_types = ((6, 8), (1, 8), (0, 32), (0, 64), (2, 32), (2, 64))

cdef union Head:
    Managed managed
    Versioned versioned

# One allocation: the managed struct, first so that it has the address of the whole, and the sizes
# and strides that it points to.
cdef struct Export:
    Head head
    int64_t shape[KL_MAX_DIMS]
    int64_t strides[KL_MAX_DIMS]


cdef void forget(Managed *managed) noexcept with gil:
    Py_DECREF(<object> managed.context)
    free(managed)


cdef void forget_versioned(Versioned *versioned) noexcept with gil:
    Py_DECREF(<object> versioned.context)
    free(versioned)


cdef void drop_capsule(object capsule) noexcept:
    """A capsule that nobody took: its tensor goes with it."""
    cdef Managed *managed
    cdef Versioned *versioned
    if PyCapsule_IsValid(capsule, b"dltensor"):
        managed = <Managed *> PyCapsule_GetPointer(capsule, b"dltensor")
        managed.deleter(managed)
    elif PyCapsule_IsValid(capsule, b"dltensor_versioned"):
        versioned = <Versioned *> PyCapsule_GetPointer(capsule, b"dltensor_versioned")
        versioned.deleter(versioned)


cdef void describe(TensorBase x, Export *to, Described *tensor) noexcept:
    cdef int d
    for d in range(x.ndim):
        to.shape[d] = x.shape_[d]
        to.strides[d] = x.strides_[d]
    tensor.data = x.data
    tensor.device.kind = CPU
    tensor.device.number = 0
    tensor.ndim = x.ndim
    tensor.dtype.code = element_types[x.dtype][0]
    tensor.dtype.bits = element_types[x.dtype][1]
    tensor.dtype.lanes = 1
    tensor.shape = to.shape
    tensor.strides = to.strides
    tensor.byte_offset = 0


def to_capsule(TensorBase x not None, bint versioned, bint copied):
    """A capsule on the memory of x."""
    if not versioned and not x.storage.writable:
        raise BufferError("__dlpack__: read-only memory needs a consumer of DLPack 1.0 or later")
    cdef Export *to = <Export *> malloc(sizeof(Export))
    if to is NULL:
        raise MemoryError()
    Py_INCREF(x)
    if not versioned:
        describe(x, to, &to.head.managed.tensor)
        to.head.managed.context = <void *> <PyObject *> x
        to.head.managed.deleter = forget
        return PyCapsule_New(&to.head.managed, b"dltensor", drop_capsule)
    describe(x, to, &to.head.versioned.tensor)
    to.head.versioned.major = 1
    to.head.versioned.minor = 0
    to.head.versioned.context = <void *> <PyObject *> x
    to.head.versioned.deleter = forget_versioned
    to.head.versioned.flags = IS_COPIED if copied else 0
    if not x.storage.writable:
        to.head.versioned.flags |= READ_ONLY
    return PyCapsule_New(&to.head.versioned, b"dltensor_versioned", drop_capsule)


cdef class Taken:
    """Owns a managed tensor taken out of its capsule."""
    cdef Managed *managed
    cdef Versioned *versioned

    def __dealloc__(self):
        if self.managed is not NULL and self.managed.deleter is not NULL:
            self.managed.deleter(self.managed)
        if self.versioned is not NULL and self.versioned.deleter is not NULL:
            self.versioned.deleter(self.versioned)


def from_capsule(capsule):
    """The tensor in a capsule, which is used up.

    TypeError for an element type that kael does not have, BufferError for another device.
    """
    cdef Taken owner = Taken()
    cdef Described *tensor
    cdef bint writable = True
    if PyCapsule_IsValid(capsule, b"dltensor_versioned"):
        owner.versioned = <Versioned *> PyCapsule_GetPointer(capsule, b"dltensor_versioned")
        PyCapsule_SetName(capsule, b"used_dltensor_versioned")
        if owner.versioned.major != 1:
            raise BufferError(f"from_dlpack: DLPack {owner.versioned.major} is not known")
        tensor = &owner.versioned.tensor
        writable = not owner.versioned.flags & READ_ONLY
    elif PyCapsule_IsValid(capsule, b"dltensor"):
        owner.managed = <Managed *> PyCapsule_GetPointer(capsule, b"dltensor")
        PyCapsule_SetName(capsule, b"used_dltensor")
        tensor = &owner.managed.tensor
    else:
        raise ValueError("from_dlpack: not a DLPack capsule, or one that was already taken")
    return adopt(owner, tensor, writable)


cdef TensorBase adopt(Taken owner, Described *tensor, bint writable):
    cdef int64_t strides[KL_MAX_DIMS]
    cdef kl_strided layout
    cdef kl_interval span
    element = (tensor.dtype.code, tensor.dtype.bits)
    if element not in element_types or tensor.dtype.lanes != 1:
        raise TypeError(f"from_dlpack: element type (code, bits) {element} is not supported")
    if tensor.device.kind != CPU:
        raise BufferError(f"from_dlpack: device type {tensor.device.kind} is not the CPU")
    check_ndim(tensor.ndim, "from_dlpack")
    code = element_types.index(element)
    if not kl_pack_strides(tensor.ndim, tensor.shape, strides, &layout.size):
        raise ValueError("from_dlpack: the number of elements does not fit 64 bits")
    if tensor.strides is not NULL:
        memcpy(strides, tensor.strides, tensor.ndim * sizeof(int64_t))
    layout.data = <char *> tensor.data + tensor.byte_offset
    layout.itemsize = kl_itemsize(code)
    layout.ndim = tensor.ndim
    layout.shape = tensor.shape
    layout.strides = strides
    span = kl_extent(&layout)
    cdef Storage storage = wrap_storage(
        <char *> span.first, span.last - span.first, writable, owner)
    return tensor_on(storage, code, layout.data, tensor.ndim, tensor.shape, strides)
