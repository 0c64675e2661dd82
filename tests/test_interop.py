"""Memory shared with NumPy, the buffer protocol and DLPack: any strides, any address, read-only."""

import ctypes
import gc
import mmap
import warnings
import weakref

import numpy as np
import pytest
from conftest import in_use_bytes

import kael
from kael.testing import assert_bits_equal

DTYPES = ["bool", "uint8", "int32", "int64", "float32", "float64"]

# NumPy before 2.1 exports no read-only memory by DLPack, and its asarray knows no copy=.
needs_numpy_2 = pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="of NumPy 2.1's protocols"
)


def numbered(shape, dtype="float32"):
    return np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)


@pytest.mark.parametrize("name", DTYPES)
def test_numpy_in_and_out_share_memory(name):
    array = numbered((3, 4), name)
    tensor = kael.from_numpy(array)
    for out in (tensor.numpy(), np.asarray(tensor), np.asarray(memoryview(tensor))):
        assert out.dtype == array.dtype
        assert out.__array_interface__["data"][0] == array.__array_interface__["data"][0]
        np.testing.assert_array_equal(out, array)
    tensor.fill_(1)
    assert (array == 1).all()


def test_the_array_outlives_the_tensor_and_the_other_way_round():
    tensor = kael.from_numpy(numbered(5))
    gc.collect()
    assert tensor.tolist() == [0, 1, 2, 3, 4]
    array = kael.arange(5).numpy()
    gc.collect()
    assert array.tolist() == [0, 1, 2, 3, 4]
    owner = numbered(5)
    seen = weakref.ref(owner)
    tensor = kael.from_numpy(owner)
    del owner
    assert seen() is not None
    del tensor
    assert seen() is None


# pytorch/pytorch#92680, numpy/numpy#23349: negative strides were refused.
@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::-1],
        lambda a: a[::-1, ::-2],
        lambda a: a[:, ::-1].T,
        lambda a: a[1:2, ::3],
        lambda a: np.lib.stride_tricks.as_strided(a, (1, 4), (12345, 4)),
        lambda a: np.lib.stride_tricks.as_strided(a, (3, 3), (4, 4)),
        lambda a: a[:0],
        lambda a: a[2:1:-1, 5:],
    ],
)
def test_arrays_of_any_strides_are_shared_and_computed_with(view):
    array = view(numbered((6, 8)))
    tensor = kael.from_numpy(array)
    assert tensor.data_ptr() == array.__array_interface__["data"][0] or not array.size
    assert_bits_equal(tensor, array)
    assert_bits_equal(tensor.numpy(), array)
    assert_bits_equal(tensor.sum(0), array.sum(0))
    assert_bits_equal(tensor + 1.0, array + np.float32(1))
    assert_bits_equal(tensor @ tensor.T, array @ array.T)
    assert_bits_equal(tensor.softmax(-1), kael.tensor(array.copy()).softmax(-1))


# xtensor-stack/xsimd#1038, numpy/numpy#26775: aligned loads at misaligned addresses.
@pytest.mark.parametrize("offset", range(64))
def test_misaligned_arrays_give_the_bits_of_aligned_ones(offset):
    raw = bytearray(4 * 37 + 64)
    array = np.frombuffer(raw, "f4", count=36, offset=offset)
    array[:] = np.linspace(-2, 2, 36, dtype="f4")
    aligned = kael.tensor(array.copy())
    tensor = kael.from_numpy(array)
    assert tensor.data_ptr() == array.__array_interface__["data"][0]
    for function in (
        lambda x: x.exp(),
        lambda x: x.sum(),
        lambda x: x + x,
        lambda x: x.reshape(6, 6) @ x.reshape(6, 6),
        lambda x: x.reshape(6, 6).softmax(0),
        lambda x: x[::5].double(),
    ):
        assert_bits_equal(function(tensor), function(aligned))
    tensor += 1.0
    aligned += 1.0
    assert_bits_equal(array, aligned)


def read_only_array():
    array = numbered(4)
    array.flags.writeable = False
    return kael.from_numpy(array)


def read_only_map():
    pages = mmap.mmap(-1, 4096, access=mmap.ACCESS_READ)
    return kael.as_tensor(np.frombuffer(pages, "f4", count=4))


# pytorch/pytorch#5442: a read-only array was written through.
@pytest.mark.parametrize(
    "make",
    [
        read_only_array,
        read_only_map,
        lambda: kael.as_tensor(b"abcd"),
        lambda: kael.as_tensor(memoryview(b"abcd")),
        lambda: kael.from_numpy(np.broadcast_to(np.float32(1), (4,))),
        lambda: kael.from_numpy(np.broadcast_to(np.float32(1), (4,)))[1:],
        pytest.param(
            lambda: kael.from_dlpack(read_only_array().numpy()), id="dlpack", marks=needs_numpy_2
        ),
    ],
)
def test_read_only_memory_is_never_written(make):
    tensor = make()
    before = tensor.tolist()
    for write in (
        lambda: tensor.zero_(),
        lambda: tensor.add_(1),
        lambda: tensor.copy_(kael.zeros(1)),
        lambda: tensor.__setitem__(0, 1),
        lambda: tensor.__setitem__([0], 1),
        lambda: tensor[:2].fill_(1),
    ):
        with pytest.raises(RuntimeError, match="read-only"):
            write()
    assert tensor.tolist() == before
    assert not tensor.numpy().flags.writeable
    (tensor + 1).zero_()
    tensor.clone().zero_()


def test_foreign_byte_order_is_copied():
    array = np.arange(5, dtype=">f4")
    tensor = kael.from_numpy(array)
    assert tensor.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    tensor.zero_()
    assert array.tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(TypeError, match=">f"):
        kael.as_tensor(memoryview(array))


def test_strides_between_elements_are_copied():
    records = np.zeros(3, dtype=[("a", "u1"), ("b", "f4")])
    records["b"] = [1, 2, 3]
    tensor = kael.from_numpy(records["b"])
    assert tensor.tolist() == [1.0, 2.0, 3.0] and tensor.stride() == (1,)
    with pytest.raises(ValueError, match="itemsize"):
        kael.as_tensor(memoryview(records["b"]))


@pytest.mark.parametrize("name", ["float16", "complex64", "uint16", "int8", "U3", "O", "M8[s]"])
def test_other_dtypes_are_named(name):
    with pytest.raises(TypeError, match=np.dtype(name).name[:5]):
        kael.from_numpy(np.zeros(2, name))
    with pytest.raises(TypeError, match="NumPy array, got list"):
        kael.from_numpy([1])


# numpy/numpy#25941: __array__ without dtype and copy.
@needs_numpy_2
def test_numpys_array_protocol_copies_only_when_asked():
    tensor = kael.tensor([[1.0, 2.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.asarray(tensor, copy=False).ctypes.data == tensor.data_ptr()
        assert np.array(tensor, copy=True).ctypes.data != tensor.data_ptr()
        assert np.asarray(tensor, dtype="f8").dtype == "f8"
        for copy in (False,):
            with pytest.raises(ValueError, match="copy"):
                np.asarray(tensor, dtype="f8", copy=copy)
            with pytest.raises(ValueError, match="copy"):
                tensor.__array__("f8", copy=copy)
        assert tensor.__array__(np.dtype("f4"), copy=False).ctypes.data == tensor.data_ptr()
        assert tensor.__array__(copy=True).ctypes.data != tensor.data_ptr()
        assert np.sum(tensor.numpy()) == 3.0


def test_a_tensor_that_requires_grad_is_exported_detached_only():
    x = kael.tensor([1.0], requires_grad=True)
    for export in (x.numpy, lambda: np.asarray(x), lambda: np.array(x)):
        with pytest.raises(RuntimeError, match="detach"):
            export()
    for export in (lambda: memoryview(x), x.__dlpack__):
        with pytest.raises(BufferError, match="detach"):
            export()
    assert x.detach().numpy()[0] == 1.0


def test_buffer_protocol():
    tensor = kael.arange(6).reshape(2, 3)
    view = memoryview(tensor)
    assert (view.shape, view.strides, view.format, view.readonly) == ((2, 3), (24, 8), "q", False)
    assert view.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert bytes(tensor) == tensor.numpy().tobytes()
    assert bytes(tensor.T) == tensor.numpy().T.tobytes()
    assert np.frombuffer(tensor, "i8").tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(BufferError):
        np.frombuffer(tensor.T, "i8")
    with pytest.raises((BufferError, TypeError)):
        import io

        io.BytesIO(b"abcd").readinto(kael.as_tensor(b"abcd"))
    assert memoryview(kael.zeros(0, 3)).shape == (0, 3)


def test_exporters_that_state_no_strides():
    """ctypes states none whatever it is asked for."""
    numbers = (ctypes.c_float * 3)(1, 2, 3)
    x = kael.as_tensor(numbers)
    assert x.mul_(2).tolist() == list(numbers) == [2, 4, 6]
    cube = (((ctypes.c_double * 2) * 3) * 4)()
    cube[3][2][0] = 5.0
    y = kael.as_tensor(cube)
    assert (y.shape, y.stride(), y.dtype) == ((4, 3, 2), (6, 2, 1), kael.float64)
    assert y[3, 2, 0].item() == 5
    assert kael.as_tensor(((ctypes.c_int * 0) * 3)()).shape == (3, 0)
    assert kael.as_tensor(ctypes.c_int(7)).item() == 7
    with pytest.raises(TypeError, match="buffer format"):
        kael.as_tensor((ctypes.c_short * 2)())


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_consumer_gets_the_contiguity_it_asks_for(order):
    inspect = pytest.importorskip("_testbuffer")
    flags = {"C": inspect.PyBUF_C_CONTIGUOUS, "F": inspect.PyBUF_F_CONTIGUOUS}
    x = kael.ones(2, 3)
    right, wrong = (x, x.T) if order == "C" else (x.T, x)
    assert inspect.ndarray(right, getbuf=flags[order]).tolist() == right.tolist()
    assert inspect.ndarray(right, getbuf=inspect.PyBUF_ANY_CONTIGUOUS).tolist() == right.tolist()
    for exporter, asked in ((wrong, flags[order]), (x[:, ::2], inspect.PyBUF_ANY_CONTIGUOUS)):
        with pytest.raises(BufferError, match="not contiguous"):
            inspect.ndarray(exporter, getbuf=asked)


def test_exports_keep_the_memory():
    view = memoryview(kael.arange(1000))
    kael.empty_cache()
    gc.collect()
    assert view[999] == 999


# ---- DLPack ----


@needs_numpy_2
@pytest.mark.parametrize("name", DTYPES)
def test_dlpack_with_numpy(name):
    tensor = kael.tensor(numbered((3, 4), name))
    array = np.from_dlpack(tensor.T)
    assert array.ctypes.data == tensor.data_ptr()
    np.testing.assert_array_equal(array, tensor.numpy().T)
    again = kael.from_dlpack(array)
    assert again.data_ptr() == tensor.data_ptr() and again.stride() == (1, 4)
    assert_bits_equal(again, tensor.T)
    again.fill_(1)
    assert (tensor.numpy() == 1).all()


@needs_numpy_2
def test_dlpack_read_only():
    array = numbered(3)
    array.flags.writeable = False
    tensor = kael.from_dlpack(array)
    assert not tensor.is_writable
    assert not np.from_dlpack(tensor).flags.writeable
    with pytest.raises(BufferError, match="read-only"):
        tensor.__dlpack__()


def test_dlpack_arguments():
    tensor = kael.ones(3)
    assert tensor.__dlpack_device__() == (1, 0)
    for wrong in ({"stream": 1}, {"dl_device": (2, 0)}):
        with pytest.raises(BufferError):
            tensor.__dlpack__(**wrong)
    capsule = tensor.__dlpack__(max_version=(1, 0), copy=True)
    assert kael.from_dlpack(capsule).data_ptr() != tensor.data_ptr()
    with pytest.raises(ValueError, match="already taken"):
        kael.from_dlpack(capsule)
    with pytest.raises(TypeError, match="float has no __dlpack__"):
        kael.from_dlpack(3.0)
    with pytest.raises(TypeError, match="not supported"):
        kael.from_dlpack(np.zeros(2, "f2"))


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_dlpack_releases_what_it_holds(version):
    before = in_use_bytes()
    for _ in range(10):
        kael.ones(1000).__dlpack__(max_version=version)  # never taken
        kael.from_dlpack(kael.ones(1000).__dlpack__(max_version=version)).sum()
    assert in_use_bytes() == before


def test_an_empty_tensor_travels():
    for shape in [(0,), (2, 0, 3)]:
        tensor = kael.zeros(shape)
        assert np.from_dlpack(tensor).shape == shape
        assert np.asarray(tensor).shape == shape
        assert kael.from_dlpack(np.zeros(shape, "f4")).shape == shape
        assert kael.from_numpy(np.zeros(shape, "f4")).shape == shape


@pytest.mark.parametrize("take", [
    kael.from_numpy, kael.from_dlpack, kael.tensor, kael.as_tensor,
    lambda x: kael.tensor(memoryview(x)),
    lambda x: kael.from_numpy(x.repeat(2)[::-2]).flip(0),
])  # fmt: skip
def test_any_byte_but_0_is_true(take):
    raw = np.array([0, 1, 2, 255, 0, 128], np.uint8)
    truth = raw != 0
    x, y = take(raw.view(bool)), kael.tensor(truth)
    assert x.dtype is kael.bool_ and x.tolist() == truth.tolist()
    assert_bits_equal(x, truth)
    for function in (
        lambda x: x.sum(), lambda x: x.any(), lambda x: x.all(), lambda x: x.max(),
        lambda x: x.argmax(), lambda x: x.prod(), lambda x: x.to(kael.int64),
        lambda x: x.float(), lambda x: x == y, lambda x: x & kael.tensor(True),
        lambda x: x | kael.tensor(False), lambda x: x ^ y, lambda x: ~x, lambda x: x.logical_not(),
        lambda x: kael.arange(6)[x], lambda x: kael.where(x, 1.0, 2.0), lambda x: x.nonzero(),
        lambda x: kael.zeros(6).masked_fill(x, 3.0), lambda x: x.maximum(y), lambda x: x[2],
    ):  # fmt: skip
        assert_bits_equal(function(x), function(y))


def test_bools_that_are_0_and_1_share_their_memory():
    array = np.array([[True, False], [False, True]])
    for x in (kael.from_numpy(array), kael.from_numpy(array.T), kael.from_dlpack(array)):
        assert x.data_ptr() == array.__array_interface__["data"][0]


def test_numpy_needs_no_array_interface():
    """``__array__`` and the buffer protocol are enough for whatever asks for an array."""
    x = kael.arange(6).reshape(2, 3)
    for array in (np.asarray(x), np.array(x), np.stack([x, x])[0], np.concatenate([x])):
        assert_bits_equal(array, x)
    assert np.shares_memory(np.asarray(x), x.numpy())
    assert np.median(x) == 2.5 and np.array([x, x]).shape == (2, 2, 3)
