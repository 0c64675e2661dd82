"""``torch.optim`` with kael's kernels, for PyTorch's CPU tensors.

Each class is a subclass of PyTorch's class of the same name, of which only the step is replaced:
arguments, defaults, state, hooks, schedulers and checkpoints are PyTorch's. So the change of a
training script is the import, and a state saved with either is loaded by the other.

Tensors of float32, float64, float16 and bfloat16 (computed in float32), complex64 and complex128
(as pairs), of any strides. Others are refused with TypeError, before anything is changed. Of
PyTorch's choices of an implementation ``foreach``, ``fused`` and ``capturable`` are accepted and
change nothing (``fused`` keeps its meaning for a GradScaler); ``differentiable`` is refused.
"""

import torch.optim as _torch
from torch.optim import Optimizer, lr_scheduler, swa_utils

from kael import optim as _kaels
from kael.optim.docstrings import borrowed
from kael.torch import tensors
from kael.torch.optim import functional
from kael.torch.optim.compiled import Compiled
from kael.torch.optim.composed import LBFGS, Adafactor, Muon
from kael.torch.optim.lion import Lion

__all__ = [
    "ASGD", "LBFGS", "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Lion",
    "Muon", "NAdam", "Optimizer", "RAdam", "RMSprop", "Rprop", "functional", "lr_scheduler",
    "swa_utils",
]  # fmt: skip


class Adadelta(Compiled, _torch.Adadelta):
    """``torch.optim.Adadelta``, by the formula of :class:`kael.optim.Adadelta`."""

    _rule = "Adadelta"


class Adagrad(Compiled, _torch.Adagrad):
    """``torch.optim.Adagrad``, by the formula of :class:`kael.optim.Adagrad`."""

    _rule = "Adagrad"

    def _constructed(self):
        """Beside masters the sums, which PyTorch's constructor makes, are of float32."""
        for group in self.param_groups:
            for p in group["params"] if group.get("master_weights") else ():
                if p.dtype in tensors.HALVES:
                    start = group["initial_accumulator_value"]
                    self.state[p]["sum"] = tensors.new_array(p, start, wide=True)


class Adam(Compiled, _torch.Adam):
    """``torch.optim.Adam``, by the formula of :class:`kael.optim.Adam`."""

    _rule = "Adam"


class AdamW(Compiled, _torch.AdamW):
    """``torch.optim.AdamW``, by the formula of :class:`kael.optim.Adam`."""

    _rule = "Adam"


class Adamax(Compiled, _torch.Adamax):
    """``torch.optim.Adamax``, by the formula of :class:`kael.optim.Adamax`."""

    _rule = "Adamax"


class ASGD(Compiled, _torch.ASGD):
    """``torch.optim.ASGD``, by the formula of :class:`kael.optim.ASGD`."""

    _rule = "ASGD"


class NAdam(Compiled, _torch.NAdam):
    """``torch.optim.NAdam``, by the formula of :class:`kael.optim.NAdam`."""

    _rule = "NAdam"


class RAdam(Compiled, _torch.RAdam):
    """``torch.optim.RAdam``, by the formula of :class:`kael.optim.RAdam`."""

    _rule = "RAdam"


class RMSprop(Compiled, _torch.RMSprop):
    """``torch.optim.RMSprop``, by the formula of :class:`kael.optim.RMSprop`."""

    _rule = "RMSprop"


class Rprop(Compiled, _torch.Rprop):
    """``torch.optim.Rprop``, by the formula of :class:`kael.optim.Rprop`."""

    _rule = "Rprop"


class SGD(Compiled, _torch.SGD):
    """``torch.optim.SGD``, by the formula of :class:`kael.optim.SGD`."""

    _rule = "SGD"


_STORING = """\
    master_weights, stochastic_rounding : bool
        For parameters of 16 bits, and not both: step float32 masters, which the state keeps; round
        new values up or down at random, right on average.
"""
for _class in (
    ASGD, LBFGS, SGD, Adadelta, Adafactor, Adagrad, Adam, AdamW, Adamax, Muon, NAdam, RAdam,
    RMSprop, Rprop,
):  # fmt: skip
    _class.__doc__ = borrowed(_class.__doc__, getattr(_kaels, _class.__name__).__doc__, _STORING)


def __getattr__(name):
    if hasattr(_torch, name):
        raise AttributeError(f"kael.torch.optim has no {name} of its own; use torch.optim.{name}")
    raise AttributeError(f"module 'kael.torch.optim' has no attribute {name!r}")
