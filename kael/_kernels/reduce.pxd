from libc.stdint cimport int64_t, uint32_t

from kael._kernels.tensor cimport TensorBase


cdef extern from "kael/reductions.h":
    enum:
        KL_REDUCTION_sum
        KL_REDUCTION_mean
        KL_REDUCTION_var
        KL_REDUCTION_std
        KL_REDUCTION_norm1
        KL_REDUCTION_norm2
        KL_REDUCTION_prod
        KL_REDUCTION_max
        KL_REDUCTION_min
        KL_REDUCTION_argmax
        KL_REDUCTION_argmin
        KL_REDUCTION_COUNT


# Bit d marks dim d as named by `dim`: None or () for all, an int, or a sequence of ints.
cdef int64_t dims_mask(TensorBase x, object dim, str op) except -1

# `dtype` of the values, -1 for the operation's own. Variances divide by size - correction.
cdef TensorBase reduce_op(int reduction, TensorBase x, uint32_t mask, bint keepdim, int dtype,
                          double correction)

# R3's fold of the products of two float vectors of one dtype and length: a 0-d tensor.
cdef TensorBase dot(TensorBase a, TensorBase b)
