"""Gradient clipping for PyTorch's CPU tensors; norms by numerics R3, as in kael.optim.clip."""

import torch

from kael._kernels import torch_norm
from kael._kernels.torch_read import Reader
from kael._kernels.torch_step import TorchStep
from kael.checks import flag
from kael.optim.clip import clip_factor, listed, order, root
from kael.torch import tensors

__all__ = ["clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]

SCALE, CLAMP = "clip_grad_norm_", "clip_grad_value_"  # names of rules


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """``torch.nn.utils.clip_grad_norm_``, with one norm over all gradients in double.

    Parameters
    ----------
    parameters : Tensor or iterable of Tensor
        Those without a gradient do not count. Gradients of any strides and of the dtypes of
        :mod:`kael.torch.optim`.
    max_norm : float
    norm_type : float
        Of order 0 the norm is how many elements are not zero.
    error_if_nonfinite : bool
        Raise RuntimeError for an infinite or NaN norm, before anything is changed.
    foreach : bool, optional
        Accepted and ignored.

    Returns
    -------
    Tensor, shape ()
        The norm before clipping.

    Raises
    ------
    TypeError, RuntimeError
        A gradient that is not in the CPU's memory, or one to be scaled in which elements share
        places. Nothing is changed then.
    """
    gradients = _gradients(listed(SCALE, parameters, torch.Tensor))
    total = joint_norm(gradients, norm_type, SCALE, error_if_nonfinite)
    _scale(gradients, max_norm, total)
    return _result(total, gradients)


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
    given = listed("get_total_norm", tensors, torch.Tensor)
    return _result(joint_norm(given, norm_type, "get_total_norm", error_if_nonfinite), given)


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
    gradients = _gradients(listed("clip_grads_with_norm_", parameters, torch.Tensor))
    _scale(gradients, max_norm, float(total_norm))


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
    limit = float(clip_value)
    _change(
        CLAMP,
        _gradients(listed(CLAMP, parameters, torch.Tensor)),
        {"low": -limit, "high": limit},
    )


def joint_norm(gradients, norm_type, op, error_if_nonfinite=False):
    """The norm as a Python float; ``op`` is what messages call it."""
    norm_type = order(op, norm_type)
    error_if_nonfinite = flag(op, "error_if_nonfinite", error_if_nonfinite)
    total = torch_norm.total(gradients, norm_type, Reader(tensors, op))
    return root(total, norm_type, error_if_nonfinite)


def _gradients(parameters):
    return [p.grad for p in parameters if p.grad is not None]


def _result(total, like):
    dtype = like[0].dtype.to_real() if like else torch.float32
    return torch.tensor(total, dtype=dtype)


def _scale(gradients, max_norm, total):
    factor = clip_factor(max_norm, total)
    if factor != 1.0:
        _change(SCALE, gradients, {"factor": factor})


def _change(rule, gradients, options):
    """Applies a rule of include/kael/optim/clip.h to the gradients, each once."""
    step = TorchStep(rule, rule, tensors)
    step.update(gradients, gradients, [None] * len(gradients), options)
