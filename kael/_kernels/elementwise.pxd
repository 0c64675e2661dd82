"""Elementwise operations for the other modules; `op` numbers the lines of unary.def, binary.def."""
from libc.stdint cimport int64_t

from kael._kernels.tensor cimport TensorBase


cdef extern from "kael/elementwise/loops.h" nogil:
    ctypedef int (*kl_kernel)(
        void *out, const void *const *in_, int64_t n, const int64_t *ahead) noexcept


cdef extern from "kael/elementwise/operations.h" nogil:
    enum:
        KL_UNARY_neg
        KL_UNARY_abs
        KL_UNARY_relu
        KL_UNARY_COUNT
    enum:
        KL_BINARY_add
        KL_BINARY_sub
        KL_BINARY_mul
        KL_BINARY_div
        KL_BINARY_eq
        KL_BINARY_ne
        KL_BINARY_lt
        KL_BINARY_le
        KL_BINARY_gt
        KL_BINARY_ge
        KL_BINARY_maximum
        KL_BINARY_minimum
        KL_BINARY_COUNT


# The kernel of a line of unary.def, or NULL where that does not take the dtype.
cdef kl_kernel unary_kernel(int op, int dtype) noexcept

# `out` is a fresh tensor when None, else written in place. TypeError for a dtype that the
# operation does not take, ValueError for shapes that do not broadcast, ZeroDivisionError.
cdef TensorBase unary_op(int op, TensorBase x, TensorBase out)
cdef TensorBase binary_op(int op, TensorBase a, TensorBase b, TensorBase out)

# Broadcasts and converts source into target, as if source were copied first.
cdef int copy_into(TensorBase target, TensorBase source) except -1

# x itself when contiguous and aligned to its itemsize, else a packed copy.
cdef TensorBase as_contiguous(TensorBase x)
