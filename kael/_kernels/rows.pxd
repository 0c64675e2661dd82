from kael._kernels.tensor cimport TensorBase


# The header stays out of this file: it belongs to rows.pyx alone. ROWS there numbers the kernels.

# A row kernel along dim (0 <= dim < ndim, or ndim 0); y as x in dtype and shape, or None.
cdef TensorBase row_op(int kernel, TensorBase x, TensorBase y, int dim)
