"""Checks every case on every usable instruction set and thread count; see ``--help``."""

import argparse
import fnmatch
import os
import sys
import time

import kael
from kael import reproduce

THREADS = (1, 2, 3, 7, 16)
SHOWN = 16  # digits of a digest in the table
ROW = "{:24} {:8} {:16} {:16} {:20} {:14} {}"


def thread_count(text):
    if not (text.isdecimal() and 1 <= int(text) <= 1024):
        raise argparse.ArgumentTypeError(f"a thread count is 1 to 1024, got {text}")
    return int(text)


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m kael.reproduce",
        description="Compares the bits of every operation with those that kael promises. "
        "Exits with 1 if any differ.",
    )
    parser.add_argument("cases", nargs="*", help='names or patterns, as "*softmax"; all by default')
    parser.add_argument(
        "--isa", nargs="+", default=kael.usable_isas(), choices=kael.usable_isas(), metavar="ISA"
    )
    parser.add_argument("--threads", nargs="+", type=thread_count, default=THREADS, metavar="N")
    parser.add_argument("--dtype", nargs="+", default=reproduce.DTYPES, choices=reproduce.DTYPES)
    parser.add_argument(
        "--write", action="store_true", help="make digests.json anew (for kael's developers)"
    )
    options = parser.parse_args(arguments)
    wanted = options.cases or ["*"]
    for pattern in wanted:
        if not fnmatch.filter(reproduce.CASES, pattern):
            parser.error(f"no case is called {pattern}")
    options.cases = [
        name for name in reproduce.CASES if any(fnmatch.fnmatch(name, w) for w in wanted)
    ]
    return options


def check(name, dtype, options):
    """``{digest: [(isa, threads), ...]}`` of one case."""
    found = {}
    for isa in options.isa:
        for threads in options.threads:
            with kael.isa(isa), kael.num_threads(threads):
                digest = reproduce.digest(reproduce.CASES[name](dtype))
            found.setdefault(digest, []).append((isa, threads))
    return found


def show(name, dtype, found, expected):
    """Prints a line per digest; returns how many runs differ."""
    wrong = 0
    for digest, runs in found.items():
        isas = dict.fromkeys(isa for isa, _ in runs)
        threads = dict.fromkeys(count for _, count in runs)
        if len(isas) * len(threads) == len(runs):
            groups = [(",".join(isas), ",".join(map(str, threads)))]
        else:
            groups = [(isa, str(count)) for isa, count in runs]
        same = digest == expected
        wrong += 0 if same else len(runs)
        for isa, count in groups:
            print(
                ROW.format(
                    name, dtype, digest[:SHOWN], (expected or "none")[:SHOWN], isa, count,
                    "ok" if same else "DIFFERS",
                ),
                flush=True,
            )  # fmt: skip
    return wrong


def main(arguments=None):
    options = parse(arguments)
    if options.write:
        reproduce.write()
        return 0
    start, expected = time.monotonic(), reproduce.expected()
    print(f"kael {kael.__version__}: {len(options.cases)} cases")
    print(ROW.format("case", "dtype", "digest", "expected", "ISA", "threads", ""))
    wrong = 0
    for name in options.cases:
        for dtype in options.dtype:
            found = check(name, dtype, options)
            wrong += show(name, dtype, found, expected.get(name, {}).get(dtype))
    runs = len(options.cases) * len(options.dtype) * len(options.isa) * len(options.threads)
    print(f"{runs - wrong} of {runs} runs as expected, {time.monotonic() - start:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # `| head` has read enough; the interpreter flushes once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
