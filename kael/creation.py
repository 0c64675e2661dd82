"""Functions that make tensors."""

from operator import index

from kael._kernels import creation as kernels
from kael._kernels import elementwise
from kael._kernels import tensor as base
from kael._kernels.numbers import number
from kael._kernels.tensor import TensorBase, require_tensor
from kael.checks import flag, integer, real
from kael.dtypes import as_dtype, bool_, float32, float64, int64
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
    requires_grad : bool

    Returns
    -------
    Tensor

    Raises
    ------
    TypeError
        Names a dtype that kael does not have.
    ValueError
        If rows have different lengths.
    OverflowError
        If the dtype does not hold an integer.

    Examples
    --------
    >>> kael.tensor([[1.0, 2.0], [3.0, 4.0]]).shape
    (2, 2)
    """
    return _ready("tensor", from_data(data, dtype, copy=True), requires_grad)


def as_tensor(data, dtype=None):
    """``data`` as a tensor, without a copy where that is possible.

    Parameters
    ----------
    data : number, nested sequence, array or Tensor
        As for :func:`tensor`, which also says what is raised.
    dtype : DType, optional

    Returns
    -------
    Tensor
        ``data`` itself, or on its memory, where it has the dtype.
    """
    if isinstance(data, TensorBase):
        return data if dtype is None else data.to(as_dtype(dtype))
    return from_data(data, dtype, copy=False, op="as_tensor")


def empty(*size, dtype=None, requires_grad=False):
    """A tensor of arbitrary contents.

    Parameters
    ----------
    *size : int or sequence of int
    dtype : DType, optional
        float32 unless given.
    requires_grad : bool

    Returns
    -------
    Tensor, shape ``size``

    Raises
    ------
    MemoryError
        If it does not fit in memory.
    ValueError
        If a size is negative, or there are more than 16 dims.
    """
    return _ready("empty", base.empty(_sizes(size), _code(dtype)), requires_grad)


def zeros(*size, dtype=None, requires_grad=False):
    """A tensor of zeros.

    Parameters
    ----------
    *size, dtype, requires_grad
        As for :func:`empty`, which also says what is raised.

    Returns
    -------
    Tensor, shape ``size``
    """
    return _ready("zeros", kernels.zeros(_sizes(size), _code(dtype)), requires_grad)


def ones(*size, dtype=None, requires_grad=False):
    """A tensor of ones.

    Parameters
    ----------
    *size, dtype, requires_grad
        As for :func:`empty`, which also says what is raised.

    Returns
    -------
    Tensor, shape ``size``
    """
    return _filled("ones", _sizes(size), 1, as_dtype(dtype or float32), requires_grad)


def full(size, fill_value, dtype=None, requires_grad=False):
    """A tensor with one number everywhere.

    Parameters
    ----------
    size : int or sequence of int
    fill_value : bool, int or float
        OverflowError for an integer that the dtype does not hold.
    dtype : DType, optional
        That of the number unless given: bool, int64 or float32.
    requires_grad : bool

    Returns
    -------
    Tensor, shape ``size``

    Examples
    --------
    >>> kael.full((2, 2), 7).tolist()
    [[7, 7], [7, 7]]
    """
    real("full", "fill_value", fill_value)
    dtype = as_dtype(type(fill_value) if dtype is None else dtype)
    return _filled("full", size, fill_value, dtype, requires_grad)


def empty_like(x, dtype=None, requires_grad=False):
    """:func:`empty` of the shape of another tensor.

    Parameters
    ----------
    x : Tensor
    dtype : DType, optional
        That of ``x`` unless given.
    requires_grad : bool

    Returns
    -------
    Tensor
    """
    require_tensor("empty_like", x)
    out = base.empty(x.shape, _code(dtype or x.dtype), "empty_like")
    return _ready("empty_like", out, requires_grad)


def zeros_like(x, dtype=None, requires_grad=False):
    """:func:`zeros` of the shape of another tensor.

    Parameters
    ----------
    x : Tensor
    dtype : DType, optional
        That of ``x`` unless given.
    requires_grad : bool

    Returns
    -------
    Tensor
    """
    require_tensor("zeros_like", x)
    out = kernels.zeros(x.shape, _code(dtype or x.dtype), "zeros_like")
    return _ready("zeros_like", out, requires_grad)


def ones_like(x, dtype=None, requires_grad=False):
    """:func:`ones` of the shape of another tensor.

    Parameters
    ----------
    x : Tensor
    dtype : DType, optional
        That of ``x`` unless given.
    requires_grad : bool

    Returns
    -------
    Tensor
    """
    require_tensor("ones_like", x)
    return _filled("ones_like", x.shape, 1, as_dtype(dtype or x.dtype), requires_grad)


def full_like(x, fill_value, dtype=None, requires_grad=False):
    """:func:`full` of the shape of another tensor.

    Parameters
    ----------
    x : Tensor
    fill_value : bool, int or float
    dtype : DType, optional
        That of ``x`` unless given.
    requires_grad : bool

    Returns
    -------
    Tensor
    """
    require_tensor("full_like", x)
    real("full_like", "fill_value", fill_value)
    return _filled("full_like", x.shape, fill_value, as_dtype(dtype or x.dtype), requires_grad)


def arange(start, end=None, step=1, dtype=None, requires_grad=False):
    """Numbers from ``start`` up to but without ``end``, by ``step``.

    Parameters
    ----------
    start, end : int or float
        One alone is ``end``, and ``start`` is 0.
    step : int or float
        May be negative.
    dtype : DType, optional
        int64 if all three are integers, else float32, unless given.
    requires_grad : bool

    Returns
    -------
    Tensor, shape (count,)
        Element i is ``start + i * step`` in double, rounded once.

    Raises
    ------
    ValueError
        If ``step`` is zero, or the number of elements has no meaning.
    OverflowError
        If three integers make one that the dtype does not hold.

    Examples
    --------
    >>> kael.arange(1, 7, 2).tolist()
    [1, 3, 5]
    """
    start, end = (0, start) if end is None else (start, end)
    for name, value in (("start", start), ("end", end), ("step", step)):
        real("arange", name, value)
    start, end, step = map(_whole, (start, end, step))
    if step == 0:
        raise ValueError("arange: step must not be zero")
    whole = all(isinstance(value, int) for value in (start, end, step))
    dtype = as_dtype(dtype or (int64 if whole else float32))
    if whole:
        out = _whole_numbers(range(start, end, step), dtype)
    elif dtype.is_floating_point:
        out = kernels.arange_float(start, end, step, dtype.code)
    else:
        out = kernels.arange_float(start, end, step, float64.code).to(dtype)
    return _ready("arange", out, requires_grad)


def _whole(value):
    """``value``, as an int where it is an integer: NumPy's and 0-d tensors of one are."""
    try:
        return index(value)
    except TypeError:
        return value


def _whole_numbers(values, dtype):
    """The integers of a range; how many there are is exact whatever the dtype."""
    try:
        count = len(values)
    except OverflowError:
        raise ValueError(f"arange: {values} has no representable length") from None
    if dtype.is_floating_point:
        return kernels.floats(values.start, values.step, count, dtype.code)
    if dtype is bool_:
        return _whole_numbers(values, int64).to(bool_)
    for value in (values[0], values[-1]) if count else ():
        number(value, dtype.code)  # refuses what does not fit; those between do then
    step = values.step if count > 1 else 0
    return kernels.integers(values.start if count else 0, step, count, dtype.code)


def linspace(start, end, steps, dtype=None, requires_grad=False):
    """Evenly spaced numbers from ``start`` to ``end``, both included.

    Parameters
    ----------
    start, end : float
    steps : int
        How many.
    dtype : DType, optional
        float32 unless given.
    requires_grad : bool

    Returns
    -------
    Tensor, shape (steps,)

    Raises
    ------
    ValueError
        If ``steps`` is negative.
    TypeError
        If ``dtype`` is not of floats.

    Examples
    --------
    >>> kael.linspace(0, 1, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    dtype, steps = as_dtype(dtype or float32), integer("linspace", "steps", steps)
    start, end = real("linspace", "start", start), real("linspace", "end", end)
    if steps < 0:
        raise ValueError(f"linspace: the number of steps must not be negative, got {steps}")
    if not dtype.is_floating_point:
        raise TypeError(f"linspace: dtype {dtype.name} is not supported; use a float dtype")
    return _ready("linspace", kernels.linspace(start, end, steps, dtype.code), requires_grad)


def eye(n, m=None, dtype=None, requires_grad=False):
    """The matrix with ones on the diagonal and zeros elsewhere.

    Parameters
    ----------
    n : int
        Rows.
    m : int, optional
        Columns; ``n`` unless given.
    dtype : DType, optional
        float32 unless given.
    requires_grad : bool

    Returns
    -------
    Tensor, shape (n, m)

    Examples
    --------
    >>> kael.eye(2, 3).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    n = integer("eye", "n", n)
    columns = n if m is None else integer("eye", "m", m)
    out = kernels.zeros((n, columns), _code(dtype), "eye")
    if out.numel() > 0:
        diagonal = out.reshape(-1)[:: columns + 1][: min(n, columns)]
        elementwise.fill_(diagonal, 1)
    return _ready("eye", out, requires_grad)


def _sizes(size):
    return size[0] if len(size) == 1 else size


def _filled(op, size, value, dtype, requires_grad):
    out = base.empty(size, dtype.code, op)
    elementwise.fill_(out, value)
    return _ready(op, out, requires_grad)


def _code(dtype):
    return float32.code if dtype is None else as_dtype(dtype).code


def _ready(op, out, requires_grad):
    if requires_grad is not False and flag(op, "requires_grad", requires_grad):
        out.requires_grad = True
    return out
