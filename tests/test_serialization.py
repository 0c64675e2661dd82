"""Saving and loading: npz and safetensors, states of modules and optimizers, damaged files."""

import concurrent.futures
import contextlib
import json
import os
import pickle
import zipfile

import numpy as np
import pytest
from conftest import bits_equal, spread

import kael
from kael import nn

SUFFIXES = (".npz", ".safetensors")
DTYPES = ("float32", "float64", "int32", "int64", "uint8", "bool")


@pytest.fixture(params=SUFFIXES)
def path(request, tmp_path):
    if request.param == ".safetensors":
        pytest.importorskip("safetensors")
    return tmp_path / f"file{request.param}"


def test_every_dtype_and_shape_comes_back_bit_for_bit(path):
    saved = {
        f"{dtype} {'x'.join(map(str, shape))}": kael.tensor(spread(shape, dtype))
        for dtype in DTYPES
        for shape in ((), (0,), (3, 0, 2), (7,), (5, 4), (2, 3, 4))
    }
    kael.save(saved, path)
    loaded = kael.load(path)
    assert loaded.keys() == saved.keys()
    for name, value in saved.items():
        assert loaded[name].dtype is value.dtype and bits_equal(loaded[name], value), name


def test_special_values_keep_their_bits(path):
    bits = np.array([0, 1 << 31, 0x7F800000, 0xFF800000, 1, 0x7FC00001], np.uint32)
    kael.save({"x": kael.tensor(bits.view(np.float32))}, path)
    assert np.array_equal(np.asarray(kael.load(path)["x"]).view(np.uint32), bits)


def test_views_are_stored_packed_and_loaded_tensors_are_independent(path):
    base = kael.tensor(spread((6, 8)))
    views = {"t": base.transpose(0, 1), "s": base[::2, 1:7:3], "e": base[0].expand(3, 8)}
    kael.save(views, path)
    loaded = kael.load(path)
    for name, view in views.items():
        assert bits_equal(loaded[name], view) and loaded[name].is_contiguous()
        loaded[name].fill_(0)
    assert bits_equal(kael.load(path)["t"], views["t"])


def test_parameters_are_saved_without_their_graph(path):
    w = kael.tensor(spread(5)).requires_grad_()
    kael.save({"leaf": w}, path)
    loaded = kael.load(path)
    assert not loaded["leaf"].requires_grad and bits_equal(loaded["leaf"], w.detach())


def test_nested_structures_come_back_as_they_were(path):
    saved = {
        "state": {0: {"step": kael.tensor(3.0), "m": kael.tensor(spread(4))}, 1: {}},
        "groups": [{"lr": 0.1, "betas": (0.9, 0.999), "flag": None, "params": [0, 1]}],
        "note": "text", "dtype": kael.float64, "large": 2**70, "tiny": 5e-324, "yes": True,
        "a.b": kael.ones(1), "a": {"b": kael.zeros(1)}, "inf": float("inf"),
    }  # fmt: skip
    kael.save(saved, path)
    loaded = kael.load(path)
    assert bits_equal(loaded["state"][0]["m"], saved["state"][0]["m"])
    assert loaded["state"][0]["step"].shape == ()
    assert loaded["groups"] == saved["groups"] and loaded["state"][1] == {}
    assert loaded["a.b"].item() == 1 and loaded["a"]["b"].item() == 0
    for key in ("note", "dtype", "large", "tiny", "yes", "inf"):
        assert loaded[key] == saved[key] and type(loaded[key]) is type(saved[key])


def test_single_tensors_lists_and_empty_dicts(path):
    kael.save(kael.tensor(spread(3)), path)
    assert bits_equal(kael.load(path), spread(3))
    kael.save([kael.ones(2), (kael.zeros(1), 5)], path)
    loaded = kael.load(path)
    assert loaded[1][1] == 5 and loaded[0].shape == (2,)
    kael.save({}, path)
    assert kael.load(path) == {}


def test_training_resumes_from_a_file_bit_for_bit(path):
    def network():
        kael.manual_seed(0)
        net = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 2))
        return net, kael.optim.Adam(net.parameters(), lr=0.05)

    x = kael.tensor(np.linspace(-1, 1, 20).reshape(4, 5).astype("float32"))

    def train(net, optimizer, steps):
        for _ in range(steps):
            optimizer.zero_grad()
            (net(x) ** 2).mean().backward()
            optimizer.step()

    through, stopped = network(), network()
    train(*through, 6)
    train(*stopped, 3)
    kael.save({"net": stopped[0].state_dict(), "optimizer": stopped[1].state_dict()}, path)
    net, optimizer = network()
    loaded = kael.load(path)
    net.load_state_dict(loaded["net"])
    optimizer.load_state_dict(loaded["optimizer"])
    train(net, optimizer, 3)
    for a, b in zip(net.parameters(), through[0].parameters(), strict=True):
        assert bits_equal(a.detach(), b.detach())


def test_flat_files_are_exchanged_with_numpy(tmp_path):
    path = tmp_path / "x.npz"
    kael.save({"layer.weight": kael.tensor(spread((2, 3)))}, path)
    with np.load(path, allow_pickle=False) as archive:
        assert archive.files == ["layer.weight"]
        assert bits_equal(archive["layer.weight"], spread((2, 3)))
    np.savez_compressed(path, a=np.arange(6).reshape(2, 3).T)
    assert kael.load(path)["a"].tolist() == [[0, 3], [1, 4], [2, 5]]


def test_flat_files_are_exchanged_with_safetensors(tmp_path):
    numpy_files = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "x.safetensors"
    kael.save({"w": kael.tensor(spread((2, 3)))}, path)
    assert bits_equal(numpy_files.load_file(path)["w"], spread((2, 3)))
    numpy_files.save_file({"v": spread(4)}, path)
    assert bits_equal(kael.load(path)["v"], spread(4))


def test_nothing_is_run_at_load(tmp_path):
    path = tmp_path / "bad.npz"

    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "trapped"),)

    np.savez(path, x=np.array([Trap()], object))
    with pytest.raises(ValueError, match=r"bad\.npz"):
        kael.load(path)
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ValueError, match=r"bad\.npz"):
        kael.load(path)
    assert not (tmp_path / "trapped").exists()


def test_damaged_and_foreign_files(path, tmp_path):
    kael.save({"x": kael.tensor(spread(1000))}, path)
    whole = path.read_bytes()
    for content in (b"", b"nonsense", whole[: len(whole) // 2], whole[:20]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="damaged or of another format"):
            kael.load(path)
    with pytest.raises(FileNotFoundError, match="missing"):
        kael.load(tmp_path / f"missing{path.suffix}")


def test_unsupported_dtypes_are_named(tmp_path):
    np.savez(tmp_path / "half.npz", h=np.ones(2, np.float16))
    with pytest.raises(TypeError, match=r"array 'h'.*float16"):
        kael.load(tmp_path / "half.npz")


def test_refused_saves_leave_the_old_file(path):
    kael.save({"x": kael.ones(3)}, path)
    before = path.read_bytes()
    for bad, words in [
        ({"a": [kael.ones(1), object()]}, "cannot store object at 'a.1'"),
        ({("a", 1): 2}, "keys must be plain values, got tuple"),
    ]:
        with pytest.raises(TypeError, match=words):
            kael.save(bad, path)
    assert path.read_bytes() == before and len(list(path.parent.iterdir())) == 1
    with pytest.raises(ValueError, match=r"must end in \.npz or \.safetensors"):
        kael.save({}, "x.pt")
    with pytest.raises(ValueError, match="load: the path must end in"):
        kael.load("x.pt")


def test_a_file_has_the_permissions_that_open_gives(path):
    former = os.umask(0o027)
    try:
        kael.save(kael.ones(3), path)
    finally:
        os.umask(former)
    assert path.stat().st_mode & 0o777 == 0o640


def test_threads_may_save_to_one_path(path):
    """One of the files appears, whole, and no other stays."""
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: kael.save(kael.full((50_000,), n), path), range(32)))
    loaded = kael.load(path)
    assert loaded.shape == (50_000,) and loaded.min().equal(loaded.max())
    assert list(path.parent.iterdir()) == [path]


def test_the_structure_is_plain_json(tmp_path):
    path = tmp_path / "x.npz"
    kael.save([kael.ones(1), 2], path)
    with zipfile.ZipFile(path) as archive:
        assert sorted(archive.namelist()) == ["0.npy", "__kael_structure__.npy"]
    with np.load(path) as archive:
        assert json.loads(bytes(archive["__kael_structure__"])) == {"list": [{"tensor": "0"}, 2]}


def test_names_of_every_kind_come_back(path):
    for names in (["", "tensor", "a.npy", "a"], ["../x", "/y", "é", "a" * 300], ["a.b", "a'"]):
        kael.save({name: kael.tensor([i]) for i, name in enumerate(names)}, path)
        loaded = {name: value.item() for name, value in kael.load(path).items()}
        assert loaded == {name: i for i, name in enumerate(names)}
    kael.save({"": kael.ones(1), "a": {"": {"": kael.zeros(1)}}, 7: [kael.ones(2)]}, path)
    assert kael.load(path)["a"][""][""].tolist() == [0.0]


@pytest.mark.parametrize("name", ["__kael_structure__", "a\0b"])
def test_names_that_npz_cannot_hold_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match=r"save: .* cannot name an array"):
        kael.save({name: kael.ones(1)}, tmp_path / "x.npz")
    assert not os.listdir(tmp_path)


def entry(header, data=b"\0" * 16):
    header = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 4), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-4,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }",
        "{'descr': '<f4'}",
        "[]",
        "{'descr': '<f4', (",
        "__import__('os')",
    ],
)
def test_a_header_that_promises_more_than_is_there(tmp_path, header):
    """keras#23016: nothing is reserved for it; mlx#3363."""
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("a.npy", entry(header))
    with pytest.raises(ValueError, match="damaged"):
        kael.load(tmp_path / "x.npz")


@pytest.mark.parametrize(
    "structure",
    ['{"tensor": "b"}', '{"dict": 5}', '{"what": 1}', '{"a": 1, "b": 2}', '{"list": null}', "{"],
)
def test_a_structure_that_does_not_fit(path, structure):
    written = kael.serialization._FORMATS[path.suffix][0]
    written(os.fspath(path), {"a": np.ones(2, "f4")}, structure)
    with pytest.raises(ValueError, match="load: "):
        kael.load(path)


def test_any_damaged_bit_is_a_value_error_or_another_value(path):
    kael.save({"a": kael.arange(100.0), "s": {"x": kael.tensor([1])}}, path)
    whole = path.read_bytes()
    draw = np.random.default_rng(0)
    for _ in range(300):
        damaged = bytearray(whole)
        damaged[draw.integers(len(whole))] ^= 1 << draw.integers(8)
        path.write_bytes(damaged)
        with contextlib.suppress(ValueError):
            kael.load(path)
