"""What this build and this machine can do, and what is in use."""

from contextlib import contextmanager

from kael._kernels import runtime
from kael.memory import allocator_stats, caching_allocator_enabled

__all__ = ["get_isa", "isa", "show_config", "usable_isas"]


def usable_isas():
    """Names of the instruction sets that this machine can run, best first.

    The last is ``"generic"``, which runs anywhere. Results have the same bits on each.

    Returns
    -------
    tuple of str
    """
    return runtime.usable_isas()


def get_isa():
    """Name of the instruction set in use: ``KAEL_ISA``, or the best usable one.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        At first use, if ``KAEL_ISA`` or ``KAEL_NUM_THREADS`` holds an unusable value.
    """
    return runtime.get_isa()


@contextmanager
def isa(name):
    """Uses one instruction set inside a block; for tests and measurements.

    The choice belongs to the process: other threads see it too.

    Parameters
    ----------
    name : str
        One of :func:`usable_isas`.

    Raises
    ------
    ValueError
        If ``name`` is unknown or cannot run here; the text lists the usable names.

    Examples
    --------
    >>> import kael
    >>> with kael.isa("generic"):
    ...     kael.get_isa()
    'generic'
    """
    former = get_isa()
    runtime.set_isa(name)
    try:
        yield
    finally:
        runtime.set_isa(former)


def show_config(mode="text"):
    """What is built, found and chosen.

    Parameters
    ----------
    mode : {"text", "dict", "json"}
        ``"text"`` prints a table.

    Returns
    -------
    None, dict or str
        The facts, unless they were printed.

    Raises
    ------
    ValueError
        For another mode, or as :func:`get_isa`.

    Examples
    --------
    >>> kael.show_config("dict")["BLAS"]["bits promised"]
    False
    """
    if mode == "dict":
        return facts()
    if mode == "json":
        import json

        return json.dumps(facts(), indent=2)
    if mode != "text":
        raise ValueError(f"show_config: mode must be 'text', 'dict' or 'json', got {mode!r}")
    for section, entries in facts().items():
        print(f"{section}:")
        for name, value in entries.items():
            shown = ", ".join(value) if isinstance(value, list) else value
            print(f"  {name:<16} {shown}")
    return None


def facts():
    """The dictionary behind :func:`show_config`: sections of plain values."""
    from kael import __version__
    from kael._kernels.blas import blas_available

    compiler, flags, sanitizer = runtime.build_report()
    chosen, meaning, isa_origin = runtime.isa_report()
    count, origin, cpus, forks = runtime.threads_report()
    stats = allocator_stats()
    return {
        "build": {
            "version": __version__,
            "compiler": compiler,
            "flags": flags or "unknown",
            "sanitizer": sanitizer or "none",
        },
        "instruction sets": {
            "compiled": list(runtime.compiled_isas()),
            "usable": list(usable_isas()),
            "chosen": chosen,
            "from": isa_origin,
            "meaning": meaning,
        },
        "threads": {"count": count, "from": origin, "usable CPUs": cpus, "forks": forks},
        "allocator": {
            "caching": caching_allocator_enabled(),
            "cache built": not sanitizer,
            "reserved bytes": stats.reserved_bytes,
            "in use bytes": stats.in_use_bytes,
            "cached bytes": stats.cached_bytes,
        },
        "BLAS": {"used": blas_available(), "bits promised": False},
    }
