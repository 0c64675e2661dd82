"""Elementary functions: the stated errors, in units in the last place, and C99's special values."""

import math

import numpy as np
import pytest
from conftest import bits_equal

import kael
from kael._kernels import elementwise as kernels

FLOATS = ("float32", "float64")
WIDE = np.longdouble  # 64 bits of fraction or more on x86-64 and aarch64 Linux

# Largest errors found (see include/kael/math.inc.h), f32 and f64.
ERRORS = {
    "exp": (0.98, 0.98), "log": (0.86, 0.85), "expm1": (1.44, 1.82), "log1p": (0.86, 0.83),
    "tanh": (1.05, 1.34), "sigmoid": (0.97, 0.98), "sin": (0.79, 0.84), "cos": (0.79, 0.84),
    "erf": (1.48, 1.62), "gelu": (6.2, 8.1), "gelu_tanh": (1.6, 1.6), "sqrt": (0.5, 0.5),
}  # fmt: skip
RANGES = {
    "exp": (-104, 89.5), "log": None, "expm1": (-30, 89.5), "log1p": (-0.9999, 1e6),
    "tanh": (-10, 10), "sigmoid": (-104, 30), "sin": (-1e4, 1e4), "cos": (-1e4, 1e4),
    "erf": (-4, 4), "gelu": (-14, 6), "gelu_tanh": (-8, 6), "sqrt": None,
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
    "exp": np.exp, "log": np.log, "expm1": np.expm1, "log1p": np.log1p, "tanh": np.tanh,
    "sigmoid": sigmoid, "sin": np.sin, "cos": np.cos, "gelu_tanh": gelu_tanh, "sqrt": np.sqrt,
    "erf": erf,
    "gelu": lambda x: x / 2 * erfc(-x / np.sqrt(WIDE(2))),
}  # fmt: skip


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
    if dtype == "float64" and name in ("exp", "expm1", "sigmoid"):
        low, high = low * 7.17 if name != "expm1" else low, high * 7.93 if high > 50 else high
    small = np.exp2(generator.uniform(-60, 0, count)) * generator.choice((-0.9999, 0.9999), count)
    return np.concatenate([generator.uniform(low, high, count), small]).astype(dtype)


def unary(name, x):
    return np.asarray(kernels.unary(kernels.UNARY[name], kael.from_numpy(x)))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ERRORS)
def test_largest_error_in_ulp(name, dtype):
    x = samples(name, dtype)
    with np.errstate(all="ignore"):
        exact = REFERENCES[name](x.astype(WIDE))
        found = unary(name, x)
        finite = np.isfinite(found) & (np.abs(exact) <= np.finfo(dtype).max)
        assert finite.mean() > 0.9
        worst = ulps(found[finite], exact[finite])
    assert worst.max() <= ERRORS[name][FLOATS.index(dtype)], x[finite][worst.argmax()]


@pytest.mark.parametrize("dtype", FLOATS)
def test_huge_angles_are_reduced_exactly(dtype, every_isa):
    """Python's math reduces exactly; its own error is below one ulp."""
    limit = 127 if dtype == "float32" else 1023
    x = (np.exp2(np.random.default_rng(7).uniform(16, limit, 500)) * 1.2345).astype(dtype)
    for name, reference in (("sin", math.sin), ("cos", math.cos)):
        exact = np.array([reference(float(v)) for v in x])
        assert ulps(unary(name, x), exact.astype(WIDE)).max() < 1.5
    # The closest that a double comes to a multiple of pi / 2.
    near = np.array([6381956970095103.0 * 2.0**797])
    assert np.allclose(unary("cos", near), -4.68716592425462761112e-19, rtol=1e-15, atol=0)


@pytest.mark.parametrize("dtype", FLOATS)
def test_powers(dtype):
    generator = np.random.default_rng(9)
    a = np.exp2(generator.uniform(-30, 30, 30_000)).astype(dtype)
    a[::3] = generator.uniform(0.9, 1.1, 10_000).astype(dtype)
    b = (generator.uniform(-1, 1, 30_000) * 100 / np.maximum(np.abs(np.log2(a)), 1)).astype(dtype)
    exact = np.exp2(b.astype(WIDE) * np.log2(a.astype(WIDE)))
    code = kernels.BINARY["pow"]
    found = np.asarray(kernels.binary(code, kael.from_numpy(a), kael.from_numpy(b)))
    assert ulps(found, exact).max() <= 1.2


def test_power_specials(every_isa):
    inf, nan = math.inf, math.nan
    bases = [0.0, -0.0, 1.0, -1.0, 4.0, -4.0, 0.25, -0.25, inf, -inf, nan]
    exponents = [0.0, -0.0, 1.0, -1.0, 2.0, 3.0, -2.0, -3.0, 0.5, -0.5, inf, -inf, nan, 2.0**60]
    for dtype in FLOATS:
        a, b = (
            np.array(v, dtype)
            for v in zip(*[(p, q) for p in bases for q in exponents], strict=True)
        )
        with np.errstate(all="ignore"):
            expected = np.power(a, b)
        code = kernels.BINARY["pow"]
        found = kernels.binary(code, kael.from_numpy(a), kael.from_numpy(b))
        assert bits_equal(found, expected), dtype


def test_exp_at_its_edges(every_isa):
    """numpy/numpy#14049, #13400, #22772, jax-ml/jax#900."""
    x = np.array(
        [-103, -104, 88.72283, 89, np.nan, -np.inf, np.inf, -1e30, 1e30, 0, -0.0], "float32"
    )
    x = np.tile(x, 5)
    smallest = np.float32(1.4e-45)
    expected = [
        smallest,
        0,
        float(np.float32(math.exp(np.float32(88.72283)))),
        np.inf,
        np.nan,
        0,
        np.inf,
        0,
        np.inf,
        1,
        1,
    ] * 5
    assert bits_equal(unary("exp", x), np.array(expected, "float32"))
    sweep = np.linspace(-110, 90, 20_000, dtype="float32")
    assert (unary("exp", sweep) >= 0).all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values(dtype, every_isa):
    inf, nan, tiny = np.inf, np.nan, float(np.finfo(dtype).smallest_subnormal)
    for name, argument, expected in [
        ("log", 0.0, -inf), ("log", -0.0, -inf), ("log", -1.0, nan), ("log", inf, inf),
        ("log", nan, nan), ("log", -inf, nan), ("log", 1.0, 0.0), ("log", tiny, math.log(tiny)),
        ("log1p", -1.0, -inf), ("log1p", -2.0, nan), ("log1p", inf, inf), ("log1p", -0.0, -0.0),
        ("log1p", tiny, tiny), ("log1p", nan, nan), ("expm1", -0.0, -0.0), ("expm1", inf, inf),
        ("expm1", -inf, -1.0), ("expm1", tiny, tiny), ("expm1", nan, nan), ("tanh", -0.0, -0.0),
        ("tanh", inf, 1.0), ("tanh", -inf, -1.0), ("tanh", nan, nan), ("tanh", tiny, tiny),
        ("sigmoid", 0.0, 0.5), ("sigmoid", inf, 1.0), ("sigmoid", -inf, 0.0), ("sigmoid", nan, nan),
        ("erf", -0.0, -0.0), ("erf", inf, 1.0), ("erf", -inf, -1.0), ("erf", nan, nan),
        ("sin", -0.0, -0.0), ("sin", inf, nan), ("sin", -inf, nan), ("sin", nan, nan),
        ("cos", -0.0, 1.0), ("cos", inf, nan), ("cos", nan, nan), ("sin", tiny, tiny),
        ("gelu", inf, inf), ("gelu", -inf, -0.0), ("gelu", nan, nan), ("gelu", 0.0, 0.0),
        ("gelu_tanh", inf, inf), ("gelu_tanh", -inf, -0.0), ("gelu_tanh", nan, nan),
    ]:  # fmt: skip
        x = np.full(19, argument, dtype)
        assert bits_equal(unary(name, x), np.full(19, expected, dtype)), (name, argument)
