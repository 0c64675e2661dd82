"""Matrix products of few rows, by bits against v1_ijk: a transposed b turned in registers, and a b
that does not begin where lines do; and last columns so few that rows share vectors."""

import numpy as np
import pytest
from conftest import bits_equal, spread

import kael
from kael import matmul_versions as ladder

FLOATS = ["float32", "float64"]


def tensors(*arrays):
    return [kael.from_numpy(x) for x in arrays]


def oracle(a, b):
    out = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    with kael.num_threads(1):
        ladder.v1_ijk(*tensors(*map(np.ascontiguousarray, (a, b)), out))
    return out


def placed(x, offset, row=None):
    """The values of x at a place ``offset`` bytes beyond a line, rows ``row`` bytes apart."""
    rows, columns = x.shape
    row = x.itemsize * columns if row is None else row
    memory = np.zeros(rows * row + offset + 128, np.uint8)
    start = -memory.ctypes.data % 64 + offset
    found = np.ndarray(x.shape, x.dtype, memory.data, start, (row, x.itemsize))
    found[...] = x
    return found


@pytest.mark.parametrize("dtype", FLOATS)
def test_every_small_size_of_a_transposed_b(dtype, every_isa):
    a, w = spread((4, 70), dtype), spread((70, 70), dtype, 1)
    for inner in range(1, 71):
        expected = oracle(a[:, :inner], w[:, :inner].T)
        for columns in range(1, 71):
            rows = 1 + (inner + columns) % 4
            x, y = tensors(a[:rows, :inner], w[:columns, :inner])
            assert bits_equal(x @ y.T, expected[:rows, :columns]), (rows, inner, columns)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("inner", [511, 512, 513, 1023, 1024, 1025, 1540, 2049])
def test_inner_blocks_of_a_transposed_b(inner, dtype, every_isa):
    """Pairs of blocks, a block left over and a short one, on sets of columns even and odd."""
    a, w = spread((25, inner), dtype), spread((57, inner), dtype, 1)
    bias = spread((57,), dtype, 2)
    expected = oracle(a, w.T)
    for rows in range(1, 26):
        for columns in (8, 15, 16, 17, 24, 33, 47, 57):
            if rows > 4 and columns not in (24, 57):
                continue
            x, y, c = tensors(a[:rows], w[:columns], bias[:columns])
            assert bits_equal(x @ y.T, expected[:rows, :columns]), (rows, columns)
            found = kael.linear(x, y, c)
            assert bits_equal(found, expected[:rows, :columns] + bias[:columns]), (rows, columns)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("inner", [128, 515, 1030])
def test_few_columns_with_vectors_along_the_rows(inner, dtype, every_isa):
    """Of one or two columns more than some vectors have lanes, any rows of out, with a bias."""
    a, b = spread((77, inner), dtype), spread((inner, 18), dtype, 1)
    bias = spread((18,), dtype, 2)
    expected = oracle(a, b)
    for rows, columns in [(32, 9), (33, 10), (47, 17), (64, 18), (77, 10)]:
        x, y, z = tensors(a[:rows], b[:, :columns], np.ascontiguousarray(b[:, :columns].T))
        wanted = expected[:rows, :columns]
        assert bits_equal(x @ y, wanted), (rows, columns)
        with kael.num_threads(3):
            assert bits_equal(x @ z.T, wanted), (rows, columns)
            found = kael.linear(x, z, *tensors(bias[:columns]))
            assert bits_equal(found, wanted + bias[:columns]), (rows, columns)
        wide = kael.from_numpy(np.full((rows, columns + 3), 7, dtype))
        kael.matmul(x, y, out=wide[:, 1 : columns + 1])
        assert bits_equal(wide[:, 1 : columns + 1], wanted), (rows, columns)
        assert wide.sum(0)[0].item() == 7 * rows
        assert wide.sum(0)[-1].item() == 7 * rows


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("inner", [0, 1, 2, 3, 4, 6, 127, 511, 512, 516, 640, 1027])
def test_last_columns_whose_rows_share_vectors(inner, dtype, every_isa):
    """Any rows and steps, a bias or a sum to add to, and nothing is written beside them."""
    a, b = spread((83, inner), dtype), spread((inner, 36), dtype, 1)
    bias, start = spread((36,), dtype, 2), spread((83, 36), dtype, 3)
    expected = oracle(a, b)
    for rows in (16, 17, 18, 19, 21, 39, 83):
        for columns in (1, 2, 3, 4, 17, 20, 34, 36):
            wanted = expected[:rows, :columns]
            x, y, z = tensors(a[:rows], b[:, :columns], np.ascontiguousarray(b[:, :columns].T))
            wide = kael.from_numpy(np.full((rows, columns + 5), 7, dtype))
            for right in (y, z.T):
                kael.matmul(x, right, out=wide[:, :columns])
                assert bits_equal(wide[:, :columns], wanted), (rows, columns)
                assert (wide.numpy()[:, columns:] == 7).all(), (rows, columns)
            found = kael.linear(x, z, *tensors(bias[:columns]))
            assert bits_equal(found, wanted + bias[:columns]), (rows, columns)
    for columns in (4, 19, 33):
        out = np.ascontiguousarray(start[:, :columns])
        total = out.copy()
        right = np.ascontiguousarray(b[:, :columns])
        with kael.num_threads(1):
            ladder.v1_ijk(*tensors(a, right, total))
            ladder.direct(*tensors(a, right, out))
        assert bits_equal(out, total), columns


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 9, 14, 23])
def test_few_rows_on_every_thread_count(rows, dtype, every_thread_count):
    a, w = spread((rows, 1030), dtype), spread((1001, 1030), dtype, 1)
    x, y = tensors(a, w)
    z = kael.from_numpy(np.ascontiguousarray(w.T))
    with kael.isa("generic" if rows == 1 else kael.get_isa()):
        expected = oracle(a, w.T)
    assert bits_equal(x @ y.T, expected)
    assert bits_equal(x @ z, expected)


@pytest.mark.parametrize("dtype", FLOATS)
def test_operands_of_a_transposed_b_as_they_come(dtype, every_isa):
    for rows in (1, 2, 4, 6):
        a, w = spread((rows, 600), dtype), spread((43, 600), dtype, 1)
        expected = oracle(a, w.T)
        lefts = [a, np.asfortranarray(a), np.repeat(a, 3, 1)[:, ::3], a[:, ::-1].copy()[:, ::-1]]
        wide = np.concatenate((w, w), 1)
        rights = [w, wide[:, :600], wide[:, 600:], w[::-1].copy()[::-1], np.repeat(w, 2, 0)[::2]]
        for i, left in enumerate(lefts):
            for j, right in enumerate(rights):
                x, y = tensors(left, right)
                assert bits_equal(x @ y.T, expected), (rows, i, j)
        (same,) = tensors(np.broadcast_to(w[7], (43, 600)))
        found = kael.matmul(kael.from_numpy(a), same.T)
        assert bits_equal(found, np.repeat(expected[:, 7:8], 43, 1)), rows


def test_special_values_of_a_transposed_b(every_isa):
    """No sum takes part in another, though the last set of columns lies over the one before."""
    a, w = spread((3, 1100), "float32"), spread((37, 1100), "float32", 1)
    w[::5, 30], w[3, 700], w[36, 1099], a[1, 5] = np.inf, np.nan, np.nan, np.inf
    w[2], a[0, ::3] = 1e-42, -0.0
    expected = oracle(a, w.T)
    assert 0 < np.isnan(expected).sum() < expected.size
    assert bits_equal(kael.matmul(*tensors(a, w.T)), expected)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("transposed", [False, True])
def test_few_rows_read_b_at_any_address(transposed, dtype, every_isa):
    """Rows a whole number of lines apart, and not; offsets of whole elements, and of a byte more
    where memory from outside has it so."""
    size = np.dtype(dtype).itemsize
    a, b = spread((5, 520), dtype), spread((520, 150), dtype, 1)
    expected = oracle(a, b)
    for row in (640 * size, 643 * size):
        for offset in (0, size, 3 * size, 16, 32, 48, 64 - size):
            for rows, columns in ((1, 150), (2, 149), (4, 96), (5, 150), (1, 20)):
                y = b[:, :columns]
                y = placed(y.T.copy(), offset, row).T if transposed else placed(y, offset, row)
                x, y = tensors(a[:rows], y)
                assert bits_equal(x @ y, expected[:rows, :columns]), (row, offset, rows, columns)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("columns", [4608, 4503])
def test_a_large_b_at_any_place(columns, dtype, every_isa):
    """Beyond L3: read along its rows, more columns than a visit takes, sums waiting in between, for
    groups of as many rows and of one fewer."""
    inner = 530
    a, b = spread((17, inner), dtype), spread((inner, columns), dtype, 1)
    expected = oracle(a, b)
    for rows in range(1, 18):
        x, y = tensors(a[:rows], placed(b, 16 * (rows % 4)))
        assert ladder.way(x, y) == ("stream" if rows <= 16 else "panels"), rows
        for threads in (1, 2):
            with kael.num_threads(threads):
                assert bits_equal(x @ y, expected[:rows]), (rows, threads)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("inner, columns", [(600, 1030), (530, 700), (9000, 300)])
def test_a_b_in_l3_and_a_tall_one(inner, columns, dtype, every_isa):
    """What goes by tiles or along rows according to the set; a tall b beyond L3, always the latter
    where the set has vectors. Threads share out columns, of a tall one rows as well."""
    a, b = spread((16, inner), dtype), spread((inner, columns), dtype, 1)
    expected = oracle(a, b)
    for rows in (1, 2, 3, 4, 5, 8, 16):
        x, y = tensors(a[:rows], b)
        for threads in (1, 2, 3, 5):
            with kael.num_threads(threads):
                assert bits_equal(x @ y, expected[:rows]), (rows, threads)


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_large_b_onto_sums_and_with_a_bias(dtype, every_isa):
    a, b = spread((16, 700), dtype), spread((700, 4400), dtype, 1)
    old, bias = spread((16, 4400), dtype, 2), spread((4400,), dtype, 3)
    expected = oracle(a, b)
    for rows in (1, 2, 3, 4, 7, 16):
        x, y, c = tensors(a[:rows], b, bias)
        assert bits_equal(kael.linear(x, y.T, c), expected[:rows] + bias), rows
        onto, again = old[:rows].copy(), old[:rows].copy()
        ladder.stream(x, y, kael.from_numpy(onto))
        ladder.v1_ijk(x, y, kael.from_numpy(again))
        assert bits_equal(onto, again), rows


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("inner, columns", [(1060, 300), (530, 2900), (1024, 2200)])
def test_rows_that_take_two_passes_over_a_transposed_b(inner, columns, dtype, every_isa):
    """More than one kernel takes, of a b beyond L2 or L3; and one row more than two passes do."""
    a, w = spread((25, inner), dtype), spread((columns, inner), dtype, 1)
    expected = oracle(a, w.T)
    for rows in (5, 8, 9, 12, 13, 24, 25):
        x, y = tensors(a[:rows], w)
        assert bits_equal(x @ y.T, expected[:rows]), rows
