"""Lion, which PyTorch does not have."""

import torch

from kael.optim.options import as_betas, check_not_negative, check_placeholders
from kael.torch.optim.compiled import Compiled, storing

__all__ = ["Lion"]


class Lion(Compiled):
    """:class:`kael.optim.Lion` for PyTorch's tensors.

    Parameters
    ----------
    params : iterable
        Tensors, (name, tensor) pairs or dicts of groups.
    lr : float or Tensor of one element
    betas : pair of float
    weight_decay : float
    maximize : bool
    foreach, capturable, differentiable
        As of :class:`kael.optim.Lion`.
    master_weights, stochastic_rounding
        As of all classes here.

    Raises
    ------
    ValueError
        If a rate or another option is out of its range.
    """

    _rule = "Lion"

    def __init__(
        self,
        params,
        lr=1e-4,
        betas=(0.9, 0.99),
        weight_decay=0,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
        master_weights=False,
        stochastic_rounding=False,
    ):
        if isinstance(lr, torch.Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        check_not_negative("learning rate", lr)
        betas = as_betas(betas)
        check_not_negative("weight_decay value", weight_decay)
        check_placeholders(foreach, differentiable=differentiable)
        defaults = {
            "lr": lr,
            "betas": betas,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        self._storing = storing(master_weights, stochastic_rounding)
        super().__init__(params, defaults)
