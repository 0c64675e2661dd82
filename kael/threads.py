"""How many threads an operation may use, and the loop that every operation is split by."""

import operator
from contextlib import contextmanager

from kael._kernels import runtime
from kael._kernels.tensor import integer

__all__ = ["get_num_threads", "num_threads", "parallel_for", "set_num_threads"]

MAX_THREADS = 1024


def set_num_threads(count):
    """Sets the number of threads that an operation may use, the calling thread included.

    Results never depend on it. The workers are started by the next operation that is split, and
    none exists at a count of 1. If another thread runs an operation, its end is awaited.

    Parameters
    ----------
    count : int
        From 1 to 1024.

    Raises
    ------
    ValueError
        If ``count`` lies outside 1..1024.
    TypeError
        If ``count`` is not an integer.
    RuntimeError
        Inside the body of :func:`parallel_for`.

    Notes
    -----
    Without a call the count is ``KAEL_NUM_THREADS``, read when the runtime is first used, or else
    the number of CPUs in the process's affinity mask and within its control group's quota, rounded
    down (on Apple's systems, the number of performance cores).

    Examples
    --------
    >>> import kael
    >>> kael.set_num_threads(2)
    >>> kael.get_num_threads()
    2
    """
    runtime.set_num_threads(checked_count(count))


def checked_count(count):
    """``count`` as an int, or the exception that its kind or value deserves."""
    if isinstance(count, bool) or not hasattr(type(count), "__index__"):
        raise TypeError(
            f"set_num_threads: count must be an integer, got {type(count).__name__} {count!r}"
        )
    number = operator.index(count)
    if not 1 <= number <= MAX_THREADS:
        raise ValueError(f"set_num_threads: count must be in 1..{MAX_THREADS}, got {number}")
    return number


def get_num_threads():
    """The configured number of threads; the same inside a body, where work runs inline.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        At first use, if ``KAEL_NUM_THREADS`` or ``KAEL_ISA`` holds an unusable value.
    """
    return runtime.get_num_threads()


@contextmanager
def num_threads(count):
    """Sets the number of threads for a block, and restores the former one after it.

    The count belongs to the process: other threads see it too.

    Parameters
    ----------
    count : int
        As for :func:`set_num_threads`, which also says what is raised.

    Examples
    --------
    >>> import kael
    >>> with kael.num_threads(1):
    ...     kael.get_num_threads()
    1
    """
    former = get_num_threads()
    set_num_threads(count)
    try:
        yield
    finally:
        set_num_threads(former)


def parallel_for(begin, end, grain, body):
    """Calls ``body(first, last)`` on disjoint ranges that together are ``[begin, end)``.

    A range of at most ``grain`` runs as one call on the calling thread. A longer one is cut into
    chunks of ``max(grain, ceil(length / (4 * threads)))``, which the calling thread and the
    workers claim until none is left. The whole range runs as one call on the calling thread, too,
    at a count of 1, inside another body, while another thread has the workers, and when a worker
    cannot be started (the next call tries again).

    Parameters
    ----------
    begin, end : int
        Nothing is called when ``end <= begin``.
    grain : int
        The shortest range worth handing out; only the last chunk may be shorter.
    body : callable
        Takes the two ints of its range; what it returns is ignored. It runs with the caller's
        grad mode, on several threads at once, one of them at a time while it is Python code.

    Raises
    ------
    ValueError
        If ``grain`` is not positive.
    TypeError
        If a limit or ``grain`` is no integer, or ``body`` not callable.
    OverflowError
        If one of them does not fit in 64 bits, or the range is too long.
    BaseException
        The first exception that a body raised. Chunks not yet begun are then dropped; those that
        run are finished first.
    RuntimeError
        In a child, if the process forks inside a body while other chunks are running.

    Examples
    --------
    >>> import kael
    >>> squares = [0] * 10
    >>> def body(first, last):
    ...     for i in range(first, last):
    ...         squares[i] = i * i
    >>> kael.parallel_for(0, 10, 4, body)
    >>> squares
    [0, 1, 4, 9, 16, 25, 36, 49, 64, 81]
    """
    # Cython would cut the fraction off a float.
    begin, end = integer("parallel_for", "begin", begin), integer("parallel_for", "end", end)
    grain = integer("parallel_for", "grain", grain)
    for value in (begin, end, grain):
        if not -(2**63) <= value < 2**63:
            raise OverflowError(f"parallel_for: {value} does not fit in 64 bits")
    if not callable(body):
        raise TypeError(f"parallel_for: body must be callable, got {body!r}")
    runtime.parallel_for(begin, end, grain, body)
