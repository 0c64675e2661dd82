"""The plain case of the rules of kael.ops.elementwise: operands of one dtype that the kernel takes
as they are. Every other case is the rule's general function, in ops/rules.py."""

from kael._kernels.elementwise cimport (
    KL_BINARY_maximum, KL_BINARY_minimum, binary_op, unary_op,
)
from kael._kernels.graph cimport record_op, wants_grad
from kael._kernels.numbers cimport number_beside
from kael._kernels.tensor cimport TensorBase, kl_is_float, new_view, same_shape

from kael._kernels.elementwise import clamp as clamp_kernel


cdef class UnaryGradient:
    """Calls ``slope(g, a, y)`` with what the rule reads of operand and output."""
    cdef object slope
    cdef TensorBase a, y

    def __call__(self, g):
        return (self.slope(g, self.a, self.y),)


cdef class BinaryGradient:
    """Calls the slopes that are wanted, once if they are one function, and sums over what
    broadcasting repeated."""
    cdef object slope_a, slope_b, unbroadcast
    cdef TensorBase a, b, y
    cdef tuple shape_a, shape_b      # None where the operand has the output's shape

    def __call__(self, g):
        whole = part_a = part_b = None
        if self.slope_a is not None:
            whole = part_a = self.slope_a(g, self.a, self.b, self.y)
            if self.shape_a is not None:
                part_a = self.unbroadcast(part_a, self.shape_a)
        if self.slope_b is not None:
            part_b = whole
            if self.slope_b is not self.slope_a:
                part_b = self.slope_b(g, self.a, self.b, self.y)
            if self.shape_b is not None:
                part_b = self.unbroadcast(part_b, self.shape_b)
        return part_a, part_b


cdef TensorBase outside(TensorBase y):
    """The output without its graph: kept by its own gradient, it would be a cycle."""
    return new_view(y, y.data, y.ndim, y.shape_, y.strides_)


cdef tuple present(TensorBase a, TensorBase b, TensorBase y):
    """Those of the three that a gradient keeps."""
    if y is None:
        if b is None:
            return () if a is None else (a,)
        return (b,) if a is None else (a, b)
    return tuple([x for x in (a, b, y) if x is not None])


def unary(rule, general):
    """The function of a rule of one operand; ``general`` does what is not plain."""
    cdef int op = rule.code
    cdef bint floats_only = rule.works_in.startswith("float")
    cdef str name = rule.name
    cdef object slope = rule.gradients[0] if rule.gradients else None
    cdef bint reads_a = "a" in rule.reads, reads_y = "y" in rule.reads

    def function(x):
        cdef TensorBase a, out
        cdef UnaryGradient gradient
        if not isinstance(x, TensorBase):
            return general(x)
        a = <TensorBase> x
        if floats_only and not kl_is_float(a.dtype):
            return general(x)
        out = unary_op(op, a, None)
        if slope is None or not wants_grad(a):
            return out
        gradient = UnaryGradient.__new__(UnaryGradient)
        gradient.slope = slope
        gradient.a = a if reads_a else None
        gradient.y = outside(out) if reads_y else None
        return record_op(name, out, (a,), gradient, present(gradient.a, None, gradient.y))

    return function


cdef TensorBase operand(object x, object other):
    """x as a tensor of the dtype of the other operand; None when that takes a conversion."""
    return <TensorBase> x if isinstance(x, TensorBase) else number_beside(x, other)


def binary(rule, general, unbroadcast):
    """The function of a rule of two operands; ``general`` does what is not plain."""
    cdef int op = rule.code
    cdef bint floats_only = rule.works_in.startswith("float")
    cdef str name = rule.name
    cdef tuple slopes = rule.gradients if rule.gradients else None
    cdef bint reads_a = "a" in rule.reads, reads_b = "b" in rule.reads
    cdef bint reads_y = "y" in rule.reads

    def function(a, b):
        cdef TensorBase x = operand(a, b), y = operand(b, a), out
        cdef BinaryGradient gradient
        if x is None or y is None or x.dtype != y.dtype or (
                floats_only and not kl_is_float(x.dtype)):
            return general(a, b)
        out = binary_op(op, x, y, None)
        if slopes is None or not (wants_grad(x) or wants_grad(y)):
            return out
        gradient = BinaryGradient.__new__(BinaryGradient)
        gradient.slope_a = slopes[0] if x.requires_grad_flag else None
        gradient.slope_b = slopes[1] if y.requires_grad_flag else None
        gradient.shape_a = None if same_shape(x, out) else x.shape
        gradient.shape_b = None if same_shape(y, out) else y.shape
        gradient.unbroadcast = unbroadcast
        gradient.a = x if reads_a else None
        gradient.b = y if reads_b else None
        gradient.y = outside(out) if reads_y else None
        return record_op(name, out, (x, y), gradient, present(gradient.a, gradient.b, gradient.y))

    return function


def clamp(x, low, high):
    """clamp of a tensor of floats outside of graphs to plain numbers, of which one may be None;
    None where that takes more."""
    cdef TensorBase a, least, most
    if not isinstance(x, TensorBase) or wants_grad(<TensorBase> x):
        return None
    a = <TensorBase> x
    least = number_beside(low, a)
    most = number_beside(high, a)
    if least is not None and most is not None:
        return clamp_kernel(a, least, most)
    if least is not None and high is None:
        return binary_op(KL_BINARY_maximum, a, least, None)
    if most is not None and low is None:
        return binary_op(KL_BINARY_minimum, a, most, None)
    return None
