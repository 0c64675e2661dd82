"""Contestants as processes that take turns, and what a sample of each is."""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
SAMPLE_SECONDS = 0.005  # short, so that few samples meet another process
# Before each sample: a core that has slept, and whose cache others have used, needs 20 ms and more
# (softmax of 1000 x 1000 and its gradient took 0.7 ms, 2 ms after a pause of 0.6 s).
WARM_SECONDS = 0.05
# Workers of other libraries spin for up to 200 ms after a job (KMP_BLOCKTIME's default) and would
# take a core from whoever is next. Its own sleep by then, so that an untimed burst goes first.
QUIET_SECONDS = 0.25


class Contestant:
    """A process that times one job when told to. ``digits``: a .npz file of images and labels."""

    def __init__(self, name, threads, digits):
        command = [sys.executable, HERE / "compare.py", "--contestant", name, str(threads), digits]
        self.name, self.threads = name, threads
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.jobs = set(self.process.stdout.readline().rstrip("\n").split("|")) - {""}

    def sample(self, job):
        """Seconds per call, over one short burst."""
        print(job, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise ChildProcessError(f"{self.name} ended during {job!r}")
        return float(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def serve(name, threads, digits):
    """The other side of Contestant: answers each line with a time; one job is prepared at once."""
    # Some libraries print while they are imported: that goes to stderr, away from the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    from contestants import jobs

    try:
        mine = jobs(name, threads, digits)
    except (ImportError, OSError):
        if name == "kael":
            raise
        mine = {}  # not installed
    print("|".join(mine), file=answers, flush=True)
    prepared = run = None
    for line in sys.stdin:
        job = line.strip()
        if job != prepared:
            run = None  # its operands go before those of the next come
            run, prepared = mine[job](), job
            repeats = calibrate(run)
        warm(run, repeats)
        print(burst(run, repeats), file=answers, flush=True)


def burst(run, count):
    start = time.perf_counter()
    for _ in range(count):
        run()
    return (time.perf_counter() - start) / count


def warm(run, count):
    end = time.perf_counter() + WARM_SECONDS
    while time.perf_counter() < end:
        burst(run, count)


def calibrate(run):
    """How many calls fill a sample. The first call, which may make what later ones find made (the
    state of an optimizer), does not count."""
    run()
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


def spread(values):
    """Half the distance between the quartiles, as a share of the median."""
    if len(values) < 2:
        return 0.0
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / 2 / middle
