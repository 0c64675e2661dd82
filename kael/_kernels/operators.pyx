# cython: binding=False, embedsignature.format=clinic
"""The number slots of kael.Tensor: a fast path for plain operands, kael.ops for everything else."""

from cpython.long cimport PyLong_CheckExact
from libc.stdint cimport int64_t, uint32_t

from kael._kernels.elementwise cimport (
    KL_BINARY_add, KL_BINARY_div, KL_BINARY_eq, KL_BINARY_ge, KL_BINARY_gt, KL_BINARY_le,
    KL_BINARY_lt, KL_BINARY_mul, KL_BINARY_ne, KL_BINARY_sub, KL_UNARY_relu, binary_op, unary_op,
)
from kael._kernels.graph cimport record_op, wants_grad
from kael._kernels.indexing cimport rows_at
from kael._kernels.matmul cimport matmul_op
from kael._kernels.numbers cimport Numbers, number_beside
from kael._kernels.reduce cimport dims_mask, keeps_dims, reduce_op
from kael._kernels.rows cimport row_op
from kael._kernels.runtime cimport grad_enabled
from kael._kernels.tensor cimport (
    KL_DTYPE_bool, KL_DTYPE_f32, KL_DTYPE_u8, KL_MAX_DIMS, TensorBase, new_view, same_shape,
    wrap_dim,
)
from kael._kernels.views cimport index_view, reshape_view, transpose_view

from kael._kernels.reduce import REDUCTIONS
from kael._kernels.rows import ROWS

cdef int SUM = REDUCTIONS["sum"]
cdef int SOFTMAX = ROWS["softmax"]

# Modules of kael.ops, named by register_ops: they are imported after this one.
cdef object elementwise, indexing, matrices, reductions, rows, shapes
cdef dict in_place_forms


def register_ops(ops):
    """Names the modules that do what the fast paths do not; kael.tensor calls it once."""
    global elementwise, in_place_forms, indexing, matrices, reductions, rows, shapes
    elementwise = ops.elementwise
    in_place_forms = ops.elementwise.METHODS
    indexing = ops.indexing
    matrices = ops.matmul
    reductions = ops.reduce
    rows = ops.rows
    shapes = ops.shape


cdef object operand(object other):
    """What kael.ops takes for the other side of an operator; NotImplemented for unknown kinds."""
    if isinstance(other, (TensorBase, int, float)):
        return other
    if hasattr(other, "__array_interface__"):
        from kael.interop import from_data
        return other.item() if other.shape == () else from_data(other, copy=False)
    return NotImplemented


cdef object general(str name, object a, object b):
    """An operator by kael.ops: promotion, broadcasting of scalars, recording."""
    a = operand(a)
    b = operand(b)
    if a is NotImplemented or b is NotImplemented:
        return NotImplemented
    return getattr(elementwise, name)(a, b)


cdef inline TensorBase plain(object x, object other):
    """x as a tensor of the dtype of the other operand; None when that takes more than reading a
    Python number, or when x requires grad."""
    if isinstance(x, TensorBase):
        return None if (<TensorBase> x).requires_grad_flag and grad_enabled() else <TensorBase> x
    return number_beside(x, other)


cdef inline object binary(int op, str name, object a, object b, int least):
    """The kernel at once for operands of one dtype, not below `least`, outside of graphs."""
    cdef TensorBase x = plain(a, b), y
    if x is not None:
        y = plain(b, a)
        if y is not None and x.dtype == y.dtype and x.dtype >= least:
            return binary_op(op, x, y, None)
    return general(name, a, b)


cdef inline object in_place_binary(int op, str name, TensorBase x, object b, int least):
    """The same, written into x, when b has its shape or is one number."""
    cdef TensorBase y
    if x.dtype >= least and not wants_grad(x):
        y = plain(b, x)
        if y is not None and x.dtype == y.dtype and (y.ndim == 0 or same_shape(x, y)):
            return binary_op(op, x, y, x)
    return in_place(name, x, b)


cdef object in_place(str name, object self, object other):
    # Not NotImplemented: a heap type's += ends in its sequence slot, which is this very function.
    value = operand(other)
    if value is NotImplemented:
        raise TypeError(
            f"{name}: operand 2 must be a Tensor or a number, got {type(other).__name__}")
    return in_place_forms[name](self, value)


cdef class Operators(Numbers):
    # NumPy leaves operators with a tensor to us (ndarray + tensor, np.float32(2) * tensor).
    __array_ufunc__ = None
    __array_priority__ = 1000

    def __add__(self, other):
        return binary(KL_BINARY_add, "add", self, other, KL_DTYPE_u8)

    def __radd__(self, other):
        return binary(KL_BINARY_add, "add", other, self, KL_DTYPE_u8)

    def __iadd__(self, other):
        return in_place_binary(KL_BINARY_add, "add_", self, other, KL_DTYPE_u8)

    def __sub__(self, other):
        return binary(KL_BINARY_sub, "sub", self, other, KL_DTYPE_u8)

    def __rsub__(self, other):
        return binary(KL_BINARY_sub, "sub", other, self, KL_DTYPE_u8)

    def __isub__(self, other):
        return in_place_binary(KL_BINARY_sub, "sub_", self, other, KL_DTYPE_u8)

    def __mul__(self, other):
        return binary(KL_BINARY_mul, "mul", self, other, KL_DTYPE_u8)

    def __rmul__(self, other):
        return binary(KL_BINARY_mul, "mul", other, self, KL_DTYPE_u8)

    def __imul__(self, other):
        return in_place_binary(KL_BINARY_mul, "mul_", self, other, KL_DTYPE_u8)

    def __truediv__(self, other):
        return binary(KL_BINARY_div, "div", self, other, KL_DTYPE_f32)

    def __rtruediv__(self, other):
        return binary(KL_BINARY_div, "div", other, self, KL_DTYPE_f32)

    def __itruediv__(self, other):
        return in_place_binary(KL_BINARY_div, "div_", self, other, KL_DTYPE_f32)

    def __floordiv__(self, other):
        return general("floor_divide", self, other)

    def __rfloordiv__(self, other):
        return general("floor_divide", other, self)

    def __ifloordiv__(self, other):
        return in_place("floor_divide_", self, other)

    def __mod__(self, other):
        return general("remainder", self, other)

    def __rmod__(self, other):
        return general("remainder", other, self)

    def __imod__(self, other):
        return in_place("remainder_", self, other)

    def __pow__(self, other, modulo):
        if modulo is not None:
            return NotImplemented
        return general("pow", self, other)

    def __rpow__(self, other, modulo):
        return general("pow", other, self)

    def __ipow__(self, other):
        return in_place("pow_", self, other)

    def __and__(self, other):
        return general("bitwise_and", self, other)

    def __rand__(self, other):
        return general("bitwise_and", other, self)

    def __iand__(self, other):
        return in_place("bitwise_and_", self, other)

    def __or__(self, other):
        return general("bitwise_or", self, other)

    def __ror__(self, other):
        return general("bitwise_or", other, self)

    def __ior__(self, other):
        return in_place("bitwise_or_", self, other)

    def __xor__(self, other):
        return general("bitwise_xor", self, other)

    def __rxor__(self, other):
        return general("bitwise_xor", other, self)

    def __ixor__(self, other):
        return in_place("bitwise_xor_", self, other)

    def __invert__(self):
        if self.dtype == KL_DTYPE_bool:
            return elementwise.logical_not(self)
        return elementwise.bitwise_not(self)

    def __matmul__(self, other):
        return matmul(self, other)

    def __rmatmul__(self, other):
        return matmul(other, self)

    def __neg__(self):
        return elementwise.neg(self)

    def __pos__(self):
        return self

    def __abs__(self):
        return elementwise.abs(self)

    def __eq__(self, other):
        return binary(KL_BINARY_eq, "eq", self, other, KL_DTYPE_bool)

    def __ne__(self, other):
        return binary(KL_BINARY_ne, "ne", self, other, KL_DTYPE_bool)

    def __lt__(self, other):
        return binary(KL_BINARY_lt, "lt", self, other, KL_DTYPE_bool)

    def __le__(self, other):
        return binary(KL_BINARY_le, "le", self, other, KL_DTYPE_bool)

    def __gt__(self, other):
        return binary(KL_BINARY_gt, "gt", self, other, KL_DTYPE_bool)

    def __ge__(self, other):
        return binary(KL_BINARY_ge, "ge", self, other, KL_DTYPE_bool)

    def __hash__(self):
        return <Py_hash_t> (<size_t> <void *> self >> 4)  # of the object, as it is compared

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.shape_[0]

    def __getitem__(self, index):
        cdef TensorBase out
        if not wants_grad(self):
            if isinstance(index, TensorBase) and (<TensorBase> index).ndim > 0:
                out = rows_at(self, <TensorBase> index)
            else:
                out = index_view(self, index)
            if out is not None:
                return out
        return indexing.getitem(self, index)

    def __setitem__(self, index, value):
        indexing.setitem(self, index, value)

    # The rest is what a loop calls most; each does one plain case at once and has its meaning, its
    # documentation and every other case in kael.ops.

    def reshape(self, *shape):
        """See :func:`kael.reshape`."""
        cdef TensorBase out
        if not wants_grad(self):
            out = reshape_view(self, sizes_of(shape), "reshape")
            if out is not None:
                return out
        return shapes.reshape(self, *shape)

    def transpose(self, dim0, dim1):
        """See :func:`kael.transpose`."""
        if wants_grad(self):
            return shapes.transpose(self, dim0, dim1)
        return transpose_view(self, wrap_dim(dim0, self.ndim, "transpose"),
                              wrap_dim(dim1, self.ndim, "transpose"))

    @property
    def T(self):
        """The view with all dims in reverse order."""
        if self.ndim == 2:
            return self.transpose(0, 1)
        return shapes.permute(self, *range(self.ndim - 1, -1, -1))

    @property
    def mT(self):
        """The view with the last two dims exchanged."""
        return self.transpose(-2, -1)

    def relu(self):
        """See :func:`kael.relu`."""
        if wants_grad(self):
            return elementwise.relu(self)
        return unary_op(KL_UNARY_relu, self, None)

    def sum(self, dim=None, keepdim=False, *, dtype=None):
        """See :func:`kael.sum`."""
        cdef TensorBase out
        cdef int64_t mask
        cdef bint kept
        if dtype is not None:
            return reductions.sum(self, dim, keepdim, dtype=dtype)
        mask = dims_mask(self, dim, "sum")
        kept = keeps_dims("sum", keepdim)
        out = reduce_op("sum", SUM, self, <uint32_t> mask, kept, -1, 0.0)
        if not wants_grad(self):
            return out
        return record_op("sum", out, (self,), spread_over(self, mask, kept), ())

    def softmax(self, dim=-1, dtype=None):
        """See :func:`kael.softmax`."""
        if dtype is not None or wants_grad(self):
            return rows.softmax(self, dim, dtype)
        return row_op(SOFTMAX, self, None, wrap_dim(dim, self.ndim, "softmax"))


cdef class Spread:
    """The gradient of a sum: that of the output, seen by every element that went into it."""
    cdef int ndim
    cdef bint keepdim
    cdef int64_t mask
    cdef int64_t shape[KL_MAX_DIMS]

    def __call__(self, TensorBase g not None):
        cdef int64_t strides[KL_MAX_DIMS]
        cdef int d, at = 0
        for d in range(self.ndim):
            strides[d] = 0
            if not self.mask >> d & 1:
                if at >= g.ndim or g.shape_[at] != self.shape[d]:
                    break
                strides[d] = g.strides_[at]
            elif not self.keepdim:
                continue
            at += 1
        else:
            if at == g.ndim:
                return (new_view(g, g.data, self.ndim, self.shape, strides),)
        raise RuntimeError(f"sum: a gradient of shape {g.shape} is not that of the output")


cdef Spread spread_over(TensorBase x, int64_t mask, bint keepdim):
    cdef Spread self = Spread.__new__(Spread)
    cdef int d
    self.ndim = x.ndim
    self.keepdim = keepdim
    self.mask = mask
    for d in range(x.ndim):
        self.shape[d] = x.shape_[d]
    return self


cdef inline object sizes_of(tuple shape):
    """The sizes of ``f(2, 3)`` or ``f((2, 3))``."""
    return shape[0] if len(shape) == 1 and not PyLong_CheckExact(shape[0]) else shape


cdef object matmul(object a, object b):
    cdef TensorBase x, y
    if isinstance(a, TensorBase) and isinstance(b, TensorBase):
        x = <TensorBase> a
        y = <TensorBase> b
        if x.ndim > 1 and y.ndim > 1 and not wants_grad(x) and not wants_grad(y):
            return matmul_op("matmul", x, y, None)
    a = operand(a)
    b = operand(b)
    if not isinstance(a, TensorBase) or not isinstance(b, TensorBase):
        return NotImplemented
    return matrices.matmul(a, b)
