"""Memory shared with others: NumPy, the buffer protocol, DLPack and pickle."""

from kael._kernels import buffers, dlpack
from kael._kernels import tensor as base
from kael._kernels.numbers import number
from kael._kernels.tensor import TensorBase, require_tensor
from kael.dtypes import as_dtype, bool_, default_of, float32, int64

__all__ = ["from_dlpack", "from_numpy"]

_CPU = (1, 0)  # DLPack's (device type, number)


def from_numpy(array):
    """A tensor on the memory of a NumPy array.

    Parameters
    ----------
    array : numpy.ndarray
        With any strides and any alignment. One in foreign byte order, with strides that are not
        multiples of the itemsize, or of bools that hold other bytes than 0 and 1, is copied.

    Returns
    -------
    Tensor
        In-place operations on a read-only array raise.

    Raises
    ------
    TypeError
        If it is no array, or its dtype is not one of kael's.

    Examples
    --------
    >>> array = np.zeros(2)
    >>> kael.from_numpy(array).add_(1.0).dtype
    kael.float64
    >>> array
    array([1., 1.])
    """
    import numpy as np

    if not isinstance(array, np.ndarray):
        raise TypeError(f"from_numpy: expected a NumPy array, got {type(array).__name__}")
    return _on_array("from_numpy", array)


def _on_array(op, array):
    """:func:`from_numpy` in the name of ``op``."""
    native = array.dtype.newbyteorder("=")
    try:
        as_dtype(native)
    except TypeError as error:
        raise TypeError(f"{op}: {error}") from None
    odd = any(s % array.itemsize for s, n in zip(array.strides, array.shape, strict=True) if n > 1)
    if native != array.dtype or odd:
        array = array.astype(native, order="C", copy=True)
    return buffers.from_buffer(array)


def from_data(data, dtype=None, copy=True, op="tensor"):
    """What :func:`kael.tensor` accepts, as a tensor; ``op`` is what messages call it."""
    dtype = None if dtype is None else as_dtype(dtype)
    if type(data) in (bool, int, float):
        return number(data, (dtype or default_of(type(data))).code)
    if isinstance(data, TensorBase):
        return data.detach().to(dtype or data.dtype, copy=copy)
    if isinstance(data, (list, tuple, range)):
        return _from_sequence(op, data, dtype)
    if _lends_memory(data):
        shared = buffers.from_buffer(data)
    else:
        import numpy as np

        shared = _on_array(op, data if isinstance(data, np.ndarray) else _as_array(op, data, np))
    return shared.to(dtype or shared.dtype, copy=copy)


def _lends_memory(data):
    """Whether data has the buffer protocol; arrays go through from_numpy, which knows more."""
    if hasattr(data, "__array__"):
        return False
    try:
        memoryview(data).release()
    except TypeError:
        return False
    return True


def _as_array(op, data, np):
    array = np.asarray(data)
    if array.dtype == object:
        raise TypeError(f"{op}: dtype object is not supported, got {type(data).__name__}")
    return array


def _from_sequence(op, data, dtype):
    """Nested sequences of numbers or tensors: Python's floats become float32, ints int64."""
    import numpy as np

    if data and all(isinstance(x, TensorBase) for x in data):
        array = np.stack([to_numpy(x.detach()) for x in data])
    else:
        try:
            array = _numbers(op, data, dtype, np) if len(data) else np.zeros(0)
        except ValueError as error:
            raise ValueError(f"{op}: {error}") from None
        if dtype is None and array.dtype == np.float64:
            dtype = float32
        _require_fit(array, dtype)
    return _on_array(op, array).to(dtype or as_dtype(array.dtype))


def _numbers(op, data, dtype, np):
    """Nested sequences as an array; OverflowError for integers that int64 does not hold.

    NumPy takes uint64, float64 or objects for those, which is right only where the dtype asked for
    is bool or of floats, or some element is a float.
    """
    array = np.asarray(data)
    large = array.dtype == np.float64 and np.abs(array).max(initial=0) >= 2.0**63
    if array.dtype.kind not in "uO" and not large:
        return array
    elements = np.asarray(data, object)
    if not all(isinstance(x, (int, float)) for x in elements.flat):
        return _as_array(op, data, np)
    whole = all(isinstance(x, int) for x in elements.flat)
    if whole and not (dtype is not None and (dtype is bool_ or dtype.is_floating_point)):
        for x in elements.flat:
            number(x, (dtype or int64).code)
    return elements.astype(np.float64)


def _require_fit(array, dtype):
    """OverflowError for integers that the dtype does not hold, as for one number."""
    if dtype is not None and array.dtype.kind == "i" and array.size:
        number(int(array.min()), dtype.code)
        number(int(array.max()), dtype.code)


def to_numpy(x):
    """An array on the memory of ``x``.

    Parameters
    ----------
    x : Tensor
        RuntimeError if it requires grad.

    Returns
    -------
    numpy.ndarray
    """
    require_tensor("numpy", x)
    if x.requires_grad:
        raise RuntimeError("numpy: the tensor requires grad; use tensor.detach().numpy()")
    import numpy as np

    return np.asarray(memoryview(x)) if x.numel() else np.empty(x.shape, x.dtype.name)


def array(x, dtype=None, copy=None):
    """``x.__array__``: NumPy asks for an array, of a dtype, copied always, never or if needed."""
    out = to_numpy(x)
    if dtype is not None and out.dtype != dtype:
        if copy is False:
            raise ValueError(f"__array__: {x.dtype.name} becomes {dtype} only by a copy")
        return out.astype(dtype)
    return out.copy() if copy else out


def to_dlpack(x, *, stream=None, max_version=None, dl_device=None, copy=None):
    """``x.__dlpack__``: a capsule for another library's ``from_dlpack``.

    BufferError for a tensor that requires grad, another device, or read-only memory when the
    consumer does not know the flag that says so (before DLPack 1.0).
    """
    if x.requires_grad:
        raise BufferError("__dlpack__: the tensor requires grad; export tensor.detach()")
    if stream is not None:
        raise BufferError(f"__dlpack__: a CPU tensor has no stream, got {stream!r}")
    if dl_device not in (None, _CPU):
        raise BufferError(f"__dlpack__: device {dl_device} is not the CPU")
    versioned = max_version is not None and max_version[0] >= 1
    return dlpack.to_capsule(x.clone() if copy else x, versioned, bool(copy))


def from_dlpack(source):
    """A tensor on the memory of an object with ``__dlpack__`` (NumPy, PyTorch, JAX, ...).

    Parameters
    ----------
    source : object with ``__dlpack__``, or its capsule

    Returns
    -------
    Tensor
        Read-only memory stays read-only: in-place operations on the tensor raise.

    Raises
    ------
    TypeError
        If ``source`` has no ``__dlpack__``, or its element type is not one of kael's.
    BufferError
        If its memory is not on the CPU.

    Examples
    --------
    >>> kael.from_dlpack(np.arange(3)).tolist()
    [0, 1, 2]
    """
    if not hasattr(source, "__dlpack__"):
        return buffers.truths(dlpack.from_capsule(_capsule(source)))
    if source.__dlpack_device__() != _CPU:
        raise BufferError(f"from_dlpack: device {source.__dlpack_device__()} is not the CPU")
    try:
        capsule = source.__dlpack__(max_version=(1, 0))
    except TypeError:  # before DLPack 1.0
        capsule = source.__dlpack__()
    return buffers.truths(dlpack.from_capsule(capsule))


def _capsule(source):
    if type(source).__name__ != "PyCapsule":
        raise TypeError(f"from_dlpack: {type(source).__name__} has no __dlpack__")
    return source


def reduce(x, protocol):
    """``x.__reduce_ex__``: packed bytes, out of band from protocol 5 on."""
    if x.grad_fn is not None:
        raise RuntimeError("pickle: the tensor was computed by recorded operations; detach() it")
    packed = x.detach().contiguous()
    data = bytearray(memoryview(packed))
    if protocol >= 5:
        from pickle import PickleBuffer  # loaded by whoever pickles

        data = PickleBuffer(packed if packed.is_writable else data)
    return rebuild, (type(x), data, x.shape, x.dtype, x.requires_grad)


def rebuild(kind, data, shape, dtype, requires_grad):
    """The inverse of :func:`reduce`; shares ``data`` where it may be written to."""
    if 0 in shape:  # memoryview casts no view without elements
        out = base.empty(shape, dtype.code)
    else:
        flat = buffers.from_buffer(memoryview(data).cast("B"))
        out = buffers.reinterpret(flat, dtype.code, shape)
    if not out.is_writable:
        out = out.clone()
    out = base.as_class(kind, out)
    out.requires_grad = requires_grad
    return out


def deepcopy(x, memo):
    """``copy.deepcopy``: of a leaf, with its gradient."""
    if x.grad_fn is not None:
        raise RuntimeError("deepcopy: the tensor was computed by recorded operations; detach() it")
    if id(x) in memo:
        return memo[id(x)]
    out = base.as_class(type(x), x.detach().clone())
    out.requires_grad = x.requires_grad
    memo[id(x)] = out
    if x.grad is not None:
        out.grad = deepcopy(x.grad, memo)
    return out
