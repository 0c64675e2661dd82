"""Tensors made from numbers alone: zeros, evenly spaced values and the identity."""

from libc.math cimport ceil, isinf
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from kael._kernels.tensor cimport (
    KL_DTYPE_f32, KL_DTYPE_i32, KL_DTYPE_i64, KL_DTYPE_u8, KL_MAX_DIMS, TensorBase, kl_itemsize,
    new_tensor, read_shape,
)


def zeros(sizes, int code):
    """A fresh tensor of zeros: all bits are zero in each dtype."""
    cdef int64_t shape[KL_MAX_DIMS]
    cdef int ndim = read_shape(sizes, shape, "zeros")
    cdef TensorBase self = new_tensor(code, ndim, shape)
    cdef char *data = self.data
    cdef size_t nbytes = <size_t> (self.size * kl_itemsize(code))
    if nbytes > 0:
        with nogil:
            memset(data, 0, nbytes)
    return self


cdef void steps_float(TensorBase out, double start, double step) noexcept nogil:
    """start + i * step in double, rounded once."""
    cdef int64_t i
    if out.dtype == KL_DTYPE_f32:
        for i in range(out.size):
            (<float *> out.data)[i] = <float> (start + i * step)
    else:
        for i in range(out.size):
            (<double *> out.data)[i] = start + i * step


cdef void steps_integer(TensorBase out, int64_t start, int64_t step) noexcept nogil:
    cdef int64_t i
    # Unsigned: the value one step behind the last would be allowed to wrap.
    cdef unsigned long long value = <unsigned long long> start
    for i in range(out.size):
        if out.dtype == KL_DTYPE_i64:
            (<int64_t *> out.data)[i] = <int64_t> value
        elif out.dtype == KL_DTYPE_i32:
            (<int32_t *> out.data)[i] = <int32_t> value
        else:
            (<uint8_t *> out.data)[i] = <uint8_t> value
        value += <unsigned long long> step


def arange_float(double start, double stop, double step, int code):
    """start, start + step, ... up to but without stop."""
    cdef double count = ceil((stop - start) / step)
    cdef int64_t size
    if not count < 4.6e18:
        raise ValueError(f"arange: from {start} to {stop} by {step} has no representable length")
    size = <int64_t> count if count > 0 else 0
    return floats(start, step, size, code)


def integers(int64_t start, int64_t step, int64_t size, int code):
    """``size`` integers from start on by step, all of which the dtype holds."""
    assert code in (KL_DTYPE_i64, KL_DTYPE_i32, KL_DTYPE_u8)
    cdef TensorBase out = new_tensor(code, 1, &size)
    with nogil:
        steps_integer(out, start, step)
    return out


def floats(double start, double step, int64_t size, int code):
    """``size`` values from start on by step."""
    cdef TensorBase out = new_tensor(code, 1, &size)
    with nogil:
        steps_float(out, start, step)
    return out


def linspace(double start, double stop, int64_t size, int code):
    """``size`` values from start to stop, both included."""
    cdef double step = 0.0
    if size > 1:
        step = (stop - start) / (size - 1)
        if isinf(step):  # the distance is beyond the range, though its parts are not
            step = stop / (size - 1) - start / (size - 1)
    cdef TensorBase out = floats(start, step, size, code)
    if size > 1 and code == KL_DTYPE_f32:
        (<float *> out.data)[size - 1] = <float> stop
    elif size > 1:
        (<double *> out.data)[size - 1] = stop
    return out
