"""Saving tensors, alone or inside dicts and lists, without ever running code at load.

The suffix chooses the format: ``.npz`` (NumPy's, always available) or ``.safetensors`` (needs the
package of that name). A dict of names and tensors, such as a module's ``state_dict()``, is stored
as exactly these arrays, for any program to read. Anything else, such as an optimizer's, also
stores its structure as JSON beside the arrays.
"""

import math
import os

from kael import dtypes
from kael.interop import from_data
from kael.tensor import Tensor

__all__ = ["load", "save"]

_STRUCTURE = "__kael_structure__"
_PLAIN = (str, int, float, bool, type(None))


def save(obj, path):
    """Writes tensors, or dicts, lists and tuples of tensors and plain values, to a file.

    The file appears whole or not at all. Views are stored packed; tensors that share memory are
    stored once each.

    Parameters
    ----------
    obj : Tensor, dict, list or tuple
        Nested as one likes; besides tensors it may hold str, int, float, bool, None and dtypes.
    path : str or path-like
        Ending in ``.npz`` or ``.safetensors``.

    Raises
    ------
    TypeError
        Names the place and the type of what cannot be stored.
    ValueError
        For another suffix, or a name that the format cannot hold.
    ImportError
        If the package safetensors is needed and missing.

    Examples
    --------
    >>> kael.save({"weight": kael.ones(2, 3)}, "model.npz")  # doctest: +SKIP
    """
    import json

    path = _path("save", path)
    write = _format(path, "save")[0]
    arrays = {}
    structure = _taken_apart(obj, None, arrays)
    flat = isinstance(obj, dict) and all(
        isinstance(key, str) and isinstance(value, Tensor) for key, value in obj.items()
    )
    # A name of its own, since two threads may save to one path. Not mkstemp's: the file shall have
    # the permissions that open() gives.
    temporary = f"{path}.{os.urandom(8).hex()}.part"
    try:
        write(temporary, arrays, None if flat else json.dumps(structure))
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def load(path):
    """What :func:`save` wrote, in fresh tensors; arrays of other programs come as a dict.

    Parameters
    ----------
    path : str or path-like
        Ending in ``.npz`` or ``.safetensors``.

    Returns
    -------
    Tensor, dict, list or tuple
        Of the structure that was saved.

    Raises
    ------
    FileNotFoundError, IsADirectoryError, PermissionError
    ValueError
        If the file is damaged or of another format.
    TypeError
        Names an array whose dtype kael does not have.
    ImportError
        If the package safetensors is needed and missing.
    """
    import json

    path = _path("load", path)
    read = _format(path, "load")[1]
    if not os.path.exists(path):
        raise FileNotFoundError(f"load: no such file: {path!r}")
    try:
        arrays, structure = read(path)
        structure = None if structure is None else json.loads(structure)
    except (ImportError, IsADirectoryError, MemoryError, PermissionError, TypeError):
        raise
    except Exception as error:  # damaged bytes make zipfile, NumPy and the rest raise of every kind
        raise ValueError(f"load: {path!r} is damaged or of another format: {error}") from error
    tensors = {name: _tensor(name, array) for name, array in arrays.items()}
    if structure is None:
        return tensors
    try:
        return _put_together(structure, tensors)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"load: {path!r} does not hold what it lists: {error!r}") from error


def _tensor(name, array):
    return from_data(array, op=f"load: array {name!r}")


# ---- the structure: JSON in which a tensor is {"tensor": name}


def _taken_apart(obj, place, arrays):
    if isinstance(obj, Tensor):
        name = "tensor" if place is None else place
        while name in arrays:  # {"a.b": x, "a": {"b": y}}
            name += "'"
        arrays[name] = obj.detach().contiguous().numpy()
        return {"tensor": name}
    if isinstance(obj, dict):
        return {
            "dict": [
                [_key(key, place), _taken_apart(value, _below(place, key), arrays)]
                for key, value in obj.items()
            ]
        }
    if isinstance(obj, (list, tuple)):
        kind = "list" if isinstance(obj, list) else "tuple"
        return {kind: [_taken_apart(x, _below(place, i), arrays) for i, x in enumerate(obj)]}
    if isinstance(obj, dtypes.DType):
        return {"dtype": obj.name}
    if not isinstance(obj, _PLAIN):
        where = "the top" if place is None else place
        raise TypeError(f"save: cannot store {type(obj).__name__} at {where!r}")
    return obj


def _below(place, key):
    """The place of an item of what stands at a place, None being the top."""
    return str(key) if place is None else f"{place}.{key}"


def _key(key, place):
    if not isinstance(key, _PLAIN):
        raise TypeError(f"save: keys must be plain values, got {type(key).__name__} at {place!r}")
    return key


def _put_together(node, tensors):
    if not isinstance(node, dict):
        return node
    ((kind, value),) = node.items()
    if kind == "tensor":
        return tensors[value]
    if kind == "dict":
        return {key: _put_together(x, tensors) for key, x in value}
    if kind == "dtype":
        return dtypes.as_dtype(value)
    parts = [_put_together(x, tensors) for x in value]
    return tuple(parts) if kind == "tuple" else parts


# ---- the two formats: write(path, arrays, structure) and read(path) -> (arrays, structure)


def _path(op, path):
    try:
        return os.fsdecode(path)
    except TypeError:
        raise TypeError(f"{op}: path must be a str or path-like, got {path!r}") from None


def _format(path, op):
    for suffix, functions in _FORMATS.items():
        if path.endswith(suffix):
            return functions
    raise ValueError(f"{op}: the path must end in {' or '.join(_FORMATS)}, got {path!r}")


def _write_npz(path, arrays, structure):
    import zipfile

    import numpy as np

    entries = dict(arrays)
    for name in entries:
        if name == _STRUCTURE or "\0" in name:
            raise ValueError(f"save: {name!r} cannot name an array in an npz file")
    if structure is not None:
        entries[_STRUCTURE] = np.frombuffer(structure.encode(), np.uint8)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in entries.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)


def _read_npz(path):
    import zipfile

    arrays = {}
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            with archive.open(member) as entry:
                array = _read_array(entry, member.file_size)
            arrays[member.filename.removesuffix(".npy")] = array
    structure = arrays.pop(_STRUCTURE, None)
    return arrays, None if structure is None else bytes(structure).decode()


def _read_array(entry, nbytes):
    """The array of an entry of so many bytes. Memory is reserved for what is there, not for what
    the header promises."""
    import numpy as np

    version = np.lib.format.read_magic(entry)
    read_header = {
        (1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0
    }.get(version)  # fmt: skip
    if read_header is None:
        raise ValueError(f"version {version} of NumPy's format")
    shape, columns_first, dtype = read_header(entry)
    if dtype.hasobject:
        raise ValueError("an array of Python's objects, which only code can make")
    if math.prod(shape) * dtype.itemsize != nbytes - entry.tell():
        raise ValueError(f"shape {shape} of {dtype} for {nbytes - entry.tell()} bytes")
    flat = np.frombuffer(entry.read(), dtype)
    return flat.reshape(shape[::-1]).T if columns_first else flat.reshape(shape)


def _write_safetensors(path, arrays, structure):
    package = _safetensors("save")
    with open(path, "xb") as file:
        mode = os.fstat(file.fileno()).st_mode
    package.numpy.save_file(
        arrays, path, metadata=None if structure is None else {_STRUCTURE: structure}
    )
    os.chmod(path, mode)  # the package makes a file of its own that only the user may read


def _read_safetensors(path):
    package = _safetensors("load")
    with package.safe_open(path, framework="numpy") as file:
        metadata = file.metadata() or {}
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    return arrays, metadata.get(_STRUCTURE)


def _safetensors(op):
    try:
        import safetensors.numpy
    except ImportError:
        raise ImportError(
            f"{op}: .safetensors files need the package safetensors (pip install kael[safetensors])"
        ) from None
    return safetensors


_FORMATS = {
    ".npz": (_write_npz, _read_npz),
    ".safetensors": (_write_safetensors, _read_safetensors),
}
