"""Elements as Python numbers, and back."""
from kael._kernels.tensor cimport TensorBase

# The element of enum kl_dtype `dtype` that lies at any address.
cdef object element(const char *at, int dtype)

# The elements of the dims from d on, `at` being the first: nested lists, a number behind the last.
cdef object nested_list(TensorBase self, const char *at, int d)

# A fresh 0-d tensor that holds a Python number; OverflowError when an integer does not fit.
cdef TensorBase new_number(int dtype, object value)

# x as a tensor of the dtype of a tensor of floats; None for other kinds, and other operands.
cdef TensorBase number_beside(object x, object other)

# A tensor that Python can read as a number: item, tolist and the conversions.
cdef class Numbers(TensorBase):
    pass
