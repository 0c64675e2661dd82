"""Modules of the loss functions, which are in loss_functions.py."""

from kael.nn import functional
from kael.nn.loss_functions import check_reduction
from kael.nn.module import Module

__all__ = ["CrossEntropyLoss", "L1Loss", "MSELoss", "NLLLoss"]


class _Loss(Module):
    def __init__(self, reduction="mean"):
        super().__init__()
        check_reduction(reduction)
        self.reduction = reduction


class MSELoss(_Loss):
    """:func:`kael.nn.functional.mse_loss`.

    Parameters
    ----------
    reduction : "mean", "sum" or "none"
        ValueError for anything else.
    """

    def forward(self, input, target):
        return functional.mse_loss(input, target, self.reduction)


class L1Loss(_Loss):
    """:func:`kael.nn.functional.l1_loss`.

    Parameters
    ----------
    reduction : "mean", "sum" or "none"
        ValueError for anything else.
    """

    def forward(self, input, target):
        return functional.l1_loss(input, target, self.reduction)


class _ClassLoss(_Loss):
    def __init__(self, weight=None, ignore_index=-100, reduction="mean"):
        super().__init__(reduction)
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index


class NLLLoss(_ClassLoss):
    """:func:`kael.nn.functional.nll_loss`.

    Parameters
    ----------
    weight, ignore_index, reduction
        As for the function.
    """

    def forward(self, input, target):
        return functional.nll_loss(input, target, self.weight, self.ignore_index, self.reduction)


class CrossEntropyLoss(_ClassLoss):
    """:func:`kael.nn.functional.cross_entropy`.

    Parameters
    ----------
    weight, ignore_index, reduction, label_smoothing
        As for the function.

    Examples
    --------
    >>> loss = kael.nn.CrossEntropyLoss(label_smoothing=0.1)
    >>> loss(kael.zeros(2, 4), kael.tensor([0, 3])).shape
    ()
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
        super().__init__(weight, ignore_index, reduction)
        self.label_smoothing = label_smoothing

    def forward(self, input, target):
        return functional.cross_entropy(
            input, target, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )
