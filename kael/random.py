"""Random numbers by numerics R7: what a draw gives depends on seed, position and index only.

Generators are counter-based (Philox4x32-10, see include/kael/random.h). ``randn(7)`` is the
beginning of ``randn(1_000_000)``, drawing 3 then 5 values gives the same as drawing 8, and neither
threads nor the instruction set change a bit. A forked child continues with its parent's stream:
seed it where that is not wanted.
"""

import operator
import os

from kael import dtypes
from kael._kernels import random as kernels
from kael._kernels.tensor import TensorBase, require_tensor
from kael.autograd import needs_grad
from kael.creation import empty, tensor

__all__ = [
    "Generator", "bernoulli", "default_generator", "get_rng_state", "initial_seed", "manual_seed",
    "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "seed",
    "set_rng_state",
]  # fmt: skip

_DEFAULT_SEED = 67280421310721  # PyTorch's
_WORD = 1 << 64


class Generator(kernels.Stream):
    """A stream of random numbers: a seed, and the number of values drawn so far.

    Parameters
    ----------
    seed : int, optional

    Examples
    --------
    >>> g = kael.Generator(0)
    >>> kael.randn(3, generator=g)[:2].equal(kael.randn(2, generator=kael.Generator(0)))
    True
    """

    def __init__(self, seed=_DEFAULT_SEED):
        self.manual_seed(seed)

    def manual_seed(self, seed):
        """Starts anew with an integer in [-2**63, 2**64); negative ones mean seed + 2**64."""
        seed = operator.index(seed)
        if not -_WORD // 2 <= seed < _WORD:
            raise ValueError(f"manual_seed: the seed must be in [-2**63, 2**64), got {seed}")
        self.stream_state = seed % _WORD, 0
        return self

    def seed(self):
        """Starts anew with a seed from the system; returns it."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self.initial_seed()

    def initial_seed(self):
        """The seed, in [0, 2**64)."""
        return self.stream_state[0]

    def get_state(self):
        """Seed and position, as a uint8 tensor of 16 elements."""
        state = b"".join(word.to_bytes(8, "little") for word in self.stream_state)
        return tensor(list(state), dtype=dtypes.uint8)

    def set_state(self, state):
        """Continues from what :meth:`get_state` returned."""
        if not isinstance(state, TensorBase) or state.dtype is not dtypes.uint8:
            raise TypeError("set_state: the state must be a uint8 tensor")
        if state.shape != (16,):
            raise ValueError(f"set_state: the state must have shape (16,), got {state.shape}")
        state = bytes(state.tolist())
        words = int.from_bytes(state[:8], "little"), int.from_bytes(state[8:], "little")
        self.stream_state = words
        return self

    def clone_state(self):
        """An independent generator at the same place."""
        other = Generator()
        other.stream_state = self.stream_state
        return other

    def __reduce__(self):
        return _restored, self.stream_state

    def __repr__(self):
        seed, position = self.stream_state
        return f"<kael.Generator seed={seed} position={position}>"


def _restored(seed, position):
    generator = Generator()
    generator.stream_state = seed, position
    return generator


default_generator = Generator()
"""The generator of every draw that names none."""


def manual_seed(seed):
    """Starts the default generator anew; returns it."""
    return default_generator.manual_seed(seed)


def seed():
    """Starts the default generator anew with a seed from the system; returns the seed."""
    return default_generator.seed()


def initial_seed():
    """The seed of the default generator."""
    return default_generator.initial_seed()


def get_rng_state():
    """State of the default generator; see :meth:`Generator.get_state`."""
    return default_generator.get_state()


def set_rng_state(state):
    """Sets the state of the default generator."""
    default_generator.set_state(state)


def _stream(generator, op):
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        raise TypeError(f"{op}: generator must be a Generator, got {type(generator).__name__}")
    return generator


def _sizes(size):
    """The sizes given as ``f(2, 3)`` or ``f((2, 3))``."""
    return tuple(size[0]) if len(size) == 1 and not hasattr(size[0], "__index__") else size


def _float_empty(op, size, dtype):
    dtype = dtypes.float32 if dtype is None else dtypes.as_dtype(dtype)
    if not dtype.is_floating_point:
        raise TypeError(f"{op}: dtype must be float32 or float64, got {dtype.name}")
    return empty(_sizes(size), dtype=dtype)


def rand(*size, generator=None, dtype=None, requires_grad=False):
    """Uniform values in [0, 1): multiples of 2**-24 in float32, of 2**-53 in float64.

    Parameters
    ----------
    *size : int or sequence of int
    generator : Generator, optional
    dtype : DType, optional
        float32 unless given.
    requires_grad : bool

    Examples
    --------
    >>> kael.rand(2, 3).shape
    (2, 3)
    """
    stream = _stream(generator, "rand")
    out = kernels.uniform(_float_empty("rand", size, dtype), stream, 0.0, 1.0)
    return out.requires_grad_() if requires_grad else out


def randn(*size, generator=None, dtype=None, requires_grad=False):
    """Standard normal values, by Box and Muller's transform.

    Parameters
    ----------
    *size : int or sequence of int
    generator : Generator, optional
    dtype : DType, optional
        float32 unless given.
    requires_grad : bool

    Examples
    --------
    >>> kael.randn((2, 3)).shape
    (2, 3)
    """
    stream = _stream(generator, "randn")
    out = kernels.normal(_float_empty("randn", size, dtype), stream, 0.0, 1.0)
    return out.requires_grad_() if requires_grad else out


def randint(*args, low=None, high=None, size=None, generator=None, dtype=None):
    """Integers in [low, high), each exactly equally likely.

    Called as ``randint(high, size)`` or ``randint(low, high, size)``.

    Parameters
    ----------
    low : int
        0 unless given.
    high : int
    size : int or sequence of int
    generator : Generator, optional
    dtype : DType, optional
        int64 unless given.

    Raises
    ------
    ValueError
        ``low >= high``, or a limit that the dtype does not hold.
    """
    low, high, size = _randint_arguments(args, low, high, size)
    stream = _stream(generator, "randint")
    low, high = operator.index(low), operator.index(high)
    dtype = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    if low >= high:
        raise ValueError(f"randint: low must be less than high, got low={low}, high={high}")
    first, last = _INTEGER_RANGES[dtype.name]
    if low < first or high - 1 > last:
        raise ValueError(f"randint: [{low}, {high}) does not fit in {dtype.name}")
    size = (size,) if hasattr(size, "__index__") else tuple(size)
    out = kernels.integers(size, stream, low, (high - low) % _WORD)
    return out if dtype is dtypes.int64 else out.to(dtype)


_INTEGER_RANGES = {
    "bool": (0, 1), "uint8": (0, 255), "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1), "float32": (-(2**24), 2**24), "float64": (-(2**53), 2**53),
}  # fmt: skip


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
    generator : Generator, optional
    dtype : DType, optional
        int64 unless given.
    """
    n = operator.index(n)
    if n < 0:
        raise ValueError(f"randperm: n must not be negative, got {n}")
    out = kernels.permutation(n, _stream(generator, "randperm"))
    return out if dtype is None else out.to(dtype)


def rand_like(x, *, dtype=None, generator=None, requires_grad=False):
    """:func:`rand` of the shape and dtype of ``x``."""
    require_tensor("rand_like", x)
    dtype = x.dtype if dtype is None else dtype
    return rand(x.shape, generator=generator, dtype=dtype, requires_grad=requires_grad)


def randn_like(x, *, dtype=None, generator=None, requires_grad=False):
    """:func:`randn` of the shape and dtype of ``x``."""
    require_tensor("randn_like", x)
    dtype = x.dtype if dtype is None else dtype
    return randn(x.shape, generator=generator, dtype=dtype, requires_grad=requires_grad)


def randint_like(x, low, high=None, *, dtype=None, generator=None):
    """:func:`randint` of the shape and dtype of ``x``; with one limit, it is ``high``."""
    require_tensor("randint_like", x)
    low, high = (0, low) if high is None else (low, high)
    dtype = x.dtype if dtype is None else dtype
    return randint(low, high, x.shape, generator=generator, dtype=dtype)


def _fill(kernel, x, generator, op, *arguments):
    """Draws into x, or where the change of x is recorded into a copy."""
    require_tensor(op, x)
    stream = _stream(generator, op)
    if not needs_grad(x):
        return kernel(x, stream, *arguments)
    return x.copy_(kernel(empty(x.shape, dtype=x.dtype), stream, *arguments))


def uniform_(x, low=0.0, high=1.0, *, generator=None):
    """Fills ``x`` with ``low + (high - low) * u``, u uniform in [0, 1); returns x."""
    if not low <= high:
        raise ValueError(f"uniform_: low must not exceed high, got low={low}, high={high}")
    return _fill(kernels.uniform, x, generator, "uniform_", low, high - low)


def normal_(x, mean=0.0, std=1.0, *, generator=None):
    """Fills ``x`` with normal values; returns x."""
    if not std >= 0.0:
        raise ValueError(f"normal_: std must not be negative, got {std}")
    return _fill(kernels.normal, x, generator, "normal_", mean, std)


def bernoulli_(x, p=0.5, *, generator=None):
    """Fills ``x`` with ones, each with probability ``p`` (a multiple of 2**-32), and zeros."""
    return _fill(kernels.bernoulli, x, generator, "bernoulli_", p)


def bernoulli(probabilities, *, generator=None):
    """Ones and zeros; an element is 1 with its probability.

    Compares with uniform values, so its resolution is 2**-24 in float32.
    """
    require_tensor("bernoulli", probabilities)
    uniform = rand_like(probabilities, generator=generator)
    return (uniform < probabilities.detach()).to(probabilities.dtype)
