# cython: binding=False, embedsignature.format=clinic
"""Elements as Python numbers, and back; what a tensor of one element is to Python."""

from cpython.float cimport PyFloat_CheckExact
from cpython.long cimport PyLong_CheckExact
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from kael._kernels.tensor cimport (
    KL_DTYPE_bool, KL_DTYPE_f32, KL_DTYPE_f64, KL_DTYPE_i32, KL_DTYPE_i64, KL_DTYPE_u8,
    TensorBase, kl_is_float, kl_itemsize, new_tensor,
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


cdef TensorBase new_number(int dtype, object value):
    cdef TensorBase self = new_tensor(dtype, 0, NULL)
    cdef float f32
    cdef double f64
    if dtype == KL_DTYPE_f32:
        f64 = value
        f32 = <float> f64
        memcpy(self.data, &f32, 4)
    elif dtype == KL_DTYPE_f64:
        f64 = value
        memcpy(self.data, &f64, 8)
    elif dtype == KL_DTYPE_bool:
        self.data[0] = 1 if value else 0
    else:
        store_integer(self, value)
    return self


cdef int store_integer(TensorBase self, object value) except -1:
    """Writes a number, without its fraction, into an integer tensor of one element."""
    cdef int64_t i64 = 0
    cdef int32_t i32
    cdef bint fits = True
    try:
        i64 = int(value)
    except OverflowError:
        fits = False
    except ValueError:
        raise ValueError(f"{value} does not fit in {self.dtype_object.name}") from None
    i32 = <int32_t> i64
    if self.dtype == KL_DTYPE_i64:
        memcpy(self.data, &i64, 8)
    elif self.dtype == KL_DTYPE_i32:
        fits = fits and i32 == i64
        memcpy(self.data, &i32, 4)
    else:
        fits = fits and 0 <= i64 <= 255
        self.data[0] = <char> <uint8_t> i64
    if not fits:
        raise OverflowError(f"{value} does not fit in {self.dtype_object.name}")
    return 0


cdef TensorBase number_beside(object x, object other):
    if (isinstance(other, TensorBase) and kl_is_float((<TensorBase> other).dtype)
            and (PyFloat_CheckExact(x) or PyLong_CheckExact(x))):
        try:
            return new_number((<TensorBase> other).dtype, x)
        except OverflowError:  # an int beyond double, which a test takes all the same
            pass
    return None


def number(value, int code):
    """A fresh 0-d tensor that holds a Python number."""
    return new_number(code, value)


cdef class Numbers(TensorBase):
    def item(self):
        """The only element, as a Python number.

        Returns
        -------
        bool, int or float

        Raises
        ------
        RuntimeError
            If there is not exactly one.
        """
        if self.size != 1:
            raise RuntimeError(f"item: the tensor has {self.size} elements, not one")
        return element(self.data, self.dtype)

    def tolist(self):
        """The elements as Python numbers, in lists.

        Returns
        -------
        list, nested as deep as there are dims, or a number for a 0-d tensor
        """
        return nested_list(self, self.data, 0)

    def __bool__(self):
        if self.size != 1:
            raise RuntimeError(f"the truth value of {self.size} elements is ambiguous; "
                               "use any() or all()")
        return bool(self.item())

    def __int__(self):
        return int(self.item())

    def __float__(self):
        return float(self.item())

    def __index__(self):
        # TypeError, and no more than 0 dims: bytes(tensor) then goes on to the buffer protocol.
        if self.ndim != 0 or kl_is_float(self.dtype):
            raise TypeError("only a 0-d integer tensor can be an index, got shape "
                            f"{self.shape} and dtype {self.dtype_object.name}")
        return int(self.item())
