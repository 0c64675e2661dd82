"""Optimizers with the interface of ``torch.optim``, and gradient clipping."""

from kael.optim import lr_scheduler, swa_utils
from kael.optim.adam import Adam
from kael.optim.adamw import AdamW
from kael.optim.clip import (
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from kael.optim.optimizer import Optimizer
from kael.optim.sgd import SGD

__all__ = [
    "SGD", "Adam", "AdamW", "Optimizer", "clip_grad_norm_", "clip_grad_value_",
    "clip_grads_with_norm_", "get_total_norm", "lr_scheduler", "swa_utils",
]  # fmt: skip
