"""Linear and Identity."""

import math

from kael.checks import flag, size
from kael.creation import empty
from kael.nn import init
from kael.nn.module import Module
from kael.nn.parameter import Parameter
from kael.ops.matmul import linear

__all__ = ["Identity", "Linear"]


class Linear(Module):
    """``x @ weight.T + bias``.

    Parameters
    ----------
    in_features, out_features : int
    bias : bool
        Have one.
    dtype : DType, optional
        float32 unless given.

    Attributes
    ----------
    weight : Parameter, shape (out_features, in_features)
    bias : Parameter of shape (out_features,), or None
        Both start uniform in +-1 / sqrt(in_features), as in PyTorch.

    Examples
    --------
    >>> kael.nn.Linear(3, 2)(kael.ones(5, 3)).shape
    (5, 2)
    """

    def __init__(self, in_features, out_features, bias=True, dtype=None):
        super().__init__()
        self.in_features = size("Linear", "in_features", in_features)
        self.out_features = size("Linear", "out_features", out_features)
        self.weight = Parameter(empty(self.out_features, self.in_features, dtype=dtype))
        self.register_parameter("bias", None)
        if flag("Linear", "bias", bias):
            self.bias = Parameter(empty(self.out_features, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self):
        """Draws new initial values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, x):
        return linear(x, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Identity(Module):
    """Gives its input back.

    Parameters
    ----------
    *args, **kwargs
        Ignored.
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, x):
        return x
