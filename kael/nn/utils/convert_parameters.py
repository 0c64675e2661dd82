"""All parameters of a model as one vector, and back."""

from kael._kernels.graph import can_be_written
from kael._kernels.tensor import TensorBase, require_tensor
from kael.autograd import no_grad
from kael.checks import items
from kael.ops.pieces import cat

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters):
    """The elements of all parameters in one vector, which depends on them.

    Parameters
    ----------
    parameters : iterable of Tensor

    Returns
    -------
    Tensor, shape (n,)

    Raises
    ------
    ValueError
        If there is no parameter.

    Examples
    --------
    >>> layer = kael.nn.Linear(3, 2)
    >>> kael.nn.utils.parameters_to_vector(layer.parameters()).shape
    (8,)
    """
    parameters = items("parameters_to_vector", "parameters", parameters)
    require_tensor("parameters_to_vector", *parameters)
    if not parameters:
        raise ValueError("parameters_to_vector: at least one parameter is needed")
    return cat([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec, parameters):
    """Copies a vector of :func:`parameters_to_vector` into the parameters.

    PyTorch lets the parameters share the vector's memory; here they keep their own, so that an
    optimizer's step does not change ``vec``.

    Parameters
    ----------
    vec : Tensor, shape (n,)
    parameters : iterable of Tensor

    Raises
    ------
    TypeError
        If ``vec`` is no Tensor.
    ValueError
        If it has another number of elements than the parameters.
    RuntimeError
        If a parameter cannot be written. Nothing is changed in any of these cases.

    Examples
    --------
    >>> layer = kael.nn.Linear(3, 2)
    >>> kael.nn.utils.vector_to_parameters(kael.zeros(8), layer.parameters())
    >>> layer.bias.tolist()
    [0.0, 0.0]
    """
    if not isinstance(vec, TensorBase):
        raise TypeError(f"expected Tensor, but got: {type(vec).__name__}")
    parameters = items("vector_to_parameters", "parameters", parameters)
    require_tensor("vector_to_parameters", *parameters)
    needed = sum(p.numel() for p in parameters)
    if vec.shape != (needed,):
        raise ValueError(f"vector_to_parameters: {needed} elements needed, got shape {vec.shape}")
    for at, p in enumerate(parameters):
        if not can_be_written(p):
            raise RuntimeError(f"vector_to_parameters: parameter {at} is read-only or expanded")
    first = 0
    with no_grad():
        for p in parameters:
            p.copy_(vec[first : first + p.numel()].reshape(p.shape))
            first += p.numel()
