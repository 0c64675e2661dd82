"""Operations on rows along one dim: softmax, log_softmax, standardize, cross entropy (numerics R5).

Each is one fused kernel a row, forward and backward; a row has the same bits alone, in a batch,
and in any layout.
"""

from kael._kernels import elementwise
from kael._kernels import rows as kernels
from kael._kernels.tensor import alias, require_tensor
from kael._kernels.views import normalize_dim
from kael.autograd import needs_grad, record
from kael.dtypes import int64

__all__ = ["cross_entropy_losses", "log_softmax", "softmax", "standardize"]

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
    dim : int
    dtype : DType, optional
        x is converted first.

    Examples
    --------
    >>> kael.tensor([1.0, 2.0, 3.0]).softmax(0)
    tensor([0.09003057, 0.24472848, 0.66524094])
    """
    return _along("softmax", x, dim, dtype)


def log_softmax(x, dim=-1, dtype=None):
    """(x - largest) - log(sum of exp(x - largest)) along ``dim``; exact where softmax is 0."""
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


def standardize(x, normalized_dims=1, eps=1e-5, weight=None, bias=None):
    """(x - mean) / sqrt(variance + eps) over the last dims; layer normalization.

    Mean and biased variance are two folds in double, so a large mean costs no accuracy.

    Parameters
    ----------
    x : Tensor, shape (..., d1, .., dk)
    normalized_dims : int or tuple of int
        k, or the sizes of the last k dims as in ``torch.nn.functional.layer_norm``.
    eps : float
    weight, bias : Tensor of shape (d1, .., dk), optional
        Multiplied, then added, as separate operations would.

    Examples
    --------
    >>> kael.standardize(kael.tensor([1.0, 2.0, 3.0, 4.0]))
    tensor([-1.3416355, -0.4472118,  0.4472118,  1.3416355])
    """
    require_tensor("standardize", x, weight=weight, bias=bias)
    dims = _normalized(x, normalized_dims)
    for name, v in (("weight", weight), ("bias", bias)):
        if v is not None and v.shape != x.shape[x.ndim - dims :]:
            raise ValueError(
                f"standardize: {name} of shape {v.shape} for the last dims of {x.shape}"
            )
    if weight is None and bias is not None:
        return standardize(x, dims, eps) + bias
    packed = x if dims == 1 else elementwise.contiguous(x)
    vectors = [None if v is None else elementwise.contiguous(v) for v in (weight, bias)]
    recorded = needs_grad(x, weight, bias)
    out, moments = kernels.standardize(packed, dims, float(eps), *vectors, keep=recorded)
    if not recorded:
        return out

    def gradient(g):
        return _gradients(g, (x, weight, bias), packed, dims, eps, moments)

    saved = (packed,) if weight is None else (packed, weight)
    return record("standardize", out, (x, weight, bias), gradient, saved)


def _gradients(g, inputs, packed, dims, eps, moments):
    """At x, weight and bias of :func:`standardize`; packed is x as the kernels read it."""
    x, weight, bias = inputs
    outer = tuple(range(x.ndim - dims))
    weight_gradient = bias_gradient = x_gradient = None
    if bias is not None and bias.requires_grad:
        bias_gradient = g.sum(outer) if outer else g
    if weight is not None and weight.requires_grad:
        product = g * kernels.standardize(packed, dims, eps)[0]
        weight_gradient = product.sum(outer) if outer else product
    if x.requires_grad:
        g = g if weight is None else g * weight
        g = g if dims == 1 else elementwise.contiguous(g)
        x_gradient = kernels.standardize_backward(packed, dims, moments, g)
    return x_gradient, weight_gradient, bias_gradient


def _normalized(x, normalized_dims):
    """How many dims; sizes are checked against the shape."""
    if isinstance(normalized_dims, (tuple, list)):
        sizes = tuple(normalized_dims)
        if not sizes or x.shape[x.ndim - len(sizes) :] != sizes or len(sizes) > x.ndim:
            raise ValueError(f"standardize: sizes {sizes} are not the last dims of {x.shape}")
        return len(sizes)
    if not 1 <= normalized_dims <= x.ndim:
        raise ValueError(
            f"standardize: normalized_dims must be 1 to {x.ndim}, got {normalized_dims}"
        )
    return normalized_dims


def cross_entropy_losses(logits, targets):
    """-log(softmax) of each row at its target, without making the row's log_softmax.

    Parameters
    ----------
    logits : Tensor, shape (..., classes)
    targets : Tensor of integers, shape (...)

    Returns
    -------
    Tensor, shape (...)
        One loss per row, at least 0; inf for a target whose logit is -inf.

    Raises
    ------
    IndexError
        If a target is not a class; nothing is read out of bounds.

    Examples
    --------
    >>> kael.cross_entropy_losses(kael.tensor([[1.0, 2.0, 3.0]]), kael.tensor([0]))
    tensor([2.407606])
    """
    require_tensor("cross_entropy_losses", logits, targets)
    if targets.dtype.is_floating_point or targets.dtype.code == 0:
        raise TypeError(f"cross_entropy_losses: targets must be integers, got {targets.dtype.name}")
    targets = elementwise.contiguous(targets.to(int64))
    losses = kernels.cross_entropy(logits, targets)

    def gradient(g):
        return (kernels.cross_entropy_backward(logits, targets, g),)

    return record("cross_entropy_losses", losses, (logits,), gradient, saved=(logits, targets))
