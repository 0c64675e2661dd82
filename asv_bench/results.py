"""What compare.py found, as tables in Markdown, as JSON and as a picture."""

import json
import math
import statistics

from processes import spread


def ratios(samples):
    """How many times as fast as each peer kael is."""
    mine = samples["kael"]
    return {
        name: statistics.median(b / a for a, b in zip(mine, other, strict=True))
        for name, other in samples.items()
        if name != "kael"
    }


def shown(samples, operations=None):
    """The median of times, or the rate of a product, with its spread."""
    seconds = statistics.median(samples)
    if operations:
        text = f"{operations / seconds / 1e9:.1f} GF/s"
    else:
        text = f"{seconds * 1e6:.2f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"
    return f"{text} ±{spread(samples):.0%}"


def mean(factors):
    """The geometric mean."""
    return math.exp(statistics.fmean(map(math.log, factors)))


def best(times):
    """The least ratio over rivals; "traffic" is the memory itself, and kael.torch is kael."""
    rivals = [x for name, x in times.items() if name not in ("traffic", "kael.torch")]
    return min(rivals) if rivals else None


class Report:
    """Rows as they are measured; Markdown is printed at once, so that a long run can be watched."""

    def __init__(self, machine):
        self.machine, self.entries, self.lines = machine, [], []
        self.say(machine)

    def say(self, line=""):
        self.lines.append(line)
        print(line, flush=True)

    def row(self, *cells):
        self.say(f"| {' | '.join(cells)} |")

    def header(self, title, *columns):
        self.say(f"\n### {title}\n")
        self.row(*columns)
        self.row(*("---" if at == 0 else "---:" for at in range(len(columns))))

    def add(self, title, name, threads, samples, share):
        """Keeps one job for JSON and the picture; returns its ratios."""
        times = ratios(samples)
        entry = {"family": name.split()[0], "table": title, "job": name, "threads": threads}
        entry["seconds"] = {who: statistics.median(taken) for who, taken in samples.items()}
        entry["spread"] = {who: spread(taken) for who, taken in samples.items()}
        entry["kael is faster by"] = times
        if share is not None:
            entry["share of peak"] = share
        self.entries.append(entry)
        return times

    def means(self, blanks, peers, found):
        """The last line of a table."""
        cells = [[x[peer] for x in found if peer in x] for peer in peers]
        least = [best(x) for x in found if best(x)]
        texts = [f"**{mean(column):.2f}**" if column else "" for column in (*cells, least)]
        self.row("**geometric mean**", *blanks, *texts)

    def save(self, markdown=None, to_json=None, png=None):
        if markdown:
            markdown.write_text("\n".join(self.lines) + "\n")
        if to_json:
            content = {"machine": self.machine, "jobs": self.entries}
            to_json.write_text(json.dumps(content, indent=1) + "\n")
        if png:
            draw(self.machine, self.entries, png)


def draw(machine, entries, path):
    """Ratios of every job, a panel per family and thread count, 1 marked."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    groups = {}
    for entry in entries:
        groups.setdefault((entry["family"], entry["threads"]), []).append(entry)
    heights = [max(2, len(group)) for group in groups.values()]
    figure, panels = pyplot.subplots(
        len(groups),
        figsize=(10, 1.5 + 0.22 * sum(heights) + 1.1 * len(groups)),
        squeeze=False,
        height_ratios=heights,
        layout="constrained",
    )
    peers = list(dict.fromkeys(who for one in entries for who in one["kael is faster by"]))
    colours = dict(zip(peers, pyplot.get_cmap("tab20").colors, strict=False))
    for panel, ((family, threads), group) in zip(panels[:, 0], groups.items(), strict=True):
        for peer in peers:
            points = [
                (one["kael is faster by"][peer], at)
                for at, one in enumerate(group)
                if peer in one["kael is faster by"]
            ]
            if points:
                panel.plot(*zip(*points, strict=True), "o", label=peer, color=colours[peer])
        panel.axvline(1, color="black", linewidth=0.8)
        panel.set_xscale("log", base=2)
        panel.xaxis.set_major_formatter("{x:g}")
        panel.set_yticks(range(len(group)), [one["job"] for one in group], fontsize=7)
        panel.set_ylim(len(group) - 0.5, -0.5)
        panel.set_title(f"{family}, {threads} thread{'s' * (threads > 1)}", loc="left")
        panel.set_xlabel("time of the other / time of kael (right of 1: kael is faster)")
        panel.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.suptitle(machine)
    figure.savefig(path, dpi=120)
