"""kael: CPU tensors and training with the same bits on every machine."""

from kael.config import get_isa, isa, show_config, usable_isas
from kael.memory import (
    AllocatorStats,
    allocator_stats,
    caching_allocator_enabled,
    empty_cache,
    set_caching_allocator_enabled,
)
from kael.tensor import Tensor
from kael.threads import get_num_threads, num_threads, parallel_for, set_num_threads

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
from kael.interop import from_dlpack, from_numpy
from kael.ops import elementwise
from kael.ops.elementwise import *  # noqa: F403 - one name per rule of the registry
from kael.ops.indexing import (
    gather,
    index_select,
    masked_fill,
    masked_select,
    nonzero,
    take_along_dim,
)
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
    "AllocatorStats",
    "Tensor",
    "allocator_stats",
    "arange",
    "as_tensor",
    "autograd",
    "bool_",
    "broadcast_shapes",
    "broadcast_to",
    "caching_allocator_enabled",
    "cat",
    "chunk",
    "empty",
    "empty_cache",
    "empty_like",
    "enable_grad",
    "eye",
    "flatten",
    "flip",
    "float32",
    "float64",
    "from_dlpack",
    "from_numpy",
    "full",
    "full_like",
    "gather",
    "get_isa",
    "get_num_threads",
    "index_select",
    "int32",
    "int64",
    "is_grad_enabled",
    "isa",
    "linspace",
    "masked_fill",
    "masked_select",
    "movedim",
    "narrow",
    "no_grad",
    "nonzero",
    "num_threads",
    "ones",
    "ones_like",
    "parallel_for",
    "permute",
    "reshape",
    "select",
    "set_caching_allocator_enabled",
    "set_grad_enabled",
    "set_num_threads",
    "show_config",
    "split",
    "squeeze",
    "stack",
    "take_along_dim",
    "tensor",
    "transpose",
    "uint8",
    "unbind",
    "unsqueeze",
    "usable_isas",
    "zeros",
    "zeros_like",
]
__all__ += elementwise.__all__
