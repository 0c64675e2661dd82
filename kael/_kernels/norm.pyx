"""The norm of a list of tensors as if they were one vector: include/kael/norm.h."""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from kael._kernels.runtime cimport check, end_op, kl_op, kl_runtime, runtime
from kael._kernels.tensor cimport TensorBase, kl_is_float, kl_itemsize


cdef extern from "kael/norm.h" nogil:
    enum:
        KL_NORM_SQUARE
        KL_NORM_ABS
        KL_NORM_POWER
        KL_NORM_NOT_ZERO
        KL_NORM_GREATEST
        KL_NORM_LEAST

    int kl_norm(const kl_runtime *rt, int term, double p, kl_norm_part *parts, int64_t count,
                double *total)


cdef int term_of(double p) noexcept:
    if p == 2.0:
        return KL_NORM_SQUARE
    if p == 1.0:
        return KL_NORM_ABS
    if p == 0.0:
        return KL_NORM_NOT_ZERO
    if p == INFINITY:
        return KL_NORM_GREATEST
    return KL_NORM_LEAST if p == -INFINITY else KL_NORM_POWER


def total(list tensors, double p, str op):
    """What the elements of all tensors, float32 or float64 of any strides, add up to.

    Returns
    -------
    float
        The sum of ``|x|**p``: the norm is its root. For p of 0 how many are not zero, for inf and
        -inf the greatest and the least of ``|x|``. Without elements 0.
    """
    cdef int64_t i, count = len(tensors)
    cdef TensorBase t
    for t in tensors:
        if not kl_is_float(t.dtype):
            raise TypeError(f"{op}: takes floating-point tensors, got {t.dtype_object.name}")
    cdef kl_norm_part *parts = reserve(count)
    for i in range(count):
        t = tensors[i]
        parts[i].data = t.data
        parts[i].size = t.size
        parts[i].dtype = t.dtype
        parts[i].ndim = t.ndim
        parts[i].storage = KL_STORAGE_plain
        parts[i].contiguous = t.contiguous
        parts[i].shape = t.shape_
        parts[i].strides = t.strides_
    return measure(parts, count, p)


cdef kl_norm_part *reserve(int64_t count) except NULL:
    cdef void *parts = malloc((count + 1) * sizeof(kl_norm_part))
    if parts is NULL:
        raise MemoryError(f"norm: no memory for {count} tensors")
    return <kl_norm_part *> parts


cdef double measure(kl_norm_part *parts, int64_t count, double p) except? -1:
    cdef const kl_runtime *rt = runtime()
    cdef int term = term_of(p), status
    cdef double result = 0
    cdef int64_t i, nbytes = 0, size = 0
    cdef kl_op profiled
    if rt.begin is not NULL:
        for i in range(count):
            size += parts[i].size
            nbytes += parts[i].size * (kl_itemsize(parts[i].dtype)
                                       if parts[i].storage == KL_STORAGE_plain else 2)
        rt.begin(&profiled)
    with nogil:
        status = kl_norm(rt, term, p, parts, count, &result)
    free(parts)
    if rt.begin is not NULL:
        end_op(&profiled, "norm", nbytes, 2 * size)
    check(status, "norm")
    return result
