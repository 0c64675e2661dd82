"""Parameter: a tensor that a module registers when it is assigned as an attribute."""

from kael._kernels.tensor import as_class, require_tensor
from kael.tensor import Tensor

__all__ = ["Parameter"]


class Parameter(Tensor):
    """A tensor to be trained: a module that gets it as an attribute registers it.

    Parameters
    ----------
    data : Tensor, optional
        Its memory is shared, not copied; an empty tensor unless given.
    requires_grad : bool

    Raises
    ------
    TypeError
        If ``data`` is no Tensor.

    Examples
    --------
    >>> layer = kael.nn.Module()
    >>> layer.scale = kael.nn.Parameter(kael.ones(3))
    >>> [name for name, _ in layer.named_parameters()]
    ['scale']
    """

    __slots__ = ()

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            return super().__new__(cls)  # as_class comes here too
        require_tensor("Parameter", data)
        self = as_class(cls, data)
        self.requires_grad = requires_grad
        return self

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()
