from kael._kernels.tensor cimport TensorBase


# a @ b for tensors of one dtype, none of them 0-D, not both 1-D (see matmul.pyx); bias is added to
# every row (float32 and float64). The result is fresh unless out is given.
cdef TensorBase matmul_op(TensorBase a, TensorBase b, TensorBase bias, TensorBase out)
