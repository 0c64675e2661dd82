from kael.tensor import Tensor

def cross_entropy(
    logits: Tensor,
    targets: Tensor,
    dim: int,
    weight: Tensor | None = None,
    ignored: int | None = None,
    smoothing: float = 0.0,
    op: str = "cross_entropy_losses",
) -> tuple[Tensor, bool]: ...
def cross_entropy_backward(
    logits: Tensor,
    targets: Tensor,
    g: Tensor,
    dim: int,
    weight: Tensor | None = None,
    ignored: int | None = None,
    smoothing: float = 0.0,
    op: str = "cross_entropy_losses",
) -> Tensor: ...
