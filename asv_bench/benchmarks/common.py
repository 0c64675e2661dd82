"""What the benchmark files share: operands, the axes that are measured, rates, and how an older
commit is left out.

A rate (``track_rate_*``) is for the plots of `make bench-publish`. asv takes a larger number for a
worse one, so `make bench-compare` looks at times and sizes only."""

import os
import time

import kael

# One thread, and all that there are: what a user gets.
THREADS = sorted({1, len(os.sched_getaffinity(0))})
# The seeds' counts, whatever the machine has: more threads than cores must not fall apart.
MANY_THREADS = [1, 2, 4, 5, 8, 15]
ISAS = list(kael.usable_isas()) if hasattr(kael, "usable_isas") else ["default"]
RATE_SECONDS = 0.05


def operand(*shape, dtype=None):
    """Normal values, the same in every process; every page has been written."""
    generator = kael.Generator()
    generator.manual_seed(0)
    values = kael.randn(*shape, generator=generator)
    return values if dtype is None else values.to(dtype)


def need(name, where=kael):
    """What ``where`` calls ``name``; a commit that lacks it is skipped by asv."""
    found = getattr(where, name, None)
    if found is None:
        raise NotImplementedError(f"no {name} in this commit")
    return found


def use_isa(name):
    """Chooses an instruction set for the process, which asv starts anew for each benchmark."""
    if name != "default":
        context = need("isa")(name)
        context.__enter__()
        return context
    return None


def rate(work, run):
    """``work`` per second, from the fastest of the calls of a short while."""
    run()
    best, end = float("inf"), time.perf_counter() + RATE_SECONDS
    while True:
        start = time.perf_counter()
        run()
        now = time.perf_counter()
        best = min(best, now - start)
        if now > end:
            return work / best
