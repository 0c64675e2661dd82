"""Reading and writing parts, against NumPy over random indices, with gradients."""

import numpy as np
import pytest
from conftest import at_offset
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kael
from kael.testing import gradcheck

SHAPE = (3, 4, 5)
# No example is too slow: what is drawn is small, and the machine may be busy.
sampled = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def numbered(shape=SHAPE, dtype="float32"):
    return np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


def same(tensor, array):
    assert tensor.shape == array.shape
    np.testing.assert_array_equal(tensor.detach().numpy(), array)


BASIC = st.one_of(
    st.integers(-4, 3),
    st.builds(slice, *[st.none() | st.integers(-6, 6)] * 2, st.sampled_from([None, 1, 2, -1, -2])),
    st.none(),
    st.just(Ellipsis),
)


@st.composite
def advanced(draw):
    """An integer array of a shape that broadcasts with the others drawn here, or a mask."""
    kind = draw(st.sampled_from(["vector", "column", "scalar", "mask", "truth"]))
    if kind == "truth":
        return draw(st.booleans())
    if kind == "mask":
        size = draw(st.sampled_from(SHAPE))
        return np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    if kind == "scalar":
        return np.array(draw(st.integers(-3, 2)))
    values = draw(st.lists(st.integers(-3, 2), min_size=2, max_size=2))
    return np.array(values).reshape((2,) if kind == "vector" else (2, 1))


def outcome(function):
    """The result, or IndexError: what both libraries must agree on."""
    try:
        return function()
    except IndexError:
        return IndexError


@sampled
@given(st.lists(BASIC | advanced(), max_size=4))
def test_reading_agrees_with_numpy(items):
    index = tuple(items)
    array = numbered()
    expected = outcome(lambda: array[index])
    got = outcome(lambda: kael.from_numpy(array)[index])
    if expected is IndexError:
        assert got is IndexError
        return
    same(got, np.asarray(expected))


@sampled
@given(st.lists(BASIC | advanced(), max_size=4), st.integers(0, 2))
def test_writing_agrees_with_numpy(items, kind):
    index = tuple(items)
    array = numbered()
    expected = outcome(lambda: array[index])
    tensor = kael.tensor(array)
    if expected is IndexError:
        with pytest.raises(IndexError):
            tensor[index] = 0
        same(tensor, array)
        return
    shape = np.shape(expected)
    value = [
        np.float32(-1),
        np.full(shape, -2, "f4"),
        -3 - np.arange(np.prod(shape)).reshape(shape),
    ]
    array[index] = value[kind]
    tensor[index] = float(value[0]) if kind == 0 else kael.tensor(value[kind].astype("f4"))
    same(tensor, array)


def test_index_by_tensors_and_lists():
    array = numbered()
    tensor = kael.tensor(array)
    same(tensor[kael.tensor([2, 0])], array[[2, 0]])
    same(tensor[[0, 2], 1:], array[[0, 2], 1:])
    same(tensor[kael.tensor([1], dtype=kael.int32)], array[[1]])
    same(tensor[kael.tensor(1)], array[1])
    same(tensor[tensor > 7], array[array > 7])
    same(tensor[[]], array[[]])
    same(tensor[np.int8([1, -1])], array[[1, -1]])


@pytest.mark.parametrize(
    "index",
    [
        3,
        -4,
        2**70,
        (0, 0, 0, 0),
        (Ellipsis, Ellipsis),
        [0, 3],
        kael.tensor([5]),
        kael.tensor([0.5]),
        "a",
        1.0,
        np.zeros(4, bool),
        ([0, 1], [0, 1, 2]),
        np.zeros((3, 4, 5, 1), bool),
    ],
)
def test_refused_indices(index):
    tensor = kael.tensor(numbered())
    for use in (lambda: tensor[index], lambda: tensor.__setitem__(index, 0)):
        with pytest.raises(IndexError):
            use()


def test_a_slice_step_of_zero():
    with pytest.raises(ValueError, match="zero"):
        kael.ones(3)[::0]


def test_assignment_broadcasts_and_converts():
    tensor = kael.zeros(2, 3, dtype=kael.int64)
    tensor[:, 1] = kael.tensor([[1.9], [-1.9]])[:, 0]
    tensor[..., 2] = True
    tensor[0] = tensor[0] + 1
    assert tensor.tolist() == [[1, 2, 2], [0, -1, 1]]
    tensor[0] = kael.tensor([[[7, 8, 9]]])
    assert tensor[0].tolist() == [7, 8, 9]
    with pytest.raises((ValueError, RuntimeError)):
        tensor[0] = kael.tensor([1, 2])


# pytorch/pytorch#76891, #135487, #144861: the outcome depended on the vector width.
@pytest.mark.parametrize("width", [3, 17, 1000, 2_000_001])
def test_overlapping_assignment_reads_before_it_writes(width):
    array = numbered((2, width))
    tensor = kael.tensor(array)
    tensor[:, 1:] = tensor[:, :-1]
    array[:, 1:] = array[:, :-1].copy()
    same(tensor, array)
    tensor[:, ::-1] = tensor
    array[:, ::-1] = array.copy()
    same(tensor, array)


def test_overlapping_assignment_by_arrays():
    array = numbered((6,), "int64")
    tensor = kael.tensor(array)
    tensor[tensor.flip(0)] = tensor
    same(tensor, array[::-1])


def test_select_and_gather():
    array = numbered((3, 4))
    tensor = kael.tensor(array)
    rows = np.array([[0, 2, 1, 0], [2, 2, 2, -1]])
    same(tensor.index_select(1, kael.tensor([3, 0])), array[:, [3, 0]])
    same(tensor.gather(0, kael.tensor(rows)), np.take_along_axis(array, rows, 0))
    same(tensor.T.gather(1, kael.tensor(rows.T)), np.take_along_axis(array.T, rows.T, 1))
    same(tensor.gather(0, kael.tensor([[1, 2]])), array[[[1, 2]], [[0, 1]]])
    same(
        tensor.take_along_dim(kael.tensor([[0], [1], [3]]), 1),
        array[[[0], [1], [2]], [[0], [1], [3]]],
    )
    same(tensor.take_along_dim(kael.tensor([11, 0])), np.float32([11, 0]))
    with pytest.raises(IndexError, match="gather: index 3 is out of bounds for dim 0 with size 3"):
        tensor.gather(0, kael.tensor([[3]]))
    with pytest.raises(IndexError, match="gather"):
        tensor.gather(0, kael.zeros(1, 5, dtype=kael.int64))


@pytest.mark.parametrize("dtype", [kael.bool_, kael.float32])
@pytest.mark.parametrize("name", ["gather", "index_select", "take_along_dim"])
def test_positions_are_integers(name, dtype):
    x = kael.ones(2)
    for index in (kael.ones(2, dtype=dtype), kael.zeros(0, dtype=dtype)):
        call = (index, 0) if name == "take_along_dim" else (0, index)
        with pytest.raises(IndexError, match=f"{name}: the index must be of integer dtype, got"):
            getattr(x, name)(*call)
    with pytest.raises(IndexError, match="take_along_dim: the index must be of integer dtype"):
        x.take_along_dim(kael.ones(2, dtype=dtype))


@pytest.mark.parametrize("offset", range(1, 8))
def test_misaligned_indices_and_tables(offset):
    table = np.linspace(0, 1, 24).reshape(6, 4)
    index = np.array([5, -1, 0, 2, 2])
    for dtype in ("int64", "int32"):
        odd = kael.from_numpy(at_offset(index.astype(dtype), offset))
        for values in (table, table.astype("f4"), (table * 99).astype("i4"), table > 0.5):
            x = kael.from_numpy(at_offset(values, offset))
            same(x[odd], values[index])
            same(x[:, kael.from_numpy(at_offset(index[2:].astype(dtype), offset))],
                 values[:, index[2:]])  # fmt: skip
            same(x.index_select(0, odd), values[index])
            same(kael.nonzero(x), np.argwhere(values))
            x[odd] = kael.from_numpy(at_offset(values[:5] * 0, offset)).to(x.dtype)
            same(x[odd], values[index] * 0)
        places = kael.from_numpy(at_offset(np.array([[3], [1]], dtype), offset))
        chosen = kael.from_numpy(at_offset(table, offset)).gather(1, places)
        same(chosen, np.array([[table[0, 3]], [table[1, 1]]]))
        weight = kael.from_numpy(at_offset(table, offset)).requires_grad_()
        kael.nn.functional.embedding(odd.abs(), weight).sum().backward()
        assert weight.grad.sum(1).tolist() == [4.0, 4.0, 8.0, 0.0, 0.0, 4.0]


def test_masks_and_nonzero():
    array = numbered((3, 4))
    tensor = kael.tensor(array)
    same(tensor.masked_fill(tensor > 5, -1.0), np.where(array > 5, -1, array).astype("f4"))
    same(tensor.masked_select(kael.tensor([True, False, False, True])), array[:, [0, 3]].ravel())
    same(kael.nonzero(tensor % 2), np.argwhere(array % 2))
    assert kael.nonzero(kael.tensor(1)).shape == (1, 0)
    with pytest.raises(TypeError, match="bool"):
        tensor.masked_fill(tensor, 0.0)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[1],
        lambda x: x[::-1, 1::2],
        lambda x: x[None, ..., 0],
        lambda x: x[[0, 2, 0]],
        lambda x: x[:, [1, 1, 3]],
        lambda x: x[[0, 1], [1, 1]],
        lambda x: x[[[True, False, True, False]] * 3],
        lambda x: x.gather(1, kael.tensor([[0, 0], [1, 3], [2, 2]])),
        lambda x: x.index_select(0, kael.tensor([2, 2, 2])),
        lambda x: x.masked_fill(kael.tensor([True, False, False, True]), 2.0),
        lambda x: x.masked_select(kael.tensor([True, False, False, True])),
    ],
)
def test_gradients_of_reading(function):
    values = np.random.default_rng(3).standard_normal((3, 4))
    assert gradcheck(function, kael.tensor(values, requires_grad=True))


@pytest.mark.parametrize("index", [1, np.s_[:, ::2], np.s_[[0, 2]], np.s_[[0, 1], [1, 2]]])
def test_gradients_of_writing(index):
    rng = np.random.default_rng(4)
    x = kael.tensor(rng.standard_normal((3, 4)), requires_grad=True)
    value = kael.tensor(rng.standard_normal(np.zeros((3, 4))[index].shape), requires_grad=True)

    def function(x, value):
        y = x * 1.0
        y[index] = value
        return y * y

    assert gradcheck(function, (x, value))


def test_writing_into_a_buffer_records_the_value():
    value = kael.tensor([1.0, 2.0], requires_grad=True)
    out = kael.zeros(3)
    out[1:] = value
    (out * kael.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert value.grad.tolist() == [2.0, 3.0]


def test_the_gradient_of_repeated_rows_does_not_depend_on_threads():
    rng = np.random.default_rng(5)
    rows = kael.tensor(rng.integers(0, 7, 5000))
    seed = kael.tensor(np.ldexp(rng.standard_normal((5000, 40)), rng.integers(-40, 40, (5000, 40))),
                       dtype=kael.float32)  # fmt: skip
    found = []
    for threads in (1, 2, 3, 7, 16):
        table = kael.zeros(7, 40, requires_grad=True)
        with kael.num_threads(threads):
            table[rows].backward(seed)
        found.append(table.grad.numpy().tobytes())
    assert len(set(found)) == 1


def test_what_is_written_is_not_rounded_on_the_way():
    """A number or a sequence goes at once into the tensor's dtype, as in NumPy."""
    for write in (
        lambda x, value: x.__setitem__(slice(None), value),
        lambda x, value: x.__setitem__(kael.tensor([0, 1]), value),
        lambda x, value: x.copy_(value),
    ):
        doubles, integers = kael.zeros(2, dtype="float64"), kael.zeros(2, dtype="int64")
        write(doubles, [0.1, 0.2])
        assert doubles.tolist() == [0.1, 0.2]
        write(integers, [2.0**24 + 1, 1.9])
        assert integers.tolist() == [2**24 + 1, 1]
        write(integers, 2.0**53 - 1)
        assert integers.tolist() == [2**53 - 1] * 2


@pytest.mark.parametrize("value", [300, [300, 1], [1, -1], (256,), range(255, 257), 1e3])
def test_numbers_that_do_not_fit_are_not_written(value):
    """Of the kind of numpy#31651: out of range is an error, not another number."""
    x = kael.ones(2, dtype="uint8")
    for write in (lambda: x.__setitem__(slice(None), value), lambda: x.copy_(value)):
        with pytest.raises(OverflowError, match="does not fit in uint8"):
            write()
    with pytest.raises(ValueError, match="nan does not fit in uint8"):
        x[0] = float("nan")
    assert x.tolist() == [1, 1]


def test_an_unsigned_index_beyond_int64_is_not_a_negative_one():
    with pytest.raises(IndexError, match="18446744073709551615 is out of bounds"):
        kael.arange(3)[np.array([2**64 - 1], np.uint64)]


def test_an_index_that_shares_the_memory_it_selects():
    """numpy#26844."""
    x, expected = kael.arange(10), np.arange(10)
    x[2:][x[:-2]] = 3
    expected[2:][expected[:-2].copy()] = 3
    assert x.tolist() == expected.tolist()
    x = kael.arange(10)
    x[x.flip(0)] = x
    assert x.tolist() == list(range(9, -1, -1))


def test_masks_that_select_nothing():
    """pytorch#10000, pytorch#158413."""
    x = kael.zeros(2, 2)
    x[kael.tensor([False, False])] = kael.tensor([1.0, 2.0])
    assert x.sum().item() == 0
    x[kael.tensor([True, False]), :] = 5
    assert x.tolist() == [[5, 5], [0, 0]]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_two_ellipses_are_refused_also_beside_arrays(place):
    index = [..., ...]
    index.insert(place, kael.tensor([0]))
    for x in (kael.ones(2, 2, 2), kael.ones(1)):
        with pytest.raises(IndexError, match="single ellipsis"):
            x[tuple(index)]
        with pytest.raises(IndexError, match="single ellipsis"):
            x[tuple(index)] = 0.0


def test_steps_through_nothing_may_be_of_any_size():
    """The strides of an empty tensor leave 64 bits where nothing follows them."""
    x = kael.empty(4, 2**62, 0)
    assert x[::2].shape == (2, 2**62, 0)
    assert x[3, 2**62 - 1 :].shape == (1, 0)
    assert x[:, :: 2**61].shape == (4, 2, 0)
    assert x.diagonal(-1).shape == (0, 3)
    for offset in (2**63 - 1, 2**70, -(2**63), -(2**70)):
        assert kael.ones(3, 4).diagonal(offset).shape == x.diagonal(offset, 2, 0).shape[-1:] == (0,)
    assert x.flip((0, 1)).shape == x.shape
