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
from kael.random import (
    Generator,
    bernoulli,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    rand,
    rand_like,
    randint,
    randint_like,
    randn,
    randn_like,
    randperm,
    seed,
    set_rng_state,
)  # fmt: skip

# isort: split
from kael import nn, optim, random

__all__ = [
    "AllocatorStats", "Generator", "Tensor", "allocator_stats", "arange", "as_tensor", "autograd",
    "bernoulli", "bool_", "broadcast_shapes", "broadcast_to", "caching_allocator_enabled", "cat",
    "chunk", "default_generator", "empty", "empty_cache", "empty_like", "enable_grad", "eye",
    "flatten", "flip", "float32", "float64", "from_numpy", "full", "full_like", "get_isa",
    "get_num_threads", "get_rng_state", "initial_seed", "int32", "int64", "is_grad_enabled", "isa",
    "linspace", "manual_seed", "movedim", "narrow", "nn", "no_grad", "num_threads", "ones",
    "ones_like", "optim", "parallel_for", "permute", "rand", "rand_like", "randint", "randint_like",
    "randn", "randn_like", "random", "randperm", "reshape", "seed", "select",
    "set_caching_allocator_enabled", "set_grad_enabled", "set_num_threads", "set_rng_state",
    "show_config", "split", "squeeze", "stack", "tensor", "transpose", "uint8", "unbind",
    "unsqueeze", "usable_isas", "zeros", "zeros_like",
]  # fmt: skip
