"""What the operations of a program do with its time: calls, bytes, flops, threads, allocations.

While no profile runs, an operation pays one branch for this module. While one runs, every operation
of every thread of the process leaves an event; results have the bits that they always have.
"""

import json
import os

from kael._kernels.runtime import start_profile, stop_profile

__all__ = ["Event", "Row", "Table", "profile"]

_FAR_BELOW = 0.25  # of the roofline: what a table marks
_MARK = "!"


class _Record:
    """Named, read-only fields in the order of ``__slots__``."""

    __slots__ = ()

    def __init__(self, *values):
        for name, value in zip(self.__slots__, values, strict=True):
            setattr(self, name, value)

    def __repr__(self):
        names = (name for name in self.__slots__ if not name.startswith("_"))
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({fields})"


class Event(_Record):
    """One operation.

    Attributes
    ----------
    name : str
        The operation.
    scope : str or None
        The gradient that it is part of ("matmul backward").
    thread : int
        The thread that called it, numbered from 1 in the order of appearance.
    start, end : int
        Nanoseconds of a clock that only goes forward.
    inner : int
        Nanoseconds of the operations inside, on the same thread.
    bytes, flops : int
        Distinct bytes of each operand and of the result; arithmetic operations.
    chunk_count : int
        Pieces that the thread pool ran; 0 for an operation that was not shared.
    chunks : list of tuple
        (thread, start, end) of each piece.
    hits, misses : int
        Blocks from the allocator's cache, and from the system: the output and what was reserved
        since the thread's previous operation, and workspace.
    """

    __slots__ = (  # noqa: RUF023 - the order of the values
        "name", "scope", "thread", "start", "end", "inner", "bytes", "flops", "chunk_count",
        "chunks", "hits", "misses",
    )  # fmt: skip

    @property
    def label(self):
        """The name, after that of the gradient that it is part of: "matmul backward: matmul"."""
        return self.name if self.scope is None else f"{self.scope}: {self.name}"

    @property
    def threads(self):
        """How many threads worked on it."""
        return len({thread for thread, _, _ in self.chunks}) or 1


class Row(_Record):
    """All calls with one label: the sums of their events' numbers, times in nanoseconds.

    ``threads`` is the greatest number that worked on a call. ``self_time`` is without operations
    inside, ``total_time`` with them.
    """

    __slots__ = (  # noqa: RUF023 - the order of the values
        "key", "calls", "self_time", "total_time", "bytes", "flops", "threads", "chunks", "hits",
        "misses", "_roofs",
    )  # fmt: skip

    @property
    def roofline(self):
        """The share of what the machine can do that was reached: of the smaller of its flops and
        of ``bytes`` times its bandwidth. None for what does neither. What the profile was not told
        of the machine is measured when this is first asked for."""
        if self.self_time <= 0 or not (self.flops or self.bytes):
            return None
        peak_flops, bandwidth = self._roofs()
        return max(self.flops / peak_flops, self.bytes / bandwidth) * 1e9 / self.self_time


class _Roofs:
    """What the machine can do per second, flops and bytes: told, or measured when asked for."""

    def __init__(self, peak_flops, bandwidth):
        self.told = peak_flops, bandwidth

    def __call__(self):
        if None in self.told:
            from kael.lab.ceilings import roofs

            pairs = zip(self.told, roofs(), strict=True)
            self.told = tuple(measured if told is None else told for told, measured in pairs)
        return self.told


def _rows(events, roofs):
    rows = {}
    for event in events:
        row = rows.get(event.label)
        if row is None:
            row = rows[event.label] = Row(event.label, *[0] * 9, roofs)
        spent = event.end - event.start
        row.calls += 1
        row.self_time += spent - event.inner
        row.total_time += spent
        row.bytes += event.bytes
        row.flops += event.flops
        row.threads = max(row.threads, event.threads)
        row.chunks += event.chunk_count
        row.hits += event.hits
        row.misses += event.misses
    return list(rows.values())


def _scaled(value, steps, factor):
    for unit in steps[:-1]:
        if value < factor:
            return f"{value:.3g} {unit}".rstrip() if value < 100 else f"{value:.0f} {unit}".rstrip()
        value /= factor
    return f"{value:.4g} {steps[-1]}"


def _time(nanoseconds):
    return _scaled(nanoseconds, ("ns", "us", "ms", "s"), 1000)


def _rate(amount, nanoseconds):
    return f"{amount / nanoseconds:.3g}" if amount and nanoseconds > 0 else ""


def _share(row):
    share = row.roofline
    if share is None:
        return ""
    return f"{share:.0%}" + (f" {_MARK}" if share < _FAR_BELOW else "")


_COLUMNS = (
    ("op", lambda row: row.key),
    ("calls", lambda row: str(row.calls)),
    ("self", lambda row: _time(row.self_time)),
    ("total", lambda row: _time(row.total_time)),
    ("bytes", lambda row: _scaled(row.bytes, ("B", "KiB", "MiB", "GiB"), 1024)),
    ("GB/s", lambda row: _rate(row.bytes, row.self_time)),
    ("flops", lambda row: _scaled(row.flops, ("", "k", "M", "G", "T"), 1000)),
    ("GF/s", lambda row: _rate(row.flops, row.self_time)),
    ("threads", lambda row: str(row.threads)),
    ("chunks", lambda row: str(row.chunks)),
    ("hits", lambda row: str(row.hits)),
    ("misses", lambda row: str(row.misses)),
    ("roofline", _share),
)

_SORTS = {
    "self_cpu_time_total": "self_time",
    "cpu_time_total": "total_time",
    "count": "calls",
}


class Table(list):
    """Rows of a profile, one per label; what ``key_averages()`` gives."""

    def __init__(self, rows, note=""):
        super().__init__(rows)
        self.note = note

    def table(self, sort_by="self_time", row_limit=-1):
        """The rows as text.

        Parameters
        ----------
        sort_by : str
            An attribute of :class:`Row`, greatest first ("key": by name), or torch's
            "self_cpu_time_total", "cpu_time_total", "count".
        row_limit : int
            How many rows; all when negative.

        Returns
        -------
        str
            Drawn by rich where it is installed. "!" marks what is below a quarter of the roofline.
        """
        sort_by = _SORTS.get(sort_by, sort_by)
        keys = (*Row.__slots__[:-1], "roofline")
        if sort_by not in keys:
            known = ", ".join((*keys, *_SORTS))
            raise ValueError(f"table: sort_by must be one of {known}, got {sort_by!r}")
        ranked = sorted(
            self,
            key=lambda row: getattr(row, sort_by) or (0 if sort_by != "key" else ""),
            reverse=sort_by != "key",
        )
        cells = [[text(row) for _, text in _COLUMNS] for row in ranked]
        if row_limit >= 0:
            cells = cells[:row_limit]
        heads = [head for head, _ in _COLUMNS]
        try:
            return _rich(heads, cells) + self.note
        except ImportError:
            return _plain(heads, cells) + self.note


def _plain(heads, cells):
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    lines = [heads, ["-" * width for width in widths], *cells]
    return "".join(
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        + "\n"
        for line in lines
    )


def _rich(heads, cells):
    from rich.console import Console
    from rich.table import Table as Drawn

    drawn = Drawn()
    for at, head in enumerate(heads):
        drawn.add_column(head, justify="right" if at else "left", no_wrap=True)
    for line in cells:
        drawn.add_row(*line)
    console = Console(width=200, color_system=None)
    with console.capture() as captured:
        console.print(drawn, markup=False, highlight=False)
    return captured.get()


def _positive(name, value):
    if value is not None and not value > 0:
        raise ValueError(f"profile: {name} must be positive, got {value}")
    return value


class profile:  # noqa: N801 - torch's spelling
    """Records every operation of the process between ``start`` and ``stop``.

    Parameters
    ----------
    peak_flops, bandwidth : float, optional
        What the machine can do per second with the threads in use: arithmetic operations and bytes
        from memory, for the column "roofline". What is not given is measured when a table is first
        made (:func:`kael.lab.ceilings.roofs`), which takes a fraction of a second, once for each
        thread count and instruction set.

    Notes
    -----
    Operations of all threads are recorded, also those that began before and end inside. Profiles
    may be nested; each records what runs during it. At most 2**20 operations are kept. A profile
    that is dropped without ``stop`` stops itself.

    Examples
    --------
    >>> x = kael.ones(4)
    >>> with kael.profiler.profile() as prof:
    ...     y = x + x
    >>> [(row.key, row.calls, row.bytes, row.flops) for row in prof.key_averages()]
    [('add', 1, 48, 4)]
    """

    def __init__(self, *, peak_flops=None, bandwidth=None):
        self._roofs = _Roofs(_positive("peak_flops", peak_flops), _positive("bandwidth", bandwidth))
        self._raw = []
        self._running = False

    def start(self):
        """Begins to record, after what was recorded before."""
        if self._running:
            raise RuntimeError("profile: it is already running")
        start_profile(self._raw)
        self._running = True

    def stop(self):
        """Ends to record; without effect when not running."""
        stop_profile(self._raw)
        self._running = False

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, error, trace):
        self.stop()

    def __del__(self):
        if getattr(self, "_running", False):
            self.stop()

    @property
    def truncated(self):
        """Whether operations were left out because there were too many."""
        return bool(self._raw) and self._raw[-1] is None

    def events(self):
        """The operations so far, a list of :class:`Event` in the order of their ends."""
        return [Event(*raw) for raw in self._raw if raw is not None]

    def key_averages(self):
        """One :class:`Row` per label, a :class:`Table`."""
        note = "later operations were left out\n" if self.truncated else ""
        return Table(_rows(self.events(), self._roofs), note)

    def table(self, sort_by="self_time", row_limit=-1):
        """``key_averages().table(...)``."""
        return self.key_averages().table(sort_by, row_limit)

    def export_chrome_trace(self, path):
        """Writes the operations and their chunks as a JSON trace for ui.perfetto.dev.

        Threads that called operations and workers of the pool are separate lines.
        """
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": _trace(self.events()), "displayTimeUnit": "ns"}, file)


def _trace(events):
    pid = os.getpid()
    callers = {event.thread for event in events}
    threads = callers | {thread for event in events for thread, _, _ in event.chunks}
    entries = [_name("process_name", "kael", pid, 0)]
    for thread in sorted(threads):
        kind = "thread" if thread in callers else "worker"
        entries.append(_name("thread_name", f"{kind} {thread}", pid, thread))
    for event in events:
        args = {
            "bytes": event.bytes, "flops": event.flops, "threads": event.threads,
            "chunks": event.chunk_count, "hits": event.hits, "misses": event.misses,
        }  # fmt: skip
        backward = event.scope is not None or event.name.endswith(" backward")
        kind = "backward" if backward else "op"
        entries.append(_slice(event.label, kind, pid, event.thread, event.start, event.end, args))
        for thread, start, end in event.chunks:
            entries.append(_slice(event.label, "chunk", pid, thread, start, end, {}))
    return entries


def _name(what, name, pid, thread):
    return {"name": what, "ph": "M", "pid": pid, "tid": thread, "args": {"name": name}}


def _slice(name, kind, pid, thread, start, end, args):
    return {
        "name": name, "cat": kind, "ph": "X", "pid": pid, "tid": thread, "ts": start / 1000,
        "dur": (end - start) / 1000, "args": args,
    }  # fmt: skip
