from libc.stdint cimport int64_t
from cpython.buffer cimport Py_buffer


cdef class Storage:
    """One allocator block, or memory borrowed through the buffer protocol."""
    cdef char *data            # NULL when nbytes is 0
    cdef int64_t nbytes
    cdef bint writable
    cdef int64_t version       # bumped by every in-place change; autograd compares it
    cdef bint borrowed
    cdef Py_buffer view        # held while borrowed


# A fresh block, contents arbitrary; MemoryError when refused.
cdef Storage new_storage(int64_t nbytes)

# Memory of an object with the buffer protocol (an ndarray, bytes, memoryview, ...).
cdef Storage borrow_storage(object exporter)
