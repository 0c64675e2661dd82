"""Losses of rows: cross entropy against classes or distributions (numerics R5).

One fused kernel forward and one backward; nothing of the logits' shape is made but the gradient.
"""

from kael._kernels import elementwise
from kael._kernels import losses as kernels
from kael._kernels.tensor import require_tensor
from kael._kernels.views import normalize_dim
from kael.autograd import needs_grad, record
from kael.checks import integer, real
from kael.dtypes import bool_, int64
from kael.ops.rows import log_softmax

__all__ = ["cross_entropy_losses"]


def cross_entropy_losses(
    logits, targets, dim=-1, *, weight=None, ignore_index=None, label_smoothing=0.0
):
    """-log(softmax) of each row at its target, without making the row's log_softmax.

    Parameters
    ----------
    logits : Tensor
    targets : Tensor
        Classes as integers, of the logits' shape without ``dim``; or probabilities of the classes,
        of the logits' shape and dtype.
    dim : int
        Of the classes.
    weight : Tensor, shape (classes,), optional
        Factor of each class; it gets no gradient.
    ignore_index : int, optional
        A target whose row has loss 0 and gradient 0.
    label_smoothing : float
        This share of the target is spread evenly over all classes.

    Returns
    -------
    Tensor, of the logits' shape without ``dim``
        One loss per row, at least 0; inf for a target whose logit is -inf.

    Raises
    ------
    IndexError
        If a target is not a class; nothing is read out of bounds.
    TypeError
        For bool targets, or probabilities without the dim of the classes.
    ValueError
        For shapes that do not fit.

    Notes
    -----
    log(total) - (logit of the target - largest), the total a fold in double: R5 of docs/promise.md.

    Examples
    --------
    >>> kael.cross_entropy_losses(kael.tensor([[1.0, 2.0, 3.0]]), kael.tensor([0]))
    tensor([2.407606])
    """
    op = "cross_entropy_losses"
    return row_losses(op, logits, targets, dim, weight, ignore_index, label_smoothing)[0]


def row_losses(op, logits, targets, dim, weight, ignore_index, smoothing):
    """The losses of :func:`cross_entropy_losses`, and whether a row was ignored."""
    require_tensor(op, logits, targets, weight=weight)
    if not 0.0 <= real(op, "label_smoothing", smoothing) <= 1.0:
        raise ValueError(f"{op}: label_smoothing must be in [0, 1], got {smoothing}")
    if ignore_index is not None:
        ignore_index = class_number(op, ignore_index)
    if needs_grad(weight):
        raise RuntimeError(f"{op}: not differentiable with respect to weight")
    floats = targets.dtype.is_floating_point
    if targets.dtype is bool_ or (floats and targets.ndim == logits.ndim - 1):
        raise TypeError(f"{op}: targets must be integers, got {targets.dtype.name}")
    dim = normalize_dim(dim, logits.ndim, op)
    if floats:
        if targets.dtype is not logits.dtype:
            raise ValueError(
                f"{op}: shapes or dtypes differ: probabilities are {targets.dtype.name}, the "
                f"logits {logits.dtype.name}"
            )
        if needs_grad(targets):
            return _composed(logits, targets, dim, weight, smoothing), False
    else:
        targets = targets if targets.dtype is int64 else targets.to(int64)
        targets = elementwise.contiguous(targets)
    if weight is not None:
        weight = elementwise.contiguous(weight)
    rest = (dim, weight, ignore_index, smoothing, op)
    losses, skipped = kernels.cross_entropy(logits, targets, *rest)

    def gradient(g):
        return (kernels.cross_entropy_backward(logits, targets, g, *rest),)

    saved = (logits, targets) if weight is None else (logits, targets, weight)
    return record("cross_entropy_losses", losses, (logits,), gradient, saved), skipped


def class_number(op, ignore_index):
    """``ignore_index`` as an int of 64 bits."""
    ignore_index = integer(op, "ignore_index", ignore_index)
    if not -(2**63) <= ignore_index < 2**63:
        raise ValueError(f"{op}: ignore_index {ignore_index} does not fit in 64 bits")
    return ignore_index


def _composed(logits, probabilities, dim, weight, smoothing):
    """The same of probabilities that want a gradient."""
    classes = logits.shape[dim]
    if smoothing > 0.0:
        probabilities = probabilities * (1.0 - smoothing) + smoothing / max(classes, 1)
    products = log_softmax(logits, dim) * probabilities
    if weight is not None:
        products = products * weight.reshape([classes] + [1] * (logits.ndim - 1 - dim))
    return 0.0 - products.sum(dim)
