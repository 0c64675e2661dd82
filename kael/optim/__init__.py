"""Optimizers with the interface of ``torch.optim``."""

from kael.optim.adam import Adam
from kael.optim.adamw import AdamW
from kael.optim.optimizer import Optimizer
from kael.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]
