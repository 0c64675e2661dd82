"""Elementwise operations: one rule per operation, its forward meaning and its gradient adjacent.

A rule names a kernel (a line of ``unary.def`` or ``binary.def``), the dtype it works in, and its
gradient. Operands broadcast and promote (``bool < uint8 < int32 < int64 < float32 < float64``);
Python numbers are weak: they only raise the category. Every rule is a function here and, by
:data:`METHODS`, a method of Tensor; ``add_`` and the like write the result into their first
operand.
"""

from kael._kernels import elementwise as kernels
from kael._kernels import graph
from kael._kernels.tensor import TensorBase, alias, number
from kael.autograd import needs_grad, record
from kael.dtypes import bool_, default_of, float32, promote
from kael.ops.conversion import clone
from kael.ops.shape import unbroadcast

__all__ = ["clamp", "where"]  # and every rule, by _publish

# What an operation works in: the promoted dtype, or that but at least float32. A TEST gives bool.
SAME, FLOAT, TEST, FLOAT_TEST = "same", "float", "test", "float test"

UNARY = {}  # name: Rule
BINARY = {}
METHODS = {}  # name: function, for class Tensor


class Rule:
    """One operation.

    Attributes
    ----------
    name : str
        Of the kernel, the function and the method.
    works_in : str
        SAME, FLOAT, TEST or FLOAT_TEST.
    gradients : tuple of callable
        One per operand, from the gradient of the output and the operands and output named in
        ``reads``; empty when the result does not depend on the operands smoothly.
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
        """x as the gradients get it: without its graph, or None."""
        return alias(x) if letter in self.reads else None


def _tensor(op, x):
    if not isinstance(x, TensorBase):
        raise TypeError(f"{op}: expected a Tensor, got {type(x).__name__}")
    return x


def _in(dtype, x):
    """x, a tensor or a number, as a tensor of the dtype."""
    if not isinstance(x, TensorBase):
        return number(x, dtype.code)
    return x if x.dtype is dtype else kernels.convert(x, dtype.code)


def _common(op, *operands):
    """The dtype that operands promote to; numbers are weak, and there is at least one tensor."""
    dtype = None
    kinds = []
    for x in operands:
        if isinstance(x, TensorBase):
            dtype = x.dtype if dtype is None else promote(dtype, x.dtype)
        elif isinstance(x, (int, float)):
            kinds.append(bool_ if isinstance(x, bool) else default_of(_kind(x)))
        else:
            raise TypeError(f"{op}: expected a Tensor or a number, got {type(x).__name__}")
    if dtype is None:
        raise TypeError(f"{op}: at least one operand must be a Tensor")
    for weak in kinds:
        if _category(weak) > _category(dtype):
            dtype = weak
    return dtype


def _kind(x):
    return int if isinstance(x, int) else float


def _category(dtype):
    """0 for bool, 1 for integers, 2 for floats."""
    return 2 if dtype.is_floating_point else int(dtype is not bool_)


def _working(rule, dtype):
    if dtype.is_floating_point or rule.works_in in (SAME, TEST):
        return dtype
    return float32


# ---- one operand ----


def _apply_unary(rule, x, out=None):
    _tensor(rule.name, x)
    a = _in(_working(rule, x.dtype), x)
    result = kernels.unary(rule.code, a, out)
    if out is not None or not rule.gradients or not needs_grad(x):
        return result
    slope, dtype = rule.gradients[0], x.dtype
    kept_a, kept_y = rule.kept("a", a), rule.kept("y", result)
    saved = tuple(t for t in (kept_a, kept_y) if t is not None)
    return record(rule.name, result, (x,), lambda g: (slope(g, kept_a, kept_y).to(dtype),), saved)


def _unary(name, works_in, doc, gradient=None, reads=""):
    gradients = () if gradient is None else (gradient,)
    rule = UNARY[name] = Rule(name, kernels.UNARY[name], works_in, gradients, reads)

    def function(x):
        return _apply_unary(rule, x)

    return _publish(rule, function, doc)


# ---- two operands ----


def _apply_binary(rule, a, b, out=None):
    dtype = _working(rule, _common(rule.name, a, b))
    x, y = _in(dtype, a), _in(dtype, b)
    result = kernels.binary(rule.code, x, y, out)
    if out is not None or not rule.gradients:
        return result
    inputs = tuple(t if isinstance(t, TensorBase) else None for t in (a, b))
    if not needs_grad(*inputs):
        return result
    return _record_binary(rule, inputs, x, y, result)


def _record_binary(rule, inputs, a, b, result):
    kept = rule.kept("a", a), rule.kept("b", b), rule.kept("y", result)
    # Operand by operand: its gradient's formula, shape and dtype, or None.
    wanted = [
        (slope, t.shape, t.dtype) if t is not None and t.requires_grad else None
        for slope, t in zip(rule.gradients, inputs, strict=True)
    ]

    def gradient(g):
        return tuple(w and unbroadcast(w[0](g, *kept), w[1]).to(w[2]) for w in wanted)

    saved = tuple(t for t in kept if t is not None)
    return record(rule.name, result, inputs, gradient, saved)


def _binary(name, works_in, doc, gradient_a=None, gradient_b=None, reads=""):
    gradients = () if gradient_a is None else (gradient_a, gradient_b)
    rule = BINARY[name] = Rule(name, kernels.BINARY[name], works_in, gradients, reads)

    def function(a, b):
        return _apply_binary(rule, a, b)

    return _publish(rule, function, doc)


# ---- names and in-place forms ----


def _publish(rule, function, doc):
    function.__name__ = function.__qualname__ = rule.name
    function.__doc__ = doc
    METHODS[rule.name] = function
    if rule.works_in in (SAME, FLOAT):
        METHODS[rule.name + "_"] = in_place(function, rule)
    __all__.append(rule.name)
    return function


def in_place(function, rule=None):
    """The form of an operation that writes its result into its first operand and returns that.

    The result must fit: its shape is the operand's, and its category (bool, integer, float) is not
    above the operand's. A leaf that requires grad is refused. RuntimeError otherwise.
    """
    name = function.__name__ + "_"
    apply = None if rule is None else _apply_binary if rule.name in BINARY else _apply_unary

    def method(x, *args, **kwargs):
        recorded = needs_grad(x, *(t for t in args if isinstance(t, TensorBase)))
        if recorded:
            graph.begin_in_place(x, name)
        elif rule is not None and _works_directly(rule, x, args):
            return apply(rule, x, *args, out=x)
        # Gradients that read the old x see a copy, which also takes over the history of x.
        old = clone(x) if recorded else x
        out = function(old, *(old if t is x else t for t in args), **kwargs)
        _check_fits(name, out, x)
        kernels.copy_(x, out)
        if recorded:
            graph.adopt(x, out if out.dtype is x.dtype else out.to(x.dtype))
        return x

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"In-place form of :func:`{function.__name__}`; returns the tensor."
    return method


def _works_directly(rule, x, args):
    """Whether the kernel can write its result into x: same dtype and shape."""
    if any(isinstance(t, TensorBase) and t.ndim > x.ndim for t in args):
        return False
    return _working(rule, _common(rule.name, x, *args)) is x.dtype


def _check_fits(name, out, x):
    if out.shape != x.shape:
        raise RuntimeError(
            f"{name}: the result's shape {out.shape} is not the tensor's shape {x.shape}"
        )
    if _category(out.dtype) > _category(x.dtype):
        raise RuntimeError(
            f"{name}: the result has dtype {out.dtype.name}, which does not go into {x.dtype.name}"
        )


def _kernel(name, reads):
    """A gradient that is one kernel of binary.def, from g and the operand or the output."""
    code = kernels.BINARY[name]
    if reads == "a":
        return lambda g, a, y: kernels.binary(code, g, a)
    return lambda g, a, y: kernels.binary(code, g, y)


def _zero(g, a, y):
    return g * 0


# ---- rules: arithmetic ----

neg = _unary("neg", SAME, "-x.", lambda g, a, y: -g)
abs = _unary("abs", SAME, "The absolute value.", lambda g, a, y: g * sign(a), "a")
sign = _unary("sign", SAME, "-1, 0 or 1; NaN for NaN.", _zero)
square = _unary("square", SAME, "x * x.", lambda g, a, y: g * a * 2, "a")
reciprocal = _unary("reciprocal", FLOAT, "1 / x.", lambda g, a, y: -g * y * y, "y")
sqrt = _unary("sqrt", FLOAT, "The square root; NaN below 0.", lambda g, a, y: g / (y * 2), "y")
rsqrt = _unary("rsqrt", FLOAT, "1 / sqrt(x).", lambda g, a, y: g * y * y * y * -0.5, "y")
floor = _unary("floor", SAME, "The greatest integer not above x.", _zero)
ceil = _unary("ceil", SAME, "The least integer not below x.", _zero)
round = _unary("round", SAME, "The nearest integer, halves to the even one.", _zero)
trunc = _unary("trunc", SAME, "x without its fraction.", _zero)

add = _binary("add", SAME, "a + b.", lambda g, a, b, y: g, lambda g, a, b, y: g)
sub = _binary("sub", SAME, "a - b.", lambda g, a, b, y: g, lambda g, a, b, y: -g)
mul = _binary("mul", SAME, "a * b.", lambda g, a, b, y: g * b, lambda g, a, b, y: g * a, "ab")
div = _binary(
    "div", FLOAT, "a / b.", lambda g, a, b, y: g / b, lambda g, a, b, y: -g * a / (b * b), "ab"
)
floor_divide = _binary("floor_divide", SAME, "The floor of a / b, as Python's //.")
remainder = _binary(
    "remainder",
    SAME,
    "a - b * floor(a / b), with the sign of b, as Python's %.",
    lambda g, a, b, y: g,
    lambda g, a, b, y: -g * floor_divide(a, b),
    "ab",
)

# ---- rules: functions ----

TWO_OVER_ROOT_PI = 1.1283791670955126

exp = _unary("exp", FLOAT, "e to the power x.", lambda g, a, y: g * y, "y")
log = _unary("log", FLOAT, "The natural logarithm.", lambda g, a, y: g / a, "a")
expm1 = _unary("expm1", FLOAT, "exp(x) - 1, accurate near 0.", lambda g, a, y: g * (y + 1), "y")
log1p = _unary("log1p", FLOAT, "log(1 + x), accurate near 0.", lambda g, a, y: g / (a + 1), "a")
sin = _unary("sin", FLOAT, "The sine; every angle is reduced exactly.", lambda g, a, y: g * cos(a), "a")
cos = _unary("cos", FLOAT, "The cosine; see sin.", lambda g, a, y: -g * sin(a), "a")
erf = _unary("erf", FLOAT, "The error function.", lambda g, a, y: g * exp(-a * a) * TWO_OVER_ROOT_PI, "a")

# In C: the gradient is one kernel.
relu = _unary("relu", SAME, "max(x, 0).", _kernel("relu_backward", "y"), "y")
tanh = _unary("tanh", FLOAT, "The hyperbolic tangent.", _kernel("tanh_backward", "y"), "y")
sigmoid = _unary("sigmoid", FLOAT, "1 / (1 + exp(-x)).", _kernel("sigmoid_backward", "y"), "y")
gelu_erf = _unary("gelu", FLOAT, "x times P(standard normal < x).", _kernel("gelu_backward", "a"), "a")
gelu_tanh = _unary(
    "gelu_tanh",
    FLOAT,
    "x times (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.",
    _kernel("gelu_tanh_backward", "a"),
    "a",
)


def gelu(x, approximate="none"):
    """x times P(standard normal < x), or its form with tanh for ``approximate="tanh"``."""
    if approximate not in ("none", "tanh"):
        raise ValueError(f'gelu: approximate must be "none" or "tanh", got {approximate!r}')
    return gelu_tanh(x) if approximate == "tanh" else gelu_erf(x)


METHODS["gelu"] = gelu


def _pow_base(g, a, b, y):
    """b a^(b - 1), and 0 where b is 0 whatever a is."""
    return where(eq(b, 0), 0, g * b * pow(a, b - 1))


def _pow_exponent(g, a, b, y):
    """y log(a), and 0 where a is 0 and b >= 0."""
    return where(logical_and(eq(a, 0), ge(b, 0)), 0, g * y * log(a))


power = _binary("pow", SAME, "a to the power b.", _pow_base, _pow_exponent, "aby")


def pow(a, b):
    """a to the power b; integers wrap, and no number may be a negative power of integers."""
    if isinstance(b, int) and isinstance(a, TensorBase) and not a.dtype.is_floating_point and b < 0:
        raise RuntimeError(f"pow: integers to the negative power {b} are not integers")
    return square(a) if isinstance(b, (int, float)) and b == 2 and isinstance(a, TensorBase) else power(a, b)


METHODS["pow"] = pow
METHODS["pow_"] = in_place(pow)

# ---- rules: choosing ----

# Where both operands are equal each gets half of the gradient, as in PyTorch.
maximum = _binary(
    "maximum",
    SAME,
    "The greater of a and b; NaN where either is NaN.",
    lambda g, a, b, y: _share(g, a, b),
    lambda g, a, b, y: _share(g, b, a),
    "ab",
)
minimum = _binary(
    "minimum",
    SAME,
    "The lesser of a and b; NaN where either is NaN.",
    lambda g, a, b, y: _share(g, b, a),
    lambda g, a, b, y: _share(g, a, b),
    "ab",
)


def _share(g, winner, other):
    """g where winner > other, half of it where they are equal, 0 elsewhere."""
    return g * (gt(winner, other).to(g.dtype) + eq(winner, other).to(g.dtype) * 0.5)


# ---- rules: bits and tests ----

bitwise_not = _unary("bitwise_not", SAME, "Every bit inverted; not for bool.")
bitwise_and = _binary("bitwise_and", SAME, "a & b of integers or bools.")
bitwise_or = _binary("bitwise_or", SAME, "a | b of integers or bools.")
bitwise_xor = _binary("bitwise_xor", SAME, "a ^ b of integers or bools.")

eq = _binary("eq", TEST, "a == b, as bool.")
ne = _binary("ne", TEST, "a != b, as bool.")
lt = _binary("lt", TEST, "a < b, as bool.")
le = _binary("le", TEST, "a <= b, as bool.")
gt = _binary("gt", TEST, "a > b, as bool.")
ge = _binary("ge", TEST, "a >= b, as bool.")
logical_and = _binary("logical_and", TEST, "Whether both are nonzero.")
logical_or = _binary("logical_or", TEST, "Whether at least one is nonzero.")
logical_xor = _binary("logical_xor", TEST, "Whether exactly one is nonzero.")
logical_not = _unary("logical_not", TEST, "Whether x is zero.")
isnan = _unary("isnan", FLOAT_TEST, "Whether x is NaN.")
isinf = _unary("isinf", FLOAT_TEST, "Whether x is infinite.")
isfinite = _unary("isfinite", FLOAT_TEST, "Whether x is neither infinite nor NaN.")

# ---- three operands ----


def where(condition, a, b):
    """Elements of ``a`` where ``condition`` is true, of ``b`` elsewhere; all broadcast.

    Parameters
    ----------
    condition : Tensor
        Of dtype bool; TypeError otherwise.
    a, b : Tensor or number
        Promoted to one dtype.
    """
    _tensor("where", condition)
    if isinstance(a, TensorBase) or isinstance(b, TensorBase):
        dtype = _common("where", a, b)
    else:
        dtype = promote(default_of(type(a)), default_of(type(b)))
    out = kernels.where(condition, _in(dtype, a), _in(dtype, b))
    inputs = tuple(t if isinstance(t, TensorBase) else None for t in (a, b))
    if not needs_grad(*inputs):
        return out
    wanted = [t if t is not None and t.requires_grad else None for t in inputs]
    shapes = [None if w is None else (w.shape, w.dtype) for w in wanted]

    def gradient(g):
        parts = (where(condition, g, 0), where(condition, 0, g))
        return tuple(
            s and unbroadcast(p, s[0]).to(s[1]) for p, s in zip(parts, shapes, strict=True)
        )

    return record("where", out, inputs, gradient, (condition,))


def clamp(x, min=None, max=None):
    """``x`` with values below ``min`` raised to it and values above ``max`` lowered to it.

    NaN stays NaN; where min > max the result is max. The gradient passes where x lies within.

    Parameters
    ----------
    x : Tensor
    min, max : Tensor, number or None
        At least one must be given; ValueError otherwise.
    """
    _tensor("clamp", x)
    if min is None and max is None:
        raise ValueError("clamp: at least one of min and max must be given")
    bounds = [t for t in (min, max) if t is not None]
    dtype = _common("clamp", x, *bounds)
    a = _in(dtype, x)
    if len(bounds) == 2:
        out = kernels.clamp(a, _in(dtype, min), _in(dtype, max))
    else:
        op = kernels.BINARY["minimum" if min is None else "maximum"]
        out = kernels.binary(op, a, _in(dtype, bounds[0]))
    if needs_grad(*(t for t in bounds if isinstance(t, TensorBase))):
        raise NotImplementedError("clamp: gradients for min and max; use maximum and minimum")
    if not needs_grad(x):
        return out
    kept = alias(a)

    def gradient(g):
        inside = eq(kept, out_of_clamp)
        return (unbroadcast(where(inside, g, 0), x_shape).to(x_dtype),)

    x_shape, x_dtype, out_of_clamp = x.shape, x.dtype, alias(out)
    return record("clamp", out, (x,), gradient, (kept, out_of_clamp))


clamp_ = in_place(clamp)
METHODS["clamp"] = clamp
METHODS["clamp_"] = clamp_
METHODS["where"] = lambda self, condition, other: where(condition, self, other)
