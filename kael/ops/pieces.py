"""Tensors taken apart along a dim, and joined along one: pieces are views, joins are copies."""

from kael._kernels import joining, views
from kael._kernels.tensor import require_tensor
from kael.autograd import needs_grad, record
from kael.checks import integer, items

__all__ = ["cat", "chunk", "narrow", "select", "split", "stack", "unbind"]


def narrow(x, dim, start, length):
    """The view of ``length`` indices of a dim.

    Parameters
    ----------
    x : Tensor
    dim : int
    start : int
        The first index; a negative one counts from the end.
    length : int

    Returns
    -------
    Tensor

    Raises
    ------
    IndexError
        If ``x`` has no such dim, or it ends earlier.

    Examples
    --------
    >>> kael.narrow(kael.arange(5), 0, 1, 3).tolist()
    [1, 2, 3]
    """
    require_tensor("narrow", x)
    at = views.normalize_dim(dim, x.ndim, "narrow")
    size = x.shape[at]
    start, length = integer("narrow", "start", start), integer("narrow", "length", length)
    first = start + size if start < 0 else start
    if length < 0 or first < 0 or first + length > size:
        raise IndexError(f"narrow: {length} from {start} on exceeds size {size} of dim {dim}")
    return x[(slice(None),) * at + (slice(first, first + length),)]


def select(x, dim, index):
    """The view at one index of a dim, without that dim.

    Parameters
    ----------
    x : Tensor
    dim, index : int
        Negative ones count from the end.

    Returns
    -------
    Tensor

    Raises
    ------
    IndexError
        If ``x`` has no such dim, or the dim no such index.
    """
    require_tensor("select", x)
    at = views.normalize_dim(dim, x.ndim, "select")
    index, size = integer("select", "index", index), x.size(at) if x.ndim else 0
    if not -size <= index < size:
        raise IndexError(f"select: index {index} is out of range for dim {dim} of {x.shape}")
    return x[(slice(None),) * at + (index,)]


def unbind(x, dim=0):
    """The views at each index of a dim.

    Parameters
    ----------
    x : Tensor
        Of at least 1 dim; RuntimeError otherwise.
    dim : int

    Returns
    -------
    tuple of Tensor
        Without the dim.
    """
    require_tensor("unbind", x)
    at = views.normalize_dim(dim, x.ndim, "unbind")
    if x.ndim == 0:
        raise RuntimeError("unbind: a 0-d tensor has no dim to take apart")
    return tuple(select(x, at, i) for i in range(x.shape[at]))


def split(x, split_size_or_sections, dim=0):
    """Views along a dim: of one size, the last being shorter, or of given sizes.

    Parameters
    ----------
    x : Tensor
    split_size_or_sections : int or sequence of int
        The size of each piece, or their sizes.
    dim : int

    Returns
    -------
    tuple of Tensor

    Raises
    ------
    ValueError
        If the size is not positive, or the sizes do not add up.
    IndexError
        If ``x`` has no such dim.

    Examples
    --------
    >>> [part.tolist() for part in kael.split(kael.arange(5), 2)]
    [[0, 1], [2, 3], [4]]
    """
    require_tensor("split", x)
    at = views.normalize_dim(dim, x.ndim, "split")
    total = x.shape[at]
    sizes = split_size_or_sections
    if hasattr(sizes, "__iter__"):
        sizes = [integer("split", "a size", size) for size in sizes]
    else:
        sizes = integer("split", "the size", sizes)
        if sizes <= 0:
            raise ValueError(f"split: the size must be positive, got {sizes}")
        sizes = [min(sizes, total - first) for first in range(0, max(total, 1), sizes)]
    if sum(sizes) != total or any(size < 0 for size in sizes):
        raise ValueError(f"split: sizes {list(sizes)} do not add up to {total} at dim {dim}")
    parts, first = [], 0
    for size in sizes:
        parts.append(narrow(x, at, first, size))
        first += size
    return tuple(parts)


def chunk(x, chunks, dim=0):
    """At most ``chunks`` views along a dim, of one size but for the last.

    Parameters
    ----------
    x : Tensor
    chunks : int
        ValueError unless positive.
    dim : int

    Returns
    -------
    tuple of Tensor

    Examples
    --------
    >>> [part.tolist() for part in kael.chunk(kael.arange(5), 2)]
    [[0, 1, 2], [3, 4]]
    """
    require_tensor("chunk", x)
    chunks = integer("chunk", "chunks", chunks)
    if chunks <= 0:
        raise ValueError(f"chunk: the number of chunks must be positive, got {chunks}")
    size = x.shape[views.normalize_dim(dim, x.ndim, "chunk")]
    return split(x, max(1, -(-size // chunks)), dim)


def cat(tensors, dim=0):
    """Tensors one after another along a dim, in the dtype that holds all of them.

    Parameters
    ----------
    tensors : sequence of Tensor
        Of one shape but for ``dim``.
    dim : int

    Returns
    -------
    Tensor

    Raises
    ------
    ValueError
        If there is none, one is 0-D, or shapes differ in another dim.
    IndexError
        If the first has no such dim.

    Examples
    --------
    >>> kael.cat([kael.zeros(1, 2), kael.ones(2, 2)]).shape
    (3, 2)
    """
    tensors = items("cat", "tensors", tensors)
    out = joining.cat(tensors, dim)
    if not needs_grad(*tensors):
        return out
    at = views.normalize_dim(dim, out.ndim, "cat")
    sizes = [x.shape[at] for x in tensors]

    def gradient(g):
        return _shares(_pieces(g, at, sizes), tensors)

    return record("cat", out, tensors, gradient)


def stack(tensors, dim=0):
    """Tensors of one shape along a new dim.

    Parameters
    ----------
    tensors : sequence of Tensor
    dim : int
        Where the new dim stands in the result.

    Returns
    -------
    Tensor

    Raises
    ------
    ValueError
        If there is none, or shapes differ.
    IndexError
        If the result has no such dim.

    Examples
    --------
    >>> kael.stack([kael.zeros(2), kael.ones(2)]).tolist()
    [[0.0, 0.0], [1.0, 1.0]]
    """
    tensors = items("stack", "tensors", tensors)
    out = joining.stack(tensors, dim)
    if not needs_grad(*tensors):
        return out
    at = views.normalize_dim(dim, out.ndim, "stack")

    def gradient(g):
        lead = (slice(None),) * at
        return _shares((views.basic_index(g, (*lead, i)) for i in range(len(tensors))), tensors)

    return record("stack", out, tensors, gradient)


def _shares(parts, tensors):
    """The gradients of joined tensors: parts of that of the result."""
    pairs = zip(parts, tensors, strict=True)
    return tuple(p.to(x.dtype) if x.requires_grad else None for p, x in pairs)


def _pieces(x, at, sizes):
    """Views of x along dim ``at``, one per size."""
    first = 0
    for size in sizes:
        yield views.basic_index(x, (slice(None),) * at + (slice(first, first + size),))
        first += size
