from collections.abc import Callable

from kael.tensor import Tensor

Gradients = tuple[Tensor | None, ...]

RUNGS: dict[str, int]
WAYS: dict[str, int]

def check_operands(op: str, a: Tensor, b: Tensor) -> int: ...
def matmul(
    op: str, a: Tensor, b: Tensor, out: Tensor | None, gradients: Callable[..., Gradients]
) -> Tensor: ...
def rung(op: str, a: Tensor, b: Tensor, out: Tensor) -> None: ...
def way(a: Tensor, b: Tensor) -> int: ...
