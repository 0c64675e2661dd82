"""Embedding."""

from kael.autograd import no_grad
from kael.checks import size
from kael.creation import empty
from kael.nn import functional, init
from kael.nn.module import Module
from kael.nn.parameter import Parameter

__all__ = ["Embedding"]


class Embedding(Module):
    """A table of vectors, looked up by integers.

    Parameters
    ----------
    num_embeddings, embedding_dim : int
        Rows of the table, and their length.
    padding_idx : int, optional
        This row starts as zeros and gets no gradient; may count from the end.
    dtype : DType, optional
        float32 unless given.

    Attributes
    ----------
    weight : Parameter, shape (num_embeddings, embedding_dim)
        Starts standard normal.

    Raises
    ------
    ValueError
        If ``padding_idx`` is no row.

    Examples
    --------
    >>> kael.nn.Embedding(10, 3)(kael.tensor([[1, 2], [4, 1]])).shape
    (2, 2, 3)
    """

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, dtype=None):
        super().__init__()
        num_embeddings = size("Embedding", "num_embeddings", num_embeddings)
        embedding_dim = size("Embedding", "embedding_dim", embedding_dim)
        if padding_idx is not None:
            padding_idx = functional.padding_row(padding_idx, num_embeddings)
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.weight = Parameter(empty(num_embeddings, embedding_dim, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self):
        """Draws new initial values."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, indices):
        return functional.embedding(indices, self.weight, self.padding_idx)

    def extra_repr(self):
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"
