"""Measures the errors of kael's elementary functions and prints the table of docs/accuracy.md.

    python tools/accuracy.py exp tanh      # these, in float32, for every float
    python tools/accuracy.py --step 1009   # every 1009th float of every function
    python tools/accuracy.py --double      # float64, a sample, against mpmath

In float32 the reference is the C library's function of double, and the work is done by
tools/accuracy.c, compiled on demand; it takes about a minute a function. A function of one operand
is tried with all 2**32 floats, one of two operands with as many random pairs as ``--pairs`` says.
Nothing is skipped: NaN, infinities and zeros must agree too, signs of zero included, and the last
column counts those that do not.
"""

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import kael
from kael.ops.elementwise import LARGEST_ERRORS

CHUNK = 1 << 15  # as in accuracy.c
BINARY = ("atan2", "hypot", "pow")
UNARY = [name for name in LARGEST_ERRORS if name not in BINARY]
HEAD = (
    "| function | floats tried | largest error, ulp | at | correctly rounded "
    "| special values amiss |"
)


class Summary(ctypes.Structure):
    _fields_ = (
        ("largest", ctypes.c_double),
        ("x", ctypes.c_float),
        ("y", ctypes.c_float),
        ("finite", ctypes.c_int64),
        ("rounded", ctypes.c_int64),
        ("special", ctypes.c_int64),
        ("special_x", ctypes.c_float),
        ("special_y", ctypes.c_float),
    )


def library():
    """tools/accuracy.c, compiled and loaded."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "accuracy.so"
        compiler = os.environ.get("CC", "cc").split()
        # __FAST_MATH__ only lets math.h declare the vector library.
        flags = ["-O2", "-ftree-vectorize", "-march=native", "-ffp-contract=off"]
        flags += ["-fno-math-errno", "-fno-trapping-math", "-D__FAST_MATH__"]
        flags += ["-shared", "-fPIC"]
        source = Path(__file__).with_suffix(".c")
        subprocess.run([*compiler, *flags, source, "-o", path, "-lm"], check=True)
        return ctypes.CDLL(str(path))


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def compare(c, name, operands, summary):
    """Adds the results for the operands to the summary."""
    found = getattr(kael, name)(*map(kael.from_numpy, operands)).numpy()
    scan = getattr(c, f"scan_{name}")
    x, y = pointer(operands[0]), pointer(operands[-1])
    scan(x, y, pointer(found), ctypes.c_int64(found.size), ctypes.byref(summary))


def scan_unary(c, name, step):
    summary, total = Summary(), -(-(1 << 32) // step)
    x = np.empty(CHUNK, np.float32)
    for i in range(0, total, CHUNK):
        n = min(CHUNK, total - i)
        c.fill(pointer(x), *map(ctypes.c_uint64, (i * step, step)), ctypes.c_int64(n))
        compare(c, name, (x[:n],), summary)
    return total, summary


def pairs(name, generator):
    """Pairs of any bits, of like magnitude, and (for pow) of moderate results."""
    x, y = generator.integers(0, 1 << 32, (2, CHUNK), dtype=np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        near = x[::2] * np.exp2(generator.normal(0, 4, CHUNK // 2)).astype(np.float32)
        if name == "pow":
            x[::2] = np.exp2(generator.normal(0, 3, CHUNK // 2))
            near = generator.uniform(-149, 128, CHUNK // 2) / np.log2(x[::2])
    y[::2] = near
    return x, y


def scan_binary(c, name, count):
    summary, generator, chunks = Summary(), np.random.default_rng(1), -(-count // CHUNK)
    for _ in range(chunks):
        compare(c, name, pairs(name, generator), summary)
    return chunks * CHUNK, summary


def row(name, tried, summary, binary):
    where = f"({summary.x:.9g}, {summary.y:.9g})" if binary else f"{summary.x:.9g}"
    share = 100 * summary.rounded / max(summary.finite, 1)
    amiss = f"{summary.special}"
    if summary.special:
        amiss += f", first at ({summary.special_x!r}, {summary.special_y!r})"
    return f"| {name} | {tried} | {summary.largest:.4f} | {where} | {share:.3f}% | {amiss} |"


# ---- float64 ----


def double_samples(name, count, generator):
    """Doubles of every magnitude the function tells apart, and of the magnitude of 1."""
    exponent = generator.uniform(-60, 10 if name not in LOGS else 1023, count)
    if name in LOGS:
        exponent[::2] = generator.uniform(-1074, 0, exponent[::2].size)
    x = np.exp2(exponent)
    x[::3] = generator.uniform(0.4, 2, x[::3].size)
    x[1::3] = generator.uniform(0, WIDEST.get(name, 40), x[1::3].size)
    if name not in LOGS:
        x *= generator.choice((-1.0, 1.0), count)
    if name == "log1p":
        x = np.where(x <= -1, -1 / (x - 1), x)
    return np.clip(x, -1, 1) if name in ("asin", "acos") else x


LOGS = ("log", "log2", "log10", "rsqrt", "sqrt", "cbrt")
WIDEST = {"exp": 745, "exp2": 1074, "expm1": 709, "sinh": 710, "cosh": 710, "sigmoid": 745}


def references(mp):
    """name: the function for mpmath's numbers."""
    root = mp.sqrt(2 / mp.pi)
    return {
        "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
        "exp2": lambda x: mp.mpf(2) ** x,
        "log2": lambda x: mp.log(x) / mp.log(2),
        "gelu": lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2,
        "gelu_tanh": lambda x: x / (1 + mp.exp(-2 * root * (x + mp.mpf("0.044715") * x**3))),
        "rsqrt": lambda x: 1 / mp.sqrt(x),
        "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
        "pow": lambda x, y: x**y,
    }


def scan_double(name, count):
    import mpmath as mp

    mp.mp.prec = 160
    exact = references(mp).get(name) or getattr(mp, name)
    generator = np.random.default_rng(3)
    operands = [double_samples(name, count, generator)]
    if name in BINARY:
        operands.append(operands[0] * np.exp2(generator.normal(0, 3, count)))
        if name == "pow":
            operands[0] = np.exp2(generator.normal(0, 3, count))
            operands[1] = generator.uniform(-1070, 1020, count) / np.log2(operands[0])
    found = getattr(kael, name)(*map(kael.from_numpy, operands)).numpy()
    largest, where, rounded = 0.0, None, 0
    for values in zip(found, *operands, strict=True):
        true = exact(*(mp.mpf(float(v)) for v in values[1:]))
        if abs(true) >= mp.mpf(2) ** 1024:
            continue
        exponent = max(mp.frexp(true)[1] - 1, -1022) if true else -1022
        error = float(abs(mp.mpf(float(values[0])) - true) * mp.mpf(2) ** (52 - exponent))
        rounded += error <= 0.5
        if error > largest:
            largest, where = error, values[1:]
    at = ", ".join(f"{float(v):.17g}" for v in where)
    share = 100 * rounded / count
    return f"| {name} | {count} | {largest:.4f} | {at} | {share:.2f}% | |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("functions", nargs="*", default=[*UNARY, *BINARY])
    parser.add_argument("--step", type=int, default=1, help="try every STEPth float")
    parser.add_argument("--pairs", type=int, default=1 << 28, help="for two operands")
    parser.add_argument("--double", action="store_true", help="float64 against mpmath")
    parser.add_argument("--samples", type=int, default=20_000, help="for --double")
    arguments = parser.parse_args()
    kael.set_num_threads(1)
    c = None if arguments.double else library()
    print(HEAD, "|---|---|---|---|---|---|", sep="\n", flush=True)
    for name in arguments.functions:
        if arguments.double:
            print(scan_double(name, arguments.samples), flush=True)
        elif name in BINARY:
            print(row(name, *scan_binary(c, name, arguments.pairs), True), flush=True)
        else:
            print(row(name, *scan_unary(c, name, arguments.step), False), flush=True)


if __name__ == "__main__":
    sys.exit(main())
