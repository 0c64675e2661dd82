from libc.stdint cimport int64_t

from kael._kernels.step cimport Group, Step
from kael._kernels.tensor cimport TensorBase


cdef class Plan(Step):
    cdef list room          # gradients' temporaries, held while the GIL is released

    cdef int begin(self) except -1
    cdef int collect(self, list groups, object state) except -1
    cdef int add(self, TensorBase p, TensorBase g, dict s, const Group *group) except -1
    cdef int hold(self, TensorBase t) except -1
    cdef int run(self) except -1
    cdef list to_clear_later(self)
    cdef list gather(self, int64_t start, int64_t stop, Py_ssize_t *place)
    cdef void *plain(self, TensorBase t, list copies, bint apart) except? NULL
