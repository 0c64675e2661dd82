from libc.stdint cimport int64_t


cdef extern from "kael/runtime.h":
    ctypedef int (*kl_body)(void *context, int64_t first, int64_t last) noexcept nogil

    enum:
        kElementGrain
        kAwakeGrain

    struct kl_op:
        kl_op *outer
        void *scope
        int64_t start
        int64_t end
        int64_t inner
        int64_t chunk_count
        int64_t hits
        int64_t misses
        int thread

    struct kl_runtime:
        int isa
        int (*parallel_for)(int64_t begin, int64_t end, int64_t grain, kl_body body,
                            void *context) noexcept nogil
        int64_t (*num_threads)() noexcept nogil
        int64_t (*element_grain)() noexcept nogil
        void *(*alloc)(int64_t nbytes) noexcept nogil
        void (*release)(void *block, int64_t nbytes) noexcept nogil
        void (*begin)(kl_op *op) noexcept nogil


cdef extern from "kael/status.h":
    enum:
        KL_OK
        KL_NO_MEMORY
        KL_DIVISION_BY_ZERO
        KL_INDEX_RANGE
        KL_CALLBACK_FAILED
        KL_FORKED


# The process's runtime, its environment switches parsed (they raise ValueError here, at first use).
cdef const kl_runtime *runtime() except NULL

# Raises what a driver answered; `op` names the operation in the message.
cdef int check(int status, str op) except -1

# Tells the running profiles of an operation that rt.begin began and that has ended, well or not.
cdef int end_op(kl_op *op, str name, int64_t nbytes, int64_t flops) except -1

# The calling thread's grad mode, also inside a body on a worker.
cdef bint grad_enabled() noexcept nogil
