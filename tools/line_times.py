"""line_times.py SCRIPT [arguments...]: runs a script and prints where its time went, by line.

Lines of Python files and of kael's .pyx files alike, if the imported kael was built with
KAEL_LINETRACE=1 (tools/profile.sh does). A line's own time is what passes until the next traced
line begins, on the thread that runs the script: calls of C are its own, calls of traced lines are
not. It needs no profiler: Cython's traced lines answer to sys.settrace as Python's do.

The environment: KAEL_PROFILE_LINES, how many lines are shown (40), and KAEL_PROFILE_ALL=1 for
those of the standard library and of other packages, too.
"""

import linecache
import os
import runpy
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path


class LineTimes:
    """Counts and times lines through sys.settrace."""

    def __init__(self):
        self.seconds, self.hits = defaultdict(float), Counter()
        self.functions = {}  # line -> the function it is in
        self.line, self.since = None, 0.0
        self.stack = []  # lines that wait for a call to return

    def trace(self, frame, event, _):
        now = time.perf_counter()
        if self.line is not None:
            self.seconds[self.line] += now - self.since
        if event == "call":
            self.stack.append(self.line)
            self.line = None
        elif event == "return":
            self.line = self.stack.pop() if self.stack else None
        elif event == "line":
            code = frame.f_code
            self.line = code.co_filename, frame.f_lineno
            self.hits[self.line] += 1
            self.functions[self.line] = code.co_name
        self.since = time.perf_counter()  # what this function takes is nobody's
        return self.trace

    def run(self, script, arguments):
        """Runs the script as python does; its own exit is not ours."""
        sys.argv[:] = [script, *arguments]
        sys.path[0] = str(Path(script).resolve().parent)
        sys.settrace(self.trace)
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as stopped:
            if stopped.code not in (None, 0):
                print(f"line_times.py: the script ended with {stopped.code}", file=sys.stderr)
        finally:
            sys.settrace(None)


def ours(script):
    """A test whether a file is the script's or kael's, under whatever root Cython recorded."""
    import kael

    roots = [Path(kael.__file__).parents[1].resolve(), Path(script).resolve().parent]

    def test(name):
        if name.startswith("<"):
            return False
        path = Path(name) if Path(name).is_absolute() else roots[0] / name
        return any(root in path.resolve().parents for root in roots) and "site-packages" not in name

    return test, roots[0]


def source(name, number, root):
    path = Path(name) if Path(name).is_absolute() else root / name
    return linecache.getline(str(path), number).strip()


def report(times, script, most, everything):
    """The dearest lines; those of .pyx files and of Python files add up at the foot."""
    test, root = ours(script)
    kept = [line for line in times.seconds if everything or test(line[0])]
    total = sum(times.seconds.values())
    print(f"\n{'seconds':>9} {'share':>6} {'hits':>9}  line")
    for line in sorted(kept, key=times.seconds.get, reverse=True)[:most]:
        name, number = line
        spent = times.seconds[line]
        place = f"{os.path.relpath(name, root) if os.path.isabs(name) else name}:{number}"
        print(f"{spent:9.3f} {spent / total:6.1%} {times.hits[line]:9}  {place}  "
              f"({times.functions[line]})  {source(name, number, root)}")  # fmt: skip
    cython = sum(s for (name, _), s in times.seconds.items() if name.endswith(".pyx"))
    mine = sum(times.seconds[line] for line in kept)
    print(f"{total:9.3f} seconds traced; {mine:.3f} in the lines listed or left out below them, "
          f"{cython:.3f} in .pyx lines")  # fmt: skip
    if cython == 0:
        print("no line of a .pyx was seen: this kael was built without KAEL_LINETRACE=1, or this "
              "Python does not report Cython's lines to sys.settrace")  # fmt: skip


def main():
    if len(sys.argv) < 2:
        return "line_times.py: name a script"
    script, times = sys.argv[1], LineTimes()
    if not Path(script).is_file():
        return f"line_times.py: no such script: {script}"
    times.run(script, sys.argv[2:])
    most = int(os.environ.get("KAEL_PROFILE_LINES", "40"))
    report(times, script, most, os.environ.get("KAEL_PROFILE_ALL") == "1")
    return 0


if __name__ == "__main__":
    sys.exit(main())
