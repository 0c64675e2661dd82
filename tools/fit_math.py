"""Writes include/kael/math/tables*.h: constants and coefficients; needs mpmath.

Every polynomial is a minimax fit (Remez exchange in 60 digits) of a function that is smooth on
the reduced interval, its coefficients then rounded to the element type. The rounding is harmless
because the leading terms of each expression are exact and written in math.inc.h.
"""

import itertools
import struct
from operator import itemgetter
from pathlib import Path

import mpmath as mp
from minimax import EDGE, piecewise, remez, rounded


def literal(value, kind):
    mantissa, exponent = float(rounded(value, kind)).hex().split("p")
    text = mantissa.rstrip("0").rstrip(".") + "p" + exponent
    return text + "f" if kind == "f32" else text


def expm1_quotient(r):
    """(exp(r) - 1 - r) / r^2."""
    if abs(r) < mp.mpf("1e-12"):
        return mp.mpf(1) / 2 + r / 6 + r * r / 24
    return (mp.expm1(r) - r) / (r * r)


def log_quotient(z):
    """(log((1 + s) / (1 - s)) / s - 2) / s^2 as a function of z = s^2."""
    if z < mp.mpf("1e-20"):
        return mp.mpf(2) / 3 + 2 * z / 5
    s = mp.sqrt(z)
    return (2 * mp.atanh(s) / s - 2) / z


def pow_quotient(z):
    """log_quotient without its leading 2/3."""
    if z < mp.mpf("1e-20"):
        return mp.mpf(2) / 5 + 2 * z / 7
    return (log_quotient(z) - mp.mpf(2) / 3) / z


def odd_quotient(f, first, third):
    """(f(r) - first * r) / r^3 as a function of r^2, for an odd f."""

    def quotient(z):
        if z < mp.mpf("1e-20"):
            return third
        r = mp.sqrt(z)
        return (f(r) - first * r) / (r * z)

    return quotient


def asin_quotient(z):
    """(asin(s) / s - 1) / s^2 as a function of z = s^2."""
    if z < mp.mpf("1e-20"):
        return mp.mpf(1) / 6 + 3 * z / 40
    s = mp.sqrt(z)
    return (mp.asin(s) / s - 1) / z


def cos_quotient(z):
    """(cos(r) - 1 + r^2 / 2) / r^4 as a function of z = r^2."""
    if z < mp.mpf("1e-20"):
        return mp.mpf(1) / 24 - z / 720
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / (z * z)


def mills(a):
    """exp(a^2 / 2) * P(normal > a)."""
    return mp.exp(a * a / 2) * mp.erfc(a / mp.sqrt(2)) / 2


def octave_pieces(shift, scale=1):
    """The 16 intervals, from 0 on, where shift + scale x keeps its exponent and first two bits."""
    ends = [mp.mpf(shift)]
    while len(ends) <= 16:
        step = mp.mpf(2) ** (mp.floor(mp.log(ends[-1], 2)) - 2)
        ends.append((mp.floor(ends[-1] / step) + 1) * step)
    return [((a - shift) / scale, (b - shift) / scale) for a, b in itertools.pairwise(ends)]


def gelu_pieces():
    """The 16 intervals where 0.2359 (x + 0.096) (x + 5.904) rounds to the same integer."""
    halves = (i + mp.mpf("0.5") for i in range(16))
    flat = 9 - mp.mpf("0.096") * mp.mpf("5.904")
    ends = [mp.mpf(0), *(mp.sqrt(h / mp.mpf("0.2359") + flat) - 3 for h in halves)]
    return list(itertools.pairwise(ends))


def left_gelu(a):
    """-gelu(-a)."""
    return a * mp.erfc(a / mp.sqrt(2)) / 2


def left_slope(a):
    """The derivative of gelu at -a."""
    return (mp.erfc(a / mp.sqrt(2)) - a * mp.sqrt(2 / mp.pi) * mp.exp(-a * a / 2)) / 2


def gelu_nearer(low):
    """Where gelu rises, and on the left of it, where a sum of two keeps what it loses if none of
    the parts is less than half of the other."""
    return -0.2 if low < 1 else 0.3


def tables_of_pieces(kind):
    """name: rows of 16, and the error or None, for the functions that are polynomials by pieces."""
    found = {}
    if kind != "f32":
        # atan(i / 8) and, of their complements, pi / 2 less that.
        angles = [mp.atan(mp.mpf(i) / 8) for i in range(8)]
        angles += [mp.pi / 2 - angle for angle in angles]
        found["atan_base"] = [angles], None
    if kind == "f64":
        found["atan_base_low"] = [[x - rounded(x, kind) for x in angles]], None
    if kind == "wide":
        return found
    shift, degree, turn = MILLS[kind]

    def add(name, turn, *arguments):
        centers, rows, error = piecewise(*arguments)
        turned = [[row[(i - turn) % 16] for i in range(16)] for row in (centers, *rows)]
        found[name + "_center"] = turned[:1], None
        found[name] = turned[1:], error

    add("mills", turn, mills, octave_pieces(shift), kind, degree, True)
    if kind == "f32":
        # Centers are nearer to the small end, which loses most in the sum.
        add("gelu", 0, left_gelu, gelu_pieces(), kind, 7, True, gelu_nearer)
        add("gelu_slope", 0, left_slope, gelu_pieces(), kind, 7, False)
        for name, f, scale in (("tanh", mp.tanh, "1.65"), ("erf", mp.erf, "3.8")):
            pieces = octave_pieces(1, mp.mpf(scale))
            add(name, 12, f, pieces, kind, 6, True, lambda low: -0.2 * (low < 0.3), True)
    return found


LOG_RANGE = (0, ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.001"))
FRACTION_RANGE = (mp.sqrt(mp.mpf("0.5")) - 1, mp.sqrt(2) - 1)
EXP_RANGE = (-mp.log(2) / 2 * mp.mpf("1.001"), mp.log(2) / 2 * mp.mpf("1.001"))
QUADRANT = (0, (mp.pi / 4) ** 2 * mp.mpf("1.01"))
TANH_SMALL = mp.mpf("0.625")
ERF_SMALL = mp.mpf("0.875")
# The shift, the degree, and the index that shift's own bits give.
MILLS = {"f32": (1, 6, 12), "f64": (3, 14, 2)}
ROOT_PI = mp.sqrt(mp.pi)

tanh_quotient = odd_quotient(mp.tanh, 1, -mp.mpf(1) / 3)
erf_quotient = odd_quotient(mp.erf, 2 / ROOT_PI, -2 / (3 * ROOT_PI))

# name: for f32 and f64 each function, range, degree, or None for pieces
POLYNOMIALS = {
    "exp": ((expm1_quotient, EXP_RANGE, 5), (expm1_quotient, EXP_RANGE, 10)),
    "exp_short": tuple((expm1_quotient, EXP_RANGE, d, lambda r: r * r + EDGE) for d in (4, 9)),
    "log": ((log_quotient, LOG_RANGE, 2), (log_quotient, LOG_RANGE, 6)),
    "pow": ((pow_quotient, LOG_RANGE, 2), (pow_quotient, LOG_RANGE, 6)),
    "sin": tuple((odd_quotient(mp.sin, 1, -mp.mpf(1) / 6), QUADRANT, d) for d in (3, 6)),
    "cos": ((cos_quotient, QUADRANT, 3), (cos_quotient, QUADRANT, 6)),
    "tanh": (None, (tanh_quotient, (0, TANH_SMALL**2), 11, lambda z: z + EDGE)),
    "erf": (None, (erf_quotient, (0, ERF_SMALL**2), 13)),
}

# name: for wide and f64, which are the types that have double lanes
DOUBLE_POLYNOMIALS = {
    "asin": tuple((asin_quotient, (0, mp.mpf("0.2501")), d) for d in (7, 12)),
    "atan": tuple(
        (odd_quotient(mp.atan, 1, -mp.mpf(1) / 3), (0, mp.mpf(limit) ** 2), d)
        for limit, d in (("0.09", 2), ("0.0785", 4))
    ),
    "sinh": tuple((odd_quotient(mp.sinh, 1, mp.mpf(1) / 6), (0, 1), d) for d in (3, 7)),
    "cbrt": tuple((lambda f: mp.cbrt(1 + f), FRACTION_RANGE, d) for d in (3, 6)),
}

# name: value for f32 and f64; wide has those of f64
CONSTANTS = {
    "log10e": (1 / mp.log(10),) * 2,
    "log10_2": (mp.log(2) / mp.log(10),) * 2,
    "atan_huge": (None, mp.mpf(2) ** 1000),
    "atan_tiny": (None, mp.mpf(2) ** -900),
    "root_of_half": (mp.cbrt(mp.mpf("0.5")),) * 2,
    "root_of_quarter": (mp.cbrt(mp.mpf("0.25")),) * 2,
    "sinh_largest": (90, 711),
    "log2e": (1 / mp.log(2),) * 2,
    "ln2": (mp.log(2),) * 2,
    "exp_largest": (89, 710),
    "exp_smallest": (-104, -746),
    "sigmoid_smallest": (-20, -40),
    "sigmoid_largest": (110, 752),
    "sigmoid_scale": (mp.mpf(2) ** -32, mp.mpf(2) ** -64),
    "smallest_normal": (mp.mpf(2) ** -126, mp.mpf(2) ** -1022),
    "two_thirds": (mp.mpf(2) / 3,) * 2,
    "two_over_pi": (2 / mp.pi,) * 2,
    "half_pi": (mp.pi / 2,) * 2,
    "largest_angle": (2**17, 2**30),
    "tanh_small": (None, TANH_SMALL),
    "tanh_largest": (9.0625, 20),
    "erf_small": (None, ERF_SMALL),
    "erf_largest": (3.9375, 20),
    "erf_slope": (None, 2 / ROOT_PI - 1),
    "root_two": (mp.sqrt(2),) * 2,
    "tail_largest": (14.96875, 39.5),
    "gelu_largest": (5.609375, 5.609375),
    "erfc_largest": (10.25, 27.5),
    "mills_shift": tuple(shift for shift, _, _ in MILLS.values()),
    "normal_peak": (1 / mp.sqrt(2 * mp.pi),) * 2,
    "gelu_linear": (2 * mp.sqrt(2 / mp.pi),) * 2,
    "gelu_cubic": (2 * mp.sqrt(2 / mp.pi) * mp.mpf("0.044715"),) * 2,
}


def wrapped(row, kind):
    """The lines of one row of a table."""
    numbers, each = [literal(x, kind) for x in row], 4 if kind == "f32" else 3
    lines = [", ".join(numbers[i : i + each]) for i in range(0, len(numbers), each)]
    middle = [f"         {line}," for line in lines[1:-1]]
    return [f"        {{{lines[0]},", *middle, f"         {lines[-1]}}},"]


def table(kind):
    """Lines of the struct for one type."""
    which = 0 if kind == "f32" else 1
    ctype = ("float", "double")[which]
    polynomials = {name: pair[kind == "f64"] for name, pair in POLYNOMIALS.items()}
    if kind != "f32":
        polynomials |= {name: pair[kind == "f64"] for name, pair in DOUBLE_POLYNOMIALS.items()}
    fields, values = [], []

    def add_polynomial(name, coefficients, error):
        fields.append(f"    {ctype} {name}[{len(coefficients)}];")
        values.append(f"    .{name} = {{ /* error {mp.nstr(error, 3)} */")
        values.extend(f"        {literal(c, kind)}," for c in reversed(coefficients))
        values.append("    },")

    for name, pair in CONSTANTS.items():
        if pair[which] is None:
            continue
        high = rounded(mp.mpf(pair[which]), kind)
        if high == pair[which]:
            fields.append(f"    {ctype} {name};")
            values.append(f"    .{name} = {literal(high, kind)},")
            continue
        fields.append(f"    {ctype} {name}, {name}_low;")
        values.append(f"    .{name} = {literal(high, kind)},")
        values.append(f"    .{name}_low = {literal(pair[which] - high, kind)},")
    third = rounded(mp.pi / 2 - rounded(mp.pi / 2, kind), kind)
    fields.append(f"    {ctype} half_pi_lowest;")
    values.append(
        f"    .half_pi_lowest = {literal(mp.pi / 2 - rounded(mp.pi / 2, kind) - third, kind)},"
    )
    for name, (f, (low, high), degree, *weight) in filter(itemgetter(1), polynomials.items()):
        coefficients, error = remez(f, low, high, degree, *weight)
        add_polynomial(name, coefficients, error)
    for name, (rows, error) in tables_of_pieces(kind).items():
        several = f"[{len(rows)}]" if error is not None else ""
        fields.append(f"    {ctype} {name}{several}[16];")
        lines = [line for row in reversed(rows) for line in wrapped(row, kind)]
        if error is not None:
            lines = [f"{{ /* error {mp.nstr(error, 3)} */", *lines, "    },"]
        values += [f"    .{name} = {lines[0].lstrip()}", *lines[1:]]
    root = struct.pack("fd"[which], float(rounded(mp.sqrt(mp.mpf(1) / 2), kind)))
    fields.append(f"    kl_word_{kind} root_half_bits; /* of the square root of 1/2 */")
    values.append(f"    .root_half_bits = 0x{root[::-1].hex()},")
    return [
        f"static const struct kl_math_{kind} {{",
        *fields,
        f"}} kl_math_{kind} = {{",
        *values,
        "};",
        "",
    ]


HEAD = """\
/* Tables of math.inc.h, written by tools/fit_math.py: the bits of 2 / pi, and for each type its
 * constants and coefficients.
 *
 * A constant c is held as two floats, c and c_low, whose sum has twice the precision. Coefficients
 * are listed from the highest on; the error beside a polynomial is the largest before rounding to
 * the element type, in the weight that suits its use.
 */
#ifndef KAEL_MATH_TABLES_H
#define KAEL_MATH_TABLES_H

#include <stdint.h>

/* 2 / pi: 0, then its first 1280 fraction bits, the highest first. */
static const uint64_t kl_two_over_pi[21] = {
    0,
%s
};

/* IEEE 754 formats: fraction bits, exponent bias, and the unsigned type of the same width. `wide`
 * is a double that serves the precision of float. */
enum { kl_fraction_f32 = 23, kl_fraction_f64 = 52, kl_fraction_wide = 52 };
enum { kl_bias_f32 = 127, kl_bias_f64 = 1023, kl_bias_wide = 1023 };
typedef uint32_t kl_word_f32;
typedef uint64_t kl_word_f64;
typedef uint64_t kl_word_wide;
"""


def angle_words():
    """Lines of kl_two_over_pi."""
    with mp.workprec(1400):
        digits = f"{int(mp.floor(2 / mp.pi * mp.mpf(2) ** 1280)):0320x}"
    words = [f"0x{digits[i : i + 16]}," for i in range(0, 320, 16)]
    return "\n".join("    " + " ".join(words[i : i + 4]) for i in range(0, 20, 4))


def main():
    """Writes the headers into the folder of math.inc.h."""
    folder = Path(__file__).parents[1] / "include" / "kael" / "math"
    kinds = ("f32", "f64", "wide")
    includes = [f'#include "kael/math/tables_{kind}.h"' for kind in kinds]
    (folder / "tables.h").write_text("\n".join([HEAD % angle_words(), *includes, "", "#endif\n"]))
    for kind in kinds:
        guard = f"KAEL_MATH_TABLES_{kind.upper()}_H"
        lines = [f"/* Constants for {kind}; written by tools/fit_math.py. */", f"#ifndef {guard}"]
        text = "\n".join([*lines, f"#define {guard}", "", *table(kind), "#endif\n"])
        (folder / f"tables_{kind}.h").write_text(text)


if __name__ == "__main__":
    main()
