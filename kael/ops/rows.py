"""Operations on rows along one dim: softmax and its kin, norms, running sums (numerics R3, R5).

Each is one fused kernel a row, forward and backward; a row has the same bits alone, in a batch,
and in any layout.
"""

from kael._kernels import elementwise
from kael._kernels import rows as kernels
from kael._kernels.numbers import number
from kael._kernels.reduce import kept_shape
from kael._kernels.tensor import alias, require_tensor
from kael._kernels.views import normalize_dim
from kael.autograd import needs_grad, record
from kael.checks import flag, integer, real
from kael.dtypes import as_dtype, float32, int64, resolution

__all__ = [
    "causal_softmax", "cumsum", "log_softmax", "logsumexp", "rms_norm", "softmax", "standardize",
]  # fmt: skip

_KERNELS = {
    name: (kernels.ROWS[name], kernels.ROWS[f"{name}_backward"])
    for name in ("softmax", "log_softmax")
}


def softmax(x, dim=-1, dtype=None):
    """exp(x - largest) over the sum of these along ``dim``.

    A row with NaN or +inf, or of only -inf, is all NaN; other rows are untouched.

    Parameters
    ----------
    x : Tensor
        Of floats, unless ``dtype`` is given.
    dim : int
    dtype : DType, optional
        ``x`` is converted first.

    Returns
    -------
    Tensor, of the shape of ``x``

    Raises
    ------
    TypeError
        If the dtype is not of floats.
    IndexError
        If ``x`` has no such dim.

    Notes
    -----
    The sum is the fold of :func:`sum`, in double; the quotients are in the dtype of ``x``: R5 of
    docs/promise.md.

    Examples
    --------
    >>> kael.tensor([1.0, 2.0, 3.0]).softmax(0)
    tensor([0.09003057, 0.24472848, 0.66524094])
    """
    return _along("softmax", x, dim, dtype)


def log_softmax(x, dim=-1, dtype=None):
    """(x - largest) - log(sum of exp(x - largest)) along ``dim``; exact where softmax is 0.

    Parameters
    ----------
    x : Tensor
    dim, dtype
        As for :func:`softmax`, which also says what is raised.

    Returns
    -------
    Tensor, of the shape of ``x``
    """
    return _along("log_softmax", x, dim, dtype)


def _along(name, x, dim, dtype):
    require_tensor(name, x)
    x = x if dtype is None else x.to(dtype)
    dim = normalize_dim(dim, x.ndim, name)
    forward, backward = _KERNELS[name]
    out = kernels.rows(forward, x, dim)
    if not needs_grad(x):
        return out
    y = alias(out)
    return record(name, out, (x,), lambda g: (kernels.rows(backward, y, dim, g),), (y,))


def causal_softmax(x, offset=0):
    """Softmax along the last dim over the triangle that causal attention looks at.

    Row i of the last two dims takes elements j <= i + offset; the others are 0 in the result, are
    never read, and get gradient 0. The bits are those of :func:`softmax` with -inf in their place,
    but no mask is made and half of the exponentials are left out.

    Parameters
    ----------
    x : Tensor, shape (..., queries, keys)
    offset : int
        How many keys precede the first query: ``keys - queries`` lets the last query see all.

    Returns
    -------
    Tensor, of the shape of ``x``
        A row that may look at nothing, as ``offset`` below 0 makes some, is all zeros.

    Raises
    ------
    TypeError
        If ``x`` is not of floats.
    ValueError
        If ``x`` has fewer than 2 dims.

    Examples
    --------
    >>> kael.causal_softmax(kael.zeros(3, 3)).tolist()[1]
    [0.5, 0.5, 0.0]
    """
    require_tensor("causal_softmax", x)
    offset = integer("causal_softmax", "offset", offset)
    out = kernels.causal_softmax(x, offset)
    if not needs_grad(x):
        return out
    y = alias(out)
    return record(
        "causal_softmax", out, (x,), lambda g: (kernels.causal_softmax(y, offset, g),), (y,)
    )


def logsumexp(x, dim, keepdim=False):
    """log(sum(exp(x))) over ``dim``, without overflow; of no elements, -inf.

    Parameters
    ----------
    x : Tensor
        Integers are taken as float32.
    dim : int or tuple of int
        ``()`` for all.
    keepdim : bool
        Keep the reduced dims, with size 1.

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
    >>> kael.logsumexp(kael.tensor([1000.0, 1000.0]), 0)
    tensor(1000.6932)
    """
    require_tensor("logsumexp", x)
    keepdim = flag("logsumexp", "keepdim", keepdim)
    x = x if x.dtype.is_floating_point else x.to(float32)
    kept = kept_shape(x, dim, "logsumexp")
    along, rows = _one_dim(x, dim)
    out = kernels.logsumexp(rows, along)
    y = alias(out)

    def gradient(g):
        slope = kernels.logsumexp_backward(rows, along, g.reshape(y.shape))
        unbounded = y == float("inf")
        if not bool(unbounded.any()):
            return (slope,)
        # Softmax makes NaN of all of a row with +inf; the other elements have no part in the sum.
        unbounded = unbounded.unsqueeze(along) if rows.ndim else unbounded
        none = unbounded.logical_and(rows < float("inf"))
        return (elementwise.where(none, number(0, slope.dtype_code), slope),)

    out = out.reshape(kept) if keepdim else out
    return record("logsumexp", out, (rows,), gradient, saved=(rows, y))


def _one_dim(x, dim):
    """The one dim to reduce of x, or of x with its several dims made one, the last."""
    dims = range(x.ndim) if dim is None or dim == () else dim
    dims = [
        normalize_dim(d, x.ndim, "logsumexp") for d in (dims if hasattr(dims, "__len__") else [dim])
    ]
    if len(dims) == 1:
        return dims[0], x
    kept = [d for d in range(x.ndim) if d not in dims]
    return -1, x.permute(*kept, *sorted(dims)).reshape(*(x.shape[d] for d in kept), -1)


def cumsum(x, dim, *, dtype=None):
    """Running sums along ``dim``.

    Element i of the result has the bits of the sum of elements 0 to i, ``x[: i + 1].sum()``: a fold
    in double, rounded once (R3 of docs/promise.md), whatever the threads, the instruction set and
    the layout. A running total in the dtype of ``x`` would lose its accuracy along the way.

    Parameters
    ----------
    x : Tensor
    dim : int
    dtype : DType, optional
        ``x`` is converted first. Integers and bool are summed in int64, wrapping, by default.

    Returns
    -------
    Tensor, of the shape of ``x``

    Raises
    ------
    IndexError
        If ``x`` has no such dim.

    Examples
    --------
    >>> kael.tensor([1.0, 2.0, 3.0]).cumsum(0)
    tensor([1., 3., 6.])
    """
    require_tensor("cumsum", x)
    wanted = x.dtype if dtype is None else as_dtype(dtype)
    if dtype is None and not wanted.is_floating_point:
        wanted = int64
    source = x.to(wanted) if wanted.is_floating_point else x.to(int64)
    out = kernels.cumsum(source, dim)
    if out.dtype is not wanted:
        return out.to(wanted)
    if not needs_grad(source):
        return out
    return record("cumsum", out, (source,), lambda g: (kernels.cumsum(g, dim, reverse=True),))


def standardize(x, normalized_dims=1, eps=1e-5, weight=None, bias=None):
    """(x - mean) / sqrt(variance + eps) over the last dims; layer normalization.

    Parameters
    ----------
    x : Tensor, shape (..., d1, .., dk)
        Of floats.
    normalized_dims : int or tuple of int
        k, or the sizes (d1, .., dk).
    eps : float
    weight, bias : Tensor, shape (d1, .., dk), optional
        Multiplied, then added, as separate operations would.

    Returns
    -------
    Tensor, of the shape of ``x``

    Raises
    ------
    TypeError
        If the dtypes differ or are not of floats.
    ValueError
        If the sizes are not those of the last dims.

    Notes
    -----
    Ba, Kiros and Hinton, "Layer normalization", 2016. Mean and biased variance are two folds in
    double (R5 of docs/promise.md), so a large mean costs no accuracy.

    Examples
    --------
    >>> kael.standardize(kael.tensor([1.0, 2.0, 3.0, 4.0]))
    tensor([-1.3416355, -0.4472118,  0.4472118,  1.3416355])
    """
    return normalize("standardize", x, normalized_dims, eps, weight, bias)


def rms_norm(x, normalized_shape, weight=None, eps=None):
    """x / sqrt(mean of x^2 + eps) over the last dims, times weight.

    Parameters
    ----------
    x : Tensor, shape (..., d1, .., dk)
        Of floats.
    normalized_shape : int or tuple of int
        (d1, .., dk), or dk alone.
    weight : Tensor, shape (d1, .., dk), optional
    eps : float, optional
        The spacing of the dtype's numbers at 1 unless given.

    Returns
    -------
    Tensor, of the shape of ``x``

    Raises
    ------
    TypeError
        If the dtypes differ or are not of floats.
    ValueError
        If the sizes are not those of the last dims.

    Notes
    -----
    Zhang and Sennrich, "Root mean square layer normalization", 2019. The mean square is a fold in
    double; the quotient is rounded once, before the weight.

    Examples
    --------
    >>> kael.rms_norm(kael.tensor([3.0, 4.0]), 2)
    tensor([0.84852815, 1.1313709 ])
    """
    require_tensor("rms_norm", x)
    sizes = normalized_shape if isinstance(normalized_shape, (tuple, list)) else [normalized_shape]
    sizes = [integer("rms_norm", "a size of normalized_shape", size) for size in sizes]
    if eps is None:
        eps = resolution(x.dtype)
    return normalize("rms_norm", x, tuple(sizes), eps, weight, None, centred=False)


def normalize(op, x, normalized_dims, eps, weight, bias, centred=True):
    """Rows over their deviation, from their mean or (RMS norm) from zero, in the name of ``op``;
    recorded."""
    require_tensor(op, x, weight=weight, bias=bias)
    dims, eps = _normalized(op, x, normalized_dims), float(real(op, "eps", eps))
    packed = x if dims == 1 else elementwise.contiguous(x)
    vectors = (
        None if weight is None else _vector(op, "weight", weight, x, dims),
        None if bias is None else _vector(op, "bias", bias, x, dims),
    )
    recorded = needs_grad(x, weight, bias)
    out, moments = kernels.standardize(packed, dims, eps, *vectors, recorded, centred, op)
    if not recorded:
        return out

    def gradient(g):
        g = g if dims == 1 else elementwise.contiguous(g)
        return (
            kernels.standardize_backward(packed, dims, moments, g, vectors[0], centred)
            if x.requires_grad
            else None,
            *_affine_gradients(g, packed, moments, weight, bias),
        )

    saved = (packed,) if weight is None else (packed, vectors[0])
    return record(op, out, (x, weight, bias), gradient, saved)


def _vector(op, name, v, x, dims):
    """A weight or bias, packed; its shape is checked."""
    if v.shape != x.shape[x.ndim - dims :]:
        raise ValueError(f"{op}: {name} of shape {v.shape} for the last dims of {x.shape}")
    return elementwise.contiguous(v)


def _affine_gradients(g, x, moments, weight, bias):
    """Those of weight and bias that are wanted: sums over the rows, in one pass."""
    wanted = [v if v is not None and v.requires_grad else None for v in (weight, bias)]
    if wanted[0] is None and wanted[1] is None:
        return wanted
    x, g = elementwise.contiguous(x), elementwise.contiguous(g)
    return kernels.affine_gradients(x, moments, g, *wanted)


def _normalized(op, x, normalized_dims):
    """How many dims; sizes are checked against the shape."""
    if isinstance(normalized_dims, (tuple, list)):
        sizes = tuple(normalized_dims)
        if not sizes or x.shape[-len(sizes) :] != sizes:
            raise ValueError(f"{op}: sizes {sizes} are not the last dims of {x.shape}")
        return len(sizes)
    dims = integer(op, "normalized_dims", normalized_dims)
    if not 1 <= dims <= x.ndim:
        raise ValueError(f"{op}: normalized_dims must be 1 to {x.ndim}, got {dims}")
    return dims
