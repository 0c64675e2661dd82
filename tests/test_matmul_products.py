"""The named products, what their graphs keep, and the optional BLAS."""

import re
from functools import partial

import numpy as np
import pytest
from conftest import bits_equal, in_use_bytes, spread

import kael
from kael import matmul_versions as ladder
from kael.testing import gradcheck


def tensors(*arrays):
    return [kael.from_numpy(np.asarray(x)) for x in arrays]


def leaf(*shape, seed=0):
    values = np.random.default_rng(seed).uniform(-1, 1, shape)
    return kael.tensor(values, dtype=kael.float64, requires_grad=True)


# ---- addmm, baddbmm, inner, outer, vdot ----


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("x_shape", [(33,), (1, 33), (9, 1), (9, 33), (1,), ()], ids=str)
def test_addmm_is_product_and_sum(x_shape, dtype, every_isa):
    x, a, b = tensors(*(spread(s, dtype, i) for i, s in enumerate([x_shape, (9, 40), (40, 33)])))
    for left, right in [(a, b), (a, b.t().clone().t())]:
        assert bits_equal(kael.addmm(x, left, right), kael.matmul(a, b) + x)
        scaled = kael.addmm(x, left, right, beta=3, alpha=-2)
        assert bits_equal(scaled, kael.matmul(a, b) * -2 + x * 3)


def test_baddbmm_is_bmm_and_sum():
    a, b, x = kael.randn(4, 5, 6), kael.randn(4, 6, 7), kael.randn(5, 7)
    assert bits_equal(kael.baddbmm(x, a, b), kael.bmm(a, b) + x)
    assert bits_equal(x.baddbmm(a, b, beta=0, alpha=3), kael.bmm(a, b) * 3)


SCALES = [(1, 1), (0, 1), (0, 3), (1, -2), (3, 1), (-1, 2)]


@pytest.mark.parametrize(("beta", "alpha"), SCALES)
@pytest.mark.parametrize("name", ["addmm", "baddbmm"])
def test_sums_written_to_out(name, beta, alpha, every_isa):
    lead = (3,) if name == "baddbmm" else ()
    a, b, x = (
        kael.from_numpy(spread((*lead, *shape), "float32", seed))
        for seed, shape in enumerate([(5, 30), (30, 7), (5, 7)])
    )
    call = partial(getattr(kael, name), beta=beta, alpha=alpha)
    for addend in (x, x[..., :1, :]):
        expected = call(addend, a, b)
        for out in (kael.empty(*lead, 5, 7), kael.empty(*lead, 7, 5).mT, x.clone()):
            assert call(addend, a, b, out=out) is out
            assert bits_equal(out, expected)
    expected = call(x[..., 1:, :], a[..., 1:, :], b)
    into = x[..., :-1, :]  # what is still to be read is written one row before
    assert bits_equal(call(x[..., 1:, :], a[..., 1:, :], b, out=into), expected)


@pytest.mark.parametrize(
    ("out", "error", "text"),
    [
        (lambda a: kael.zeros(3, 3), ValueError, r"addmm: out has shape \(3, 3\), expected \(2, 2"),
        (lambda a: kael.zeros(2, 2, dtype=kael.float64), TypeError, "addmm: out is float64"),
        (lambda a: a, ValueError, "addmm: out shares memory"),
        (lambda a: kael.zeros(2, 1).expand(2, 2), RuntimeError, "addmm: an expanded tensor"),
        (lambda a: [[0.0, 0.0]], TypeError, "addmm: out"),
        (lambda a: kael.zeros(2, 2, requires_grad=True), RuntimeError, "addmm: out= does not"),
    ],
)
def test_a_wrong_out_of_a_sum_is_refused_before_anything_is_written(out, error, text):
    a, x = kael.tensor([[1.0, 2.0], [3.0, 4.0]]), kael.tensor([5.0, 6.0])
    with pytest.raises(error, match=text):
        kael.addmm(x, a, a, out=out(a))
    assert a.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(RuntimeError, match="addmm: out= does not support gradients"):
        kael.addmm(x.requires_grad_(), a, a, out=kael.zeros(2, 2))


@pytest.mark.parametrize("name", ["addmm", "baddbmm"])
def test_a_beta_of_zero_ignores_nan(name):
    batch = (2,) if name == "baddbmm" else ()
    a, b = kael.ones(*batch, 2, 3), kael.ones(*batch, 3, 2)
    found = getattr(kael, name)(kael.tensor([float("nan")]), a, b, beta=0)
    assert bits_equal(found, kael.full((*batch, 2, 2), 3.0))


@pytest.mark.parametrize(
    ("a_shape", "b_shape"),
    [
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (2, 3)),
        ((2, 3), (4, 3)),
        ((5, 2, 3), (4, 1, 3)),
        ((), (3,)),
    ],
    ids=str,
)
def test_inner_is_numpys(a_shape, b_shape):
    a, b = (np.arange(1.0, 1 + np.prod(s)).reshape(s) for s in (a_shape, b_shape))
    found = kael.inner(*tensors(a, b))
    expected = np.inner(a, b)
    assert found.shape == expected.shape
    assert found.tolist() == expected.tolist()
    inputs = leaf(*a_shape), leaf(*b_shape, seed=1)
    assert gradcheck(kael.inner, inputs)


def test_torch_has_the_same_names_and_values():
    torch = pytest.importorskip("torch")
    shapes = {
        "addmm": [(4,), (3, 5), (5, 4)],
        "baddbmm": [(3, 1), (2, 3, 5), (2, 5, 4)],
        "bmm": [(2, 3, 5), (2, 5, 4)],
        "dot": [(5,), (5,)],
        "inner": [(2, 5), (3, 5)],
        "mm": [(3, 5), (5, 4)],
        "mv": [(3, 5), (5,)],
        "outer": [(3,), (4,)],
        "vdot": [(5,), (5,)],
    }
    generator = np.random.default_rng(0)
    for name, sizes in shapes.items():
        arrays = [generator.integers(-9, 9, size) for size in sizes]
        scales = {"beta": 2, "alpha": 3} if name.endswith("addmm") or name == "baddbmm" else {}
        for dtype in ("int64", "float32"):
            mine = [kael.from_numpy(x.astype(dtype)) for x in arrays]
            theirs = [torch.from_numpy(x.astype(dtype)) for x in arrays]
            expected = getattr(torch, name)(*theirs, **scales)
            assert getattr(kael, name)(*mine, **scales).tolist() == expected.tolist()
            method = getattr(mine[0], name)(*mine[1:], **scales)
            assert method.shape == tuple(expected.shape) and method.tolist() == expected.tolist()


def test_gradients_of_products_are_the_differences():
    assert gradcheck(kael.addmm, (leaf(4), leaf(3, 5, seed=1), leaf(5, 4, seed=2)))
    scaled = (leaf(3, 1), leaf(2, 3, 5, seed=1), leaf(2, 5, 4, seed=2))
    assert gradcheck(lambda *x: kael.baddbmm(*x, beta=2, alpha=-3), scaled)
    assert gradcheck(kael.vdot, (leaf(5), leaf(5, seed=1)))
    assert gradcheck(kael.mv, (leaf(3, 5), leaf(5, seed=1)))
    assert gradcheck(kael.dot, (leaf(0), leaf(0)))
    for offset, dims in [(0, (0, 1)), (1, (1, 2)), (-1, (2, 0))]:
        assert gradcheck(lambda x, o=offset, d=dims: x.diagonal(o, *d), leaf(3, 4, 2))


@pytest.mark.parametrize("offset", [-9, -2, 0, 1, 3, 4])
def test_diagonal_is_numpys(offset):
    x = np.arange(24.0).reshape(2, 3, 4)
    for dims in [(0, 1), (2, 1), (-1, 0)]:
        found = kael.from_numpy(x).diagonal(offset, *dims)
        assert bits_equal(found, np.diagonal(x, offset, *dims))
    with pytest.raises(ValueError, match="diagonal: dim1 1 and dim2 -2 are the same dim"):
        kael.from_numpy(x).diagonal(0, 1, -2)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda x: kael.addmm(x, x, x.t()[:1]),
            ValueError,
            "addmm: inner sizes differ: (2, 3) @ (1, 2)",
        ),
        (
            lambda x: kael.addmm(kael.ones(5), x, x.t()),
            ValueError,
            "addmm: shape (5,) does not broad",
        ),
        (
            lambda x: kael.addmm(kael.ones(1, 2, 2), x, x.t()),
            ValueError,
            "does not broadcast to (2, 2)",
        ),
        (lambda x: kael.addmm(x.double()[0, 0], x, x.t()), TypeError, "float64 + float32"),
        (lambda x: kael.addmm(x, x[0], x), ValueError, "addmm: operands must be 2-D and 2-D"),
        (
            lambda x: kael.addmm(x.int()[0, 0], x.int(), x.int().t(), alpha=0.5),
            TypeError,
            "got 0.5",
        ),
        (lambda x: kael.baddbmm(x, x[None], x[None]), ValueError, "baddbmm: inner sizes differ"),
        (lambda x: kael.mm(x, x), ValueError, "mm: inner sizes differ: (2, 3) @ (2, 3)"),
        (lambda x: kael.mv(x, x[0, :2]), ValueError, "mv: inner sizes differ: (2, 3) @ (2,)"),
        (lambda x: kael.dot(x[0], x[0, :2]), ValueError, "dot: inner sizes differ: (3,) @ (2,)"),
        (
            lambda x: kael.inner(x, x[:, :2]),
            ValueError,
            "inner: last dims differ: (2, 3) and (2, 2)",
        ),
        (lambda x: kael.mm(x, x.double().t()), TypeError, "mm: dtypes differ: float32 @ float64"),
        (lambda x: kael.mm(x.bool(), x.t().bool()), TypeError, "mm: not defined for bool"),
        (lambda x: kael.dot(x[0].bool(), x[0].bool()), TypeError, "dot: not defined for bool"),
        (lambda x: kael.bmm(x[None], x.mT[None], out=x), ValueError, "bmm: out has shape (2, 3)"),
        (lambda x: x @ x[:, :2].int(), TypeError, "matmul: dtypes differ: float32 @ int32"),
        (lambda x: ladder.way(x, x), ValueError, "way: inner sizes differ"),
        (lambda x: ladder.way(x, x[0]), ValueError, "way: operands must be 2-D"),
        (
            lambda x: ladder.direct(x, x.t(), x),
            ValueError,
            "direct: operands and out must be contig",
        ),
    ],
)
def test_what_does_not_fit_is_named(call, error, text):
    with pytest.raises(error, match=re.escape(text)):
        call(kael.ones(2, 3))


# ---- What a graph keeps ----


def kept(make, requires_grad):
    """How many of the operands' blocks the graph of make(*operands) keeps alive."""
    inputs = [kael.ones(64, 64, requires_grad=wanted) * 1 for wanted in requires_grad]
    out = make(*inputs)
    before = in_use_bytes()
    count = len(inputs)
    del inputs
    assert out.requires_grad
    return count - (before - kael.allocator_stats().in_use_bytes) // (4 * 64 * 64)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(
    "make",
    [
        kael.matmul,
        lambda a, b: a @ b,
        kael.mm,
        lambda a, b: kael.bmm(a[None], b[None]),
        lambda a, b: kael.dot(a[0], b[0]),
        kael.linear,
        lambda a, b: kael.einsum("ij,jk", a, b),
        lambda a, b: kael.einsum("ij,ij->ij", a, b),
    ],
)
def test_an_operand_that_no_gradient_reads_is_let_go(make, side):
    """The gradient of one operand reads the other only."""
    assert kept(make, [side == 0, side == 1]) == 1
    assert kept(make, [True, True]) == 2


def test_a_bias_is_let_go():
    def make(x, w, bias):
        return kael.linear(x, w, bias[0])

    assert kept(make, [False, False, True]) == 0
    assert kept(make, [False, True, True]) == 1
    assert kept(make, [True, True, True]) == 2


@pytest.mark.parametrize(
    "shapes", [((3,), (3,)), ((3,), (3, 2)), ((2, 3), (3,)), ((2, 1, 2, 3), (4, 3, 2))]
)
def test_gradient_of_either_operand_alone(shapes):
    a, b = leaf(*shapes[0]), leaf(*shapes[1], seed=1)
    assert gradcheck(lambda a: kael.matmul(a, b.detach()), a)
    assert gradcheck(lambda b: kael.matmul(a.detach(), b), b)


def test_an_operand_changed_in_place_is_noticed():
    x, w = kael.ones(2, 3), kael.ones(3, 2, requires_grad=True)
    y = (x @ w).sum()
    x += 1
    with pytest.raises(RuntimeError, match="modified by an in-place operation"):
        y.backward()


# ---- BLAS ----


def test_multiply_takes_blas_where_it_was_built_in():
    """Close to v1, since only its order differs; sizes beyond 32 bits go to kael's own rungs."""
    for dtype in ("float32", "float64"):
        values = np.random.default_rng(0).standard_normal((3, 60, 60)).astype(dtype)
        a, b, out = (
            values[0, :40],
            np.ascontiguousarray(values[1, :, :50]),
            values[2, :40, :50].copy(),
        )
        expected = out + a.astype("float64") @ b.astype("float64")
        ladder.multiply(*tensors(a, b, out))
        assert np.allclose(out, expected, rtol=0, atol=60 * 16 * np.finfo(dtype).eps)
    huge, out = 2**31 + 5, kael.zeros(0, 0)
    ladder.multiply(kael.empty(0, huge), kael.empty(huge, 0), out)
    with pytest.raises((ValueError, IndexError)):
        ladder.multiply(kael.ones(()), kael.ones(()), out)


@pytest.mark.skipif(not ladder.blas_available(), reason="of a build with BLAS")
def test_blas_adds_to_out_and_refuses_what_it_cannot_take():
    for shape in [(7, 5, 3), (1, 1, 1), (3, 0, 4), (0, 3, 4)]:
        rows, inner, columns = shape
        a, b, out = kael.ones(rows, inner), kael.ones(inner, columns), kael.ones(rows, columns)
        ladder.blas(a, b, out)
        assert bits_equal(out, kael.full((rows, columns), inner + 1.0))
    huge = 2**31 + 5
    with pytest.raises(OverflowError, match=re.escape("blas: sizes are limited to 2**31 - 1")):
        ladder.blas(kael.empty(0, huge), kael.empty(huge, 0), kael.zeros(0, 0))
    with pytest.raises(TypeError, match="blas: dtype must be float32 or float64, got int64"):
        ladder.blas(*[kael.ones(2, 2, dtype=kael.int64)] * 3)
    with pytest.raises(ValueError, match="blas: out shares memory"):
        ladder.blas(*[kael.ones(2, 2)] * 3)
    assert kael.show_config("dict")["BLAS"] == {"used": True, "bits promised": False}
