"""Numerics R7: a value depends on seed, position and index only; and it is random enough."""

import copy
import pickle
import threading

import numpy as np
import pytest
from conftest import at_offset, bits_equal

import kael
from kael import random, random_fill
from kael._kernels import random as kernels

DTYPES = (kael.float32, kael.float64)
DRAWS = {
    "rand_f32": lambda n, g: random.rand(n, generator=g),
    "rand_f64": lambda n, g: random.rand(n, generator=g, dtype=kael.float64),
    "randn_f32": lambda n, g: random.randn(n, generator=g),
    "randn_f64": lambda n, g: random.randn(n, generator=g, dtype=kael.float64),
    "randint": lambda n, g: random.randint(-5, 1000, (n,), generator=g),
    "randint_large": lambda n, g: random.randint(-(2**63), 2**62, (n,), generator=g),
    "bernoulli": lambda n, g: random_fill.bernoulli_(kael.empty(n), 0.3, generator=g),
}


def generator(seed=0):
    return random.Generator(seed)


@pytest.fixture(params=DRAWS)
def draw(request):
    return DRAWS[request.param]


def test_philox_gives_the_published_blocks():
    # kat_vectors of Random123, philox 4x32 with 10 rounds
    ones = 0xFFFFFFFF
    known = [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((ones,) * 4, (ones,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ]
    for counter, key, block in known:
        assert kernels.philox(counter, key) == block


def test_uniform_values_are_the_blocks_words_in_order():
    seed = 0x123456789ABCDEF
    key = (seed & 0xFFFFFFFF, seed >> 32)
    words = [w for block in range(3) for w in kernels.philox((block, 0, 0, 0), key)]
    expected = np.array([(w >> 8) * 2.0**-24 for w in words], np.float32)
    assert bits_equal(random.rand(12, generator=generator(seed)), expected)
    wide = [kernels.philox((block, 0, 1, 0), key) for block in range(3)]
    pairs = [(b[k] << 32 | b[k + 1]) >> 11 for b in wide for k in (0, 2)]
    expected = np.array([p * 2.0**-53 for p in pairs])
    assert bits_equal(random.rand(6, generator=generator(seed), dtype=kael.float64), expected)


def test_normal_values_are_box_mullers():
    words = np.array([kernels.philox((b, 0, 2, 0), (7, 0)) for b in range(1000)], np.float64)
    u, turns = (words[:, ::2] + 0.5) * 2.0**-32, np.floor(words[:, 1::2] / 256) * 2.0**-24 - 0.5
    radius = np.sqrt(-2 * np.log(u))
    expected = np.empty((1000, 4))
    expected[:, ::2] = radius * np.cos(2 * np.pi * turns)
    expected[:, 1::2] = radius * np.sin(2 * np.pi * turns)
    got = np.asarray(random.randn(4000, generator=generator(7)))
    # float32's rounding of u near 1 moves a radius near 0 by up to 2e-4
    assert np.abs(got - expected.ravel()).max() < 3e-4
    assert np.median(np.abs(got - expected.ravel())) < 1e-7


def test_normal_values_of_double_are_accurate():
    words = [kernels.philox((b, 0, 3, 0), (7, 0)) for b in range(1000)]
    unit = np.array([[(w[k] << 32 | w[k + 1]) >> 11 for k in (0, 2)] for w in words]) * 2.0**-53
    radius = np.sqrt(-2 * np.log1p(-unit[:, 0]))
    angle = 2 * np.pi * (unit[:, 1] - 0.5)
    expected = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).ravel()
    got = np.asarray(random.randn(2000, generator=generator(7), dtype=kael.float64))
    assert np.abs(got - expected).max() < 1e-14


def test_a_short_draw_begins_a_long_one(draw):
    # pytorch/pytorch#80202: the first values depended on the number asked for
    long = np.asarray(draw(100_003, generator()))
    for n in (0, 1, 2, 3, 4, 5, 7, 16, 257, 1023, 1024, 1025, 4099):
        assert bits_equal(draw(n, generator()), long[:n])


@pytest.mark.parametrize("parts", [(3, 5), (1, 1, 1, 5), (7, 1), (2, 0, 6), (1023, 2, 4096, 1)])
def test_split_draws_equal_one_draw(draw, parts):
    g = generator(3)
    split = np.concatenate([np.asarray(draw(n, g)) for n in parts])
    assert bits_equal(split, draw(sum(parts), generator(3)))


def test_every_isa_and_thread_count_agree(draw):
    n = 300_001
    with kael.isa("generic"), kael.num_threads(1):
        expected = np.asarray(draw(n, generator(9)))
    for isa in kael.usable_isas():
        for threads in (1, 2, 3, 7):
            with kael.isa(isa), kael.num_threads(threads):
                assert bits_equal(draw(n, generator(9)), expected), (isa, threads)


def test_draws_do_not_share_bits_across_kinds():
    g = generator(1)
    a = np.asarray(random.rand(1000, generator=g))
    g.manual_seed(1)
    b = np.asarray(random.rand(1000, generator=g, dtype=kael.float64))
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.1


def test_positions_beyond_32_bits_and_at_the_end():
    g = generator(5)
    for position in (2**34 - 3, 2**63, 2**64 - 8):
        g.stream_state = 5, position
        whole = np.asarray(random.randn(8, generator=g))
        g.stream_state = 5, position + 3
        assert bits_equal(random.randn(5, generator=g), whole[3:])
    assert g.stream_state == (5, 0)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
def test_uniform_statistics(dtype):
    x = np.asarray(random.rand(1_000_000, generator=generator(11), dtype=dtype), np.float64)
    assert x.min() >= 0 and x.max() < 1
    assert abs(x.mean() - 0.5) < 5 * np.sqrt(1 / 12 / x.size)
    assert abs(x.var() - 1 / 12) < 1e-3
    counts = np.histogram(x, 100, (0, 1))[0]
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 160  # chi squared, 99 degrees of freedom
    assert abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < 0.005


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
def test_normal_statistics(dtype):
    x = np.asarray(random.randn(1_000_000, generator=generator(12), dtype=dtype), np.float64)
    assert np.isfinite(x).all()
    assert abs(x.mean()) < 5e-3 and abs(x.var() - 1) < 1e-2
    assert abs((x**3).mean()) < 2e-2 and abs((x**4).mean() - 3) < 5e-2
    for k in (1, 2, 3, 4):
        assert abs(np.corrcoef(x[:-k], x[k:])[0, 1]) < 0.005
    inside = [(np.abs(x) < s).mean() for s in (1, 2, 3)]
    assert np.allclose(inside, [0.682689, 0.954500, 0.997300], atol=2e-3)
    assert np.abs(x).max() > 4.5


def test_integers_are_uniform_and_within_limits():
    x = np.asarray(random.randint(-3, 4, (700_000,), generator=generator(2)))
    values, counts = np.unique(x, return_counts=True)
    assert values.tolist() == [-3, -2, -1, 0, 1, 2, 3]
    assert ((counts - 100_000) ** 2 / 100_000).sum() < 30
    assert np.unique(np.asarray(random.randint(1, (50,)))).tolist() == [0]
    whole = np.asarray(random.randint(-(2**63), 2**63, (10_000,), generator=generator(2)))
    assert whole.min() < -(2**62) and whole.max() > 2**62


def test_integers_reject_the_uneven_rest_with_the_next_attempt():
    # three quarters of 2**64: about one value in four needs another attempt
    span = 3 * 2**62
    got = np.asarray(random.randint(0, span - 2**63, (1,), generator=generator(1)))
    assert got.dtype == np.int64
    low = -(2**63)
    drawn = [
        int(v) - low
        for v in np.asarray(random.randint(low, low + span, (400,), generator=generator(8)))
    ]
    uneven = (1 << 64) % span
    repeats = 0
    for p, value in enumerate(drawn):
        attempt = 0
        while True:
            block = kernels.philox((p // 2, 0, 4, attempt), (8, 0))
            product = (block[2 * (p % 2)] << 32 | block[2 * (p % 2) + 1]) * span
            if product % (1 << 64) >= uneven:
                break
            attempt += 1
        repeats += attempt
        assert value == product >> 64
    assert repeats > 50


def test_randint_dtypes_and_arguments():
    assert random.randint(5, (2, 3)).dtype is kael.int64
    assert random.randint(5, 6, size=(2,), dtype=kael.int32).dtype is kael.int32
    assert np.asarray(random.randint(0, 256, (4096,), dtype=kael.uint8)).max() == 255
    assert random.randint(3, size=4).shape == (4,)
    for arguments, words in [
        ((3, 3, (1,)), "low=3, high=3"),
        ((0, 2**31 + 1, (1,), kael.int32), "does not fit in int32"),
        ((-1, 2, (1,), kael.uint8), "does not fit in uint8"),
    ]:
        with pytest.raises(ValueError, match=words):
            random.randint(*arguments[:3], dtype=(*arguments, None)[3])
    with pytest.raises(TypeError, match="randint"):
        random.randint(3)


def test_bernoulli_probabilities():
    x = np.asarray(random_fill.bernoulli_(kael.empty(1_000_000), 0.25, generator=generator(4)))
    assert set(np.unique(x)) == {0.0, 1.0}
    assert abs(x.mean() - 0.25) < 3e-3
    assert np.asarray(random_fill.bernoulli_(kael.empty(1000), 0.0)).sum() == 0
    assert np.asarray(random_fill.bernoulli_(kael.empty(1000), 1.0)).sum() == 1000
    with pytest.raises(ValueError, match=r"p must be in \[0, 1\], got 1.5"):
        random_fill.bernoulli_(kael.empty(1), 1.5)


def test_randperm_is_a_uniform_permutation():
    for n in (0, 1, 2, 10, 4099):
        assert np.sort(np.asarray(random.randperm(n))).tolist() == list(range(n))
    g = generator(6)
    seen = [tuple(np.asarray(random.randperm(4, generator=g))) for _ in range(24_000)]
    counts = np.unique(seen, axis=0, return_counts=True)[1]
    assert len(counts) == 24
    assert ((counts - 1000) ** 2 / 1000).sum() < 60
    assert random.randperm(3, dtype=kael.int32).dtype is kael.int32
    with pytest.raises(ValueError, match="negative, got -1"):
        random.randperm(-1)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
def test_filling_in_place_with_parameters(dtype):
    x = kael.empty(1000, dtype=dtype)
    unit = np.asarray(random.rand(1000, dtype=dtype, generator=generator(1)))
    low, width = unit.dtype.type(-2.0), unit.dtype.type(5.0)
    assert random_fill.uniform_(x, -2.0, 3.0, generator=generator(1)) is x
    assert bits_equal(x, low + width * unit)
    z = np.asarray(random.randn(1000, dtype=dtype, generator=generator(1)))
    random_fill.normal_(x, 10.0, 0.5, generator=generator(1))
    assert bits_equal(x, unit.dtype.type(10.0) + unit.dtype.type(0.5) * z)


def test_filling_a_view_changes_only_the_view():
    base = kael.zeros(6, 4)
    random_fill.normal_(base.transpose(0, 1)[1:3], generator=generator(1))
    expected = random.randn(2, 6, generator=generator(1))
    got = np.asarray(base)
    assert bits_equal(got[:, 1:3].T, expected)
    assert not got[:, ::3].any()


def test_refused_fills_leave_the_generator_where_it_was():
    g = generator(1)
    for fill, words in [
        (lambda: random_fill.uniform_(kael.zeros(3, dtype=kael.int64), generator=g), "int64"),
        (lambda: random.rand(3, dtype=kael.int32, generator=g), "int32"),
    ]:
        with pytest.raises(TypeError, match=words):
            fill()
    with pytest.raises(ValueError, match="-1"):
        random.rand(-1, generator=g)
    assert g.stream_state == (1, 0)


def test_generator_state_seed_copies_and_pickles():
    g = generator(42)
    random.randn(13, generator=g)
    state = g.get_state()
    expected = random.randn(5, generator=g)
    for twin in (
        generator().set_state(state), g.set_state(state).clone_state(),
        pickle.loads(pickle.dumps(g)), copy.deepcopy(g), copy.copy(g),
    ):  # fmt: skip
        assert twin.initial_seed() == 42
        assert bits_equal(random.randn(5, generator=twin), expected)
    assert generator(-1).initial_seed() == 2**64 - 1
    assert g.seed() == g.initial_seed()
    for bad in (2**64, -(2**63) - 1):
        with pytest.raises(ValueError, match="manual_seed"):
            g.manual_seed(bad)
    with pytest.raises(TypeError):
        g.manual_seed(1.5)
    with pytest.raises(TypeError, match="generator must be a Generator"):
        random.rand(1, generator=3)


@pytest.mark.parametrize("state", [(1,), (), [1], (1, 2, 3)])
def test_a_stream_state_is_a_pair(state):
    g = generator(4)
    with pytest.raises(ValueError, match="unpack"):
        g.stream_state = state
    assert g.stream_state == (4, 0)


def test_manual_seed_restarts_the_default_generator():
    assert random.manual_seed(0) is random.default_generator
    first = random.randn(7)
    assert bits_equal(random.randn(7, generator=generator(0)), first)
    state = random.get_rng_state()
    second = random.rand(3)
    random.set_rng_state(state)
    assert bits_equal(random.rand(3), second)
    random.manual_seed(0)
    assert bits_equal(random.randn(7), first)


def test_concurrent_draws_never_share_values():
    g = generator(10)
    found = []

    def work():
        found.extend(np.asarray(random.randint(0, 2**62, (501,), generator=g)) for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    drawn = np.concatenate(found)
    assert g.stream_state == (10, drawn.size)
    whole = np.asarray(random.randint(0, 2**62, (drawn.size,), generator=generator(10)))
    assert np.array_equal(np.sort(drawn), np.sort(whole))


@pytest.mark.parametrize("fill", ["uniform_", "normal_", "bernoulli_"])
def test_fills_have_the_same_bits_in_any_layout(fill, every_isa):
    for dtype in ("float32", "float64"):
        want = getattr(kael.empty(3, 5, dtype=dtype), fill)(generator=generator(3))
        for x in (
            kael.empty(5, 3, dtype=dtype).T,
            kael.empty(6, 10, dtype=dtype)[::2, 1::2],
            *(kael.from_numpy(at_offset(np.zeros((3, 5), dtype), k)) for k in range(1, 8)),
        ):
            version = x._version
            assert getattr(x, fill)(generator=generator(3)) is x
            assert bits_equal(x, want) and x._version > version
    with pytest.raises(RuntimeError, match=f"{fill}: the tensor's memory is read-only"):
        getattr(kael.from_numpy(np.broadcast_to(np.float32(1), (3, 5))), fill)()
    with pytest.raises(RuntimeError, match=f"{fill}: an expanded tensor"):
        getattr(kael.ones(1).expand(3), fill)()
    with pytest.raises(TypeError, match=f"{fill}: fills float32 and float64 tensors, got int64"):
        getattr(kael.arange(3), fill)()


def test_draws_that_the_dtype_does_not_hold():
    """Of the kind of pytorch#59756: wrapped numbers are no permutation."""
    for n, dtype in ((257, "uint8"), (2**24 + 2, "float32"), (3, "bool")):
        with pytest.raises(ValueError, match=f"randperm: 0 to {n - 1} do not fit in {dtype}"):
            kael.randperm(n, dtype=dtype)
    assert sorted(kael.randperm(256, dtype="uint8").tolist()) == list(range(256))
    for dtype, great in (("float32", 3e38), ("float64", 1.7e308)):
        with pytest.raises(ValueError, match=f"uniform_: high - low .* range of {dtype}"):
            kael.empty(3, dtype=dtype).uniform_(-great, great)


@pytest.mark.parametrize("p", [-0.1, 1.5, float("nan"), float("inf")])
def test_what_is_no_probability(p):
    with pytest.raises(ValueError, match="bernoulli: the probabilities must be in"):
        kael.bernoulli(kael.tensor([0.5, p]))
