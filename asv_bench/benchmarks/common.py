"""What the benchmark files share: operands, and the thread counts that are measured."""

import os

import kael

# One thread, and all that there are: what a user gets.
THREADS = sorted({1, len(os.sched_getaffinity(0))})


def operand(*shape, dtype=None):
    """Normal values, the same in every process."""
    generator = kael.Generator()
    generator.manual_seed(0)
    values = kael.randn(*shape, generator=generator)
    return values if dtype is None else values.to(dtype)
