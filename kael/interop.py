"""Memory shared with others: NumPy and the buffer protocol."""

import sys

from kael._kernels import tensor as base
from kael._kernels.tensor import TensorBase
from kael.dtypes import as_dtype, default_of, float32

__all__ = ["from_numpy"]


def from_numpy(array):
    """A tensor on the memory of a NumPy array.

    Shares the memory, with any strides and any alignment; in-place operations on a read-only array
    raise. An array in foreign byte order, or with strides that are not multiples of the itemsize,
    is copied.

    Raises
    ------
    TypeError
        Not an array, or its dtype is not one of kael's.
    """
    import numpy as np

    if not isinstance(array, np.ndarray):
        raise TypeError(f"from_numpy: expected a NumPy array, got {type(array).__name__}")
    native = array.dtype.newbyteorder("=")
    as_dtype(native)
    odd = any(s % array.itemsize for s, n in zip(array.strides, array.shape, strict=True) if n > 1)
    if native != array.dtype or odd:
        array = array.astype(native, order="C", copy=True)
    return base.from_buffer(array)


def from_data(data, dtype=None, copy=True):
    """What :func:`kael.tensor` accepts, as a tensor."""
    dtype = None if dtype is None else as_dtype(dtype)
    if type(data) in (bool, int, float):
        return base.number(data, (dtype or default_of(type(data))).code)
    if isinstance(data, TensorBase):
        return data.detach().to(dtype or data.dtype, copy=copy)
    import numpy as np

    if isinstance(data, (np.ndarray, np.generic)):
        array = np.asarray(data)
    else:
        array = _array_of(data, np)
        dtype = dtype or (float32 if array.dtype == np.float64 else None)
    shared = from_numpy(array)
    return shared.to(dtype or shared.dtype, copy=copy)


def _array_of(data, np):
    """Nested sequences, or an object with the buffer protocol, as an array."""
    try:
        array = np.array(data)
    except ValueError as error:
        raise ValueError(f"tensor: {error}") from None
    if array.dtype == object:
        raise TypeError("tensor: dtype object is not supported; expected numbers")
    return array


def to_numpy(x):
    """An array on the memory of ``x``; RuntimeError when it requires grad."""
    if x.requires_grad:
        raise RuntimeError("numpy: the tensor requires grad; use tensor.detach().numpy()")
    import numpy as np

    return np.asarray(memoryview(x)) if x.numel() else np.empty(x.shape, x.dtype.name)


def numpy_loaded():
    """NumPy if somebody has imported it, else None."""
    return sys.modules.get("numpy")
