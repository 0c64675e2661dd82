"""What a profile consists of: events, and rows, which add up the events of one label."""

__all__ = ["Event", "Roofs", "Row", "rows_of"]


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

    Parameters
    ----------
    *values
        The attributes, in this order.

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

    Parameters
    ----------
    *values
        The attributes, in this order.

    Attributes
    ----------
    key : str
        The label.
    calls : int
    self_time, total_time : int
        Without and with the operations inside.
    bytes, flops, chunks, hits, misses : int
    threads : int
        The greatest number that worked on a call.
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


class Roofs:
    """What the machine can do per second, flops and bytes: told, or measured when asked for."""

    def __init__(self, peak_flops, bandwidth):
        self.told = peak_flops, bandwidth

    def __call__(self):
        if None in self.told:
            from kael.lab.ceilings import roofs

            pairs = zip(self.told, roofs(), strict=True)
            self.told = tuple(measured if told is None else told for told, measured in pairs)
        return self.told


def rows_of(events, roofs):
    """A list of one row for each label, in the order of appearance."""
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
