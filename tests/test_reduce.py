"""Reductions: R3's fold against a literal one in NumPy, exact extremes, meaning, errors, gradients.

Bits are compared over instruction sets, thread counts and layouts, on exponents spread over +-50:
float32 values of one magnitude add exactly in double, which would prove nothing.
"""

import itertools
import math
import weakref

import numpy as np
import pytest
from conftest import THREAD_COUNTS, at_offset, bits_equal, spread

import kael
from kael.testing import gradcheck

BLOCK, LANES = 16384, 32
SUMS = ("sum", "mean", "var", "std", "norm1", "norm2", "prod")
EXTREMES = ("amax", "amin", "argmax", "argmin")
EDGES = (0, 1, 2, 31, 32, 33, 1000, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5)


# --- the slow twin -------------------------------------------------------------------------------


def fold(values, combine=np.add, identity=0.0):
    """R3, literally: lanes, halving, pairwise tree. `values` [size, outputs] in the accumulator."""
    partials = []
    for start in range(0, max(len(values), 1), BLOCK):
        lanes = np.full((LANES, *values.shape[1:]), identity, values.dtype)
        for i in range(start, min(start + BLOCK, len(values)), LANES):
            part = values[i : min(i + LANES, start + BLOCK)]
            lanes[: len(part)] = combine(lanes[: len(part)], part)
        while len(lanes) > 1:
            half = len(lanes) // 2
            lanes = combine(lanes[:half], lanes[half:])
        partials.append(lanes[0])
    while len(partials) > 1:
        pairs = [combine(a, b) for a, b in zip(partials[::2], partials[1::2], strict=False)]
        partials = pairs + partials[len(pairs) * 2 :]
    return partials[0]


@np.errstate(all="ignore")
def twin(name, array, dim=None):
    """What the reduction must give, bit for bit."""
    dims = tuple(range(array.ndim)) if dim is None else dim if isinstance(dim, tuple) else (dim,)
    kept = [d for d in range(array.ndim) if d not in dims]
    matrix = array.transpose([*dims, *kept])
    shape = matrix.shape[len(dims) :]
    matrix = matrix.reshape(int(np.prod(matrix.shape[: len(dims)])), int(np.prod(shape)))
    wide = matrix.astype(np.float64)
    size = len(wide)
    if name in ("argmax", "argmin"):
        return getattr(matrix, name)(0).reshape(shape)
    if name in ("amax", "amin"):
        return getattr(matrix, name[1:])(0).reshape(shape)
    if name in ("sum", "mean"):
        out = fold(wide) / (size if name == "mean" else 1)
    elif name == "prod":
        out = fold(wide, np.multiply, 1.0)
    elif name in ("norm1", "norm2"):
        out = fold(np.abs(wide)) if name == "norm1" else np.sqrt(fold(wide * wide))
    else:
        deviations = wide - fold(wide) / size
        out = fold(deviations * deviations) / max(0, size - 1)
        out = np.sqrt(out) if name == "std" else out
    return out.astype(array.dtype).reshape(shape)


def call(name, x, dim=None):
    if name in ("norm1", "norm2"):
        return kael.norm(x, int(name[4]), dim)
    return getattr(kael, name)(x, dim)


def same(name, array, dim=None):
    return bits_equal(call(name, kael.from_numpy(array), dim), twin(name, array, dim))


def layouts(shape, dtype, seed=0):
    """The same values contiguous, transposed, sliced, reversed, and at an odd address."""
    values = spread(shape, dtype, seed)
    yield values
    yield np.asfortranarray(values)
    stepped = np.zeros([2 * n for n in shape], dtype)[tuple(slice(None, None, 2) for _ in shape)]
    stepped[...] = values
    yield stepped
    flipped = tuple(slice(None, None, -1) for _ in shape)
    yield np.ascontiguousarray(values[flipped])[flipped]
    shifted = np.zeros(values.size + 1, dtype)[1:].reshape(shape)
    shifted[...] = values
    yield shifted


# --- bits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SUMS)
def test_every_size_up_to_70_has_the_bits_of_the_twin(name, every_isa):
    for dtype in ("float32", "float64"):
        values = spread(70, dtype)
        assert all(same(name, values[70 - n :]) for n in range(71))


@pytest.mark.parametrize("name", SUMS)
def test_sizes_around_a_block_have_the_bits_of_the_twin(name, every_isa):
    for dtype in ("float32", "float64"):
        assert all(same(name, spread(n, dtype, n)) for n in EDGES)


@pytest.mark.parametrize("name", ("sum", "var", "norm2"))
def test_a_million_elements_have_the_bits_of_the_twin(name):
    array = spread(1_000_003)
    assert same(name, array)


SHAPES = [
    ((5, 70), 0), ((5, 70), 1), ((70, 5), 0), ((300, 3), 0), ((129, 70), 0), ((200, 67), 1),
    ((4, 100, 6), 1), ((4, 100, 6), (0, 2)), ((4, 100, 6), (0, 1)), ((3, 4, 5, 6), (1, 3)),
    ((3, 4, 5, 6), (0, 2)), ((3, 1, 5), 1), ((33, 2, 2), (0, 2)), ((2, 65), None),
]  # fmt: skip


@pytest.mark.parametrize("name", SUMS + EXTREMES)
@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_layout_and_dims_never_show_in_the_bits(name, dtype, every_isa):
    for shape, dim in SHAPES:
        if isinstance(dim, tuple) and name.startswith("arg"):
            continue
        want = twin(name, spread(shape, dtype), dim)
        for array in layouts(shape, dtype):
            assert bits_equal(call(name, kael.from_numpy(array), dim), want), (shape, dim)


@pytest.mark.parametrize("name", ("sum", "std", "amax", "argmax"))
def test_long_columns_have_the_bits_of_the_twin(name, every_isa):
    for shape in ((BLOCK + 37, 3), (2 * BLOCK + 1, 67)):
        array = spread(shape)
        want = twin(name, array, 0)
        assert bits_equal(call(name, kael.from_numpy(array), 0), want)
        assert bits_equal(call(name, kael.from_numpy(np.asfortranarray(array)), 0), want)


@pytest.mark.parametrize("name", ("sum", "var", "amax", "argmin"))
def test_blocks_that_are_staged_together_have_the_bits_of_the_twin(name, every_isa):
    for shape in ((700, 300), (50, 5003), (5003, 50), (33, 40, 50), (3, 70_000)):
        array = spread(shape)
        want = twin(name, array)
        for order in ("F", "A"):
            x = kael.from_numpy(np.array(array, order=order))
            for count in (1, 3):
                with kael.num_threads(count):
                    assert bits_equal(call(name, x), want)
        moved = np.ascontiguousarray(np.moveaxis(array, -1, 0))
        assert bits_equal(call(name, kael.from_numpy(np.moveaxis(moved, 0, -1))), want)


@pytest.mark.parametrize("name", SUMS + EXTREMES)
def test_rows_of_every_short_size_have_the_bits_of_the_twin(name, every_isa):
    for size in range(1, 50):
        array = spread((70, size), seed=size)
        want = twin(name, array, 1)
        for layout in list(layouts((70, size), "float32", size))[:4]:
            assert bits_equal(call(name, kael.from_numpy(layout), 1), want), size


FEW = ("sum", "mean", "norm1", "norm2", "prod", "amax", "amin")


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_columns_of_few_elements_have_the_bits_of_the_twin(name, dtype, every_isa):
    """Every walk over lanes in registers, and widths that fill vectors and pieces or do not."""
    widths = (1, 2, 3, 4, 7, 15, 16, 17, 32, 33, 63, 100, 255, 256, 257, 300)
    for rows in (*range(1, 36), 63, 64, 65, 96, 127, 128, 129, 161):
        for width in (widths[rows % 16], widths[(5 * rows + 3) % 16]):
            array = spread((3, rows, width), dtype, rows)
            array[1, ::2] = -0.0
            x = kael.from_numpy(array)
            assert bits_equal(call(name, x, 1), twin(name, array, 1)), (rows, width)
            padded = np.zeros((3, rows, width + 5), dtype)
            padded[:, :, 2:-3] = array
            view = kael.from_numpy(padded)[:, :, 2:-3]
            assert bits_equal(call(name, view, 1), twin(name, array, 1)), (rows, width)


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_short_rows_of_any_number_have_the_bits_of_the_twin(name, dtype, every_isa):
    """Rows that fill a vector of results or do not, close together and apart."""
    for size in (*range(1, 41), 63, 64, 65, 127, 128, 129, 511, 512, 513):
        for rows in (1 + size % 5, 8 + size % 11, 33):
            array = spread((rows, size + 3), dtype, size)[:, 1:-2]
            array[::3] = -0.0
            want = twin(name, array, 1)
            assert bits_equal(call(name, kael.from_numpy(array), 1), want), (rows, size)
            whole = kael.from_numpy(np.ascontiguousarray(array))
            assert bits_equal(call(name, whole, 1), want), (rows, size)


def test_nan_wins_among_few_elements(every_isa):
    for shape, dim in (((5, 37), 0), ((37, 5), 1), ((37, 33), 1), ((2, 3, 40), 1)):
        array = spread(shape)
        array.reshape(-1)[::7] = np.nan
        for name in ("amax", "amin", "sum", "prod"):
            assert bits_equal(call(name, kael.from_numpy(array), dim), twin(name, array, dim))


def test_zeros_keep_their_signs_among_few_elements(every_isa):
    for shape, dim in (((3, 70), 0), ((33, 70), 0), ((130, 70), 0), ((70, 3), 1), ((70, 40), 1)):
        found = np.asarray(kael.from_numpy(np.full(shape, -0.0, "f4")).sum(dim))
        assert not np.signbit(found).any(), shape
        zeros = np.where(spread(shape) > 0, 0.0, -0.0).astype("f4")
        x, negative = kael.from_numpy(zeros), np.signbit(zeros)
        assert (np.signbit(np.asarray(kael.amax(x, dim))) == negative.all(dim)).all(), shape
        assert (np.signbit(np.asarray(kael.amin(x, dim))) == negative.any(dim)).all(), shape


@pytest.mark.parametrize("dtype", ("bool", "uint8", "int32", "int64"))
def test_integers_of_few_elements_are_exact(dtype, every_isa):
    for rows in (*range(1, 12), 33):
        for width in (1, 5, 64, 511, 513):
            array = spread((2, rows, width), dtype, rows)
            for x, dim in (
                (kael.from_numpy(array), 1),
                (kael.from_numpy(array).mT.contiguous(), 2),
            ):
                wide = array.astype(np.int64)
                assert bits_equal(x.sum(dim), np.sum(wide, 1))
                assert bits_equal(x.prod(dim), np.prod(wide, 1))
                assert bits_equal(kael.amax(x, dim), np.max(array, 1))
                assert bits_equal(kael.amin(x, dim), np.min(array, 1))
                assert bits_equal(kael.any(x, dim), np.any(array, 1))
                assert bits_equal(kael.all(x, dim), np.all(array, 1))


@pytest.mark.parametrize("name", FEW)
def test_few_elements_do_not_depend_on_thread_count(name):
    for shape, dim in (((3, 300_001), 0), ((300_001, 3), 1), ((500, 10, 101), 1), ((9001, 65), 1)):
        x = kael.from_numpy(spread(shape))
        results = []
        for count in (1, 2, 3, 7):
            with kael.num_threads(count):
                results.append(call(name, x, dim))
        assert all(bits_equal(results[0], other) for other in results[1:])
        assert bits_equal(results[0], twin(name, np.asarray(x), dim))


@pytest.mark.native  # qemu 7.2 reads all lanes of a masked load
@pytest.mark.parametrize("name", SUMS + EXTREMES)
def test_nothing_beyond_the_last_element_is_read(name, every_isa, at_page_end):
    for count in (*range(1, 40), 509):
        x = kael.from_numpy(at_page_end(2 * count, "float32"))
        for view in (x, x[1:], x[1::2], x.reshape(2, count), x.reshape(count, 2)):
            for dim in range(view.ndim):
                call(name, view, dim)


@pytest.mark.native  # the input ends where its mapping does: see above
def test_strided_inputs_are_read_in_place():
    """No copy: the scratch of a call is far below the size of its input."""
    x = kael.ones(1024, 2048)
    views = (x, x.T, x.flip((0, 1)), x[::2], x[:, ::2], x[:1].expand(1024, 2048))
    views += (x.reshape(64, 16, 2048), x.reshape(-1, 1), x.reshape(1, -1), x.reshape(-1, 2).T)
    for view in views:
        for dim in (None, 0, view.ndim - 1):
            for name in ("sum", "var", "amax", "argmax"):
                out = None
                kael.empty_cache()
                with kael.num_threads(1):
                    out = call(name, view, dim)
                held = kael.allocator_stats().reserved_bytes
                kael.empty_cache()
                scratch = held - kael.allocator_stats().reserved_bytes
                assert scratch <= max(4 << 20, 3 * out.numel() * 8), (view.shape, dim, name)


@pytest.mark.parametrize("name", SUMS + EXTREMES)
def test_results_do_not_depend_on_thread_count(name):
    """pytorch/pytorch#2201, #88718, numpy/numpy#25100."""
    cases = [(spread(1_000_003), None), (spread((2100, 510)), 0), (spread((2100, 510)), 1)]
    cases.append((spread((40_000, 33)), 0))
    for array, dim in cases:
        x = kael.from_numpy(array)
        results = []
        for count in THREAD_COUNTS:
            with kael.num_threads(count):
                results.append(call(name, x, dim))
        assert all(bits_equal(results[0], other) for other in results[1:])


def test_a_result_does_not_depend_on_the_other_outputs():
    array = spread((37, 20_001))
    x = kael.from_numpy(array)
    for name in SUMS:
        whole, alone = call(name, x, 1), [call(name, x[r]) for r in range(37)]
        assert all(bits_equal(whole[r], alone[r]) for r in range(37))
        columns = call(name, x.T, 0)
        assert bits_equal(whole, columns)


def test_every_byte_offset_has_the_same_bits(every_isa):
    """numpy/numpy#26775: an aligned load at a misaligned address."""
    values = spread(333)
    want = twin("sum", values)
    for offset in range(64):
        assert bits_equal(kael.from_numpy(at_offset(values, offset)).sum(), want)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8", "bool"])
def test_misaligned_elements_reduce_as_aligned_ones(dtype, every_isa):
    values = spread((37, 41), dtype)
    x = kael.tensor(values)
    for name in ("sum", "prod", "amax", "argmin", "any"):
        for dim in (None, 0, 1):
            want = getattr(kael, name)(x, dim)
            for offset in range(1, 8):
                odd = kael.from_numpy(at_offset(values, offset))
                assert bits_equal(getattr(kael, name)(odd, dim), want), (name, dim, offset)
                assert bits_equal(getattr(kael, name)(odd.T.T[::1], dim), want)


def test_a_zero_is_positive_unless_every_choice_is_negative(every_isa):
    zeros = [np.array([-0.0] * a + [0.0] * b, "f4") for a in range(20) for b in range(20) if a + b]
    for array in zeros + [z[::-1] for z in zeros]:
        x, positive = kael.from_numpy(array), not np.signbit(array).all()
        assert np.signbit(np.asarray(x.sum())) == np.False_
        assert np.signbit(np.asarray(kael.amax(x))) != positive
        assert np.signbit(np.asarray(kael.amin(x))) == np.signbit(array).any()
        assert kael.argmax(x).item() == kael.argmin(x).item() == 0


# --- integers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ("bool", "uint8", "int32", "int64"))
def test_integers_are_exact_and_wrap(dtype, every_isa):
    for shape, dim in [*SHAPES, ((70_001,), None), ((20_000, 3), 0)]:
        for array in list(layouts(shape, dtype))[:4]:
            x = kael.from_numpy(array)
            wide = array.astype(np.int64)
            assert bits_equal(x.sum(dim), np.sum(wide, dim))
            assert bits_equal(x.prod(dim), np.prod(wide, dim))
            assert bits_equal(kael.amax(x, dim), np.max(array, dim))
            assert bits_equal(kael.amin(x, dim), np.min(array, dim))
            assert bits_equal(kael.any(x, dim), np.any(array, dim))
            assert bits_equal(kael.all(x, dim), np.all(array, dim))
            if not isinstance(dim, tuple):
                assert bits_equal(x.argmax(dim), np.argmax(array, dim))
                assert bits_equal(x.argmin(dim), np.argmin(array, dim))


def test_means_of_integers_are_made_in_double_and_given_in_float32():
    array = spread(1001, "int64")
    x = kael.from_numpy(array)
    for name in ("mean", "var", "std"):
        want = twin(name, array.astype(np.float64)).astype(np.float32)
        assert bits_equal(getattr(x, name)(), want)
    assert x.mean().dtype is kael.float32


def test_dtype_of_the_result():
    x = kael.ones(3, dtype=kael.float32)
    assert x.sum(dtype=kael.float64).dtype is kael.float64
    assert kael.tensor([1.7, 1.7]).sum(dtype=kael.int64).item() == 2
    assert kael.tensor([1, 2]).sum(dtype=kael.float32).dtype is kael.float32
    assert kael.tensor([True, True]).sum().dtype is kael.int64
    assert kael.tensor([1, 2], dtype=kael.uint8).max().dtype is kael.uint8


# --- extremes ------------------------------------------------------------------------------------


def test_nan_wins_and_the_first_index_counts(every_isa):
    """tracel-ai/burn#4814, Oneflow-Inc/oneflow#7606, numpy/numpy#20846: lost in lane or tail."""
    for size in range(1, 71):
        values = np.resize([3.0, 7.0, -2.0, 7.0, 1.0], size).astype("f4")
        for at in {0, size // 2, size - 1}:
            one = values.copy()
            one[at] = np.nan
            two = one.copy()
            two[-1] = np.nan
            strided = np.repeat(one, 3)[::3]
            for array in (values, one, two, strided):
                x = kael.from_numpy(array)
                for name in EXTREMES:
                    assert same(name, array), (size, at, name)
                columns = kael.from_numpy(np.stack([array, values, array], 1))
                assert columns.argmax(0).tolist()[::2] == [x.argmax().item()] * 2
                assert bits_equal(kael.amin(columns, 0)[0], kael.amin(x))


def test_nan_in_a_later_block_is_found(every_isa):
    for at in (5, BLOCK - 1, BLOCK, 3 * BLOCK + 4):
        array = spread(3 * BLOCK + 5)
        array[at] = np.nan
        for name in EXTREMES:
            assert same(name, array)
        columns = kael.from_numpy(np.stack([spread(3 * BLOCK + 5, seed=1), array], 1))
        assert columns.argmin(0)[1].item() == at


def test_max_of_a_dim_gives_values_and_indices():
    array = spread((6, 41))
    array[2, 5] = array[2, 9] = np.inf
    values, indices = kael.from_numpy(array).max(1)
    assert bits_equal(values, array.max(1)) and bits_equal(indices, array.argmax(1))
    result = kael.from_numpy(array).min(0, keepdim=True)
    assert result.values.shape == result.indices.shape == (1, 41)
    assert bits_equal(result.indices[0], array.argmin(0))


# --- meaning -------------------------------------------------------------------------------------


def test_empty_reductions_keep_their_meaning():
    x = kael.zeros(0)
    assert x.sum().item() == 0 and x.prod().item() == 1 and np.isnan(x.mean().item())
    assert np.isnan(x.var().item()) and x.norm().item() == 0
    assert not x.any().item() and x.all().item()
    names = ("max", "min", "amax", "amin", "argmax", "argmin")
    for name in names:
        with pytest.raises(ValueError, match=f"^{name}: no elements to choose from"):
            getattr(kael, name)(x)
    table = kael.zeros(0, 3)
    assert table.sum(0).tolist() == [0, 0, 0] and table.sum(1).shape == (0,)
    assert kael.amax(table, 1).shape == table.argmax(1).shape == (0,)
    for name in names:
        with pytest.raises(ValueError, match=f"^{name}: no elements"):
            getattr(kael, name)(table, 0)
    with pytest.raises(ValueError, match=r"^norm: no elements"):
        x.norm(float("inf"))


def test_errors_name_the_operation_that_was_called():
    x = kael.ones(2, 3)
    for name in ("sum", "mean", "var", "std", "prod", "norm", "amax", "amin", "max", "min",
                 "argmax", "argmin", "any", "all"):  # fmt: skip
        with pytest.raises(IndexError, match=f"^{name}: dim 2 is out of range"):
            getattr(kael, name)(x, dim=2)
    for p in (1, 2, 3, 0, float("inf")):
        with pytest.raises(IndexError, match=r"^norm: dim 2 is out of range"):
            x.norm(p, dim=2)


def test_a_numpy_integer_is_a_dim_and_no_tensor():
    x = kael.tensor([[1.0, 5.0], [7.0, 2.0]])
    assert kael.max(x, np.int64(0)).indices.tolist() == [1, 0]


def test_dims_are_torchs():
    x = kael.arange(24, dtype=kael.float32).reshape(2, 3, 4)
    assert x.sum(()).item() == x.sum().item() == 276
    assert x.sum((0, -1)).tolist() == [60, 92, 124]
    assert x.sum(1, keepdim=True).shape == (2, 1, 4) and x.sum(keepdim=True).shape == (1, 1, 1)
    assert kael.tensor(3.0).sum(0).item() == kael.tensor(3.0).max(0).values.item() == 3
    for dim in (3, -4, (0, 3)):
        with pytest.raises(IndexError, match="sum: dim"):
            x.sum(dim)
    with pytest.raises(ValueError, match="dim 0 appears twice"):
        x.sum((0, -3))
    with pytest.raises(TypeError):
        x.sum(1.5)


def test_var_takes_torchs_corrections():
    x = kael.tensor([1.0, 2.0, 4.0, 9.0])
    assert x.var().item() == pytest.approx(np.var([1, 2, 4, 9], ddof=1))
    assert x.var(unbiased=False).item() == x.var(False).item() == 9.5
    assert x.var(0, correction=0).item() == 9.5
    assert x.var(correction=9).item() == float("inf") and np.isnan(x[:1].var().item())
    assert np.isnan(x[:0].var(correction=-1).item())


def test_norm_takes_torchs_orders():
    array = np.array([[3.0, -4.0], [0.0, 12.0]], "f4")
    x = kael.from_numpy(array)
    assert x.norm().item() == x.norm("fro").item() == 13
    assert x.norm(1).item() == 19 and x.norm(0).item() == 3
    assert x.norm(float("inf"), 1).tolist() == [4, 12]
    assert x.norm(float("-inf"), 1).tolist() == [3, 0]
    assert x.norm(3).item() == pytest.approx((27 + 64 + 1728) ** (1 / 3), rel=1e-6)
    for p in (0, 1, 2, 3, float("inf")):
        assert x.to("int32").norm(p).dtype is kael.float32
        assert x.to("int32").norm(p).item() == pytest.approx(x.norm(p).item(), rel=1e-6)
    with pytest.raises(ValueError, match="norm: p must be a number"):
        x.norm("nuc")


def test_the_dtype_asked_for():
    x = kael.tensor([1.5, 2.5])
    for spelled in (kael.float64, "float64", np.float64):
        assert x.sum(dtype=spelled).dtype is kael.float64
        assert x.mean(dtype=spelled).dtype is kael.float64
        assert x.prod(dtype=spelled).dtype is kael.float64
    assert x.sum(dtype=int).item() == 3
    for dtype in ("int64", "uint8", "bool"):
        with pytest.raises(TypeError, match="mean: dtype must be a float dtype"):
            x.mean(dtype=dtype)


@pytest.mark.parametrize(
    "p, want", [(2, 13**0.5), (1, 5), (3, 35 ** (1 / 3)), (float("inf"), 3), (0, 2)]
)
def test_norms_of_integers_are_float32(p, want):
    length = kael.tensor([2, -3]).norm(p)
    assert length.dtype is kael.float32 and length.item() == pytest.approx(want)


def test_a_dtype_is_a_dtype_by_any_name_and_a_total_fits_it():
    x = kael.tensor([1.0, 1.0])
    assert x.sum(dtype="float64").dtype is x.prod(dtype=np.float64).dtype is kael.float64
    assert x.mean(dtype="float64").dtype is kael.float64
    truth = x.sum(dtype=kael.bool)
    assert truth.dtype is kael.bool and truth.to(kael.uint8).item() == 1
    with pytest.raises(TypeError, match="mean: dtype must be a float dtype, got int64"):
        x.mean(dtype=kael.int64)


def test_a_recorded_sum_does_not_hold_its_input():
    leaf = kael.ones(3, requires_grad=True)
    doubled = leaf * 2
    memory = weakref.ref(doubled)
    total = doubled.sum() + doubled.mean()
    del doubled
    assert memory() is None
    total.backward()
    assert leaf.grad.numpy() == pytest.approx([8 / 3] * 3)


# --- accuracy ------------------------------------------------------------------------------------


def test_long_sum_is_more_accurate_than_running_total():
    count = 1 << 24
    values = np.full(count, 0.1)
    running = np.add.accumulate(values)[-1]
    exact = 0.1 * count
    assert abs(kael.from_numpy(values).sum().item() - exact) < abs(running - exact)


@pytest.mark.parametrize("size", (1, 7, 1000, 16_385, 1_000_003))
def test_sums_and_means_are_within_an_ulp_of_the_exact_ones(size):
    generator = np.random.default_rng(size)
    for array in (generator.standard_normal(size), generator.uniform(0, 1, size)):
        array = array.astype("f4")
        exact = math.fsum(array)
        x = kael.from_numpy(array)
        for found, want in ((x.sum(), exact), (x.mean(), exact / size)):
            assert abs(found.item() - want) <= np.spacing(np.float32(abs(want)))
        assert bits_equal(x.reshape(1, -1).sum(1)[0], x.sum())
        assert bits_equal(x.reshape(-1, 1).sum(0)[0], x.sum())


def test_mean_of_many_ones_is_one():
    """numpy/numpy#22956, #14691: a float32 running total stops at 2^24."""
    ones = kael.ones(20_000_000, 2)
    assert ones.mean(0).tolist() == [1, 1]
    assert ones.reshape(2, -1).T.mean(0).tolist() == [1, 1]


def test_columns_of_two_alternating_values_have_no_deviation():
    column = np.tile(np.array([[100.0, -100.0]], "f4"), (1_000_000, 1))
    assert kael.from_numpy(column).std(0).tolist() == [0, 0]


def test_sums_do_not_overflow_before_the_end():
    """pytorch/pytorch#44350: the mean of three 3e38 was inf."""
    x = kael.tensor([3e38] * 3)
    assert x.mean().item() == np.float32(3e38)
    assert kael.tensor([1e30, 1e30]).norm().item() == pytest.approx(1.4142135e30)
    assert kael.tensor([3e38, -3e38]).std().item() == float("inf")


# --- gradients -----------------------------------------------------------------------------------


GRADIENTS = {
    "sum": lambda x: x.sum(1),
    "sum_keepdim": lambda x: x.sum((0, 2), keepdim=True),
    "mean": lambda x: x.mean(),
    "var": lambda x: x.var((0, 1)),
    "var_biased": lambda x: x.var(1, unbiased=False),
    "std": lambda x: x.std(2, keepdim=True),
    "norm1": lambda x: x.norm(1, 0),
    "norm2": lambda x: x.norm(2, (1, 2)),
    "norm3": lambda x: x.norm(3),
    "norm_inf": lambda x: x.norm(float("inf"), 1),
    "norm_half": lambda x: x.norm(0.5, (0, 2)),
    "norm_1.5": lambda x: x.norm(1.5, 1, keepdim=True),
    "norm_minus_2": lambda x: x.norm(-2, 0),
    "norm_0": lambda x: x.norm(0, 1),
    "var_mean": lambda x: kael.var_mean(x, (0, 2)),
    "std_mean": lambda x: kael.std_mean(x, 1, keepdim=True),
    "prod": lambda x: x.prod(1),
    "max": lambda x: x.max(),
    "max_dim": lambda x: x.max(1).values,
    "min_dim": lambda x: x.min(-1, keepdim=True).values,
    "amin": lambda x: kael.amin(x, (0, 2)),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_agree_with_differences(name):
    values = np.random.default_rng(5).uniform(0.5, 2.0, (2, 3, 4))
    values[:, 1] *= -1
    x = kael.from_numpy(values).requires_grad_()
    assert gradcheck(GRADIENTS[name], x)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_gradient_of_prod_is_the_product_of_the_others(count):
    """Also beside zeros, infinities and NaN, of which a quotient of the whole product makes NaN.
    github: pytorch/pytorch#773, pytorch/pytorch#194699, tracel-ai/burn#5533."""
    values = [0.0, -0.0, np.inf, -np.inf, np.nan, 2.0, -3.0]
    rows = np.array(list(itertools.product(values, repeat=count)))
    x = kael.tensor(rows, requires_grad=True)
    x.prod(1).sum().backward()
    others = [np.delete(rows, i, 1) for i in range(count)]
    with np.errstate(invalid="ignore"):
        expected = np.stack([part.prod(1) for part in others], 1)
    np.testing.assert_array_equal(x.grad.numpy(), expected)


def test_gradients_of_special_values_are_torchs():
    tied = kael.tensor([[1.0, 5.0], [5.0, 2.0]], requires_grad=True)
    tied.max().backward()
    assert tied.grad.tolist() == [[0, 0.5], [0.5, 0]]
    chosen = kael.tensor([[7.0, 7.0, 1.0]], requires_grad=True)
    chosen.max(1).values.backward(kael.ones(1))
    assert chosen.grad.tolist() == [[1, 0, 0]]
    for values, want in (([0.0, 2.0, 3.0], [6, 0, 0]), ([0.0, 0.0, 3.0], [0, 0, 0])):
        x = kael.tensor(values, requires_grad=True)
        x.prod().backward()
        assert x.grad.tolist() == want
    flat = kael.zeros(3, requires_grad=True)
    (flat.norm() + flat.std()).backward()
    assert flat.grad.tolist() == [0, 0, 0]
    for p in (0.5, 1, 2, 3, -1, float("inf")):
        x = kael.zeros(3, requires_grad=True)
        x.norm(p).backward()
        assert x.grad.tolist() == [0, 0, 0], p
    x = kael.tensor([1.0, -4.0, 0.0], requires_grad=True)
    x.norm(0.5).backward()
    assert x.grad.tolist() == [3, -1.5, 0]
    wide = kael.ones(2, 2, requires_grad=True)
    wide.sum(dtype=kael.float64).backward()
    assert wide.grad.dtype is kael.float32
    for p in (0, 0.5, 1, 1.5, 2, 3):
        for values in ([0.0, 0.0, 0.0], [0.0, -2.0, 3.0]):
            x = kael.tensor(values, requires_grad=True)
            x.norm(p).backward()
            assert np.isfinite(np.asarray(x.grad)).all() and x.grad[0].item() == 0, p


@pytest.mark.parametrize("weight", [float("inf"), float("nan"), -1.0])
@pytest.mark.parametrize("name", ["max", "min", "amax", "amin"])
def test_what_was_not_chosen_has_no_part_in_the_gradient(name, weight):
    """Not even NaN, which 0 * inf would be; and +0, not -0."""
    x = kael.tensor([[2.0, -1.0, 2.0, -1.0]], requires_grad=True)
    for dim in (None, 1) if name[0] == "a" else (None,):
        x.grad = None
        getattr(x, name)(dim).sum().backward(kael.tensor(weight))
        first, second = (0.0, weight / 2) if "min" in name else (weight / 2, 0.0)
        assert bits_equal(x.grad, np.array([[first, second] * 2], "float32"))


def test_var_mean_is_both():
    x = kael.from_numpy(spread((40, 33)))
    for options in ({}, {"dim": 1}, {"dim": (0, 1), "keepdim": True}, {"correction": 0}):
        over = {k: v for k, v in options.items() if k != "correction"}
        for pair, name in ((kael.var_mean, "var"), (kael.std_mean, "std")):
            spread_, mean = pair(x, **options)
            assert bits_equal(spread_, getattr(x, name)(**options))
            assert bits_equal(mean, x.mean(**over))
    assert bits_equal(kael.var_mean(x, False)[0], x.var(False))
