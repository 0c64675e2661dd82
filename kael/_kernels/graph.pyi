from collections.abc import Callable
from typing import Any

from kael.tensor import Tensor

class Node:
    name: str
    inputs: tuple[Node | Tensor | None, ...]
    order: int
    @property
    def freed(self) -> bool: ...

def record(
    name: str,
    out: Tensor,
    inputs: tuple[Tensor | None, ...],
    gradient: Callable[[Tensor], tuple[Tensor | None, ...]],
    saved: tuple[Tensor, ...] = (),
) -> Tensor: ...
def needs_grad(*tensors: Tensor | None) -> bool: ...
def backward(
    roots: list[Tensor],
    gradients: list[Tensor],
    retain_graph: bool = False,
    inputs: list[Tensor] | None = None,
) -> None: ...
def grad(
    roots: list[Tensor], gradients: list[Tensor], retain_graph: bool, inputs: list[Tensor]
) -> list[Tensor | None]: ...
def retain_grad(tensor: Tensor) -> None: ...
def add_hook(
    tensor: Tensor, hook: Callable[[Tensor], Tensor | None]
) -> tuple[dict[int, Any], int]: ...
def can_be_written(x: Tensor) -> bool: ...
def begin_in_place(x: Tensor, op: str) -> None: ...
def adopt(x: Tensor, out: Tensor) -> None: ...
