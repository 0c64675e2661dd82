"""Reverse-mode differentiation: the graph's nodes, the walk, and grad mode.

An operation that can be differentiated ends in :func:`record`. Its gradient function takes the
gradient of the output and returns one gradient per input, ``None`` where there is none. Gradients
of a tensor are added in reverse order of creation (numerics R8), so they have the same bits on
every run.
"""

from kael._kernels.runtime import is_grad_enabled

__all__ = ["is_grad_enabled", "needs_grad", "record"]


class Node:
    """One recorded operation.

    Attributes
    ----------
    name : str
    inputs : tuple of Tensor or None
    gradient : callable
        ``gradient(g)`` returns a tuple with one Tensor or None per input.
    saved : tuple of (Tensor, int)
        Tensors that ``gradient`` will read, with their versions when recorded.
    order : int
        Increases with every node made.
    """

    __slots__ = ("gradient", "inputs", "name", "order", "saved")


def needs_grad(*tensors):
    """Whether an operation on these tensors must be recorded."""
    return is_grad_enabled() and any(t.requires_grad for t in tensors)


def record(name, out, inputs, gradient, saved=()):
    """Makes ``out`` the result of an operation with this gradient function; returns ``out``."""
    raise NotImplementedError
