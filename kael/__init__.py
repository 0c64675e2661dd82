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

__all__ = [
    "AllocatorStats",
    "Tensor",
    "allocator_stats",
    "caching_allocator_enabled",
    "empty_cache",
    "get_isa",
    "get_num_threads",
    "isa",
    "num_threads",
    "parallel_for",
    "set_caching_allocator_enabled",
    "set_num_threads",
    "show_config",
    "usable_isas",
]
