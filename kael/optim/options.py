"""Checks of the options that the optimizers have in common."""

from kael.checks import flag, items, real
from kael.tensor import Tensor

__all__ = ["as_betas", "check_not_negative", "check_placeholders", "moment_options", "one_number"]


def one_number(value, name):
    """``value``, a number, or a tensor of one element."""
    if isinstance(value, Tensor) and value.numel() != 1:
        raise ValueError(f"Tensor {name} must be 1-element")
    return real("optimizer", name, value)


def check_not_negative(name, value):
    """Refuses what is no number, negative ones and NaN."""
    if not float(real("optimizer", name, value)) >= 0.0:
        raise ValueError(f"Invalid {name}: {value}")


def as_betas(betas):
    """A pair of floats in [0, 1), from numbers or tensors of one element."""
    betas = tuple(
        float(one_number(beta, f"betas[{i}]"))
        for i, beta in enumerate(items("optimizer", "betas", betas))
    )
    if len(betas) != 2:
        raise ValueError(f"betas must be a pair of numbers, got {betas}")
    for i, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
    return betas


def moment_options(lr, betas, eps, weight_decay):
    """The rate and the betas of Adam and its relatives, all four being what they take."""
    lr = one_number(lr, "lr")
    check_not_negative("learning rate", lr)
    check_not_negative("epsilon value", eps)
    betas = as_betas(betas)
    check_not_negative("weight_decay value", weight_decay)
    return lr, betas


def check_placeholders(foreach=None, fused=None, differentiable=False):
    """PyTorch's choices of an implementation: kael has one, which is not differentiable."""
    for name, value in (("foreach", foreach), ("fused", fused), ("differentiable", differentiable)):
        if value is not None:
            flag("optimizer", name, value)
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
    if differentiable:
        raise NotImplementedError("differentiable=True: the step cannot be recorded")
