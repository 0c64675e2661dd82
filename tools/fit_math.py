"""Writes include/kael/math/tables*.h: constants and coefficients; needs mpmath.

Every polynomial is a minimax fit (Remez exchange in 60 digits) of a function that is smooth on
the reduced interval, its coefficients then rounded to the element type. The rounding is harmless
because the leading terms of each expression are exact and written in math.inc.h.
"""

import itertools
import struct
from pathlib import Path

import mpmath as mp

mp.mp.dps = 60


def remez(f, low, high, degree, weight=lambda x: 1):
    """Coefficients, lowest first, of the polynomial p minimising max |f - p| weight; that error."""
    low, high = mp.mpf(low), mp.mpf(high)
    middle, half = (low + high) / 2, (high - low) / 2
    points = [
        middle - half * mp.cos(mp.pi * (i + mp.mpf("0.5")) / (degree + 2))
        for i in range(degree + 2)
    ]
    grid = [
        middle - half * mp.cos(mp.pi * i / (40 * (degree + 2)))
        for i in range(40 * (degree + 2) + 1)
    ]
    values = [(x, f(x)) for x in grid]
    for _ in range(12):
        rows = mp.matrix(degree + 2, degree + 2)
        right = mp.matrix(degree + 2, 1)
        for i, x in enumerate(points):
            for j in range(degree + 1):
                rows[i, j] = ((x - middle) / half) ** j
            rows[i, degree + 1] = (-1) ** i / weight(x)
            right[i] = f(x)
        solution = mp.lu_solve(rows, right)
        scaled = [solution[j] for j in range(degree + 1)]
        errors = [
            (x, weight(x) * (y - mp.polyval(scaled[::-1], (x - middle) / half))) for x, y in values
        ]
        points = extremes(errors, degree + 2)
        if abs(abs(solution[degree + 1]) / max(abs(e) for _, e in errors) - 1) < mp.mpf("1e-3"):
            break
    return shifted(scaled, middle, half), max(abs(e) for _, e in errors)


def extremes(errors, count):
    """The largest error of each run of equal sign: the next reference points."""
    runs = [errors[0]]
    for point in errors[1:]:
        if (point[1] > 0) != (runs[-1][1] > 0):
            runs.append(point)
        elif abs(point[1]) > abs(runs[-1][1]):
            runs[-1] = point
    while len(runs) > count:
        runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
    if len(runs) < count:
        raise ArithmeticError(f"{len(runs)} alternations, {count} needed")
    return [x for x, _ in runs]


def shifted(scaled, middle, half):
    """Coefficients in x of a polynomial in (x - middle) / half."""
    result = [mp.mpf(0)]
    for c in reversed(scaled):
        product = [mp.mpf(0)] * (len(result) + 1)
        for j, r in enumerate(result):
            product[j] -= r * middle / half
            product[j + 1] += r / half
        product[0] += c
        result = product[:-1] if product[-1] == 0 else product
    return result


def rounded(value, kind):
    """The nearest float of the kind, as an mpf."""
    if kind != "f32":
        return mp.mpf(float(value))
    low = struct.unpack("f", struct.pack("f", float(value)))[0]
    return mp.mpf(low)


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


def mills_pieces(shift):
    """The 16 intervals where shift + x has the same exponent and first two bits, from x = 0 on."""
    ends = [mp.mpf(shift)]
    while len(ends) <= 16:
        step = mp.mpf(2) ** (mp.floor(mp.log(ends[-1], 2)) - 2)
        ends.append((mp.floor(ends[-1] / step) + 1) * step)
    return [(a - shift, b - shift) for a, b in itertools.pairwise(ends)]


def gelu_pieces():
    """The 16 intervals where 0.32 x (x + 3) rounds to the same integer."""
    halves = (i + mp.mpf("0.5") for i in range(16))
    ends = [mp.mpf(0), *(mp.sqrt(h / mp.mpf("0.32") + mp.mpf("2.25")) - 1.5 for h in halves)]
    return list(itertools.pairwise(ends))


def center_of(f, low, high, kind):
    """A center near the middle where f is a float of the kind but for a 500th of an ulp."""
    step, found = (high - low) * mp.mpf(2) ** -14, []
    for k in range(-400, 401):
        c = rounded((low + high) / 2 + k * step, "f32")
        found.append((abs(rounded(f(c), kind) / f(c) - 1), c))
    return min(found)[1]


def piecewise(f, intervals, centers, kind, degree, relative):
    """A polynomial about the center of each interval: coefficients, lowest first, a column each;
    the leading one is f there, rounded. And the largest error, relative to f if asked for."""
    columns, errors = [], []
    for (low, high), c in zip(intervals, centers, strict=True):
        first = rounded(f(c), kind)
        tangent = mp.diff(f, c)

        def slope(u, c=c, tangent=tangent):
            return tangent if abs(u) < 1e-15 else (f(c + u) - f(c)) / u

        def weight(u, c=c, size=high - low, tangent=tangent):
            if c == 0 and relative:
                return 1 / tangent
            return (abs(u) + size * EDGE) / (f(c + u) if relative else 1)

        rest, error = remez(slope, low - c, high - c, degree - 1, weight)
        columns.append([first, *rest])
        errors.append(error)
    return list(zip(*columns, strict=True)), max(errors)


def left_gelu(a):
    """-gelu(-a)."""
    return a * mp.erfc(a / mp.sqrt(2)) / 2


def left_slope(a):
    """The derivative of gelu at -a."""
    return (mp.erfc(a / mp.sqrt(2)) - a * mp.sqrt(2 / mp.pi) * mp.exp(-a * a / 2)) / 2


def tables_of_pieces(kind):
    """name: rows of 16, and the error or None, for the functions that are polynomials by pieces."""
    shift, degree, turn = MILLS[kind]
    intervals = mills_pieces(shift)
    centers = [center_of(mills, *interval, kind) for interval in intervals]
    rows, error = piecewise(mills, intervals, centers, kind, degree, True)

    def turned(row):
        """The first piece has the index turn."""
        return [row[(i - turn) % 16] for i in range(16)]

    found = {"mills_center": ([turned(centers)], None), "mills": (map(turned, rows), error)}
    if kind == "f32":
        intervals = gelu_pieces()
        # Where the function falls, its small end loses most in the sum: the center is nearer to it.
        nearer = [(low + (high - low) / 5 if low > 1 else low, high) for low, high in intervals]
        centers = [mp.mpf(0), *(center_of(left_gelu, *i, kind) for i in nearer[1:])]
        found["gelu_center"] = [centers], None
        found["gelu"] = piecewise(left_gelu, intervals, centers, kind, 7, True)
        found["gelu_slope"] = piecewise(left_slope, intervals, centers, kind, 7, False)
    return {name: (list(rows), error) for name, (rows, error) in found.items()}


LOG_RANGE = (0, ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.001"))
FRACTION_RANGE = (mp.sqrt(mp.mpf("0.5")) - 1, mp.sqrt(2) - 1)
EXP_RANGE = (-mp.log(2) / 2 * mp.mpf("1.001"), mp.log(2) / 2 * mp.mpf("1.001"))
QUADRANT = (0, (mp.pi / 4) ** 2 * mp.mpf("1.01"))
TANH_SMALL = (mp.mpf("0.95"), mp.mpf("0.625"))
ERF_SMALL = mp.mpf("0.875")
# A weight that vanishes at 0 is kept from doing so.
EDGE = mp.mpf("0.003")
# The shift, the degree, and the index that shift's own bits give.
MILLS = {"f32": (1, 6, 12), "f64": (3, 14, 2)}
ROOT_PI = mp.sqrt(mp.pi)

# name: for f32 and f64 each function, range, degree
POLYNOMIALS = {
    "exp": ((expm1_quotient, EXP_RANGE, 5), (expm1_quotient, EXP_RANGE, 10)),
    "exp_short": tuple((expm1_quotient, EXP_RANGE, d, lambda r: r * r + EDGE) for d in (4, 9)),
    "log": ((log_quotient, LOG_RANGE, 2), (log_quotient, LOG_RANGE, 6)),
    "pow": ((pow_quotient, LOG_RANGE, 2), (pow_quotient, LOG_RANGE, 6)),
    "sin": tuple((odd_quotient(mp.sin, 1, -mp.mpf(1) / 6), QUADRANT, d) for d in (3, 6)),
    "cos": ((cos_quotient, QUADRANT, 3), (cos_quotient, QUADRANT, 6)),
    "tanh": tuple(
        (odd_quotient(mp.tanh, 1, -mp.mpf(1) / 3), (0, limit**2), d, lambda z: z + EDGE)
        for limit, d in zip(TANH_SMALL, (6, 11), strict=True)
    ),
    "erf": tuple(
        (odd_quotient(mp.erf, 2 / ROOT_PI, -2 / (3 * ROOT_PI)), (0, ERF_SMALL**2), d)
        for d in (6, 13)
    ),
}

# name: for wide and f64, which are the types that have double lanes
DOUBLE_POLYNOMIALS = {
    "asin": tuple((asin_quotient, (0, mp.mpf("0.2501")), d) for d in (7, 12)),
    "atan": tuple(
        (odd_quotient(mp.atan, 1, -mp.mpf(1) / 3), (0, mp.mpf("0.1717")), d) for d in (5, 11)
    ),
    "sinh": tuple((odd_quotient(mp.sinh, 1, mp.mpf(1) / 6), (0, 1), d) for d in (3, 7)),
    "cbrt": tuple((lambda f: mp.cbrt(1 + f), FRACTION_RANGE, d) for d in (3, 6)),
}

# name: value for f32 and f64; wide has those of f64
CONSTANTS = {
    "log10e": (1 / mp.log(10),) * 2,
    "log10_2": (mp.log(2) / mp.log(10),) * 2,
    "tan_eighth": (mp.tan(mp.pi / 8),) * 2,
    "atan_huge": (mp.mpf(2) ** 120, mp.mpf(2) ** 1000),
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
    "tanh_small": TANH_SMALL,
    "tanh_largest": (10, 20),
    "erf_small": (ERF_SMALL,) * 2,
    "erf_slope": (2 / ROOT_PI - 1,) * 2,
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
    for name, (f, (low, high), degree, *weight) in polynomials.items():
        coefficients, error = remez(f, low, high, degree, *weight)
        add_polynomial(name, coefficients, error)
    for name, (rows, error) in tables_of_pieces(kind).items() if kind != "wide" else ():
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
