"""Elementary functions: the stated errors, in units in the last place, and C99's special values."""

import functools
import math

import numpy as np
import pytest
from conftest import bits_equal

import kael
from kael._kernels import elementwise as kernels
from kael.ops.elementwise import LARGEST_ERRORS
from kael.ops.rules import FLOAT, UNARY

FLOATS = ("float32", "float64")
WIDE = np.longdouble  # 64 bits of fraction or more on x86-64 and aarch64 Linux
TWO = ("atan2", "hypot", "pow")
ONE = [name for name in LARGEST_ERRORS if name not in TWO]

# Where the functions vary; None is every positive number.
RANGES = {
    "exp": (-104, 89.5), "log": None, "expm1": (-30, 89.5), "log1p": (-0.9999, 1e6),
    "tanh": (-10, 10), "sigmoid": (-104, 30), "sin": (-1e4, 1e4), "cos": (-1e4, 1e4),
    "erf": (-4, 4), "gelu": (-14, 6), "gelu_tanh": (-8, 6), "rsqrt": None, "exp2": (-150, 128),
    "log2": None, "log10": None, "tan": (-1e4, 1e4), "sinh": (-90, 90), "cosh": (-90, 90),
    "asin": (-1, 1), "acos": (-1, 1), "atan": (-40, 40), "cbrt": (-1e6, 1e6), "erfc": (-4, 10),
}  # fmt: skip


def erf(x):
    """The error function of wide floats by a series of positive terms."""
    term = x * 2 / np.sqrt(np.arctan(WIDE(1)) * 4)
    series = term.copy()
    for n in range(1, 160):
        term = term * 2 * x * x / (2 * n + 1)
        series = series + term
    return series * np.exp(-x * x)


def erfc(x):
    """Its complement, from 1.5 up by a continued fraction."""
    a = np.abs(x)
    small = 1 - erf(np.minimum(a, WIDE(1.5)))
    fraction = np.maximum(a, 1)
    for n in range(120, 0, -1):
        fraction = np.maximum(a, 1) + WIDE(n) / 2 / fraction
    large = np.exp(-a * a) / fraction / np.sqrt(np.arctan(WIDE(1)) * 4)
    tail = np.where(a < 1.5, small, large)
    return np.where(x < 0, 2 - tail, tail)


def sigmoid(x):
    return np.where(x < 0, np.exp(-np.abs(x)), 1) / (1 + np.exp(-np.abs(x)))


def gelu_tanh(x):
    root = np.sqrt(WIDE(2) / (np.arctan(WIDE(1)) * 4))
    return x * sigmoid(2 * root * (x + WIDE("0.044715") * x**3))


REFERENCES = {
    "sigmoid": sigmoid, "gelu_tanh": gelu_tanh, "erf": erf, "erfc": erfc,
    "gelu": lambda x: x / 2 * erfc(-x / np.sqrt(WIDE(2))), "rsqrt": lambda x: 1 / np.sqrt(x),
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2, "pow": np.power,
}  # fmt: skip


def reference(name, *operands):
    """The exact results, as wide floats."""
    with np.errstate(all="ignore"):
        function = REFERENCES.get(name) or getattr(np, name)
        return function(*(x.astype(WIDE) for x in operands))


def ulps(found, exact):
    """Distance of finite results to the exact ones, in units in the last place of those."""
    kind = np.finfo(found.dtype)
    exponent = np.maximum(np.frexp(np.where(exact == 0, 1, exact))[1] - 1, kind.minexp)
    return np.abs(found.astype(WIDE) - exact) / np.ldexp(WIDE(1), exponent - kind.nmant)


def samples(name, dtype, count=6_000):
    """Values over the function's range, evenly and by magnitude."""
    generator = np.random.default_rng(5)
    if RANGES[name] is None:
        low, high = np.log2(np.finfo(dtype).smallest_subnormal), np.finfo(dtype).maxexp - 1
        return np.concatenate([
            np.exp2(generator.uniform(low, high, count)), generator.uniform(0.3, 3, count),
        ]).astype(dtype)  # fmt: skip
    low, high = RANGES[name]
    if dtype == "float64" and name in ("exp", "exp2", "expm1", "sigmoid", "sinh", "cosh"):
        low, high = low * 7.17 if low < -50 else low, high * 7.88 if high > 50 else high
    small = np.exp2(generator.uniform(-60, 0, count)) * generator.choice((-0.9999, 0.9999), count)
    return np.concatenate([generator.uniform(low, high, count), small]).astype(dtype)


def unary(name, x):
    return np.asarray(kernels.unary(kernels.UNARY[name], kael.from_numpy(x)))


def binary(name, x, y):
    found = kernels.binary(kernels.BINARY[name], kael.from_numpy(x), kael.from_numpy(y))
    return np.asarray(found)


def assert_within(name, found, exact, *operands):
    """The stated error holds wherever the exact result, rounded, is finite."""
    finite = np.abs(exact) <= np.finfo(found.dtype).max
    assert finite.mean() > 0.5
    assert np.isfinite(found[finite]).all()
    errors = ulps(found[finite], exact[finite])
    worst = errors.argmax()
    bound = LARGEST_ERRORS[name][FLOATS.index(found.dtype.name)]
    assert errors[worst] <= bound, [x[finite][worst] for x in operands]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ONE)
def test_largest_error_in_ulp(name, dtype):
    x = samples(name, dtype)
    assert_within(name, unary(name, x), reference(name, x), x)


def test_every_function_of_the_table_is_tried():
    """A function of floats alone that states no error is exact."""
    floats_only = {name for name, rule in UNARY.items() if rule.works_in == FLOAT}
    assert floats_only - set(ONE) == {"sqrt", "reciprocal"}
    assert set(RANGES) == set(ONE)
    for name, (single, double) in LARGEST_ERRORS.items():
        assert f"{single} (float32) or {double} ulp" in getattr(kael, name).__doc__ or name in (
            "gelu", "pow",
        )  # fmt: skip


@functools.cache
def floats_of_all_bits(name):
    """An even sample of all 2**32, and the exact results; the series above are for moderate x."""
    bits = np.arange(12_345, 1 << 32, 90_001, dtype=np.uint64)
    x = bits.astype(np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        if name in ("erf", "erfc"):
            exact = np.array([getattr(math, name)(float(v)) for v in x])
        elif name == "gelu":
            exact = np.array([v / 2 * math.erfc(-v * math.sqrt(0.5)) for v in x.astype(float)])
        else:
            exact = reference(name, x)
        nearest = exact.astype(np.float32)
    return x, exact, nearest


@pytest.mark.parametrize("name", ONE)
def test_floats_of_all_bits(name, every_isa):
    """tools/accuracy.py tries each float. NaN, infinities and signed zeros must agree too."""
    x, exact, nearest = floats_of_all_bits(name)
    found = unary(name, x)
    assert bits_equal(np.isnan(found), np.isnan(nearest))
    assert bits_equal(found[np.isinf(nearest)], nearest[np.isinf(nearest)])
    zero = (nearest == 0) & (found == 0)
    assert bits_equal(np.signbit(found[zero]), np.signbit(nearest[zero]))
    finite = np.isfinite(nearest)
    assert_within(name, found[finite], exact[finite], x[finite])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["atan2", "hypot"])
def test_largest_error_of_two_operands(name, dtype):
    generator = np.random.default_rng(11)
    limit = 100 if dtype == "float32" else 900
    x = np.exp2(generator.uniform(-limit, limit, 20_000)) * generator.choice((-1.1, 1.3), 20_000)
    y = x * np.exp2(generator.uniform(-6, 6, 20_000)) * generator.choice((-1.2, 1.4), 20_000)
    x, y = x.astype(dtype), y.astype(dtype)
    assert_within(name, binary(name, x, y), reference(name, x, y), x, y)


# Arguments in float64 at which a search found the errors that the bounds allow for.
WORST = {
    "acos": -0.5218062015124219, "atan": -0.07973898212109365, "cosh": 3.8133524714810356,
    "erfc": 1.3365169103017402, "exp": -4.488847021578936, "expm1": 0.35143021548353814,
    "gelu": 0.030636071245714422, "log": 1.40486415337797, "log10": 1.3315057283188338,
    "log1p": 0.4029605836003373, "log2": 1.4137973387564118, "sinh": 1.3933586014806556,
    "tanh": 0.6261684228108625, "atan2": (1.6902815377816651, 27.021222154539288),
    "hypot": (1.033512658141751, 1.0544268869445022),
    "pow": (0.7127997320052085, 2019.1455905300327),
}  # fmt: skip


@pytest.mark.parametrize("name", WORST)
def test_largest_errors_found(name):
    operands = np.array([WORST[name]]).reshape(-1, 1)
    found = (binary if name in TWO else unary)(name, *operands)
    assert_within(name, found, reference(name, *operands), *operands)


@pytest.mark.parametrize("dtype", FLOATS)
def test_huge_angles_are_reduced_exactly(dtype, every_isa):
    """Python's math reduces exactly; its own error is below one ulp."""
    limit = 127 if dtype == "float32" else 1023
    x = (np.exp2(np.random.default_rng(7).uniform(16, limit, 500)) * 1.2345).astype(dtype)
    for name in ("sin", "cos", "tan"):
        exact = np.array([getattr(math, name)(float(v)) for v in x])
        assert ulps(unary(name, x), exact.astype(WIDE)).max() < 1.8
    # The closest that a double comes to a multiple of pi / 2.
    near = np.array([6381956970095103.0 * 2.0**797])
    assert np.allclose(unary("cos", near), -4.68716592425462761112e-19, rtol=1e-15, atol=0)


@pytest.mark.parametrize("dtype", FLOATS)
def test_pow_is_within_its_error_bound(dtype):
    generator = np.random.default_rng(9)
    a = np.exp2(generator.uniform(-30, 30, 30_000)).astype(dtype)
    a[::3] = generator.uniform(0.9, 1.1, 10_000).astype(dtype)
    b = (generator.uniform(-1, 1, 30_000) * 100 / np.maximum(np.abs(np.log2(a)), 1)).astype(dtype)
    assert_within("pow", binary("pow", a, b), reference("pow", a, b), a, b)
