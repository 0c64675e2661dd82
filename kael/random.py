"""Random numbers by numerics R7: what a draw gives depends on seed, position and index only.

Generators are counter-based (Philox4x32-10, see include/kael/random.h). ``randn(7)`` is the
beginning of ``randn(1_000_000)``, drawing 3 then 5 values gives the same as drawing 8, and neither
threads nor the instruction set change a bit. A forked child continues with its parent's stream:
seed it where that is not wanted.
"""

from kael import dtypes
from kael._kernels import random as kernels
from kael._kernels import tensor as base
from kael._kernels.tensor import require_tensor
from kael.checks import flag, integer, items
from kael.generator import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
    stream_of,
)

__all__ = [
    "Generator", "bernoulli", "default_generator", "get_rng_state", "initial_seed", "manual_seed",
    "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "seed",
    "set_rng_state",
]  # fmt: skip

_WORD = 1 << 64


def _sizes(size):
    """The sizes given as ``f(2, 3)`` or ``f((2, 3))``."""
    return size[0] if len(size) == 1 else size


def _drawn(op, kernel, size, dtype, generator, requires_grad=False):
    """A new tensor of uniform values in [0, 1), or of standard normal ones."""
    dtype = dtypes.float32 if dtype is None else dtypes.as_dtype(dtype)
    if not dtype.is_floating_point:
        raise TypeError(f"{op}: dtype must be float32 or float64, got {dtype.name}")
    wanted = flag(op, "requires_grad", requires_grad)
    stream = stream_of(generator, op)
    return kernel(base.empty(size, dtype.code, op), stream, 0.0, 1.0, op).requires_grad_(wanted)


def rand(*size, generator=None, dtype=None, requires_grad=False):
    """Uniform values in [0, 1): multiples of 2**-24 in float32, of 2**-53 in float64.

    Parameters
    ----------
    *size : int or sequence of int
    generator : Generator, optional
        The default one unless given.
    dtype : DType, optional
        float32 unless given.
    requires_grad : bool

    Returns
    -------
    Tensor, shape ``size``

    Raises
    ------
    TypeError
        If the dtype is not of floats.

    Notes
    -----
    Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
    2011): value i depends on the seed, the position and i, R7 of docs/promise.md.

    Examples
    --------
    >>> kael.rand(2, 3).shape
    (2, 3)
    """
    return _drawn("rand", kernels.uniform, _sizes(size), dtype, generator, requires_grad)


def randn(*size, generator=None, dtype=None, requires_grad=False):
    """Standard normal values, by Box and Muller's transform.

    Parameters
    ----------
    *size, generator, dtype, requires_grad
        As for :func:`rand`, which also says what is raised.

    Returns
    -------
    Tensor, shape ``size``

    Notes
    -----
    Box and Muller, "A note on the generation of random normal deviates", 1958.

    Examples
    --------
    >>> kael.randn((2, 3)).shape
    (2, 3)
    """
    return _drawn("randn", kernels.normal, _sizes(size), dtype, generator, requires_grad)


def randint(*args, low=None, high=None, size=None, generator=None, dtype=None):
    """Integers in [low, high), each exactly equally likely.

    Called as ``randint(high, size)`` or ``randint(low, high, size)``.

    Parameters
    ----------
    *args
        The next three, by position.
    low : int
        0 unless given.
    high : int
    size : int or sequence of int
    generator : Generator, optional
        The default one unless given.
    dtype : DType, optional
        int64 unless given.

    Returns
    -------
    Tensor, shape ``size``

    Raises
    ------
    ValueError
        If ``low >= high``, or the dtype does not hold a limit.
    TypeError
        If ``high`` or ``size`` is missing.

    Examples
    --------
    >>> kael.randint(10, (2, 3)).shape
    (2, 3)
    """
    low, high, size = _randint_arguments(args, low, high, size)
    size = (size,) if hasattr(size, "__index__") else items("randint", "size", size)
    dtype = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    return _integers("randint", low, high, size, dtype, generator)


def _integers(op, low, high, size, dtype, generator):
    stream = stream_of(generator, op)
    low, high = integer(op, "low", low), integer(op, "high", high)
    if low >= high:
        raise ValueError(f"{op}: low must be less than high, got low={low}, high={high}")
    first, last = dtypes.integer_range(dtype)
    if low < first or high - 1 > last:
        raise ValueError(f"{op}: [{low}, {high}) does not fit in {dtype.name}")
    out = kernels.integers(size, stream, low, (high - low) % _WORD, op)
    return out if dtype is dtypes.int64 else out.to(dtype)


def _randint_arguments(args, low, high, size):
    given = list(args)
    if size is None and given:
        size = given.pop()
    if high is None and given:
        high = given.pop()
    if low is None and given:
        low = given.pop()
    if given or high is None or size is None:
        raise TypeError("randint: expected randint(high, size) or randint(low, high, size)")
    return 0 if low is None else low, high, size


def randperm(n, *, generator=None, dtype=None):
    """The integers 0 .. n - 1 in random order.

    Parameters
    ----------
    n : int
        ValueError if negative, or so great that the dtype does not hold all of them.
    generator : Generator, optional
        The default one unless given.
    dtype : DType, optional
        int64 unless given.

    Returns
    -------
    Tensor, shape (n,)

    Examples
    --------
    >>> sorted(kael.randperm(4).tolist())
    [0, 1, 2, 3]
    """
    n = integer("randperm", "n", n)
    if n < 0:
        raise ValueError(f"randperm: n must not be negative, got {n}")
    dtype = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    if n - 1 > dtypes.integer_range(dtype)[1]:
        raise ValueError(f"randperm: 0 to {n - 1} do not fit in {dtype.name}")
    out = kernels.permutation(n, stream_of(generator, "randperm"))
    return out.to(dtype)


def rand_like(x, *, dtype=None, generator=None, requires_grad=False):
    """:func:`rand` of the shape of another tensor.

    Parameters
    ----------
    x : Tensor
    dtype : DType, optional
        That of ``x`` unless given.
    generator, requires_grad
        As for :func:`rand`, which also says what is raised.

    Returns
    -------
    Tensor
    """
    require_tensor("rand_like", x)
    return _drawn("rand_like", kernels.uniform, x.shape, dtype or x.dtype, generator, requires_grad)


def randn_like(x, *, dtype=None, generator=None, requires_grad=False):
    """:func:`randn` of the shape of another tensor.

    Parameters
    ----------
    x : Tensor
    dtype : DType, optional
        That of ``x`` unless given.
    generator, requires_grad
        As for :func:`rand`, which also says what is raised.

    Returns
    -------
    Tensor
    """
    require_tensor("randn_like", x)
    return _drawn("randn_like", kernels.normal, x.shape, dtype or x.dtype, generator, requires_grad)


def randint_like(x, low, high=None, *, dtype=None, generator=None):
    """:func:`randint` of the shape of another tensor.

    Parameters
    ----------
    x : Tensor
    low, high : int
        One alone is ``high``, and ``low`` is 0.
    dtype : DType, optional
        That of ``x`` unless given.
    generator : Generator, optional
        The default one unless given.

    Returns
    -------
    Tensor
        Errors are those of :func:`randint`.
    """
    require_tensor("randint_like", x)
    low, high = (0, low) if high is None else (low, high)
    dtype = x.dtype if dtype is None else dtypes.as_dtype(dtype)
    return _integers("randint_like", low, high, x.shape, dtype, generator)


def bernoulli(probabilities, *, generator=None):
    """Ones and zeros; an element is 1 with its probability.

    Parameters
    ----------
    probabilities : Tensor
        Of floats, in [0, 1] or ValueError. They are compared with uniform values, so the resolution
        is 2**-24 in float32.
    generator : Generator, optional
        The default one unless given.

    Returns
    -------
    Tensor
        Of the shape and dtype of the probabilities.

    Examples
    --------
    >>> kael.bernoulli(kael.tensor([0.0, 1.0])).tolist()
    [0.0, 1.0]
    """
    require_tensor("bernoulli", probabilities)
    p = probabilities.detach()
    if not bool((p >= 0).logical_and(p <= 1).all()):
        raise ValueError(f"bernoulli: the probabilities must be in [0, 1], got {p}")
    uniform = _drawn("bernoulli", kernels.uniform, p.shape, p.dtype, generator)
    return (uniform < p).to(p.dtype)
