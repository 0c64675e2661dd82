"""Copies: to another dtype, to packed memory, and into an existing tensor."""

from kael._kernels import elementwise, graph
from kael._kernels.creation import zeros
from kael._kernels.tensor import TensorBase
from kael.autograd import needs_grad, record
from kael.dtypes import as_dtype
from kael.interop import from_data
from kael.ops.shape import unbroadcast

__all__ = ["clone", "contiguous", "copy_", "fill_", "to", "zero_"]


def to(x, dtype, copy=False):
    """``x`` in another dtype (numerics R9); itself when it has the dtype and ``copy`` is false."""
    dtype = dtype.dtype if isinstance(dtype, TensorBase) else as_dtype(dtype)
    former = x.dtype
    if dtype is former and not copy:
        return x
    out = elementwise.convert(x, dtype.code)
    return record("to", out, (x,), lambda g: (to(g, former),))


def clone(x):
    """A packed copy."""
    return record("clone", elementwise.convert(x, x.dtype_code), (x,), lambda g: (g,))


def contiguous(x):
    """``x`` if its elements lie packed in row-major order, else a packed copy."""
    out = elementwise.contiguous(x)
    return x if out is x else record("contiguous", out, (x,), lambda g: (g,))


def copy_(x, source):
    """Writes ``source``, broadcast and converted, into ``x``; returns x."""
    source = source if isinstance(source, TensorBase) else from_data(source, copy=False)
    if not needs_grad(x, source):
        elementwise.copy_(x, source)
        return x
    graph.begin_in_place(x, "copy_")
    shape, dtype, code = source.shape, source.dtype, x.dtype_code
    elementwise.copy_(x, source)

    def gradient(g):
        return zeros(g.shape, code), unbroadcast(g, shape).to(dtype)

    return record("copy_", x, (x, source), gradient)


def fill_(x, value):
    """Writes a number into every element; returns x."""
    if isinstance(value, TensorBase):
        return copy_(x, value)
    if needs_grad(x):
        graph.begin_in_place(x, "fill_")
    elementwise.fill_(x, value)
    code = x.dtype_code
    return record("fill_", x, (x,), lambda g: (zeros(g.shape, code),))


def zero_(x):
    """:func:`fill_` with zero."""
    return fill_(x, 0)
