"""The rates that no operation passes on this machine: multiply-adds and memory."""

import functools
import re
from pathlib import Path

import numpy as np

import kael
from kael._kernels import machine
from kael.lab.timing import best

__all__ = ["array_bytes", "bandwidth", "fma_rate", "roofs"]

LEAST_ARRAY, LARGEST_ARRAY = 64 << 20, 512 << 20
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def fma_rate(dtype, seconds=0.2):
    """Floating-point operations per second of multiply-adds in registers.

    On the threads and the instruction set in use. Portable C has no instruction of that name where
    the platform's baseline lacks it: there the rate is that of the C library's ``fma``, which is
    what kael's own portable products are made of.

    Parameters
    ----------
    dtype : kael.dtype
        ``kael.float32`` or ``kael.float64``.
    seconds : float
        How long to try; the fastest moment counts.
    """
    double = dtype == kael.float64
    steps = 100 if kael.get_isa() == "generic" else 10_000  # 0.1 ms
    rates = [0.0]
    for many in (False, True):
        operations = machine.fma(double, steps, many)
        spent = best(lambda many=many: machine.fma(double, steps, many), seconds / 2)
        rates.append(operations / spent)
    return max(rates)


def bandwidth(size=None, seconds=0.4):
    """Bytes per second that memory gives to each kind of walk, on the threads in use.

    Parameters
    ----------
    size : int, optional
        Bytes of one array; :func:`array_bytes` by default.

    Returns
    -------
    dict of str to float
        ``"read"`` reads one array, ``"update"`` reads one and reads and writes another, and
        ``"optimizer"`` two more, as Adam does.
    """
    count = (array_bytes() if size is None else size) // kael.float32.itemsize
    g, p, a, b = (kael.full((count,), 1e-3) for _ in range(4))
    walks = {"read": (g,), "update": (g, p), "optimizer": (g, p, a, b)}
    rates = {}
    for name, arrays in walks.items():
        moved = machine.stream(*arrays)
        spent = best(lambda arrays=arrays: machine.stream(*arrays), seconds / len(walks))
        rates[name] = moved / spent
    return rates


def roofs():
    """What the threads and the instruction set in use can do per second: a pair of floats.

    float32 operations of :func:`fma_rate`, and bytes of the walk of an optimizer over arrays that
    together are four times the largest cache. Measured in a tenth of a second when first asked
    for, on memory that is not the allocator's, so that its books stay as they are.
    """
    return _roofs(kael.get_isa(), kael.get_num_threads())


@functools.cache
def _roofs(isa, threads):
    count = array_bytes() // 2 // kael.float32.itemsize
    arrays = [kael.from_numpy(np.full(count, 1e-3, np.float32)) for _ in range(4)]
    moved = machine.stream(*arrays)
    spent = best(lambda: machine.stream(*arrays), 0.05)
    return fma_rate(kael.float32, 0.05), moved / spent


def array_bytes():
    """Bytes of an array that the caches do not hold: twice the largest, 64 to 512 MiB."""
    sizes = [0]
    for path in CACHES.glob("index*/size"):
        if known := re.fullmatch(r"(\d+)([KMG])", path.read_text().strip()):
            sizes.append(int(known[1]) * UNITS[known[2]])
    return min(max(LEAST_ARRAY, 2 * max(sizes)), LARGEST_ARRAY)
