"""Gradient clipping, with the names of ``torch.nn.utils``.

A norm is one fold in double (numerics R3) over all gradients as if they were concatenated: its
bits depend neither on threads nor on how the parameters are split into tensors.
"""

import math
import types
import warnings

from kael._kernels import norm as norms
from kael._kernels import optim as kernels
from kael._kernels.tensor import TensorBase, require_tensor
from kael.checks import flag, items, real
from kael.creation import tensor
from kael.dtypes import float32, float64

__all__ = ["clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scales all gradients by ``max_norm / (norm + 1e-6)`` where that is less than 1.

    Parameters
    ----------
    parameters : Tensor or iterable of Tensor
        Those without a gradient do not count.
    max_norm : float
    norm_type : float
        Of the p-norm: 2, 1, inf, -inf, 0 (how many elements are not zero) or any other number.
    error_if_nonfinite : bool
        Raise for an infinite or NaN norm. Otherwise an infinite norm makes the infinite elements
        NaN and the others 0, and NaN spreads.
    foreach : bool, optional
        Accepted and ignored.

    Returns
    -------
    Tensor, shape ()
        The norm before clipping.

    Raises
    ------
    TypeError
        If something among the parameters is no Tensor.
    RuntimeError
        By ``error_if_nonfinite``, before anything is changed.

    Notes
    -----
    Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent neural networks", 2013.
    The norm is one fold in double over all gradients, as if they were one vector: R3 of
    docs/promise.md.

    Examples
    --------
    >>> w = kael.ones(4, requires_grad=True)
    >>> w.grad = kael.ones(4)
    >>> kael.optim.clip_grad_norm_([w], max_norm=1.0).item()
    2.0
    """
    parameters = listed("clip_grad_norm_", parameters)
    gradients = _gradients(parameters)
    total = joint_norm(gradients, norm_type, error_if_nonfinite)
    _scale(gradients, max_norm, total)
    return tensor(total, dtype=gradients[0].dtype if gradients else float32)


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of tensors as if they were one vector.

    Parameters
    ----------
    tensors : Tensor or iterable of Tensor
    norm_type, error_if_nonfinite, foreach
        As for :func:`clip_grad_norm_`, which also says what is raised.

    Returns
    -------
    Tensor, shape ()
    """
    tensors = listed("get_total_norm", tensors)
    total = joint_norm(tensors, norm_type, error_if_nonfinite, "get_total_norm")
    return tensor(total, dtype=tensors[0].dtype if tensors else float32)


def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """The second half of :func:`clip_grad_norm_`, with a norm already known.

    Parameters
    ----------
    parameters : Tensor or iterable of Tensor
        Those without a gradient do not count.
    max_norm : float
    total_norm : float or Tensor of one element
    foreach : bool, optional
        Accepted and ignored.
    """
    gradients = _gradients(listed("clip_grads_with_norm_", parameters))
    _scale(gradients, max_norm, float(real("clip_grads_with_norm_", "total_norm", total_norm)))


def clip_grad_value_(parameters, clip_value, foreach=None):
    """Limits every element of the gradients to ``[-clip_value, clip_value]``; NaN stays.

    Parameters
    ----------
    parameters : Tensor or iterable of Tensor
        Those without a gradient do not count.
    clip_value : float
    foreach : bool, optional
        Accepted and ignored.
    """
    limit = float(real("clip_grad_value_", "clip_value", clip_value))
    kernels.clamp(_gradients(listed("clip_grad_value_", parameters)), -limit, limit)


def listed(op, parameters, kind=TensorBase):
    """A list of the parameters, which may be one tensor."""
    if isinstance(parameters, kind):
        return [parameters]
    empty_generator = isinstance(parameters, types.GeneratorType)
    parameters = list(items(op, "parameters", parameters))
    if empty_generator and not parameters:
        warnings.warn(
            "`parameters` is an empty generator, no gradient clipping will occur.",
            stacklevel=3,
        )
    if kind is TensorBase:
        require_tensor(op, *parameters)
    return parameters


def _gradients(parameters):
    return [p.grad for p in parameters if p.grad is not None]


def joint_norm(tensors, norm_type, error_if_nonfinite=False, op="clip_grad_norm_"):
    """The norm as a Python float: double, so that squares of large elements do not overflow."""
    norm_type = order(op, norm_type)
    error_if_nonfinite = flag(op, "error_if_nonfinite", error_if_nonfinite)
    return root(norms.total(tensors, norm_type, op), norm_type, error_if_nonfinite)


def order(op, norm_type):
    """The order of a norm as a float: a number, or "inf" as PyTorch writes it, too."""
    return math.inf if norm_type == "inf" else float(real(op, "norm_type", norm_type))


def root(total, norm_type, error_if_nonfinite=False):
    """The norm of that order of what its terms add up to."""
    total = _root(total, norm_type)
    if error_if_nonfinite and not math.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, "
            "so it cannot be clipped. To disable this error and scale the gradients by the "
            "non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    return total


def _root(total, p):
    if p == 2.0:
        return math.sqrt(total)
    if p in (0.0, 1.0) or math.isinf(p):
        return total
    return tensor(total, dtype=float64).pow(1 / p).item()  # kael's pow: libm's differ


def clip_factor(max_norm, total):
    """What clipping multiplies gradients of that norm by: at most 1, and NaN for a norm of NaN."""
    factor = float(real("clip_grad_norm_", "max_norm", max_norm)) / (total + 1e-6)
    return 1.0 if factor >= 1.0 else factor


def clipping(optimizer, max_norm, norm_type, norm=joint_norm, scale=1.0):
    """What a step multiplies the gradients by, ``scale`` included; leaves their norm, after it, in
    ``total_norm``."""
    gradients = [
        p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None
    ]
    optimizer.total_norm = scale * norm(gradients, norm_type)
    return scale * clip_factor(max_norm, optimizer.total_norm)


def _scale(gradients, max_norm, total):
    factor = clip_factor(max_norm, total)
    if factor != 1.0:
        kernels.scale(gradients, factor)
