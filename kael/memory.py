"""The caching allocator: its books and its switches.

A freed tensor's block waits for the next tensor of its size class, so process memory does not
fall when a tensor goes away: read :func:`allocator_stats` before concluding that there is a leak.
"""

from collections import namedtuple

from kael._kernels import runtime
from kael.checks import flag

__all__ = [
    "AllocatorStats",
    "allocator_stats",
    "caching_allocator_enabled",
    "empty_cache",
    "set_caching_allocator_enabled",
]


class AllocatorStats(
    namedtuple(
        "AllocatorStats", ("reserved_bytes", "in_use_bytes", "cached_bytes", "hits", "misses")
    )
):
    """The allocator's books at one moment; ``reserved_bytes == in_use_bytes + cached_bytes``.

    Parameters
    ----------
    reserved_bytes : int
        Held from the system. A request reserves the next multiple of 512 bytes up to 64 KiB, the
        next power of two above.
    in_use_bytes : int
        Of these, in blocks of living tensors and scratch.
    cached_bytes : int
        Of these, waiting for the next request; at most 1 GiB.
    hits : int
        Requests met by a cached block.
    misses : int
        Requests met by the system.
    """

    __slots__ = ()


def allocator_stats():
    """The allocator's books.

    Returns
    -------
    AllocatorStats

    Examples
    --------
    >>> stats = kael.allocator_stats()
    >>> stats.reserved_bytes == stats.in_use_bytes + stats.cached_bytes
    True
    """
    return AllocatorStats(*runtime.allocator_counters())


def empty_cache():
    """Gives every cached block back to the system. Blocks in use, views' too, stay."""
    runtime.empty_cache()


def set_caching_allocator_enabled(enabled):
    """Turns caching of freed blocks on or off; off gives the cached ones back.

    It starts off when ``KAEL_NO_CACHING_ALLOCATOR`` is set, to any value. Sanitizer builds have no
    cache, and there this has no effect.

    Parameters
    ----------
    enabled : bool
    """
    runtime.set_caching(flag("set_caching_allocator_enabled", "enabled", enabled))


def caching_allocator_enabled():
    """Whether freed blocks are kept for the next request.

    Returns
    -------
    bool
    """
    return runtime.caching_enabled()
