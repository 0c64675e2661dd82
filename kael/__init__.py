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

# Functions named like modules imported above (tensor, matmul) take those names here.
# isort: split
from kael import creation, ops, random
from kael.autograd import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from kael.creation import *  # noqa: F403
from kael.dtypes import bool_, float32, float64, int32, int64, uint8
from kael.interop import from_dlpack, from_numpy
from kael.ops.clamp import *  # noqa: F403
from kael.ops.comparison import *  # noqa: F403
from kael.ops.dims import *  # noqa: F403
from kael.ops.einsum import *  # noqa: F403
from kael.ops.elementwise import *  # noqa: F403
from kael.ops.extremes import *  # noqa: F403
from kael.ops.losses import *  # noqa: F403
from kael.ops.matmul import *  # noqa: F403
from kael.ops.pieces import *  # noqa: F403
from kael.ops.reduce import *  # noqa: F403
from kael.ops.rows import *  # noqa: F403
from kael.ops.selection import *  # noqa: F403
from kael.ops.shape import *  # noqa: F403
from kael.ops.vectors import *  # noqa: F403
from kael.random import *  # noqa: F403
from kael.serialization import load, save

# isort: split
from kael import autograd, matmul_versions, nn, optim

__version__ = "0.2.0"
bool = bool_

__all__ = [
    "AllocatorStats",
    "Tensor",
    "allocator_stats",
    "autograd",
    "bool",
    "bool_",
    "caching_allocator_enabled",
    "empty_cache",
    "enable_grad",
    "float32",
    "float64",
    "from_dlpack",
    "from_numpy",
    "get_isa",
    "get_num_threads",
    "int32",
    "int64",
    "is_grad_enabled",
    "isa",
    "load",
    "matmul_versions",
    "nn",
    "no_grad",
    "num_threads",
    "optim",
    "parallel_for",
    "random",
    "save",
    "set_caching_allocator_enabled",
    "set_grad_enabled",
    "set_num_threads",
    "show_config",
    "uint8",
    "usable_isas",
    *creation.__all__,
    *ops.__all__,
    *random.__all__,
]


def __getattr__(name):
    """Imported at first use: kael.data and kael.testing need NumPy, kael.torch PyTorch."""
    if name in ("data", "profiler", "testing", "torch"):
        import importlib

        return importlib.import_module(f"kael.{name}")
    raise AttributeError(f"module 'kael' has no attribute {name!r}")
