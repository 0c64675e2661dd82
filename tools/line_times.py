"""line_times.py SCRIPT [arguments...]: runs a script and prints where its time went, by line.

Lines of Python files and of kael's .pyx files alike, if the imported kael was built with
KAEL_LINETRACE=1 (tools/profile.sh does). A line's own time is what passes until the next traced
line begins, on the thread that runs the script: calls of C are its own, calls of traced lines are
not. It needs no profiler: Cython's traced lines answer to sys.settrace as Python's do, and from
Python 3.13 on to sys.monitoring.

The environment: KAEL_PROFILE_LINES, how many lines are shown (40), and KAEL_PROFILE_ALL=1 for
those of the standard library and of other packages, too.
"""

import linecache
import os
import runpy
import sys
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path

MONITORED = sys.version_info >= (3, 13)


class LineTimes:
    """Counts and times lines, of the thread that made it."""

    def __init__(self):
        self.seconds, self.hits = defaultdict(float), Counter()
        self.functions = {}  # line -> the function it is in
        self.line, self.since = None, 0.0
        self.stack = []  # lines that wait for a call to return
        self.thread = threading.get_ident()

    def pause(self):
        """Gives the time since the last event to the line that was reached last."""
        now = time.perf_counter()
        if self.line is not None:
            self.seconds[self.line] += now - self.since

    def go_on(self):
        self.since = time.perf_counter()  # what these functions take is nobody's

    def enter(self):
        self.pause()
        self.stack.append(self.line)
        self.line = None
        self.go_on()

    def leave(self):
        self.pause()
        self.line = self.stack.pop() if self.stack else None
        self.go_on()

    def reach(self, code, number):
        self.pause()
        self.line = code.co_filename, number
        self.hits[self.line] += 1
        self.functions[self.line] = code.co_name
        self.go_on()

    def run(self, script, arguments):
        """Runs the script as python does; its own exit is not ours."""
        sys.argv[:] = [script, *arguments]
        sys.path[0] = str(Path(script).resolve().parent)
        begin, end = (watch, unwatch) if MONITORED else (trace, untrace)
        begin(self)
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as stopped:
            if stopped.code not in (None, 0):
                print(f"line_times.py: the script ended with {stopped.code}", file=sys.stderr)
        finally:
            end()


# ---- Two sources of events: sys.settrace, and sys.monitoring, which has Cython's from 3.13 on ----


def trace(times):
    def on_event(frame, event, _):
        if event == "call":
            times.enter()
        elif event == "return":
            times.leave()
        elif event == "line":
            times.reach(frame.f_code, frame.f_lineno)
        return on_event

    sys.settrace(on_event)


def untrace():
    sys.settrace(None)


def watch(times):
    def of_this_thread(function):
        def call(*arguments):
            if threading.get_ident() == times.thread:
                function(*arguments)

        return call

    events = sys.monitoring.events
    callbacks = {
        **dict.fromkeys(
            (events.PY_START, events.PY_RESUME, events.PY_THROW), lambda *_: times.enter()
        ),
        **dict.fromkeys(
            (events.PY_RETURN, events.PY_YIELD, events.PY_UNWIND), lambda *_: times.leave()
        ),
        events.LINE: times.reach,
    }
    tool = sys.monitoring.PROFILER_ID
    sys.monitoring.use_tool_id(tool, "line_times")
    for event, function in callbacks.items():
        sys.monitoring.register_callback(tool, event, of_this_thread(function))
    sys.monitoring.set_events(tool, sum(callbacks))


def unwatch():
    sys.monitoring.set_events(sys.monitoring.PROFILER_ID, 0)
    sys.monitoring.free_tool_id(sys.monitoring.PROFILER_ID)


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
        print("no line of a .pyx was seen: this kael was built without KAEL_LINETRACE=1")


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
