"""The modules' functions, with the names and arguments of ``torch.nn.functional``."""

from kael._kernels import indexing
from kael._kernels.tensor import alias, require_tensor
from kael.autograd import needs_grad, record
from kael.checks import flag, integer, items, real
from kael.creation import empty
from kael.dtypes import bool_
from kael.nn.loss_functions import cross_entropy, l1_loss, mse_loss, nll_loss
from kael.ops import elementwise, rows
from kael.ops.matmul import linear
from kael.ops.rows import causal_softmax, rms_norm
from kael.ops.shape import flatten
from kael.random_fill import bernoulli_

__all__ = [
    "causal_softmax", "cross_entropy", "dropout", "embedding", "flatten", "gelu", "l1_loss",
    "layer_norm", "linear", "log_softmax", "mse_loss", "nll_loss", "relu", "rms_norm", "sigmoid",
    "softmax", "tanh",
]  # fmt: skip


def relu(input, inplace=False):
    """:func:`kael.relu`.

    Parameters
    ----------
    input : Tensor
    inplace : bool
        Write the result into the input.

    Returns
    -------
    Tensor
    """
    if not inplace:
        return elementwise.relu(input)
    require_tensor("relu", input)
    return input.relu_()


def gelu(input, approximate="none"):
    """:func:`kael.gelu`.

    Parameters
    ----------
    input : Tensor
    approximate : "none" or "tanh"
        ValueError for anything else.

    Returns
    -------
    Tensor
    """
    return elementwise.gelu(input, approximate)


def tanh(input):
    """:func:`kael.tanh`.

    Parameters
    ----------
    input : Tensor

    Returns
    -------
    Tensor
    """
    return elementwise.tanh(input)


def sigmoid(input):
    """:func:`kael.sigmoid`.

    Parameters
    ----------
    input : Tensor

    Returns
    -------
    Tensor
    """
    return elementwise.sigmoid(input)


def softmax(input, dim=None, dtype=None):
    """:func:`kael.softmax`, which also says what is raised.

    Parameters
    ----------
    input : Tensor
    dim : int, optional
        The last one unless given.
    dtype : DType, optional
        ``input`` is converted first.

    Returns
    -------
    Tensor
    """
    return rows.softmax(input, -1 if dim is None else dim, dtype)


def log_softmax(input, dim=None, dtype=None):
    """:func:`kael.log_softmax`, which also says what is raised.

    Parameters
    ----------
    input : Tensor
    dim : int, optional
        The last one unless given.
    dtype : DType, optional
        ``input`` is converted first.

    Returns
    -------
    Tensor
    """
    return rows.log_softmax(input, -1 if dim is None else dim, dtype)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """:func:`kael.standardize` with the arguments of PyTorch.

    Parameters
    ----------
    input : Tensor, shape (..., d1, .., dk)
    normalized_shape : sequence of int
        (d1, .., dk).
    weight, bias : Tensor, shape (d1, .., dk), optional
    eps : float
        Added to the variance.

    Returns
    -------
    Tensor, of the shape of ``input``

    Raises
    ------
    TypeError
        If the sizes are not a sequence of integers, or the dtypes differ or are not of floats.
    ValueError
        If they are not those of the last dims.
    """
    require_tensor("layer_norm", input)  # before the sizes, which are refused by their own words
    sizes = items("layer_norm", "normalized_shape", normalized_shape)
    sizes = [integer("layer_norm", "a size of normalized_shape", size) for size in sizes]
    return rows.normalize("layer_norm", input, sizes, eps, weight, bias)


def check_probability(p):
    """Refuses what is not in [0, 1]."""
    if not 0.0 <= real("dropout", "p", p) <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input, p=0.5, training=True, inplace=False, *, generator=None):
    """Zeroes each element with probability ``p`` and divides the others by 1 - p.

    Parameters
    ----------
    input : Tensor
    p : float
        In [0, 1]; ValueError otherwise.
    training : bool
        Without it the input is returned.
    inplace : bool
        Write the result into the input.
    generator : Generator, optional
        Draws the mask.

    Returns
    -------
    Tensor

    Raises
    ------
    TypeError
        If ``input`` is not of floats.
    """
    require_tensor("dropout", input)
    check_probability(p)
    training, inplace = flag("dropout", "training", training), flag("dropout", "inplace", inplace)
    if not input.dtype.is_floating_point:
        raise TypeError(f"dropout: the input must be of floats, got {input.dtype.name}")
    if not training or p == 0.0:
        return input
    mask = bernoulli_(empty(input.shape, dtype=input.dtype), 1.0 - p, generator=generator)
    if p != 1.0:
        mask *= 1.0 / (1.0 - p)
    return input.mul_(mask) if inplace else input * mask


def padding_row(padding_idx, count):
    """The row number that ``padding_idx``, perhaps counted from the end, means."""
    padding_idx = integer("embedding", "padding_idx", padding_idx)
    if not -count <= padding_idx < count:
        raise ValueError(
            f"embedding: padding_idx must be within num_embeddings={count}, got {padding_idx}"
        )
    return padding_idx % count


def embedding(input, weight, padding_idx=None):
    r"""Rows of a table.

    Parameters
    ----------
    input : Tensor of integers
    weight : Tensor, shape (count, size)
    padding_idx : int, optional
        A row that gets no gradient.

    Returns
    -------
    Tensor, shape (\*input.shape, size)

    Raises
    ------
    IndexError
        A number that is not a row; a negative one does not count from the end.
    TypeError
        If ``input`` is not of integers.
    ValueError
        If ``padding_idx`` is no row.
    """
    require_tensor("embedding", input, weight)
    if input.dtype.is_floating_point or input.dtype is bool_:
        raise TypeError(f"embedding: indices must be integers, got {input.dtype.name}")
    if padding_idx is not None:
        padding_idx = padding_row(padding_idx, weight.shape[0])
    if not needs_grad(weight):
        out = indexing.lookup(weight, input)
        if out is not None:
            return out
    if bool((input < 0).any()):
        raise IndexError(f"embedding: index {input.min().item()} is negative")
    try:
        out = weight[input]
    except IndexError as error:
        raise IndexError(f"embedding: {error}") from None
    if padding_idx is None or not out.requires_grad:
        return out
    padding = (input == padding_idx).unsqueeze(-1)
    return record("embedding", alias(out), (out,), lambda g: (elementwise.where(padding, 0.0, g),))
