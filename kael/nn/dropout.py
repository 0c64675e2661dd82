"""Dropout."""

from kael.nn import functional
from kael.nn.module import Module

__all__ = ["Dropout"]


class Dropout(Module):
    """In training, zeroes each element with probability ``p`` and divides the others by 1 - p.

    Parameters
    ----------
    p : float
        In [0, 1]; ValueError otherwise.
    inplace : bool
        Write the result into the input.

    Notes
    -----
    The mask is drawn from the default generator: R7 of docs/promise.md.

    Examples
    --------
    >>> kael.nn.Dropout(0.5).eval()(kael.ones(3)).tolist()
    [1.0, 1.0, 1.0]
    """

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        functional.check_probability(p)
        self.p = p
        self.inplace = inplace

    def forward(self, x):
        return functional.dropout(x, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"
