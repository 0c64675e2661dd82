from collections.abc import Sequence

from kael.tensor import Tensor

REDUCTIONS: dict[str, int]

def reduce(
    reduction: int,
    x: Tensor,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    dtype: int = -1,
    correction: float = 0,
    op: str | None = None,
) -> Tensor: ...
def extreme(
    greatest: bool, x: Tensor, dim: int, keepdim: bool = False
) -> tuple[Tensor, Tensor]: ...
def scatter(g: Tensor, indices: Tensor, like: Tensor, dim: int) -> Tensor: ...
def truth(
    every: bool, x: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False
) -> Tensor: ...
def kept_shape(
    x: Tensor, dim: int | Sequence[int] | None, op: str = "reduce"
) -> tuple[int, ...]: ...
def count_reduced(x: Tensor, dim: int | Sequence[int] | None, op: str = "reduce") -> int: ...
