from libc.stdint cimport int64_t

from kael._kernels.elementwise cimport kl_kernel
from kael._kernels.tensor cimport TensorBase


cdef extern from "kael/matmul/tile.h" nogil:
    struct kl_rung:
        const void *a
        const void *b
        void *out
        int64_t rows
        int64_t inner
        int64_t columns


# a @ b, batch dims broadcast; a 1-D operand is a row or a column and its dim is dropped; two 1-D
# ones are folded (numerics R3). Refuses, in the name of op, operands that do not fit. Fresh unless
# out is given.
cdef TensorBase matmul_op(str op, TensorBase a, TensorBase b, TensorBase out)

# sums = x @ weight.T, plus bias (may be None) added to each row by the kernel that writes it; and,
# unless it is NULL, the activation of them to result, which may be sums, while they are in cache.
# Both are contiguous and of the product's shape, and the operands fit.
cdef int linear_into(TensorBase sums, TensorBase x, TensorBase weight, TensorBase bias,
                     kl_kernel activation, TensorBase result) except -1

# Refuses, in the name of op, what is no tensor.
cdef int require_tensors(str op, object a, object b) except -1

# A tuple of those that are not None.
cdef tuple without_none(object a, object b)

# Refuses, in the name of op, what is not contiguous matrices of one dtype that fit out; fills call.
cdef int set_rung(kl_rung *call, str op, TensorBase a, TensorBase b, TensorBase out) except -1
