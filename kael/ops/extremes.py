"""Reductions that choose: extremes with their gradients, where they stand, and truth. Exact."""

from collections import namedtuple

from kael._kernels import elementwise, views
from kael._kernels import reduce as kernels
from kael._kernels.numbers import number
from kael._kernels.tensor import TensorBase, require_tensor
from kael.autograd import needs_grad, record
from kael.dtypes import bool_

__all__ = ["all", "amax", "amin", "any", "argmax", "argmin", "max", "min"]

Extremes = namedtuple("Extremes", ["values", "indices"])
Extremes.__doc__ = "The result of ``max(x, dim)`` and ``min(x, dim)``."

_SUM, _MAX, _MIN, _ARGMAX, _ARGMIN = (
    kernels.REDUCTIONS[name] for name in ("sum", "max", "min", "argmax", "argmin")
)


def amax(x, dim=None, keepdim=False):
    """The greatest element of ``dim``; NaN where there is one, +0 before -0.

    Parameters
    ----------
    x : Tensor
    dim : int or tuple of int, optional
        All dims by default.
    keepdim : bool
        Keep the reduced dims, with size 1.

    Returns
    -------
    Tensor
        Its gradient is shared evenly by the elements that are the greatest.

    Raises
    ------
    ValueError
        If there is nothing to choose from, or a dim appears twice.
    IndexError
        If ``x`` has no such dim.

    Examples
    --------
    >>> kael.amax(kael.tensor([[1, 5], [3, 2]]), 1).tolist()
    [5, 3]
    """
    return extreme("amax", _MAX, x, dim, keepdim)


def amin(x, dim=None, keepdim=False):
    """The least element of ``dim``; NaN where there is one, -0 before +0.

    Parameters
    ----------
    x : Tensor
    dim, keepdim
        As for :func:`amax`, which also says what is raised.

    Returns
    -------
    Tensor
        Its gradient is shared evenly by the elements that are the least.
    """
    return extreme("amin", _MIN, x, dim, keepdim)


def max(x, dim=None, keepdim=False):
    """The greatest element of ``x``; with ``dim``, the greatest along it and where it stands first.

    Parameters
    ----------
    x : Tensor
    dim : int or Tensor, optional
        A tensor here means :func:`maximum` of the two.
    keepdim : bool
        Keep the reduced dim, with size 1.

    Returns
    -------
    Tensor, or a named tuple (values, indices)
        NaN counts as the greatest. The gradient of ``values`` goes to the elements at ``indices``;
        without ``dim`` it is that of :func:`amax`.

    Raises
    ------
    ValueError
        If there is nothing to choose from.
    IndexError
        If ``x`` has no such dim.

    Examples
    --------
    >>> kael.tensor([3, 7, 7]).max(0).indices.item()
    1
    """
    return _max_or_min("max", True, x, dim, keepdim)


def min(x, dim=None, keepdim=False):
    """The least element of ``x``; with ``dim``, the least along it and where it stands first.

    Parameters
    ----------
    x : Tensor
    dim, keepdim
        As for :func:`max`; a tensor means :func:`minimum` of the two.

    Returns
    -------
    Tensor, or a named tuple (values, indices)
        NaN counts as the least. Gradients and errors are as for :func:`max`.
    """
    return _max_or_min("min", False, x, dim, keepdim)


def argmax(x, dim=None, keepdim=False):
    """Where the greatest element stands first.

    Parameters
    ----------
    x : Tensor
    dim : int, optional
        Along this dim, or in the flattened tensor.
    keepdim : bool
        Keep the reduced dims, with size 1.

    Returns
    -------
    Tensor of int64
        The first NaN counts as the greatest.

    Raises
    ------
    ValueError
        If there is nothing to choose from.
    IndexError
        If ``x`` has no such dim.

    Examples
    --------
    >>> kael.argmax(kael.tensor([3, 7, 7])).item()
    1
    """
    require_tensor("argmax", x)
    return kernels.reduce(_ARGMAX, x, dim, keepdim)


def argmin(x, dim=None, keepdim=False):
    """Where the least element stands first.

    Parameters
    ----------
    x : Tensor
    dim, keepdim
        As for :func:`argmax`, which also says what is raised.

    Returns
    -------
    Tensor of int64
        The first NaN counts as the least.
    """
    require_tensor("argmin", x)
    return kernels.reduce(_ARGMIN, x, dim, keepdim)


def extreme(name, reduction, x, dim, keepdim):
    """The greatest or least of ``dim``, by a reduction's number; its gradient is shared evenly."""
    require_tensor(name, x)
    out = kernels.reduce(reduction, x, dim, keepdim, op=name)
    if not needs_grad(x):
        return out
    best = out.detach().reshape(kernels.kept_shape(x, dim))

    def gradient(g):
        chosen = (x == best).logical_or((x != x).logical_and(best != best))
        count = kernels.reduce(_SUM, chosen, dim, True)
        share = spread(g.reshape(best.shape) / count.to(g.dtype), x, dim)
        return (elementwise.where(chosen, share, number(0, g.dtype_code)),)

    return record(name, out, (x,), gradient, saved=(x, best))


def _max_or_min(name, greatest, x, dim, keepdim):
    if dim is None:
        return extreme(name, _MAX if greatest else _MIN, x, None, keepdim)
    require_tensor(name, x)
    if isinstance(dim, TensorBase):
        return (x.maximum if greatest else x.minimum)(dim)
    values, indices = kernels.extreme(greatest, x, dim, keepdim)

    def gradient(g):
        return (kernels.scatter(elementwise.contiguous(g), indices, x, dim),)

    return Extremes(record(name, values, (x,), gradient, saved=(indices,)), indices)


def any(x, dim=None, keepdim=False):
    """Whether an element of ``dim`` is not zero (NaN is not); of none, False.

    Parameters
    ----------
    x : Tensor
    dim, keepdim
        As for :func:`sum`, which also says what is raised for them.

    Returns
    -------
    Tensor of bool
    """
    return _truth("any", x, dim, keepdim)


def all(x, dim=None, keepdim=False):
    """Whether every element of ``dim`` is not zero (NaN is not); of none, True.

    Parameters
    ----------
    x : Tensor
    dim, keepdim
        As for :func:`sum`, which also says what is raised for them.

    Returns
    -------
    Tensor of bool
    """
    return _truth("all", x, dim, keepdim)


def _truth(name, x, dim, keepdim):
    require_tensor(name, x)
    return kernels.truth(name == "all", x if x.dtype is bool_ else x != 0, dim, keepdim)


def spreading(x, dim):
    """The function that gives every element of x the gradient of its output; x itself may go."""
    kept, dtype, shape = kernels.kept_shape(x, dim), x.dtype, x.shape

    def wide(g):
        g = g if g.dtype is dtype else g.to(dtype)
        return views.expand(g.reshape(kept), shape, "expand")

    return wide


def spread(g, x, dim):
    return spreading(x, dim)(g)
