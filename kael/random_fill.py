"""Random values drawn into a tensor that is there: the in-place methods, and what init.py uses.

Like every draw (numerics R7) they depend on seed, position and index only.
"""

import math

from kael._kernels import random as kernels
from kael._kernels.tensor import require_tensor
from kael.autograd import needs_grad
from kael.checks import real
from kael.creation import empty
from kael.generator import stream_of

__all__ = ["bernoulli_", "fill_normal", "fill_uniform", "normal_", "uniform_"]

_GREATEST = {"float32": (2 - 2.0**-23) * 2.0**127, "float64": (2 - 2.0**-52) * 2.0**1023}


def _fill(kernel, x, generator, op, *arguments):
    """Draws into x, or where the change of x is recorded into a copy."""
    require_tensor(op, x)
    stream = stream_of(generator, op)
    if not needs_grad(x):
        return kernel(x, stream, *arguments, op)
    return x.copy_(kernel(empty(x.shape, dtype=x.dtype), stream, *arguments, op))


def uniform_(x, low=0.0, high=1.0, *, generator=None):
    """Fills with ``low + (high - low) * u``, u uniform in [0, 1).

    Parameters
    ----------
    x : Tensor
        Of floats; TypeError otherwise.
    low, high : float
        ValueError unless ``low <= high``, and their distance within the range of the dtype.
    generator : Generator, optional
        The default one unless given.

    Returns
    -------
    Tensor
        ``x``.
    """
    return fill_uniform("uniform_", x, low, high, generator)


def fill_uniform(op, x, low, high, generator):
    """:func:`uniform_` in the name of ``op``."""
    if not real(op, "low", low) <= real(op, "high", high):
        raise ValueError(f"{op}: low must not exceed high, got low={low}, high={high}")
    require_tensor(op, x)
    if high - low > _GREATEST.get(x.dtype.name, math.inf):
        raise ValueError(
            f"{op}: high - low must be within the range of {x.dtype.name}, got low={low}, "
            f"high={high}"
        )
    return _fill(kernels.uniform, x, generator, op, low, high - low)


def normal_(x, mean=0.0, std=1.0, *, generator=None):
    """Fills with normal values.

    Parameters
    ----------
    x : Tensor
        Of floats; TypeError otherwise.
    mean, std : float
        ValueError for a negative ``std``.
    generator : Generator, optional
        The default one unless given.

    Returns
    -------
    Tensor
        ``x``.
    """
    return fill_normal("normal_", x, mean, std, generator)


def fill_normal(op, x, mean, std, generator):
    """:func:`normal_` in the name of ``op``."""
    real(op, "mean", mean)
    if not real(op, "std", std) >= 0.0:
        raise ValueError(f"{op}: std must not be negative, got {std}")
    return _fill(kernels.normal, x, generator, op, mean, std)


def bernoulli_(x, p=0.5, *, generator=None):
    """Fills with ones, each with probability ``p``, and zeros.

    Parameters
    ----------
    x : Tensor
        Of floats; TypeError otherwise.
    p : float
        In [0, 1], or ValueError; taken as a multiple of 2**-32.
    generator : Generator, optional
        The default one unless given.

    Returns
    -------
    Tensor
        ``x``.
    """
    return _fill(kernels.bernoulli, x, generator, "bernoulli_", real("bernoulli_", "p", p))
