"""Clamp: three operands, of which either bound may be missing or want a gradient."""

import builtins

from kael._kernels import elementwise as kernels
from kael._kernels import rules
from kael._kernels.tensor import TensorBase, alias, require_tensor
from kael.autograd import needs_grad, record
from kael.dtypes import bool_, integer_range
from kael.ops.elementwise import eq, gt, le, logical_and, logical_or, lt, where
from kael.ops.rules import METHODS, common_dtype, in_place, tensor_of
from kael.ops.shape import joined_shape, unbroadcast

__all__ = ["clamp"]


def clamp(x, min=None, max=None):
    """``x`` with values below ``min`` raised to it, and values above ``max`` lowered to it.

    Parameters
    ----------
    x : Tensor
    min, max : Tensor or number, optional
        At least one must be given. An integer that no element of the dtype passes is no bound.

    Returns
    -------
    Tensor
        NaN stays NaN; where min > max the result is max. The gradient goes to ``x`` where
        min <= x <= max, else to the bound that is the result; none goes to what is NaN.

    Raises
    ------
    ValueError
        If neither bound is given, or the shapes do not broadcast.

    Examples
    --------
    >>> kael.clamp(kael.tensor([-2, 0, 7]), 0, 5).tolist()
    [0, 0, 5]
    """
    out = rules.clamp(x, min, max)
    if out is not None:
        return out
    require_tensor("clamp", x)
    bounds = [t for t in (min, max) if t is not None]
    if not bounds:
        raise ValueError("clamp: at least one of min and max must be given")
    tensors = [t for t in bounds if isinstance(t, TensorBase)]
    shape = x.shape
    for bound in tensors:
        shape = joined_shape("clamp", shape, bound.shape)
    dtype = common_dtype("clamp", x, *bounds)
    a = tensor_of(dtype, x)
    low = min if min is None else tensor_of(dtype, _within(dtype, min, lower=True))
    high = max if max is None else tensor_of(dtype, _within(dtype, max, lower=False))
    if low is not None and high is not None:
        out = kernels.clamp(a, low, high)
    elif high is None:
        out = kernels.binary(kernels.BINARY["maximum"], a, low)
    else:
        out = kernels.binary(kernels.BINARY["minimum"], a, high)
    if not needs_grad(x, *tensors):
        return out
    kept = (None if t is None else alias(t) for t in (a, low, high, out))
    return _recorded(
        (x, *(t if isinstance(t, TensorBase) else None for t in (min, max))), out, *kept
    )


def _recorded(inputs, out, x, low, high, result):
    both = low is not None and high is not None
    crossed = both and bool(gt(low, high).any())

    def inside():
        return logical_and(eq(x, result), le(low, high)) if crossed else eq(x, result)

    def below():
        return logical_and(lt(x, low), lt(low, high)) if both else lt(x, low)

    def above():
        return logical_or(gt(x, high), gt(low, high)) if crossed else gt(x, high)

    wanted = [
        (place, t.shape, t.dtype) if t is not None and t.requires_grad else None
        for place, t in zip((inside, below, above), inputs, strict=True)
    ]

    def gradient(g):
        return tuple(
            want and unbroadcast(where(want[0](), g, 0), want[1]).to(want[2]) for want in wanted
        )

    saved = tuple(t for t in (x, low, high, result) if t is not None)
    return record("clamp", out, inputs, gradient, saved)


def _within(dtype, bound, lower):
    """The bound, or for an integer that no element passes the nearest one that the dtype holds."""
    if not isinstance(bound, int) or dtype.is_floating_point or dtype is bool_:
        return bound
    least, greatest = integer_range(dtype)
    return builtins.max(bound, least) if lower else builtins.min(bound, greatest)


METHODS |= {"clamp": clamp, "clamp_": in_place(clamp)}
