"""Matrix products: one arithmetic (numerics R2) on every path; v1_ijk is the oracle, by bits."""

import re
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from conftest import THREAD_COUNTS, bits_equal, in_use_bytes, spread

import kael
from kael import matmul_versions as ladder
from kael.testing import gradcheck

FLOATS = ["float32", "float64"]
RUNGS = ["v1_ijk", "v2_ikj", "v3_tiled", "v4_packed", "v5_simd", "v6_threaded"]
# Edges of tiles, of panels and of inner blocks; of vectors in either role.
SHAPES = [
    (1, 1, 1),
    (7, 1, 13),
    (65, 257, 31),
    (14, 32, 32),
    (15, 33, 33),
    (29, 511, 17),
    (6, 512, 48),
    (13, 513, 50),
    (3, 1024, 129),
    (2, 1025, 7),
    (43, 40, 1030),
    (100, 30, 1),
    (1, 70, 300),
]
LAYOUTS = {
    "plain": lambda x: x,
    "transposed": lambda x: np.asfortranarray(x),
    "sliced": lambda x: np.repeat(np.repeat(x, 2, 0), 3, 1)[::2, ::3],
    "negative": lambda x: np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
    "misaligned": lambda x: np.frombuffer(
        b"\0" + np.ascontiguousarray(x).tobytes(), x.dtype, x.size, 1
    ).reshape(x.shape),
}


def as_tensor(array):
    return kael.from_numpy(array)


def oracle(a, b, out=None):
    """out + a @ b by v1_ijk on the portable instruction set; NumPy arrays in and out."""
    out = np.zeros((a.shape[0], b.shape[1]), a.dtype) if out is None else out.copy()
    with kael.isa("generic"), kael.num_threads(1):
        ladder.v1_ijk(*(as_tensor(np.ascontiguousarray(x)) for x in (a, b)), as_tensor(out))
    return out


def operands(rows, inner, columns, dtype, seed=0):
    return spread((rows, inner), dtype, seed), spread((inner, columns), dtype, seed + 1)


def product(a, b):
    return np.asarray(kael.matmul(as_tensor(a), as_tensor(b)))


# ---- The arithmetic ----


def test_v1_adds_blocks_of_512_by_fma():
    a, b = operands(2, 1100, 3, "float64")
    out = spread((2, 3), "float64", 5)
    expected = out.copy()
    for i, j in np.ndindex(out.shape):
        for first in range(0, 1100, 512):
            acc = 0.0
            for k in range(first, min(first + 512, 1100)):
                acc = float(Fraction(a[i, k]) * Fraction(b[k, j]) + Fraction(acc))
            expected[i, j] += acc
    assert bits_equal(oracle(a, b, out), expected)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_matmul_versions_shapes(shape, dtype, every_isa):
    a, b = operands(*shape, dtype)
    out = spread((shape[0], shape[2]), dtype, 2)
    expected = oracle(a, b, out)
    for name in [*RUNGS, *([] if ladder.blas_available() else ["multiply"])]:
        result = out.copy()
        getattr(ladder, name)(as_tensor(a), as_tensor(b), as_tensor(result))
        assert bits_equal(result, expected), name
    assert bits_equal(product(a, b), oracle(a, b))


@pytest.mark.parametrize("dtype", FLOATS)
def test_random_shapes_and_layouts(dtype, every_isa):
    generator = np.random.default_rng(7)
    layouts = list(LAYOUTS.values())
    for case in range(150):
        rows, columns = generator.integers(1, 70, 2)
        inner = generator.choice([1, 2, 5, 16, 31, 64, 100, 511, 512, 513])
        if inner > 100:
            rows, columns = rows % 20 + 1, columns % 20 + 1
        a, b = operands(rows, inner, columns, dtype, case)
        lay_a, lay_b = generator.choice(len(layouts), 2)
        found = product(layouts[lay_a](a), layouts[lay_b](b))
        assert bits_equal(found, oracle(a, b)), (rows, inner, columns, lay_a, lay_b)


@pytest.mark.parametrize("layout_b", LAYOUTS)
@pytest.mark.parametrize("layout_a", LAYOUTS)
def test_layouts_of_a_packed_product(layout_a, layout_b, every_isa):
    a, b = operands(61, 70, 1100, "float32")
    found = product(LAYOUTS[layout_a](a), LAYOUTS[layout_b](b))
    assert bits_equal(found, packed_reference())


def packed_reference(cache={}):  # noqa: B006 - one oracle for 25 layouts and every set
    if not cache:
        cache[0] = oracle(*operands(61, 70, 1100, "float32"))
    return cache[0]


def test_broadcast_strides_of_zero(every_isa):
    row, column = spread((1, 30), "float32"), spread((30, 1), "float32", 1)
    a, b = np.broadcast_to(row, (20, 30)), np.broadcast_to(column, (30, 40))
    assert bits_equal(product(a, b), oracle(a, b))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("inner", [10, 128, 512, 513, 784, 1024])
def test_a_row_is_the_same_alone_and_in_any_batch(inner, dtype, every_isa):
    """pytorch#136338, tensorflow#11610: other bits for a sentence alone than in a batch."""
    a, b = operands(32, inner, 26, dtype)
    whole = product(a, b)
    assert bits_equal(product(a, np.asfortranarray(b)), whole)
    for size in (1, 2, 3, 4, 5, 8, 26):
        pieces = [product(a[i : i + size], b) for i in range(0, 32, size)]
        assert bits_equal(np.concatenate(pieces), whole), size
    assert bits_equal(np.stack([product(row, b) for row in a]), whole)
    assert bits_equal(np.stack([product(a, b[:, j]) for j in range(26)], 1), whole)


# ---- Threads ----


@pytest.mark.parametrize("shape", [(150, 140, 300), (40, 520, 410), (1000, 66, 64), (9, 600, 900)])
def test_thread_partition_matches_the_single_thread_result_exactly(shape):
    a, b = map(as_tensor, operands(*shape, "float32"))
    start = spread((shape[0], shape[2]), "float32", 3)
    results = []
    for count in THREAD_COUNTS:
        with kael.num_threads(count):
            rung = start.copy()
            ladder.v6_threaded(a, b, as_tensor(rung))
            transposed = kael.matmul(b.T, a.T).T
            results.append((rung, np.asarray(kael.matmul(a, b)), np.asarray(transposed)))
    for found in results:
        assert all(map(bits_equal, found, results[0]))
    assert bits_equal(results[0][1], results[0][2])


def test_thread_partition_of_a_ragged_product():
    shape = (129, 513, 41) if kael.get_isa() == "generic" else (387, 513, 410)
    a, b = operands(*shape, "float32")
    with kael.num_threads(4):
        found = product(a, b)
    assert bits_equal(found, oracle(a, b))


def test_concurrent_callers_get_the_same_bits(four_threads):
    a, b = operands(130, 140, 150, "float32")
    expected = product(a, b)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: product(a, b), range(12)):
            assert bits_equal(found, expected)


# ---- Non-finite values and old memory ----


@pytest.mark.parametrize("shape", [(1, 1, 1), (7, 1, 13), (65, 257, 31), (50, 20, 1100)], ids=str)
def test_infinity_times_zero_reaches_exactly_its_row(shape, every_isa):
    """lapack#1077, OpenBLAS#929: products by zero skipped, or NaN on edge tiles only."""
    rows, inner, _ = shape
    a, b = operands(*shape, "float32")
    b[inner // 2, :] = 0
    a[rows // 2, inner // 2] = np.inf
    found = product(a, b)
    assert np.isnan(found[rows // 2]).all()
    assert not np.isnan(np.delete(found, rows // 2, 0)).any()
    assert bits_equal(found, oracle(a, b))


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values_everywhere(dtype, every_isa):
    tiny = np.finfo(dtype).smallest_subnormal
    specials = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, tiny, -tiny, 3 * tiny, 1], dtype)
    generator = np.random.default_rng(3)
    for rows, inner, columns in [(9, 5, 40), (33, 3, 17), (2, 600, 3)]:
        a, b = operands(rows, inner, columns, dtype)
        for x in (a, b):
            at = generator.random(x.shape) < 0.1
            x[at] = generator.choice(specials, at.sum())
        assert bits_equal(product(a, b), oracle(a, b))
        assert bits_equal(product(a, np.asfortranarray(b)), oracle(a, b))


@pytest.mark.parametrize("columns", [1, 3, 40])
def test_a_product_that_underflows_to_minus_zero_is_zero(columns, every_isa):
    a, b = np.full((5, 1), -1e-30, "float32"), np.full((1, columns), 1e-30, "float32")
    assert bits_equal(product(a, b), np.zeros((5, columns), "float32"))


@pytest.mark.parametrize("shape", [(1, 1, 1), (7, 1, 13), (65, 257, 31), (4, 0, 5), (0, 4, 5)])
def test_old_memory_never_reaches_a_result(shape, every_isa):
    """rten#81, cupy#1231: what the cache hands out may hold NaN."""
    rows, _, columns = shape
    a, b = operands(*shape, "float64")
    expected = oracle(a, b)
    for _ in range(3):
        dirty = [kael.full((rows, columns), float("nan"), dtype=kael.float64) for _ in range(4)]
        scratch = kael.full((1 << 16,), float("nan"), dtype=kael.float64)
        del dirty, scratch
        assert bits_equal(product(a, b), expected)


# ---- Empty, huge, integers ----


def test_inner_size_zero_gives_zeros(every_isa):
    """tvm#19578, pytorch#31421."""
    assert bits_equal(product(np.ones((4, 0)), np.ones((0, 5))), np.zeros((4, 5)))
    assert bits_equal(product(np.ones((3, 2, 0)), np.ones((3, 0, 3))), np.zeros((3, 2, 3)))
    assert product(np.ones((0, 3), "int32"), np.ones((3, 2), "int32")).shape == (0, 2)
    assert bits_equal(
        product(np.ones((4, 0), "int64"), np.ones((0, 5), "int64")), np.zeros((4, 5), "int64")
    )
    linear = kael.linear(kael.ones(2, 0), kael.ones(3, 0), kael.tensor([1.0, 2.0, 3.0]))
    assert linear.tolist() == [[1.0, 2.0, 3.0]] * 2


@pytest.mark.parametrize("name", [*RUNGS, "multiply"])
@pytest.mark.parametrize("shape", [(0, 3, 4), (3, 0, 4), (3, 4, 0)])
def test_zero_sizes_leave_output_untouched(name, shape):
    rows, _, columns = shape
    out = spread((rows, columns), "float32")
    before = out.copy()
    a, b = operands(*shape, "float32")
    getattr(ladder, name)(as_tensor(a), as_tensor(b), as_tensor(out))
    assert bits_equal(out, before)


def test_sizes_beyond_32_bits():
    """numpy#5533: sizes cut to 32 bits."""
    huge = 2**31 + 5
    assert kael.matmul(kael.empty(0, huge), kael.empty(huge, 0)).shape == (0, 0)
    out = kael.zeros(0, 0)
    ladder.v6_threaded(kael.empty(0, huge), kael.empty(huge, 0), out)
    ladder.multiply(kael.empty(0, huge), kael.empty(huge, 0), out)


@pytest.mark.parametrize("rows", [1, 4, 5, 15, 31, 33, 70, 600])
@pytest.mark.parametrize("columns", [1, 3, 16, 70])
def test_sums_of_nothing_whatever_the_shape_and_the_strides(rows, columns, every_isa):
    """The way is chosen by the bytes of a panel of b, of which there are none."""
    for flip in (False, True):
        a, b = kael.empty(rows, 0), kael.empty(columns, 0)
        if flip:
            a, b = kael.empty(0, rows).T, kael.from_numpy(np.empty((0, columns), "f4")).T
        for x in (a, a.detach().requires_grad_()):
            zeros = kael.zeros(rows, columns)
            assert bits_equal((x @ b.T).detach(), zeros)
            assert bits_equal((b @ x.T).detach(), zeros.T.contiguous())
            assert bits_equal(kael.linear(x, b).detach(), zeros)
            assert bits_equal(kael.linear(x, b, kael.ones(columns)).detach(), zeros + 1)
            active = kael.linear(x, b, kael.ones(columns), activation="relu")
            assert bits_equal(active.detach(), zeros + 1)
        many = a.reshape(1, rows, 0).expand(3, rows, 0)
        assert bits_equal(many @ b.T, kael.zeros(3, rows, columns))
        whole = kael.zeros(rows, 0, dtype=kael.int64) @ kael.zeros(columns, 0, dtype=kael.int64).T
        assert bits_equal(whole, kael.zeros(rows, columns, dtype=kael.int64))
        assert ladder.way(a, b.T) in ("direct", "stream", "turned", "panels", "packed")


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_large_integer_matrix_still_uses_exact_arithmetic(dtype, every_isa):
    """Rounding through a float kernel is the known bug."""
    for rows, inner, columns in [(1, 1, 1), (5, 9, 70), (37, 130, 66)]:
        a, b = operands(rows, inner, columns, dtype)
        with np.errstate(over="ignore"):
            expected = a @ b
        for lay in LAYOUTS.values():
            assert bits_equal(product(lay(a), lay(b)), expected)
        out = np.ones_like(expected)
        ladder.multiply_exact(as_tensor(a), as_tensor(b), as_tensor(out))
        assert bits_equal(out, expected + np.ones_like(expected))
        assert bits_equal(product(a[0], b[:, 0]), expected[0, 0].reshape(()))


def test_integers_wrap_and_keep_every_bit():
    big = kael.tensor([[2**62, 2**62]])
    assert kael.matmul(big, kael.tensor([[2], [2]])).tolist() == [[0]]
    assert kael.matmul(kael.tensor([[2**53 + 1]]), kael.tensor([[1]])).tolist() == [[2**53 + 1]]


# ---- Batches, vectors, linear ----


@pytest.mark.parametrize(
    ("a_shape", "b_shape"),
    [
        ((4, 5, 6), (4, 6, 7)),
        ((4, 5, 6), (6, 7)),
        ((5, 6), (4, 6, 7)),
        ((2, 1, 5, 6), (3, 6, 7)),
        ((3, 1, 6), (6, 7)),
        ((6,), (4, 6, 7)),
        ((4, 5, 6), (6,)),
        ((2, 3, 30, 40), (40, 50)),
        ((0, 3, 4), (4, 5)),
    ],
    ids=str,
)
def test_batches_broadcast_like_numpy(a_shape, b_shape, every_isa):
    a, b = spread(a_shape, "float64"), spread(b_shape, "float64", 1)
    found = product(a, b)
    assert found.shape == (a @ b).shape
    if a.ndim == 1 or b.ndim == 1:
        assert bits_equal(
            found, product(np.atleast_2d(a), b if b.ndim > 1 else b[:, None]).reshape(found.shape)
        )
        return
    batch = found.shape[:-2]
    wide_a, wide_b = (np.broadcast_to(x, batch + x.shape[-2:]) for x in (a, b))
    for index in np.ndindex(batch):
        assert bits_equal(found[index], oracle(wide_a[index], wide_b[index]))


@pytest.mark.parametrize("count", THREAD_COUNTS)
def test_batches_do_not_depend_on_threads(count):
    a, b = spread((12, 70, 60), "float32"), spread((12, 60, 50), "float32", 1)
    with kael.num_threads(count):
        found = product(a, b)
        permuted = product(np.ascontiguousarray(a.transpose(1, 0, 2)).transpose(1, 0, 2), b)
    assert bits_equal(found, np.stack([product(x, y) for x, y in zip(a, b, strict=True)]))
    assert bits_equal(permuted, found)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(1, 3, 2), (64, 784, 128), (64, 128, 10), (5, 513, 40)], ids=str)
def test_linear_is_matmul_followed_by_add(shape, dtype, every_isa):
    rows, inner, columns = shape
    x, weight = spread((rows, inner), dtype), spread((columns, inner), dtype, 1)
    bias = spread((columns,), dtype, 2)
    x, weight, bias = map(as_tensor, (x, weight, bias))
    expected = kael.matmul(x, weight.T)
    assert bits_equal(kael.linear(x, weight), expected)
    assert bits_equal(kael.linear(x, weight, bias), expected + bias)
    assert bits_equal(kael.linear(x.reshape(1, rows, inner), weight, bias)[0], expected + bias)
    assert bits_equal(kael.linear(x[0], weight, bias), (expected + bias)[0])


def test_linear_with_a_strided_bias():
    x, weight, bias = kael.ones(2, 3), kael.ones(4, 3), kael.arange(8.0)[::2]
    assert kael.linear(x, weight, bias).tolist() == [[3.0, 5.0, 7.0, 9.0]] * 2


def test_dot_is_the_fold_of_products_in_double():
    a, b = spread((40000,), "float32"), spread((40000,), "float32", 1)
    expected = kael.sum(as_tensor(a.astype("float64") * b.astype("float64"))).item()
    found = kael.matmul(as_tensor(a), as_tensor(b))
    assert found.shape == ()
    assert bits_equal(found, np.float32(expected).reshape(()))
    assert bits_equal(
        kael.dot(as_tensor(a[::-1]), as_tensor(b[::-1])), product(a[::-1].copy(), b[::-1].copy())
    )


def test_mm_bmm_mv_outer_and_addmm_are_products():
    a, b = kael.arange(6.0).reshape(2, 3), kael.arange(6.0).reshape(3, 2)
    plain = (np.asarray(a) @ np.asarray(b)).tolist()
    assert kael.mm(a, b).tolist() == kael.bmm(a[None], b[None])[0].tolist() == plain
    assert kael.mv(a, b[:, 0]).tolist() == [row[0] for row in plain]
    assert kael.outer(a[0], b[:, 1]).tolist() == np.outer(a[0], b[:, 1]).tolist()
    added = np.asarray(plain) * 2 + np.asarray([1.0, 2.0]) * 3
    assert kael.addmm(kael.tensor([1.0, 2.0]), a, b, beta=3, alpha=2).tolist() == added.tolist()
    assert kael.addmm(kael.tensor([float("nan")]), a, b, beta=0).tolist() == plain


# ---- Gradients ----


def leaf(*shape, seed=0):
    values = np.random.default_rng(seed).uniform(-1, 1, shape)
    return kael.tensor(values, dtype=kael.float64, requires_grad=True)


@pytest.mark.parametrize(
    ("a_shape", "b_shape"),
    [
        ((2, 3), (3, 4)),
        ((3,), (3,)),
        ((3,), (3, 4)),
        ((2, 3), (3,)),
        ((2, 3), (5, 3, 2)),
        ((5, 2, 3), (3, 2)),
        ((2, 1, 2, 3), (3, 3, 2)),
        ((5, 2, 3), (3,)),
        ((3,), (2, 3, 2)),
    ],
    ids=str,
)
def test_gradient_of_matmul(a_shape, b_shape):
    assert gradcheck(kael.matmul, (leaf(*a_shape), leaf(*b_shape, seed=1)))


@pytest.mark.parametrize("x_shape", [(4, 3), (3,), (2, 4, 3)], ids=str)
def test_gradient_of_linear(x_shape):
    inputs = (leaf(*x_shape), leaf(2, 3, seed=1), leaf(2, seed=2))
    assert gradcheck(kael.linear, inputs)
    assert gradcheck(kael.linear, inputs[:2])


def test_gradient_of_named_products():
    assert gradcheck(kael.outer, (leaf(3), leaf(2, seed=1)))
    assert gradcheck(kael.bmm, (leaf(2, 3, 2), leaf(2, 2, 3, seed=1)))
    inputs = (leaf(2), leaf(3, 4, seed=1), leaf(4, 2, seed=2))
    assert gradcheck(lambda *x: kael.addmm(*x, beta=2, alpha=3), inputs)


def test_gradient_only_where_it_is_wanted():
    x, weight = kael.ones(2, 3), kael.ones(4, 3, requires_grad=True)
    kael.linear(x, weight).sum().backward()
    assert x.grad is None
    assert weight.grad.tolist() == [[2.0] * 3] * 4


# ---- out= ----


@pytest.mark.parametrize("layout", ["plain", "transposed", "sliced", "negative"])
def test_out_of_any_layout(layout, every_isa):
    a, b = operands(20, 30, 25, "float32")
    place = LAYOUTS[layout](np.full((20, 25), np.nan, "float32"))
    out = as_tensor(place)
    assert kael.matmul(as_tensor(a), as_tensor(b), out=out) is out
    assert bits_equal(place, oracle(a, b))


def test_out_of_a_batch_and_of_a_dot():
    a, b = spread((3, 4, 5), "float64"), spread((5, 6), "float64", 1)
    out = kael.zeros(3, 4, 6, dtype=kael.float64)
    kael.matmul(as_tensor(a), as_tensor(b), out=out)
    assert bits_equal(out, product(a, b))
    scalar = kael.zeros((), dtype=kael.float64)
    kael.matmul(as_tensor(a[0, 0]), as_tensor(b[:, 0]), out=scalar)
    assert bits_equal(scalar, product(a[0, 0], b[:, 0]))


def read_only(shape):
    array = np.zeros(shape, "float32")
    array.flags.writeable = False
    return as_tensor(array)


@pytest.mark.parametrize(
    ("out", "error", "text"),
    [
        (lambda a: kael.zeros(3, 3), ValueError, r"out has shape \(3, 3\), expected \(2, 2\)"),
        (lambda a: kael.zeros(2, 2, dtype=kael.float64), TypeError, "out is float64"),
        (lambda a: read_only((2, 2)), RuntimeError, "read-only"),
        (lambda a: a, ValueError, "shares memory"),
        (lambda a: a.T, ValueError, "shares memory"),
        (lambda a: kael.zeros(2, 1).expand(2, 2), RuntimeError, "matmul"),
    ],
)
def test_a_wrong_out_is_refused_before_anything_is_written(out, error, text):
    a = kael.tensor([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(error, match=text):
        kael.matmul(a, a, out=out(a))
    assert a.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_out_and_gradients_do_not_mix():
    a = kael.ones(2, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="out="):
        kael.matmul(a, a, out=kael.zeros(2, 2))


# ---- Bad input ----


@pytest.mark.parametrize(
    ("a_shape", "b_shape", "text"),
    [
        ((3, 4), (5, 6), "matmul: inner sizes differ: (3, 4) @ (5, 6)"),
        ((4,), (5,), "matmul: inner sizes differ: (4,) @ (5,)"),
        ((2, 3, 4), (3, 4, 5), "matmul: batch sizes do not broadcast: (2, 3, 4) @ (3, 4, 5)"),
        ((), (2, 2), "matmul: operands need at least 1 dim: () @ (2, 2)"),
    ],
)
def test_shapes_that_do_not_fit(a_shape, b_shape, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        kael.matmul(kael.ones(a_shape), kael.ones(b_shape))


def test_dtypes_that_do_not_fit():
    with pytest.raises(TypeError, match="matmul: dtypes differ: float32 @ int64"):
        kael.matmul(kael.ones(2, 2), kael.ones(2, 2, dtype=kael.int64))
    with pytest.raises(TypeError, match="not defined for bool"):
        kael.matmul(*[kael.ones(2, 2, dtype=kael.bool_)] * 2)
    with pytest.raises(TypeError, match="linear: dtypes differ: float32, float64"):
        kael.linear(kael.ones(2, 2), kael.ones(2, 2, dtype=kael.float64))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: kael.linear(kael.ones(2, 3), kael.ones(4, 5)), r"x \(2, 3\) .* weight \(4, 5\)"),
        (lambda: kael.linear(kael.ones(2, 3), kael.ones(4, 3), kael.ones(3)), r"bias \(3,\)"),
        (lambda: kael.mm(kael.ones(2, 3, 4), kael.ones(4, 5)), "mm: operands must be 2-D and 2-D"),
        (lambda: kael.bmm(kael.ones(2, 3, 4), kael.ones(3, 4, 5)), "bmm: batch sizes differ"),
        (lambda: kael.dot(kael.ones(2, 3), kael.ones(3)), "dot: operands must be 1-D and 1-D"),
        (lambda: ladder.v5_simd(*[kael.ones(2, 2).T] * 3), "contiguous"),
        (lambda: ladder.v1_ijk(*[kael.ones(2, 3)] * 3), "inner sizes differ"),
    ],
)
def test_misfits_of_other_products(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_multiply_takes_tensors():
    with pytest.raises(TypeError, match="multiply: operand 2 must be a Tensor, got list"):
        ladder.multiply(kael.ones(1, 1), [[1.0]], kael.ones(1, 1))


def test_versions_take_floats_and_multiply_exact_takes_integers():
    floats, integers = [kael.ones(2, 2)] * 3, [kael.ones(2, 2, dtype=kael.int64)] * 3
    booleans = [kael.ones(2, 2, dtype=kael.bool_)] * 3
    with pytest.raises(TypeError, match="v6_threaded: dtype must be float32 or float64"):
        ladder.v6_threaded(*integers)
    with pytest.raises(TypeError, match="multiply_exact"):
        ladder.multiply_exact(*floats)
    with pytest.raises(TypeError, match="multiply_exact: not defined for bool"):
        ladder.multiply_exact(*booleans)


def test_failing_calls_leak_nothing():
    a, b = kael.ones(3, 4), kael.ones(5, 6)
    before = in_use_bytes()
    for _ in range(1000):
        with pytest.raises(ValueError, match="inner sizes"):
            kael.matmul(a, b)
    assert kael.allocator_stats().in_use_bytes == before


# ---- The build ----


def test_blas_is_there_only_where_it_was_built_in():
    a = kael.ones(3, 3)
    out = kael.zeros(3, 3)
    if ladder.blas_available():
        ladder.blas(a, a, out)
        assert out.tolist() == [[3.0] * 3] * 3
    else:
        with pytest.raises(
            RuntimeError, match="kael was built without BLAS; configure with KAEL_USE_BLAS=1"
        ):
            ladder.blas(a, a, out)


@pytest.mark.parametrize("sizes", [(0, 3), (3, 0)])
def test_gradients_of_a_linear_layer_without_inputs_or_outputs(sizes):
    weight = kael.zeros(*sizes, requires_grad=True)
    x = kael.ones(2, 4, sizes[1], requires_grad=True)
    kael.linear(x, weight).sum().backward()
    assert weight.grad.shape == sizes
    assert x.grad.tolist() == kael.zeros(2, 4, sizes[1]).tolist()
