"""How add and matmul scale with the number of threads."""

import kael
from kael.lab import terminal
from kael.lab.ceilings import array_bytes
from kael.lab.timing import best, caption, conditions, plural

QUICK = {"bytes": 8 << 20, "in cache": 1 << 17, "sizes": (128, 256), "rounds": 2, "seconds": 0.02}
FULL = {"bytes": None, "in cache": 1 << 17, "sizes": (256, 1024), "rounds": 5, "seconds": 0.1}
# Lines that meet stay visible: the later, the thinner.
LOOKS = [
    {"marker": "o", "markersize": 13, "linewidth": 4, "color": "C0"},
    {"marker": "s", "markersize": 9, "linewidth": 3, "color": "C1"},
    {"marker": "D", "markersize": 7, "linewidth": 1.5, "color": "C2"},
    {"marker": "^", "markersize": 5, "linewidth": 1, "color": "C3"},
]


def measure(quick):
    """Rates by job and number of threads: bytes per second of add, operations of matmul."""
    settings = QUICK if quick else FULL
    counts, jobs = thread_counts(kael.get_num_threads()), prepare(settings)
    rates = {name: dict.fromkeys(counts, 0.0) for name in jobs}
    for _ in range(settings["rounds"]):  # in turns: what slows down the machine slows down all
        for name, (work, _, run) in jobs.items():
            for count in counts:
                with kael.num_threads(count):
                    rate = work / best(run, settings["seconds"])
                rates[name][count] = max(rate, rates[name][count])
    return {
        "machine": conditions(),
        "units": {name: unit for name, (_, unit, _) in jobs.items()},
        "rates": rates,
    }


def thread_counts(most):
    """1, 2, 3, 4, 6, 8, 12, 16, ... and the greatest."""
    steps = [factor << i for i in range(10) for factor in (1, 3)]
    return sorted({count for count in steps if count < most} | {most})


def prepare(settings):
    """name -> (work of a call, its unit, the call)."""
    jobs = {}
    for size in (settings["in cache"], settings["bytes"] or array_bytes()):
        a, b = (kael.full((size // 4,), value) for value in (0.5, 0.25))
        label = f"add, {size >> 10} KiB" if size < 1 << 20 else f"add, {size >> 20} MiB"
        jobs[label] = 3 * size, "GB/s", lambda a=a, b=b: a + b
    for n in settings["sizes"]:
        a, b = (kael.full((n, n), value) for value in (0.5, 0.25))
        jobs[f"matmul, {n} x {n}"] = 2 * n**3, "GF/s", lambda a=a, b=b: a @ b
    return jobs


def speedups(rates):
    """Pairs of thread count and how many times as fast as one thread."""
    return [(count, rate / rates[1]) for count, rate in rates.items()]


def text(result):
    """A chart of the speed-up and a table of rates, f32."""
    counts = list(next(iter(result["rates"].values())))
    most = max(2, *counts)
    gains = [factor for rates in result["rates"].values() for _, factor in speedups(rates)]
    top = max(most, *gains)
    x, y = terminal.Axis(1, most, terminal.WIDTH), terminal.Axis(0, top, terminal.HEIGHT)
    marks = [(1 + (most - 1) * c / x.cells,) * 2 + (".",) for c in range(x.cells)]
    letters = dict(zip(result["rates"], "aAmM", strict=True))
    for name, rates in result["rates"].items():
        marks += [(count, factor, letters[name]) for count, factor in speedups(rates)]
    chart = terminal.chart(marks, x, y, "threads", "times as fast")
    key = "  ".join(f"{letter} {name}" for name, letter in letters.items())
    rows = [
        (f"{name}, {result['units'][name]}",
         *(f"{rate / 1e9:.1f} ({factor:.2f})"
           for rate, (_, factor) in zip(rates.values(), speedups(rates), strict=True)))
        for name, rates in result["rates"].items()
    ]  # fmt: skip
    header = ("f32 (times one thread)", *(plural(count, "thread") for count in counts))
    return "\n\n".join(
        [
            "Threads: " + caption(result),
            f"{chart}\n\n  . as many times as threads   {key}",
            terminal.table(header, rows),
        ]
    )


def draw(result, figure):
    """Left how many times as fast as one thread, right the rates, in the same colours."""
    left, right = figure.subplots(1, 2)
    counts = list(next(iter(result["rates"].values())))
    left.plot(counts, counts, color="0.4", linestyle="--", label="times = threads")
    for (name, rates), look in zip(result["rates"].items(), LOOKS, strict=True):
        label = f"{name} [{result['units'][name]}]"
        left.plot(*zip(*speedups(rates), strict=True), **look, label=label)
        right.plot(counts, [rate / 1e9 for rate in rates.values()], **look)
    left.set(xlabel="threads", ylabel="times as fast as one thread", ylim=(0, None), xticks=counts)
    right.set(xlabel="threads", ylabel="rate [GF/s of matmul, GB/s of add]", xticks=counts)
    right.set_ylim(0, None)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    left.set_title("add and matmul of f32: gain")
    right.set_title("and rate")
    figure.legend(loc="outside upper center", ncols=3, fontsize=9)
