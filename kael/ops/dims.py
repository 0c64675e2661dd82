"""Dims that come and go, move, turn round or meet: views, but for :func:`flip`."""

from kael._kernels import elementwise, views
from kael._kernels.creation import zeros
from kael._kernels.tensor import require_tensor
from kael.autograd import record
from kael.checks import integer, items
from kael.ops.shape import permute, reshape

__all__ = ["diagonal", "flip", "movedim", "squeeze", "unsqueeze"]

BEYOND = 2**63 - 1  # no dim is longer, so no diagonal beyond it has an element


def _dims(dim, ndim, op):
    """An int or several, counted from the front; ValueError for the same dim twice."""
    given = (dim,) if hasattr(dim, "__index__") else items(op, "dim", dim)
    dims = [views.normalize_dim(d, ndim, op) for d in given]
    if len(set(dims)) != len(dims):
        raise ValueError(f"{op}: a dim appears twice in {given}")
    return dims


def diagonal(x, offset=0, dim1=0, dim2=1):
    """The view of the elements with index i along ``dim1`` and i + ``offset`` along ``dim2``.

    Parameters
    ----------
    x : Tensor
    offset : int
    dim1, dim2 : int
        Two different dims.

    Returns
    -------
    Tensor
        Without the two dims; i is the last dim.

    Raises
    ------
    ValueError
        If the dims are the same.
    IndexError
        If ``x`` has no such dim.

    Examples
    --------
    >>> kael.arange(6).reshape(2, 3).diagonal(1).tolist()
    [1, 5]
    """
    require_tensor("diagonal", x)
    offset = integer("diagonal", "offset", offset)
    offset = max(-BEYOND, min(offset, BEYOND))
    out = views.diagonal(x, offset, dim1, dim2)
    former = x.shape

    def gradient(g):
        whole = zeros(former, g.dtype_code)
        elementwise.copy_(views.diagonal(whole, offset, dim1, dim2), g)
        return (whole,)

    return record("diagonal", out, (x,), gradient)


def movedim(x, source, destination):
    """Some dims moved to other places; the rest keep their order.

    Parameters
    ----------
    x : Tensor
    source, destination : int or sequence of int
        Where each dim stands, and where it goes.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    ValueError
        If a dim appears twice, or the two are of different lengths.
    IndexError
        If ``x`` has no such dim.

    Examples
    --------
    >>> kael.movedim(kael.zeros(2, 3, 4), 0, -1).shape
    (3, 4, 2)
    """
    require_tensor("movedim", x)
    source = _dims(source, x.ndim, "movedim")
    destination = _dims(destination, x.ndim, "movedim")
    if len(source) != len(destination):
        raise ValueError(f"movedim: {len(source)} sources for {len(destination)} destinations")
    if x.ndim == 0:
        return x
    order = [d for d in range(x.ndim) if d not in source]
    for place, dim in sorted(zip(destination, source, strict=True)):
        order.insert(place, dim)
    return permute(x, order)


def unsqueeze(x, dim):
    """The view with a new dim of size 1.

    Parameters
    ----------
    x : Tensor
    dim : int
        Where it stands in the result.

    Returns
    -------
    Tensor

    Raises
    ------
    IndexError
        If the result has no such dim.
    """
    require_tensor("unsqueeze", x)
    at = views.normalize_dim(dim, x.ndim + 1, "unsqueeze")
    return _same_elements("unsqueeze", x, (slice(None),) * at + (None,))


def squeeze(x, dim=None):
    """The view without dims of size 1.

    Parameters
    ----------
    x : Tensor
    dim : int or sequence of int, optional
        Drop only these, where their size is 1.

    Returns
    -------
    Tensor

    Raises
    ------
    IndexError
        If ``x`` has no such dim.
    ValueError
        If a dim appears twice.

    Examples
    --------
    >>> kael.squeeze(kael.zeros(1, 3, 1)).shape
    (3,)
    """
    require_tensor("squeeze", x)
    dims = _dims(range(x.ndim) if dim is None else dim, x.ndim, "squeeze")
    index = (0 if d in dims and size == 1 else slice(None) for d, size in enumerate(x.shape))
    return _same_elements("squeeze", x, tuple(index))


def _same_elements(name, x, index):
    """A view by an index that drops no element: the gradient is a reshape."""
    former = x.shape
    out = views.basic_index(x, index)
    return record(name, out, (x,), lambda g: (reshape(g, former),))


def flip(x, dims):
    """A copy with the order of the indices reversed along some dims.

    Parameters
    ----------
    x : Tensor
    dims : int or sequence of int

    Returns
    -------
    Tensor

    Raises
    ------
    IndexError
        If ``x`` has no such dim.
    ValueError
        If a dim appears twice.

    Examples
    --------
    >>> kael.flip(kael.arange(3), 0).tolist()
    [2, 1, 0]
    """
    require_tensor("flip", x)
    dims = _dims(dims, x.ndim, "flip")
    index = tuple(slice(None, None, -1) if d in dims else slice(None) for d in range(x.ndim))
    out = elementwise.convert(views.basic_index(x, index), x.dtype_code)
    return record("flip", out, (x,), lambda g: (views.basic_index(g, index),))
