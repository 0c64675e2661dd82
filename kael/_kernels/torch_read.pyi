from types import ModuleType

class Reader:
    def __init__(self, tensors: ModuleType, op: str) -> None: ...
