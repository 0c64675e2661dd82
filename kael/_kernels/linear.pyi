from collections.abc import Callable

from kael.tensor import Tensor

def linear(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    gradients: Callable[..., tuple[Tensor | None, ...]],
    activation: tuple[int, int, bool] | None = None,
) -> Tensor: ...
