"""Times kael against NumPy, torch, optimizers of DeepSpeed and RoundPipe, and C libraries.

    python asv_bench/compare.py                       a few jobs of every family
    python asv_bench/compare.py matmul rows           all jobs of these families
    python asv_bench/compare.py --filter 'f32 512x'   all jobs whose names match
    python asv_bench/compare.py --ladder              the table of the matmul rungs
    python asv_bench/compare.py training --data data/mnist

Each contestant lives in a process of its own (thread pools and allocators do not meet), all started
first; then they take turns, one sample each per round, so that a machine that slows down slows down
all of them. kael's column is its median, with half the distance between the quartiles; the others
say how many times as fast as they kael is (the median over the rounds): above 1, kael is faster.
For products the peak of fused multiply-adds is measured in each round, too, on as many threads, and
`of peak` is the median of kael's share of it. KAEL_ISA chooses kael's instruction set.
"""

import argparse
import os
import platform
import re
import statistics
import tempfile
from pathlib import Path

from benchmarks.shapes import PRODUCTS
from contestants import FAMILIES, LADDER, NAMES, PEERS, RUNGS
from processes import Contestant, measure, peak_meter, serve
from results import Report, best, shown

DEFAULT = re.compile(
    r"calls .*|matmul f32 (128|1024)x(128|1024)x(128|1024)|matmul f32 64x784x128"
    r"|elementwise (add|exp|tanh) 1e6|reduce (sum|var) 1e6|rows .* (4096x65|1000x1000)"
    r"|optim (Adam|SGD) (500 x 1000|784-128-10)|training epoch"
)
BY_NAME = {str(one): one for one in PRODUCTS}


class Parser(argparse.ArgumentParser):
    def error(self, message):
        """One line, and no usage before it."""
        self.exit(2, f"compare.py: {message}\n")


def positive(text):
    """An option that counts something."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a positive number, got {text!r}")
    return int(text)


def pattern(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from None


def parser():
    """The command line."""
    made = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("suites", nargs="*", metavar="FAMILY", help=", ".join(FAMILIES))
    made.add_argument("--filter", type=pattern, metavar="REGEX", help="names of jobs (search)")
    made.add_argument("--threads", type=positive, nargs="+", help="default: 1, and all cores")
    made.add_argument("--rounds", type=positive, default=15)
    made.add_argument("--data", type=Path, help="folder of MNIST's IDX files (default: made up)")
    made.add_argument("--peers", nargs="+", metavar="NAME", help=f"of {', '.join(PEERS)}")
    made.add_argument("--list", action="store_true", help="print the names of the jobs")
    made.add_argument("--ladder", action="store_true", help="the table of the rungs instead")
    made.add_argument("--markdown", type=Path, help="file for the tables, which are printed too")
    made.add_argument("--json", type=Path, help="file for every median and spread")
    made.add_argument("--png", type=Path, help="file for a picture of the ratios")
    return made


# ---- Refusals: before anything is measured ----


def unfit(build):
    """Why this build must not be measured, or None."""
    if build["sanitizer"] != "none":
        return f"kael was built with -fsanitize={build['sanitizer']}; rebuild without KAEL_SANITIZE"
    if "-UNDEBUG" in build["flags"] or "-O1" in build["flags"]:
        return "kael is a debug build; rebuild without KAEL_DEBUG"
    return None


def refusal(options, build, cores):
    """What is wrong with the command line or the build, or None."""
    unknown = [name for name in options.suites if name not in FAMILIES]
    if unknown:
        return f"unknown suite {unknown[0]!r}; there are {', '.join(FAMILIES)}"
    unknown = [name for name in options.peers or () if name not in PEERS]
    if unknown:
        return f"unknown peer {unknown[0]!r}; there are {', '.join(PEERS)}"
    if options.ladder and (options.suites or options.filter or options.peers):
        return "--ladder takes no family, filter or peer"
    if not options.ladder and not chosen(options):
        return "no job matches; --list prints their names"
    if max(options.threads) > cores:
        return f"{max(options.threads)} threads asked for, {cores} cores may be used"
    for path in (options.markdown, options.json, options.png):
        if path and not path.resolve().parent.is_dir():
            return f"no folder {path.resolve().parent} for {path.name}"
    if options.png:
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            return "--png needs matplotlib, which is not installed"
    return unfit(build)


def chosen(options):
    """Names of the jobs to measure."""
    if options.filter:
        found = [name for name in NAMES if options.filter.search(name)]
    elif options.suites:
        found = NAMES
    else:
        found = [name for name in NAMES if DEFAULT.fullmatch(name)]
    return [name for name in found if not options.suites or name.split()[0] in options.suites]


def save_digits(folder, path):
    """Images and labels for the epoch, as every contestant loads them."""
    import numpy as np

    if folder:
        from kael.data import idx_digits

        tensors = idx_digits(folder)[0].tensors
        images, labels = (tensor.numpy() for tensor in tensors)
    else:
        random = np.random.default_rng(0)
        images, labels = (
            random.standard_normal((4000, 784), np.float32),
            random.integers(0, 10, 4000),
        )
    np.savez(path, images=images.reshape(len(labels), -1), labels=labels.astype(np.int64))


# ---- Tables ----


def tables(names):
    """``{title: names}``: a table per family, and for products one per kind and dtype."""
    groups = {}
    for name in names:
        one = BY_NAME.get(name)
        title = name.split()[0]
        if one:
            title += f": {one.family}, {one.dtype}{', b transposed' * one.transposed}"
        groups.setdefault(title, []).append(name)
    return groups


def table(report, title, contestants, names, threads, rounds):
    """Measures one group of jobs."""
    peers = [one.name for one in contestants[1:] if one.jobs.intersection(names)]
    products = [BY_NAME[name] for name in names if name in BY_NAME]
    peak = peak_meter(products[0].dtype, threads) if products else None
    full = f"{title}, {threads} thread{'s' * (threads > 1)}"
    report.header(full, "job", "kael", *(["of peak"] if peak else []), *peers, "best of them")
    found = []
    for name in names:
        samples, peaks = measure(contestants, name, rounds, peak)
        operations = BY_NAME[name].operations if peak else None
        share = None
        if peak:
            pairs = zip(samples["kael"], peaks, strict=True)
            share = statistics.median(operations / s / p for s, p in pairs)
        times = report.add(title, name, threads, samples, share)
        cells = [f"{times[peer]:.2f}" if peer in times else "" for peer in peers]
        least = f"{best(times):.2f}" if best(times) else ""
        label = name.removeprefix(f"{name.split()[0]} ")
        shares = [f"{share:.1%}"] if peak else []
        report.row(label, shown(samples["kael"], operations), *shares, *cells, least)
        found.append(times)
    if len(found) > 1:
        report.means(["", ""] if peak else [""], peers, found)


def compare(report, options, names, threads, folder):
    """All tables of one thread count."""
    contestants = []
    try:
        for name in ("kael", *(options.peers or PEERS)):
            contestants.append(Contestant(name, threads, Path(folder, "digits.npz")))
        missing = [one.name for one in contestants if not one.jobs]
        if missing and options.peers:
            raise LookupError(f"not installed: {', '.join(missing)}")
        if missing:
            report.say(f"\nNot installed, left out: {', '.join(missing)}.")
        present = [one for one in contestants if one.jobs]
        for title, group in tables(names).items():
            table(report, title, present, group, threads, options.rounds)
    finally:
        for one in contestants:
            one.close()


def ladder(report, threads, rounds):
    """The table of the rungs, v6 on that many threads."""
    kael = Contestant("kael", threads, "")
    for dtype in ("f32", "f64"):
        peak = peak_meter(dtype, 1)
        title = f"The ladder: {dtype}, n = {LADDER}, v6_threaded on {threads} threads"
        report.header(title, "rung", "rate", "times the one before", "of one core's peak")
        former = None
        for name in RUNGS:
            samples, peaks = measure([kael], f"{name} {dtype}", rounds, peak)
            seconds = statistics.median(samples["kael"])
            gain = f"{former / seconds:.2f}" if former else ""
            share = 2 * LADDER**3 / seconds / statistics.median(peaks)
            report.row(name, shown(samples["kael"], 2 * LADDER**3), gain, f"{share:.1%}")
            former = seconds
    kael.close()


def machine(cores):
    """The processor and what is compared on it; nothing that tells whose it is."""
    import kael
    from kael.lab.timing import cpu_name

    return (
        f"{cpu_name()}, {cores} cores, {platform.system()} {platform.machine()}, {kael.get_isa()}"
    )


def main(arguments=None):
    made = parser()
    options = made.parse_args(arguments)
    if options.list:
        print("\n".join(NAMES))
        return
    try:
        import kael

        build = kael.show_config("dict")["build"]
    except ImportError as error:
        made.error(f"kael cannot be imported: {error}")
    except ValueError as error:  # KAEL_ISA, KAEL_NUM_THREADS
        made.error(str(error))
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count()
    options.threads = options.threads or sorted({1, cores})
    wrong = refusal(options, build, cores)
    if wrong:
        made.error(wrong)
    with tempfile.TemporaryDirectory() as folder:
        try:
            save_digits(options.data, Path(folder, "digits.npz"))
        except (OSError, ValueError) as error:
            made.error(f"--data: {error}")
        report = Report(machine(cores))
        try:
            if options.ladder:
                ladder(report, max(options.threads), options.rounds)
            else:
                for threads in options.threads:
                    compare(report, options, chosen(options), threads, folder)
        except (LookupError, ChildProcessError) as error:
            made.error(str(error))
        report.save(options.markdown, options.json, options.png)


if __name__ == "__main__":
    import sys

    if sys.argv[1:2] == ["--contestant"]:
        serve(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        main()
