from kael._kernels.numbers cimport Numbers


cdef class Operators(Numbers):
    """The number slots of kael.Tensor."""
