"""Saving tensors, alone or inside dicts and lists, without ever running code at load.

The suffix chooses the format: ``.npz`` (NumPy's, always available) or ``.safetensors`` (needs the
package of that name). A dict of names and tensors, such as a module's ``state_dict()``, is stored
as exactly these arrays, for any program to read. Anything else, such as an optimizer's, also
stores its structure as JSON beside the arrays.
"""

import os

from kael import dtypes
from kael.creation import tensor
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
        For another suffix.
    ImportError
        If the package safetensors is needed and missing.

    Examples
    --------
    >>> kael.save({"weight": kael.ones(2, 3)}, "model.npz")  # doctest: +SKIP
    """
    import json

    path = os.fspath(path)
    write = _format(path, "save")[0]
    arrays = {}
    structure = _taken_apart(obj, "", arrays)
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

    path = os.fspath(path)
    read = _format(path, "load")[1]
    if not os.path.exists(path):
        raise FileNotFoundError(f"load: no such file: {path!r}")
    try:
        arrays, structure = read(path)
    except (IsADirectoryError, PermissionError):
        raise
    except (EOFError, KeyError, OSError, ValueError) as error:
        raise ValueError(f"load: {path!r} is damaged or of another format: {error}") from error
    tensors = {name: _tensor(name, array) for name, array in arrays.items()}
    return tensors if structure is None else _put_together(json.loads(structure), tensors)


def _tensor(name, array):
    try:
        return tensor(array)
    except TypeError as error:
        raise TypeError(f"load: array {name!r}: {error}") from None


# ---- the structure: JSON in which a tensor is {"tensor": name}


def _taken_apart(obj, place, arrays):
    if isinstance(obj, Tensor):
        name = place or "tensor"
        while name in arrays:  # {"a.b": x, "a": {"b": y}}
            name += "'"
        arrays[name] = obj.detach().contiguous().numpy()
        return {"tensor": name}
    if isinstance(obj, dict):
        items = [
            [_key(key, place), _taken_apart(value, f"{place}.{key}" if place else str(key), arrays)]
            for key, value in obj.items()
        ]
        return {"dict": items}
    if isinstance(obj, (list, tuple)):
        kind = "list" if isinstance(obj, list) else "tuple"
        below = f"{place}." if place else ""
        return {kind: [_taken_apart(x, f"{below}{i}", arrays) for i, x in enumerate(obj)]}
    if isinstance(obj, dtypes.DType):
        return {"dtype": obj.name}
    if not isinstance(obj, _PLAIN):
        raise TypeError(f"save: cannot store {type(obj).__name__} at {place or 'the top'!r}")
    return obj


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


def _format(path, op):
    for suffix, functions in _FORMATS.items():
        if path.endswith(suffix):
            return functions
    raise ValueError(f"{op}: the path must end in {' or '.join(_FORMATS)}, got {path!r}")


def _write_npz(path, arrays, structure):
    import zipfile

    import numpy as np

    entries = dict(arrays)
    if structure is not None:
        entries[_STRUCTURE] = np.frombuffer(structure.encode(), np.uint8)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in entries.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)


def _read_npz(path):
    import zipfile
    import zlib

    import numpy as np

    arrays = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                with archive.open(name) as entry:
                    array = np.lib.format.read_array(entry, allow_pickle=False)
                arrays[name.removesuffix(".npy")] = array
    except (zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(str(error)) from None
    structure = arrays.pop(_STRUCTURE, None)
    return arrays, None if structure is None else bytes(structure).decode()


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
    try:
        with package.safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except package.SafetensorError as error:
        raise ValueError(str(error)) from None
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
