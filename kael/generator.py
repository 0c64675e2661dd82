"""Streams of random numbers: a seed and a place; and the stream that draws take by default."""

import os

from kael import dtypes
from kael._kernels import random as kernels
from kael._kernels.tensor import TensorBase
from kael.checks import integer
from kael.creation import tensor

__all__ = [
    "Generator", "default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed",
    "set_rng_state", "stream_of",
]  # fmt: skip

_DEFAULT_SEED = 67280421310721  # PyTorch's
_WORD = 1 << 64


class Generator(kernels.Stream):
    """A stream of random numbers: a seed, and the number of values drawn so far.

    Parameters
    ----------
    seed : int, optional
        As for :meth:`manual_seed`; PyTorch's default unless given.

    Examples
    --------
    >>> g = kael.Generator(0)
    >>> kael.randn(3, generator=g)[:2].equal(kael.randn(2, generator=kael.Generator(0)))
    True
    """

    def __init__(self, seed=_DEFAULT_SEED):
        self.manual_seed(seed)

    def manual_seed(self, seed):
        """Starts anew.

        Parameters
        ----------
        seed : int
            In [-2**63, 2**64), or ValueError; negative ones mean seed + 2**64.

        Returns
        -------
        Generator
            Itself.
        """
        seed = integer("manual_seed", "seed", seed)
        if not -_WORD // 2 <= seed < _WORD:
            raise ValueError(f"manual_seed: the seed must be in [-2**63, 2**64), got {seed}")
        self.stream_state = seed % _WORD, 0
        return self

    def seed(self):
        """Starts anew with a seed from the system.

        Returns
        -------
        int
            The seed.
        """
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self.initial_seed()

    def initial_seed(self):
        """The seed.

        Returns
        -------
        int
            In [0, 2**64).
        """
        return self.stream_state[0]

    def get_state(self):
        """Seed and position.

        Returns
        -------
        Tensor of uint8, shape (16,)
        """
        state = b"".join(word.to_bytes(8, "little") for word in self.stream_state)
        return tensor(list(state), dtype=dtypes.uint8)

    def set_state(self, state):
        """Continues from a state.

        Parameters
        ----------
        state : Tensor of uint8, shape (16,)
            What :meth:`get_state` returned.

        Returns
        -------
        Generator
            Itself.

        Raises
        ------
        TypeError
            If it is no Tensor of uint8.
        ValueError
            If it has another shape.
        """
        if not isinstance(state, TensorBase) or state.dtype is not dtypes.uint8:
            raise TypeError("set_state: the state must be a uint8 tensor")
        if state.shape != (16,):
            raise ValueError(f"set_state: the state must have shape (16,), got {state.shape}")
        state = bytes(state.tolist())
        words = int.from_bytes(state[:8], "little"), int.from_bytes(state[8:], "little")
        self.stream_state = words
        return self

    def clone_state(self):
        """An independent generator at the same place.

        Returns
        -------
        Generator
        """
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
    """Starts the default generator anew.

    Parameters
    ----------
    seed : int
        In [-2**63, 2**64), or ValueError; negative ones mean seed + 2**64.

    Returns
    -------
    Generator
        The default generator.
    """
    return default_generator.manual_seed(seed)


def seed():
    """Starts the default generator anew with a seed from the system.

    Returns
    -------
    int
        The seed.
    """
    return default_generator.seed()


def initial_seed():
    """The seed of the default generator.

    Returns
    -------
    int
    """
    return default_generator.initial_seed()


def get_rng_state():
    """The state of the default generator.

    Returns
    -------
    Tensor of uint8, shape (16,)
    """
    return default_generator.get_state()


def set_rng_state(state):
    """Sets the state of the default generator.

    Parameters
    ----------
    state : Tensor of uint8, shape (16,)
        What :func:`get_rng_state` returned; errors are those of :meth:`Generator.set_state`.
    """
    default_generator.set_state(state)


def stream_of(generator, op):
    """What ``op`` draws from: the generator that it was given, or the default one."""
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        raise TypeError(f"{op}: generator must be a Generator, got {type(generator).__name__}")
    return generator
