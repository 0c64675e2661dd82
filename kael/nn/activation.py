"""Modules of the functions that map elements or rows."""

from kael.nn import functional
from kael.nn.module import Module

__all__ = ["GELU", "LogSoftmax", "ReLU", "Sigmoid", "Softmax", "Tanh"]


class ReLU(Module):
    """``max(x, 0)``.

    Parameters
    ----------
    inplace : bool
        Write the result into the input.

    Examples
    --------
    >>> kael.nn.ReLU()(kael.tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, x):
        return functional.relu(x, self.inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class GELU(Module):
    """``x`` times the normal distribution function.

    Parameters
    ----------
    approximate : "none" or "tanh"
        Anything else is a ValueError when the module is called.
    """

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, x):
        return functional.gelu(x, self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate!r}"


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, x):
        return functional.tanh(x)


class Sigmoid(Module):
    """``1 / (1 + exp(-x))``."""

    def forward(self, x):
        return functional.sigmoid(x)


class _AlongDim(Module):
    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def extra_repr(self):
        return f"dim={self.dim}"


class Softmax(_AlongDim):
    """:func:`kael.nn.functional.softmax` along a dim.

    Parameters
    ----------
    dim : int, optional
        The last one unless given.
    """

    def forward(self, x):
        return functional.softmax(x, self.dim)


class LogSoftmax(_AlongDim):
    """:func:`kael.nn.functional.log_softmax` along a dim.

    Parameters
    ----------
    dim : int, optional
        The last one unless given.
    """

    def forward(self, x):
        return functional.log_softmax(x, self.dim)
