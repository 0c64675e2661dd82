"""Whether two tensors are the same: exactly, or closely."""

from kael._kernels.tensor import require_tensor
from kael.checks import flag, real
from kael.dtypes import float64, int64
from kael.ops import elementwise
from kael.ops.conversion import to
from kael.ops.shape import joined_shape

__all__ = ["allclose", "equal", "isclose"]

WRAPS = 2.0**62  # of int64, differences that double finds below this do not


def equal(a, b):
    """Whether two tensors have the same shape and equal elements; NaN equals nothing.

    Parameters
    ----------
    a, b : Tensor

    Returns
    -------
    bool

    Examples
    --------
    >>> kael.equal(kael.ones(2), kael.ones(2))
    True
    """
    require_tensor("equal", a, b)
    return a.shape == b.shape and bool(elementwise.eq(a, b).all())


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Where ``|a - b| <= atol + rtol * |b|``, in double; differences of integers are exact.

    Parameters
    ----------
    a, b : Tensor
        Infinities are close to themselves only.
    rtol, atol : float
    equal_nan : bool
        NaN is close to NaN.

    Returns
    -------
    Tensor of bool

    Raises
    ------
    TypeError
        If an operand is no Tensor.
    ValueError
        If the shapes do not broadcast.

    Examples
    --------
    >>> kael.isclose(kael.tensor([1.0, 2.0]), kael.tensor([1.0, 2.1])).tolist()
    [True, False]
    """
    return _isclose("isclose", a, b, rtol, atol, equal_nan)


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether :func:`isclose` holds everywhere.

    Parameters
    ----------
    a, b, rtol, atol, equal_nan
        As for :func:`isclose`, which also says what is raised.

    Returns
    -------
    bool
    """
    return bool(_isclose("allclose", a, b, rtol, atol, equal_nan).all())


def _isclose(op, a, b, rtol, atol, equal_nan):
    require_tensor(op, a, b)
    rtol, atol = real(op, "rtol", rtol), real(op, "atol", atol)
    equal_nan = flag(op, "equal_nan", equal_nan)
    joined_shape(op, a.shape, b.shape)
    whole = not (a.dtype.is_floating_point or b.dtype.is_floating_point)
    difference = elementwise.sub(to(a, int64), to(b, int64)) if whole else None
    a, b = to(a.detach(), float64), to(b.detach(), float64)
    distance, same = elementwise.abs(a - b), elementwise.eq(a, b)
    if whole:  # in double the last digits of integers are lost; in int64 far distances wrap
        near_by = elementwise.abs(to(difference, float64))
        distance = elementwise.where(distance < WRAPS, near_by, distance)
        same = elementwise.eq(difference, 0)
    reach = elementwise.abs(b) * rtol + atol
    near = (elementwise.le(distance, reach) & elementwise.isfinite(b)) | same
    if equal_nan:
        near = near | (elementwise.isnan(a) & elementwise.isnan(b))
    return near
