from libc.stdint cimport int64_t, uint32_t

from kael._kernels.tensor cimport TensorBase


# The header stays out of this file: it belongs to reduce.pyx alone. REDUCTIONS there numbers
# the operations.

# Bit d marks dim d as named by `dim`: None or () for all, an int, or a sequence of ints.
cdef int64_t dims_mask(TensorBase x, object dim, str op) except -1

# Whether reduced dims stay, of size 1; TypeError in the name of `op` for what is no bool.
cdef bint keeps_dims(str op, object keepdim) except -1

# Errors name `op`. `dtype` of the values, -1 for the operation's own. Variances divide by
# size - correction.
cdef TensorBase reduce_op(str op, int reduction, TensorBase x, uint32_t mask, bint keepdim,
                          int dtype, double correction)

# R3's fold of the products of two vectors of one dtype (not bool) and length: a 0-d tensor.
cdef TensorBase dot(TensorBase a, TensorBase b)
