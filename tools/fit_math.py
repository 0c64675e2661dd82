"""Derives the coefficients of include/kael/math/tables.h; needs mpmath. Prints the header.

Every polynomial is a minimax fit (Remez exchange in 60 digits) of a function that is smooth on
the reduced interval, its coefficients then rounded to the element type. The rounding is harmless
because the leading terms of each expression are exact and written in math.inc.h.
"""

import struct

import mpmath as mp

mp.mp.dps = 60


def remez(f, low, high, degree):
    """Coefficients, lowest first, of the polynomial p minimising max |f - p|; and that error."""
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
            rows[i, degree + 1] = (-1) ** i
            right[i] = f(x)
        solution = mp.lu_solve(rows, right)
        scaled = [solution[j] for j in range(degree + 1)]
        errors = [(x, y - mp.polyval(scaled[::-1], (x - middle) / half)) for x, y in values]
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
    if kind == "f64":
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


def cos_quotient(z):
    """(cos(r) - 1 + r^2 / 2) / r^4 as a function of z = r^2."""
    if z < mp.mpf("1e-20"):
        return mp.mpf(1) / 24 - z / 720
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / (z * z)


def mills(a):
    """exp(a^2 / 2) * P(normal > a)."""
    return mp.exp(a * a / 2) * mp.erfc(a / mp.sqrt(2)) / 2


def rational(f, largest, shift, numerator, denominator):
    """Coefficients, lowest first, of p and q with f(0) = p(0) and f close to p / q on [0, largest].

    Interpolates at the images of Chebyshev points under a = shift v / (1 - v); the largest relative
    error is within twice the least possible.
    """
    top = largest / (largest + shift)
    count = numerator + denominator + 1
    points = [top / 2 - top / 2 * mp.cos(mp.pi * (i + mp.mpf("0.5")) / count) for i in range(count)]
    rows, right = mp.matrix(count, count), mp.matrix(count, 1)
    for i, v in enumerate(points):
        a = shift * v / (1 - v)
        for j in range(numerator + 1):
            rows[i, j] = a**j / f(a)
        for j in range(1, denominator + 1):
            rows[i, numerator + j] = -(a**j)
        right[i] = mp.mpf(1)
    solution = list(mp.lu_solve(rows, right))
    p, q = solution[: numerator + 1], [mp.mpf(1), *solution[numerator + 1 :]]
    grid = [shift * v / (1 - v) for v in (top * i / 500 for i in range(501))]
    error = max(abs(mp.polyval(p[::-1], a) / mp.polyval(q[::-1], a) / f(a) - 1) for a in grid)
    return p, q, error


LOG_RANGE = (0, ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.001"))
EXP_RANGE = (-mp.log(2) / 2 * mp.mpf("1.001"), mp.log(2) / 2 * mp.mpf("1.001"))
QUADRANT = (0, (mp.pi / 4) ** 2 * mp.mpf("1.01"))
TANH_SMALL = (mp.mpf("0.97"), mp.mpf("0.625"))
# The largest a, a shift that suits, and the degrees.
TAIL = ((mp.mpf("14.5"), 3, 4, 5), (mp.mpf(39), 4, 10, 11))
ROOT_PI = mp.sqrt(mp.pi)

# name: for f32 and f64 each function, range, degree
POLYNOMIALS = {
    "exp": ((expm1_quotient, EXP_RANGE, 5), (expm1_quotient, EXP_RANGE, 10)),
    "log": ((log_quotient, LOG_RANGE, 2), (log_quotient, LOG_RANGE, 6)),
    "pow": ((pow_quotient, LOG_RANGE, 2), (pow_quotient, LOG_RANGE, 6)),
    "sin": tuple((odd_quotient(mp.sin, 1, -mp.mpf(1) / 6), QUADRANT, d) for d in (3, 6)),
    "cos": ((cos_quotient, QUADRANT, 3), (cos_quotient, QUADRANT, 6)),
    "tanh": tuple(
        (odd_quotient(mp.tanh, 1, -mp.mpf(1) / 3), (0, limit**2), d)
        for limit, d in zip(TANH_SMALL, (6, 11), strict=True)
    ),
    "erf": tuple(
        (odd_quotient(mp.erf, 2 / ROOT_PI, -2 / (3 * ROOT_PI)), (0, 1), d) for d in (6, 13)
    ),
}

# name: value for f32 and f64
CONSTANTS = {
    "log2e": (1 / mp.log(2),) * 2,
    "ln2": (mp.log(2),) * 2,
    "exp_largest": (89, 710),
    "exp_smallest": (-104, -746),
    "smallest_normal": (mp.mpf(2) ** -126, mp.mpf(2) ** -1022),
    "two_thirds": (mp.mpf(2) / 3,) * 2,
    "two_over_pi": (2 / mp.pi,) * 2,
    "half_pi": (mp.pi / 2,) * 2,
    "largest_angle": (2**17, 2**30),
    "tanh_small": TANH_SMALL,
    "tanh_largest": (10, 20),
    "erf_slope": (2 / ROOT_PI - 1,) * 2,
    "root_two": (mp.sqrt(2),) * 2,
    "tail_largest": tuple(t[0] for t in TAIL),
    "normal_peak": (1 / mp.sqrt(2 * mp.pi),) * 2,
    "gelu_linear": (2 * mp.sqrt(2 / mp.pi),) * 2,
    "gelu_cubic": (2 * mp.sqrt(2 / mp.pi) * mp.mpf("0.044715"),) * 2,
}


def table(kind):
    """Lines of the struct for one type."""
    which = 0 if kind == "f32" else 1
    ctype = ("float", "double")[which]
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
    for name, pair in POLYNOMIALS.items():
        f, (low, high), degree = pair[which]
        coefficients, error = remez(f, low, high, degree)
        add_polynomial(name, coefficients, error)
    above, below, error = rational(mills, *TAIL[which])
    add_polynomial("tail_above", above, error)
    add_polynomial("tail_below", below, error)
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


HEAD = """/* Constants of math.inc.h, highest coefficient first; written by tools/fit_math.py.
 *
 * A constant c is held as two floats, c and c_low, whose sum has twice the precision. The error
 * beside a polynomial is the largest absolute one before rounding to the element type, that of the
 * quotient tail_above / tail_below relative.
 */
#ifndef KAEL_MATH_TABLES_H
#define KAEL_MATH_TABLES_H

#include <stdint.h>

/* 2 / pi: 0, then its first 1280 fraction bits, the highest first. */
static const uint64_t kl_two_over_pi[21] = {
    0,
%s
};

/* IEEE 754 formats: fraction bits, exponent bias, and the unsigned type of the same width. */
enum { kl_fraction_f32 = 23, kl_bias_f32 = 127, kl_fraction_f64 = 52, kl_bias_f64 = 1023 };
typedef uint32_t kl_word_f32;
typedef uint64_t kl_word_f64;
"""


def angle_words():
    """Lines of kl_two_over_pi."""
    with mp.workprec(1400):
        digits = f"{int(mp.floor(2 / mp.pi * mp.mpf(2) ** 1280)):0320x}"
    words = [f"0x{digits[i : i + 16]}," for i in range(0, 320, 16)]
    return "\n".join("    " + " ".join(words[i : i + 4]) for i in range(0, 20, 4))


if __name__ == "__main__":
    print("\n".join([HEAD % angle_words(), *table("f32"), *table("f64"), "#endif"]))
