"""Clamp: three operands, of which either bound may be missing or want a gradient."""

import builtins

from kael._kernels import elementwise as kernels
from kael._kernels.tensor import TensorBase, alias, require_tensor
from kael.autograd import needs_grad, record
from kael.dtypes import bool_, integer_range
from kael.ops.elementwise import eq, maximum, minimum, where
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
        NaN stays NaN; where min > max the result is max. The gradient passes where x lies within; a
        bound that requires grad makes it the composition of :func:`maximum` and :func:`minimum`.

    Raises
    ------
    ValueError
        If neither bound is given, or the shapes do not broadcast.

    Examples
    --------
    >>> kael.clamp(kael.tensor([-2, 0, 7]), 0, 5).tolist()
    [0, 0, 5]
    """
    require_tensor("clamp", x)
    bounds = [t for t in (min, max) if t is not None]
    if not bounds:
        raise ValueError("clamp: at least one of min and max must be given")
    tensors = [t for t in bounds if isinstance(t, TensorBase)]
    shape = x.shape
    for bound in tensors:
        shape = joined_shape("clamp", shape, bound.shape)
    if needs_grad(*tensors):
        raised = x if min is None else maximum(x, min)
        return raised if max is None else minimum(raised, max)
    dtype = common_dtype("clamp", x, *bounds)
    a = tensor_of(dtype, x)
    limits = [tensor_of(dtype, _within(dtype, t, t is min)) for t in bounds]
    if len(limits) == 2:
        out = kernels.clamp(a, *limits)
    else:
        op = kernels.BINARY["minimum" if min is None else "maximum"]
        out = kernels.binary(op, a, limits[0])
    if not needs_grad(x):
        return out
    kept, result, shape, former = alias(a), alias(out), x.shape, x.dtype

    def gradient(g):
        return (unbroadcast(where(eq(kept, result), g, 0), shape).to(former),)

    return record("clamp", out, (x,), gradient, (kept, result))


def _within(dtype, bound, lower):
    """The bound, or for an integer that no element passes the nearest one that the dtype holds."""
    if not isinstance(bound, int) or dtype.is_floating_point or dtype is bool_:
        return bound
    least, greatest = integer_range(dtype)
    return builtins.max(bound, least) if lower else builtins.min(bound, greatest)


METHODS |= {"clamp": clamp, "clamp_": in_place(clamp)}
