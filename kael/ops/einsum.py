"""Einstein summation, lowered to views and batched matrix products."""

from math import prod

from kael._kernels import views
from kael._kernels.tensor import require_tensor
from kael.autograd import needs_grad, record
from kael.ops.matmul import product
from kael.ops.shape import broadcast_shapes, unbroadcast

__all__ = ["einsum"]


def einsum(equation, *operands):
    """Sums of products over named dims: ``"bij,bjk->bik"`` is a batched matrix product.

    A letter names a dim of each operand; ``...`` stands for the dims without a name. A letter that
    stands twice in an operand takes its diagonal; one that is not behind ``->`` is summed. Without
    ``->`` the result has the letters that occur once, in alphabetical order, after ``...``. Dims of
    size 1 are broadcast.

    Two operands are one batched :func:`matmul` (R2 of docs/promise.md; the summed dims are numbered
    row-major in the order in which the first operand names them), :func:`dot` where every dim is
    summed (R3), or a product of elements where none is. Views are read as they lie: an operand is
    copied only where several summed dims do not step through its memory as one. More operands are
    contracted from left to right.

    Parameters
    ----------
    equation : str
    *operands : Tensor
        Of one dtype; or one list of them.

    Returns
    -------
    Tensor
        A view of a single operand where nothing is summed.

    Raises
    ------
    TypeError
        If the dtypes differ, or are bool where something is multiplied or summed.
    ValueError
        If the equation does not fit the operands, or sizes of one name differ.

    Examples
    --------
    >>> import kael
    >>> a = kael.arange(6.0).reshape(2, 3)
    >>> kael.einsum("ij,kj->ik", a, a).tolist()
    [[5.0, 14.0], [14.0, 50.0]]
    >>> kael.einsum("ij->ji", a).shape
    (3, 2)
    >>> kael.einsum("ii->", kael.eye(3)).item()
    3.0
    """
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    if not isinstance(equation, str):
        raise TypeError(f"einsum: the equation must be a str, got {type(equation).__name__}")
    require_tensor("einsum", *operands)
    inputs, output = _parse(equation, operands)
    _check_dtypes(operands, {name for names in inputs for name in names} - set(output))
    terms = [_diagonals(x, names) for x, names in zip(operands, inputs, strict=True)]
    x, names = terms[0]
    for at, (other, other_names) in enumerate(terms[1:], 1):
        keep = {*output, *(name for _, later in terms[at + 1 :] for name in later)}
        x, names = _contract(x, names, other, other_names, keep)
    x, names = _sum_others(x, names, output)
    if names == output and x is not operands[0]:
        return x
    return x.permute([names.index(name) for name in output])


# ---- The equation ----
#
# Names are letters, and for the dims of `...` their number counted from the back.


def _parse(equation, operands):
    """The names of each operand's dims, and those of the result."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise ValueError(f"einsum: {equation!r} is for {len(terms)} operands, got {len(operands)}")
    inputs = [_dims(equation, term, x.ndim) for term, x in zip(terms, operands, strict=True)]
    sizes = _sizes(equation, inputs, operands)
    unnamed = sorted((name for name in sizes if isinstance(name, int)), reverse=True)
    if not arrow:
        letters = [name for names in inputs for name in names if isinstance(name, str)]
        return inputs, unnamed + sorted(name for name in letters if letters.count(name) == 1)
    output = _names(equation, right, unnamed)
    for name in output:
        if output.count(name) > 1 or name not in sizes:
            raise ValueError(
                f"einsum: {name!r} of the result must occur in an operand, and once in the "
                f"result: {equation!r}"
            )
    return inputs, output


def _names(equation, term, unnamed):
    """The names in a term, in which `...` stands for those of unnamed."""
    head, dots, tail = term.partition("...")
    letters = head + tail
    if letters and not (letters.isascii() and letters.isalpha()):
        raise ValueError(f"einsum: {term!r} in {equation!r} must be letters and at most one '...'")
    return [*head, *(unnamed if dots else ()), *tail]


def _dims(equation, term, ndim):
    """The names of the dims of an operand."""
    count = ndim - len(term.replace("...", ""))
    names = _names(equation, term, range(count - 1, -1, -1))
    if len(names) != ndim:
        raise ValueError(f"einsum: {term!r} in {equation!r} does not name {ndim} dims")
    return names


def _sizes(equation, inputs, operands):
    """The size of each name; 1 gives way to any other, but not within one operand."""
    sizes = {}
    for names, x in zip(inputs, operands, strict=True):
        own = {}
        for name, size in zip(names, x.shape, strict=True):
            own.setdefault(name, size)
            known = sizes.get(name, 1)
            if own[name] != size or (known != size and 1 not in (known, size)):
                other = own[name] if own[name] != size else known
                raise ValueError(f"einsum: {name!r} has sizes {other} and {size} in {equation!r}")
            if known == 1:
                sizes[name] = size
    return sizes


def _check_dtypes(operands, summed):
    dtypes = {x.dtype.name: x.dtype for x in operands}
    if len(dtypes) > 1:
        raise TypeError(f"einsum: dtypes differ: {', '.join(x.dtype.name for x in operands)}")
    if "bool" in dtypes and (len(operands) > 1 or summed):
        raise TypeError("einsum: not defined for bool")


# ---- One step ----


def _diagonals(x, names):
    """x without names that occur twice."""
    for name in dict.fromkeys(names):
        while names.count(name) > 1:
            first = names.index(name)
            second = names.index(name, first + 1)
            x = x.diagonal(0, first, second)
            names = [*(n for at, n in enumerate(names) if at not in (first, second)), name]
    return x, names


def _sum_others(x, names, keep):
    """x summed over the names that are not in keep."""
    dims = tuple(at for at, name in enumerate(names) if name not in keep)
    if not dims:
        return x, names
    return x.sum(dims, dtype=x.dtype), [name for name in names if name in keep]


def _contract(a, a_names, b, b_names, keep):
    """The product of two operands, summed over the names that are not in keep."""
    a, a_names = _sum_others(a, a_names, keep.union(b_names))
    b, b_names = _sum_others(b, b_names, keep.union(a_names))
    out, names = _product(a.detach(), a_names, b.detach(), b_names, keep)
    if not needs_grad(a, b):
        return out, names
    a_shape, b_shape = a.shape, b.shape
    read_a = a.detach() if b.requires_grad else None
    read_b = b.detach() if a.requires_grad else None

    def gradient(g):
        return (
            None if read_b is None else _gradient(g, names, read_b, b_names, a_names, a_shape),
            None if read_a is None else _gradient(g, names, read_a, a_names, b_names, b_shape),
        )

    saved = tuple(x for x in (read_a, read_b) if x is not None)
    return record("einsum", out, (a, b), gradient, saved), names


def _gradient(g, names, other, other_names, wanted, shape):
    """The product of g and the other operand, as the dims `wanted` of this shape.

    Its order of summation is that of the names, too, not of what layouts allow to merge.
    """
    out, names = _product(g, names, other, other_names, set(wanted))
    out = out.permute([names.index(name) for name in wanted])
    summed = [1 if size == 1 else n for size, n in zip(shape, out.shape, strict=True)]
    # A summed dim in which only the other operand is of size 1 has one gradient for all of it.
    return unbroadcast(out, summed).expand(shape)


def _product(a, a_names, b, b_names, keep):
    """The product of two operands without names that only one has and keep lacks."""
    common = [name for name in a_names if name in b_names]
    batch = [name for name in common if name in keep]
    inner = [name for name in common if name not in keep]
    rows = [name for name in a_names if name not in b_names]
    columns = [name for name in b_names if name not in a_names]
    names = batch + rows + columns
    if not inner:
        return _spread(a, a_names, names) * _spread(b, b_names, names), names
    a, b = _spread(a, a_names, batch + rows + inner), _spread(b, b_names, batch + columns + inner)
    if not names:
        shape = broadcast_shapes(a.shape, b.shape)
        return product("einsum", *(x.expand(shape).reshape(-1) for x in (a, b))), names
    return _multiply(a, b, len(batch), len(inner)), names


def _spread(x, names, wanted):
    """x with the dims `wanted` in this order, of size 1 where x lacks them."""
    x = x.permute([names.index(name) for name in wanted if name in names])
    for at, name in enumerate(wanted):
        if name not in names:
            x = x.unsqueeze(at)
    return x


def _multiply(a, b, batch, inner):
    """a[batch.., rows.., inner..] @ b[batch.., columns.., inner..]: [batch.., rows.., columns..]"""
    rows, columns = a.shape[batch : a.ndim - inner], b.shape[batch : b.ndim - inner]
    sizes = [
        n if m == 1 else m
        for m, n in zip(a.shape[a.ndim - inner :], b.shape[b.ndim - inner :], strict=True)
    ]
    a, b = _matrices(a, batch, sizes), _matrices(b, batch, sizes)
    a_lanes, b_lanes = a.ndim - batch - 2, b.ndim - batch - 2
    a = a.reshape(*a.shape[: batch + a_lanes], *(1,) * b_lanes, *a.shape[-2:])
    b = b.reshape(*b.shape[:batch], *(1,) * a_lanes, *b.shape[batch:])
    out = product("einsum", a, b.mT)
    if b_lanes:
        out = out.movedim(-2, batch + a_lanes)
    return out.reshape(*out.shape[:batch], *rows, *columns)


def _matrices(x, batch, inner):
    """x[batch.., lanes.., inner..] with the inner dims as one, and the lanes, too, if a view can.

    Else all lanes but the last are left to be part of a batch.
    """
    lanes = x.shape[batch : x.ndim - len(inner)]
    x = x.expand(*x.shape[: x.ndim - len(inner)], *inner)
    x = x.reshape(*x.shape[:batch], *lanes, prod(inner))
    merged = (*x.shape[:batch], prod(lanes), x.shape[-1])
    return x if views.reshape(x, merged, "einsum") is None else x.reshape(merged)
