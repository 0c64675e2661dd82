"""The number slots of kael.Tensor: a fast path for plain operands, kael.ops for everything else."""

from kael._kernels.tensor cimport TensorBase, kl_is_float

from kael._kernels.tensor import number

cdef object elementwise = None


cdef object operation(str name):
    """The function of kael.ops.elementwise; imported late, for it needs this module's tensors."""
    global elementwise
    if elementwise is None:
        from kael.ops import elementwise
    return getattr(elementwise, name)


cdef object operand(object other):
    """What kael.ops takes for the other side of an operator; NotImplemented for unknown kinds."""
    if isinstance(other, (TensorBase, int, float)):
        return other
    if hasattr(other, "__array_interface__"):
        from kael.interop import from_data
        return other.item() if other.shape == () else from_data(other, copy=False)
    return NotImplemented


cdef object binary(str name, object a, object b):
    a = operand(a)
    b = operand(b)
    if a is NotImplemented or b is NotImplemented:
        return NotImplemented
    return operation(name)(a, b)


cdef object in_place(str name, TensorBase self, object other):
    other = operand(other)
    if other is NotImplemented:
        return NotImplemented
    from kael.ops.conversion import in_place
    return in_place(name, operation(name), self, other)


cdef class Operators(TensorBase):
    # NumPy leaves operators with a tensor to us (ndarray + tensor, np.float32(2) * tensor).
    __array_ufunc__ = None
    __array_priority__ = 1000

    def __add__(self, other):
        return binary("add", self, other)

    def __radd__(self, other):
        return binary("add", other, self)

    def __iadd__(self, other):
        return in_place("add", self, other)

    def __sub__(self, other):
        return binary("sub", self, other)

    def __rsub__(self, other):
        return binary("sub", other, self)

    def __isub__(self, other):
        return in_place("sub", self, other)

    def __mul__(self, other):
        return binary("mul", self, other)

    def __rmul__(self, other):
        return binary("mul", other, self)

    def __imul__(self, other):
        return in_place("mul", self, other)

    def __truediv__(self, other):
        return binary("div", self, other)

    def __rtruediv__(self, other):
        return binary("div", other, self)

    def __itruediv__(self, other):
        return in_place("div", self, other)

    def __floordiv__(self, other):
        return binary("floor_divide", self, other)

    def __rfloordiv__(self, other):
        return binary("floor_divide", other, self)

    def __ifloordiv__(self, other):
        return in_place("floor_divide", self, other)

    def __mod__(self, other):
        return binary("remainder", self, other)

    def __rmod__(self, other):
        return binary("remainder", other, self)

    def __imod__(self, other):
        return in_place("remainder", self, other)

    def __pow__(self, other, modulo):
        if modulo is not None:
            return NotImplemented
        return binary("pow", self, other)

    def __rpow__(self, other, modulo):
        return binary("pow", other, self)

    def __ipow__(self, other):
        return in_place("pow", self, other)

    def __matmul__(self, other):
        return matmul(self, other)

    def __rmatmul__(self, other):
        return matmul(other, self)

    def __neg__(self):
        return operation("neg")(self)

    def __pos__(self):
        return self

    def __abs__(self):
        return operation("abs")(self)

    def __eq__(self, other):
        return binary("eq", self, other)

    def __ne__(self, other):
        return binary("ne", self, other)

    def __lt__(self, other):
        return binary("lt", self, other)

    def __le__(self, other):
        return binary("le", self, other)

    def __gt__(self, other):
        return binary("gt", self, other)

    def __ge__(self, other):
        return binary("ge", self, other)

    def __hash__(self):
        return object.__hash__(self)

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

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.shape_[0]

    def __getitem__(self, index):
        from kael.ops.indexing import getitem
        return getitem(self, index)

    def __setitem__(self, index, value):
        from kael.ops.indexing import setitem
        setitem(self, index, value)


cdef object matmul(object a, object b):
    a = operand(a)
    b = operand(b)
    if not isinstance(a, TensorBase) or not isinstance(b, TensorBase):
        return NotImplemented
    from kael.ops.matmul import matmul
    return matmul(a, b)
