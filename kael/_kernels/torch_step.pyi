from types import ModuleType
from typing import Any

from kael._kernels.step import Step

class TorchStep(Step):
    def __init__(self, rule: str, op: str, tensors: ModuleType) -> None: ...
    def step(
        self, groups: list[dict[str, Any]], state: dict[Any, dict[str, Any]], factor: float = 1.0
    ) -> None: ...
    def update(
        self,
        params: list[Any],
        grads: list[Any],
        states: list[dict[str, Any]],
        group: dict[str, Any],
        factor: float = 1.0,
    ) -> None: ...
