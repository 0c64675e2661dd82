"""Elements as Python numbers."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from kael._kernels.tensor cimport (
    KL_DTYPE_f32, KL_DTYPE_f64, KL_DTYPE_i32, KL_DTYPE_i64, KL_DTYPE_u8, TensorBase, kl_itemsize,
)


cdef object element(const char *at, int dtype):
    cdef int32_t i32
    cdef int64_t i64
    cdef float f32
    cdef double f64
    # memcpy: the memory may come from outside and be misaligned.
    if dtype == KL_DTYPE_f32:
        memcpy(&f32, at, 4)
        return f32
    if dtype == KL_DTYPE_f64:
        memcpy(&f64, at, 8)
        return f64
    if dtype == KL_DTYPE_i64:
        memcpy(&i64, at, 8)
        return i64
    if dtype == KL_DTYPE_i32:
        memcpy(&i32, at, 4)
        return i32
    if dtype == KL_DTYPE_u8:
        return (<const uint8_t *> at)[0]
    return at[0] != 0


cdef object nested_list(TensorBase self, const char *at, int d):
    cdef int64_t i, step
    if d == self.ndim:
        return element(at, self.dtype)
    step = self.strides_[d] * kl_itemsize(self.dtype)
    return [nested_list(self, at + i * step, d + 1) for i in range(self.shape_[d])]
