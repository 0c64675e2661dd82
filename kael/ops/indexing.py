"""Reading and writing parts of a tensor."""

from kael._kernels import elementwise, views
from kael._kernels.tensor import TensorBase, number, zeros
from kael.autograd import record

__all__ = ["getitem", "setitem"]


def getitem(x, index):
    """``x[index]``: a view for ints, slices, None and ``...``."""
    out = views.basic_index(x, index)
    if out is None:
        raise NotImplementedError("masks and integer arrays")
    shape, code = x.shape, x.dtype_code

    def gradient(g):
        whole = zeros(shape, code)
        elementwise.copy_(views.basic_index(whole, index), g)
        return (whole,)

    return record("getitem", out, (x,), gradient)


def setitem(x, index, value):
    """``x[index] = value``, broadcast and converted."""
    part = views.basic_index(x, index)
    if not isinstance(value, TensorBase):
        value = number(value, x.dtype_code)
    elementwise.copy_(part, value)
