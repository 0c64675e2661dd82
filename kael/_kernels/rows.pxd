from kael._kernels.tensor cimport TensorBase


cdef extern from "kael/row_kernels.h":
    enum:
        KL_ROW_softmax
        KL_ROW_log_softmax
        KL_ROW_standardize
        KL_ROW_cross_entropy
        KL_ROW_softmax_backward
        KL_ROW_log_softmax_backward
        KL_ROW_standardize_backward
        KL_ROW_cross_entropy_backward


# A row kernel along dim (0 <= dim < ndim, or ndim 0); y as x in dtype and shape, or None.
cdef TensorBase row_op(int kernel, TensorBase x, TensorBase y, int dim)
