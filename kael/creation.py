"""Functions that make tensors."""

import operator

from kael._kernels import creation as kernels
from kael._kernels import elementwise
from kael._kernels import tensor as base
from kael._kernels.tensor import TensorBase, require_tensor
from kael.dtypes import as_dtype, float32, int64
from kael.interop import from_data

__all__ = [
    "arange", "as_tensor", "empty", "empty_like", "eye", "full", "full_like", "linspace", "ones",
    "ones_like", "tensor", "zeros", "zeros_like",
]  # fmt: skip


def tensor(data, dtype=None, requires_grad=False):
    """A tensor with its own copy of ``data``.

    Parameters
    ----------
    data : number, nested sequence, array or Tensor
        Arrays keep their dtype; Python floats become float32, ints int64.
    dtype : DType, optional

    Raises
    ------
    TypeError
        Names a dtype that kael does not have.
    ValueError
        Rows of different lengths.

    Examples
    --------
    >>> kael.tensor([[1.0, 2.0], [3.0, 4.0]]).shape
    (2, 2)
    """
    return _ready(from_data(data, dtype, copy=True), requires_grad)


def as_tensor(data, dtype=None):
    """``data`` as a tensor, sharing its memory or being it where possible."""
    if isinstance(data, TensorBase):
        return data if dtype is None else data.to(as_dtype(dtype))
    return from_data(data, dtype, copy=False)


def empty(*size, dtype=None, requires_grad=False):
    """A tensor of arbitrary contents.

    MemoryError when it does not fit in memory, ValueError for a negative size.
    """
    return _ready(base.empty(_sizes(size), _code(dtype)), requires_grad)


def zeros(*size, dtype=None, requires_grad=False):
    """A tensor of zeros."""
    return _ready(kernels.zeros(_sizes(size), _code(dtype)), requires_grad)


def ones(*size, dtype=None, requires_grad=False):
    """A tensor of ones."""
    return full(_sizes(size), 1, dtype=as_dtype(dtype or float32), requires_grad=requires_grad)


def full(size, fill_value, dtype=None, requires_grad=False):
    """A tensor with ``fill_value`` everywhere, of its dtype unless one is given."""
    dtype = as_dtype(type(fill_value) if dtype is None else dtype)
    out = base.empty(size, dtype.code)
    elementwise.fill_(out, fill_value)
    return _ready(out, requires_grad)


def empty_like(x, dtype=None, requires_grad=False):
    """:func:`empty` of the shape, and by default the dtype, of ``x``."""
    require_tensor("empty_like", x)
    return empty(x.shape, dtype=dtype or x.dtype, requires_grad=requires_grad)


def zeros_like(x, dtype=None, requires_grad=False):
    """:func:`zeros` of the shape, and by default the dtype, of ``x``."""
    require_tensor("zeros_like", x)
    return zeros(x.shape, dtype=dtype or x.dtype, requires_grad=requires_grad)


def ones_like(x, dtype=None, requires_grad=False):
    """:func:`ones` of the shape, and by default the dtype, of ``x``."""
    require_tensor("ones_like", x)
    return full(x.shape, 1, dtype=dtype or x.dtype, requires_grad=requires_grad)


def full_like(x, fill_value, dtype=None, requires_grad=False):
    """:func:`full` of the shape, and by default the dtype, of ``x``."""
    require_tensor("full_like", x)
    return full(x.shape, fill_value, dtype=dtype or x.dtype, requires_grad=requires_grad)


def arange(start, end=None, step=1, dtype=None, requires_grad=False):
    """Numbers from ``start`` (0 if only one is given) up to but without ``end``, by ``step``.

    int64 if all three are integers, else float32; element i is ``start + i * step`` in double,
    rounded once.
    """
    start, end = (0, start) if end is None else (start, end)
    if step == 0:
        raise ValueError("arange: step must not be zero")
    whole = all(isinstance(value, int) for value in (start, end, step))
    dtype = as_dtype(dtype or (int64 if whole else float32))
    if dtype.is_floating_point:
        out = kernels.arange_float(start, end, step, dtype.code)
    elif whole and dtype.code > 0:
        out = kernels.arange_integer(start, end, step, dtype.code)
    else:
        out = kernels.arange_float(start, end, step, float32.code).to(dtype)
    return _ready(out, requires_grad)


def linspace(start, end, steps, dtype=None, requires_grad=False):
    """``steps`` evenly spaced numbers from ``start`` to ``end``, both included."""
    dtype, steps = as_dtype(dtype or float32), operator.index(steps)
    if steps < 0:
        raise ValueError(f"linspace: the number of steps must not be negative, got {steps}")
    if not dtype.is_floating_point:
        raise TypeError(f"linspace: dtype {dtype.name} is not supported; use a float dtype")
    return _ready(kernels.linspace(start, end, steps, dtype.code), requires_grad)


def eye(n, m=None, dtype=None, requires_grad=False):
    """The matrix ``(n, m or n)`` with ones on the diagonal and zeros elsewhere."""
    columns = n if m is None else m
    out = zeros(n, columns, dtype=dtype)
    if out.numel() > 0:
        diagonal = out.reshape(-1)[:: columns + 1][: min(n, columns)]
        elementwise.fill_(diagonal, 1)
    return _ready(out, requires_grad)


def _sizes(size):
    return size[0] if len(size) == 1 else size


def _code(dtype):
    return float32.code if dtype is None else as_dtype(dtype).code


def _ready(out, requires_grad):
    if requires_grad:
        out.requires_grad = True
    return out
