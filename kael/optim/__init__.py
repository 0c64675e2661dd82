"""Optimizers with the interface of ``torch.optim``, and gradient clipping."""

from kael.optim import functional, lr_scheduler, swa_utils
from kael.optim.adadelta import Adadelta
from kael.optim.adafactor import Adafactor
from kael.optim.adagrad import Adagrad
from kael.optim.adam import Adam
from kael.optim.adamax import Adamax
from kael.optim.adamw import AdamW
from kael.optim.asgd import ASGD
from kael.optim.clip import (
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from kael.optim.lbfgs import LBFGS
from kael.optim.lion import Lion
from kael.optim.muon import Muon
from kael.optim.nadam import NAdam
from kael.optim.optimizer import Optimizer
from kael.optim.radam import RAdam
from kael.optim.rmsprop import RMSprop
from kael.optim.rprop import Rprop
from kael.optim.sgd import SGD
from kael.optim.sparse_adam import SparseAdam

__all__ = [
    "ASGD", "LBFGS", "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Lion",
    "Muon", "NAdam", "Optimizer", "RAdam", "RMSprop", "Rprop", "SparseAdam", "clip_grad_norm_",
    "clip_grad_value_", "clip_grads_with_norm_", "functional", "get_total_norm", "lr_scheduler",
    "swa_utils",
]  # fmt: skip
