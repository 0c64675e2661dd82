from kael.tensor import Tensor

ROWS: dict[str, int]

def rows(kernel: int, x: Tensor, dim: int, y: Tensor | None = None) -> Tensor: ...
def standardize(
    x: Tensor,
    dims: int,
    eps: float,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    g: Tensor | None = None,
) -> Tensor: ...
def cross_entropy(logits: Tensor, targets: Tensor) -> Tensor: ...
def cross_entropy_backward(logits: Tensor, targets: Tensor, g: Tensor) -> Tensor: ...
