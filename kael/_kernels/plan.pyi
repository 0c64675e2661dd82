from typing import Any

from kael._kernels.tensor import TensorBase

class Plan:
    def step(
        self, groups: list[dict[str, Any]], state: dict[TensorBase, dict[str, Any]]
    ) -> None: ...

def count_fork() -> None: ...
