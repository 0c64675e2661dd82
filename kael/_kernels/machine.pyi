from kael._kernels.tensor import TensorBase

def fma(double_precision: bool, steps: int, many: bool) -> float: ...
def stream(
    g: TensorBase,
    p: TensorBase | None = None,
    a: TensorBase | None = None,
    b: TensorBase | None = None,
) -> int: ...
