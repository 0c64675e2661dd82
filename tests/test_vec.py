"""The vocabulary: every word of every instruction set gives what vec/generic.h gives, the
specification, and that gives what NumPy does."""

import ctypes
import platform
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import bits_equal

import kael

ROOT = Path(__file__).parents[1]
PROGRAM = """
#define KL_BODY "vec_words.inc.h"
#include "kael/foreach_isa.h"
"""
FLOATS = {"f32": np.float32, "f64": np.float64}
UNSIGNED = {"f32": np.uint32, "f64": np.uint64}
# Words beside those of vec_words.inc.h that are tried with the same name.
BY_OTHERS = {"vec", "mask", "bits", "width", "load", "store", "from_bits"}
BRIDGES = {
    "load_f32", "load_f32_part", "store_f32", "store_f32_part", "first_half", "second_half",
    "from_halves", "narrow",
}  # fmt: skip

# Under emulation the plain one is that of the machine underneath.
GCC = shutil.which(f"{platform.machine()}-linux-gnu-gcc") or shutil.which("gcc")

pytestmark = pytest.mark.skipif(GCC is None, reason="gcc compiles the words here")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vec")
    (folder / "words.c").write_text(PROGRAM)
    flags = ["-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]
    paths = ["-I", ROOT / "include", "-I", ROOT / "tests"]
    made = folder / "words.so"
    command = [GCC, *flags, "-fPIC", "-shared", *paths, folder / "words.c", "-o", made, "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(made))


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def names():
    """The words of vec_words.inc.h that work lane by lane."""
    text = (ROOT / "tests" / "vec_words.inc.h").read_text()
    return re.findall(r"^(?:WORD|TRUTH|BITS)\((\w+), ", text, re.M)


def test_every_word_is_tried():
    text = (ROOT / "include" / "kael" / "vec" / "generic.inc.h").read_text()
    words = set(re.findall(r"V\((\w+)\)(?:\(.*\) \{|;| = 1)", text))
    assert len(words) > 45
    others = {"iota", "head", "swap", "any", "turn", "stream", "load_part", "store_part"}
    assert words == {*names()} | BY_OTHERS | others
    text = (ROOT / "include" / "kael" / "vec" / "generic.h").read_text()
    assert set(re.findall(r"v_(\w+?)_f(?:32|64)_generic\(", text)) - words == {
        re.sub("_f32$", "", name) for name in BRIDGES
    } - words | {"load_f32", "store_f32", "load_f32_part", "store_f32_part"}


def operands(kind):
    """Three arrays: each special value with each other, then values of every magnitude."""
    limits, generator = np.finfo(kind), np.random.default_rng(3)
    tiny, huge = float(limits.smallest_subnormal), float(limits.max)
    halves = 2.0 ** (limits.nmant - 1)
    values = [0.0, 0.5, 1.0, 1.5, 2.5, np.inf, tiny, float(limits.tiny), huge, halves + 0.5]
    values = np.array([*values, *(-v for v in values), np.nan, 3 * tiny], kind)
    grid = np.stack(np.meshgrid(values, values, values), -1).reshape(-1, 3).T
    spread = generator.choice((-1, 1), (3, 20_000)) * generator.uniform(1, 2, (3, 20_000))
    spread = np.ldexp(spread, generator.integers(-30, 30, spread.shape)).astype(kind)
    near = (-spread[0] * spread[1]).astype(kind)  # where fma cancels
    spread[2, ::2] = near[::2]
    found = np.concatenate([grid, spread], axis=1)
    return [np.ascontiguousarray(row[: row.size // 16 * 16]) for row in found]


def run(library, word, code, isa, arrays):
    out = np.empty_like(arrays[0])
    function = getattr(library, f"word_{word}_{code}_{isa}")
    function(*map(pointer, arrays), pointer(out), ctypes.c_int64(out.size))
    return out


@pytest.mark.parametrize("code", FLOATS)
@pytest.mark.parametrize("word", names())
def test_a_word_is_that_of_generic(library, word, code):
    arrays = operands(FLOATS[code])
    wanted = run(library, word, code, "generic", arrays)
    for isa in kael.usable_isas():
        assert bits_equal(run(library, word, code, isa, arrays), wanted), isa


def specified(word, a, b, c):
    """The word by NumPy; None for fma and fnma, which it lacks, and for words it does not know."""
    x, y = (v.view(UNSIGNED["f32" if v.itemsize == 4 else "f64"]) for v in (a, b))
    one, zero = a.dtype.type(1), a.dtype.type(0)
    bits = {
        "neg": np.negative(a).view(x.dtype), "as_bits": x, "bits_add": x + y, "bits_sub": x - y,
        "bits_and": x & y, "bits_or": x | y, "bits_xor": x ^ y, "bits_shl": x << 7,
        "bits_shr": x >> 7, "bits_splat": np.full_like(x, 0x87654321),
    }  # fmt: skip
    truths = {
        "lt": a < b, "le": a <= b, "eq": a == b, "ne": a != b, "is_nan": np.isnan(a),
        "both": (a < b) & (b < c), "either": (a < b) | (b < c), "not": ~(a < b),
    }  # fmt: skip
    values = {
        "add": a + b, "sub": a - b, "mul": a * b, "div": a / b, "sqrt": np.sqrt(a),
        "abs": np.abs(a), "max": np.where(a > b, a, b), "min": np.where(a < b, a, b),
        "rint": np.rint(a), "floor": np.floor(a), "trunc": np.trunc(a),
        "select": np.where(a < b, b, c), "splat": np.full_like(a, 0.1),
        "lookup": c[:16][(x & 15).astype(int)],
    }  # fmt: skip
    if word in bits:
        return bits[word].view(a.dtype)
    return np.where(truths[word], one, zero) if word in truths else values.get(word)


@pytest.mark.parametrize("code", FLOATS)
@pytest.mark.parametrize("word", names())
def test_generic_is_what_numpy_gives(library, word, code):
    arrays = operands(FLOATS[code])
    found = run(library, word, code, "generic", arrays)
    with np.errstate(all="ignore"):
        wanted = specified(word, *arrays)
        if word in ("fma", "fnma") and code == "f32":
            a, b, c = (v.astype(np.float64) for v in arrays)
            wanted = ((a if word == "fma" else -a) * b + c).astype(np.float32)
            # Of a product in double only a sum may round twice.
            twice = np.abs(found - wanted) <= np.spacing(np.abs(wanted))
            wanted = np.where(twice, found, wanted)
    assert wanted is not None or (word, code) in {("fma", "f64"), ("fnma", "f64")}
    assert wanted is None or bits_equal(found, wanted.astype(found.dtype))


def test_fma_rounds_once(library):
    """(1 + e)^2 - (1 + 2 e) is e^2, which a product rounded first loses."""
    for code, kind in FLOATS.items():
        e = np.finfo(kind).eps
        arrays = [np.full(16, v, kind) for v in (1 + e, 1 + e, -(1 + 2 * e))]
        for isa in kael.usable_isas():
            assert (run(library, "fma", code, isa, arrays) == e * e).all()
            arrays[2] = -arrays[2]
            assert (run(library, "fnma", code, isa, arrays) == -(e * e)).all()
            arrays[2] = -arrays[2]


@pytest.fixture(params=FLOATS)
def code(request):
    return request.param


@pytest.fixture(params=kael.usable_isas())
def isa(request):
    return request.param


@pytest.fixture
def call(library, code, isa):
    """Calls a word that works on one vector; arrays are passed by their address."""

    def call(word, *arguments, result=None):
        function = getattr(library, f"word_{word}_{code}_{isa}")
        function.restype = result
        given = (pointer(v) if isinstance(v, np.ndarray) else ctypes.c_int64(v) for v in arguments)
        return function(*given)

    return call


def width(library, code, isa):
    return getattr(library, f"word_width_{code}_{isa}")()


def test_words_that_reach_across_lanes(library, call, code, isa):
    lanes = width(library, code, isa)
    x = np.arange(1, 65, dtype=FLOATS[code])
    out = np.zeros(64, FLOATS[code])
    call("iota", out)
    assert bits_equal(out[:lanes], np.arange(lanes, dtype=FLOATS[code]))
    scalar = ctypes.c_float if code == "f32" else ctypes.c_double
    assert call("head", x, result=scalar) == 1
    call("swap", x, out)
    for i, half in enumerate((1, 2, 4, 8)):
        if half < lanes:
            wanted = x[np.arange(lanes) ^ half]
            assert bits_equal(out[i * lanes : (i + 1) * lanes], wanted), half
    for lane in range(lanes):
        assert call("any", np.where(np.arange(64) == lane, 1, x * 2).astype(x.dtype),
                    result=ctypes.c_bool)  # fmt: skip
    assert not call("any", x * 2, result=ctypes.c_bool)


def test_squares_are_turned(library, call, code, isa):
    lanes = width(library, code, isa)
    x = np.arange(lanes * lanes, dtype=FLOATS[code])
    out = np.zeros_like(x)
    call("turn", x, out)
    assert bits_equal(out.reshape(lanes, lanes), x.reshape(lanes, lanes).T)


def test_streamed_vectors_arrive(library, call, code, isa):
    lanes, room = width(library, code, isa), np.zeros(64, FLOATS[code])
    first = -room.ctypes.data % 64 // room.itemsize  # a line of memory begins here
    x = np.arange(1, 65, dtype=FLOATS[code])
    call("stream", x, room[first:])
    assert bits_equal(room[first : first + lanes], x[:lanes])
    assert np.count_nonzero(room) == lanes


def test_parts_touch_no_other_lane(library, call, code, isa):
    lanes, kind = width(library, code, isa), FLOATS[code]
    x = np.arange(1, 65, dtype=kind)
    for count in range(lanes + 1):
        out = np.full(64, 7, kind)
        call("load_part", x, out, count)
        assert bits_equal(out[:lanes], np.where(np.arange(lanes) < count, x[:lanes], kind(0)))
        out = np.full(64, 7, kind)
        call("store_part", x, out, count)
        assert bits_equal(out, np.where(np.arange(64) < count, x, kind(7)))


def test_bridges_between_float_and_double(library, call, code, isa):
    doubles = width(library, "f64", isa)
    wide = np.array([1 + 2.0**-24, 1 + 3 * 2.0**-24, 1e300, -1e-300, np.nan, 1e-45, -0.0, 0.1] * 8)
    with np.errstate(over="ignore"):
        narrow = wide.astype(np.float32)
    for count in range(-1, doubles + 1):
        taken = doubles if count < 0 else count
        out = np.full(64, 7.0)
        call("load_f32", narrow, out, count)
        lanes = np.where(np.arange(doubles) < taken, narrow[:doubles], 0).astype(np.float64)
        assert bits_equal(out[:doubles], lanes)
        single = np.full(64, 7, np.float32)
        call("store_f32", wide, single, count)
        assert bits_equal(single, np.where(np.arange(64) < taken, narrow, np.float32(7)))
    lanes = width(library, code, isa)
    out = np.zeros(64, FLOATS[code])
    call("narrow", wide, out)
    assert bits_equal(out[:lanes], (narrow if code == "f32" else wide)[:lanes])
    out, back = np.zeros(64), np.zeros(64, np.float32)
    call("halves", narrow, out, back)
    floats = width(library, "f32", isa)
    assert bits_equal(out[:floats], narrow[:floats].astype(np.float64))
    assert bits_equal(back[:floats], narrow[:floats])
