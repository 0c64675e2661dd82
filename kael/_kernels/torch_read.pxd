from libc.stdint cimport int64_t

from kael._kernels.dlpack cimport Described
from kael._kernels.layout cimport kl_strided


ctypedef int (*describe_function)(void *tensor, Described *out) noexcept


cdef extern from "Python.h":
    ctypedef object (*getter_function "getter")(object owner, void *closure)
    ctypedef struct PyGetSetDef:
        getter_function get
        void *closure


# What a tensor is. Shape and strides belong to the tensor.
cdef struct Array:
    kl_strided layout
    int dtype            # that a rule computes in, f32 or f64
    int storage


cdef class Reader:
    cdef object torch              # kael.torch.tensors
    cdef object tensor_type
    cdef object parameter_type
    cdef str op
    cdef describe_function describe
    cdef object grad               # the descriptor of Tensor.grad
    cdef PyGetSetDef *grad_getter  # what it calls; NULL while somebody has put another in its place
    cdef list room                 # sizes and strides of tensors described by their attributes

    # Before each step that asks for gradients.
    cdef int begin(self) except -1
    cdef bint is_tensor(self, object thing) except -1
    # Fills a; returns t, or what stands for it: a real view of a complex tensor. TypeError where a
    # step cannot take it; `what` says among which tensors it is.
    cdef object take(self, object t, Array *a, str what)
    # Describes a CPU tensor of any dtype.
    cdef int look_at(self, object t, Described *d, str what) except -1
    cdef int look_slowly(self, object t, Described *d, str what) except -1


cdef inline object grad_of(Reader reader, object p):
    """p.grad"""
    if reader.grad_getter is NULL or not (
            type(p) is reader.tensor_type or type(p) is reader.parameter_type):
        return p.grad
    return reader.grad_getter.get(p, reader.grad_getter.closure)


cdef kl_strided layout_of(const Described *d) noexcept

# The dtype of a number of the state, -1 where it is none that a step can advance.
cdef int number_dtype(const Described *d) noexcept
