from libc.stdint cimport int64_t

from kael._kernels.step cimport Group, Step
from kael._kernels.tensor cimport TensorBase


cdef class Plan(Step):
    cdef list tensors       # PER_ROW for each row; holds them while the GIL is released
    cdef bint strided       # some tensor needs a temporary
    cdef int64_t compared   # rows among which shared memory was looked for
    cdef bint ordered       # some written tensors share memory: one region each, in order

    cdef int begin(self) except -1
    cdef int collect(self, list groups, object state) except -1
    cdef int add(self, TensorBase p, TensorBase g, dict s, const Group *group) except -1
    cdef int hold(self, TensorBase t, int k) except -1
    cdef int run(self) except -1
    cdef list to_clear_later(self)
    cdef list gather(self, int64_t start, int64_t stop)
