"""The ladder: the rate of each rung of matmul by the size of square matrices."""

import kael
from kael import matmul_versions
from kael.lab import terminal
from kael.lab.ceilings import fma_rate
from kael.lab.roofline import DTYPES, RUNGS
from kael.lab.timing import best, caption, conditions

QUICK = {"sizes": (32, 64, 128, 256), "seconds": 0.02, "longest": 0.5}
FULL = {"sizes": (32, 64, 128, 256, 512, 1024, 2048), "seconds": 0.3, "longest": 4.0}


def measure(quick):
    """Rates in operations per second; None where a rung would take too long."""
    settings = QUICK if quick else FULL
    peaks, rates = dict.fromkeys(DTYPES, 0.0), {name: {} for name in DTYPES}
    for rung in RUNGS:
        for name, dtype in DTYPES.items():
            rates[name][rung] = rung_rates(rung, dtype, settings)
            peaks[name] = max(peaks[name], fma_rate(dtype, settings["seconds"] / 2))
    return {
        "machine": conditions(),
        "sizes": list(settings["sizes"]),
        "peak": peaks,
        "rates": rates,
    }


def rung_rates(rung, dtype, settings):
    """One rung at every size, until a call would take longer than settings["longest"]."""
    run, rates, last = getattr(matmul_versions, rung), [], None
    for n in settings["sizes"]:
        if last is not None and last[1] * (n / last[0]) ** 3 > settings["longest"]:
            rates.append(None)
            continue
        a, b = (kael.full((n, n), value, dtype=dtype) for value in (0.5, 0.25))
        out = kael.zeros(n, n, dtype=dtype)
        seconds = best(lambda a=a, b=b, out=out: run(a, b, out), settings["seconds"])
        rates.append(2 * n**3 / seconds)
        last = n, seconds
    return rates


def reached(result, dtype, rung):
    """Pairs of size and GF/s."""
    pairs = zip(result["sizes"], result["rates"][dtype][rung], strict=True)
    return [(n, rate / 1e9) for n, rate in pairs if rate is not None]


def text(result):
    """For each dtype a chart, rungs by their number, and a table."""
    return "\n\n".join(["Ladder: " + caption(result), *(panel(result, d) for d in DTYPES)])


def panel(result, dtype):
    found = {rung: reached(result, dtype, rung) for rung in RUNGS}
    rates = [rate for pairs in found.values() for _, rate in pairs]
    sizes, peak = result["sizes"], result["peak"][dtype] / 1e9
    x = terminal.Axis(sizes[0], sizes[-1], terminal.WIDTH, 2)
    y = terminal.Axis(min(rates) / 1.5, 1.5 * max(peak, *rates), terminal.HEIGHT, 10)
    marks = [
        (sizes[0] * (sizes[-1] / sizes[0]) ** (c / x.cells), peak, ".") for c in range(x.cells)
    ]
    marks += [(n, rate, rung[1]) for rung, pairs in found.items() for n, rate in pairs]
    rows = [
        (rung, *("-" if rate is None else f"{rate / 1e9:.1f}" for rate in rates_of))
        for rung, rates_of in result["rates"][dtype].items()
    ]
    chart = terminal.chart(marks, x, y, f"{dtype}: rows = inner = columns", "GF/s")
    note = f"  . {peak:.1f} GF/s of multiply-adds; 1 to 6: the rungs, the last one on top"
    return f"{chart}\n\n{note}\n\n" + terminal.table((f"{dtype}, GF/s", *map(str, sizes)), rows)


def draw(result, figure):
    """A panel for each dtype, a line for each rung."""
    both = figure.subplots(1, len(DTYPES), sharey=True)
    for dtype, axes in zip(DTYPES, both, strict=True):
        for at, rung in enumerate(RUNGS):  # what lies below stays visible: it is larger
            pairs = zip(*reached(result, dtype, rung), strict=True)
            axes.plot(*pairs, marker="o", markersize=11 - 1.5 * at, label=rung)
        peak = result["peak"][dtype] / 1e9
        axes.axhline(peak, color="0.4", linestyle="--", label="multiply-adds alone")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_xticks(result["sizes"], [str(n) for n in result["sizes"]])
        axes.set(title=f"{dtype}: {peak:.1f} GF/s of multiply-adds")
        axes.set_xlabel("n of n x n by n x n")
        axes.grid(alpha=0.3)
    both[0].set_ylabel("rate [GF/s]")
    figure.legend(*both[0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    figure.suptitle("The matmul ladder")
