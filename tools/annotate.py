"""annotate.py FOLDER: fails if a line inside ``nogil`` of any .pyx touches Python.

Cython's annotated HTML (KAEL_ANNOTATE=1, in build/cython) scores each source line by how much of
Python its C calls; 0 means plain C. Held to 0 are the lines of ``with nogil:`` blocks and of
functions declared ``nogil``, except ``with gil:`` blocks inside them.
"""

import re
import sys
from pathlib import Path

SCORE = re.compile(
    r'<pre class="cython line score-(\d+)"[^>]*>(?:\+|&#xA0;)<span class="">(\d+)</span>:'
)
BLOCK = re.compile(r"\s*with nogil\b.*:\s*(#.*)?$")
FUNCTION = re.compile(r"[^#]*\bnogil:\s*(#.*)?$")
TAKES_GIL = re.compile(r"\s*with gil\b.*:\s*(#.*)?$")


def indent(line):
    return len(line) - len(line.lstrip())


def block_after(lines, head):
    """Indices of the lines that belong to the block opened by lines[head]."""
    for i in range(head + 1, len(lines)):
        if lines[i].strip():
            if indent(lines[i]) <= indent(lines[head]):
                return
            yield i


def free_lines(source):
    """Indices of the lines that run without the GIL."""
    lines, free = source.splitlines(), set()
    for i, line in enumerate(lines):
        if BLOCK.match(line) or (FUNCTION.match(line) and "extern" not in line):
            free.update(block_after(lines, i))
    for i in sorted(free):
        if TAKES_GIL.match(lines[i]):
            free.difference_update([i, *block_after(lines, i)])
    return free


def offences(source, html):
    """Pairs (line number, text) of the lines that run without the GIL and touch Python."""
    scores = {int(number): int(score) for score, number in SCORE.findall(html)}
    lines = source.splitlines()
    if len(scores) != len(lines):
        raise ValueError(f"{len(lines)} source lines, {len(scores)} in the annotated page")
    return [(i + 1, lines[i]) for i in sorted(free_lines(source)) if scores[i + 1] > 0]


def main(folder):
    found = False
    for pyx in sorted(Path("kael/_kernels").glob("*.pyx")):
        source = pyx.read_text()
        bad = offences(source, (Path(folder) / pyx.with_suffix(".html")).read_text())
        print(f"{pyx}: {len(free_lines(source))} lines without the GIL, {len(bad)} touch Python")
        for number, line in bad:
            print(f"  {pyx}:{number}: {line.strip()}")
        found = found or bool(bad)
    return int(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
