"""Minimax polynomials, whole or by pieces, for tools/fit_math.py; needs mpmath."""

import struct

import mpmath as mp

mp.mp.dps = 60

# A weight that vanishes at 0 is kept from doing so.
EDGE = mp.mpf("0.003")


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


def fit_slope(f, low, high, c, degree, relative):
    """The polynomial for (f(c + u) - f(c)) / u, lowest coefficient first, and the error times u.
    About 0, where only a relative error matters, its leading coefficient is the tangent there."""

    def slope(u):
        u = u if abs(u) > 1e-15 else mp.mpf("1e-15")
        return (f(c + u) - f(c)) / u

    def weight(u):
        return (abs(u) + (high - low) * EDGE) / (f(c + u) if relative else 1)

    if c != 0:
        return remez(slope, low - c, high - c, degree - 1, weight)
    tangent = mp.diff(f, 0)

    def curve(u):
        u = max(u, mp.mpf("1e-15"))
        return (slope(u) - tangent) / u

    def times(u):
        return (u + high * EDGE) / (slope(u) if relative else tangent)

    rest, error = remez(curve, 0, high, degree - 2, times)
    return [tangent, *rest], error


def center_of(f, low, high, kind, degree, relative, nearer):
    """A center, that share of half the interval beyond its middle but for some 50th, where the
    first two coefficients are nearly floats of the kind."""
    half = (high - low) / 2
    middle = low + half * (1 + nearer)
    lead = fit_slope(f, low, high, middle, degree, relative)[0][0] - mp.diff(f, middle)
    found = []
    for k in range(-400, 401):
        c = rounded(middle + k * half * mp.mpf(2) ** -13, "f32")
        first, slope = f(c), mp.diff(f, c) + lead
        lost = abs(rounded(first, kind) - first), abs(rounded(slope, kind) - slope) * half
        found.append((sum(lost), c))
    return min(found)[1]


def piecewise(f, intervals, kind, degree, relative, nearer=lambda low: 0, split=False):
    """A polynomial about a center of each interval: the centers; coefficients, lowest first, a
    column each, the leading one f there, rounded; and the largest error, relative to f if asked
    for. nearer gives center_of's argument; if split, the second coefficient is in two parts."""
    centers, columns, errors = [], [], []
    for low, high in intervals:
        c = mp.mpf(0)
        if low > 0 or f(low) != 0:
            c = center_of(f, low, high, kind, degree, relative, nearer(low))
        (slope, *rest), error = fit_slope(f, low, high, c, degree, relative)
        centers.append(c)
        if split:
            rest = [slope - rounded(slope, kind), *rest]
        columns.append([rounded(f(c), kind), slope, *rest])
        errors.append(error)
    return centers, list(zip(*columns, strict=True)), max(errors)
