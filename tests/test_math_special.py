"""Elementary functions where C99's annex F says what they give (zeros, infinities, NaN, poles and
domain errors), and at the edges: denormal operands and results, overflow, signs."""

import math

import numpy as np
import pytest
from conftest import bits_equal

from kael._kernels import elementwise as kernels
from kael.interop import from_numpy
from kael.ops.elementwise import LARGEST_ERRORS

FLOATS = ("float32", "float64")
TWO = ("atan2", "hypot", "pow")
INF, NAN, PI = math.inf, math.nan, math.pi

# name: (argument, result). F.9 of C99; rsqrt by IEEE 754, sigmoid and gelu by their limits.
VALUES = {
    "acos": [(1, 0.0), (-1, PI), (1.5, NAN), (-INF, NAN), (INF, NAN), (0.0, PI / 2)],
    "asin": [(0.0, 0.0), (-0.0, -0.0), (1, PI / 2), (-1, -PI / 2), (-1.5, NAN), (INF, NAN)],
    "atan": [(0.0, 0.0), (-0.0, -0.0), (INF, PI / 2), (-INF, -PI / 2), (1, PI / 4)],
    "cos": [(0.0, 1), (-0.0, 1), (INF, NAN), (-INF, NAN)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN)],
    "cosh": [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, INF)],
    "sinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), (30, 1), (-30, -1)],
    "exp": [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, 0.0), (-1e30, 0.0), (1e30, INF)],
    "exp2": [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, 0.0), (3, 8), (-126, 2.0**-126)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1), (-1e30, -1)],
    "log": [(0.0, -INF), (-0.0, -INF), (1, 0.0), (-1, NAN), (-INF, NAN), (INF, INF)],
    "log2": [(0.0, -INF), (-0.0, -INF), (1, 0.0), (-1, NAN), (INF, INF), (1024, 10)],
    "log10": [(0.0, -INF), (-0.0, -INF), (1, 0.0), (-1, NAN), (INF, INF), (1e5, 5)],
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (-1, -INF), (-2, NAN), (-INF, NAN), (INF, INF)],
    "cbrt": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (-27, -3)],
    "rsqrt": [(0.0, INF), (-0.0, -INF), (INF, 0.0), (-1, NAN), (-INF, NAN), (4, 0.5)],
    "erf": [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1)],
    "erfc": [(0.0, 1), (-0.0, 1), (INF, 0.0), (-INF, 2), (1e30, 0.0)],
    "sigmoid": [(0.0, 0.5), (-0.0, 0.5), (INF, 1), (-INF, 0.0)],
    "gelu": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -0.0), (-1e30, -0.0)],
    "gelu_tanh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -0.0), (-1e30, -0.0)],
}


def unary(name, x):
    return np.asarray(kernels.unary(kernels.UNARY[name], from_numpy(x)))


def binary(name, x, y):
    return np.asarray(kernels.binary(kernels.BINARY[name], from_numpy(x), from_numpy(y)))


def assert_values(name, dtype, table):
    """Each row of operands and a result, the first three of them in one vector with others."""
    *operands, wanted = (np.array(column, dtype) for column in zip(*table, strict=True))
    found = (binary if name in TWO else unary)(name, *operands)
    for row, one, other in zip(table, found, wanted, strict=True):
        assert bits_equal(one, other), (name, row, one)
    for i in range(0, len(table), max(1, len(table) // 8)):  # alone in a longer array
        same = (np.full(37, column[i]) for column in operands)
        found = (binary if name in TWO else unary)(name, *same)
        assert bits_equal(found, np.full(37, wanted[i])), (name, table[i])


@pytest.mark.parametrize("dtype", FLOATS)
def test_values_of_annex_f(dtype, every_isa):
    assert {*VALUES, *TWO} == {*LARGEST_ERRORS}
    for name, table in VALUES.items():
        assert_values(name, dtype, [*table, (NAN, NAN)])


def quadrants(y, x, angle):
    """atan2 of (y, x) and (-y, x)."""
    return [(y, x, angle), (-y, x, -angle)]


@pytest.mark.parametrize("dtype", FLOATS)
def test_angles_of_annex_f(dtype, every_isa):
    tiny, huge = float(np.finfo(dtype).smallest_subnormal), float(np.finfo(dtype).max)
    finite = (tiny, 1.0, 3.0, huge)
    rows = [*quadrants(0.0, 0.0, 0.0), *quadrants(0.0, -0.0, PI)]
    for x in finite:
        rows += [*quadrants(0.0, x, 0.0), *quadrants(0.0, -x, PI)]
        rows += [*quadrants(x, 0.0, PI / 2), *quadrants(x, -0.0, PI / 2)]
        rows += [*quadrants(x, INF, 0.0), *quadrants(x, -INF, PI)]
        rows += [*quadrants(INF, x, PI / 2), *quadrants(INF, -x, PI / 2)]
        rows += [*quadrants(x, x, PI / 4), *quadrants(x, -x, 3 * PI / 4)]
        rows += [(x, NAN, NAN), (NAN, x, NAN)]
    rows += [*quadrants(INF, 0.0, PI / 2), *quadrants(INF, -0.0, PI / 2)]
    rows += [*quadrants(0.0, INF, 0.0), *quadrants(0.0, -INF, PI)]
    rows += [*quadrants(INF, INF, PI / 4), *quadrants(INF, -INF, 3 * PI / 4)]
    rows += [(v, NAN, NAN) for v in (0.0, INF)] + [(NAN, v, NAN) for v in (0.0, -INF, NAN)]
    rows += [*quadrants(tiny, huge, 0.0), *quadrants(huge, tiny, PI / 2)]
    rows += [*quadrants(3 * tiny, -huge, PI), *quadrants(tiny, 1.0, tiny)]
    assert_values("atan2", dtype, rows)


@pytest.mark.parametrize("dtype", FLOATS)
def test_distances_of_annex_f(dtype, every_isa):
    tiny, huge = float(np.finfo(dtype).smallest_subnormal), float(np.finfo(dtype).max)
    rows = [(3.0, 4.0, 5.0), (3 * tiny, 4 * tiny, 5 * tiny), (huge, huge, INF), (0.0, 0.0, 0.0)]
    rows += [(INF, NAN, INF), (huge, tiny, huge), (3e30, 4e30, np.dtype(dtype).type(5e30))]
    for x in (0.0, tiny, 1.0, huge, INF, NAN):
        rows += [(x, 0.0, x), (x, INF, INF), (x, NAN, INF if x == INF else NAN)]
    rows += [(y, x, r) for x, y, r in rows]
    rows += [(-x, y, r) for x, y, r in rows] + [(x, -y, r) for x, y, r in rows]
    assert_values("hypot", dtype, rows)


@pytest.mark.parametrize("dtype", FLOATS)
def test_powers_of_annex_f(dtype, every_isa):
    odd, even, fraction = (1.0, 3.0, 4097.0), (2.0, 4.0, 2.0**60), (0.5, 1.5, 7.25)
    rows = []
    for y in odd:
        rows += [(0.0, -y, INF), (-0.0, -y, -INF), (0.0, y, 0.0), (-0.0, y, -0.0)]
        rows += [(-INF, -y, -0.0), (-INF, y, -INF)]
    for y in even + fraction:
        rows += [(0.0, -y, INF), (-0.0, -y, INF), (0.0, y, 0.0), (-0.0, y, 0.0)]
        rows += [(-INF, -y, 0.0), (-INF, y, INF)]
    for y in odd + even + fraction:
        rows += [(INF, -y, 0.0), (INF, y, INF)]
    for y in (*odd, *even, *fraction, 0.0, INF, NAN):
        rows += [(1.0, y, 1.0), (1.0, -y, 1.0)]
    for x in (0.0, 0.25, 1.0, 3.0, INF, NAN):
        rows += [(x, 0.0, 1.0), (-x, 0.0, 1.0), (x, -0.0, 1.0), (-x, -0.0, 1.0)]
    for x in (0.25, 1.0, 3.0):
        rows += [(-x, y, NAN) for y in fraction] + [(-x, -y, NAN) for y in fraction]
    for x in (0.0, 2.0**-100, 0.75):
        rows += [(x, -INF, INF), (-x, -INF, INF), (x, INF, 0.0), (-x, INF, 0.0)]
    for x in (1.25, 2.0**100, INF):
        rows += [(x, -INF, 0.0), (-x, -INF, 0.0), (x, INF, INF), (-x, INF, INF)]
    rows += [(-1.0, INF, 1.0), (-1.0, -INF, 1.0), (-1.0, 2.0**60, 1.0), (-1.0, 3.0, -1.0)]
    rows += [(v, NAN, NAN) for v in (0.0, -2.0, INF, NAN)]
    rows += [(NAN, v, NAN) for v in (1.0, -2.0, INF)]
    rows += [(-2.0, 3.0, -8.0), (-2.0, -2.0, 0.25), (4.0, 0.5, 2.0), (2.0, 1e30, INF)]
    rows += [(-2.0, 1e30, INF), (2.0, -1e30, 0.0)]
    assert_values("pow", dtype, rows)


@pytest.mark.parametrize("dtype", FLOATS)
def test_denormals_are_kept(dtype, every_isa):
    """numpy/numpy#14049, #13400, #22772, jax-ml/jax#900: of operands, and of results."""
    kind = np.finfo(dtype)
    tiny = kind.smallest_subnormal
    x = np.concatenate([np.arange(1, 40) * tiny, [kind.tiny, kind.tiny - tiny, kind.tiny / 3]])
    x = np.concatenate([x, -x]).astype(dtype)
    for name in ("asin", "atan", "sin", "tan", "sinh", "tanh", "expm1", "log1p"):
        assert bits_equal(unary(name, x), x), name
    for name in ("cos", "cosh", "exp", "exp2", "erfc"):
        assert bits_equal(unary(name, x), np.ones_like(x)), name
    assert bits_equal(binary("atan2", x, np.ones_like(x)), x)
    assert bits_equal(binary("hypot", x, np.zeros_like(x)), np.abs(x))
    assert bits_equal(binary("pow", x, np.ones_like(x)), x)
    assert (np.abs(unary("erf", x) - x * np.array(2 / math.sqrt(PI), dtype)) <= tiny).all()
    root = (kind.nmant - kind.minexp) // 3
    found = unary("cbrt", np.ldexp(np.ones(1, dtype), -3 * root))
    assert bits_equal(found, np.ldexp(np.ones(1, dtype), -root))
    exponents = np.arange(kind.minexp - kind.nmant, kind.minexp + 3)
    powers = np.ldexp(np.array(1, dtype), exponents)
    assert bits_equal(unary("exp2", exponents.astype(dtype)), powers)
    assert bits_equal(binary("pow", np.full_like(powers, 2), exponents.astype(dtype)), powers)
    assert bits_equal(unary("log2", powers), exponents.astype(dtype))
    even = powers[exponents % 2 == 0]
    assert bits_equal(unary("rsqrt", even), 1 / np.sqrt(even))


@pytest.mark.parametrize("dtype", FLOATS)
def test_results_fall_through_the_denormals_to_zero(dtype, every_isa):
    """Each falling tail has denormals, never increases, and has the sign of its function."""
    single = dtype == "float32"
    ends = {
        "exp": (-80, -110) if single else (-700, -750), "exp2": (-120, -155),
        "sigmoid": (-80, -110) if single else (-700, -750), "erfc": (9, 11) if single else (26, 28),
        "gelu": (-12.5, -15) if single else (-37, -40), "gelu_tanh": (-9, -12),
    }  # fmt: skip
    if not single:
        ends |= {"exp2": (-1015, -1080), "gelu_tanh": (-20, -23)}
    tiny = np.finfo(dtype).tiny
    for name, (begin, end) in ends.items():
        found = unary(name, np.linspace(begin, end, 20_001).astype(dtype))
        negative = name.startswith("gelu")
        assert (np.signbit(found) == negative).all(), name
        size = np.abs(found)
        assert size[0] > tiny and size[-1] == 0, name
        assert ((size > 0) & (size < tiny)).sum() > 100, name
        steps = np.diff(size) / np.maximum(size[:-1], np.finfo(dtype).smallest_subnormal)
        assert (steps <= 2 * np.finfo(dtype).eps).all(), name


def test_exp_at_its_edges(every_isa):
    x = np.tile(np.array([-103, -104, 88.72283, 89], "float32"), 5)
    largest = float(np.float32(math.exp(np.float32(88.72283))))
    expected = np.tile(np.array([1.4e-45, 0, largest, np.inf], "float32"), 5)
    assert bits_equal(unary("exp", x), expected)


@pytest.mark.parametrize("name", ["exp", "exp2", "sigmoid", "erfc", "cosh", "hypot"])
def test_results_are_never_negative(name, every_isa):
    bits = np.arange(7, 1 << 32, 30_011, dtype=np.uint64).astype(np.uint32).view(np.float32)
    with np.errstate(invalid="ignore"):  # a signalling NaN
        wide = bits.astype(np.float64)
    for x in (bits, wide, np.linspace(-760, 760, 40_000)):
        found = binary(name, x, x[::-1].copy()) if name in TWO else unary(name, x)
        assert not np.signbit(found[~np.isnan(found)]).any()
