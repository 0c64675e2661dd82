from collections.abc import Callable
from typing import Any

from kael.ops.rules import Rule
from kael.tensor import Tensor

def unary(rule: Rule, general: Callable[[Any], Tensor]) -> Callable[[Any], Tensor]: ...
def binary(
    rule: Rule, general: Callable[[Any, Any], Tensor], unbroadcast: Callable[..., Tensor]
) -> Callable[[Any, Any], Tensor]: ...
def clamp(x: object, low: object, high: object) -> Tensor | None: ...
