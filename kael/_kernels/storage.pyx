"""Who owns the bytes of a tensor: an allocator block, or a buffer borrowed from someone else."""

from cpython.buffer cimport (
    PyBUF_FORMAT, PyBUF_STRIDED_RO, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.stdint cimport int64_t

from kael._kernels.runtime cimport kl_runtime, runtime


cdef class Storage:
    def __dealloc__(self):
        if self.borrowed:
            PyBuffer_Release(&self.view)
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
    try:
        PyObject_GetBuffer(exporter, &self.view, PyBUF_STRIDED_RO | PyBUF_FORMAT | PyBUF_WRITABLE)
        self.writable = True
    except (BufferError, ValueError):
        PyObject_GetBuffer(exporter, &self.view, PyBUF_STRIDED_RO | PyBUF_FORMAT)
        self.writable = False
    self.borrowed = True
    self.data = <char *> self.view.buf
    self.nbytes = self.view.len
    return self
