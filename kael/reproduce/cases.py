"""The list of cases, their inputs, and their digests."""

import functools
import hashlib

import numpy as np

import kael

__all__ = ["CASES", "COVERED", "case", "digest", "gradients", "normal", "odd", "spread"]

CASES = {}  # name: function of a dtype's name that yields pairs (label, tensor)
COVERED = set()  # public names: "softmax", "functional.relu", "optim.Adam"
SPECIAL = [0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"), 5e-324, 1e-40, 1e38]
SPECIAL += [-88.7, 709.8, 0.5, 2.0, 3.0, -2.5]


def case(*covers, name=None):
    """Registers a function ``f(dtype)`` that yields labelled tensors as a case.

    ``covers`` are the public names it computes with; the case is called ``name`` or the first.
    """

    def register(function):
        CASES[name or covers[0]] = function
        COVERED.update(covers)
        return function

    return register


def digest(pairs):
    """SHA-256 over labels, dtypes, shapes and bytes; all NaNs are one."""
    total = hashlib.sha256()
    for label, tensor in pairs:
        array = np.array(tensor.detach().numpy())
        if array.dtype.kind == "f":
            array[np.isnan(array)] = np.nan
        total.update(f"{label} {array.dtype.str} {array.shape};".encode() + array.tobytes())
    return total.hexdigest()


# ---- inputs: made once, by kael's generator, and scaled by exact powers of two ----


@functools.cache
def normal(seed, *shape, dtype):
    """Normal values."""
    return kael.randn(*shape, dtype=getattr(kael, dtype), generator=kael.Generator(seed))


@functools.cache
def spread(seed, *shape, dtype):
    """Normal values, each times a power of two between 2**-50 and 2**50: sums of them round at
    every step, so that no other order gives the same bits."""
    powers = kael.tensor([2.0**e for e in range(-50, 51)], dtype=getattr(kael, dtype))
    chosen = kael.randint(0, 101, shape, generator=kael.Generator(seed + 1))
    return normal(seed, *shape, dtype=dtype) * powers[chosen]


@functools.cache
def odd(seed, dtype):
    """Values of moderate size, tiny and huge ones, and those that C99 lists."""
    special = kael.tensor(SPECIAL, dtype=getattr(kael, dtype))
    wide, near = spread(seed, 500, dtype=dtype), normal(seed, 997, dtype=dtype) * 8
    return kael.cat([special, wide, near])


def gradients(function, *inputs, seed=1):
    """Yields the results of ``function`` and the gradients that a fixed one of the results makes at
    the inputs of floats."""
    leaves = [x.detach().requires_grad_(x.dtype.is_floating_point) for x in inputs]
    outs = function(*leaves)
    outs = [outs] if isinstance(outs, kael.Tensor) else list(outs)
    for number, out in enumerate(outs):
        yield f"result {number}", out
    tracked = [out for out in outs if out.requires_grad]
    if not tracked:
        return
    slopes = [normal(seed, *out.shape, dtype=out.dtype.name) for out in tracked]
    kael.autograd.backward(tracked, slopes)
    for number, leaf in enumerate(leaves):
        if leaf.grad is not None:
            yield f"gradient {number}", leaf.grad
