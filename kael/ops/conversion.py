"""Copies: to another dtype, to packed memory, and into an existing tensor."""

from kael._kernels import elementwise, graph
from kael._kernels.creation import zeros
from kael._kernels.numbers import number
from kael._kernels.tensor import TensorBase, require_tensor
from kael.autograd import needs_grad, record
from kael.checks import flag, real
from kael.dtypes import as_dtype
from kael.interop import from_data
from kael.ops.shape import unbroadcast

__all__ = ["clone", "contiguous", "copy_", "fill_", "source_for", "to", "zero_"]


def to(x, dtype, copy=False):
    """``x`` in another dtype.

    Parameters
    ----------
    x : Tensor
    dtype : DType or Tensor
        What :func:`kael.tensor` takes as one, or a tensor that has it.
    copy : bool
        Make a copy also where ``x`` has the dtype.

    Returns
    -------
    Tensor
        ``x`` itself where it has the dtype and ``copy`` is false.

    Raises
    ------
    TypeError
        If kael has no such dtype.

    Notes
    -----
    Floats go to integers by truncation, saturated, NaN as 0; integers wrap: R9 of docs/promise.md.
    """
    require_tensor("to", x)
    dtype = dtype.dtype if isinstance(dtype, TensorBase) else as_dtype(dtype)
    copy = copy is not False and flag("to", "copy", copy)
    former = x.dtype
    if dtype is former and not copy:
        return x
    out = elementwise.convert(x, dtype.code)
    return record("to", out, (x,), lambda g: (to(g, former),))


def clone(x):
    """A packed copy, which passes its gradient on.

    Parameters
    ----------
    x : Tensor

    Returns
    -------
    Tensor
    """
    require_tensor("clone", x)
    return record("clone", elementwise.convert(x, x.dtype_code), (x,), lambda g: (g,))


def contiguous(x):
    """The elements packed in row-major order.

    Parameters
    ----------
    x : Tensor

    Returns
    -------
    Tensor
        ``x`` itself where it is so already, else a copy.
    """
    require_tensor("contiguous", x)
    out = elementwise.contiguous(x)
    return x if out is x else record("contiguous", out, (x,), lambda g: (g,))


def copy_(x, source):
    """Writes other elements into ``x``.

    Parameters
    ----------
    x : Tensor
    source : Tensor, number, array or nested sequence
        Broadcast to the shape of ``x`` and converted to its dtype; OverflowError for an integer,
        alone or in a sequence, that this does not hold. The two may overlap.

    Returns
    -------
    Tensor
        ``x``.

    Raises
    ------
    ValueError
        If ``source`` does not broadcast.
    RuntimeError
        If ``x`` is read-only, expanded, or a leaf that requires grad.
    """
    require_tensor("copy_", x)
    source = source_for("copy_", x, source)
    if not needs_grad(x, source):
        elementwise.copy_(x, source)
        return x
    graph.begin_in_place(x, "copy_")
    shape, dtype, code = source.shape, source.dtype, x.dtype_code
    elementwise.copy_(x, source)

    def gradient(g):
        return zeros(g.shape, code), unbroadcast(g, shape).to(dtype)

    return record("copy_", x, (x, source), gradient)


def source_for(op, x, value):
    """What is to be written into ``x``, as a tensor: numbers and sequences at once in the dtype of
    ``x``, so that nothing is rounded on the way."""
    if isinstance(value, TensorBase):
        return value
    if type(value) in (bool, int, float):
        return number(value, x.dtype_code)
    dtype = x.dtype if isinstance(value, (list, tuple, range)) else None
    return from_data(value, dtype, copy=False, op=op)


def fill_(x, value):
    """Writes one number into every element.

    Parameters
    ----------
    x : Tensor
    value : number or Tensor
        Converted to the dtype of ``x``; OverflowError for an integer that this does not hold.

    Returns
    -------
    Tensor
        ``x``. What is refused is as for :meth:`Tensor.copy_`.
    """
    require_tensor("fill_", x)
    if isinstance(value, TensorBase):
        return copy_(x, value)
    real("fill_", "value", value)
    if needs_grad(x):
        graph.begin_in_place(x, "fill_")
    elementwise.fill_(x, value)
    code = x.dtype_code
    return record("fill_", x, (x,), lambda g: (zeros(g.shape, code),))


def zero_(x):
    """Writes zeros.

    Parameters
    ----------
    x : Tensor

    Returns
    -------
    Tensor
        ``x``. What is refused is as for :meth:`Tensor.copy_`.
    """
    require_tensor("zero_", x)
    return fill_(x, 0)
