"""Matrix products: what they mean, and their gradients.

The sums follow numerics R2, so a row of a product has the same bits alone and in a batch; the
product of two 1-D tensors is a fold (numerics R3) instead.
"""

from kael._kernels import matmul as kernels
from kael.autograd import needs_grad, record
from kael.ops.operands import require_tensor
from kael.ops.shape import unbroadcast

__all__ = ["addmm", "bmm", "dot", "linear", "matmul", "mm", "mv", "outer"]


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
    require_tensor("matmul", a, b)
    if a.ndim == 1 and b.ndim == 1:
        return dot(a, b, out=out)
    if out is not None:
        _refuse_grad("matmul", a, b, out)
        return kernels.matmul(a, b, out)
    result = kernels.matmul(a, b)
    if not needs_grad(a, b):
        return result

    def gradient(g):
        return (
            _gradient_of_a(g, a, b) if a.requires_grad else None,
            _gradient_of_b(g, a, b) if b.requires_grad else None,
        )

    return record("matmul", result, (a, b), gradient, _read_by_gradient(a, b))


def _read_by_gradient(a, b):
    """Each operand is read for the gradient of the other."""
    if a.requires_grad and b.requires_grad:
        return a, b
    return (b,) if a.requires_grad else (a,) if b.requires_grad else ()


def _refuse_grad(name, *tensors):
    if needs_grad(*tensors):
        raise RuntimeError(f"{name}: out= does not support gradients; use it under no_grad()")


def _as_matrices(g, a, b):
    """g, a and b with the dims that 1-D operands drop put back."""
    if b.ndim == 1:
        g, b = g.unsqueeze(-1), b.unsqueeze(-1)
    if a.ndim == 1:
        g, a = g.unsqueeze(-2), a.unsqueeze(0)
    return g, a, b


def _as_rows(x):
    """All dims but the last as one; not by a size of -1, which an empty last dim leaves open."""
    return x.unsqueeze(0) if x.ndim == 1 else x.flatten(0, -2)


def _gradient_of_a(g, a, b):
    shape = a.shape
    g, a, b = _as_matrices(g, a, b)
    return unbroadcast(matmul(g, b.transpose(-2, -1)), a.shape).reshape(shape)


def _gradient_of_b(g, a, b):
    shape = b.shape
    g, a, b = _as_matrices(g, a, b)
    if b.ndim == 2 and a.ndim > 2:  # one product over all rows instead of a batch to be summed
        g, a = _as_rows(g), _as_rows(a)
    return unbroadcast(matmul(a.transpose(-2, -1), g), b.shape).reshape(shape)


def dot(a, b, *, out=None):
    """Product of two 1-D tensors: the fold (numerics R3) of the products taken in double.

    Parameters
    ----------
    a, b : Tensor, shape (size,)

    Returns
    -------
    Tensor, shape ()

    Raises
    ------
    TypeError
        If the dtypes differ, or are bool.
    ValueError
        If an operand is not 1-D or the sizes differ.

    Examples
    --------
    >>> import kael
    >>> kael.dot(kael.tensor([1.0, 2.0]), kael.tensor([3.0, 4.0])).item()
    11.0
    """
    _check_dims("dot", a, 1, b, 1)
    if out is not None:
        _refuse_grad("dot", a, b, out)
    result = kernels.matmul(a, b, out)
    if out is not None or not needs_grad(a, b):
        return result

    def gradient(g):
        return g * b if a.requires_grad else None, g * a if b.requires_grad else None

    return record("dot", result, (a, b), gradient, _read_by_gradient(a, b))


def linear(x, weight, bias=None):
    """``x @ weight.T + bias`` in one pass: the same bits as the two operations.

    Parameters
    ----------
    x : Tensor, shape (..., inner)
    weight : Tensor, shape (columns, inner)
    bias : Tensor, shape (columns,), optional

    Returns
    -------
    Tensor, shape (..., columns)

    Raises
    ------
    TypeError
        If the dtypes differ, or are bool.
    ValueError
        If the sizes do not fit.

    Examples
    --------
    >>> import kael
    >>> weight = kael.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> kael.linear(kael.ones(1, 2), weight, kael.tensor([0.5, 0.5, 0.5])).tolist()
    [[3.5, 7.5, 11.5]]
    """
    result = kernels.linear(x, weight, bias)
    inputs = (x, weight) if bias is None else (x, weight, bias)
    if not needs_grad(*inputs):
        return result

    def gradient(g):
        rows = _as_rows(g)
        grads = [
            matmul(g, weight) if x.requires_grad else None,
            matmul(rows.transpose(0, 1), _as_rows(x)) if weight.requires_grad else None,
        ]
        if bias is not None:
            grads.append(rows.sum(0) if bias.requires_grad else None)
        return tuple(grads)

    return record("linear", result, inputs, gradient, _read_by_gradient(x, weight))


def _check_dims(name, a, a_dims, b, b_dims):
    require_tensor(name, a, b)
    if a.ndim != a_dims or b.ndim != b_dims:
        raise ValueError(
            f"{name}: operands must be {a_dims}-D and {b_dims}-D, got {a.shape} and {b.shape}"
        )


def mm(a, b, *, out=None):
    """:func:`matmul` of two 2-D tensors; nothing is broadcast."""
    _check_dims("mm", a, 2, b, 2)
    return matmul(a, b, out=out)


def mv(a, b, *, out=None):
    """:func:`matmul` of a 2-D tensor by a 1-D one."""
    _check_dims("mv", a, 2, b, 1)
    return matmul(a, b, out=out)


def bmm(a, b, *, out=None):
    """:func:`matmul` of two 3-D tensors with the same batch size; nothing is broadcast."""
    _check_dims("bmm", a, 3, b, 3)
    if a.shape[0] != b.shape[0]:
        raise ValueError(f"bmm: batch sizes differ: {a.shape} @ {b.shape}")
    return matmul(a, b, out=out)


def addmm(bias, a, b, *, beta=1, alpha=1):
    """``beta * bias + alpha * (a @ b)`` for 2-D ``a`` and ``b``; ``bias`` is broadcast.

    With both factors 1 it is the product followed by the addition, bit for bit. A ``beta`` of 0
    ignores ``bias``, NaN included, as in PyTorch.

    Examples
    --------
    >>> import kael
    >>> kael.addmm(kael.tensor([1.0]), kael.ones(1, 2), kael.ones(2, 1)).tolist()
    [[3.0]]
    """
    product = mm(a, b)
    if alpha != 1:
        product = product * alpha
    if beta == 0:
        return product
    return product + (bias if beta == 1 else bias * beta)


def outer(a, b):
    """Products of every element of ``a`` by every element of ``b``, both 1-D.

    Returns
    -------
    Tensor, shape (len(a), len(b))

    Examples
    --------
    >>> import kael
    >>> kael.outer(kael.tensor([1.0, 2.0]), kael.tensor([3.0, 4.0])).tolist()
    [[3.0, 4.0], [6.0, 8.0]]
    """
    _check_dims("outer", a, 1, b, 1)
    return a.unsqueeze(1) * b.unsqueeze(0)
