"""kael: CPU tensors and training with the same bits on every machine."""

from kael.tensor import Tensor

# The function kael.tensor takes the name of the module imported above, so it comes after it.
# isort: split
from kael import autograd
from kael.autograd import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from kael.creation import (
    arange,
    as_tensor,
    empty,
    empty_like,
    eye,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    tensor,
    zeros,
    zeros_like,
)  # fmt: skip
from kael.dtypes import bool_, float32, float64, int32, int64, uint8
from kael.interop import from_numpy
from kael.ops.shape import (
    broadcast_shapes,
    broadcast_to,
    cat,
    chunk,
    flatten,
    flip,
    movedim,
    narrow,
    permute,
    reshape,
    select,
    split,
    squeeze,
    stack,
    transpose,
    unbind,
    unsqueeze,
)  # fmt: skip

__all__ = [
    "Tensor", "arange", "as_tensor", "autograd", "bool_", "broadcast_shapes", "broadcast_to",
    "cat", "chunk", "empty", "empty_like", "enable_grad", "eye", "flatten", "flip", "float32",
    "float64", "from_numpy", "full", "full_like", "int32", "int64", "is_grad_enabled", "linspace",
    "movedim", "narrow", "no_grad", "ones", "ones_like", "permute", "reshape", "select",
    "set_grad_enabled", "split", "squeeze", "stack", "tensor", "transpose", "uint8", "unbind",
    "unsqueeze", "zeros", "zeros_like",
]  # fmt: skip
