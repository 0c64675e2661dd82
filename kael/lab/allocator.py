"""The allocator's books over a training run."""

import kael
from kael import nn
from kael.lab import terminal
from kael.lab.timing import caption, conditions

QUICK = {"steps": 6, "batch": 64, "width": 128}
FULL = {"steps": 12, "batch": 256, "width": 1024}
BOOKS = ("reserved", "in use", "cached")
PHASES = ("forward", "backward", "step", "zero_grad")


def measure(quick):
    """Bytes after each phase of each step of training an MLP, from an empty cache to one again."""
    settings = QUICK if quick else FULL
    kael.empty_cache()
    trace = [books("start", 0)]
    trace += train(**settings)
    kael.empty_cache()
    trace.append(books("empty_cache", settings["steps"]))
    return {"machine": conditions(), "settings": settings, "trace": trace}


def train(steps, batch, width):
    """Yields the books of a run of 784-width-width-10 with Adam, whose tensors die at its end."""
    generator = kael.Generator()
    generator.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(784, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10)
    )
    optimizer = kael.optim.Adam(model.parameters())
    images = kael.randn(batch, 784, generator=generator)
    labels = kael.randint(0, 10, (batch,), generator=generator)
    yield books("model", 0)
    for step in range(steps):
        loss = nn.functional.cross_entropy(model(images), labels)
        yield books("forward", step)
        loss.backward()
        del loss  # the graph, and what it saved
        yield books("backward", step)
        optimizer.step()
        yield books("step", step)
        optimizer.zero_grad()
        yield books("zero_grad", step)


def books(phase, step):
    stats = kael.allocator_stats()
    return {
        "phase": phase,
        "step": step,
        "reserved": stats.reserved_bytes,
        "in use": stats.in_use_bytes,
        "cached": stats.cached_bytes,
        "hits": stats.hits,
        "misses": stats.misses,
    }


def text(result):
    """A chart, and the books after the first steps and the last."""
    trace = result["trace"]
    top = max(one["reserved"] for one in trace) / 2**20
    x = terminal.Axis(0, len(trace) - 1, terminal.WIDTH)
    y = terminal.Axis(0, 1.1 * top or 1, terminal.HEIGHT)
    marks = []
    for book, letter in zip(BOOKS, "Ruc", strict=True):
        for cell in range(x.cells):  # the moment that this column shows
            at = round(cell / (x.cells - 1) * (len(trace) - 1))
            marks.append((at, trace[at][book] / 2**20, letter))
    chart = terminal.chart(marks, x, y, "moments: four of each step", "MiB")
    shown = [one for one in trace if one["step"] in (0, 1)] + trace[-6:]
    rows = [
        (f"{one['step']} {one['phase']}", *(f"{one[book] / 2**20:.2f}" for book in BOOKS),
         one["hits"] - trace[0]["hits"], one["misses"] - trace[0]["misses"])
        for one in {id(one): one for one in shown}.values()
    ]  # fmt: skip
    return "\n\n".join(
        [
            "Allocator: " + caption(result),
            f"{chart}\n\n  R reserved (over what it hides)  u in use  c cached",
            terminal.table(("after", *(f"{book}, MiB" for book in BOOKS), "hits", "misses"), rows),
            hit_rate(result),
        ]
    )


def hit_rate(result):
    first, last = result["trace"][0], result["trace"][-1]
    hits, misses = last["hits"] - first["hits"], last["misses"] - first["misses"]
    return f"{hits} of {hits + misses} requests met by the cache ({hits / (hits + misses):.1%})"


def draw(result, figure):
    """Lines of the three books over the moments of the run."""
    axes = figure.subplots()
    trace, settings = result["trace"], result["settings"]
    # The phases of step s lie at s + 1/4 ... s + 1.
    at = [0.0, *((i + 1) / len(PHASES) for i in range(-1, len(trace) - 3)), settings["steps"] + 0.5]
    values = {book: [one[book] / 2**20 for one in trace] for book in BOOKS}
    axes.fill_between(at, values["in use"], step="post", alpha=0.25, color="C1")
    for book, color in zip(BOOKS, ("C0", "C1", "C2"), strict=True):
        axes.step(at, values[book], where="post", color=color, label=book)
    axes.annotate("empty_cache()", (at[-1], values["reserved"][-1]), ha="right", va="bottom",
                  xytext=(-4, 6), textcoords="offset points", fontsize=9)  # fmt: skip
    axes.set(xlabel="training steps (forward, backward, step, zero_grad)", ylabel="memory [MiB]")
    axes.set(xlim=(0, at[-1] + 0.2), ylim=(0, 1.15 * max(values["reserved"])))
    axes.grid(alpha=0.3)
    axes.legend(loc="upper right", ncols=len(BOOKS))
    width = settings["width"]
    axes.set_title(
        f"The allocator over {settings['steps']} steps of a 784-{width}-{width}-10 network, "
        f"batch {settings['batch']}\n{hit_rate(result)}",
        fontsize=11,
    )
