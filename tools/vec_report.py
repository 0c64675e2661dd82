"""vec_report.py BUILD [STEM...]: which loops the compiler vectorised, and with how many bytes.

Reads the logs that KAEL_VEC_REPORT=1 leaves in BUILD/vec, one per extension module. A loop of a
header is named by the header's line, a loop that Cython wrote by the line of the .pyx.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

REMARK = re.compile(r"(.*?):(\d+):\d+: optimized:\s+(.*)")
ORIGIN = re.compile(r'\s*/\* "([^"]+\.pyx)":(\d+)')
END_OF_USER_CODE = re.compile(r"/\*--- Wrapped vtab|static .*__Pyx_\w+\(.*\) \{")


def origins(c_file):
    """For each line of a generated C file, the .pyx line it came from, or None."""
    current, where = None, [None]
    for line in c_file.read_text(errors="replace").splitlines():
        if match := ORIGIN.match(line):
            current = f"{match[1]}:{match[2]}"
        elif END_OF_USER_CODE.match(line):
            current = None
        where.append(current)
    return where


def remarks(log, c_file):
    """Source line -> what the compiler said of it, with the number of copies (one per ISA)."""
    where, said = origins(c_file), defaultdict(lambda: defaultdict(int))
    for line in log.read_text().splitlines():
        match = REMARK.match(line)
        if not match:
            continue
        name, number, text = match[1], int(match[2]), match[3]
        place = where[number] if Path(name).name == c_file.name else f"{name}:{number}"
        if place:
            said[place][text] += 1
    return said


def line_order(place):
    name, _, number = place.rpartition(":")
    return name, int(number)


def main(build, stems):
    logs = sorted(Path(build, "vec").glob("*.vec.log"))
    for log in logs:
        stem = log.name.removesuffix(".vec.log")
        if stems and stem not in stems:
            continue
        print(f"== {stem}")
        said = remarks(log, Path(build, "cython", "kael", "_kernels", f"{stem}.c"))
        for place in sorted(said, key=line_order):
            texts = [f"{text} (x{count})" for text, count in sorted(said[place].items())]
            print(f"{place}: {'; '.join(texts)}")
    return 0 if logs else "no logs: was this built by gcc with KAEL_VEC_REPORT=1?"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
