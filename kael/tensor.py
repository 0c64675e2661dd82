"""class Tensor: operators and methods, each delegating to kael.ops."""

from kael._kernels.tensor import TensorBase, register_tensor_class

__all__ = ["Tensor"]


class Tensor(TensorBase):
    __slots__ = ()


register_tensor_class(Tensor)
