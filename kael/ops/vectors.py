"""Products of vectors: the fold of numerics R3 where one number comes out, else of elements."""

from kael._kernels.tensor import require_tensor
from kael.ops.matmul import as_rows, check_dims, product

__all__ = ["dot", "inner", "outer", "vdot"]


def dot(a, b, *, out=None):
    """Product of two 1-D tensors.

    Parameters
    ----------
    a, b : Tensor, shape (size,)
    out : Tensor, shape (), optional
        Receives the result, as in :func:`matmul`.

    Returns
    -------
    Tensor, shape ()

    Raises
    ------
    TypeError
        If the dtypes differ, or are bool.
    ValueError
        If an operand is not 1-D or the sizes differ.

    Notes
    -----
    The fold of :func:`sum` over the products, taken in double (R3 of docs/promise.md); integers are
    exact modulo 2**w.

    Examples
    --------
    >>> import kael
    >>> kael.dot(kael.tensor([1.0, 2.0]), kael.tensor([3.0, 4.0])).item()
    11.0
    """
    check_dims("dot", a, 1, b, 1)
    return product("dot", a, b, out)


def outer(a, b):
    """Products of every element of ``a`` by every element of ``b``.

    Parameters
    ----------
    a : Tensor, shape (rows,)
    b : Tensor, shape (columns,)
        ValueError unless both are 1-D.

    Returns
    -------
    Tensor, shape (rows, columns)

    Examples
    --------
    >>> import kael
    >>> kael.outer(kael.tensor([1.0, 2.0]), kael.tensor([3.0, 4.0])).tolist()
    [[3.0, 4.0], [6.0, 8.0]]
    """
    check_dims("outer", a, 1, b, 1)
    return a.unsqueeze(1) * b.unsqueeze(0)


def vdot(a, b, *, out=None):
    """:func:`dot`; kael has no complex dtype to conjugate.

    Parameters
    ----------
    a, b, out
        As for :func:`dot`, which also says what is raised.

    Returns
    -------
    Tensor, shape ()
    """
    check_dims("vdot", a, 1, b, 1)
    return product("vdot", a, b, out)


def inner(a, b):
    r"""Dot products of the last dim of ``a`` with that of ``b``, for every other index of both.

    Parameters
    ----------
    a : Tensor, shape (..., inner)
    b : Tensor, shape (..., inner)
        Of two 1-D tensors the result is their :func:`dot`; a 0-D tensor multiplies the other.

    Returns
    -------
    Tensor, shape (\*a.shape[:-1], \*b.shape[:-1])

    Raises
    ------
    ValueError
        If the last dims differ.

    Examples
    --------
    >>> import kael
    >>> kael.inner(kael.ones(2, 3), kael.ones(4, 3)).shape
    (2, 4)
    """
    require_tensor("inner", a, b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(f"inner: last dims differ: {a.shape} and {b.shape}")
    if a.ndim == 1 or b.ndim == 1:
        return product("inner", a, b) if b.ndim == 1 else product("inner", b, a)
    return product("inner", a, as_rows(b).t()).reshape(*a.shape[:-1], *b.shape[:-1])
