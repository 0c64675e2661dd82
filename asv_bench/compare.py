"""Times kael against NumPy and torch, interleaved, and prints ratios.

    python asv_bench/compare.py [--threads 1 2] [--rounds 15] [--jobs add epoch ...]

Each contestant lives in a process of its own (thread pools and allocators do not meet), all started
first; then they take turns, one sample each per round, so that a machine that slows down slows down
all of them. A line gives each contestant's best sample, and the median over the rounds of kael's
time divided by the other's: below 1, kael is faster. A kael at two threads is also divided by the
kael at one, and matmul on one thread by the measured FMA peak.
"""

import argparse
import ctypes
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from contestants import jobs

HERE = Path(__file__).parent
NAMES = ("kael", "numpy", "torch", "torch, fused Adam")
JOBS = ("add", "add, requires_grad", "matmul", "epoch")
SAMPLE_SECONDS = 0.02
MATMUL_FLOPS = 2 * 1024**3


class Contestant:
    """A process that times one job when told to."""

    def __init__(self, name, threads, script=__file__):
        command = [sys.executable, script, "--contestant", name, str(threads)]
        self.name, self.threads = name, threads
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.jobs = self.process.stdout.readline().strip().split("|")

    def sample(self, job):
        """Seconds per call, over one short burst."""
        print(job, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def __str__(self):
        return f"{self.name} ({self.threads})"


def serve(name, threads):
    """The other side of Contestant: answers each line with a time."""
    try:
        mine = jobs(name, threads)
    except ImportError:
        print("", flush=True)
        return
    repeats = {job: calibrate(run) for job, run in mine.items()}
    print("|".join(mine), flush=True)
    for line in sys.stdin:
        job = line.strip()
        print(burst(mine[job], repeats[job]), flush=True)


def burst(run, count):
    start = time.perf_counter()
    for _ in range(count):
        run()
    return (time.perf_counter() - start) / count


def calibrate(run):
    """How many calls fill a sample, after a warm-up."""
    run()
    return max(1, round(SAMPLE_SECONDS / burst(run, max(1, round(0.002 / burst(run, 1))))))


def compile_c(name, folder, *flags):
    """A C file of this folder, compiled for this machine, as a library."""
    library = Path(folder) / f"{name}.so"
    command = ["cc", "-O3", "-march=native", "-shared", "-fPIC", *flags, HERE / name, "-o", library]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


def peak_meter(folder):
    """A function that measures one core's floating-point operations per second, at their best."""
    loop = compile_c("peak.c", folder, "-ffp-contract=fast").fma_peak
    loop.restype, loop.argtypes = ctypes.c_int64, [ctypes.c_int64, ctypes.c_void_p]
    sink = ctypes.c_float()

    def rate():
        start = time.perf_counter()
        done = loop(300_000, ctypes.byref(sink))
        return done / (time.perf_counter() - start)

    return lambda: max(rate() for _ in range(20))


def measure(contestants, job, rounds, between=None):
    """Samples per contestant, taken in turns; `between` is called once a round."""
    able = [one for one in contestants if job in one.jobs]
    samples = {one: [] for one in able}
    extra = []
    for _ in range(rounds):
        for one in able:
            samples[one].append(one.sample(job))
        if between:
            extra.append(between())
    return samples, extra


def ratio(mine, other):
    return statistics.median(a / b for a, b in zip(mine, other, strict=True))


def report(job, samples, peaks):
    """Prints the table of one job."""
    kaels = [one for one in samples if one.name == "kael"]
    for one, seconds in samples.items():
        line = f"{job:20} {one!s:22} {min(seconds) * 1e6:12.2f} us"
        for kael in kaels:
            if kael.threads == one.threads and kael is not one:
                line += f"   kael / {one.name}: {ratio(samples[kael], seconds):.3f}"
        if one in kaels[1:]:
            line += f"   against one thread: {ratio(seconds, samples[kaels[0]]):.3f}"
        if job == "matmul" and one.threads == 1:
            line += f"   share of FMA peak: {MATMUL_FLOPS / min(seconds) / max(peaks):.3f}"
        print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--jobs", nargs="+", default=JOBS, choices=JOBS)
    parser.add_argument("--contestant", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contestant:
        serve(options.contestant[0], int(options.contestant[1]))
        return
    contestants = [Contestant(name, n) for n in options.threads for name in NAMES]
    with tempfile.TemporaryDirectory() as folder:
        for job in options.jobs:
            peak = peak_meter(folder) if job == "matmul" else None
            samples, peaks = measure(contestants, job, options.rounds, peak)
            report(job, samples, peaks)
    for one in contestants:
        one.close()


if __name__ == "__main__":
    main()
