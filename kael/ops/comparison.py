"""Whether two tensors are the same: exactly, or closely."""

from kael._kernels.tensor import require_tensor
from kael.ops import elementwise
from kael.ops.conversion import to

__all__ = ["allclose", "equal", "isclose"]


def equal(a, b):
    """Whether two tensors have the same shape and equal elements; NaN equals nothing.

    Examples
    --------
    >>> kael.equal(kael.ones(2), kael.ones(2))
    True
    """
    require_tensor("equal", a, b)
    return a.shape == b.shape and bool(elementwise.eq(a, b).all())


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Where ``|a - b| <= atol + rtol * |b|``; infinities are close to themselves only.

    Computed in double. TypeError for operands that are not tensors.
    """
    require_tensor("isclose", a, b)
    a, b = to(a.detach(), "float64"), to(b.detach(), "float64")
    reach = elementwise.abs(b) * rtol + atol
    near = elementwise.le(elementwise.abs(a - b), reach) & elementwise.isfinite(b)
    near = near | elementwise.eq(a, b)
    if equal_nan:
        near = near | (elementwise.isnan(a) & elementwise.isnan(b))
    return near


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether :func:`isclose` holds everywhere."""
    require_tensor("allclose", a, b)
    return bool(isclose(a, b, rtol, atol, equal_nan).all())
