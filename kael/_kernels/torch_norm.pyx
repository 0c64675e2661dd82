"""The norm of PyTorch's tensors as if they were one vector: norm.pyx, on their memory."""

from libc.stdint cimport int64_t
from libc.stdlib cimport free

from kael._kernels.norm cimport kl_norm_part, measure, reserve
from kael._kernels.layout cimport kl_is_packed
from kael._kernels.torch_read cimport Array, Reader


cdef int describe(list tensors, Reader reader, list held, kl_norm_part *parts) except -1:
    """Fills the parts; `held` is to live as long as they do."""
    cdef Array a
    cdef int64_t i
    for i in range(len(tensors)):
        held.append(reader.take(tensors[i], &a, "gradients"))
        parts[i].data = a.layout.data
        parts[i].size = a.layout.size
        parts[i].dtype = a.dtype
        parts[i].ndim = a.layout.ndim
        parts[i].storage = a.storage
        parts[i].contiguous = kl_is_packed(&a.layout) and (
            <size_t> a.layout.data % <size_t> a.layout.itemsize == 0)
        parts[i].shape = a.layout.shape
        parts[i].strides = a.layout.strides
    return 0


def total(list tensors, double p, Reader reader):
    """What the elements of all tensors add up to, in whatever dtypes and strides a step takes;
    as ``norm.total``. Of complex tensors the parts count."""
    cdef list held = []
    cdef kl_norm_part *parts = reserve(len(tensors))
    reader.room = held
    try:
        describe(tensors, reader, held, parts)
    except BaseException:
        free(parts)
        raise
    return measure(parts, len(tensors), p)
