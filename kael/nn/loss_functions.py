"""Loss functions, with the arguments of ``torch.nn.functional``."""

from kael._kernels.tensor import require_tensor
from kael.checks import real
from kael.creation import zeros
from kael.dtypes import bool_, int64
from kael.ops.losses import class_number, row_losses
from kael.ops.shape import joined_shape

__all__ = ["check_reduction", "cross_entropy", "l1_loss", "mse_loss", "nll_loss"]


def check_reduction(reduction):
    """Refuses all but "none", "mean" and "sum"."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


def _reduced(losses, reduction):
    if reduction == "mean":
        return losses.mean()
    return losses.sum() if reduction == "sum" else losses


def mse_loss(input, target, reduction="mean"):
    """``(input - target)**2``, reduced.

    Parameters
    ----------
    input, target : Tensor
        They broadcast.
    reduction : "mean", "sum" or "none"
        ValueError for anything else.

    Returns
    -------
    Tensor
        0-D, unless ``reduction`` is ``"none"``.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Examples
    --------
    >>> kael.nn.functional.mse_loss(kael.tensor([1.0, 2.0]), kael.tensor([1.0, 4.0])).item()
    2.0
    """
    check_reduction(reduction)
    difference = _difference("mse_loss", input, target)
    return _reduced(difference * difference, reduction)


def l1_loss(input, target, reduction="mean"):
    """``|input - target|``, reduced.

    Parameters
    ----------
    input, target, reduction
        As for :func:`mse_loss`.

    Returns
    -------
    Tensor
        0-D, unless ``reduction`` is ``"none"``.
    """
    check_reduction(reduction)
    return _reduced(_difference("l1_loss", input, target).abs(), reduction)


def _difference(op, input, target):
    """``input - target``, in the name of ``op``; of bytes and bools in int64, where it does not
    wrap."""
    require_tensor(op, input, target)
    joined_shape(op, input.shape, target.shape)
    if input.dtype.itemsize == target.dtype.itemsize == 1:
        input = input.to(int64)
    return input - target


def cross_entropy(
    input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0
):
    """The loss of logits against classes or class probabilities.

    Parameters
    ----------
    input : Tensor, shape (classes,), (batch, classes) or (batch, classes, d1, ...)
        Logits.
    target : Tensor
        Classes as integers, of the input's shape without its dim of classes; or probabilities,
        of the input's shape and dtype.
    weight : Tensor, shape (classes,), optional
        Factor of each class. The mean is then over the weights of the targets.
    ignore_index : int
        A target that does not count; the result is that of the other rows alone.
    reduction : "mean", "sum" or "none"
    label_smoothing : float
        This share of the target is spread evenly over all classes.

    Returns
    -------
    Tensor
        0-D, unless ``reduction`` is ``"none"``.

    Raises
    ------
    IndexError
        A target that is not a class.
    ValueError
        Shapes that do not fit, an unknown reduction, smoothing outside of [0, 1].
    RuntimeError
        A class to ignore, which probabilities do not have.

    Notes
    -----
    :func:`kael.cross_entropy_losses` of each row, reduced.

    Examples
    --------
    >>> logits = kael.tensor([[1.0, 2.0, 3.0]])
    >>> round(kael.nn.functional.cross_entropy(logits, kael.tensor([0])).item(), 6)
    2.407606
    """
    check_reduction(reduction)
    require_tensor("cross_entropy", input, target)
    if not 0.0 <= real("cross_entropy", "label_smoothing", label_smoothing) <= 1.0:
        raise ValueError(
            f"cross_entropy: label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}"
        )
    at = 0 if input.ndim == 1 else 1
    ignored = class_number("cross_entropy", ignore_index)
    if target.dtype.is_floating_point:
        _check_probabilities(input, target, weight, at)
        if ignored >= 0:
            raise RuntimeError(f"cross_entropy: ignore_index {ignored} with probabilities")
        ignored = None
    else:
        _check_shapes("cross_entropy", input, target, weight)
    losses, skipped = row_losses(
        "cross_entropy", input, target, at, weight, ignored, label_smoothing
    )
    if reduction == "none" or ignored is None:
        return _reduced(losses, reduction)
    return _of_rows(losses, target, weight, ignored if skipped else None, reduction)


def _of_rows(losses, target, weight, ignored, reduction):
    """The sum, or the mean by weight, of the losses of the rows that count."""
    if ignored is not None:
        kept = target != ignored
        losses, target = losses[kept], target[kept]
    if weight is None or reduction == "sum":
        return _reduced(losses, reduction)
    return losses.sum() / weight[target].sum()


def nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean"):
    """Minus the log-probability of the target's class.

    Parameters
    ----------
    input : Tensor
        Log-probabilities, shaped as for :func:`cross_entropy`.
    target : Tensor of integers
    weight, ignore_index, reduction
        As for :func:`cross_entropy`, which also says what is raised.

    Returns
    -------
    Tensor
        0-D, unless ``reduction`` is ``"none"``.

    Raises
    ------
    TypeError
        If the targets are not integers.
    """
    check_reduction(reduction)
    require_tensor("nll_loss", input, target)
    if target.dtype.is_floating_point or target.dtype is bool_:
        raise TypeError(f"nll_loss: targets must be integers, got {target.dtype.name}")
    ignore_index = class_number("nll_loss", ignore_index)
    table = _class_rows("nll_loss", input, target, weight)

    def losses(rows, classes):
        _check_classes(classes, rows.shape[1])
        found = -rows.gather(1, classes.unsqueeze(1)).squeeze(1)
        if weight is None:
            return found, None
        factors = weight[classes]
        return found * factors, factors

    return _without_ignored(losses, table, target, ignore_index, reduction)


def _class_rows(op, input, target, weight):
    """The input as rows of classes, its shapes checked."""
    at = _check_shapes(op, input, target, weight)
    if input.ndim == 2:
        return input
    classes = input.shape[at]
    return (input if at == 0 else input.movedim(1, -1)).reshape(-1, classes)


def _check_shapes(op, input, target, weight):
    """Refuses what does not fit the input; returns its dim of classes."""
    if input.ndim == 0:
        raise ValueError(f"{op}: the input must have a dim of classes, got a 0-d tensor")
    at = 0 if input.ndim == 1 else 1
    expected = input.shape[:at] + input.shape[at + 1 :]
    if at == 1 and target.ndim and target.shape[:1] != input.shape[:1]:
        raise ValueError(
            f"{op}: Expected input batch_size ({input.shape[0]}) to match target batch_size "
            f"({target.shape[0]})."
        )
    if target.shape != expected:
        raise ValueError(f"{op}: Expected target size {expected}, got {target.shape}")
    _check_weight(op, weight, input.shape[at])
    return at


def _check_weight(op, weight, classes):
    require_tensor(op, weight=weight)
    if weight is not None and weight.shape != (classes,):
        raise ValueError(
            f"{op}: weight tensor should be defined either for all {classes} classes or no "
            f"classes but got weight tensor of shape: {weight.shape}"
        )


def _without_ignored(losses, rows, target, ignore_index, reduction):
    """``losses(rows, classes)``, a pair of losses and weights, of the rows that count; reduced.

    Where ignore_index is no class, looking for it can wait until some target is no class either.
    """
    classes = target.reshape(-1)
    if not 0 <= ignore_index < rows.shape[1]:
        try:
            return _combined(*losses(rows, classes), reduction, target.shape)
        except IndexError:
            if not bool((classes == ignore_index).any()):
                raise
    kept = classes != ignore_index
    found, factors = losses(rows[kept], classes[kept])
    if reduction != "none":
        return _combined(found, factors, reduction, None)
    whole = zeros(classes.shape, dtype=found.dtype)
    whole[kept] = found
    return whole.reshape(target.shape)


def _combined(losses, factors, reduction, shape):
    if reduction == "none":
        return losses.reshape(shape)
    if reduction == "sum" or factors is None:
        return _reduced(losses, reduction)
    return losses.sum() / factors.sum()


def _check_classes(classes, count):
    """IndexError for a target that is not a class; a negative one does not count from the end."""
    if bool(((classes < 0).logical_or(classes >= count)).any()):
        wrong = next(c for c in classes.tolist() if not 0 <= c < count)
        raise IndexError(f"Target {wrong} is out of bounds.")


def _check_probabilities(input, target, weight, at):
    if target.shape != input.shape:
        raise ValueError(
            f"cross_entropy: probabilities must have the input's shape {input.shape}, "
            f"got {target.shape}"
        )
    _check_weight("cross_entropy", weight, input.shape[at])
