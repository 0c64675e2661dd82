"""Matrix products: what they mean, and their gradients.

The sums follow numerics R2, so a row of a product has the same bits alone and in a batch.
"""

from numbers import Integral

from kael._kernels import elementwise
from kael._kernels import linear as layers
from kael._kernels import matmul as kernels
from kael._kernels.tensor import require_tensor
from kael.checks import real
from kael.ops.shape import unbroadcast

__all__ = ["addmm", "baddbmm", "bmm", "linear", "matmul", "mm", "mv"]


def matmul(a, b, *, out=None):
    """Matrix product of the last two dims; leading dims are broadcast.

    A 1-D ``a`` counts as a row and a 1-D ``b`` as a column, and that dim is dropped from the
    result; two 1-D tensors give their dot product. Operands are read where they lie, whatever
    their strides: ``x @ w.T`` copies nothing.

    Parameters
    ----------
    a : Tensor, shape ([batch ...,] rows, inner) or (inner,)
    b : Tensor, shape ([batch ...,] inner, columns) or (inner,)
    out : Tensor, optional
        Receives the result; of its shape and dtype, and sharing no memory with ``a`` or ``b``.

    Returns
    -------
    Tensor, shape ([batch ...,] rows, columns)
        In the operands' dtype. Integers are exact modulo 2**w. An ``inner`` of 0 gives zeros.

    Raises
    ------
    TypeError
        If the dtypes differ, or are bool.
    ValueError
        If the sizes do not fit, or ``out`` is not as described.

    Examples
    --------
    >>> import kael
    >>> a = kael.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> kael.matmul(a, a).tolist()
    [[7.0, 10.0], [15.0, 22.0]]
    """
    if out is not None:
        require_tensor("matmul", out=out)
    return kernels.matmul("matmul", a, b, out, _gradients)


def product(op, a, b, out=None):
    """``a @ b`` in the name of ``op``."""
    if out is not None:
        require_tensor(op, out=out)
    return kernels.matmul(op, a, b, out, _gradients)


def _gradients(a, b, a_shape, b_shape, g):
    """Of ``a @ b``; an operand that is None is not needed, the other having no gradient."""
    return (
        None if b is None else _gradient_of_a(g, b, a_shape),
        None if a is None else _gradient_of_b(g, a, b_shape),
    )


def _gradient_of_a(g, b, shape):
    """``g @ b.T`` for an ``a`` of this shape; the dims that 1-D operands drop are put back."""
    if b.ndim == 1:
        g, b = g.unsqueeze(-1), b.unsqueeze(-1)
    if len(shape) > 1:
        return unbroadcast(matmul(g, b.mT), shape)
    return unbroadcast(matmul(g.unsqueeze(-2), b.mT), (1, *shape)).reshape(shape)


def _gradient_of_b(g, a, shape):
    """``a.T @ g`` for a ``b`` of this shape."""
    if len(shape) == 1:
        return _gradient_of_b(g.unsqueeze(-1), a, (*shape, 1)).reshape(shape)
    if a.ndim == 1:
        g, a = g.unsqueeze(-2), a.unsqueeze(0)
    if len(shape) == 2 and a.ndim > 2:  # one product over all rows, not a batch to be summed
        g, a = as_rows(g), as_rows(a)
    return unbroadcast(matmul(a.mT, g), shape)


def as_rows(x):
    """All dims but the last as one; not by a size of -1, which an empty last dim leaves open."""
    return x.unsqueeze(0) if x.ndim == 1 else x.flatten(0, -2)


# Numbers of the kernels of an activation and of its gradient, and whether that reads the sums.
_ACTIVATIONS = {
    name: (elementwise.UNARY[name], elementwise.BINARY[f"{name}_backward"], "gelu" in name)
    for name in ("relu", "gelu", "gelu_tanh", "sigmoid", "tanh")
}


def linear(x, weight, bias=None, *, activation=None):
    """``x @ weight.T + bias``, and an activation of it, in one pass: the same bits as these
    operations one after the other.

    Parameters
    ----------
    x : Tensor, shape (..., inner)
    weight : Tensor, shape (columns, inner)
    bias : Tensor, shape (columns,), optional
    activation : {"relu", "gelu", "gelu_tanh", "sigmoid", "tanh"}, optional
        Applied to the finished sums while they are in cache. The gradients of gelu read the sums,
        which are then kept beside the result; the others read the result, and the sums are gone.

    Returns
    -------
    Tensor, shape (..., columns)

    Raises
    ------
    TypeError
        If the dtypes differ, or are not floating point.
    ValueError
        If the sizes do not fit, or the activation is not one of these.

    Examples
    --------
    >>> import kael
    >>> weight = kael.tensor([[1.0, 2.0], [-3.0, -4.0], [5.0, 6.0]])
    >>> bias = kael.tensor([0.5, 0.5, 0.5])
    >>> kael.linear(kael.ones(1, 2), weight, bias).tolist()
    [[3.5, -6.5, 11.5]]
    >>> kael.linear(kael.ones(1, 2), weight, bias, activation="relu").tolist()
    [[3.5, 0.0, 11.5]]
    """
    if activation is None:
        return layers.linear(x, weight, bias, _gradients_of_linear)
    if activation not in _ACTIVATIONS:
        names = ", ".join(map(repr, _ACTIVATIONS))
        raise ValueError(f"linear: activation must be one of {names} or None, got {activation!r}")
    return layers.linear(x, weight, bias, _gradients_of_linear, _ACTIVATIONS[activation])


def _gradients_of_linear(x, weight, wants_bias, g):
    rows = as_rows(g)
    return (
        None if weight is None else matmul(g, weight),
        None if x is None else matmul(rows.mT, as_rows(x)),
        rows.sum(0) if wants_bias else None,
    )


def check_dims(name, a, a_dims, b, b_dims):
    """Refuses operands that are no tensors of so many dims."""
    require_tensor(name, a, b)
    if a.ndim != a_dims or b.ndim != b_dims:
        raise ValueError(
            f"{name}: operands must be {a_dims}-D and {b_dims}-D, got {a.shape} and {b.shape}"
        )


def _check_batches(name, a, b):
    check_dims(name, a, 3, b, 3)
    if a.shape[0] != b.shape[0]:
        raise ValueError(f"{name}: batch sizes differ: {a.shape} @ {b.shape}")


def mm(a, b, *, out=None):
    """:func:`matmul` of two 2-D tensors; nothing is broadcast.

    Parameters
    ----------
    a : Tensor, shape (rows, inner)
    b : Tensor, shape (inner, columns)
    out : Tensor, optional
        Receives the result, as in :func:`matmul`, which also says what is raised.

    Returns
    -------
    Tensor, shape (rows, columns)
    """
    check_dims("mm", a, 2, b, 2)
    return product("mm", a, b, out)


def mv(a, b, *, out=None):
    """:func:`matmul` of a 2-D tensor by a 1-D one.

    Parameters
    ----------
    a : Tensor, shape (rows, inner)
    b : Tensor, shape (inner,)
    out : Tensor, optional
        Receives the result, as in :func:`matmul`, which also says what is raised.

    Returns
    -------
    Tensor, shape (rows,)
    """
    check_dims("mv", a, 2, b, 1)
    return product("mv", a, b, out)


def bmm(a, b, *, out=None):
    """:func:`matmul` of two 3-D tensors with the same batch size; nothing is broadcast.

    Parameters
    ----------
    a : Tensor, shape (batch, rows, inner)
    b : Tensor, shape (batch, inner, columns)
    out : Tensor, optional
        Receives the result, as in :func:`matmul`, which also says what is raised.

    Returns
    -------
    Tensor, shape (batch, rows, columns)
    """
    _check_batches("bmm", a, b)
    return product("bmm", a, b, out)


def addmm(x, mat1, mat2, *, beta=1, alpha=1, out=None):
    """``beta * x + alpha * (mat1 @ mat2)``; ``x`` is broadcast to the shape of the product.

    With both factors 1 it is the product followed by the addition, bit for bit. A ``beta`` of 0
    ignores ``x``, NaN included, as in PyTorch.

    Parameters
    ----------
    x : Tensor, shape broadcast to (rows, columns)
    mat1 : Tensor, shape (rows, inner)
    mat2 : Tensor, shape (inner, columns)
    beta, alpha : int or float
        Integers for tensors of integers.
    out : Tensor, optional
        Receives the result; of its shape and dtype, and sharing no memory with ``mat1`` or
        ``mat2``. It may be ``x``.

    Returns
    -------
    Tensor, shape (rows, columns)

    Raises
    ------
    TypeError
        If the dtypes differ, or are bool, or a factor of integers is a float.
    ValueError
        If the sizes do not fit, or ``out`` is not as described.

    Examples
    --------
    >>> import kael
    >>> kael.addmm(kael.tensor([1.0]), kael.ones(1, 2), kael.ones(2, 1)).tolist()
    [[3.0]]
    """
    require_tensor("addmm", x, mat1, mat2, out=out)
    check_dims("addmm", mat1, 2, mat2, 2)
    return _scaled_sum("addmm", x, mat1, mat2, beta, alpha, out)


def baddbmm(x, batch1, batch2, *, beta=1, alpha=1, out=None):
    """:func:`addmm` for batches: ``beta * x + alpha * bmm(batch1, batch2)``.

    Parameters
    ----------
    x : Tensor, shape broadcast to (batch, rows, columns)
    batch1 : Tensor, shape (batch, rows, inner)
    batch2 : Tensor, shape (batch, inner, columns)
    beta, alpha, out
        As for :func:`addmm`, which also says what is raised.

    Returns
    -------
    Tensor, shape (batch, rows, columns)

    Examples
    --------
    >>> import kael
    >>> kael.baddbmm(kael.ones(1), kael.ones(1, 1, 2), kael.ones(1, 2, 1)).tolist()
    [[[3.0]]]
    """
    require_tensor("baddbmm", x, batch1, batch2, out=out)
    _check_batches("baddbmm", batch1, batch2)
    return _scaled_sum("baddbmm", x, batch1, batch2, beta, alpha, out)


def _scaled_sum(op, x, a, b, beta, alpha, out):
    kernels.check_operands(op, a, b)
    shape = (*a.shape[:-1], b.shape[-1])
    _check_addend(op, x, a.dtype, shape, beta, alpha)
    if out is not None:
        kernels.check_sum_output(op, out, x, a, b, shape)
    elif beta == alpha == 1 and a.ndim == 2 and x.shape == shape[1:] and a.dtype.is_floating_point:
        return linear(a, b.t(), x)  # one pass
    result = product(op, a, b, out if beta == 0 and alpha == 1 else None)
    if alpha != 1:
        result = result * alpha
    if beta != 0:
        addend = x if beta == 1 else x * beta
        if out is None:
            return result + addend
        return elementwise.binary(elementwise.BINARY["add"], result, addend, out)
    return result if out is None or result is out else elementwise.copy_(out, result)


def _check_addend(op, x, dtype, shape, beta, alpha):
    if x.dtype is not dtype:
        raise TypeError(f"{op}: dtypes differ: {x.dtype.name} + {dtype.name}")
    for name, factor in (("beta", beta), ("alpha", alpha)):
        real(op, name, factor)
        if not dtype.is_floating_point and not isinstance(factor, (int, Integral)):
            raise TypeError(f"{op}: {name} must be an integer for {dtype.name}, got {factor!r}")
    lead = len(shape) - x.ndim
    if lead < 0 or any(n not in (1, m) for n, m in zip(x.shape, shape[lead:], strict=True)):
        raise ValueError(f"{op}: shape {x.shape} does not broadcast to {shape}")
