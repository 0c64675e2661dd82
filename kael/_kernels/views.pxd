"""Views: another shape and other strides on the same storage. Nothing here touches an element."""
from libc.stdint cimport int64_t

from kael._kernels.tensor cimport TensorBase

# self[index] for ints, slices, None and Ellipsis; None when the index has masks or integer arrays.
cdef TensorBase index_view(TensorBase self, object index)

# The view of another shape (one size may be -1), or None when only a copy has it.
cdef TensorBase reshape_view(TensorBase self, object sizes, str op)

cdef TensorBase permute_view(TensorBase self, object dims)
cdef TensorBase transpose_view(TensorBase self, int a, int b)
cdef TensorBase expand_view(TensorBase self, object sizes, str op)
