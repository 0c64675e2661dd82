"""annotate.py FOLDER: the index of the annotated pages; fails on Python inside ``nogil``.

Cython's annotated HTML (KAEL_ANNOTATE=1, in build/cython) scores each source line by how much of
Python its C calls; 0 means plain C. FOLDER/index.html lists every extension and its functions with
the sum of their lines' scores. Held to 0 are the lines of ``with nogil:`` blocks and of
functions declared ``nogil``, except ``with gil:`` blocks inside them.
"""

import html
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

SCORE = re.compile(
    r'<pre class="cython line score-(\d+)"[^>]*>(?:\+|&#xA0;)<span class="">(\d+)</span>:'
)
BLOCK = re.compile(r"\s*with nogil\b.*:\s*(#.*)?$")
FUNCTION = re.compile(r"[^#]*\bnogil:\s*(#.*)?$")
DEFINITION = re.compile(r"\s*(?:def|cpdef|cdef (?!extern|class|struct|enum)[^=(]*?)\s*(\w+)\(.*")
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


def scores_of(source, page):
    """The score of each source line, from the annotated page."""
    scores = {int(number): int(score) for score, number in SCORE.findall(page)}
    lines = source.count("\n") + (not source.endswith("\n"))
    if len(scores) != lines:
        raise ValueError(f"{lines} source lines, {len(scores)} in the annotated page")
    return scores


def offences(source, page):
    """Pairs (line number, text) of the lines that run without the GIL and touch Python."""
    scores, lines = scores_of(source, page), source.splitlines()
    return [(i + 1, lines[i]) for i in sorted(free_lines(source)) if scores[i + 1] > 0]


def functions(source, page):
    """Tuples (name, first line, lines, score, lines without the GIL) of a .pyx, in its order."""
    scores, lines, free = scores_of(source, page), source.splitlines(), free_lines(source)
    for i, line in enumerate(lines):
        if head := DEFINITION.match(line):
            # A head of several lines ends with its colon; the body is what is indented below.
            body = [i, *(k for k in block_after(lines, i) if lines[k].strip())]
            score = sum(scores[k + 1] for k in body)
            yield head[1], i + 1, len(body), score, len(free.intersection(body))


INDEX = """<!DOCTYPE html>
<meta charset="utf-8"><title>kael: annotated extensions</title>
<style>
body {{ font: 15px sans-serif; max-width: 60em; margin: 2em auto; }}
table {{ border-collapse: collapse; margin-bottom: 2em; width: 100%; }}
td, th {{ padding: 2px 10px; text-align: right; border-bottom: 1px solid #ddd; }}
td:first-child, th:first-child {{ text-align: left; }}
</style>
<h1>Annotated extensions</h1>
<p>A line's score is how much of Python its C calls; a function's is the sum over its lines, and 0
is plain C. Lines without the GIL must all have 0: <b>{bad}</b> do not.</p>
{tables}
"""
HEAD = "<tr><th>{}</th><th>first line</th><th>lines</th><th>without the GIL</th><th>score</th></tr>"


def row(cells, tag="td"):
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


def tables(pages):
    """HTML of the list of extensions, and of each one's functions, dearest first."""
    summary, parts = [], []
    for stem, (link, source, page) in pages.items():
        scores = scores_of(source, page)
        name = f'<a href="#{stem}">{stem}.pyx</a>'
        summary.append(row((name, 1, len(scores), len(free_lines(source)), sum(scores.values()))))
        found = sorted(functions(source, page), key=lambda one: -one[3])
        rows = [
            row((html.escape(name), first, count, free, score))
            for name, first, count, score, free in found
        ]
        title = f'<h2 id="{stem}"><a href="{link}">{stem}.pyx</a></h2>'
        parts.append(f"{title}<table>{HEAD.format('function')}{''.join(rows)}</table>")
    return f"<table>{HEAD.format('extension')}{''.join(summary)}</table>" + "".join(parts)


def show(path):
    """Opens the page where there is a screen and something to open it with."""
    opener = shutil.which("xdg-open") or shutil.which("open")
    screen = (
        sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    if opener and screen and not os.environ.get("CI"):
        subprocess.run([opener, path], check=False)
    print(path)


def main(folder):
    pages, bad = {}, 0
    for pyx in sorted(Path("kael/_kernels").glob("*.pyx")):
        source, link = pyx.read_text(), pyx.with_suffix(".html")
        if not (Path(folder) / link).is_file():
            return f"annotate.py: no {link} in {folder}: KAEL_ANNOTATE=1 makes one"
        page = (Path(folder) / link).read_text()
        found = offences(source, page)
        print(f"{pyx}: {len(free_lines(source))} lines without the GIL, {len(found)} touch Python")
        for number, line in found:
            print(f"  {pyx}:{number}: {line.strip()}")
        pages[pyx.stem] = link, source, page
        bad += len(found)
    index = Path(folder) / "index.html"
    index.write_text(INDEX.format(bad=bad, tables=tables(pages)))
    show(index)
    return int(bad > 0)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("annotate.py: name the folder of the annotated pages")
    sys.exit(main(sys.argv[1]))
