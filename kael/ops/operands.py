"""What an operation asks of its operands before it touches them."""

from kael._kernels.tensor import require_tensor

__all__ = ["require_tensor"]
