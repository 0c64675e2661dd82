from typing import Any

from kael._kernels.plan import Plan
from kael._kernels.tensor import TensorBase

class Rule(Plan):
    def __init__(self, name: str) -> None: ...

class Listed(Plan):
    def __init__(self, name: str) -> None: ...
    def update(
        self,
        params: list[TensorBase],
        grads: list[TensorBase],
        states: list[dict[str, Any]],
        group: dict[str, Any],
        factor: float = 1.0,
    ) -> None: ...

def scale(tensors: list[TensorBase], factor: float) -> None: ...
def clamp(tensors: list[TensorBase], low: float, high: float) -> None: ...
