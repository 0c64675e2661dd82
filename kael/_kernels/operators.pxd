from kael._kernels.tensor cimport TensorBase


cdef class Operators(TensorBase):
    """The number slots of kael.Tensor."""
