from libc.stdint cimport int64_t

from kael._kernels.runtime cimport kl_runtime
from kael._kernels.tensor cimport TensorBase


cdef extern from "kael/optim_table.h":
    struct kl_optim_tensor:
        void *param
        const void *grad
        void *state[3]
        int64_t size
        int dtype
        int variant
        bint frozen
        double scalar[8]

    ctypedef int (*kl_optim_driver)(const kl_runtime *rt, kl_optim_tensor *tensors,
                                    int64_t count) noexcept nogil


# The hyperparameters of a row's group; a and b are the betas, or momentum and dampening.
cdef struct Hyper:
    double lr
    double decay
    double a
    double b
    double eps
    int variant


cdef class Plan:
    cdef kl_optim_tensor *rows
    cdef Hyper *hypers
    cdef int64_t count
    cdef int64_t capacity
    cdef list tensors       # PER_ROW for each row; holds them while the GIL is released
    cdef list missing       # (parameter, key, None or the number to store) of absent state
    cdef set created        # ids of the parameters whose state this step has made
    cdef bint strided       # some tensor needs a temporary
    cdef bint moved         # some written tensor lies elsewhere than in the last step
    cdef int64_t compared   # rows among which shared memory was looked for
    cdef bint ordered       # some written tensors share memory: one region each, in order
    cdef object lock        # one step at a time
    cdef int64_t forks      # count of forks when the lock was made
    cdef str op
    cdef kl_optim_driver driver

    # Appends a row for each parameter that has a gradient; defined by each rule.
    cdef int collect(self, list groups, object state) except -1
    # Advances the step counter and computes the row's scalars; defined by each rule.
    cdef int commit(self, kl_optim_tensor *row, const Hyper *hyper, TensorBase counter) except -1

    # A row for a parameter and its gradient.
    cdef kl_optim_tensor *add(self, TensorBase p, TensorBase g, const Hyper *hyper) except NULL
    # State k of the row just added is s[key].
    cdef int add_state(self, kl_optim_tensor *row, int k, dict s, str key) except -1
    # The row's step counter is s["step"]: a 0-d tensor, or a number that becomes one.
    cdef int add_counter(self, dict s) except -1

    cdef int begin(self) except -1
    cdef int reserve(self) except -1
    cdef int hold(self, TensorBase t, int k) except -1
    cdef object look_up(self, dict s, TensorBase p, str key)
    cdef int run(self) except -1
    cdef int launch(self, int64_t start, int64_t count) except -1
    cdef list gather(self, int64_t start, int64_t stop)


# state[p], or None.
cdef dict state_of(object state, TensorBase p)
