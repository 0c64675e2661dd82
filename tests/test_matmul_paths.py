"""Matrix products: every way by bits against v1_ijk, operands as they come, scratch."""

import numpy as np
import pytest
from conftest import bits_equal, run_script, spread

import kael
from kael import matmul_versions as ladder

FLOATS = ["float32", "float64"]
INTEGERS = ["uint8", "int32", "int64"]
WAYS = ["direct", "stream", "panels", "packed", "v6_threaded"]
# Edges of tiles and of their widest form; of inner blocks; one row, one column, few of each.
SHAPES = [
    (1, 1, 1),
    (7, 1, 13),
    (65, 257, 31),
    (1, 1025, 40),
    (3, 513, 130),
    (14, 512, 64),
    (15, 600, 33),
    (33, 64, 1),
    (2, 40, 300),
]


def tensors(*arrays):
    return [kael.from_numpy(x) for x in arrays]


def operands(rows, inner, columns, dtype="float32", seed=0):
    return spread((rows, inner), dtype, seed), spread((inner, columns), dtype, seed + 1)


def oracle(a, b, out=None, isa="generic"):
    """out + a @ b by v1_ijk, on one thread."""
    out = np.zeros((a.shape[0], b.shape[1]), a.dtype) if out is None else out.copy()
    with kael.isa(isa), kael.num_threads(1):
        ladder.v1_ijk(*tensors(*map(np.ascontiguousarray, (a, b)), out))
    return out


def layout(name, x):
    """The values of x in memory of another order."""
    if name == "transposed":
        return np.asfortranarray(x)
    if name == "sliced":
        return np.repeat(np.repeat(x, 2, 0), 3, 1)[::2, ::3]
    if name == "negative":
        return np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]
    return x


# ---- Every way ----


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("way", WAYS)
def test_each_way_adds_to_out_in_v1s_order(way, shape, dtype, every_isa):
    a, b = operands(*shape, dtype)
    start = spread((shape[0], shape[2]), dtype, 2)
    expected = oracle(a, b, start)
    for threads in (1, 3):
        out = start.copy()
        with kael.num_threads(threads):
            getattr(ladder, way)(*tensors(a, b, out))
        assert bits_equal(out, expected), threads


@pytest.mark.parametrize("dtype", FLOATS)
def test_every_count_of_columns_left_over(dtype, every_isa):
    """Widths of tiles, whole and half, on few rows and many; nothing is written beside them."""
    a, b = operands(15, 40, 68, dtype)
    expected = oracle(a, b)
    for rows in (1, 4, 15):
        for columns in range(1, 68):
            for name in ("plain", "transposed"):
                buffer = np.full((rows, 70), 7, dtype)
                x, y, out = tensors(a[:rows], layout(name, b[:, :columns].copy()), buffer)
                kael.matmul(x, y, out=out[:, :columns])
                assert bits_equal(buffer[:, :columns], expected[:rows, :columns]), (rows, columns)
                assert (buffer[:, columns:] == 7).all(), (rows, columns, name)


# What matmul takes for which operands: rows, inner, columns, layout of b.
CHOICES = {
    "direct": [
        (64, 784, 128, "plain"),
        (1, 30, 40, "plain"),
        (9, 4, 70, "plain"),
        (2, 600, 130, "plain"),
    ],
    "stream": [(2, 600, 3600, "plain"), (14, 1100, 2000, "plain"), (16, 2100, 1100, "plain")],
    "turned": [(1, 1030, 300, "transposed"), (4, 600, 270, "transposed")],
    "panels": [
        (26, 70, 90, "transposed"),
        (61, 70, 1100, "plain"),
        (17, 2100, 1100, "plain"),
        (40, 90, 30, "negative"),
        (66, 2050, 270, "transposed"),
        (40, 4096, 170, "transposed"),
    ],
    "packed": [(1030, 520, 41, "transposed"), (1100, 1024, 33, "transposed")],
}


@pytest.mark.parametrize(("way", "case"), [(w, c) for w in CHOICES for c in CHOICES[w]], ids=str)
def test_matmul_goes_every_way(way, case):
    """Each is the choice for some operands, and gives v1's bits there, a bias fused or not."""
    rows, inner, columns, name = case
    a, b = operands(rows, inner, columns)
    x, y = tensors(a, layout(name, b))
    assert ladder.way(x, y) == way
    expected = oracle(a, b)
    bias = spread((columns,), "float32", 3)
    for threads in (1, 4):
        with kael.num_threads(threads):
            assert bits_equal(kael.matmul(x, y), expected)
            assert bits_equal(kael.linear(x, y.T, *tensors(bias)), expected + bias)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("batch", [(3,), (2, 2)])
def test_fused_bias_of_batches(batch, dtype, every_isa):
    x, weight = spread((*batch, 9, 40), dtype), spread((33, 40), dtype, 1)
    bias = spread((33,), dtype, 2)
    for name in ("plain", "transposed", "sliced", "negative"):
        found = kael.linear(*tensors(x, layout(name, weight), bias))
        for index in np.ndindex(batch):
            assert bits_equal(found[index], oracle(x[index], weight.T) + bias), name
    wide = spread((*batch, 9, 80), dtype, 4)[..., ::2]  # rows that no batch can be folded into
    found = kael.linear(*tensors(wide[:, ::2], weight, bias))
    assert bits_equal(found[0], kael.linear(*tensors(wide[:, ::2][0].copy(), weight, bias)))


@pytest.mark.parametrize("dtype", FLOATS)
def test_rows_are_the_same_alone_in_twos_and_in_hundreds(dtype, every_isa):
    """pytorch#136338: whichever way and height of tile a row meets."""
    a, b = operands(300, 520, 70, dtype)
    x, y = tensors(a, b)
    whole = np.asarray(kael.matmul(x, y))
    for size in (1, 2, 100, 128):
        for first in range(0, 300, size * 7 if size < 3 else size):
            rows = slice(first, first + size)
            assert bits_equal(kael.matmul(x[rows], y), whole[rows]), (size, first)


# ---- Threads ----


def test_one_to_sixteen_threads():
    a, b = tensors(*operands(200, 530, 210))
    results = []
    for threads in range(1, 17):
        with kael.num_threads(threads):
            results.append([np.asarray(kael.matmul(a, b)), np.asarray(kael.matmul(b.T, a.T).T)])
    assert bits_equal(results[0][0], results[0][1])
    for found in results:
        assert all(map(bits_equal, found, results[0]))


@pytest.mark.native
@pytest.mark.parametrize(("shape", "threads"), [((387, 513, 4100), 4), ((1000, 513, 70), 7)])
def test_ragged_products_of_many_threads(shape, threads):
    a, b = operands(*shape)
    expected = oracle(a, b, isa=kael.get_isa())
    x, y = tensors(a, b)
    with kael.num_threads(threads):
        assert bits_equal(kael.matmul(x, y), expected)
        for way in WAYS if kael.get_isa() != "generic" else ():  # an oracle takes seconds there
            out = np.zeros_like(expected)
            getattr(ladder, way)(x, y, kael.from_numpy(out))
            assert bits_equal(out, expected), way


# ---- Integers ----


INTEGER_CHOICES = {
    "direct": (64, 530, 96, "plain"),
    "stream": (3, 600, 14528, "plain"),
    "turned": (2, 530, 270, "transposed"),
    "panels": (40, 530, 90, "transposed"),
    "packed": (None, 530, 40, "transposed"),  # rows as many as 2 MiB hold of blocks, and more
}


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("way", INTEGER_CHOICES)
def test_integers_are_exact_whichever_way(way, dtype, every_isa):
    rows, inner, columns, name = INTEGER_CHOICES[way]
    rows = rows or (2 << 20) // (512 * np.dtype(dtype).itemsize) + 6
    a, b = operands(rows, inner, columns, dtype)
    wide = a.astype("uint64") @ b.astype("uint64")  # modulo 2**64, and so modulo any 2**w
    x, y = tensors(a, layout(name, b))
    assert ladder.way(x, y) == way
    for threads in (1, 5):
        with kael.num_threads(threads):
            assert bits_equal(kael.matmul(x, y), wide.astype(dtype)), threads


@pytest.mark.parametrize("dtype", INTEGERS)
def test_every_small_size_of_integers(dtype, every_isa):
    """Columns that do not fill a vector, onto sums of more than one inner block, too."""
    a, b, old = (spread(shape, dtype, i) for i, shape in enumerate([(9, 530), (530, 70), (9, 70)]))
    wide = a.astype("uint64") @ b.astype("uint64")
    for columns in range(1, 71):
        rows = 1 + columns % 9
        x, y = kael.from_numpy(a[:rows]), kael.from_numpy(b[:, :columns])
        expected = wide[:rows, :columns].astype(dtype)
        assert bits_equal(x @ y, expected), (rows, columns)
        assert bits_equal(x @ y.T.contiguous().T, expected), (rows, columns)
        out = old[:rows, :columns].copy()
        ladder.multiply_exact(x.contiguous(), y.contiguous(), kael.from_numpy(out))
        with np.errstate(over="ignore"):
            assert bits_equal(out, expected + old[:rows, :columns]), (rows, columns)


@pytest.mark.parametrize("dtype", [*INTEGERS, "float32", "float64"])
def test_nothing_is_read_beyond_a_single_column(dtype, every_isa, at_page_end):
    """The stride of a dim of size 1 may be anything: here that of a transposed row."""
    for inner in (1, 3, 70, 500):
        column = kael.from_numpy(at_page_end(inner, dtype)).reshape(1, inner).T
        for rows in (1, 3):
            found = kael.ones(rows, inner, dtype=getattr(kael, dtype)) @ column
            expected = np.full((rows, 1), inner, np.int64).astype(dtype)
            assert bits_equal(found, expected), (inner, rows)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("step", [1, 3, -2])
def test_dot_of_integers_is_exact(dtype, step, every_isa):
    for size in (0, 1, 7, 100, 40000):
        a, b = spread((size * abs(step),), dtype), spread((size * abs(step),), dtype, 1)
        a, b = a[::step], b[::step]
        expected = (a.astype("uint64") * b.astype("uint64")).sum(dtype="uint64").astype(dtype)
        for threads in (1, 3):
            with kael.num_threads(threads):
                found = kael.dot(*tensors(a, b))
            assert found.shape == () and bits_equal(found, expected)


def test_dot_of_floats_reads_any_strides(every_isa):
    a, b = spread((40000,), "float64"), spread((40000,), "float64", 1)
    for x, y in [(a[::3], b[::3]), (a[::-1], b), (np.broadcast_to(a[5], (30000,)), b[:30000])]:
        assert bits_equal(kael.dot(*tensors(x, y)), kael.dot(*tensors(x.copy(), y.copy())))


# ---- Operands as they come ----


def block(nbytes):
    """What the allocator reserves for a request; see AllocatorStats."""
    return -(-nbytes // 512) * 512 if nbytes <= 65536 else 1 << (nbytes - 1).bit_length()


def scratch(run):
    """Bytes that a call reserves besides its result, which is of float32."""
    kael.empty_cache()
    before = kael.allocator_stats().reserved_bytes
    out = run()
    return kael.allocator_stats().reserved_bytes - before - block(4 * out.numel())


needs_cache = pytest.mark.skipif(
    not kael.show_config("dict")["allocator"]["cache built"]
    or not kael.caching_allocator_enabled(),
    reason="counts what the cache holds",
)


@needs_cache
@pytest.mark.parametrize("name", ["transposed", "sliced", "negative", "broadcast"])
@pytest.mark.parametrize("side", ["a", "b"])
def test_no_operand_is_copied(side, name):
    """A copy would take 16 MiB; scratch holds an inner block of 512 steps at most."""
    big = np.ones((2048, 2048), "float32")
    big = np.broadcast_to(big[:1], big.shape) if name == "broadcast" else layout(name, big)
    (big,) = tensors(big)
    small = kael.ones(20, 2048) if side == "b" else kael.ones(2048, 20)
    run = (lambda: small @ big) if side == "b" else (lambda: big @ small)
    with kael.num_threads(2):
        run()
        assert scratch(run) <= 8 << 20


@needs_cache
def test_a_transposed_operand_costs_scratch_and_no_more():
    x, w, batch = kael.ones(60, 1020), kael.ones(512, 1020), kael.ones(4, 15, 1020)
    panel = block(4 * 512 * 128 + 128)  # of b, at its widest
    with kael.num_threads(1):
        assert ladder.way(x, w.T) == "panels"
        assert scratch(lambda: x @ w.T) <= panel
        assert scratch(lambda: kael.linear(x, w)) == scratch(lambda: x @ w.T)
        assert scratch(lambda: batch @ w.T) <= panel
        assert scratch(lambda: batch.mT[:, :20] @ batch[:, :, :30]) == 0
        assert scratch(lambda: kael.einsum("bri,ci->brc", batch, w)) <= panel


def packed(a, b):
    out = kael.zeros(a.shape[0], b.shape[1])
    ladder.packed(a, b, out)
    return out


@needs_cache
@pytest.mark.native  # takes minutes where fma is emulated
@pytest.mark.parametrize("threads", [1, 2])
def test_scratch_of_a_large_product_is_16_mib_at_most(threads):
    """As of 4096 x 4096: it depends on the columns, and on no more than one block of the rest."""
    rows = (150 if kael.get_isa() == "generic" else 400) * threads
    a, b, turned = kael.ones(rows, 1024), kael.ones(1024, 4096), kael.ones(4096, 1024).T
    with kael.num_threads(threads):
        assert 0 < scratch(lambda: packed(a, b)) <= 16 << 20
        assert 0 < scratch(lambda: a @ turned) <= 16 << 20
        assert 0 < scratch(lambda: a @ b) <= 16 << 20


@pytest.mark.native
@pytest.mark.skipif(
    kael.show_config("dict")["build"]["sanitizer"] != "none",
    reason="a sanitizer's shadow memory exceeds the limit",
)
@pytest.mark.parametrize(
    "call",
    [
        "kael.matmul(a, b, out=out)",
        "kael.matmul(stack, b, out=batch)",
        "kael.matmul(a, b.T.clone().T, out=out)",
        "kael.matmul_versions.v6_threaded(a, b, out)",
        "kael.matmul_versions.v4_packed(a, b, out)",
        "kael.matmul_versions.v3_tiled(a, b, out)",
    ],
)
def test_failing_scratch_leaves_out_untouched(call):
    out = run_script(
        f"""
        import resource, kael
        kael.set_num_threads(16)  # each wants scratch of its own
        a, b = kael.ones(40, 1024), kael.ones(1024, 4096)
        stack = kael.ones(3, 80, 1024)[:, :40]
        out, batch = kael.full((40, 4096), 7.0), kael.full((3, 40, 4096), 7.0)
        call = lambda: {call}
        kael.matmul(a[:2, :2], b[:2, :2])
        pages = int(open("/proc/self/statm").read().split()[0])
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        tight = pages * resource.getpagesize() + (100 << 10)
        resource.setrlimit(resource.RLIMIT_AS, (tight, hard))
        try:
            call()
        except MemoryError:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
            print((out == 7.0).all().item(), (batch == 7.0).all().item())
        call()
        print((out[0, 0].item() != 7.0) + (batch[0, 0, 0].item() != 7.0))
        """,
        # One arena: a worker that makes one of its own maps twice its size for a moment, and a
        # limit taken in that moment is too wide.
        env={"KAEL_NO_CACHING_ALLOCATOR": "1", "MALLOC_ARENA_MAX": "1"},
    )
    assert out == "True True\n1\n"
