"""Views and rearrangements, against NumPy, with their gradients."""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kael
from kael.testing import gradcheck

SHAPES = [(), (1,), (5,), (2, 3), (3, 1, 4), (2, 0, 3), (2, 3, 4, 5)]
# No example is too slow: what is drawn is small, and the machine may be busy.
sampled = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def numbered(shape, dtype="float32"):
    return np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


def same(tensor, array):
    assert tensor.shape == array.shape
    np.testing.assert_array_equal(tensor.detach().numpy(), array)


def float64_input(*shape, seed=0):
    values = np.random.default_rng(seed).standard_normal(shape)
    return kael.tensor(values, requires_grad=True)


@sampled
@given(st.data())
def test_views_compose_like_numpy(data):
    """A random chain of views shows the same elements and, where NumPy shares, the same memory."""
    shape = tuple(data.draw(st.lists(st.integers(0, 4), max_size=4)))
    array = numbered(shape)
    tensor = kael.from_numpy(array)
    for _ in range(data.draw(st.integers(1, 4))):
        array, tensor = one_view(data.draw, array, tensor)
        same(tensor, array)
        if array.size:
            assert tensor.data_ptr() == array.ctypes.data


def one_view(draw, array, tensor):
    kind = draw(st.sampled_from(["permute", "index", "unsqueeze", "squeeze", "expand", "T"]))
    if kind == "permute":
        order = draw(st.permutations(range(array.ndim)))
        return array.transpose(order), tensor.permute(*order) if order else tensor
    if kind == "index":
        index = tuple(
            slice(
                draw(st.none() | st.integers(-5, 5)),
                draw(st.none() | st.integers(-5, 5)),
                draw(st.sampled_from([None, 1, 2, -1, -3])),
            )
            for _ in range(array.ndim)
        )
        return array[(..., *index)], tensor[index]  # "...": an array, not a scalar
    if kind == "unsqueeze":
        at = draw(st.integers(-array.ndim - 1, array.ndim))
        return np.expand_dims(array, at), tensor.unsqueeze(at)
    if kind == "squeeze":
        return array.squeeze(), tensor.squeeze()
    if kind == "expand":
        shape = (2, *(3 if n == 1 else n for n in array.shape))
        return np.broadcast_to(array, shape), tensor.expand(shape)
    return array.T, tensor.T


@sampled
@given(st.data())
def test_reshape_shares_memory_exactly_where_numpy_does(data):
    shape = tuple(data.draw(st.lists(st.sampled_from([1, 2, 3, 4]), min_size=1, max_size=4)))
    array = numbered(shape)
    order = data.draw(st.permutations(range(array.ndim)))
    index = tuple(data.draw(st.sampled_from([slice(None), slice(None, None, 2), slice(1, None)]))
                  for _ in shape)  # fmt: skip
    array = array.transpose(order)[index]
    tensor = kael.from_numpy(array)
    sizes = list(data.draw(st.sampled_from(factorings(array.size))))
    if data.draw(st.booleans()) and array.size:
        sizes[data.draw(st.integers(0, len(sizes) - 1))] = -1
    expected = array.reshape(sizes)
    got = tensor.reshape(sizes)
    same(got, expected)
    if array.size:
        shares = np.may_share_memory(expected, array)
        assert (got.data_ptr() == tensor.data_ptr()) == shares
        if shares:
            same(tensor.view(sizes), expected)
        else:
            with pytest.raises(RuntimeError, match="view"):
                tensor.view(sizes)


def factorings(size):
    found = [(size,), (1, size), (size, 1)]
    found += [(a, size // a) for a in range(1, size + 1) if size % a == 0]
    found += [(a, 2, size // a // 2) for a in range(1, size + 1) if size % (2 * a) == 0]
    return found


@pytest.mark.parametrize("step", [5, 2**62, 2**63 - 1, 2**80, -(2**62), -(2**63), -(2**80)])
def test_a_step_beyond_the_end_selects_one_index(step):
    """The product of stride and step, which no element needs, may not fit in 64 bits."""
    array = numbered((5, 3))
    view = kael.from_numpy(array)[::step]
    same(view, array[::step])
    assert view.stride() == (3, 1) and view.is_contiguous()


@pytest.mark.parametrize("sizes", [(7,), (-1, -1), (4, -1), (-2, 3), (0, -1), (2**62, 2**62)])
def test_reshape_refuses_another_number_of_elements(sizes):
    with pytest.raises(ValueError, match="reshape"):
        kael.zeros(2, 3).reshape(sizes)


def test_reshape_of_an_empty_tensor():
    assert kael.zeros(0, 3).reshape(5, 0).shape == (5, 0)
    assert kael.zeros(0, 3).reshape(-1, 3).shape == (0, 3)
    with pytest.raises(ValueError, match="reshape"):
        kael.zeros(0, 3).reshape(-1, 0)


@pytest.mark.parametrize("shape", SHAPES)
def test_flatten_and_squeeze(shape):
    array = numbered(shape)
    tensor = kael.tensor(array)
    same(tensor.flatten(), array.reshape(-1))
    same(tensor.squeeze(), array.squeeze())
    if len(shape) > 2:
        same(tensor.flatten(1), array.reshape(shape[0], -1))
        same(tensor.flatten(0, 1), array.reshape(-1, *shape[2:]))
        same(tensor.squeeze(1), array.squeeze(1) if shape[1] == 1 else array)


def test_transposes_are_numpys():
    array = numbered((2, 3, 4))
    tensor = kael.tensor(array)
    same(tensor.transpose(0, -1), array.swapaxes(0, -1))
    same(tensor.permute(2, 0, 1), array.transpose(2, 0, 1))
    same(tensor.movedim(0, -1), np.moveaxis(array, 0, -1))
    same(tensor.movedim((0, 1), (2, 0)), np.moveaxis(array, (0, 1), (2, 0)))
    for source in itertools.permutations(range(3)):
        for destination in itertools.permutations((0, 1, -1)):
            same(tensor.movedim(source, destination), np.moveaxis(array, source, destination))
            two = source[:2], destination[:2]
            same(tensor.movedim(*two), np.moveaxis(array, *two))
    same(tensor.mT, array.swapaxes(-1, -2))
    same(tensor.T, array.T)
    same(tensor[0].t(), array[0].T)
    for wrong in [(0, 1), (0, 1, 1), (0, 1, 2, 3)]:
        with pytest.raises(ValueError, match="permute"):
            tensor.permute(*wrong)
    with pytest.raises(IndexError, match="transpose: dim 3"):
        tensor.transpose(0, 3)


def test_expand_is_numpys_broadcast_to():
    array = numbered((3, 1))
    tensor = kael.tensor(array)
    same(tensor.expand(2, -1, 4), np.broadcast_to(array, (2, 3, 4)))
    same(kael.broadcast_to(tensor, (3, 5)), np.broadcast_to(array, (3, 5)))
    for wrong in [(4, 1), (3,), (-1, 3, 1), (2**40, 2**40, 3, 1)]:
        with pytest.raises(ValueError, match="expand"):
            tensor.expand(wrong)


def test_an_expanded_tensor_is_not_written_to():
    tensor = kael.zeros(1, 3).expand(2, 3)
    for write in (lambda: tensor.fill_(1), lambda: tensor.copy_(kael.ones(2, 3)), tensor.zero_):
        with pytest.raises(RuntimeError, match="expanded"):
            write()


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_cat_and_stack_are_numpys(dim):
    parts = [numbered((2, 3)), numbered((2, 3)) + 10]
    tensors = [kael.tensor(p) for p in parts]
    same(kael.cat(tensors, dim), np.concatenate(parts, dim))
    same(kael.stack(tensors, dim), np.stack(parts, dim))
    same(kael.cat([t.T for t in tensors], dim), np.concatenate([p.T for p in parts], dim))


def test_cat_promotes_and_takes_empty_parts():
    out = kael.cat([kael.arange(2), kael.tensor([0.5])])
    assert out.dtype is kael.float32 and out.tolist() == [0.0, 1.0, 0.5]
    same(kael.cat([kael.zeros(0, 3), kael.ones(2, 3)]), np.ones((2, 3), "f4"))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: kael.cat([]), ValueError),
        (lambda: kael.cat([kael.ones(2), kael.ones(2, 2)]), ValueError),
        (lambda: kael.cat([kael.ones(2, 3), kael.ones(2, 4)]), ValueError),
        (lambda: kael.cat([kael.ones(2)], 1), IndexError),
        (lambda: kael.cat([1, 2]), TypeError),
        (lambda: kael.stack([kael.ones(2), kael.ones(3)]), ValueError),
        (lambda: kael.split(kael.ones(5), [2, 2]), ValueError),
        (lambda: kael.split(kael.ones(5), 0), ValueError),
        (lambda: kael.chunk(kael.ones(5), 0), ValueError),
        (lambda: kael.narrow(kael.ones(5), 0, 3, 3), IndexError),
        (lambda: kael.select(kael.ones(5), 0, 5), IndexError),
        (lambda: kael.ones(5).flatten(1), IndexError),
        (lambda: kael.broadcast_shapes((2,), (3,)), ValueError),
        (lambda: kael.flip(kael.ones(2, 3), (0, -2)), ValueError),
        (lambda: kael.squeeze(kael.ones(1, 3), (0, 0)), ValueError),
        (lambda: kael.movedim(kael.ones(2, 3), (0, 0), (0, 1)), ValueError),
        (lambda: kael.unbind(kael.tensor(1.0)), RuntimeError),
    ],
)
def test_wrong_arguments(call, error):
    with pytest.raises(error):
        call()


def test_dims_may_be_numpy_integers():
    x = kael.ones(1, 2, 3)
    for dim in (np.int64(0), np.int32(-3)):
        assert x.squeeze(dim).shape == (2, 3)
        assert x.movedim(dim, np.int64(2)).shape == (2, 3, 1)
        same(x.flip(dim), x.numpy())
    assert kael.movedim(kael.tensor(1.0), 0, -1).shape == ()


def test_split_chunk_and_unbind_are_numpys():
    array = numbered((5, 4))
    tensor = kael.tensor(array)
    for got, expected in zip(tensor.split(2), np.split(array, [2, 4]), strict=True):
        same(got, expected)
    for got, expected in zip(tensor.split([1, 3], 1), np.split(array, [1], 1), strict=True):
        same(got, expected)
    assert [p.shape for p in tensor.chunk(3)] == [(2, 4), (2, 4), (1, 4)]
    for got, expected in zip(tensor.unbind(1), array.T, strict=True):
        same(got, expected)
    same(tensor.narrow(0, -2, 2), array[-2:])
    same(tensor.select(1, -1), array[:, -1])
    same(tensor.flip((0, 1)), array[::-1, ::-1])
    assert kael.broadcast_shapes((2, 1), (3,), ()) == (2, 3)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.reshape(4, 3) * 2,
        lambda x: x.T.reshape(2, 6) * 2,
        lambda x: x.flatten(),
        lambda x: x.permute(1, 0),
        lambda x: x.transpose(0, 1)[1:],
        lambda x: x.unsqueeze(1).expand(3, 2, 4),
        lambda x: x[:, :1].expand(-1, 3),
        lambda x: x[None].squeeze(0),
        lambda x: x.movedim(0, 1),
        lambda x: x.flip(0),
        lambda x: kael.cat([x, x * 3], 1),
        lambda x: kael.stack([x, x * 3], 2),
        lambda x: x.split(2, 1),
        lambda x: x.unbind(0),
        lambda x: x.narrow(1, 1, 2),
        lambda x: x.clone().contiguous(),
        lambda x: x.T.contiguous(),
    ],
)
def test_gradients_of_shapes_are_the_differences(function):
    assert gradcheck(function, float64_input(3, 4))


def test_gradient_of_cat_comes_in_each_dtype():
    a = kael.tensor([1.0, 2.0], requires_grad=True)
    b = kael.tensor([3.0], dtype=kael.float64, requires_grad=True)
    kael.cat([a, b]).backward(kael.tensor([1.0, 2.0, 3.0], dtype=kael.float64))
    assert a.grad.dtype is kael.float32 and a.grad.tolist() == [1.0, 2.0]
    assert b.grad.dtype is kael.float64 and b.grad.tolist() == [3.0]


def test_only_tensors_are_taken():
    for function in (kael.reshape, kael.squeeze, kael.flatten, kael.t):
        for wrong in (None, [1.0], 1.0):
            with pytest.raises((TypeError, AttributeError)):
                function(wrong)
    for call in (
        lambda: kael.reshape(None, 2),
        lambda: kael.permute(None, 0),
        lambda: kael.transpose(None, 0, 1),
        lambda: kael.broadcast_to(None, (2,)),
        lambda: kael.autograd.record("x", None, (), None),
    ):
        with pytest.raises((TypeError, AttributeError)):
            call()
