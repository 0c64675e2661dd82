"""Elementwise operations: one rule per operation, its forward meaning and its gradient adjacent.

A rule names a kernel (a line of ``unary.def`` or ``binary.def``), the dtype it works in, and its
gradient. Operands broadcast and promote (``bool < uint8 < int32 < int64 < float32 < float64``).
Each rule becomes a function of kael, a method of Tensor, and an in-place method (``add_``).
"""

from kael._kernels import elementwise as kernels
from kael._kernels.creation import zeros
from kael._kernels.tensor import TensorBase, require_tensor
from kael.autograd import needs_grad, record
from kael.dtypes import default_of, promote
from kael.ops.rules import (
    BINARY,
    FLOAT,
    FLOAT_TEST,
    METHODS,
    SAME,
    TEST,
    UNARY,
    binary,
    common_dtype,
    in_place,
    kernel_gradient,
    tensor_of,
    unary,
)
from kael.ops.shape import unbroadcast

TWO_OVER_ROOT_PI = 1.1283791670955126
LOG_OF_2, LOG_OF_10 = 0.6931471805599453, 2.302585092994046

# The largest errors in float32 and float64, in ulp of the exact result: docs/accuracy.md.
LARGEST_ERRORS = {
    "acos": (0.51, 1.2), "asin": (0.51, 1.2), "atan": (0.51, 1.2), "atan2": (0.51, 1.7),
    "cbrt": (0.51, 0.51), "cos": (0.8, 0.84), "cosh": (0.51, 1.2), "erf": (1.0, 0.9),
    "erfc": (0.9, 1.1), "exp": (0.99, 1.0), "exp2": (0.8, 0.8), "expm1": (0.9, 1.2),
    "gelu": (0.95, 1.0), "gelu_tanh": (0.98, 1.6), "hypot": (0.51, 1.1), "log": (0.86, 0.88),
    "log10": (0.75, 0.75), "log1p": (0.86, 0.88), "log2": (0.8, 0.8), "pow": (1.0, 1.8),
    "rsqrt": (0.51, 0.51), "sigmoid": (1.0, 1.0), "sin": (0.8, 0.84), "sinh": (0.51, 1.7),
    "tan": (0.51, 1.2), "tanh": (0.9, 1.4),
}  # fmt: skip


def accurate(name, doc):
    """A docstring that states the largest error."""
    return "{} At most {} (float32) or {} ulp (float64) from exact.".format(
        doc, *LARGEST_ERRORS[name]
    )


def smooth(name, doc, gradient, reads="a"):
    """An elementary function of floats."""
    return unary(name, FLOAT, accurate(name, doc), gradient, reads)


def _zero(g, a, y):
    return zeros(g.shape, g.dtype_code)


# ---- arithmetic ----

neg = unary("neg", SAME, "-x.", lambda g, a, y: -g)
abs = unary(
    "abs",
    SAME,
    "The absolute value. Its gradient is 0 at 0 and NaN, as in PyTorch.",
    kernel_gradient("abs_backward", "a"),
    "a",
)
sign = unary("sign", SAME, "-1, 0 or 1; NaN for NaN.", _zero)
square = unary("square", SAME, "x * x.", lambda g, a, y: g * a * 2, "a")
reciprocal = unary("reciprocal", FLOAT, "1 / x.", lambda g, a, y: -g * y * y, "y")
sqrt = unary("sqrt", FLOAT, "The square root; NaN below 0.", lambda g, a, y: g / (y * 2), "y")
rsqrt = smooth("rsqrt", "1 / sqrt(x).", lambda g, a, y: g * y * y * y * -0.5, "y")
floor = unary("floor", SAME, "The greatest integer not above x.", _zero)
ceil = unary("ceil", SAME, "The least integer not below x.", _zero)
round = unary("round", SAME, "The nearest integer, halves to the even one.", _zero)
trunc = unary("trunc", SAME, "x without its fraction.", _zero)

add = binary("add", SAME, "a + b.", lambda g, a, b, y: g, lambda g, a, b, y: g)
sub = binary("sub", SAME, "a - b.", lambda g, a, b, y: g, lambda g, a, b, y: -g)
mul = binary("mul", SAME, "a * b.", lambda g, a, b, y: g * b, lambda g, a, b, y: g * a, "ab")
div = binary(
    # Not by the square of b, which may lie beyond the range.
    "div",
    FLOAT,
    "a / b.",
    lambda g, a, b, y: g / b,
    lambda g, a, b, y: -g * (a / b / b),
    "ab",
)
floor_divide = binary("floor_divide", SAME, "The floor of a / b, as Python's //.")
remainder = binary(
    "remainder",
    SAME,
    "a - b * floor(a / b), with the sign of b, as Python's %.",
    lambda g, a, b, y: g,
    lambda g, a, b, y: -g * floor_divide(a, b),
    "ab",
)


def _pow_base(g, a, b, y):
    """b a^(b - 1), and 0 where b is 0, whatever a is."""
    return where(eq(b, 0), 0, g * b * _pow(a, b - 1))


def _pow_exponent(g, a, b, y):
    """y log(a), and 0 where a is 0 and b >= 0."""
    return where(logical_and(eq(a, 0), ge(b, 0)), 0, g * y * log(a))


_pow = binary("pow", SAME, accurate("pow", "a to the power b."), _pow_base, _pow_exponent, "aby")


def pow(a, b):
    """``a`` to the power ``b``; integers wrap.

    Parameters
    ----------
    a, b : Tensor or number
        At least one Tensor. They broadcast and promote as for :func:`add`.

    Returns
    -------
    Tensor
        Of the promoted dtype. Integers to the negative powers in a tensor of exponents are
        truncated: 0 unless the base is 1 or -1.

    Raises
    ------
    RuntimeError
        If integers are raised to a negative number.
    TypeError, ValueError
        As :func:`add`.

    Notes
    -----
    docs/accuracy.md has the largest error. An exponent of 2 is :func:`square`.
    """
    if isinstance(b, (int, float)) and isinstance(a, TensorBase):
        if isinstance(b, int) and b < 0 and not a.dtype.is_floating_point:
            raise RuntimeError(f"pow: integers to the negative power {b} are not integers")
        if b == 2 and a.dtype is common_dtype("pow", a, b):
            return square(a)
    return _pow(a, b)


# ---- functions ----

exp = smooth("exp", "e to the power x.", lambda g, a, y: g * y, "y")
exp2 = smooth("exp2", "2 to the power x.", lambda g, a, y: g * y * LOG_OF_2, "y")
# Not y + 1, which far below 0 is the rounding of y.
expm1 = smooth("expm1", "exp(x) - 1, accurate near 0.", lambda g, a, y: g * exp(a))
log = smooth("log", "The natural logarithm.", lambda g, a, y: g / a)
log2 = smooth("log2", "The logarithm to base 2.", lambda g, a, y: g / (a * LOG_OF_2))
log10 = smooth("log10", "The logarithm to base 10.", lambda g, a, y: g / (a * LOG_OF_10))
log1p = smooth("log1p", "log(1 + x), accurate near 0.", lambda g, a, y: g / (a + 1))
sin = smooth("sin", "The sine of any angle, in radians.", lambda g, a, y: g * cos(a))
cos = smooth("cos", "The cosine of any angle, in radians.", lambda g, a, y: -g * sin(a))
tan = smooth("tan", "The tangent of any angle, in radians.", lambda g, a, y: g * (y * y + 1), "y")
# Not 1 - a * a, which near 1 is the rounding of a * a.
asin = smooth("asin", "The angle with the sine x.", lambda g, a, y: g * rsqrt((1 - a) * (1 + a)))
acos = smooth("acos", "The angle with the cosine x.", lambda g, a, y: -g * rsqrt((1 - a) * (1 + a)))
atan = smooth("atan", "The angle with the tangent x.", lambda g, a, y: g / (a * a + 1))
sinh = smooth("sinh", "The hyperbolic sine.", lambda g, a, y: g * cosh(a))
cosh = smooth("cosh", "The hyperbolic cosine.", lambda g, a, y: g * sinh(a))
cbrt = smooth("cbrt", "The cube root, of either sign.", lambda g, a, y: g / (y * y * 3), "y")
erf = smooth("erf", "The error function.", lambda g, a, y: g * exp(-a * a) * TWO_OVER_ROOT_PI)
erfc = smooth(
    "erfc",
    "1 - erf(x), accurate where that is small.",
    lambda g, a, y: g * exp(-a * a) * -TWO_OVER_ROOT_PI,
)


def _turn(g, other, a, b):
    """``g * other / (a * a + b * b)`` without squares, which may lie beyond the range; 0 at the
    origin, as in PyTorch."""
    distance = hypot(a, b)
    return where(distance == 0, 0.0, g * (other / distance) / distance)


atan2 = binary(
    "atan2",
    FLOAT,
    accurate("atan2", "The angle of the point (b, a), from -pi to pi."),
    lambda g, a, b, y: _turn(g, b, a, b),
    lambda g, a, b, y: _turn(-g, a, a, b),
    "ab",
)
hypot = binary(
    "hypot",
    FLOAT,
    accurate("hypot", "sqrt(a * a + b * b), which does not overflow on the way."),
    lambda g, a, b, y: g * (a / y),
    lambda g, a, b, y: g * (b / y),
    "aby",
)

# The gradients of these are one kernel each.
relu = unary("relu", SAME, "max(x, 0).", kernel_gradient("relu_backward", "y"), "y")
_through_relu = kernel_gradient("relu_backward", "y")


def _through_sum(g, a, b, y):
    return _through_relu(g, None, y)


add_relu = binary(
    "add_relu",
    SAME,
    "max(a + b, 0) in one pass: a skip connection and its activation.",
    _through_sum,
    _through_sum,
    "y",
)
tanh = smooth("tanh", "The hyperbolic tangent.", kernel_gradient("tanh_backward", "y"), "y")
sigmoid = smooth("sigmoid", "1 / (1 + exp(-x)).", kernel_gradient("sigmoid_backward", "y"), "y")
_gelu = smooth("gelu", "x P(normal < x).", kernel_gradient("gelu_backward", "a"))
gelu_tanh = smooth(
    "gelu_tanh",
    "x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.",
    kernel_gradient("gelu_tanh_backward", "a"),
)


def gelu(x, approximate="none"):
    """x times P(standard normal < x), or its form with tanh.

    Parameters
    ----------
    x : Tensor
    approximate : "none" or "tanh"

    Returns
    -------
    Tensor, of the shape of ``x``
        Of its dtype; float32 for integers and bool.

    Raises
    ------
    ValueError
        If ``approximate`` is something else.

    Notes
    -----
    Hendrycks and Gimpel, "Gaussian error linear units", 2016. docs/accuracy.md has the largest
    errors of the two forms.
    """
    if approximate not in ("none", "tanh"):
        raise ValueError(f'gelu: approximate must be "none" or "tanh", got {approximate!r}')
    return gelu_tanh(x) if approximate == "tanh" else _gelu(x)


# ---- choosing ----


def _share(g, winner, other):
    """0 where winner < other, half of g where they are equal, g elsewhere: also where either is
    NaN, as in PyTorch."""
    return where(lt(winner, other), 0, where(eq(winner, other), g * 0.5, g))


maximum = binary(
    "maximum",
    SAME,
    "The greater of a and b, +0 before -0; NaN where either is NaN.",
    lambda g, a, b, y: _share(g, a, b),
    lambda g, a, b, y: _share(g, b, a),
    "ab",
)
minimum = binary(
    "minimum",
    SAME,
    "The lesser of a and b, -0 before +0; NaN where either is NaN.",
    lambda g, a, b, y: _share(g, b, a),
    lambda g, a, b, y: _share(g, a, b),
    "ab",
)

# ---- bits and tests ----

bitwise_not = unary("bitwise_not", SAME, "Every bit inverted; not for bool.")
bitwise_and = binary("bitwise_and", SAME, "a & b of integers or bools.")
bitwise_or = binary("bitwise_or", SAME, "a | b of integers or bools.")
bitwise_xor = binary("bitwise_xor", SAME, "a ^ b of integers or bools.")

eq = binary("eq", TEST, "a == b, as bool.")
ne = binary("ne", TEST, "a != b, as bool.")
lt = binary("lt", TEST, "a < b, as bool.")
le = binary("le", TEST, "a <= b, as bool.")
gt = binary("gt", TEST, "a > b, as bool.")
ge = binary("ge", TEST, "a >= b, as bool.")
logical_and = binary("logical_and", TEST, "Whether both are nonzero.")
logical_or = binary("logical_or", TEST, "Whether at least one is nonzero.")
logical_xor = binary("logical_xor", TEST, "Whether exactly one is nonzero.")
logical_not = unary("logical_not", TEST, "Whether x is zero.")
isnan = unary("isnan", FLOAT_TEST, "Whether x is NaN.")
isinf = unary("isinf", FLOAT_TEST, "Whether x is infinite.")
isfinite = unary("isfinite", FLOAT_TEST, "Whether x is neither infinite nor NaN.")

# ---- three operands ----


def where(condition, a, b):
    """Elements of ``a`` where ``condition`` is true, of ``b`` elsewhere; all broadcast.

    Parameters
    ----------
    condition : Tensor of bool
    a, b : Tensor or number
        Promoted to one dtype.

    Returns
    -------
    Tensor

    Raises
    ------
    TypeError
        If the condition is not of bool, or ``a`` or ``b`` is neither Tensor nor number.
    ValueError
        If the shapes do not broadcast.

    Examples
    --------
    >>> x = kael.tensor([-1.0, 2.0])
    >>> kael.where(x > 0, x, 0.0).tolist()
    [0.0, 2.0]
    """
    require_tensor("where", condition)
    return choose("where", condition, a, b)


def choose(op, condition, a, b):
    """:func:`where` in the name of ``op``."""
    if isinstance(a, TensorBase) or isinstance(b, TensorBase):
        dtype = common_dtype(op, a, b)
    elif isinstance(a, (int, float)) and isinstance(b, (int, float)):
        kinds = (next(k for k in (bool, int, float) if isinstance(x, k)) for x in (a, b))
        dtype = promote(*map(default_of, kinds))
    else:
        raise TypeError(f"{op}: expected Tensors or numbers, got {a!r} and {b!r}")
    out = kernels.where(condition, tensor_of(dtype, a), tensor_of(dtype, b))
    inputs = tuple(t if isinstance(t, TensorBase) else None for t in (a, b))
    if not needs_grad(*inputs):
        return out
    wanted = [t is not None and t.requires_grad and (t.shape, t.dtype) for t in inputs]

    def gradient(g):
        parts = ((g, 0), (0, g))
        return tuple(
            unbroadcast(where(condition, *part), want[0]).to(want[1]) if want else None
            for part, want in zip(parts, wanted, strict=True)
        )

    return record("where", out, inputs, gradient, (condition,))


def _where_method(self, condition, other):
    """Its elements where ``condition`` is true, those of ``other`` elsewhere.

    Parameters
    ----------
    condition : Tensor of bool
    other : Tensor or number

    Returns
    -------
    Tensor
        As :func:`kael.where`, which also says what is raised.
    """
    return where(condition, self, other)


# ---- names ----

METHODS |= {
    "gelu": gelu,
    "gelu_": in_place(gelu),
    "pow": pow,
    "pow_": in_place(pow),
    "where": _where_method,
}

__all__ = ["where", *UNARY, *BINARY]
