"""The rates that no operation passes on this machine: multiply-adds and memory."""

import re
from pathlib import Path

import kael
from kael._kernels import machine
from kael.lab.timing import best

__all__ = ["array_bytes", "bandwidth", "fma_rate"]

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


def array_bytes():
    """Bytes of an array that the caches do not hold: twice the largest, 64 to 512 MiB."""
    sizes = [0]
    for path in CACHES.glob("index*/size"):
        if known := re.fullmatch(r"(\d+)([KMG])", path.read_text().strip()):
            sizes.append(int(known[1]) * UNITS[known[2]])
    return min(max(LEAST_ARRAY, 2 * max(sizes)), LARGEST_ARRAY)
