from cpython.buffer cimport Py_buffer
from cpython.object cimport PyObject
from libc.stdint cimport int64_t


cdef class Storage:
    """One allocator block, or memory borrowed from another owner."""
    cdef char *data            # NULL when nbytes is 0
    cdef readonly int64_t nbytes
    cdef readonly bint writable
    cdef readonly int64_t version   # bumped by every in-place change; autograd compares it
    cdef bint borrowed
    cdef Py_buffer *view       # held while borrowed through the buffer protocol, else NULL
    cdef PyObject *owner       # kept alive while borrowed otherwise, else NULL


# A fresh block, contents arbitrary; MemoryError when refused.
cdef Storage new_storage(int64_t nbytes)

# Memory of an object with the buffer protocol (an ndarray, bytes, memoryview, ...). Read-only
# memory makes a storage that is not writable.
cdef Storage borrow_storage(object exporter)

# Memory that lives as long as `owner` (a DLPack capsule, a memory map).
cdef Storage wrap_storage(char *data, int64_t nbytes, bint writable, object owner)
