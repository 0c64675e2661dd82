"""Copies between layouts and what is made of them: transposes of any width, joined rows, lookups.

What is moved must arrive, and nothing beside it: results lie between bytes that are looked at, and
sources end where memory does.
"""

import itertools

import numpy as np
import pytest
from conftest import bits_equal

import kael
import kael.nn.functional as F

DTYPES = ["bool", "uint8", "int32", "int64", "float32", "float64"]
WIDTHS = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 33]


def numbered(shape, dtype):
    """Values that differ, and tell where they came from."""
    size = int(np.prod(shape))
    values = np.arange(size) % 251 if np.dtype(dtype).itemsize == 1 else np.arange(size)
    return (values % 3 == 0 if dtype == "bool" else values.astype(dtype)).reshape(shape)


def framed(shape, dtype, misaligned=False):
    """A view of the shape inside a larger array, and the array's bytes."""
    itemsize = np.dtype(dtype).itemsize
    nbytes = (int(np.prod(shape)) + 24) * itemsize
    raw = np.full(nbytes, 0x5A, np.uint8)
    view = np.ndarray(shape, dtype, raw.data, 12 * itemsize + misaligned)
    view[...] = 0  # bytes that are no bool would be copied on the way in
    return view, raw


def frame_is_whole(view, raw):
    """Whether the bytes before and behind a framed view are as they were."""
    start = view.ctypes.data - raw.ctypes.data
    return (raw[:start] == 0x5A).all() and (raw[start + view.nbytes :] == 0x5A).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("long", [1, 6, 70, 1100])
def test_transposes_of_every_width(dtype, long, every_isa):
    for width, turned in itertools.product(WIDTHS, (False, True)):
        array = numbered((width, long) if turned else (long, width), dtype)
        assert bits_equal(kael.from_numpy(array.T).contiguous(), array.T), (width, turned)
        for misaligned in (False, True):
            target, raw = framed(array.T.shape, dtype, misaligned and dtype not in DTYPES[:2])
            kael.from_numpy(target).copy_(kael.from_numpy(array.T))
            assert bits_equal(target, array.T), (width, turned, misaligned)
            assert frame_is_whole(target, raw), (width, turned, misaligned)


def test_narrow_transposes_are_shared_between_threads(every_isa):
    for shape in ((2, 70_001), (3, 50_000), (90_000, 2), (40_003, 5), (8, 30_001)):
        array = numbered(shape, "float32")
        for threads in (1, 2, 7):
            with kael.num_threads(threads):
                assert bits_equal(kael.from_numpy(array.T).contiguous(), array.T)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float64"])
def test_permuted_and_stepped_copies(dtype, every_isa):
    array = numbered((5, 3, 9, 20), dtype)
    views = [array.transpose(order) for order in itertools.permutations(range(4))]
    views += [array[..., ::-1], array[..., ::2], array[..., 1::3], array[:, ::-1, ::2, 3:17]]
    views += [array[..., :1], array[:, :0], array[:, :1, :1].transpose(3, 1, 0, 2)]
    views += [array[::-1, ::-1, ::-1, ::-1].T, array[..., ::-1].transpose(0, 3, 2, 1)]
    views.append(np.broadcast_to(array[:, :, :1, :], (5, 3, 4, 20)))
    views.append(np.broadcast_to(array[..., :1], (5, 3, 9, 7)))
    for number, view in enumerate(views):
        target, raw = framed(view.shape, dtype)
        kael.from_numpy(target).copy_(kael.from_numpy(view))
        assert bits_equal(target, np.ascontiguousarray(view)), number
        assert frame_is_whole(target, raw), number


@pytest.mark.parametrize("row", [*range(1, 20), 31, 32, 33, 63, 64, 65, 127, 128, 129, 300])
def test_rows_of_any_length_are_copied_whole(row):
    """Into rows with gaps, which keep what they have."""
    array = numbered((7, row), "uint8")
    raw = np.full((7, row + 9), 0x5A, np.uint8)
    kael.from_numpy(raw[:, 4 : 4 + row]).copy_(kael.from_numpy(array))
    assert bits_equal(raw[:, 4 : 4 + row].copy(), array)
    assert (raw[:, :4] == 0x5A).all() and (raw[:, 4 + row :] == 0x5A).all()


@pytest.mark.parametrize("bytes_of_row", [1, 3, 4, 6, 8, 12, 20, 36, 68, 100, 128])
def test_a_source_may_end_where_memory_does(at_page_end, bytes_of_row):
    rows = 4096 // bytes_of_row
    x = kael.from_numpy(at_page_end(rows * bytes_of_row, "uint8").reshape(rows, bytes_of_row))
    assert kael.cat([x, x], 1).sum() == 2 * x.numel()
    assert kael.stack([x, x], -1).sum() == 2 * x.numel()
    assert x[kael.arange(rows)].sum() == x.numel()
    assert x.T.contiguous().sum() == x.flip(-1).sum() == x.numel()
    assert kael.cat([x[:, 1:], x], 1).sum() == 2 * x.numel() - rows


def test_narrow_transposes_may_end_where_memory_does(at_page_end, every_isa):
    for dtype, width in itertools.product(("float32", "float64"), (2, 3, 5, 8, 15)):
        count = 4096 // np.dtype(dtype).itemsize // width * width
        for shape in ((width, -1), (-1, width)):
            x = kael.from_numpy(at_page_end(count, dtype).reshape(shape))
            assert x.T.contiguous().sum() == count
            assert x.T.relu().sum() == count


# ---- kernels on transposed operands ----

TURNED_SHAPES = [
    (100, 100), (16, 4), (17, 33), (3, 900), (900, 3), (2, 40), (40, 70), (300, 257), (65, 1025),
    (1, 80), (5000, 5), (33, 31),
]  # fmt: skip


@pytest.mark.parametrize("shape", TURNED_SHAPES)
def test_kernels_on_transposed_operands_give_what_packed_ones_give(shape, every_isa):
    """Every kind of operand beside a transposed one, and results of other sizes."""
    for dtype in ("float32", "float64", "int32", "uint8"):
        x = kael.from_numpy(numbered(shape[::-1], dtype).T)
        y = kael.from_numpy(numbered(shape, dtype)[::-1])
        packed, beside = x.contiguous(), y.contiguous()
        for call in (
            lambda a, b: a + b,
            lambda a, b: b - a,
            lambda a, b: a * 3,
            lambda a, b: a + b[:1],
            lambda a, b: a + b[:, :1],
            lambda a, b: a + a,
            lambda a, b: a > b,
            lambda a, b: a.relu(),
            lambda a, b: a.to(kael.float64),
            lambda a, b: a.to(kael.uint8),
            lambda a, b: a.clamp(2, 40),
            lambda a, b: kael.where(a > 7, a, b),
            lambda a, b: kael.where((b > 9).T.contiguous().T, b, a),
        ):
            assert bits_equal(call(x, y), call(packed, beside)), dtype
        target, raw = framed(shape, dtype)
        kael.from_numpy(target).copy_(y).add_(x)
        assert bits_equal(target, (beside + packed).numpy())
        assert frame_is_whole(target, raw)


def test_pieces_of_transposed_operands_do_not_depend_on_threads_or_place(every_isa):
    array = numbered((7, 90, 400), "float32")
    views = [array.transpose(order) for order in itertools.permutations(range(3))]
    views += [array[:, 1:, 3:].transpose(0, 2, 1), array[:, ::-1, :].transpose(0, 2, 1)]
    odd, _ = framed((90, 400), "float32", misaligned=True)
    odd[...] = array[0]
    views.append(odd.T)
    for view in views:
        expected = -np.ascontiguousarray(view)
        for threads in (1, 2, 7):
            with kael.num_threads(threads):
                assert bits_equal(-kael.from_numpy(view), expected), (view.strides, threads)


# ---- joined ----


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(40, 3), (5, 7, 33), (4, 100), (3, 0, 2), (1,), (6, 2, 17)])
def test_cat_and_stack_along_every_dim(shape, dtype):
    for dim, count in itertools.product(range(len(shape)), (1, 2, 3, 11)):
        sizes = [(shape[dim] + 3 * i) % 7 for i in range(count)]
        arrays = [numbered((*shape[:dim], n, *shape[dim + 1 :]), dtype) for n in sizes]
        found = kael.cat([kael.from_numpy(x) for x in arrays], dim)
        assert bits_equal(found, np.concatenate(arrays, dim)), (dim, count)
        turned = [kael.from_numpy(np.ascontiguousarray(x.T).T) for x in arrays]
        assert bits_equal(kael.cat(turned, dim - len(shape)), np.concatenate(arrays, dim))
    arrays = [numbered(shape, dtype), numbered(shape, dtype)[::-1]]
    for dim in range(-len(shape) - 1, len(shape) + 1):
        found = kael.stack([kael.from_numpy(x) for x in arrays], dim)
        assert bits_equal(found, np.stack(arrays, dim)), dim


def test_joined_rows_do_not_depend_on_threads():
    arrays = [numbered((50_000, n), "float32") for n in (3, 1, 0, 4)]
    arrays.append(numbered((2, 50_000), "float64").T)
    wide = [numbered((3, 90_000), "float32"), numbered((3, 70_000), "float32")]
    for threads in (1, 2, 7):
        with kael.num_threads(threads):
            for parts, dim in ((arrays, 1), (arrays[:-1], 1), (wide, 1), (wide, 0)):
                if dim == 0:
                    parts = [x[:, :70_000] for x in parts]
                found = kael.cat([kael.from_numpy(x) for x in parts], dim)
                assert bits_equal(found, np.concatenate(parts, dim)), threads


def test_joined_tensors_are_refused_as_each_operation_says():
    x = kael.zeros(2, 3)
    for call, error, text in (
        (lambda: kael.cat([]), ValueError, "cat: at least one"),
        (lambda: kael.stack(()), ValueError, "stack: at least one"),
        (lambda: kael.cat([x, 1.0]), TypeError, "cat: operand 2"),
        (lambda: kael.stack([x, "x"]), TypeError, "stack: operand 2"),
        (lambda: kael.cat([x, kael.zeros(3, 3)], 1), ValueError, "beside dim 1"),
        (lambda: kael.cat([x, kael.zeros(2)]), ValueError, "differ"),
        (lambda: kael.stack([x, kael.zeros(2, 1)]), ValueError, "differ$"),
        (lambda: kael.cat([kael.tensor(1.0)]), ValueError, "use stack"),
        (lambda: kael.cat([x], 2), IndexError, "cat: dim 2"),
        (lambda: kael.stack([x], 3), IndexError, "stack: dim 3"),
        (lambda: kael.stack([kael.zeros([1] * 16)]), ValueError, "at most 16 dims"),
        (lambda: kael.cat([kael.zeros(0, 1).expand(0, 1 << 62)] * 2, 1), ValueError, "64 bits"),
    ):
        with pytest.raises(error, match=text):
            call()


@pytest.mark.parametrize("join", [kael.cat, kael.stack])
def test_gradients_of_joined_tensors_come_in_each_dtype(join):
    for dim in (0, 1, -1):
        a = kael.ones(2, 3, requires_grad=True)
        b = kael.ones(2, 3, dtype=kael.float64, requires_grad=True)
        out = join([a, b, kael.ones(2, 3)], dim)
        weight = np.arange(out.numel(), dtype="float64").reshape(out.shape)
        out.backward(kael.from_numpy(weight))
        parts = np.split(weight, 3, dim)
        if join is kael.stack:
            parts = [part.squeeze(dim) for part in parts]
        assert bits_equal(a.grad, parts[0].astype("float32"))
        assert bits_equal(b.grad, parts[1])


# ---- looked up ----


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [(), (1,), (3,), (4,), (2, 5), (40,)])
def test_rows_looked_up_are_numpys(dtype, width):
    table, index = numbered((11, *width), dtype), np.array([[0, -1, 10], [-11, 5, 5]])
    x, at = kael.from_numpy(table), kael.from_numpy(index)
    assert bits_equal(x[at], table[index])
    assert bits_equal(x[at.to(kael.int32)], table[index])
    assert bits_equal(x[index.tolist()], table[index])
    assert bits_equal(kael.from_numpy(table.T)[at[:, :1] * 0], table.T[index[:, :1] * 0])
    assert bits_equal(x[at.T], table[index.T])
    assert x[at[:, :0]].shape == (2, 0, *width)


def test_every_index_is_checked():
    table = kael.ones(5, 3)
    grad = kael.ones(5, 3)
    grad.requires_grad = True
    for bad, named in (([0, 5, 9], 5), ([-6], -6), ([1, -7, 8], -7)):
        for x in (table, grad, table.T.contiguous().T):
            with pytest.raises(IndexError, match=f"index {named} is out of bounds for dim 0"):
                x[kael.tensor(bad)]
        for x in (table, grad):
            with pytest.raises(IndexError, match="embedding: index"):
                F.embedding(kael.tensor(bad), x)
    with pytest.raises(IndexError, match="embedding: index -1 is negative"):
        F.embedding(kael.tensor([0, -1]), table)
    for index in ([5], [-6]):
        with pytest.raises(IndexError, match="out of bounds"):
            kael.ones(5, 0)[kael.tensor(index)]


def test_a_bad_index_is_found_by_every_thread_count():
    table = kael.ones(1000, 8)
    index = kael.zeros(300_000, dtype=kael.int64)
    index[200_000], index[299_999] = 1000, -2000
    for threads in (1, 2, 7):
        with kael.num_threads(threads), pytest.raises(IndexError, match="index 1000 is out"):
            table[index]


def test_lookups_with_and_without_a_graph_are_the_same():
    table = kael.randn(20, 6)
    wanted = table.clone()
    wanted.requires_grad = True
    index = kael.tensor([[3, -1], [19, 3]])
    out = wanted[index]
    assert bits_equal(out.detach(), table[index])
    out.backward(kael.ones(2, 2, 6))
    counts = np.zeros((20, 6), "float32")
    np.add.at(counts, index.numpy(), 1)
    assert bits_equal(wanted.grad, counts)


# ---- clamped ----


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_clamp_to_numbers_is_clamp_to_tensors(dtype):
    array = np.array([-np.inf, -2.5, -1.0, -0.0, 0.0, 0.5, 3.0, np.inf, np.nan] * 5, dtype)
    x, code = kael.from_numpy(array), getattr(kael, dtype)
    for low, high in ((-1, 1), (0.25, None), (None, 0), (2.0, -2.0), (None, np.inf), (-0.0, 0.0)):
        as_tensors = [None if n is None else kael.tensor(n, dtype=code) for n in (low, high)]
        assert bits_equal(x.clamp(low, high), x.clamp(*as_tensors)), (low, high)
        grad = x.clone()
        grad.requires_grad = True
        assert bits_equal(grad.clamp(low, high).detach(), x.clamp(low, high)), (low, high)
    assert x.clamp(True, 2).dtype is x.dtype
