"""linear and its activation in one pass: the bits and the gradients of the operations one after
the other, on every way that a product goes."""

import weakref

import numpy as np
import pytest
from conftest import bits_equal, in_use_bytes, spread

import kael
from kael import matmul_versions

FLOATS = ["float32", "float64"]
ACTIVATIONS = {
    "relu": kael.relu,
    "gelu": kael.gelu,
    "gelu_tanh": kael.gelu_tanh,
    "sigmoid": kael.sigmoid,
    "tanh": kael.tanh,
}
# Rows, inner, columns, whether the weight lies transposed in memory, and the way x @ weight.T goes.
WAYS = [
    (7, 0, 13, False, None),
    (1, 1, 1, False, None),
    (3, 40, 1, False, None),
    (90, 600, 1, False, "turned"),
    (64, 784, 128, True, "direct"),
    (2, 600, 130, True, "direct"),
    (2, 600, 3600, True, "stream"),
    (16, 2100, 1100, True, "stream"),
    (1, 1030, 300, False, "turned"),
    (4, 600, 270, False, "turned"),
    (26, 70, 90, False, "panels"),
    (300, 70, 1100, True, "panels"),
    (1030, 520, 41, False, "packed"),
    (1100, 1024, 33, False, "packed"),
]


def layer(rows, inner, columns, dtype="float32", turned=False):
    """x, weight and bias whose sums are of moderate size, of either sign, and a few NaN and inf."""
    draw = np.random.default_rng(rows + inner + columns)
    x = draw.standard_normal((rows, inner)).astype(dtype)
    weight = (draw.standard_normal((columns, inner)) / max(inner, 1) ** 0.5).astype(dtype)
    bias = draw.standard_normal(columns).astype(dtype)
    for place, value in enumerate((np.nan, -np.inf, np.inf, -30.0)):
        bias[place + 1 :: 17] = value
    weight = np.asfortranarray(weight) if turned else weight
    return [kael.from_numpy(a) for a in (x, weight, bias)]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("case", WAYS, ids=str)
def test_an_activation_has_the_bits_of_its_operation(case, dtype, every_isa):
    *sizes, turned, way = case
    x, weight, bias = layer(*sizes, dtype, turned)
    if way is not None and dtype == "float32":
        assert matmul_versions.way(x, weight.T) == way
    for operands in ((x, weight, bias), (x, weight)):
        sums = kael.linear(*operands)
        for name, function in ACTIVATIONS.items():
            expected = function(sums)
            for threads in (1, 3):
                with kael.num_threads(threads):
                    assert bits_equal(kael.linear(*operands, activation=name), expected), name


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_of_batches_vectors_and_strided_rows(name, dtype, every_isa):
    x, weight, bias = (spread(s, dtype, k) for k, s in enumerate([(2, 3, 9, 80), (33, 40), (33,)]))
    weight, bias = kael.from_numpy(weight), kael.from_numpy(bias)
    for rows in (x[..., :40], x[..., ::2], x[:, ::2, :, ::2], x[0, 0, 0, :40], x[:0, ..., :40]):
        rows = kael.from_numpy(rows)
        expected = ACTIVATIONS[name](kael.linear(rows, weight, bias))
        found = kael.linear(rows, weight, bias, activation=name)
        assert found.shape == (*rows.shape[:-1], 33)
        assert bits_equal(found, expected)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_gradients_have_the_bits_of_the_operations(name, dtype, every_isa):
    g = kael.from_numpy(spread((2, 9, 33), dtype, 5))
    for wanted in ((1, 1, 1), (0, 1, 1), (1, 0, 0), (0, 0, 1)):
        found = []
        for fused in (True, False):
            operands = [kael.from_numpy(spread(s, dtype, 7)) for s in ((2, 9, 40), (33, 40), (33,))]
            for tensor, wants in zip(operands, wanted, strict=True):
                tensor.requires_grad_(bool(wants))
            if fused:
                out = kael.linear(*operands, activation=name)
            else:
                out = ACTIVATIONS[name](kael.linear(*operands))
            out.backward(g)
            found.append([out.detach(), *(t.grad for t in operands)])
        for a, b in zip(*found, strict=True):
            assert (a is None) == (b is None)
            assert a is None or bits_equal(a, b)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_only_gelu_keeps_the_sums_and_only_for_a_gradient(name):
    x, weight, bias = kael.ones(64, 64), kael.ones(64, 64, requires_grad=True), kael.ones(64)
    before = in_use_bytes()
    with kael.no_grad():
        out = kael.linear(x, weight, bias, activation=name)
    assert kael.allocator_stats().in_use_bytes - before == out.numel() * 4
    del out
    out = kael.linear(x, weight, bias, activation=name)
    tensors = 2 if "gelu" in name else 1
    assert kael.allocator_stats().in_use_bytes - before == tensors * out.numel() * 4


def test_the_graph_is_freed_with_the_result():
    weight = kael.ones(3, 3, requires_grad=True)
    out = kael.linear(kael.ones(2, 3), weight, activation="tanh")
    alive = weakref.ref(out)
    del out
    assert alive() is None


def test_a_result_changed_in_place_is_noticed():
    weight = kael.ones(3, 3, requires_grad=True)
    out = kael.linear(kael.ones(2, 3), weight, activation="relu")
    total = out.sum()
    with kael.no_grad():
        out.mul_(2.0)
    with pytest.raises(RuntimeError, match="linear: a tensor that its gradient needs was modified"):
        total.backward()


def test_an_unknown_activation_is_refused_before_any_work():
    x, weight = kael.ones(2, 3), kael.ones(4, 3)
    with pytest.raises(ValueError, match=r"linear: activation must be one of 'relu', .* 'swish'"):
        kael.linear(x, weight, activation="swish")
    with pytest.raises(TypeError, match="linear: not defined for int64"):
        kael.linear(x.long(), weight.long(), activation="relu")
    with pytest.raises(ValueError, match="does not fit weight"):
        kael.linear(weight, x.T, activation="relu")
