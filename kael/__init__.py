"""kael: CPU tensors and training with the same bits on every machine."""

from kael.tensor import Tensor

__all__ = ["Tensor"]
