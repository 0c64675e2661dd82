"""The recorded operations of reverse-mode differentiation."""
from libc.stdint cimport int64_t

from kael._kernels.runtime cimport grad_enabled
from kael._kernels.tensor cimport TensorBase


cdef class Node:
    """One recorded operation; see kael.autograd."""
    cdef readonly str name
    cdef readonly tuple inputs     # per input: the Node that made it, a leaf Tensor, or None
    cdef object gradient           # gradient(g) -> tuple; None once the graph is freed
    cdef tuple saved               # tensors that gradient reads
    cdef int64_t versions          # sum of the versions of saved when recorded; they only grow
    cdef readonly int64_t order    # grows with every node made
    cdef object retained           # weak reference to the tensor of retain_grad, or None
    cdef dict hooks


# Makes `out` the result of an operation on `inputs` that `gradient` differentiates.
cdef TensorBase record_op(str name, TensorBase out, tuple inputs, object gradient, tuple saved)


cdef inline bint wants_grad(TensorBase x) noexcept:
    """Whether an operation on x must be recorded."""
    return x.requires_grad_flag and grad_enabled()
