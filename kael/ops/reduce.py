"""Reductions that add or multiply, over any dims: one fold in double (numerics R3).

``dim`` is None or ``()`` for all dims, an int, or a tuple of ints. A result has the same bits
whatever the layout, the thread count and the other outputs.
"""

from kael._kernels import elementwise
from kael._kernels import reduce as kernels
from kael._kernels.numbers import number
from kael._kernels.tensor import require_tensor
from kael.autograd import needs_grad, record
from kael.checks import flag, real
from kael.dtypes import as_dtype, bool_, float32, float64, int64
from kael.ops.extremes import extreme, spread, spreading

__all__ = ["mean", "norm", "prod", "std", "std_mean", "sum", "var", "var_mean"]

_SUM, _MEAN, _VAR, _STD, _PROD, _MAX, _MIN = (
    kernels.REDUCTIONS[name] for name in ("sum", "mean", "var", "std", "prod", "max", "min")
)


def sum(x, dim=None, keepdim=False, *, dtype=None):
    """The sum of the elements of ``dim``, accumulated in double; of none, 0.

    Parameters
    ----------
    x : Tensor
    dim : int or tuple of int, optional
        All dims by default.
    keepdim : bool
        Keep the reduced dims, with size 1.
    dtype : DType, optional
        Of the result. Integers and bool are summed in int64, wrapping, by default.

    Returns
    -------
    Tensor
        Without the dims of ``dim``.

    Raises
    ------
    IndexError
        If ``x`` has no such dim.
    ValueError
        If a dim appears twice.

    Notes
    -----
    32 lanes in blocks of 16384 elements, joined pairwise: R3 of the promise (docs/promise.md).

    Examples
    --------
    >>> kael.tensor([[1.0, 2.0], [3.0, 4.0]]).sum(0)
    tensor([4., 6.])
    """
    require_tensor("sum", x)
    if dtype is None:
        return x.sum(dim, keepdim)  # compiled, in _kernels/operators.pyx
    out = _fold("sum", x, dim, keepdim, dtype)
    if not needs_grad(x):
        return out
    wide = spreading(x, dim)
    return record("sum", out, (x,), lambda g: (wide(g),))


def mean(x, dim=None, keepdim=False, *, dtype=None):
    """The mean over ``dim``; of no elements, NaN.

    Parameters
    ----------
    x : Tensor
    dim, keepdim
        As for :func:`sum`, which also says what is raised for them.
    dtype : DType, optional
        Of the result: float32 or float64.

    Returns
    -------
    Tensor
        Of the dtype of ``x``, or float32 for integers and bool.

    Raises
    ------
    TypeError
        If ``dtype`` is not of floats.

    Examples
    --------
    >>> kael.mean(kael.tensor([1, 2])).item()
    1.5
    """
    source, code = _floating("mean", x)
    if dtype is not None:
        dtype = as_dtype(dtype)
        if not dtype.is_floating_point:
            raise TypeError(f"mean: dtype must be a float dtype, got {dtype.name}")
        code = dtype.code
    out = kernels.reduce(_MEAN, source, dim, keepdim, code)
    if not needs_grad(x):
        return out
    wide, count = spreading(x, dim), kernels.count_reduced(x, dim)
    return record("mean", out, (x,), lambda g: (wide(g / count),))


def var(x, dim=None, unbiased=None, keepdim=False, *, correction=1):
    """The variance over ``dim``, in two passes: squared deviations over ``size - correction``.

    Parameters
    ----------
    x : Tensor
    dim, keepdim
        As for :func:`sum`, which also says what is raised for them.
    unbiased : bool, optional
        PyTorch's older spelling of a correction of 1 (True) or 0 (False).
    correction : float
        What the number of elements is lowered by. Where nothing is left the result is NaN or inf.

    Returns
    -------
    Tensor
        Of the dtype of ``x``, or float32 for integers and bool.

    Examples
    --------
    >>> kael.var(kael.tensor([1.0, 3.0])).item()
    2.0
    """
    return _var("var", x, dim, unbiased, keepdim, correction)


def _var(op, x, dim, unbiased, keepdim, correction):
    correction = _correction(op, dim, unbiased, correction)
    dim = None if isinstance(dim, bool) else dim
    source, code = _floating(op, x)
    out = kernels.reduce(_VAR, source, dim, keepdim, code, correction, op)

    def gradient(g):
        return (_deviations(x, dim) * spread(g * _slope(x, dim, correction), x, dim),)

    return record("var", out, (x,), gradient, saved=(x,))


def std(x, dim=None, unbiased=None, keepdim=False, *, correction=1):
    """The square root of :func:`var`.

    Parameters
    ----------
    x : Tensor
    dim, unbiased, keepdim, correction
        As for :func:`var`.

    Returns
    -------
    Tensor
        Its gradient is 0 where it is 0 itself.
    """
    return _std("std", x, dim, unbiased, keepdim, correction)


def _std(op, x, dim, unbiased, keepdim, correction):
    correction = _correction(op, dim, unbiased, correction)
    dim = None if isinstance(dim, bool) else dim
    source, code = _floating(op, x)
    out = kernels.reduce(_STD, source, dim, keepdim, code, correction, op)
    if not needs_grad(x):
        return out
    size = out.detach()

    def gradient(g):
        slope = g * (_slope(x, dim, correction) / 2) / size
        slope = elementwise.where(size == 0, number(0, x.dtype_code), slope)
        return (_deviations(x, dim) * spread(slope, x, dim),)

    return record("std", out, (x,), gradient, saved=(x, size))


def var_mean(x, dim=None, unbiased=None, keepdim=False, *, correction=1):
    """:func:`var` and :func:`mean`.

    Parameters
    ----------
    x : Tensor
    dim, unbiased, keepdim, correction
        As for :func:`var`.

    Returns
    -------
    tuple of two Tensors
    """
    over = None if isinstance(dim, bool) else dim
    return _var("var_mean", x, dim, unbiased, keepdim, correction), mean(x, over, keepdim)


def std_mean(x, dim=None, unbiased=None, keepdim=False, *, correction=1):
    """:func:`std` and :func:`mean`.

    Parameters
    ----------
    x : Tensor
    dim, unbiased, keepdim, correction
        As for :func:`var`.

    Returns
    -------
    tuple of two Tensors
    """
    over = None if isinstance(dim, bool) else dim
    return _std("std_mean", x, dim, unbiased, keepdim, correction), mean(x, over, keepdim)


def _correction(op, dim, unbiased, correction):
    if isinstance(dim, bool):  # torch's var(False)
        unbiased = dim
    if unbiased is None:
        return real(op, "correction", correction)
    return int(flag(op, "unbiased", unbiased))


def _slope(x, dim, correction):
    """Derivative of the variance by a deviation, over that deviation."""
    divisor = kernels.count_reduced(x, dim) - correction
    return 2 / divisor if divisor > 0 else float("inf")


def _deviations(x, dim):
    return x - kernels.reduce(_MEAN, x, dim, True)


def norm(x, p=2, dim=None, keepdim=False):
    """The p-norm over ``dim``, accumulated in double.

    Parameters
    ----------
    x : Tensor
    p : float or "fro"
        2, 1, inf, -inf, 0 (how many elements are not zero) or any other number.
    dim, keepdim
        As for :func:`sum`.

    Returns
    -------
    Tensor
        Of the dtype of ``x``, or float32 for integers.

    Raises
    ------
    ValueError
        If ``p`` is another string.

    Examples
    --------
    >>> kael.norm(kael.tensor([3.0, 4.0])).item()
    5.0
    """
    if isinstance(p, str) and p != "fro":
        raise ValueError(f'norm: p must be a number or "fro", got {p!r}')
    p = 2.0 if p in ("fro", None) else float(real("norm", "p", p))
    source, code = _floating("norm", x)
    dtype = x.dtype if source is x else float32
    if p in (1.0, 2.0):
        fold = kernels.REDUCTIONS[f"norm{int(p)}"]
        out = kernels.reduce(fold, source, dim, keepdim, code, op="norm")
    elif p in (float("inf"), float("-inf")):
        return extreme("norm", _MAX if p > 0 else _MIN, source.abs(), dim, keepdim).to(dtype)
    else:
        kernels.count_reduced(x, dim, "norm")  # refuses a wrong dim before sum does
        keepdim = flag("norm", "keepdim", keepdim)
        out = _general_norm(source.detach(), p, dim, keepdim).to(dtype)
    if not needs_grad(x):
        return out
    length = out.detach()
    return record(
        "norm", out, (x,), lambda g: (_norm_gradient(g, x, length, p, dim),), saved=(x, length)
    )


def _general_norm(x, p, dim, keepdim):
    if p == 0:
        return sum(x != 0, dim, keepdim)
    return x.to(float64).abs().pow(p).sum(dim, keepdim).pow(1 / p)


def _norm_gradient(g, x, length, p, dim):
    """g * sign(x) * |x / length|^(p - 1), and 0 where x or its length is 0."""
    nothing = number(0, x.dtype_code)
    if p == 0:
        return elementwise.where(x == x, nothing, nothing)
    if p == 1.0:
        return elementwise.binary(elementwise.BINARY["abs_backward"], spread(g, x, dim), x)
    if p == 2.0:
        return x * spread(elementwise.where(length == 0, nothing, g / length), x, dim)
    share = (x.abs() / spread(length, x, dim)).pow(p - 1) * x.sign() * spread(g, x, dim)
    return elementwise.where((x == 0).logical_or(spread(length, x, dim) == 0), nothing, share)


def prod(x, dim=None, keepdim=False, *, dtype=None):
    """The product over ``dim``, in double, or int64 for integers and bool; of none, 1.

    Parameters
    ----------
    x : Tensor
    dim, keepdim
        As for :func:`sum`, which also says what is raised for them.
    dtype : DType, optional
        Of the result.

    Returns
    -------
    Tensor
        The order of the factors is that of the terms of :func:`sum`. The gradient of an element is
        the product of the others; it is infinite where the product of all overflows double.
    """
    out = _fold("prod", x, dim, keepdim, dtype)
    return record("prod", out, (x,), lambda g: (_prod_gradient(g, x, dim),), saved=(x,))


def _prod_gradient(g, x, dim):
    """Each element's gradient is g times the product of the others, in double: the product of all
    may lie beyond the range where that of the others does not."""
    wide = x.detach().to(float64)
    product = kernels.reduce(_PROD, wide, dim, True)
    ordinary = product.isfinite().logical_and(product != 0)
    others = product / wide if bool(ordinary.all()) else _product_of_others(wide, dim)
    return spread(g, x, dim) * others.to(x.dtype)


def _product_of_others(x, dim):
    """For each element the product of the others, where a quotient of the product of all would not
    be it: beside zeros, infinities and NaN. The product of the rest, times what else there is."""
    one = number(1, float64.code)
    kinds = x == 0, x.isinf(), x.isnan()
    odd = kinds[0].logical_or(kinds[1]).logical_or(kinds[2])
    others = kernels.reduce(_PROD, elementwise.where(odd, one, x), dim, True)
    others = others / elementwise.where(odd, one, x)
    for kind, value in zip(kinds, (0.0, float("inf"), float("nan")), strict=True):
        there = kernels.reduce(_SUM, kind, dim, True) - kind.to(int64) > 0
        others = others * elementwise.where(there, number(value, float64.code), one)
    signs = elementwise.where(kinds[1], x.sign(), one)  # those of the infinities, but its own
    return others * kernels.reduce(_PROD, signs, dim, True) * signs


# --- shared --------------------------------------------------------------------------------------


def _fold(name, x, dim, keepdim, dtype):
    """A sum or product of x in ``dtype``, or in the accumulator's own for None."""
    require_tensor(name, x)
    reduction = kernels.REDUCTIONS[name]
    if dtype is None:
        return kernels.reduce(reduction, x, dim, keepdim)
    dtype = as_dtype(dtype)
    if dtype is bool_:  # the kernel would narrow a total of 2 to no truth value
        return kernels.reduce(reduction, x.to(bool_), dim, keepdim) != 0
    return kernels.reduce(reduction, _cast(x, dtype), dim, keepdim, dtype.code)


def _cast(x, dtype):
    """x as the dtype asked for, unless the accumulator makes that cast for nothing."""
    if x.dtype.is_floating_point and dtype.is_floating_point:
        return x
    if dtype is int64 and not x.dtype.is_floating_point:
        return x
    return x.to(dtype)


def _floating(op, x):
    """x, or the integers of x in double, and the code of the result's dtype."""
    require_tensor(op, x)
    if x.dtype.is_floating_point:
        return x, -1
    return elementwise.convert(x, float64.code), float32.code
