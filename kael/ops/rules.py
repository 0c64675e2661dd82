"""What the rules of elementwise.py are made of: promotion, recording, and the in-place forms."""

import math
from numbers import Integral, Real

from kael._kernels import elementwise as kernels
from kael._kernels import graph
from kael._kernels import rules as plain
from kael._kernels.numbers import number
from kael._kernels.tensor import TensorBase, alias, require_tensor
from kael.autograd import needs_grad, record
from kael.dtypes import bool_, default_of, float32, float64, int64, integer_range, promote
from kael.ops import docstrings
from kael.ops.conversion import clone
from kael.ops.shape import unbroadcast

__all__ = [
    "BINARY", "FLOAT", "FLOAT_TEST", "METHODS", "SAME", "TEST", "UNARY", "binary", "common_dtype",
    "in_place", "kernel_gradient", "tensor_of", "unary",
]  # fmt: skip

# What an operation works in: the promoted dtype, or that but at least float32. A TEST gives bool.
SAME, FLOAT, TEST, FLOAT_TEST = "same", "float", "test", "float test"

UNARY = {}  # name: Rule
BINARY = {}
METHODS = {}  # name: function, for class Tensor

# The least integer that rounds to no finite double: half a step beyond the greatest.
BEYOND_DOUBLE = (1 << 1024) - (1 << 970)

# These may end in the middle: integers refuse a divisor of zero where it stands.
MAY_STOP = ("floor_divide", "remainder")


class Rule:
    """One operation.

    Attributes
    ----------
    name : str
        Of the kernel, the function and the method.
    code : int
        Number of the kernel.
    works_in : str
        SAME, FLOAT, TEST or FLOAT_TEST.
    gradients : tuple of callable
        One per operand: its gradient from the gradient of the output, the operands and the output.
        Empty when the result does not depend on the operands smoothly.
    reads : str
        Which of ``a``, ``b`` (operands) and ``y`` (output) the gradients read; the others are
        passed as None, so that their memory is free once the operation is done.
    """

    __slots__ = ("code", "gradients", "name", "reads", "works_in")

    def __init__(self, name, code, works_in, gradients, reads):
        self.name = name
        self.code = code
        self.works_in = works_in
        self.gradients = gradients
        self.reads = reads

    def kept(self, letter, x):
        """x as the gradients get it: outside of its graph, or None."""
        return alias(x) if letter in self.reads else None

    def working(self, dtype):
        """The dtype of the kernel for operands that promote to ``dtype``."""
        if dtype.is_floating_point or self.works_in in (SAME, TEST):
            return dtype
        return float32


# ---- operands ----


def tensor_of(dtype, x):
    """x, a tensor or a number, as a tensor of the dtype."""
    if not isinstance(x, TensorBase):
        return number(x, dtype.code)
    return x if x.dtype is dtype else kernels.convert(x, dtype.code)


def common_dtype(op, *operands):
    """The dtype that operands promote to; numbers are weak: they only raise the category."""
    dtype, weak = None, bool_
    for at, x in enumerate(operands, 1):
        if isinstance(x, TensorBase):
            dtype = x.dtype if dtype is None else promote(dtype, x.dtype)
        elif isinstance(x, bool):
            continue
        elif isinstance(x, (int, float, Real)):  # NumPy's scalars, too
            weak = promote(weak, default_of(int if isinstance(x, (int, Integral)) else float))
        else:
            raise TypeError(
                f"{op}: operand {at} must be a Tensor or a number, got {type(x).__name__}"
            )
    if dtype is None:
        raise TypeError(f"{op}: at least one operand must be a Tensor")
    return weak if _category(weak) > _category(dtype) else dtype


def _category(dtype):
    """0 for bool, 1 for integers, 2 for floats."""
    return 2 if dtype.is_floating_point else int(dtype is not bool_)


def _tensors(operands):
    """The operands with None in place of numbers."""
    return tuple(x if isinstance(x, TensorBase) else None for x in operands)


# ---- making a rule ----


def unary(name, works_in, doc, gradient=None, reads=""):
    """Registers an operation on one tensor; ``gradient(g, a, y)``. Returns its function."""
    gradients = () if gradient is None else (gradient,)
    rule = UNARY[name] = Rule(name, kernels.UNARY[name], works_in, gradients, reads)
    function = plain.unary(rule, lambda x: _apply_unary(rule, x))
    return _publish(rule, function, _apply_unary, doc)


def binary(name, works_in, doc, gradient_a=None, gradient_b=None, reads=""):
    """Registers an operation on two operands; ``gradient(g, a, b, y)``. Returns its function."""
    gradients = () if gradient_a is None else (gradient_a, gradient_b)
    rule = BINARY[name] = Rule(name, kernels.BINARY[name], works_in, gradients, reads)
    function = plain.binary(rule, lambda a, b: _apply_binary(rule, a, b), unbroadcast)
    return _publish(rule, function, _apply_binary, doc)


def kernel_gradient(name, reads):
    """A unary gradient that is one kernel of binary.def, from g and the operand or the output."""
    code = kernels.BINARY[name]
    if reads == "a":
        return lambda g, a, y: kernels.binary(code, g, a)
    return lambda g, a, y: kernels.binary(code, g, y)


def _publish(rule, function, apply, doc):
    function.__name__ = function.__qualname__ = rule.name
    function.__module__ = "kael"
    count = 1 if rule is UNARY.get(rule.name) else 2
    function.__doc__ = docstrings.described(doc, count, rule.works_in)
    METHODS[rule.name] = function
    if rule.works_in in (SAME, FLOAT):
        METHODS[rule.name + "_"] = in_place(function, rule, apply)
    return function


# ---- applying it ----


def _apply_unary(rule, x, out=None):
    require_tensor(rule.name, x)
    a = tensor_of(rule.working(x.dtype), x)
    result = kernels.unary(rule.code, a, out)
    if out is not None or not rule.gradients or not needs_grad(x):
        return result
    slope, dtype = rule.gradients[0], x.dtype
    kept = rule.kept("a", a), rule.kept("y", result)
    saved = tuple(t for t in kept if t is not None)
    return record(rule.name, result, (x,), lambda g: (slope(g, *kept).to(dtype),), saved)


def _apply_binary(rule, a, b, out=None):
    dtype = rule.working(common_dtype(rule.name, a, b))
    if rule.works_in == TEST:
        dtype, a, b = _testable(dtype, a, b)
    x, y = tensor_of(dtype, a), tensor_of(dtype, b)
    result = kernels.binary(rule.code, x, y, out)
    if out is not None or not rule.gradients:
        return result
    inputs = _tensors((a, b))
    return _record_binary(rule, inputs, x, y, result) if needs_grad(*inputs) else result


def _testable(dtype, a, b):
    """The dtype and operands of a test: any Python integer can be compared with any tensor.

    One that the integers' dtype does not hold takes the test to int64; one beyond that, or beyond
    double for floats, is an infinity, which orders the same.
    """
    outside = [n for n in (a, b) if isinstance(n, int) and not _holds(dtype, n)]
    if not outside:
        return dtype, a, b
    if not dtype.is_floating_point and _holds(int64, outside[0]):
        return int64, a, b
    infinity = math.inf if outside[0] > 0 else -math.inf
    dtype = dtype if dtype.is_floating_point else float64
    return dtype, *(infinity if isinstance(n, int) else n for n in (a, b))


def _holds(dtype, n):
    if dtype is bool_:
        return True
    if dtype.is_floating_point:
        return abs(n) < BEYOND_DOUBLE
    least, greatest = integer_range(dtype)
    return least <= n <= greatest


def _record_binary(rule, inputs, a, b, result):
    kept = rule.kept("a", a), rule.kept("b", b), rule.kept("y", result)
    wanted = [
        (slope, t.shape, t.dtype) if t is not None and t.requires_grad else None
        for slope, t in zip(rule.gradients, inputs, strict=True)
    ]

    def gradient(g):
        return tuple(
            want and unbroadcast(want[0](g, *kept), want[1]).to(want[2]) for want in wanted
        )

    saved = tuple(t for t in kept if t is not None)
    return record(rule.name, result, inputs, gradient, saved)


def in_place(function, rule=None, apply=None):
    """The form of an operation that writes its result into its first operand and returns that.

    The result must fit: its shape is the operand's, and its category (bool, integer, float) is not
    above the operand's; RuntimeError otherwise, and for a leaf that requires grad.
    """
    name = function.__name__ + "_"

    def method(x, *args, **kwargs):
        require_tensor(name, x)
        recorded = needs_grad(x, *_tensors(args))
        if recorded:
            graph.begin_in_place(x, name)
        elif rule is not None and _fits_directly(rule, x, args):
            return apply(rule, x, *args, out=x)
        # Gradients that read the old x get a copy of it, which also takes over its history.
        old = clone(x) if recorded else x
        out = function(old, *(old if t is x else t for t in args), **kwargs)
        _check_fits(name, out, x)
        kernels.copy_(x, out)
        if recorded:
            graph.adopt(x, out if out.dtype is x.dtype else out.to(x.dtype))
        return x

    method.__name__ = method.__qualname__ = name
    method.__wrapped__ = function  # its signature
    method.__doc__ = docstrings.of_in_place(function)
    return method


def _fits_directly(rule, x, args):
    """Whether the kernel can write its result into x: in the dtype and the shape of x."""
    if any(isinstance(t, TensorBase) and not _broadcasts(t.shape, x.shape) for t in args):
        return False
    if rule.name in MAY_STOP and not x.dtype.is_floating_point:
        return False  # an operation that is refused leaves its operand whole
    return rule.working(common_dtype(rule.name, x, *args)) is x.dtype


def _broadcasts(shape, whole):
    missing = len(whole) - len(shape)
    return missing >= 0 and all(n in (1, m) for n, m in zip(shape, whole[missing:], strict=True))


def _check_fits(name, out, x):
    if out.shape != x.shape:
        raise RuntimeError(
            f"{name}: the result's shape {out.shape} is not the tensor's shape {x.shape}"
        )
    if _category(out.dtype) > _category(x.dtype):
        raise RuntimeError(
            f"{name}: the result has dtype {out.dtype.name}, which does not go into {x.dtype.name}"
        )
