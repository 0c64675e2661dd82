"""The tensor itself: creation, dtypes, numbers, truth, text, copies; operators against NumPy."""

import copy
import operator
import pickle

import numpy as np
import pytest

import kael
from kael.testing import assert_bits_equal

DTYPES = ["bool", "uint8", "int32", "int64", "float32", "float64"]


def dtype_named(name):
    return kael.bool_ if name == "bool" else getattr(kael, name)


# ---- creation ----


@pytest.mark.parametrize("name", DTYPES)
def test_filled_tensors_hold_their_value(name):
    dtype = dtype_named(name)
    for out, value in [
        (kael.zeros(2, 3, dtype=dtype), 0),
        (kael.ones((2, 3), dtype=dtype), 1),
        (kael.full((2, 3), 1, dtype=dtype), 1),
        (kael.zeros_like(kael.ones(2, 3, dtype=dtype)), 0),
        (kael.ones_like(kael.zeros(2, 3), dtype=dtype), 1),
        (kael.full_like(kael.zeros(2, 3), 0, dtype=dtype), 0),
    ]:
        assert_bits_equal(out, np.full((2, 3), value, name))
    assert kael.empty(2, 3, dtype=name).dtype is dtype
    assert kael.empty_like(kael.ones(2, dtype=dtype)).dtype is dtype


def test_data_without_a_dtype_gets_the_default():
    assert kael.zeros(1).dtype is kael.float32
    for data, dtype in [
        (True, kael.bool_),
        (2, kael.int64),
        (2.0, kael.float32),
        ([1, 2], kael.int64),
        ([1, 2.0], kael.float32),
        ([], kael.float32),
        (np.float64(2), kael.float64),
        (np.arange(3, dtype="i4"), kael.int32),
        (range(3), kael.int64),
        (b"ab", kael.uint8),
    ]:
        assert kael.tensor(data).dtype is dtype, data
    assert kael.full((2,), 1).dtype is kael.int64
    assert kael.full((2,), 1.5).dtype is kael.float32
    assert kael.tensor([1.5, 2.5], dtype=kael.int64).tolist() == [1, 2]
    assert kael.tensor([0.1], dtype=kael.float64).item() == 0.1


def test_spellings_of_dtypes():
    for spelled in (kael.float64, "float64", np.float64, np.dtype("f8")):
        assert kael.zeros(1, dtype=spelled).dtype is kael.float64
    assert kael.zeros(1, dtype=float).dtype is kael.float32
    assert kael.zeros(1, dtype=int).dtype is kael.int64
    assert kael.zeros(1, dtype=bool).dtype is kael.bool_


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (np.float16(1), "float16"),
        (np.zeros(2, "c8"), "complex64"),
        (np.zeros(2, "u4"), "uint32"),
        (np.array(["a"]), "str"),
        (np.array([None]), "object"),
        ([None], "object"),
        ("abc", "str"),
        (np.zeros(2, "M8[s]"), "datetime64"),
        (1j, "complex128"),
    ],
)
def test_a_dtype_that_is_not_supported_is_named(data, named):
    with pytest.raises(TypeError, match=named):
        kael.tensor(data)


def test_data_that_fits_no_tensor_is_refused():
    with pytest.raises(ValueError, match="tensor"):
        kael.tensor([[1, 2], [3]])
    with pytest.raises(TypeError, match=r"kael\.tensor"):
        kael.Tensor([1.0])
    with pytest.raises(TypeError, match="half"):
        kael.zeros(1, dtype="half")
    for value, dtype in [(256, "uint8"), (-1, "uint8"), (2**31, "int32"), (2**63, "int64")]:
        with pytest.raises(OverflowError):
            kael.full((1,), value, dtype=dtype)
        with pytest.raises(OverflowError, match=f"{value} does not fit in {dtype}"):
            kael.tensor([value], dtype=dtype)


def test_python_integers_are_exact_or_refused():
    ends = [2**63 - 1, -(2**63), 2**53 + 1, 0]
    for data in (ends, [[n] for n in ends], tuple(ends), [True, *ends]):
        assert kael.tensor(data).flatten().tolist()[-4:] == ends
    # NumPy takes float64 for the first two, uint64 for the next two and objects for the others.
    for data in (
        [0, -1, 2**63], [-(2**63), 2**63], [2**63], range(2**63, 2**63 + 2), [[2**64]],
        [-(2**63) - 1], 2**63,
    ):  # fmt: skip
        for dtype in (None, "int64", "int32", "uint8"):
            with pytest.raises(OverflowError, match="does not fit in"):
                kael.tensor(data, dtype=dtype)
        assert_bits_equal(kael.tensor(data, dtype="float64"), np.array(data, "float64"))
        assert kael.tensor(data, dtype="bool").any()
    assert kael.tensor([2**64, 0.5]).tolist() == [2.0**64, 0.5]
    for strange in ([None, 2**64], ["a"], [object()]):
        with pytest.raises(TypeError, match="is not supported"):
            kael.tensor(strange)


@pytest.mark.filterwarnings("error")
def test_lists_convert_as_tensors_do_without_a_warning():
    odd = [1e300, float("nan"), -1.5]
    same = kael.tensor(odd, dtype="float64")
    assert kael.tensor(odd).tolist()[0] == float("inf")
    for dtype in ("int32", "int64", "uint8", "bool"):
        assert kael.tensor(odd, dtype=dtype).tolist() == same.to(dtype).tolist()


@pytest.mark.parametrize("given", [None, [[1.0]], np.ones((1, 1), "f4"), "x"])
@pytest.mark.parametrize(
    "function",
    [
        kael.all, kael.amax, kael.argmin, kael.mean, kael.norm, kael.prod, kael.std, kael.sum,
        kael.var, kael.softmax, kael.log_softmax, kael.standardize, kael.flatten, kael.t, kael.exp,
        kael.nonzero, kael.unbind, kael.zeros_like,
        *(lambda x, f=f: f(x, 0) for f in (kael.reshape, kael.unsqueeze, kael.flip, kael.split)),
        *(lambda x, f=f: f(x, x) for f in (kael.matmul, kael.mm, kael.dot, kael.outer)),
        lambda x: kael.broadcast_to(x, (2,)),
        lambda x: kael.gather(kael.ones(2), 0, x),
        lambda x: kael.nn.functional.cross_entropy(kael.ones(1, 2), x),
        lambda x: kael.nn.functional.mse_loss(kael.ones(1), x),
        lambda x: kael.nn.Parameter([x]),
    ],
)  # fmt: skip
def test_what_is_no_tensor_is_a_type_error(function, given):
    with pytest.raises(TypeError):
        function(given)


@pytest.mark.parametrize("kind", [kael.Tensor, kael.nn.Parameter])
def test_a_tensor_of_nothing_is_empty(kind):
    x = kind()
    assert x.shape == (0,) and x.dtype is kael.float32 and x.is_contiguous()
    assert (x + 1).tolist() == x.clone().tolist() == [] and x.sum().item() == 0


# numpy/numpy#5533: sizes that wrap around.
def test_impossible_sizes():
    for sizes in [(2**40, 2**40), (2**62,), (2**61, 2), (2**31, 2**31)]:
        with pytest.raises(
            MemoryError, match=rf"cannot reserve {4 * int(np.prod(sizes, dtype=object))} bytes"
        ):
            kael.empty(*sizes)
    with pytest.raises(ValueError, match="negative size -3"):
        kael.zeros(2, -3)
    with pytest.raises(ValueError, match="64 bits"):
        kael.zeros(2**64)
    with pytest.raises(ValueError, match="at most 16 dims"):
        kael.zeros((1,) * 17)
    with pytest.raises(TypeError, match="a size must be an integer"):
        kael.zeros(2.5)
    for shape in [(2**62, 4, 0), (0, 2**62, 2**62), (2**62, 2**62, 2**62, 0)]:
        empty = kael.empty(shape)
        assert empty.shape == shape and empty.numel() == 0 and empty.is_contiguous()


def test_arange_is_numpys():
    for args in [(5,), (2, 7), (7, 2, -2), (0,), (3, 1), (-3, 4, 3)]:
        assert_bits_equal(kael.arange(*args), np.arange(*args, dtype="i8"))
    assert kael.arange(0, 1, 0.25).tolist() == [0.0, 0.25, 0.5, 0.75]
    assert kael.arange(1.0, 0.0, -0.5).tolist() == [1.0, 0.5]
    assert kael.arange(3, dtype=kael.float64).dtype is kael.float64
    assert kael.arange(250, 256, dtype=kael.uint8).tolist() == [250, 251, 252, 253, 254, 255]
    big = 2**63 - 2
    assert kael.arange(big, big + 1).tolist() == [big]
    # Element i is start + i * step, not a running total.
    assert kael.arange(0, 1e5, 0.1, dtype="float64")[-1].item() == 999999 * 0.1
    with pytest.raises(ValueError, match="step"):
        kael.arange(0, 3, 0)


def test_linspace_and_eye():
    assert_bits_equal(kael.linspace(-1, 1, 5), np.linspace(-1, 1, 5, dtype="f4"))
    assert kael.linspace(0, 1, 0).shape == (0,)
    assert kael.linspace(3, 4, 1).tolist() == [3.0]
    assert kael.linspace(0, 0.3, 4, dtype="float64")[-1].item() == 0.3
    for n, m in [(3, None), (2, 4), (4, 2), (0, 3), (1, 1)]:
        assert_bits_equal(kael.eye(n, m), np.eye(n, m, dtype="f4"))
    with pytest.raises(ValueError, match="steps"):
        kael.linspace(0, 1, -1)


def test_tensor_copies_and_as_tensor_shares():
    array = np.zeros(3, "f4")
    copied, shared = kael.tensor(array), kael.as_tensor(array)
    array[0] = 1
    assert copied.tolist() == [0.0] * 3 and shared.tolist() == [1.0, 0.0, 0.0]
    assert kael.as_tensor(shared) is shared
    assert kael.tensor(shared).data_ptr() != shared.data_ptr()
    assert kael.as_tensor(array, dtype="float64").dtype is kael.float64
    assert kael.tensor([shared, shared]).shape == (2, 3)


# ---- numbers, truth, length ----


@pytest.mark.parametrize("name", DTYPES)
def test_item_and_tolist_give_pythons_numbers(name):
    array = np.array([[0, 1, 3], [1, 0, 2]]).astype(name)
    tensor = kael.tensor(array)
    assert tensor.tolist() == array.tolist()
    assert tensor.T.tolist() == array.T.tolist()
    for got, expected in zip(tensor[1].tolist(), array[1].tolist(), strict=True):
        assert type(got) is type(expected)
    assert tensor[0, 2].item() == array[0, 2].item()
    assert tensor[0, 2].tolist() == array[0, 2].item()
    with pytest.raises(RuntimeError, match="6 elements"):
        tensor.item()


def test_numbers_and_truth():
    assert int(kael.tensor(2.7)) == 2 and float(kael.tensor(2)) == 2.0
    assert [10, 20, 30][kael.tensor(1)] == 20
    assert bool(kael.tensor([[0.5]])) and not kael.tensor(0)
    for tensor in (kael.ones(2), kael.ones(0)):
        with pytest.raises(RuntimeError, match="ambiguous"):
            bool(tensor)
    with pytest.raises(TypeError, match="index"):
        [1, 2][kael.tensor(1.0)]
    assert f"{kael.tensor(2.5):.3f}" == "2.500"


def test_length_iteration_membership():
    tensor = kael.arange(6).reshape(3, 2)
    assert len(tensor) == 3 and [row.tolist() for row in tensor] == [[0, 1], [2, 3], [4, 5]]
    assert 5 in tensor and 6 not in tensor
    for call in (len, iter, list):
        with pytest.raises(TypeError, match="0-d"):
            call(kael.tensor(1))


def test_equality_is_elementwise_and_hash_is_identity():
    a, b = kael.tensor([1, 2]), kael.tensor([1, 3])
    assert (a == b).tolist() == [True, False] and (a != b).tolist() == [False, True]
    assert len({a, b, a}) == 2
    assert (a == "text") is False and (a == None) is False  # noqa: E711
    assert kael.equal(a, a) and not kael.equal(a, b) and not kael.equal(a, kael.tensor([1]))
    nan = kael.tensor([float("nan")])
    assert not kael.equal(nan, nan)
    with pytest.raises(TypeError, match="equal"):
        kael.equal(a, [1, 2])


def test_isclose_and_allclose_are_numpys():
    inf, nan = float("inf"), float("nan")
    a = np.array([1.0, 1.0, inf, inf, nan, 0.0, 1e-9])
    b = np.array([1.00001, 1.1, inf, -inf, nan, 0.0, 0.0])
    for equal_nan in (False, True):
        expected = np.isclose(a, b, equal_nan=equal_nan)
        got = kael.isclose(kael.tensor(a), kael.tensor(b), equal_nan=equal_nan)
        assert_bits_equal(got, expected)
    assert kael.allclose(kael.ones(3), kael.ones(3) + 1e-7)
    assert not kael.allclose(kael.ones(3), kael.ones(3) + 1e-3)


def test_attributes_tell_shape_and_layout():
    tensor = kael.zeros(2, 3, 4)
    assert tensor.shape == tensor.size() == (2, 3, 4)
    assert tensor.size(-1) == 4 and tensor.ndim == tensor.dim() == 3 and tensor.numel() == 24
    assert tensor.stride() == (12, 4, 1) and tensor.stride(1) == 4
    assert tensor.is_contiguous() and not tensor.T.is_contiguous()
    assert tensor[1, 2].storage_offset() == 20
    with pytest.raises(IndexError, match="size: dim 3"):
        tensor.size(3)


# ---- text ----


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: kael.tensor([1.0, 2.5]), "tensor([1. , 2.5])"),
        (lambda: kael.tensor(3), "tensor(3)"),
        (lambda: kael.tensor([True]), "tensor([ True])"),
        (lambda: kael.tensor([1], dtype=kael.int32), "tensor([1], dtype=kael.int32)"),
        (lambda: kael.tensor([1.0], requires_grad=True), "tensor([1.], requires_grad=True)"),
        (
            lambda: kael.tensor([1.0], requires_grad=True) * 2,
            "tensor([2.], grad_fn=<mul gradient>)",
        ),
        (lambda: kael.zeros(0), "tensor([])"),
        (lambda: kael.zeros(2, 0), "tensor([], size=(2, 0))"),
        (lambda: kael.zeros(0, 2**62, 4), f"tensor([], size=(0, {2**62}, 4))"),
        (lambda: kael.tensor([float("nan"), float("-inf")]), "tensor([ nan, -inf])"),
        (lambda: kael.tensor([[1, 2], [3, 4]]), "tensor([[1, 2],\n        [3, 4]])"),
    ],
)
def test_repr_is_the_expected_text(make, text):
    assert repr(make()) == str(make()) == text


def test_the_text_of_a_big_tensor_is_short():
    assert len(repr(kael.zeros(1000, 1000))) < 1000


def test_the_text_of_a_dtype():
    assert repr(kael.float32) == "kael.float32"


# ---- copies ----


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    "make",
    [
        lambda: kael.arange(6).reshape(2, 3),
        lambda: kael.rand(3, 4).T,
        lambda: kael.ones(4)[::-2],
        lambda: kael.zeros(0, 3),
        lambda: kael.tensor(True),
        lambda: kael.ones(1, 3).expand(2, 3),
        lambda: kael.tensor([1.0], requires_grad=True),
        lambda: kael.from_numpy(np.broadcast_to(np.float32(1), (2, 2))),
    ],
)
def test_a_pickled_tensor_comes_back_whole(make, protocol):
    tensor = make()
    again = pickle.loads(pickle.dumps(tensor, protocol))
    assert type(again) is kael.Tensor and again.dtype is tensor.dtype
    assert_bits_equal(again, tensor)
    assert again.requires_grad == tensor.requires_grad
    with kael.no_grad():
        again.fill_(0)


def test_pickle_out_of_band_shares_memory():
    tensor = kael.arange(1000)
    buffers = []
    data = pickle.dumps(tensor, 5, buffer_callback=buffers.append)
    assert len(data) < 500
    assert pickle.loads(data, buffers=buffers).data_ptr() == tensor.data_ptr()


def test_copy_shares_and_deepcopy_copies():
    x = kael.tensor([1.0, 2.0], requires_grad=True)
    x.grad = kael.ones(2)
    shallow, deep = copy.copy(x), copy.deepcopy({"a": x, "b": x})
    assert shallow.data_ptr() == x.data_ptr() and shallow.requires_grad
    assert deep["a"] is deep["b"] and deep["a"].data_ptr() != x.data_ptr()
    assert deep["a"].requires_grad and deep["a"].grad.tolist() == [1.0, 1.0]
    for use in (copy.deepcopy, pickle.dumps):
        with pytest.raises(RuntimeError, match="detach"):
            use(x * 2)
    for dtype in (kael.float32, kael.bool_):
        assert copy.deepcopy(dtype) is pickle.loads(pickle.dumps(dtype)) is dtype


def test_conversions_keep_values_and_gradients():
    x = kael.tensor([-1.5, 0.0, 300.0])
    assert x.to(kael.float32) is x and x.to("float32", copy=True) is not x
    assert x.long().tolist() == [-1, 0, 300] and x.bool().tolist() == [True, False, True]
    assert x.int().dtype is kael.int32 and x.double().dtype is kael.float64
    assert x.to(x.long()).dtype is x.type_as(x.long()).dtype is kael.int64
    y = kael.tensor([1.5], requires_grad=True)
    y.double().sum().backward()
    assert y.grad.tolist() == [1.0] and y.grad.dtype is kael.float32


# ---- operators ----

ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


@pytest.mark.parametrize("function", ARITHMETIC + COMPARISONS)
@pytest.mark.parametrize("name", ["float32", "float64", "int64"])
def test_operators_agree_with_numpy(function, name):
    rng = np.random.default_rng(1)
    a, b = (rng.integers(1, 9, (3, 4)).astype(name) for _ in "ab")
    for left, right in [(a, b), (a.T, b.T), (a[::2], b[::-2][::-1][:2]), (a, b[0]), (a, b[:, :1])]:
        expected = function(left, right)
        if name == "int64" and function is operator.truediv:
            expected = expected.astype("f4")
        assert_bits_equal(function(kael.tensor(left), kael.tensor(right)), expected)
    for number in (2, 0.5):
        if name == "int64" and type(number) is float:
            continue
        for args in ((a, number), (number, a)):
            tensors = [kael.tensor(x) if isinstance(x, np.ndarray) else x for x in args]
            expected = function(*args)
            if name == "int64" and function is operator.truediv:
                expected = expected.astype("f4")
            assert_bits_equal(function(*tensors), expected)


def test_python_numbers_are_weak():
    assert (kael.ones(1) + 1.5).dtype is kael.float32
    assert (kael.ones(1, dtype="float64") * 2).dtype is kael.float64
    assert (kael.arange(2) + 1).dtype is kael.int64
    assert (kael.arange(2) * 0.5).dtype is kael.float32
    assert (kael.ones(1, dtype="int32") + 1).dtype is kael.int32
    assert (kael.ones(1, dtype="bool") + True).dtype is kael.bool_
    assert (kael.arange(2) / 2).dtype is kael.float32
    assert (kael.ones(1) < 2).dtype is kael.bool_


def test_numpy_operands_give_tensors():
    x = kael.ones(3)
    array = np.array([1, 2, 3], "f4")
    for out in (np.float32(2) * x, x * np.float32(2), array + x, x + array, array - x, x / array):
        assert type(out) is kael.Tensor and out.dtype is kael.float32
    assert (array - x).tolist() == [0.0, 1.0, 2.0]
    assert (np.float64(2) * x).dtype is kael.float32
    assert (array < x).tolist() == [False, False, False]
    x += array
    assert x.tolist() == [2.0, 3.0, 4.0]
    assert (np.eye(3, dtype="f4") @ x).tolist() == [2.0, 3.0, 4.0]


@pytest.mark.parametrize("function", [*ARITHMETIC, operator.matmul, operator.iadd, operator.and_])
@pytest.mark.parametrize("other", ["text", None, object(), [1.0]])
def test_foreign_operands_are_refused(function, other):
    with pytest.raises(TypeError):
        function(kael.ones(1), other)


def test_in_place_forms_keep_the_memory_and_the_dtype():
    x = kael.tensor([1.0, 2.0, 3.0])
    kept = x.data_ptr()
    x += 1
    x *= kael.tensor([2.0])
    x -= kael.tensor([1, 1, 1])
    x /= 2
    x **= 2
    assert x.data_ptr() == kept and x.tolist() == [2.25, 6.25, 12.25]
    n = kael.arange(3)
    n += 1
    n //= 2
    assert n.tolist() == [0, 1, 1]
    for wrong in (lambda: n.__iadd__(0.5), lambda: n.__itruediv__(2)):
        with pytest.raises(RuntimeError, match="float32, which does not go into int64"):
            wrong()
    with pytest.raises((RuntimeError, ValueError), match="shape"):
        x += kael.ones(2, 3)


# pytorch/pytorch#76891, #135487, #144861, #24843: results depended on the vector width.
@pytest.mark.parametrize("width", [2, 3, 16, 17, 67, 1000])
def test_in_place_on_overlapping_memory_is_as_if_copied_first(width):
    a = kael.ones(2, width)
    a -= a[:, :1]
    assert a.tolist() == [[0.0] * width] * 2
    for size in (width, width * width):
        array = np.arange(size + 1, dtype="f4")
        x = kael.tensor(array)
        x[1:] += x[:-1]
        array[1:] += array[:-1].copy()
        assert_bits_equal(x, array)
    square = np.arange(width * width, dtype="f4").reshape(width, width)
    x = kael.tensor(square)
    x += x.T
    assert_bits_equal(x, square + square.T)


def test_overlap_with_many_elements():
    array = np.arange(4_000_001, dtype="f4")
    x = kael.tensor(array)
    x[1:] += x[:-1]
    array[1:] += array[:-1].copy()
    assert_bits_equal(x, array)


def test_bitwise_operators():
    a, b = kael.tensor([True, True, False]), kael.tensor([True, False, False])
    assert (a & b).tolist() == [True, False, False]
    assert (a | b).tolist() == [True, True, False]
    assert (a ^ b).tolist() == [False, True, False]
    assert (~a).tolist() == [False, False, True]
    assert (~kael.tensor([0, 5])).tolist() == [-1, -6]
    assert (kael.tensor([6]) & 3).tolist() == [2]


def test_unary_operators():
    x = kael.tensor([1.5, -2.0])
    assert (-x).tolist() == [-1.5, 2.0] and abs(x).tolist() == [1.5, 2.0] and (+x) is x


@pytest.mark.parametrize(
    "call",
    [
        kael.sum, kael.mean, kael.prod, kael.norm, kael.max, kael.argmax, kael.all, kael.softmax,
        kael.exp, kael.nonzero, lambda x: kael.reshape(x, 1), lambda x: kael.permute(x, 0),
        lambda x: kael.transpose(x, 0, 0), lambda x: kael.broadcast_to(x, (1,)),
        lambda x: kael.matmul(x, x), lambda x: kael.where(kael.ones(1) > 0, x, 1),
    ],
)  # fmt: skip
def test_none_is_no_tensor(call):
    with pytest.raises((TypeError, AttributeError)):
        call(None)


def test_floats_are_not_taken_for_integers():
    x = kael.ones(2, 2)
    for call in (
        lambda: x.diagonal(0.5),
        lambda: kael.causal_softmax(x, 0.5),
        lambda: kael.standardize(x, 1.5),
        lambda: kael.cross_entropy_losses(x, kael.tensor([0, 1]), ignore_index=0.5),
        lambda: kael.linspace(0, 1, 2.5),
    ):
        with pytest.raises(TypeError, match="integer"):
            call()


# ---- reports of others ----


def test_whole_numbers_in_a_range_are_counted_exactly():
    """numpy#6238, numpy#27985, numpy#16426."""
    assert kael.arange(0, 10**16 + 1, 10**14).shape == (101,)
    step = -(2**53) - 1
    assert kael.arange(0, step - 1, step).tolist() == [0, step]
    assert kael.arange(2**53, 2**53 + 3, dtype="float64").shape == (3,)
    assert kael.arange(0, 5, 2**63).tolist() == [0]
    assert kael.arange(np.int64(1), np.int32(4)).dtype is kael.int64
    assert kael.arange(0.1, 100, 0.4, dtype="int32").tolist() == [  # numpy#8560
        int(0.1 + 0.4 * i) for i in range(250)
    ]
    with pytest.raises(ValueError, match="length"):
        kael.arange(0, 2**63 + 1)


@pytest.mark.parametrize(
    ("arguments", "dtype"),
    [
        ((300,), "uint8"),
        ((-1, 3), "uint8"),
        ((2**31 - 1, 2**31 + 2), "int32"),
        ((2**63, 2**63 + 2), "int64"),
    ],
)
def test_a_range_that_the_dtype_does_not_hold(arguments, dtype):
    with pytest.raises(OverflowError, match=f"does not fit in {dtype}"):
        kael.arange(*arguments, dtype=dtype)


def test_linspace_over_more_than_the_range():
    assert kael.linspace(-1e308, 1e308, 3, dtype="float64").tolist() == [-1e308, 0.0, 1e308]


def test_any_integer_can_be_compared_with_floats():
    for dtype in ("float32", "float64"):
        x = kael.tensor([1.0, np.inf, -np.inf, np.nan], dtype=dtype)
        assert (x < 10**400).tolist() == [True, False, True, False]
        assert (x > -(10**400)).tolist() == [True, True, False, False]
        assert kael.eq(x[:1], 10**400).tolist() == [False]
        with pytest.raises(OverflowError):
            x + 10**400


def test_what_a_tensor_cannot_be_compared_with_is_not_in_it():
    x = kael.ones(3)
    assert all(value not in x for value in ("a", None, [], {}))
    assert 1.0 in x and 2.0 not in x


@pytest.mark.parametrize("name", ["floor_divide_", "remainder_"])
@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
def test_a_division_that_stops_leaves_its_operand_whole(name, dtype):
    """pytorch#38051: a divisor of zero is an error; it comes before anything is written."""
    x = kael.arange(100_000).to(dtype)
    divisor = kael.full((100_000,), 3, dtype=dtype)
    divisor[99_999] = 0
    before = x.clone()
    for target, by in ((x, divisor), (x[::2], divisor[1::2]), (x, 0)):
        with pytest.raises(ZeroDivisionError):
            getattr(target, name)(by)
        assert x.equal(before)
    assert getattr(x, name)(divisor.clamp(min=1)) is x


@pytest.mark.parametrize("call", ["to", "clone", "contiguous", "fill_", "zero_", "copy_", "numpy"])
def test_a_method_called_on_something_else(call):
    more = {"to": ["float32"], "fill_": [1], "copy_": [kael.ones(1)]}.get(call, [])
    with pytest.raises(TypeError, match=f"{call}: operand 1 must be a Tensor, got str"):
        getattr(kael.Tensor, call)("text", *more)


def test_empty_tensors_pickle_out_of_band():
    for x in (kael.zeros(0, 3), kael.zeros(2, 0, dtype="int64"), kael.zeros(0)):
        buffers = []
        data = pickle.dumps(x, 5, buffer_callback=buffers.append)
        again = pickle.loads(data, buffers=buffers)
        assert again.shape == x.shape and again.dtype is x.dtype
