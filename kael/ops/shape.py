"""Operations that only rearrange: views where the memory allows it, copies otherwise.

Each gradient is the opposite rearrangement, so it stands inside its operation.
"""

import operator

from kael._kernels import elementwise, views
from kael._kernels.creation import zeros
from kael._kernels.tensor import empty, require_tensor
from kael.autograd import record

__all__ = [
    "broadcast_shapes", "broadcast_to", "cat", "chunk", "diagonal", "flatten", "flip", "movedim",
    "narrow", "permute", "reshape", "select", "split", "squeeze", "stack", "t", "transpose",
    "unbind", "unsqueeze",
]  # fmt: skip


def _sizes(given):
    """The sizes of ``f(x, 2, 3)`` or ``f(x, (2, 3))``."""
    return tuple(given[0]) if len(given) == 1 and not hasattr(given[0], "__index__") else given


def _dims(dim, ndim, op):
    """An int or several, counted from the front; ValueError for the same dim twice."""
    given = (dim,) if hasattr(dim, "__index__") else tuple(dim)
    dims = [views.normalize_dim(d, ndim, op) for d in given]
    if len(set(dims)) != len(dims):
        raise ValueError(f"{op}: a dim appears twice in {given}")
    return dims


def reshape(x, *shape):
    """The same elements in row-major order under another shape; one size may be -1.

    A view where the strides allow it, a copy otherwise. ValueError for another number of elements.

    Examples
    --------
    >>> kael.arange(6).reshape(2, -1).shape
    (2, 3)
    """
    require_tensor("reshape", x)
    sizes = _sizes(shape)
    out = views.reshape(x, sizes, "reshape")
    if out is None:
        out = views.reshape(elementwise.contiguous(x), sizes, "reshape")
    former = x.shape
    return record("reshape", out, (x,), lambda g: (reshape(g, former),))


def view(x, *shape):
    """:func:`reshape` that never copies; RuntimeError where only a copy has the shape."""
    require_tensor("view", x)
    out = views.reshape(x, _sizes(shape), "view")
    if out is None:
        raise RuntimeError(
            f"view: shape {x.shape} with strides {x.stride()} has no view of shape "
            f"{_sizes(shape)}; use reshape"
        )
    former = x.shape
    return record("view", out, (x,), lambda g: (reshape(g, former),))


def flatten(x, start_dim=0, end_dim=-1):
    """Dims ``start_dim`` to ``end_dim``, both included, as one."""
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
    """The view whose dim i is dim ``dims[i]`` of x."""
    require_tensor("permute", x)
    dims = _sizes(dims)
    out = views.permute(x, dims)

    def gradient(g):
        back = [0] * g.ndim
        for at, dim in enumerate(dims):
            back[dim] = at
        return (views.permute(g, back),)

    return record("permute", out, (x,), gradient)


def transpose(x, dim0, dim1):
    """The view with two dims exchanged."""
    require_tensor("transpose", x)
    out = views.transpose(x, dim0, dim1)
    return record("transpose", out, (x,), lambda g: (views.transpose(g, dim0, dim1),))


def t(x):
    """The transpose of a matrix; x itself with fewer dims."""
    require_tensor("t", x)
    if x.ndim > 2:
        raise RuntimeError(f"t: at most 2 dims are allowed, the shape is {x.shape}")
    return transpose(x, 0, 1) if x.ndim == 2 else x


def diagonal(x, offset=0, dim1=0, dim2=1):
    """The view of the elements with index i along ``dim1`` and i + ``offset`` along ``dim2``.

    The two dims are gone; i is the last dim.

    Examples
    --------
    >>> kael.arange(6).reshape(2, 3).diagonal(1).tolist()
    [1, 5]
    """
    require_tensor("diagonal", x)
    offset = operator.index(offset)
    out = views.diagonal(x, offset, dim1, dim2)
    former = x.shape

    def gradient(g):
        whole = zeros(former, g.dtype_code)
        elementwise.copy_(views.diagonal(whole, offset, dim1, dim2), g)
        return (whole,)

    return record("diagonal", out, (x,), gradient)


def movedim(x, source, destination):
    """Dims ``source`` moved to the places ``destination``; the others keep their order."""
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


def expand(x, *shape):
    """The view that repeats dims of size 1, and new leading dims; -1 keeps a size."""
    require_tensor("expand", x)
    out = views.expand(x, _sizes(shape))
    former = x.shape
    return record("expand", out, (x,), lambda g: (unbroadcast(g, former),))


def broadcast_to(x, shape):
    """:func:`expand` under NumPy's name."""
    require_tensor("broadcast_to", x)
    return expand(x, shape)


def broadcast_shapes(*shapes):
    """The shape that operands of these shapes broadcast to; ValueError when there is none."""
    out = []
    for back in range(1, max((len(s) for s in shapes), default=0) + 1):
        sizes = {s[-back] for s in shapes if len(s) >= back} - {1}
        if len(sizes) > 1:
            raise ValueError(f"shapes {', '.join(map(str, shapes))} do not broadcast")
        out.append(sizes.pop() if sizes else 1)
    return tuple(reversed(out))


def unbroadcast(g, shape):
    """``g`` summed over the dims that broadcasting ``shape`` to its own added or repeated."""
    if g.shape == tuple(shape):
        return g
    lead = g.ndim - len(shape)
    dims = [*range(lead), *(d + lead for d, n in enumerate(shape) if n == 1 != g.shape[d + lead])]
    return reshape(g.sum(tuple(dims), keepdim=True) if dims else g, shape)


def unsqueeze(x, dim):
    """The view with a new dim of size 1 at ``dim``."""
    require_tensor("unsqueeze", x)
    at = views.normalize_dim(dim, x.ndim + 1, "unsqueeze")
    return _same_elements("unsqueeze", x, (slice(None),) * at + (None,))


def squeeze(x, dim=None):
    """The view without its dims of size 1, or without those among ``dim`` (an int or a tuple)."""
    require_tensor("squeeze", x)
    dims = _dims(range(x.ndim) if dim is None else dim, x.ndim, "squeeze")
    index = (0 if d in dims and size == 1 else slice(None) for d, size in enumerate(x.shape))
    return _same_elements("squeeze", x, tuple(index))


def _same_elements(name, x, index):
    """A view by an index that drops no element: the gradient is a reshape."""
    former = x.shape
    out = views.basic_index(x, index)
    return record(name, out, (x,), lambda g: (reshape(g, former),))


def narrow(x, dim, start, length):
    """The view of ``length`` indices from ``start`` on along ``dim``."""
    require_tensor("narrow", x)
    at = views.normalize_dim(dim, x.ndim, "narrow")
    size = x.shape[at]
    first = start + size if start < 0 else start
    if length < 0 or first < 0 or first + length > size:
        raise IndexError(f"narrow: {length} from {start} on exceeds size {size} of dim {dim}")
    return x[(slice(None),) * at + (slice(first, first + length),)]


def select(x, dim, index):
    """The view at one ``index`` of ``dim``, without that dim."""
    require_tensor("select", x)
    at = views.normalize_dim(dim, x.ndim, "select")
    return x[(slice(None),) * at + (index,)]


def unbind(x, dim=0):
    """The tuple of views at each index of ``dim``."""
    require_tensor("unbind", x)
    at = views.normalize_dim(dim, x.ndim, "unbind")
    if x.ndim == 0:
        raise RuntimeError("unbind: a 0-d tensor has no dim to take apart")
    return tuple(select(x, at, i) for i in range(x.shape[at]))


def split(x, split_size_or_sections, dim=0):
    """Views along ``dim``: of one size, the last being shorter, or of the sizes given.

    ValueError for a size that is not positive, or sizes that do not add up.
    """
    require_tensor("split", x)
    at = views.normalize_dim(dim, x.ndim, "split")
    total = x.shape[at]
    sizes = split_size_or_sections
    if isinstance(sizes, int):
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
    """At most ``chunks`` views along ``dim``, of one size but the last."""
    require_tensor("chunk", x)
    if chunks <= 0:
        raise ValueError(f"chunk: the number of chunks must be positive, got {chunks}")
    size = x.shape[views.normalize_dim(dim, x.ndim, "chunk")]
    return split(x, max(1, -(-size // chunks)), dim)


def flip(x, dims):
    """A copy with the order of the indices reversed along ``dims``."""
    require_tensor("flip", x)
    dims = _dims(dims, x.ndim, "flip")
    index = tuple(slice(None, None, -1) if d in dims else slice(None) for d in range(x.ndim))
    out = elementwise.convert(views.basic_index(x, index), x.dtype_code)
    return record("flip", out, (x,), lambda g: (views.basic_index(g, index),))


def cat(tensors, dim=0):
    """The tensors one after another along ``dim``, in the dtype that holds all of them.

    ValueError for an empty list, or for shapes that differ in another dim.

    Examples
    --------
    >>> kael.cat([kael.zeros(1, 2), kael.ones(2, 2)]).shape
    (3, 2)
    """
    tensors = _tensors(tensors, "cat")
    first = tensors[0]
    at = views.normalize_dim(dim, first.ndim, "cat")
    if first.ndim == 0:
        raise ValueError("cat: tensors of 0 dims cannot be joined; use stack")
    for x in tensors:
        if x.ndim != first.ndim or x.shape[:at] + x.shape[at + 1 :] != (
            first.shape[:at] + first.shape[at + 1 :]
        ):
            raise ValueError(f"cat: shapes {first.shape} and {x.shape} differ beside dim {dim}")
    sizes = [x.shape[at] for x in tensors]
    shape = (*first.shape[:at], sum(sizes), *first.shape[at + 1 :])
    out = empty(shape, max(x.dtype_code for x in tensors))
    for part, x in zip(_pieces(out, at, sizes), tensors, strict=True):
        elementwise.copy_(part, x)

    def gradient(g):
        pairs = zip(_pieces(g, at, sizes), tensors, strict=True)
        return tuple(p.to(x.dtype) if x.requires_grad else None for p, x in pairs)

    return record("cat", out, tensors, gradient)


def stack(tensors, dim=0):
    """The tensors, all of one shape, along a new dim at ``dim``."""
    tensors = _tensors(tensors, "stack")
    for x in tensors:
        if x.shape != tensors[0].shape:
            raise ValueError(f"stack: shapes {tensors[0].shape} and {x.shape} differ")
    return cat([unsqueeze(x, dim) for x in tensors], dim)


def _tensors(tensors, op):
    tensors = tuple(tensors)
    if not tensors:
        raise ValueError(f"{op}: at least one tensor is needed")
    require_tensor(op, *tensors)
    return tensors


def _pieces(x, at, sizes):
    """Views of x along dim ``at``, one per size."""
    first = 0
    for size in sizes:
        yield views.basic_index(x, (slice(None),) * at + (slice(first, first + size),))
        first += size
