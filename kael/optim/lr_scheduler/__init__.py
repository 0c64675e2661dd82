"""Learning-rate schedules, with the names, arguments and values of ``torch.optim.lr_scheduler``.

Every scheduler has ``step``, ``get_last_lr``, ``state_dict`` and ``load_state_dict``; see
:class:`LRScheduler`.
"""

from kael.optim.lr_scheduler.base import LRScheduler
from kael.optim.lr_scheduler.composed import ChainedScheduler, SequentialLR
from kael.optim.lr_scheduler.cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from kael.optim.lr_scheduler.cyclic import CyclicLR, OneCycleLR
from kael.optim.lr_scheduler.factors import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from kael.optim.lr_scheduler.plateau import ReduceLROnPlateau

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts",
    "CyclicLR", "ExponentialLR", "LambdaLR", "LinearLR", "LRScheduler", "MultiStepLR",
    "MultiplicativeLR", "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR",
    "StepLR",
]  # fmt: skip
