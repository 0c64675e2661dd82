"""Elements chosen by positions along a dim, or by masks."""

from kael._kernels import elementwise, views
from kael._kernels import indexing as kernels
from kael._kernels.creation import zeros
from kael._kernels.tensor import TensorBase, require_tensor
from kael.dtypes import bool_, int64
from kael.ops.conversion import contiguous, to
from kael.ops.elementwise import choose
from kael.ops.indexing import getitem, take
from kael.ops.shape import joined_shape

__all__ = [
    "gather", "index_select", "masked_fill", "masked_select", "nonzero", "take_along_dim",
]  # fmt: skip


def index_select(x, dim, index):
    """``x`` at positions of a dim.

    Parameters
    ----------
    x : Tensor
    dim : int
    index : Tensor, shape (count,)
        Integers; negative ones count from the end.

    Returns
    -------
    Tensor
        A copy, of size ``count`` along ``dim``.

    Raises
    ------
    IndexError
        If ``index`` is no vector of integers, or a position or ``dim`` is out of range.

    Examples
    --------
    >>> kael.index_select(kael.arange(4) * 10, 0, kael.tensor([3, 0])).tolist()
    [30, 0]
    """
    _check_positions("index_select", x, index)
    at = views.normalize_dim(dim, x.ndim, "index_select")
    if index.ndim > 1:
        raise IndexError(f"index_select: index must be 1-D, its shape is {index.shape}")
    if x.ndim == 0:
        raise IndexError("index_select: a 0-d tensor has no dim to select from")
    try:
        return getitem(x, (slice(None),) * at + (index.reshape(-1),))
    except IndexError as error:
        raise IndexError(f"index_select: {error}") from None


def gather(x, dim, index):
    """``out[i, j] = x[index[i, j], j]`` for ``dim`` 0, and alike for any dim.

    Parameters
    ----------
    x : Tensor
    dim : int
    index : Tensor
        Integers, of which negative ones count from the end; of as many dims as ``x``, and nowhere
        longer beside ``dim``.

    Returns
    -------
    Tensor, of the shape of ``index``

    Raises
    ------
    IndexError
        If ``index`` is not as described, or a position or ``dim`` is out of range.

    Examples
    --------
    >>> kael.gather(kael.tensor([[1, 2], [3, 4]]), 1, kael.tensor([[1], [0]])).tolist()
    [[2], [3]]
    """
    return _gather("gather", x, dim, index)


def _gather(op, x, dim, index):
    _check_positions(op, x, index)
    at = views.normalize_dim(dim, x.ndim, op)
    if index.ndim != x.ndim or any(
        n > size for d, (n, size) in enumerate(zip(index.shape, x.shape, strict=True)) if d != at
    ):
        raise IndexError(f"{op}: index shape {index.shape} does not fit {x.shape} at dim {dim}")
    chosen = elementwise.contiguous(to(index.detach(), int64))
    if x.ndim == 0:
        return getitem(x.reshape(1), chosen)
    flat = contiguous(x).reshape(-1)
    return take(flat, kernels.positions_along(chosen, list(x.shape), at, op), 1)


def take_along_dim(x, indices, dim=None):
    """:func:`gather` with ``x`` and ``indices`` broadcast beside ``dim``.

    Parameters
    ----------
    x : Tensor
    indices : Tensor
        Integers; negative ones count from the end.
    dim : int, optional
        Without it both are taken as vectors.

    Returns
    -------
    Tensor

    Raises
    ------
    IndexError
        As :func:`gather`.
    ValueError
        If the two have different numbers of dims, or do not broadcast.
    """
    _check_positions("take_along_dim", x, indices)
    if dim is None:
        return _gather("take_along_dim", x.reshape(-1), 0, indices.reshape(-1))
    at = views.normalize_dim(dim, x.ndim, "take_along_dim")
    if indices.ndim != x.ndim:
        raise ValueError(f"take_along_dim: shapes {x.shape} and {indices.shape} differ in dims")
    beside = [(*t.shape[:at], 1, *t.shape[at + 1 :]) for t in (x, indices)]
    sizes = joined_shape("take_along_dim", *beside)
    wide = [*sizes[:at], x.shape[at], *sizes[at + 1 :]]
    chosen = [*sizes[:at], indices.shape[at], *sizes[at + 1 :]]
    return _gather("take_along_dim", x.expand(wide), at, indices.expand(chosen))


def _check_positions(op, x, index):
    """Positions are integers; a bool, which indexing reads as a mask, is refused as a float is."""
    require_tensor(op, x, index)
    if index.dtype is bool_ or index.dtype.is_floating_point:
        raise IndexError(f"{op}: the index must be of integer dtype, got {index.dtype.name}")


def masked_fill(x, mask, value):
    """``x`` with ``value`` wherever ``mask`` is true.

    Parameters
    ----------
    x : Tensor
    mask : Tensor of bool
        Broadcast with ``x``; TypeError for another dtype.
    value : number or Tensor

    Returns
    -------
    Tensor
        In the dtype to which ``x`` and ``value`` promote.
    """
    _check_mask(x, mask, "masked_fill")
    shape = joined_shape("masked_fill", x.shape, mask.shape)
    if isinstance(value, TensorBase):
        joined_shape("masked_fill", shape, value.shape)
    return choose("masked_fill", mask, value, x)


def masked_select(x, mask):
    """The elements of ``x`` where ``mask`` is true, in row-major order.

    Parameters
    ----------
    x : Tensor
    mask : Tensor of bool
        Broadcast with ``x``; TypeError for another dtype.

    Returns
    -------
    Tensor, shape (count,)

    Examples
    --------
    >>> x = kael.tensor([3.0, -1.0, 2.0])
    >>> kael.masked_select(x, x > 0).tolist()
    [3.0, 2.0]
    """
    _check_mask(x, mask, "masked_select")
    shape = joined_shape("masked_select", x.shape, mask.shape)
    return getitem(x.expand(shape), mask.expand(shape))


def _check_mask(x, mask, op):
    require_tensor(op, x, mask)
    if mask.dtype is not bool_:
        raise TypeError(f"{op}: the mask must be of dtype bool, got {mask.dtype.name}")


def nonzero(x):
    """The indices of the elements that are not zero.

    Parameters
    ----------
    x : Tensor

    Returns
    -------
    Tensor of int64, shape (count, x.ndim)
        One row for each element, in row-major order.

    Examples
    --------
    >>> kael.nonzero(kael.tensor([0, 7, 9])).tolist()
    [[1], [2]]
    """
    require_tensor("nonzero", x)
    found = kernels.nonzero(elementwise.contiguous(to(x, bool_)))
    if not found:
        return zeros((int(bool(x)), 0), int64.code)
    out = zeros((found[0].numel(), x.ndim), int64.code)
    for d, column in enumerate(found):
        elementwise.copy_(views.basic_index(out, (slice(None), d)), column)
    return out
