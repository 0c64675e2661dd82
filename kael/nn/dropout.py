"""Dropout."""

from kael.nn import functional
from kael.nn.module import Module

__all__ = ["Dropout"]


class Dropout(Module):
    """In training, zeroes each element with probability ``p`` and divides the others by 1 - p.

    The mask is drawn from the default generator (numerics R7).

    Parameters
    ----------
    p : float
        In [0, 1]; ValueError otherwise.
    """

    def __init__(self, p=0.5):
        super().__init__()
        functional.check_probability(p)
        self.p = p

    def forward(self, x):
        return functional.dropout(x, self.p, self.training)

    def extra_repr(self):
        return f"p={self.p}, inplace=False"
