"""Who owns the bytes of a tensor: an allocator block, or somebody from whom they are borrowed."""

from cpython.buffer cimport (
    PyBUF_FORMAT, PyBUF_STRIDED_RO, PyBUF_WRITABLE, PyBuffer_FillInfo, PyBuffer_Release,
    PyObject_GetBuffer,
)
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.ref cimport Py_XDECREF, Py_INCREF
from libc.stdint cimport int64_t

cimport cython

from kael._kernels.runtime cimport runtime


# Small and free of references that the collector would follow, so that the free list serves most
# tensors: the borrowed parts are pointers for that reason.
@cython.freelist(64)
@cython.no_gc
cdef class Storage:
    def __init__(self):
        raise TypeError("a Storage is made by allocate() or by a tensor")

    @property
    def address(self):
        """Where the first byte lies; 0 for an empty storage."""
        return <size_t> self.data

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        """The bytes, flat."""
        PyBuffer_FillInfo(buffer, self, self.data, self.nbytes, not self.writable, flags)

    def __dealloc__(self):
        if self.view is not NULL:
            PyBuffer_Release(self.view)
            PyMem_Free(self.view)
        elif self.borrowed:
            Py_XDECREF(self.owner)
        elif self.data is not NULL:
            runtime().release(self.data, self.nbytes)


cdef Storage new_storage(int64_t nbytes):
    cdef Storage self = Storage.__new__(Storage)
    self.writable = True
    if nbytes == 0:
        return self
    self.data = <char *> runtime().alloc(nbytes)
    if self.data is NULL:
        raise MemoryError(f"cannot reserve {nbytes} bytes")
    self.nbytes = nbytes
    return self


cdef Storage borrow_storage(object exporter):
    cdef Storage self = Storage.__new__(Storage)
    cdef Py_buffer *view = <Py_buffer *> PyMem_Malloc(sizeof(Py_buffer))
    if view is NULL:
        raise MemoryError()
    try:
        self.writable = take_buffer(exporter, view)
    except BaseException:
        PyMem_Free(view)
        raise
    self.borrowed = True
    self.view = view
    self.data = <char *> view.buf
    self.nbytes = view.len
    return self


cdef bint take_buffer(object exporter, Py_buffer *view) except -1:
    """Fills view, for writing if the exporter allows it; returns whether it does."""
    try:
        PyObject_GetBuffer(exporter, view, PyBUF_STRIDED_RO | PyBUF_FORMAT | PyBUF_WRITABLE)
        return True
    except (BufferError, ValueError):
        PyObject_GetBuffer(exporter, view, PyBUF_STRIDED_RO | PyBUF_FORMAT)
        return False


cdef Storage wrap_storage(char *data, int64_t nbytes, bint writable, object owner):
    cdef Storage self = Storage.__new__(Storage)
    self.borrowed = True
    self.data = data
    self.nbytes = nbytes
    self.writable = writable
    Py_INCREF(owner)
    self.owner = <PyObject *> owner
    return self


def allocate(int64_t nbytes):
    """A Storage of fresh bytes, contents arbitrary; MemoryError when refused."""
    if nbytes < 0:
        raise ValueError(f"allocate: nbytes must not be negative, got {nbytes}")
    return new_storage(nbytes)
