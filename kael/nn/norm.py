"""LayerNorm and RMSNorm."""

from kael.checks import flag, size
from kael.creation import ones, zeros
from kael.nn import init
from kael.nn.module import Module
from kael.nn.parameter import Parameter
from kael.ops.rows import normalize, rms_norm

__all__ = ["LayerNorm", "RMSNorm"]


def sizes_of(op, normalized_shape):
    """The sizes, a tuple, from a sequence of integers or from one."""
    if not hasattr(normalized_shape, "__iter__"):
        return (size(op, "normalized_shape", normalized_shape),)
    return tuple(size(op, "a size of normalized_shape", n) for n in normalized_shape)


class LayerNorm(Module):
    """Standardizes the last dims, then ``weight * x + bias``.

    Parameters
    ----------
    normalized_shape : int or sequence of int
        Sizes of the last dims.
    eps : float
        Added to the variance.
    elementwise_affine : bool
        Have a weight and a bias.
    bias : bool
        Have a bias, where there is a weight.
    dtype : DType, optional
        float32 unless given.

    Attributes
    ----------
    weight, bias : Parameter of shape ``normalized_shape``, or None
        Start as ones and zeros.

    Notes
    -----
    :func:`kael.standardize`: two folds in double, so a large mean costs no accuracy.

    Examples
    --------
    >>> kael.nn.LayerNorm(4)(kael.tensor([1.0, 2.0, 3.0, 4.0])).shape
    (4,)
    """

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, dtype=None):
        super().__init__()
        name = type(self).__name__
        self.normalized_shape = sizes_of(name, normalized_shape)
        self.eps = eps
        self.elementwise_affine = flag(name, "elementwise_affine", elementwise_affine)
        self.register_parameter("weight", None)
        self.register_parameter("bias", None)
        if self.elementwise_affine:
            self.weight = Parameter(ones(self.normalized_shape, dtype=dtype))
            if flag(name, "bias", bias):
                self.bias = Parameter(zeros(self.normalized_shape, dtype=dtype))

    def reset_parameters(self):
        """Sets the weight to ones and the bias to zeros."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, x):
        sizes = self.normalized_shape
        return normalize("layer_norm", x, sizes, self.eps, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Divides the last dims by their root mean square, then ``weight * x``.

    Parameters
    ----------
    normalized_shape : int or sequence of int
        Sizes of the last dims.
    eps : float, optional
        Added to the mean square; the spacing of the dtype's numbers at 1 unless given.
    elementwise_affine : bool
        Have a weight.
    dtype : DType, optional
        float32 unless given.

    Attributes
    ----------
    weight : Parameter of shape ``normalized_shape``, or None
        Starts as ones.

    Examples
    --------
    >>> kael.nn.RMSNorm(2)(kael.tensor([3.0, 4.0])).shape
    (2,)
    """

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, dtype=None):
        super().__init__()
        name = type(self).__name__
        self.normalized_shape = sizes_of(name, normalized_shape)
        self.eps = eps
        self.elementwise_affine = flag(name, "elementwise_affine", elementwise_affine)
        self.register_parameter("weight", None)
        if self.elementwise_affine:
            self.weight = Parameter(ones(self.normalized_shape, dtype=dtype))

    def reset_parameters(self):
        """Sets the weight to ones."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x):
        return rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )
