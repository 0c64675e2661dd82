"""The text of a tensor."""

from kael import interop
from kael._kernels.tensor import require_tensor
from kael.dtypes import bool_, float32, int64

__all__ = ["text"]

_PREFIX = "tensor("
_SILENT = (bool_, int64, float32)  # the dtypes that the digits themselves tell


def text(x):
    """``repr(x)``: NumPy's digits, cut short when there are many, then what they do not tell."""
    require_tensor("repr", x)
    digits = _digits(x.detach()) if x.numel() else "[]"
    notes = []
    if x.numel() == 0 and x.shape != (0,):
        notes.append(f"size={x.shape}")
    if x.dtype not in _SILENT or (x.numel() == 0 and x.dtype is not float32):
        notes.append(f"dtype={x.dtype!r}")
    if x.grad_fn is not None:
        notes.append(f"grad_fn={x.grad_fn!r}")
    elif x.requires_grad:
        notes.append("requires_grad=True")
    return f"{_PREFIX}{', '.join([digits, *notes])})"


def _digits(x):
    import numpy as np

    return np.array2string(interop.to_numpy(x), separator=", ", prefix=_PREFIX)
