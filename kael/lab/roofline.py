"""The roofline: what memory and multiply-adds allow, and where kael's operations lie below it.

Operations are counted as the formula has them (an exponential is one, as is a square root), bytes
as what must be read and written at least: each operand once.
"""

import kael
from kael import matmul_versions
from kael.lab import terminal
from kael.lab.ceilings import array_bytes, bandwidth, fma_rate
from kael.lab.timing import best, caption, conditions

RUNGS = ("v1_ijk", "v2_ikj", "v3_tiled", "v4_packed", "v5_simd", "v6_threaded")
DTYPES = {"f32": kael.float32, "f64": kael.float64}
# operation: floating-point operations and items moved per element
STREAMING = {"add": (1, 3), "sum": (1, 1), "softmax": (5, 2), "Adam": (13, 7)}
ROW = 1024  # of softmax
HALO = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.5}  # over lines
LOOKS = {
    "f32": {"color": "C0", "marker": "o", "side": 1},
    "f64": {"color": "C1", "marker": "s", "side": -1},
}
QUICK = {"size": 256, "bytes": 8 << 20, "seconds": 0.05}
FULL = {"size": 1024, "bytes": None, "seconds": 0.4}


def measure(quick):
    """Roofs and points, rates in operations and bytes per second."""
    sizes = dict(QUICK if quick else FULL)
    sizes["bytes"] = sizes["bytes"] or array_bytes()
    # A machine slows down and recovers: roofs are taken before, between and after the points.
    walks, peaks, points = {}, {}, []
    raise_roofs(walks, peaks, sizes)
    for name, dtype in DTYPES.items():
        points += [*streaming(name, dtype, sizes), *rungs(name, dtype, sizes)]
        raise_roofs(walks, peaks, sizes)
    for one in points:  # what an operation reached, the machine allows
        if one["operation"] in STREAMING:
            walks["operations"] = max(walks.get("operations", 0.0), one["bytes"])
        peaks[one["dtype"]] = max(peaks[one["dtype"]], one["flops"])
    return {
        "machine": conditions(),
        "sizes": sizes,
        "peak": peaks,
        "peaks": {kael.get_isa(): peaks, **peaks_of_other_isas(sizes["seconds"] / 4)},
        "bandwidth": walks,
        "points": points,
    }


def raise_roofs(walks, peaks, sizes):
    """Measures the roofs once more and keeps what is higher than before."""
    for name, rate in bandwidth(sizes["bytes"], sizes["seconds"]).items():
        walks[name] = max(rate, walks.get(name, 0.0))
    for name, dtype in DTYPES.items():
        peaks[name] = max(fma_rate(dtype, sizes["seconds"] / 2), peaks.get(name, 0.0))


def peaks_of_other_isas(seconds):
    """Multiply-adds of the usable instruction sets that are not in use, on the threads in use."""
    found = {}
    for isa in kael.usable_isas():
        if isa != kael.get_isa():
            with kael.isa(isa):
                found[isa] = {name: fma_rate(dtype, seconds) for name, dtype in DTYPES.items()}
    return found


def streaming(name, dtype, sizes):
    """The points of the operations on arrays that no cache holds."""
    rows = max(1, sizes["bytes"] // dtype.itemsize // ROW)
    for operation, (flops, items) in STREAMING.items():
        seconds = best(prepare(operation, dtype, rows), sizes["seconds"])
        work = flops * rows * ROW
        yield point(operation, name, work, items * dtype.itemsize * rows * ROW, seconds)


def prepare(operation, dtype, rows):
    """The function that does an operation once on rows * ROW elements."""
    x = kael.full((rows, ROW), 0.5, dtype=dtype)
    if operation == "add":
        y = kael.ones_like(x)
        return lambda: x + y
    if operation == "Adam":
        x.requires_grad_()
        x.grad = kael.full((rows, ROW), 1e-3, dtype=dtype)
        return kael.optim.Adam([x]).step
    return {"sum": x.sum, "softmax": lambda: x.softmax(-1)}[operation]


def rungs(name, dtype, sizes):
    """The points of the ladder, on square matrices."""
    n = sizes["size"]
    a, b = (kael.full((n, n), value, dtype=dtype) for value in (0.5, 0.25))
    out = kael.zeros(n, n, dtype=dtype)
    for rung in RUNGS:
        run = getattr(matmul_versions, rung)
        seconds = best(lambda run=run: run(a, b, out), sizes["seconds"])
        yield point(rung, name, 2 * n**3, 4 * n * n * dtype.itemsize, seconds)


def point(operation, dtype, flops, moved, seconds):
    return {
        "operation": operation,
        "dtype": dtype,
        "intensity": flops / moved,
        "flops": flops / seconds,
        "bytes": moved / seconds,
        "seconds": seconds,
    }


def roof(result, dtype, intensity):
    """What the machine allows at so many operations per byte."""
    return min(result["peak"][dtype], max(result["bandwidth"].values()) * intensity)


def limits(result):
    """The ranges of both axes, on whole powers."""
    rates = [p["flops"] / 1e9 for p in result["points"]]
    high = max(*rates, *(peak / 1e9 for peak in result["peak"].values()))
    low = min(rates)
    right = max(p["intensity"] for p in result["points"])
    return (2**-6, max(16, 4 * right)), (low / 2, high * 2)


def text(result):
    """A chart with letters for the operations of f32, and the table of all."""
    (left, right), (low, high) = limits(result)
    x = terminal.Axis(left, right, terminal.WIDTH, 2)
    y = terminal.Axis(low, high, terminal.HEIGHT, 10)
    marks = [
        (at, roof(result, "f32", at) / 1e9, ".")
        for at in (left * (right / left) ** (c / (x.cells - 1)) for c in range(x.cells))
    ]
    letters = dict(zip((*STREAMING, *RUNGS), "+SXA123456", strict=True))
    for one in result["points"]:
        if one["dtype"] == "f32":
            marks.append((one["intensity"], one["flops"] / 1e9, letters[one["operation"]]))
    chart = terminal.chart(marks, x, y, "f32: operations per byte", "GF/s")
    key = "  ".join(f"{letter} {name}" for name, letter in letters.items())
    return "\n\n".join(
        [
            "Roofline: " + caption(result),
            f"{chart}\n\n  . what the machine allows   {key}",
            terminal.table(
                ("operation", "dtype", "flop/byte", "GF/s", "GB/s", "of the roof"),
                [table_row(result, one) for one in result["points"]],
            ),
            ceilings_text(result),
        ]
    )


def table_row(result, one):
    share = one["flops"] / roof(result, one["dtype"], one["intensity"])
    return (
        one["operation"],
        one["dtype"],
        f"{one['intensity']:.3g}",
        f"{one['flops'] / 1e9:.2f}",
        f"{one['bytes'] / 1e9:.2f}",
        f"{share:.0%}",
    )


def ceilings_text(result):
    peaks = terminal.table(
        ("multiply-adds, GF/s", *DTYPES),
        [
            (isa, *(f"{rates[dtype] / 1e9:.1f}" for dtype in DTYPES))
            for isa, rates in result["peaks"].items()
        ],
    )
    walks = ", ".join(f"{name} {rate / 1e9:.1f}" for name, rate in result["bandwidth"].items())
    size, n = result["sizes"]["bytes"], result["sizes"]["size"]
    return f"{peaks}\n\nmemory, GB/s: {walks}\narrays of {size >> 20} MiB, matrices {n} x {n}"


def draw(result, figure):
    """The roofs of both dtypes as lines, operations as points."""
    axes = figure.subplots()
    (left, right), (low, high) = limits(result)
    axes.set(yscale="log", xlim=(left, right), ylim=(low, high))
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: terminal.short(value))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("operations per byte of compulsory memory traffic [flop/byte]")
    axes.set_ylabel("rate [GF/s]")
    speed = max(result["bandwidth"].values()) / 1e9
    axes.plot([], [], color="0.5", label=f"slope: {speed:.1f} GB/s of memory")
    for dtype, look in LOOKS.items():
        peak = result["peak"][dtype] / 1e9
        label = f"{dtype}: {peak:.1f} GF/s of multiply-adds"
        corners = [left, peak / speed, right], [left * speed, peak, peak]
        axes.plot(*corners, color=look["color"], label=label)
        mine = [one for one in result["points"] if one["dtype"] == dtype]
        at = [one["intensity"] for one in mine], [one["flops"] / 1e9 for one in mine]
        axes.scatter(*at, color=look["color"], marker=look["marker"], zorder=3)
        for place, label in labels(mine):
            axes.annotate(
                label, place, xytext=(7 * look["side"], -3), textcoords="offset points",
                color=look["color"], fontsize=9, bbox=HALO,
                ha="left" if look["side"] > 0 else "right",
            )  # fmt: skip
    axes.grid(which="major", alpha=0.3)
    axes.legend(loc="upper left")
    n = result["sizes"]["size"]
    axes.set_title(f"Roofline: arrays of {result['sizes']['bytes'] >> 20} MiB, matrices {n} x {n}")


def labels(points):
    """Pairs of place and text; points that would write over each other share one."""
    ordered = sorted(points, key=lambda one: (one["intensity"], one["flops"]))
    groups = []
    for one in ordered:
        near = groups and groups[-1][-1]
        if near and one["intensity"] == near["intensity"] and one["flops"] < 1.2 * near["flops"]:
            groups[-1].append(one)
        else:
            groups.append([one])
    for group in groups:
        # Rungs by their number: v4_packed is v4.
        names = sorted(one["operation"].split("_")[0] for one in group)
        middle = group[len(group) // 2]
        yield (middle["intensity"], middle["flops"] / 1e9), ", ".join(names)
