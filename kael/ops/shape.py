"""Other shapes and orders of the same elements: views where the memory allows it, else copies.

Each gradient is the opposite rearrangement, so it stands inside its operation.
"""

from kael._kernels import elementwise, views
from kael._kernels.tensor import require_tensor
from kael.autograd import record
from kael.checks import items

__all__ = [
    "broadcast_shapes", "broadcast_to", "flatten", "permute", "reshape", "t", "transpose",
]  # fmt: skip


def _sizes(op, given):
    """The sizes of ``f(x, 2, 3)`` or ``f(x, (2, 3))``."""
    if len(given) == 1 and not hasattr(given[0], "__index__"):
        return items(op, "sizes", given[0])
    return given


def reshape(x, *shape):
    """The same elements in row-major order under another shape; a view where the strides allow it.

    Parameters
    ----------
    x : Tensor
    *shape : int or sequence of int
        One size may be -1: what the others leave.

    Returns
    -------
    Tensor
        A view of ``x``, or a packed copy.

    Raises
    ------
    ValueError
        If the sizes do not hold the elements of ``x``, or more than one is -1.

    Examples
    --------
    >>> kael.arange(6).reshape(2, -1).shape
    (2, 3)
    """
    require_tensor("reshape", x)
    sizes = _sizes("reshape", shape)
    out = views.reshape(x, sizes, "reshape")
    if out is None:
        out = views.reshape(elementwise.contiguous(x), sizes, "reshape")
    former = x.shape
    return record("reshape", out, (x,), lambda g: (reshape(g, former),))


def view(x, *shape):
    """:func:`reshape` that never copies.

    Parameters
    ----------
    x : Tensor
    *shape : int or sequence of int
        One size may be -1: what the others leave.

    Returns
    -------
    Tensor
        On the memory of ``x``.

    Raises
    ------
    ValueError
        As :func:`reshape`.
    RuntimeError
        If only a copy can have the shape.
    """
    require_tensor("view", x)
    sizes = _sizes("view", shape)
    out = views.reshape(x, sizes, "view")
    if out is None:
        raise RuntimeError(
            f"view: shape {x.shape} with strides {x.stride()} has no view of shape "
            f"{sizes}; use reshape"
        )
    former = x.shape
    return record("view", out, (x,), lambda g: (reshape(g, former),))


def flatten(x, start_dim=0, end_dim=-1):
    """Dims ``start_dim`` to ``end_dim``, both included, as one.

    Parameters
    ----------
    x : Tensor
    start_dim, end_dim : int

    Returns
    -------
    Tensor
        As :func:`reshape`: a view where the strides allow it.

    Raises
    ------
    IndexError
        If ``x`` has no such dim.
    RuntimeError
        If ``start_dim`` lies behind ``end_dim``.

    Examples
    --------
    >>> kael.flatten(kael.zeros(2, 3, 4), 1).shape
    (2, 12)
    """
    require_tensor("flatten", x)
    start = views.normalize_dim(start_dim, x.ndim, "flatten")
    end = views.normalize_dim(end_dim, x.ndim, "flatten")
    if start > end:
        raise RuntimeError(f"flatten: start_dim {start_dim} lies behind end_dim {end_dim}")
    count = 1
    for size in x.shape[start : end + 1]:
        count *= size
    return reshape(x, (*x.shape[:start], count, *x.shape[end + 1 :]))


def permute(x, *dims):
    """The view whose dim i is dim ``dims[i]`` of ``x``.

    Parameters
    ----------
    x : Tensor
    *dims : int or sequence of int
        Every dim of ``x`` once.

    Returns
    -------
    Tensor

    Raises
    ------
    ValueError
        If a dim is missing or repeated.
    IndexError
        If ``x`` has no such dim.

    Examples
    --------
    >>> kael.permute(kael.zeros(2, 3, 4), (2, 0, 1)).shape
    (4, 2, 3)
    """
    require_tensor("permute", x)
    dims = _sizes("permute", dims)
    out = views.permute(x, dims)

    def gradient(g):
        back = [0] * g.ndim
        for at, dim in enumerate(dims):
            back[dim] = at
        return (views.permute(g, back),)

    return record("permute", out, (x,), gradient)


def transpose(x, dim0, dim1):
    """The view with two dims exchanged.

    Parameters
    ----------
    x : Tensor
    dim0, dim1 : int

    Returns
    -------
    Tensor

    Raises
    ------
    IndexError
        If ``x`` has no such dim.
    """
    require_tensor("transpose", x)
    out = views.transpose(x, dim0, dim1)
    return record("transpose", out, (x,), lambda g: (views.transpose(g, dim0, dim1),))


def t(x):
    """The transpose of a matrix.

    Parameters
    ----------
    x : Tensor
        Of at most 2 dims; RuntimeError otherwise.

    Returns
    -------
    Tensor
        A view; ``x`` itself where it has fewer than 2 dims.
    """
    require_tensor("t", x)
    if x.ndim > 2:
        raise RuntimeError(f"t: at most 2 dims are allowed, the shape is {x.shape}")
    return transpose(x, 0, 1) if x.ndim == 2 else x


def expand(x, *shape):
    """The view that repeats dims of size 1, and adds leading dims.

    Parameters
    ----------
    x : Tensor
    *shape : int or sequence of int
        -1 keeps the size of a dim.

    Returns
    -------
    Tensor
        With a stride of 0 along what is repeated; it cannot be written to.

    Raises
    ------
    ValueError
        If ``x`` does not broadcast to the shape.

    Examples
    --------
    >>> kael.arange(2).expand(3, -1).tolist()
    [[0, 1], [0, 1], [0, 1]]
    """
    require_tensor("expand", x)
    out = views.expand(x, _sizes("expand", shape))
    former = x.shape
    return record("expand", out, (x,), lambda g: (unbroadcast(g, former),))


def broadcast_to(x, shape):
    """:meth:`Tensor.expand` under NumPy's name.

    Parameters
    ----------
    x : Tensor
    shape : sequence of int

    Returns
    -------
    Tensor
        A view. Errors are those of the method.
    """
    require_tensor("broadcast_to", x)
    return expand(x, items("broadcast_to", "shape", shape))


def broadcast_shapes(*shapes):
    """The shape that operands of these shapes broadcast to.

    Parameters
    ----------
    *shapes : sequence of int

    Returns
    -------
    tuple of int

    Raises
    ------
    ValueError
        If there is none.

    Examples
    --------
    >>> kael.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    shapes = [items("broadcast_shapes", "a shape", shape) for shape in shapes]
    out = []
    for back in range(1, max((len(s) for s in shapes), default=0) + 1):
        sizes = {s[-back] for s in shapes if len(s) >= back} - {1}
        if len(sizes) > 1:
            raise ValueError(f"shapes {', '.join(map(str, shapes))} do not broadcast")
        out.append(sizes.pop() if sizes else 1)
    return tuple(reversed(out))


def joined_shape(op, a, b):
    """:func:`broadcast_shapes` of two, in the name of ``op``."""
    try:
        return broadcast_shapes(a, b)
    except ValueError as error:
        raise ValueError(f"{op}: {error}") from None


def unbroadcast(g, shape):
    """``g`` summed over the dims that broadcasting ``shape`` to its own added or repeated."""
    if g.shape == tuple(shape):
        return g
    lead = g.ndim - len(shape)
    dims = [*range(lead), *(d + lead for d, n in enumerate(shape) if n == 1 != g.shape[d + lead])]
    return reshape(g.sum(tuple(dims), keepdim=True) if dims else g, shape)
