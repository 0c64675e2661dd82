"""Elementwise operations: what they give, and that nothing but the values decides it."""

import operator
from fractions import Fraction
from math import copysign, floor, fmod

import numpy as np
import pytest
from conftest import bits_equal, in_use_bytes, spread

import kael
from kael._kernels import elementwise as kernels
from kael.ops.elementwise import BINARY, UNARY
from kael.testing import gradcheck

DTYPES = ("bool", "uint8", "int32", "int64", "float32", "float64")
FLOATS = ("float32", "float64")
INTEGERS = ("uint8", "int32", "int64")
SPECIALS = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -3.0, 0.1, 100.0, 8388609.0, -1e10,
    np.inf, -np.inf, np.nan, 1e-40, -1e-40, 1e-310, 3e38, -3e38,
]  # fmt: skip


def accepted(codes):
    return [DTYPES[code] for code in codes]


UNARY_CASES = [
    (name, dtype) for name, code in kernels.UNARY.items()
    for dtype in accepted(kernels.unary_dtypes(code))
]  # fmt: skip
BINARY_CASES = [
    (name, dtype) for name, code in kernels.BINARY.items()
    for dtype in accepted(kernels.binary_dtypes(code))
]  # fmt: skip


def values(count, dtype, seed=0):
    """Special values first, then values of many magnitudes, some of them moderate."""
    array = spread(count, dtype, seed)
    if array.dtype.kind == "f":
        array[1::3] = (np.random.default_rng(seed).standard_normal(count)[1::3] * 8).astype(dtype)
        with np.errstate(over="ignore"):
            specials = np.array(SPECIALS, "float64").astype(dtype)
        array[: len(specials)] = np.roll(specials, seed)[:count]
    elif array.dtype.kind in "iu":
        limits = np.iinfo(dtype)
        array[1::3] %= 7
        array[:4] = [limits.min, limits.max, 0, 1][:count]
    return array


def nonzero(array):
    """The array with ones in place of zeros, for division."""
    return np.where(array == 0, np.ones_like(array), array)


def divisor(name, b):
    integer = b.dtype.kind != "f"
    return nonzero(b) if integer and name in ("floor_divide", "remainder") else b


def unary(name, x):
    return kernels.unary(kernels.UNARY[name], x)


def binary(name, a, b):
    return kernels.binary(kernels.BINARY[name], a, b)


# ---- the same bits on every instruction set, place, thread count and layout ----


@pytest.mark.parametrize(("name", "dtype"), UNARY_CASES)
def test_unary_bits_do_not_depend_on_isa_or_place(name, dtype):
    array = values(150, dtype)
    with kael.isa("generic"):
        expected = np.asarray(unary(name, kael.from_numpy(array)))
    for isa in kael.usable_isas():
        with kael.isa(isa):
            for size in (*range(71), 150):
                found = unary(name, kael.from_numpy(array[:size]))
                assert bits_equal(found, expected[:size]), (isa, size)
            assert bits_equal(unary(name, kael.from_numpy(array[37:])), expected[37:]), isa


@pytest.mark.parametrize(("name", "dtype"), BINARY_CASES)
def test_binary_bits_do_not_depend_on_isa_or_place(name, dtype):
    a, b = values(150, dtype, 0), divisor(name, values(150, dtype, 1))
    with kael.isa("generic"):
        expected = np.asarray(binary(name, kael.from_numpy(a), kael.from_numpy(b)))
    for isa in kael.usable_isas():
        with kael.isa(isa):
            for size in (*range(71), 150):
                found = binary(name, kael.from_numpy(a[:size]), kael.from_numpy(b[:size]))
                assert bits_equal(found, expected[:size]), (isa, size)


def layouts(array):
    """The same values under other layouts: (label, view of other memory, or the array)."""
    rows, columns = array.shape
    yield "contiguous", array
    yield "transposed", np.ascontiguousarray(array.T).T
    wide = np.zeros((rows, 2 * columns + 3), array.dtype)
    wide[:, 1 : 2 * columns + 1 : 2] = array
    yield "sliced", wide[:, 1 : 2 * columns + 1 : 2]
    yield "reversed", np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1]
    padded = np.zeros((rows, columns + 5), array.dtype)
    padded[:, 5:] = array
    yield "offset rows", padded[:, 5:]
    raw = bytearray(array.nbytes + 64)
    odd = np.frombuffer(raw, array.dtype, array.size, offset=3).reshape(array.shape)
    odd[...] = array
    yield "misaligned", odd


@pytest.mark.parametrize("name", ["exp", "relu", "isnan", "gelu"])
@pytest.mark.parametrize("shape", [(3, 700), (900, 3), (37, 41), (1, 1), (5, 1)])
def test_unary_bits_do_not_depend_on_layout(name, shape, every_isa):
    array = values(shape[0] * shape[1], "float32").reshape(shape)
    expected = np.asarray(unary(name, kael.from_numpy(array)))
    for label, view in layouts(array):
        assert bits_equal(unary(name, kael.from_numpy(view)), expected), label


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8"])
@pytest.mark.parametrize("shape", [(3, 700), (900, 3), (37, 41)])
def test_binary_bits_do_not_depend_on_layout(dtype, shape):
    count = shape[0] * shape[1]
    a, b = (values(count, dtype, seed).reshape(shape) for seed in (0, 1))
    for name in ("sub", "lt"):
        expected = np.asarray(binary(name, kael.from_numpy(a), kael.from_numpy(b)))
        for label_a, view_a in layouts(a):
            for label_b, view_b in layouts(b):
                found = binary(name, kael.from_numpy(view_a), kael.from_numpy(view_b))
                assert bits_equal(found, expected), (name, label_a, label_b)


@pytest.mark.parametrize("shapes", [
    ((40, 50), (50,)), ((40, 50), (40, 1)), ((40, 1), (1, 50)), ((40, 50), ()), ((), (40, 50)),
    ((3, 1, 600), (1, 4, 600)), ((600, 2), (2,)), ((1,), (1, 1, 1)), ((0, 3), (1, 3)), ((7, 0), ()),
])  # fmt: skip
def test_broadcasting_gives_the_bits_of_expanded_copies(shapes):
    a, b = (np.asarray(values(int(np.prod(s)) + 9, "float32", 1)[: int(np.prod(s))].reshape(s))
            for s in shapes)  # fmt: skip
    whole = np.broadcast_shapes(*shapes)
    expanded = [np.ascontiguousarray(np.broadcast_to(x, whole)) for x in (a, b)]
    expected = np.asarray(binary("mul", *map(kael.from_numpy, expanded)))
    assert bits_equal(binary("mul", kael.from_numpy(a), kael.from_numpy(b)), expected)


def test_misaligned_memory_at_every_byte_offset():
    """KavrakiLab/vamp#14, numpy/numpy#26775: aligned vector loads on misaligned addresses."""
    for dtype in ("float32", "float64"):
        array = values(300, dtype)
        expected = {
            name: np.asarray(unary(name, kael.from_numpy(array))) for name in ("exp", "neg")
        }
        for offset in range(1, 64):
            raw = bytearray(array.nbytes + 64)
            odd = np.frombuffer(raw, dtype, array.size, offset=offset)
            odd[...] = array
            x = kael.from_numpy(odd)
            for name, bits in expected.items():
                assert bits_equal(unary(name, x), bits), (name, offset)
            kernels.unary(kernels.UNARY["neg"], x, x)
            assert bits_equal(odd, expected["neg"]), offset


@pytest.mark.native  # qemu 7.2 reads all lanes of a masked load
def test_nothing_beyond_the_last_element_is_touched(every_isa, at_page_end):
    for dtype in FLOATS:
        for count in range(1, 40):
            raw = at_page_end(count, dtype)
            x = kael.from_numpy(raw)
            kernels.unary(kernels.UNARY["exp"], x, x)
            kernels.binary(kernels.BINARY["add"], x, x, x)
            assert bits_equal(raw, np.full(count, raw[0]))


# ---- ParallelIterator ----

LARGE = (1300, 1100)


def large_cases():
    """Results of operations over many chunks, layouts and costs, by name."""
    a = kael.from_numpy(spread(LARGE, "float32", 1))
    b = kael.from_numpy(spread(LARGE[1], "float32", 2))
    turned = kael.from_numpy(spread(LARGE[::-1], "float32", 3).T)
    return {
        "broadcast add": kael.add(a, b),
        "exp of a transpose": kael.exp(turned),
        "transpose copy": turned.contiguous(),
        "comparison": kael.lt(a, turned),
        "where": kael.where(kael.lt(a, b), turned, a),
        "clamp": kael.clamp(turned, -1.0, b),
        "conversion": turned.to(kael.int64),
        "in place": a.clone().t().mul_(turned.t()),
    }


def test_results_do_not_depend_on_thread_count():
    with kael.num_threads(1):
        expected = {name: np.asarray(x) for name, x in large_cases().items()}
    for count in (2, 3, 7, 16):
        with kael.num_threads(count):
            for name, x in large_cases().items():
                assert bits_equal(x, expected[name]), (name, count)


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "sliced", "reversed"])
def test_every_layout_writes_every_element_in_place(layout, four_threads):
    base = np.zeros((1500, 2000), "float32")
    target = {
        "contiguous": base[:1400], "transposed": base.T, "sliced": base[::2, 1::3],
        "reversed": base[::-1, ::-1],
    }[layout]  # fmt: skip
    source = np.arange(target.size, dtype="float32").reshape(target.shape)
    kael.from_numpy(target).add_(kael.from_numpy(source))
    assert bits_equal(target, source)
    assert base.astype("float64").sum() == source.astype("float64").sum()


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_rows_that_repeat_are_as_if_written_out(dtype, every_isa):
    """Short rows share tiles, in which one that repeats stays; chunks begin inside of rows."""
    for row in (1, 2, 3, 7, 8, 31, 64, 95, 96, 130):
        a = spread((3, 1100, row), dtype)
        for shape in ((row,), (1, 1, row), (3, 1, row), (1100, 1), (1100, row), (1, 1, 1)):
            b = spread(shape, dtype, 1)
            whole = np.broadcast_to(b, a.shape).copy()
            expected = binary("add", *map(kael.from_numpy, (a, whole)))
            turned = kael.from_numpy(np.ascontiguousarray(a.swapaxes(0, 1))).transpose(0, 1)
            for threads in (1, 3):
                with kael.num_threads(threads):
                    for x in (kael.from_numpy(a), turned):
                        assert bits_equal(binary("add", x, kael.from_numpy(b)), expected)
                        assert bits_equal(kael.where(x == x, kael.from_numpy(b), x), whole)


def test_integer_division_by_zero_still_throws(four_threads):
    """Also from a worker; the pool keeps working after it."""
    a = kael.ones(3_000_000, dtype=kael.int32)
    for at in (0, 1_500_000, 2_999_999):
        b = kael.ones(3_000_000, dtype=kael.int32)
        b[at] = 0
        for name in ("floor_divide", "remainder"):
            with pytest.raises(ZeroDivisionError, match=name):
                binary(name, a, b)
        assert int((a + a).sum()) == 6_000_000


# ---- what each operation gives ----

EXACT_UNARY = {
    "neg": np.negative, "abs": np.abs, "sign": np.sign, "square": np.square, "floor": np.floor,
    "ceil": np.ceil, "round": np.round, "trunc": np.trunc, "sqrt": np.sqrt,
    "reciprocal": lambda x: 1 / x, "isnan": np.isnan,
    "isinf": np.isinf, "isfinite": np.isfinite, "logical_not": np.logical_not,
    "bitwise_not": np.invert, "relu": lambda x: np.where(x < 0, np.zeros_like(x), x),
}  # fmt: skip
EXACT_BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "floor_divide": np.floor_divide, "remainder": np.remainder, "maximum": np.maximum,
    "minimum": np.minimum, "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor, "eq": np.equal, "ne": np.not_equal, "lt": np.less,
    "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
}  # fmt: skip


@pytest.mark.parametrize(("name", "dtype"), [c for c in UNARY_CASES if c[0] in EXACT_UNARY])
def test_unary_equals_numpy(name, dtype):
    array = values(200, dtype)
    with np.errstate(all="ignore"):
        expected = EXACT_UNARY[name](array)
    assert np.array_equal(unary(name, kael.from_numpy(array)), expected, equal_nan=dtype in FLOATS)


@pytest.mark.parametrize(("name", "dtype"), [c for c in BINARY_CASES if c[0] in EXACT_BINARY])
def test_binary_equals_numpy(name, dtype):
    a, b = values(200, dtype, 0), divisor(name, values(200, dtype, 1))
    with np.errstate(all="ignore"):
        expected = EXACT_BINARY[name](a, b)
    found = np.asarray(binary(name, kael.from_numpy(a), kael.from_numpy(b)))
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected, equal_nan=dtype in FLOATS)


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_division_follows_python(dtype):
    numbers = [v for v in SPECIALS if abs(v) > 1e-30 or v == 0] + [7.0, -7.0, 0.3, 6.0, 1e20, 5.5]
    numbers = [float(np.dtype(dtype).type(v)) for v in numbers]
    for a in numbers:
        for b in numbers:
            if b == 0:
                continue
            x, y = (kael.tensor([v], dtype=getattr(kael, dtype)) for v in (a, b))
            quotient, rest = (binary(n, x, y).item() for n in ("floor_divide", "remainder"))
            with np.errstate(all="ignore"):
                exact = np.dtype(dtype).type(divmod(a, b)[1])
                assert bits_equal(np.dtype(dtype).type(rest), exact), (a, b)
            if dtype == "float64":
                assert quotient == a // b or (quotient != quotient and a // b != a // b), (a, b)


def python_division(a, b):
    """The floor of a / b and a % b in the dtype of both, from exact fractions; b is not 0."""
    kind = type(a)
    whole = floor(Fraction(float(a)) / Fraction(float(b)))
    rest = kind(fmod(a, b))
    if rest != 0 and (rest < 0) != (b < 0):
        rest += b
    quotient = kind(whole) if whole else kind(copysign(0.0, copysign(1, a) * copysign(1, b)))
    return quotient, rest if rest else kind(copysign(0.0, b))


@pytest.mark.parametrize("dtype", FLOATS)
def test_quotients_near_whole_numbers_and_at_every_size(dtype, every_isa):
    """The rounded quotient is often the next whole number: what is left tells."""
    kind = np.dtype(dtype).type
    rng = np.random.default_rng(3)
    bits = np.finfo(dtype).nmant
    smallest = np.finfo(dtype).smallest_subnormal
    limit = 2 ** (bits - 1)
    for whole in (0, 1, 2, 3, 7, 1000, 2**20 + 1, limit - 1, limit, 2 * limit + 1):
        b = (rng.standard_normal(69) * 10.0 ** rng.integers(-3, 4, 69)).astype(dtype)
        b[:8] = [1, -1, 3 * smallest, -5 * smallest, 0.1, 0.7, -0.3, 1e-30]
        a = b * kind(whole) * rng.choice([kind(-1), kind(1)], 69)
        steps = rng.integers(-2, 3, 69)
        for step in (1, -1):
            near = np.nextafter(a, kind(step * np.inf))
            a = np.where(steps * step > 0, near, a)
        x, y = kael.from_numpy(a), kael.from_numpy(b)
        exact = [python_division(*pair) for pair in zip(a, b, strict=True)]
        assert bits_equal(binary("remainder", x, y), np.array([rest for _, rest in exact]))
        found = np.asarray(binary("floor_divide", x, y))
        small = np.abs([float(q) for q, _ in exact]) < limit
        assert bits_equal(found[small], np.array([q for q, _ in exact])[small])


@pytest.mark.parametrize("dtype", FLOATS)
def test_one_odd_quotient_changes_no_other(dtype, every_isa):
    """A vector with a lane that needs fmod is taken one by one: the others keep their bits."""
    rng = np.random.default_rng(5)
    a, b = (rng.uniform(-n, n, 67).astype(dtype) for n in (1000, 10))
    for name in ("floor_divide", "remainder"):
        plain = np.asarray(binary(name, kael.from_numpy(a), kael.from_numpy(b)))
        odd = [(np.inf, 2), (1e30, 1e-3), (5, np.inf), (-5, np.inf), (np.nan, 1), (1, 0), (0, 0)]
        for at in range(67):
            x, y = odd[at % len(odd)]
            left, right = a.copy(), b.copy()
            left[at], right[at] = x, y
            found = np.asarray(binary(name, kael.from_numpy(left), kael.from_numpy(right)))
            assert bits_equal(np.delete(found, at), np.delete(plain, at))
            with np.errstate(all="ignore"):
                exact = getattr(np, name)(left[at], right[at])
            assert bits_equal(found[at], exact)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_smallest_integer_over_minus_one_wraps(dtype, every_isa):
    """pytorch/pytorch#190042, leanprover/lean4#306: SIGFPE."""
    smallest = np.iinfo(dtype).min
    for size in range(1, 41):
        a = kael.full((size,), smallest, dtype=getattr(kael, dtype))
        b = kael.full((size,), -1, dtype=getattr(kael, dtype))
        assert (a // b).tolist() == [smallest] * size
        assert (a % b).tolist() == [0] * size
        assert (-a).tolist() == a.abs().tolist() == [smallest] * size


def test_integer_powers_wrap():
    for dtype in INTEGERS:
        limits = np.iinfo(dtype)
        for a in (0, 1, 2, 3, 7, limits.max, limits.min):
            for b in (0, 1, 2, 5, 63, 200 if dtype == "uint8" else 1000):
                x, y = (kael.tensor([v], dtype=getattr(kael, dtype)) for v in (a, b))
                modulus = 1 << limits.bits
                exact = pow(a, b, modulus)
                exact = exact - modulus if exact > limits.max else exact
                assert kael.pow(x, y).item() == exact, (dtype, a, b)
    bases = kael.tensor([1, -1, 2, -1])
    assert kael.pow(bases, kael.tensor([-3, -3, -3, -4])).tolist() == [1, -1, 0, 1]
    with pytest.raises(RuntimeError, match="negative power -1"):
        kael.pow(bases, -1)


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_wins_in_maximum_minimum_and_clamp(dtype):
    nan, kind = float("nan"), getattr(kael, dtype)
    a = kael.tensor([nan, 1.0, nan, 2.0], dtype=kind)
    b = kael.tensor([1.0, nan, nan, 1.0], dtype=kind)
    assert str(kael.maximum(a, b).tolist()) == "[nan, nan, nan, 2.0]"
    assert str(kael.minimum(a, b).tolist()) == "[nan, nan, nan, 1.0]"
    assert str(kael.clamp(a, 0.0, 1.5).tolist()) == "[nan, 1.0, nan, 1.5]"
    assert kael.clamp(a[1:2], 2.0, 1.0).tolist() == [1.0]


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_the_gradient_of_a_choice_goes_to_both_at_nan_and_to_none_that_lost(name):
    """PyTorch's formula: nothing of an infinite or negative gradient reaches what lost."""
    a = kael.tensor([np.nan, 1.0, np.nan, 1.0, 2.0, 3.0, -0.0, 2.0, 3.0], requires_grad=True)
    b = kael.tensor([1.0, np.nan, np.nan, 1.0, 3.0, 2.0, 0.0, 3.0, 2.0], requires_grad=True)
    g = kael.tensor([-2.0, -2.0, -2.0, -2.0, -2.0, -2.0, 4.0, np.inf, -np.inf])
    getattr(kael, name)(a, b).backward(g)
    x, y = (a, b) if name == "maximum" else (b, a)
    assert str(x.grad.tolist()) == "[-2.0, -2.0, -2.0, -1.0, 0.0, -2.0, 2.0, 0.0, -inf]"
    assert str(y.grad.tolist()) == "[-2.0, -2.0, -2.0, -1.0, -2.0, 0.0, 2.0, inf, 0.0]"


@pytest.mark.parametrize("dtype", FLOATS)
def test_maximum_and_minimum_choose_as_the_reductions_do(dtype, every_isa):
    some = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324 if dtype == "float64" else 1e-45]
    a, b = (x.reshape(-1) for x in np.meshgrid(np.array(some, dtype), np.array(some, dtype)))
    pairs = kael.from_numpy(np.stack([a, b]))
    for name, chosen in (("maximum", pairs.amax(0)), ("minimum", pairs.amin(0))):
        for x, y in ((pairs[0], pairs[1]), (pairs[1], pairs[0])):
            assert bits_equal(getattr(kael, name)(x, y), chosen), name
    zero, negative = kael.tensor([0.0], dtype=dtype), kael.tensor([-0.0], dtype=dtype)
    assert not np.signbit(np.asarray(kael.clamp(negative, 0.0))).any()
    assert np.signbit(np.asarray(kael.clamp(zero, None, -0.0))).all()


# ---- promotion and Python numbers ----


def test_numpys_numbers_are_weak_too():
    x, whole = kael.ones(2), kael.ones(2, dtype=kael.int32)
    for number in (np.float32(2), np.float64(2), np.int64(2), np.uint8(2)):
        for name in ("add", "maximum", "pow"):
            same = getattr(kael, name)(x, number)
            assert same.dtype is kael.float32
            assert same.tolist() == getattr(kael, name)(x, 2).tolist()
    assert kael.add(whole, np.int64(1)).dtype is kael.int32
    assert kael.add(whole, np.float64(1)).dtype is kael.float32
    assert kael.clamp(x, np.float32(3)).tolist() == [3.0, 3.0]
    assert kael.where(x > 0, np.float32(5), x).tolist() == [5.0, 5.0]


def test_python_numbers_are_weak():
    for dtype in (kael.uint8, kael.int32, kael.int64, kael.float32, kael.float64):
        assert (kael.ones(2, dtype=dtype) + 1).dtype is dtype
        assert (1 - kael.ones(2, dtype=dtype)).dtype is dtype
        wanted = dtype if dtype.is_floating_point else kael.float32
        assert (kael.ones(2, dtype=dtype) * 0.5).dtype is wanted
        assert (kael.ones(2, dtype=dtype) / 2).dtype is wanted
        assert (kael.ones(2, dtype=dtype) < 2.5).tolist() == [True, True]
    truth = kael.tensor([True, False])
    assert (truth + True).dtype is kael.bool_
    assert (truth + 1).dtype is kael.int64
    assert (truth + 1.0).dtype is kael.float32
    assert kael.exp(kael.ones(2, dtype=kael.int64)).dtype is kael.float32
    assert kael.isnan(kael.ones(2, dtype=kael.int64)).tolist() == [False, False]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64"])
def test_any_python_integer_can_be_compared(dtype):
    values = [0, 1] if dtype == "bool" else [int(np.iinfo(dtype).min), 1, int(np.iinfo(dtype).max)]
    x = kael.tensor(values, dtype=dtype)
    for n in (-(2**70), -(2**63), -1, 0, 255, 256, 2**31, 2**63 - 1, 2**63, 2**70):
        for compare in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt):
            assert compare(x, n).tolist() == [compare(v, n) for v in values]
            assert compare(n, x).tolist() == [compare(n, v) for v in values]


def test_tensors_promote_to_the_greater_dtype():
    order = [getattr(kael, "bool_" if name == "bool" else name) for name in DTYPES]
    for i, a in enumerate(order):
        for j, b in enumerate(order):
            assert (kael.ones(1, dtype=a) + kael.ones(1, dtype=b)).dtype is order[max(i, j)]


def test_errors_name_the_operation_and_the_argument():
    a, b = kael.ones((3, 4)), kael.ones((2, 4))
    with pytest.raises(ValueError, match=r"add: shapes \(3, 4\) and \(2, 4\) do not broadcast"):
        kael.add(a, b)
    with pytest.raises(TypeError, match="mul: operand 2 must be a Tensor or a number, got list"):
        kael.mul(a, [1])
    with pytest.raises(TypeError, match="exp: operand 1 must be a Tensor, got float"):
        kael.exp(1.0)
    with pytest.raises(TypeError, match="sub: bool is not supported"):
        kael.sub(kael.tensor([True]), kael.tensor([True]))
    with pytest.raises(TypeError, match="bitwise_and: float32 is not supported"):
        kael.bitwise_and(a, a)
    with pytest.raises(TypeError, match="where: condition must be bool"):
        kael.where(a, a, a)
    with pytest.raises(ValueError, match="clamp: at least one"):
        kael.clamp(a)
    with pytest.raises(OverflowError):
        kael.ones(2, dtype=kael.uint8) + 300
    assert (kael.ones(2, dtype=kael.uint8) < 300).tolist() == [True, True]
    with pytest.raises(ValueError, match="approximate"):
        kael.gelu(a, approximate="fast")


def test_failing_calls_leak_nothing():
    a, b = kael.ones((3, 4)), kael.ones((2, 4))
    before = in_use_bytes()
    for _ in range(1000):
        with pytest.raises(ValueError, match="broadcast"):
            kael.add(a, b)
        with pytest.raises(ZeroDivisionError):
            kael.ones(3, dtype=kael.int32) // 0
    assert kael.allocator_stats().in_use_bytes == before


# ---- conversion ----


@pytest.mark.parametrize("source", FLOATS)
def test_floats_become_integers_by_truncation_and_saturation(source, every_isa):
    numbers = [
        0.9,
        -0.9,
        1.5,
        -1.5,
        300.7,
        -1e30,
        1e30,
        np.inf,
        -np.inf,
        np.nan,
        2.0**31,
        -(2.0**31),
    ]
    x = kael.tensor(numbers * 3, dtype=getattr(kael, source))
    for target in INTEGERS:
        low, high = int(np.iinfo(target).min), int(np.iinfo(target).max)
        exact = [
            0 if v != v else high if v >= high else low if v <= low else int(v) for v in numbers
        ]
        found = x.to(getattr(kael, target)).tolist()
        if source == "float32":  # 300.7, the only number that float32 rounds, truncates alike
            assert found == exact * 3
        assert found == exact * 3, target
    assert x.to(kael.bool_).tolist() == [bool(v) for v in numbers] * 3


@pytest.mark.parametrize("source", DTYPES)
def test_conversions_equal_numpy_where_it_defines_them(source, every_isa):
    array = values(100, source)
    if source in FLOATS:
        array = np.clip(np.nan_to_num(array), 0, 200).astype(source)
    for target in DTYPES:
        with np.errstate(over="ignore"):
            expected = array.astype(target)
        kind = getattr(kael, "bool_" if target == "bool" else target)
        assert bits_equal(kael.from_numpy(array).to(kind), expected), target
        turned = kael.from_numpy(np.ascontiguousarray(array.reshape(4, 25).T)).t().to(kind)
        assert bits_equal(turned, expected.reshape(4, 25)), target


# ---- in place, overlap ----


@pytest.mark.parametrize("size", [3, 17, 70, 1000])
def test_in_place_on_overlapping_memory_reads_the_old_values(size):
    """pytorch/pytorch#76891, #135487, #144861, #24843: the result depended on the vector width."""

    def fresh():
        return np.arange(1, size * size + 1, dtype="float32").reshape(size, size) % 1000

    for change in (
        lambda x: x.__isub__(x[:, :1].copy() if isinstance(x, np.ndarray) else x[:, :1]),
        lambda x: x[1:].__iadd__(x[:-1]),
        lambda x: x[:, 1:].__imul__(x[:, :-1]),
        lambda x: x.__iadd__(x.T),
        lambda x: x[::-1].__iadd__(x),
    ):
        expected, array = fresh(), fresh()
        change(expected)
        change(kael.from_numpy(array))
        assert bits_equal(array, expected)
    array = fresh()
    kael.from_numpy(array)[:, 1:] = kael.from_numpy(array)[:, :-1]
    expected = fresh()
    expected[:, 1:] = expected[:, :-1].copy()
    assert bits_equal(array, expected)


def test_overlap_at_four_million_elements(four_threads):
    array = np.arange(4_000_001, dtype="float32")
    kael.from_numpy(array)[1:].add_(kael.from_numpy(array)[:-1])
    assert bits_equal(array[1:], 2 * np.arange(1, 4_000_001, dtype="float32") - 1)


def test_in_place_forms_write_into_the_tensor():
    x = kael.tensor([1.0, 4.0, 9.0])
    address = x.data_ptr()
    assert x.sqrt_() is x
    assert x.add_(1).mul_(kael.tensor([2.0])).clamp_(0, 7).tolist() == [4.0, 6.0, 7.0]
    x += kael.tensor([1.0], dtype=kael.float64)
    assert x.tolist() == [5.0, 7.0, 8.0]
    assert x.dtype is kael.float32
    assert x.data_ptr() == address


def test_in_place_refuses_what_does_not_fit():
    x = kael.ones(3, dtype=kael.int64)
    with pytest.raises(RuntimeError, match="float32, which does not go into int64"):
        x.add_(0.5)
    with pytest.raises(RuntimeError, match=r"shape \(2, 3\) is not the tensor's shape \(3,\)"):
        x.add_(kael.ones((2, 3), dtype=kael.int64))
    with pytest.raises(RuntimeError, match="leaf"):
        kael.ones(3, requires_grad=True).add_(1)
    with pytest.raises(RuntimeError, match="exp_"):
        x.exp_()
    assert x.tolist() == [1, 1, 1]


def test_read_only_memory_is_never_written():
    """pytorch/pytorch#5442."""
    frozen = np.ones(4, "float32")
    frozen.flags.writeable = False
    x = kael.from_numpy(frozen)
    for change in (lambda: x.add_(1), lambda: x.exp_(), lambda: x.fill_(0), lambda: x.copy_(x + 1)):
        with pytest.raises(RuntimeError, match="read-only"):
            change()
    assert frozen.tolist() == [1, 1, 1, 1]


# ---- gradients ----

SMOOTH = [name for name, rule in UNARY.items() if rule.gradients]
SMOOTH_BINARY = [name for name, rule in BINARY.items() if rule.gradients]


@pytest.mark.parametrize("name", SMOOTH)
def test_unary_gradients_are_finite_differences(name):
    x = kael.tensor([[0.3, 1.7, 2.2], [0.8, 3.1, 0.6]], dtype=kael.float64, requires_grad=True)
    function = getattr(kael, name) if hasattr(kael, name) else kael.Tensor.__dict__[name]
    size = 0.25 if name in ("asin", "acos") else 1
    assert gradcheck(lambda t: function(t * size), x)
    if name not in ("log", "log2", "log10", "log1p", "sqrt", "rsqrt"):
        assert gradcheck(lambda t: function(0.13 - t * size), x)


@pytest.mark.parametrize("name", SMOOTH_BINARY)
@pytest.mark.parametrize("shapes", [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1), (1, 3))])
def test_binary_gradients_are_finite_differences(name, shapes):
    generator = np.random.default_rng(3)
    a, b = (
        kael.tensor(generator.uniform(0.6, 3, s), dtype=kael.float64, requires_grad=True)
        for s in shapes
    )
    assert gradcheck(getattr(kael, name), (a, b))


def test_three_operand_gradients_are_finite_differences():
    x = kael.tensor([0.2, 1.4, 3.0], dtype=kael.float64, requires_grad=True)
    y = kael.tensor([[1.0], [2.5]], dtype=kael.float64, requires_grad=True)
    chosen = kael.tensor([[True, False, True], [False, False, True]])
    assert gradcheck(lambda a, b: kael.where(chosen, a, b), (x, y))
    assert gradcheck(lambda a: kael.clamp(a, 0.5, 2.0), x)
    assert gradcheck(lambda a, b: kael.clamp(a, b, 2.0), (x, y))


@pytest.mark.parametrize("low", [None, 0.0, 1.0, np.nan])
@pytest.mark.parametrize("high", [None, 0.0, 1.0, np.nan])
@pytest.mark.parametrize("kind", ["numbers", "tensors", "tensors that require grad"])
def test_the_gradient_of_clamp_goes_where_the_result_comes_from(low, high, kind):
    """To x where low <= x <= high, to the bound that is the result elsewhere; to x nowhere when the
    bounds cross. github: pytorch/pytorch#7002, pytorch/pytorch#76522, pytorch/pytorch#10729."""
    if low is None and high is None:
        return
    values = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, np.inf, -np.inf, np.nan])
    x, bounds = kael.tensor(values, requires_grad=True), [low, high]
    if kind != "numbers":
        wanted = kind == "tensors that require grad"
        bounds = [b if b is None else kael.tensor(b).requires_grad_(wanted) for b in bounds]
    kael.clamp(x, *bounds).sum().backward()
    least, most = -np.inf if low is None else low, np.inf if high is None else high
    inside = (values >= least) & (values <= most)
    assert x.grad.tolist() == inside.astype(float).tolist()
    if kind == "tensors that require grad":
        below, above = (values < least) & (least < most), (values > most) | (least > most)
        for bound, places in zip(bounds, (below, above), strict=True):
            assert bound is None or bound.grad.item() == places.sum()


def test_gradients_at_ties_zeros_and_numbers():
    x = kael.tensor([1.0, 2.0], requires_grad=True)
    kael.maximum(x, kael.tensor([1.0, 1.0])).sum().backward()
    assert x.grad.tolist() == [0.5, 1.0]
    zero = kael.tensor([0.0], requires_grad=True)
    (zero**2.0 + zero**0).sum().backward()
    assert zero.grad.tolist() == [0.0]
    whole = kael.tensor([3], dtype=kael.int64)
    y = kael.tensor([2.0], requires_grad=True)
    (y * whole + 2 / y - whole).sum().backward()
    assert y.grad.tolist() == [2.5]


def test_gradients_of_atan2_at_the_origin_and_beyond_the_range_of_squares():
    a = kael.tensor([0.0, 1e-30, 1e30], requires_grad=True)
    b = kael.tensor([0.0, 2e-30, 1e30], requires_grad=True)
    kael.atan2(a, b).sum().backward()
    expected = np.array([[0.0, 4e29, 5e-31], [0.0, -2e29, -5e-31]])
    np.testing.assert_allclose([a.grad.tolist(), b.grad.tolist()], expected, rtol=1e-6)


def test_gradients_keep_each_operand_dtype():
    a = kael.tensor([1.5], requires_grad=True)
    b = kael.tensor([2.5], dtype=kael.float64, requires_grad=True)
    (a * b).sum().backward()
    assert (a.grad.dtype, a.grad.tolist()) == (kael.float32, [2.5])
    assert (b.grad.dtype, b.grad.tolist()) == (kael.float64, [1.5])


# ---- fused pairs ----


@pytest.mark.parametrize(("name", "dtype"), [c for c in BINARY_CASES if c[0] == "add_relu"])
def test_add_relu_has_the_bits_of_add_and_relu(name, dtype, every_isa):
    a, b = (kael.from_numpy(values(333, dtype, seed)) for seed in (0, 1))
    assert bits_equal(kael.add_relu(a, b), (a + b).relu())
    assert bits_equal(kael.add_relu(a, b[0]), (a + b[0]).relu())
    assert bits_equal(a.clone().add_relu_(b), (a + b).relu())


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(3, 111), (111,), (3, 1)], ids=str)
def test_gradients_of_add_relu_have_the_bits_of_add_and_relu(shape, dtype):
    found = []
    for function in (kael.add_relu, lambda a, b: (a + b).relu()):
        a = kael.from_numpy(values(333, dtype)).reshape(3, 111).requires_grad_()
        b = kael.from_numpy(values(np.prod(shape), dtype, 1)).reshape(shape).requires_grad_()
        function(a, b).backward(kael.from_numpy(spread((3, 111), dtype, 5)))
        found.append((a.grad, b.grad))
        assert a.grad.data_ptr() != b.grad.data_ptr()
    assert all(map(bits_equal, *found))


def test_add_relu_of_a_tensor_and_itself():
    x = kael.tensor([1.0, -1.0], requires_grad=True)
    kael.add_relu(x, x).sum().backward()
    assert x.grad.tolist() == [2.0, 0.0]


@pytest.mark.parametrize("p", [None, 1, float("inf"), float("-inf")], ids=str)
def test_gradient_of_absolute_values_is_zero_at_nan_as_torchs(p):
    torch = pytest.importorskip("torch")
    for numbers in ([1.0, np.nan, -2.0, 0.0, -0.0], [np.nan, np.nan], [np.inf, -np.inf], [0.0]):
        found = []
        for library in (kael, torch):
            x = library.tensor(numbers, requires_grad=True)
            (library.abs(x).sum() if p is None else library.norm(x, p)).backward()
            found.append(np.array(x.grad.tolist()))
        assert bits_equal(*found), numbers


def test_a_repeated_element_beyond_the_caches():
    """It is then copied 64 times only: rows that are no multiple of that, numbers, gaps beside."""
    array = spread((1031, 4099), "float32")
    column = spread((1031, 1), "float32", 1)
    x, c = kael.from_numpy(array), kael.from_numpy(column)
    assert bits_equal(x + c, array + column)
    assert bits_equal(x * 0.75, array * np.float32(0.75))
    assert bits_equal(kael.where(c > 0, x, 0.0), np.where(column > 0, array, np.float32(0)))
    gaps = kael.zeros(1031, 8198)[:, ::2]
    assert bits_equal(gaps.copy_(x).sub_(c), array - column)


def test_a_bound_beyond_the_dtype_is_none():
    """NumPy's clip, since 2.0, takes any Python integer."""
    for dtype, least, greatest in (("uint8", 0, 255), ("int32", -(2**31), 2**31 - 1)):
        x = kael.tensor([least, 5, greatest], dtype=dtype)
        for low, high in ((least - 1, greatest + 1), (-(2**70), 2**70), (None, 300 + greatest)):
            assert x.clamp(low, high).equal(x) and x.clamp(low, high).dtype is x.dtype
        with pytest.raises(OverflowError, match=f"does not fit in {dtype}"):
            x.clamp(min=greatest + 1)
