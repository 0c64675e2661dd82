"""Owner of the pool, the instruction set and the allocator; see include/kael/runtime.h."""

from libc.stdint cimport int64_t
from libc.stdlib cimport free


cdef extern from "kael/runtime.h" nogil:
    pass


cdef extern from "<stdlib.h>" nogil:
    void *aligned_alloc(size_t alignment, size_t size)


cdef kl_runtime the_runtime
cdef bint ready = False
cdef bint the_grad_mode = True


cdef int serial_for(int64_t begin, int64_t end, int64_t grain, kl_body body,
                    void *context) noexcept nogil:
    return body(context, begin, end) if end > begin else KL_OK


cdef int64_t one_thread() noexcept nogil:
    return 1


cdef int64_t constant_grain() noexcept nogil:
    return 524288


cdef void *plain_alloc(int64_t nbytes) noexcept nogil:
    return aligned_alloc(64, <size_t> ((nbytes + 63) // 64 * 64))


cdef void plain_release(void *block, int64_t nbytes) noexcept nogil:
    free(block)


cdef extern from *:
    """
    #include "kael/isas.h"
    """
    enum:
        KL_ISA_generic


cdef const kl_runtime *runtime() except NULL:
    global ready
    if not ready:
        the_runtime.isa = KL_ISA_generic
        the_runtime.parallel_for = serial_for
        the_runtime.num_threads = one_thread
        the_runtime.element_grain = constant_grain
        the_runtime.alloc = plain_alloc
        the_runtime.release = plain_release
        ready = True
    return &the_runtime


cdef int check(int status, str op) except -1:
    if status == KL_OK:
        return 0
    if status == KL_NO_MEMORY:
        raise MemoryError(f"{op}: the system refused memory")
    if status == KL_DIVISION_BY_ZERO:
        raise ZeroDivisionError(f"{op}: integer division or remainder by zero")
    if status == KL_INDEX_RANGE:
        raise IndexError(f"{op}: index out of range")
    raise RuntimeError(f"{op}: status {status}")


cdef bint grad_enabled() noexcept nogil:
    return the_grad_mode


def is_grad_enabled():
    return the_grad_mode


def set_grad_mode(bint enabled):
    """Sets the calling thread's grad mode; returns the former one."""
    global the_grad_mode
    former = the_grad_mode
    the_grad_mode = enabled
    return former
