from kael.tensor import Tensor

ROWS: dict[str, int]

def rows(kernel: int, x: Tensor, dim: int, y: Tensor | None = None) -> Tensor: ...
def causal_softmax(x: Tensor, offset: int, y: Tensor | None = None) -> Tensor: ...
def cumsum(x: Tensor, dim: int, reverse: bool = False) -> Tensor: ...
def logsumexp(x: Tensor, dim: int) -> Tensor: ...
def logsumexp_backward(x: Tensor, dim: int, g: Tensor) -> Tensor: ...
def standardize(
    x: Tensor,
    dims: int,
    eps: float,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    keep: bool = False,
    centred: bool = True,
) -> tuple[Tensor, Tensor | None]: ...
def standardize_backward(
    x: Tensor,
    dims: int,
    moments: Tensor,
    g: Tensor,
    weight: Tensor | None = None,
    centred: bool = True,
) -> Tensor: ...
def affine_gradients(
    x: Tensor,
    moments: Tensor,
    g: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
) -> tuple[Tensor | None, Tensor | None]: ...
