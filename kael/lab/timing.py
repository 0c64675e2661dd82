"""The time of a call, and what it was taken on."""

import datetime
import platform
import re
import time
from pathlib import Path

import kael
from kael.config import facts

BURST = 1e-3  # seconds: long against the clock, short against a time slice of another process


def burst(run, count):
    """Seconds per call over so many calls."""
    start = time.perf_counter()
    for _ in range(count):
        run()
    return (time.perf_counter() - start) / count


def best(run, seconds):
    """The least seconds per call among bursts that together last about so long.

    A rate is compared with what the machine allows: other processes only ever lower it. A call
    that alone takes longer is made once.
    """
    least = burst(run, 1)
    if least >= seconds:
        return least
    count = max(1, round(BURST / least))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        least = min(least, burst(run, count))
    return least


def conditions():
    """The machine and what kael uses of it, as plain values."""
    config = facts()
    return {
        "cpu": cpu_name(),
        "cpus": config["threads"]["usable CPUs"],
        "system": f"{platform.system()} {platform.machine()}",
        "isa": kael.get_isa(),
        "threads": kael.get_num_threads(),
        "kael": kael.__version__,
        "compiler": config["build"]["compiler"],
        "sanitizer": config["build"]["sanitizer"],
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }


def cpu_name():
    """The processor's name, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    named = re.search(r"^model name\s*:\s*(.+)$", info.read_text(), re.M) if info.exists() else None
    return named[1].strip() if named else platform.processor() or platform.machine()


def caption(result):
    """One line on the machine, for the foot of a table or picture."""
    where = result["machine"]
    made = f"kael {where['kael']}, {where['compiler']}"
    if where["sanitizer"] != "none":
        made += f" ({where['sanitizer']} sanitizer: times mean nothing)"
    return (
        f"{where['cpu']}, {plural(where['cpus'], 'CPU')}, {where['system']}; {where['isa']}, "
        f"{plural(where['threads'], 'thread')}; {made}; {where['date']}"
    )


def plural(count, noun):
    return f"{count} {noun}{'' if count == 1 else 's'}"
