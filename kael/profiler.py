"""What the operations of a program do with its time: calls, bytes, flops, threads, allocations.

While no profile runs, an operation pays one branch for this module. While one runs, every operation
of every thread of the process leaves an event; results have the bits that they always have.
"""

import json
import os

from kael._kernels.runtime import start_profile, stop_profile
from kael.events import Event, Roofs, Row, rows_of

__all__ = ["Event", "Row", "Table", "profile"]

_FAR_BELOW = 0.25  # of the roofline: what a table marks
_MARK = "!"


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
    """Rows of a profile, one per label; what ``key_averages()`` gives.

    Parameters
    ----------
    rows : iterable of Row
    note : str
        Stands below the table.
    """

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

        Raises
        ------
        ValueError
            If there is no such attribute.
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
        self._roofs = Roofs(_positive("peak_flops", peak_flops), _positive("bandwidth", bandwidth))
        self._raw = []
        self._running = False

    def start(self):
        """Starts recording, behind what was recorded before.

        Raises
        ------
        RuntimeError
            If it is running already.
        """
        if self._running:
            raise RuntimeError("profile: it is already running")
        start_profile(self._raw)
        self._running = True

    def stop(self):
        """Stops recording; without effect when not running."""
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
        """The operations so far, in the order of their ends.

        Returns
        -------
        list of Event
        """
        return [Event(*raw) for raw in self._raw if raw is not None]

    def key_averages(self):
        """One row per label.

        Returns
        -------
        Table
        """
        note = "later operations were left out\n" if self.truncated else ""
        return Table(rows_of(self.events(), self._roofs), note)

    def table(self, sort_by="self_time", row_limit=-1):
        """``key_averages().table(...)``.

        Parameters
        ----------
        sort_by, row_limit
            As for :meth:`Table.table`, which also says what is raised.

        Returns
        -------
        str
        """
        return self.key_averages().table(sort_by, row_limit)

    def export_chrome_trace(self, path):
        """Writes the operations and their chunks as a JSON trace for ui.perfetto.dev.

        Threads that called operations and workers of the pool are separate lines.

        Parameters
        ----------
        path : str or path-like
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
