from typing import Any

from kael._kernels.step import Step
from kael._kernels.tensor import TensorBase

class Plan(Step):
    def step(
        self,
        groups: list[dict[str, Any]],
        state: dict[TensorBase, dict[str, Any]],
        factor: float = 1.0,
        clear: bool = False,
    ) -> None: ...

def check(params: list[TensorBase], grads: list[TensorBase], op: str) -> None: ...
