"""The IDX format of MNIST: two zero bytes, a type, a rank, the sizes (big-endian), the elements."""

import gzip
import zlib
from pathlib import Path

import numpy as np

__all__ = ["read_idx"]

UNSIGNED_BYTES = 0x08


def read_idx(path, ndim):
    """Reads an IDX file of unsigned bytes, gzipped or not.

    Parameters
    ----------
    path : str or os.PathLike
    ndim : int
        The number of dims that the file must have: 3 for images, 1 for labels.

    Returns
    -------
    numpy.ndarray
        uint8, of the shape that the file states.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is not IDX, holds something else than asked for, or is too short or too long.
    """
    path = Path(path)
    content = _content(path)
    header = 4 + 4 * ndim
    magic = bytes([0, 0, UNSIGNED_BYTES, ndim])
    if content[:4] != magic:
        raise ValueError(
            f"{path}: not an IDX file of unsigned bytes with {ndim} dims: "
            f"starts with {content[:4].hex(' ') or 'nothing'}, not {magic.hex(' ')}"
        )
    if len(content) < header:
        raise ValueError(f"{path}: truncated: the header takes {header} bytes, got {len(content)}")
    shape = tuple(int.from_bytes(content[i : i + 4], "big") for i in range(4, header, 4))
    expected = header + int(np.prod(shape, dtype=object))
    if len(content) != expected:
        fault = "truncated" if len(content) < expected else "too long"
        raise ValueError(
            f"{path}: {fault}: shape {shape} takes {expected} bytes, got {len(content)}"
        )
    return np.frombuffer(content, np.uint8, offset=header).reshape(shape)


def _content(path):
    """The bytes of a file, unpacked if it is gzipped (whatever its name says)."""
    raw = path.read_bytes()
    if raw[:2] != b"\x1f\x8b":
        return raw
    try:
        return gzip.decompress(raw)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{path}: truncated or damaged gzip: {error}") from None
