"""Derives the coefficients of include/kael/math_tables.h; needs mpmath. Prints the header.

Every polynomial is a minimax fit (Remez exchange in 60 digits) of a function that is smooth on
the reduced interval, its coefficients then rounded to the element type. The rounding is harmless
because the leading terms of each expression are exact and written in math.inc.h.
"""

import struct

import mpmath as mp

mp.mp.dps = 60


def flat(x):
    """The weight of an absolute error."""
    return mp.mpf(1)


def remez(f, low, high, degree, weight=flat):
    """Coefficients, lowest first, of the polynomial p minimising max |weight * (f - p)|."""
    low, high = mp.mpf(low), mp.mpf(high)
    middle, half = (low + high) / 2, (high - low) / 2
    points = [middle - half * mp.cos(mp.pi * (i + mp.mpf("0.5")) / (degree + 2)) for i in range(degree + 2)]
    grid = [middle - half * mp.cos(mp.pi * i / (40 * (degree + 2))) for i in range(40 * (degree + 2) + 1)]
    values = [(x, f(x), weight(x)) for x in grid]
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
        errors = [(x, w * (y - mp.polyval(scaled[::-1], (x - middle) / half))) for x, y, w in values]
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


LOG_RANGE = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.001")
HALF_LN2 = mp.log(2) / 2 * mp.mpf("1.001")

# name: function, range, weight, degree of f32, of f64
POLYNOMIALS = {
    "exp": (expm1_quotient, -HALF_LN2, HALF_LN2, flat, 5, 10),
    "log": (log_quotient, 0, LOG_RANGE, flat, 2, 6),
}

# name: value, or a pair for f32 and f64
CONSTANTS = {
    "log2e": (1 / mp.log(2),) * 2,
    "ln2": (mp.log(2),) * 2,
    "exp_largest": (89, 710),
    "exp_smallest": (-104, -746),
    "smallest_normal": (mp.mpf(2) ** -126, mp.mpf(2) ** -1022),
}


def table(kind):
    """Lines of the struct for one type."""
    which = 0 if kind == "f32" else 1
    ctype = ("float", "double")[which]
    fields, values = [], []
    for name, pair in CONSTANTS.items():
        high = rounded(mp.mpf(pair[which]), kind)
        if high == pair[which]:
            fields.append(f"    {ctype} {name};")
            values.append(f"    .{name} = {literal(high, kind)},")
            continue
        fields.append(f"    {ctype} {name}, {name}_low;")
        values.append(f"    .{name} = {literal(high, kind)},")
        values.append(f"    .{name}_low = {literal(pair[which] - high, kind)},")
    for name, (f, low, high, weight, *degrees) in POLYNOMIALS.items():
        coefficients, error = remez(f, low, high, degrees[which], weight)
        fields.append(f"    {ctype} {name}[{len(coefficients)}];")
        values.append(f"    .{name} = {{ /* error {mp.nstr(error, 3)} */")
        values += [f"        {literal(c, kind)}," for c in reversed(coefficients)]
        values.append("    },")
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
 * beside a polynomial is the largest absolute one before rounding to the element type.
 */
#ifndef KAEL_MATH_TABLES_H
#define KAEL_MATH_TABLES_H

#include <stdint.h>

/* IEEE 754 formats: fraction bits, exponent bias, and the unsigned type of the same width. */
enum { kl_fraction_f32 = 23, kl_bias_f32 = 127, kl_fraction_f64 = 52, kl_bias_f64 = 1023 };
typedef uint32_t kl_word_f32;
typedef uint64_t kl_word_f64;
"""

if __name__ == "__main__":
    print("\n".join([HEAD, *table("f32"), *table("f64"), "#endif"]))
