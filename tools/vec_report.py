"""vec_report.py BUILD [STEM...]: which loops gcc vectorised, by how many bytes, and why not.

Reads the dumps of gcc's vectoriser that KAEL_VEC_REPORT=1 leaves in BUILD/vec, one per extension
module. Loops are listed under their kernel, by source line; a kernel stamped for several
instruction sets has one entry for each. "written in vectors" is a loop of intrinsics, which needs
no vectoriser. Ends with 1 if a loop of HOT is not vectorised any more.
"""

import os
import re
import sys
from collections import Counter, defaultdict
from itertools import product
from pathlib import Path

FUNCTION = re.compile(r";; Function (\S+) \(")
REMARK = re.compile(r"(\S+?):(\d+):\d+: (optimized|missed):\s+(.*)")
VECTORISED = re.compile(r"(?:loop|outer loop) vectorized using (\d+) byte vectors")
REASON = re.compile(r"not vectorized: (.*)")
# Types and calls of intrinsics in gcc's reasons.
INTRINSIC = re.compile(
    r"__m(128|256|512)|__builtin_(ia32|aarch64)|vector\(|(float|int|uint)\d+x\d+"
)
BYTES = {"generic": 16, "neon": 16, "avx2": 32, "avx512": 64}
STAMPED = re.compile(rf"kl_(\w+?)_({'|'.join(BYTES)})(?:\..*)?$")
BY_HAND = "written in vectors"


def each(*parts):
    """Names of one word of each part, joined: ("a b", "c d") are a_c, a_d, b_c and b_d."""
    return ["_".join(words) for words in product(*(part.split() for part in parts))]


# module -> kernels with a hot loop in plain C, which only the compiler makes fast: each must have a
# loop of whole vectors on every instruction set in BYTES that is compiled. Loops written in vectors
# need no entry. What is not here is known to stay scalar somewhere: 64-bit products and comparisons
# have no instruction on SSE2, and neither has the conversion of 64-bit integers.
HOT = {
    "elementwise": [
        *each("binary", "add sub", "i32 i64 u8"),
        *each("binary", "mul maximum minimum", "i32 u8"),
        *each("binary", "bitwise_and bitwise_or bitwise_xor", "i32 i64 u8"),
        *each("binary", "eq ne lt le gt ge", "f32 i32 u8"),
        *each("binary", "logical_and logical_or logical_xor", "f32 i32 u8"),
        *each("unary", "abs relu sign square", "i32 u8"),
        *each("unary", "neg bitwise_not", "i32 i64 u8"),
        *each("unary", "isfinite isinf isnan logical_not", "f32"),
        *each("clamp", "i32 u8"),
        *each("where", "f32 f64 i32 u8"),
        *each("convert", "f32", "bool f32 f64 i32 u8", "any"),
        *each("convert", "f64", "f32 f64 i32 u8", "any"),
        *each("convert", "i32", "bool f32 f64 i32 i64 u8", "any"),
        *each("convert", "u8", "bool f32 f64 i32 i64 u8", "any"),
    ],
    "losses": each(
        "exp_total mixed_cross_entropy_rows mixed_cross_entropy_backward_rows", "f32 f64"
    ),
    "matmul": each("v2_ikj v3_tiled", "f32 f64"),
    "norm": ["widen_halves_f32"],
    "random": each("bernoulli integer_bits normal uniform", "f32 f64"),
    "reduce": [
        *each("columns_meet", "f32 f64 i32 i64 u8"),
        *each("dot_block", "i32 u8"),
        *each("reduce_columns reduce_rows", "i32 i64 u8"),
    ],
    "rows": [
        *each(
            "affine_block affine_store exp_total rms_rows rms_backward_rows standardize_rows "
            "standardize_backward_rows",
            "f32 f64",
        ),
        "row_fold_f64",  # AVX-512 takes AVX2's for f32
    ],
}


def loops(dump):
    """Yields (function, place, result) for each loop that the vectoriser decided about."""
    function, reason = None, ""
    for line in dump.read_text(errors="replace").splitlines():
        if head := FUNCTION.match(line):
            function, reason = head[1], ""
        elif remark := REMARK.match(line):
            name, number, _, text = remark.groups()
            place = name.removeprefix("include/kael/"), int(number)
            if done := VECTORISED.match(text):
                yield function, place, f"{done[1]} bytes"
                reason = ""
            elif why := REASON.match(text):
                reason = why[1]
            elif text.startswith("couldn't vectorize loop"):
                by_hand = INTRINSIC.search(reason)
                yield (
                    function,
                    place,
                    BY_HAND if by_hand else f"missed: {reason or 'no reason given'}",
                )
                reason = ""


def kernel_of(function):
    """(kernel, instruction set) of a C function's name."""
    if stamped := STAMPED.match(function):
        return stamped[1], stamped[2]
    return function, "any"


def collect(dump):
    """kernel -> place -> instruction set -> results with their number."""
    found = defaultdict(lambda: defaultdict(lambda: defaultdict(Counter)))
    for function, place, result in loops(dump):
        if not function.startswith("kl_"):
            continue  # written by Cython
        kernel, isa = kernel_of(function)
        found[kernel][place][isa][result] += 1
    return found


def lost(stem, found):
    """What of HOT has no loop of whole vectors, as lines of text."""
    for kernel in HOT.get(stem, ()):
        results = defaultdict(set)
        for by_isa in found.get(kernel, {}).values():
            for isa, counted in by_isa.items():
                results[isa].update(counted)
        if not results:
            yield f"{stem}: {kernel} is not compiled any more, or has no loop"
        for isa, seen in results.items():
            if not seen & {f"{BYTES[isa]} bytes", BY_HAND}:
                yield f"{stem}: {kernel} lost its vectors on {isa}"


def show(stem, found):
    print(f"== {stem}")
    for kernel in sorted(found):
        print(kernel)
        for name, number in sorted(found[kernel]):
            print(f"  {name}:{number}")
            for isa, results in found[kernel][name, number].items():
                told = "; ".join(f"{text} (x{count})" for text, count in sorted(results.items()))
                print(f"    {isa:8} {told}")


def main(build, stems):
    dumps = {dump.stem: dump for dump in sorted(Path(build, "vec").glob("*.vect"))}
    if unknown := [stem for stem in stems if stem not in dumps]:
        return (
            f"vec_report.py: no report of {', '.join(unknown)}: gcc and KAEL_VEC_REPORT=1 make one"
        )
    if not dumps:
        return "vec_report.py: no reports: was this built by gcc with KAEL_VEC_REPORT=1?"
    found = {stem: collect(dumps[stem]) for stem in stems or dumps}
    failed = [line for stem, one in found.items() for line in lost(stem, one)]
    try:
        for stem, one in found.items():
            show(stem, one)
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return "\n".join(failed) or 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("vec_report.py: name the folder of the build")
    sys.exit(main(sys.argv[1], sys.argv[2:]))
