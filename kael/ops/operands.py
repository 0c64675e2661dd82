"""What an operation asks of its operands before it touches them."""

from kael._kernels.tensor import TensorBase

__all__ = ["require_tensor"]


def require_tensor(op, *operands):
    """TypeError unless every operand is a tensor."""
    for x in operands:
        if not isinstance(x, TensorBase):
            raise TypeError(f"{op}: expected a Tensor, got {type(x).__name__}")
