"""The caching allocator: size classes, books, the cap, the switches, and lifetimes."""

import gc
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import HANGS, run_script

import kael
from kael._kernels import runtime
from kael._kernels.storage import allocate

GIB = 1 << 30
cache_built = runtime.build_report()[2] == ""
cached_only = pytest.mark.skipif(not cache_built, reason="sanitizer builds have no cache")


@pytest.fixture(autouse=True)
def fresh_cache():
    """Every test starts and ends with an empty cache, caching as it was."""
    gc.collect()
    enabled = kael.caching_allocator_enabled()
    kael.empty_cache()
    yield
    gc.collect()
    kael.set_caching_allocator_enabled(enabled)
    kael.empty_cache()


class Delta:
    """How the books have changed since it was made; checks that they balance."""

    def __init__(self):
        self.before = kael.allocator_stats()

    def __call__(self):
        now = kael.allocator_stats()
        assert now.reserved_bytes == now.in_use_bytes + now.cached_bytes
        return kael.AllocatorStats(*(b - a for a, b in zip(self.before, now, strict=True)))


# ---- Size classes ----


@pytest.mark.parametrize(
    ("nbytes", "capacity"),
    [
        (1, 512),
        (24, 512),
        (512, 512),
        (513, 1024),
        (65_535, 65_536),
        (65_536, 65_536),
        (65_537, 131_072),
        (131_072, 131_072),
        (131_073, 262_144),
        (1_000_000, 1_048_576),
        (4_000_000, 4_194_304),
    ],
)
def test_requests_reserve_their_size_class(nbytes, capacity):
    delta = Delta()
    block = allocate(nbytes)
    assert delta() == (capacity, capacity, 0, 0, 1)
    assert block.nbytes == nbytes
    del block
    kept = capacity if cache_built else 0
    assert delta() == (kept, 0, kept, 0, 1)


def test_every_class_holds_its_requests_and_is_a_fixed_point():
    sizes = [*range(1, 70_000, 13), *(2**p + d for p in range(16, 62) for d in (-1, 0, 1))]
    for nbytes in sizes:
        capacity = runtime.block_capacity(nbytes)
        assert capacity >= nbytes
        assert runtime.block_capacity(capacity) == capacity
        assert capacity < nbytes + 512 if nbytes <= 65_536 else capacity < 2 * nbytes
    assert runtime.block_capacity(2**62) == 2**62
    assert runtime.block_capacity(2**62 + 1) == 0
    assert runtime.block_capacity(2**63 - 1) == 0


@cached_only
def test_sizes_of_one_class_share_blocks_and_others_do_not():
    delta = Delta()
    address = allocate(1000).address
    block = allocate(700)
    assert block.address == address
    assert delta() == (1024, 1024, 0, 1, 1)
    other = allocate(1025)
    assert other.address != address
    assert delta() == (2560, 2560, 0, 1, 2)


# ---- Blocks ----


@pytest.mark.parametrize("nbytes", [1, 63, 512, 513, 4096, 65_537, 3_000_000])
def test_blocks_are_aligned_new_and_reused(nbytes):
    first = [allocate(nbytes) for _ in range(5)]
    assert all(block.address % 64 == 0 for block in first)
    assert len({block.address for block in first}) == 5
    del first
    assert all(allocate(nbytes).address % 64 == 0 for _ in range(5))


def test_zero_bytes_stay_null():
    delta = Delta()
    block = allocate(0)
    assert (block.address, block.nbytes) == (0, 0)
    assert bytes(block) == b""
    del block
    assert delta() == (0, 0, 0, 0, 0)


def test_a_block_holds_what_is_written_to_its_end():
    for nbytes in (1, 511, 512, 65_536, 65_537, 1_000_001):
        block = np.frombuffer(allocate(nbytes), np.uint8)
        block[:] = np.arange(nbytes) % 251
        assert np.array_equal(block, np.arange(nbytes) % 251)


def test_a_view_keeps_its_block_alive_across_empty_cache():
    delta = Delta()
    array = np.frombuffer(allocate(1000), np.uint8)
    array[:] = 7
    kael.empty_cache()
    others = [np.frombuffer(allocate(1000), np.uint8) for _ in range(10)]
    for other in others:
        other[:] = 9
    assert (array == 7).all()
    del others, other
    kael.empty_cache()
    assert delta()[:3] == (1024, 1024, 0)


def test_a_storage_cannot_be_made_by_its_class():
    with pytest.raises(TypeError, match="allocate"):
        type(allocate(1))()


# ---- Reuse ----


@cached_only
def test_hits_misses_and_last_in_first_out():
    delta = Delta()
    addresses = []
    for _ in range(10):
        block = allocate(100_000)
        addresses.append(block.address)
        del block
    assert len(set(addresses)) == 1
    assert delta() == (131_072, 0, 131_072, 9, 1)


def test_empty_cache_gives_everything_back():
    blocks = [allocate(n) for n in (1, 1000, 70_000, 5_000_000)]
    delta = Delta()
    del blocks
    kael.empty_cache()
    after = delta()
    assert after.reserved_bytes == after.in_use_bytes
    assert after.cached_bytes == 0
    assert kael.allocator_stats().cached_bytes == 0


@cached_only
def test_a_block_over_the_cap_is_not_kept():
    delta = Delta()
    block = allocate(2 * GIB)
    assert delta() == (2 * GIB, 2 * GIB, 0, 0, 1)
    del block
    assert delta() == (0, 0, 0, 0, 1)


@cached_only
def test_the_cache_holds_exactly_one_gib():
    delta = Delta()
    block = allocate(GIB)  # never touched, so no memory is used
    small = allocate(1)
    del block
    assert delta()[:3] == (GIB + 512, 512, GIB)
    del small
    assert delta()[:3] == (GIB, 0, GIB)
    assert allocate(GIB - 5).nbytes == GIB - 5
    assert delta()[3:] == (1, 2)


@cached_only
def test_the_cap_counts_all_classes_together():
    delta = Delta()
    blocks = [allocate(GIB // 4) for _ in range(5)]
    del blocks
    assert delta()[:3] == (GIB, 0, GIB)


@cached_only
def test_turning_caching_off_in_mid_life():
    delta = Delta()
    block, cached = allocate(1000), allocate(2000)
    del cached
    assert delta().cached_bytes == 2048
    kael.set_caching_allocator_enabled(False)
    assert not kael.caching_allocator_enabled()
    assert delta()[:3] == (1024, 1024, 0)
    del block
    assert delta()[:3] == (0, 0, 0)
    allocate(1000)
    assert delta() == (0, 0, 0, 0, 3)
    kael.set_caching_allocator_enabled(True)
    assert kael.caching_allocator_enabled()
    allocate(1000)
    allocate(1000)
    assert delta() == (1024, 0, 1024, 1, 4)


def test_sanitizer_builds_have_no_cache():
    if not cache_built:
        kael.set_caching_allocator_enabled(True)
        assert not kael.caching_allocator_enabled()
    delta = Delta()
    allocate(1000)
    assert delta().cached_bytes == (1024 if cache_built else 0)


@pytest.mark.parametrize("value", ["0", "", "1"])
def test_the_environment_switch_counts_if_it_is_present_at_all(value):
    out = run_script(
        """
        import kael
        from kael._kernels.storage import allocate
        for _ in range(5):
            allocate(1000)
        print(kael.caching_allocator_enabled(), tuple(kael.allocator_stats()))
        """,
        {"KAEL_NO_CACHING_ALLOCATOR": value},
    )
    assert out == "False (0, 0, 0, 0, 5)\n"


# ---- Refusals ----


@pytest.mark.parametrize("nbytes", [2**62 + 1, 2**63 - 1])
def test_sizes_beyond_the_largest_class_are_refused(nbytes):
    allocate(1000)
    delta = Delta()
    with pytest.raises(MemoryError, match=f"cannot reserve {nbytes} bytes"):
        allocate(nbytes)
    assert delta() == (0, 0, 0, 0, 0)
    assert allocate(1000).nbytes == 1000


@pytest.mark.parametrize("nbytes", [2**50, 2**62])
def test_a_refusal_of_the_system_leaves_the_books_unchanged(nbytes):
    kept = allocate(1000)
    allocate(2000)
    delta = Delta()
    for _ in range(3):
        with pytest.raises(MemoryError, match=f"cannot reserve {nbytes} bytes"):
            allocate(nbytes)
        assert delta() == (0, 0, 0, 0, 0)
    assert allocate(1000).address != kept.address


def test_a_negative_size_is_refused():
    with pytest.raises(ValueError, match="-1"):
        allocate(-1)


@cached_only
@pytest.mark.native
@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
def test_a_refused_request_is_met_by_giving_cached_blocks_back():
    out = run_script(
        """
        import resource, kael
        from kael._kernels.storage import allocate
        blocks = [allocate(1 << 26) for _ in range(8)]
        del blocks
        pages = int(open("/proc/self/statm").read().split()[0])
        limit = pages * resource.getpagesize() + (1 << 26)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        print(kael.allocator_stats().cached_bytes == 1 << 29)
        block = allocate(1 << 28)
        stats = kael.allocator_stats()
        print(stats.in_use_bytes == stats.reserved_bytes == 1 << 28, stats.cached_bytes)
        """
    )
    assert out == "True\nTrue 0\n"


# ---- Threads ----


def test_concurrent_use_keeps_the_books_balanced():
    delta = Delta()
    start = threading.Barrier(8)

    def worker(seed):
        generator = np.random.default_rng(seed)
        held = []
        start.wait(HANGS)
        for nbytes in generator.integers(1, 200_000, 400):
            held.append(allocate(int(nbytes)))
            if len(held) > 10:
                del held[generator.integers(len(held))]
            delta()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(worker, range(8)))
    after = delta()
    assert after.in_use_bytes == 0
    assert after.hits + after.misses == 8 * 400


def test_stats_are_frozen():
    stats = kael.allocator_stats()
    assert isinstance(stats, kael.AllocatorStats)
    with pytest.raises(AttributeError):
        stats.hits = 0
    assert stats._fields == ("reserved_bytes", "in_use_bytes", "cached_bytes", "hits", "misses")


# ---- Tensors ----


def test_a_view_of_a_tensor_keeps_its_block_alive():
    delta = Delta()
    tensor = kael.full((100, 100), 7.0)
    view = tensor[3:50:7, 2]
    expected = view.tolist()
    del tensor
    kael.empty_cache()
    held = [kael.full((100, 100), 9.0) for _ in range(5)]
    assert view.tolist() == expected == [7.0] * 7
    del held
    kael.empty_cache()
    assert delta().in_use_bytes == 40_448  # 40 000 bytes in steps of 512
    del view
    assert delta().in_use_bytes == 0


def test_memory_stays_bounded_when_shapes_vary():
    # pytorch/pytorch#27971, #32596: memory grows with varying shapes
    draw = np.random.default_rng(0)
    shapes = ((64, 128), (128, 10))
    weights = [kael.from_numpy(draw.normal(size=s).astype(np.float32)) for s in shapes]

    def forward(batch):
        x = kael.full((batch, 64), 0.5)
        return ((x @ weights[0]).relu() @ weights[1]).softmax(1)

    reserved = []
    for step in range(600):
        forward(int(draw.integers(1, 65)))
        if step in (99, 599):
            reserved.append(kael.allocator_stats().reserved_bytes)
    assert reserved[1] <= 1.5 * reserved[0]


def test_failing_operations_leak_nothing():
    x = kael.full((3, 4), 1.0)
    integers = kael.full((5,), 1, dtype=kael.int64)
    zeros = kael.full((5,), 0, dtype=kael.int64)
    gc.collect()
    delta = Delta()
    for _ in range(1000):
        with pytest.raises(ValueError, match="matmul"):
            x @ x
        with pytest.raises((ValueError, RuntimeError)):
            x + kael.full((5,), 1.0)
        with pytest.raises(ZeroDivisionError):
            integers // zeros
        with pytest.raises(IndexError):
            x[7]
    gc.collect()
    assert delta().in_use_bytes == 0
