"""Times kael against NumPy, torch and C libraries, interleaved, and prints tables in Markdown.

    python asv_bench/compare.py [--filter REGEX] [--threads 1 2] [--rounds 15] [--list]
    python asv_bench/compare.py --filter 'matmul f32'
    python asv_bench/compare.py --ladder

Each contestant lives in a process of its own (thread pools and allocators do not meet), all started
first; then they take turns, one sample each per round, so that a machine that slows down slows down
all of them. kael's column is its median; the others say how many times as fast as they kael is (the
median over the rounds): above 1, kael is faster. The peak of fused multiply-adds is measured in
each round, too, on as many threads, and `of peak` is the median of kael's share of it.
"""

import argparse
import math
import platform
import re
import statistics
import subprocess
import sys
import time

from benchmarks.shapes import PRODUCTS
from contestants import CALLS, LADDER, RUNGS, jobs

PEERS = ("NumPy", "torch", "torch, fused Adam", "oneDNN", "OpenBLAS", "BLIS", "MKL")
DEFAULT = r"^(add.*|matmul 8x8.*|matmul f32 (128|1024)x(128|1024)x(128|1024)|epoch)$"
SAMPLE_SECONDS = 0.005  # short, so that few samples meet another process
# Workers of other libraries spin for up to 200 ms after a job (KMP_BLOCKTIME's default) and would
# take a core from whoever is next. Its own sleep by then, so that an untimed burst goes first.
QUIET_SECONDS = 0.25


# ---- Processes ----


class Contestant:
    """A process that times one job when told to."""

    def __init__(self, name, threads, script=__file__):
        command = [sys.executable, script, "--contestant", name, str(threads)]
        self.name, self.threads = name, threads
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.jobs = set(self.process.stdout.readline().rstrip("\n").split("|")) - {""}

    def sample(self, job):
        """Seconds per call, over one short burst."""
        print(job, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def serve(name, threads, make=jobs):
    """The other side of Contestant: answers each line with a time; one job is prepared at once."""
    try:
        mine = make(name, threads)
    except (ImportError, OSError):
        if name == "kael":
            raise
        mine = {}  # not installed
    print("|".join(mine), flush=True)
    prepared = run = None
    for line in sys.stdin:
        job = line.strip()
        if job != prepared:
            run = None  # its operands go before those of the next come
            run, prepared = mine[job](), job
            repeats = calibrate(run)
        if threads > 1:
            burst(run, 4 * repeats)
        print(burst(run, repeats), flush=True)


def burst(run, count):
    start = time.perf_counter()
    for _ in range(count):
        run()
    return (time.perf_counter() - start) / count


def calibrate(run):
    """How many calls fill a sample, after a warm-up."""
    once = burst(run, 1)
    if once < SAMPLE_SECONDS:
        once = burst(run, max(1, round(SAMPLE_SECONDS / 4 / once)))
    return max(1, round(SAMPLE_SECONDS / once))


def peak_meter(dtype, threads):
    """A function that measures floating-point operations per second of so many threads."""
    import kael
    from kael.lab.ceilings import fma_rate

    kind = {"f32": kael.float32, "f64": kael.float64}[dtype]

    def rate():
        with kael.num_threads(threads):
            return fma_rate(kind, seconds=0.05)

    return rate


# ---- Measuring and telling ----


def measure(contestants, job, rounds, peak=None):
    """Samples per contestant that can do the job, taken in turns, and of the peak."""
    samples = {one: [] for one in contestants if job in one.jobs}
    peaks = []
    quiet = QUIET_SECONDS if any(one.threads > 1 for one in contestants) else 0.0
    for _ in range(rounds):
        for one, taken in samples.items():
            time.sleep(quiet)
            taken.append(one.sample(job))
        if peak:
            time.sleep(quiet)
            peaks.append(peak())
    return {one.name: taken for one, taken in samples.items()}, peaks


def ratios(samples):
    """How many times as fast as each peer kael is."""
    mine = samples["kael"]
    return {
        name: statistics.median(b / a for a, b in zip(mine, other, strict=True))
        for name, other in samples.items()
        if name != "kael"
    }


def shown(seconds, operations=None):
    """A time, or the rate of a product."""
    seconds = statistics.median(seconds)
    if operations:
        return f"{operations / seconds / 1e9:.1f} GF/s"
    return f"{seconds * 1e6:.2f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def row(*cells):
    print("|", " | ".join(cells), "|", flush=True)


def header(title, *columns):
    print(f"\n### {title}\n", flush=True)
    row(*columns)
    row(*("---" if at == 0 else "---:" for at in range(len(columns))))


def table(title, contestants, names, rounds, products=None, peak=None):
    """Measures and prints one family of jobs; returns the ratios of each."""
    peers = [one.name for one in contestants[1:] if one.jobs.intersection(names)]
    header(title, "job", "kael", *(["of peak"] if peak else []), *peers, "best of them")
    found = []
    for name in names:
        samples, peaks = measure(contestants, name, rounds, peak)
        operations = products[name].operations if products else None
        times = ratios(samples)
        share = []
        if peak:
            pairs = zip(samples["kael"], peaks, strict=True)
            share = [f"{statistics.median(operations / s / p for s, p in pairs):.1%}"]
        cells = [f"{times[peer]:.2f}" if peer in times else "" for peer in peers]
        best = f"{min(times.values()):.2f}" if times else ""
        label = products[name].label if products else name
        row(label, shown(samples["kael"], operations), *share, *cells, best)
        found.append(times)
    if len(found) > 1:
        means = [geometric_mean([x[peer] for x in found if peer in x]) for peer in peers]
        least = geometric_mean([min(x.values()) for x in found if x])
        row("**geometric mean**", "", *([""] if peak else []), *means, least)
    return found


def geometric_mean(factors):
    return f"**{math.exp(statistics.fmean(map(math.log, factors))):.2f}**" if factors else ""


def compare(threads, pattern, rounds):
    """All tables of one thread count."""
    contestants = [Contestant(name, threads) for name in ("kael", *PEERS)]
    missing = [one.name for one in contestants if not one.jobs]
    if missing:
        print(f"\nNot found, left out: {', '.join(missing)}.", flush=True)
    contestants = [one for one in contestants if one.jobs]
    if "kael" in missing:
        sys.exit("kael cannot be imported")
    wanted = [name for name in CALLS if pattern.search(name)]
    where = f"{threads} thread{'s' * (threads > 1)}"
    if wanted:
        table(f"Calls and training, {where}", contestants, wanted, rounds)
    families = {}
    for one in PRODUCTS:
        if pattern.search(str(one)):
            key = f"{one.family}, {one.dtype}{', b transposed' * one.transposed}", one.dtype
            families.setdefault(key, {})[str(one)] = one
    for (title, dtype), group in families.items():
        peak = peak_meter(dtype, threads)
        table(f"Products: {title}, {where}", contestants, list(group), rounds, group, peak)
    for one in contestants:
        one.close()


def ladder(threads, rounds):
    """The table of the rungs, v6 on that many threads."""
    kael = Contestant("kael", threads)
    for dtype in ("f32", "f64"):
        peak = peak_meter(dtype, 1)
        title = f"The ladder: {dtype}, n = {LADDER}, v6_threaded on {threads} threads"
        header(title, "rung", "rate", "times the one before", "of one core's peak")
        former = None
        for name in RUNGS:
            samples, peaks = measure([kael], f"{name} {dtype}", rounds, peak)
            seconds = statistics.median(samples["kael"])
            gain = f"{former / seconds:.2f}" if former else ""
            share = 2 * LADDER**3 / seconds / statistics.median(peaks)
            row(name, shown(samples["kael"], 2 * LADDER**3), gain, f"{share:.1%}")
            former = seconds
    kael.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filter", type=re.compile, default=re.compile(DEFAULT), metavar="REGEX")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--list", action="store_true", help="print the names of the jobs")
    parser.add_argument("--ladder", action="store_true", help="the table of the rungs instead")
    parser.add_argument("--contestant", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contestant:
        serve(options.contestant[0], int(options.contestant[1]))
    elif options.list:
        print("\n".join([*CALLS, *map(str, PRODUCTS)]))
    else:
        from kael.lab.timing import cpu_name

        print(f"{cpu_name()}, {platform.system()} {platform.machine()}", flush=True)
        if options.ladder:
            ladder(max(options.threads), options.rounds)
        else:
            for threads in options.threads:
                compare(threads, options.filter, options.rounds)


if __name__ == "__main__":
    main()
