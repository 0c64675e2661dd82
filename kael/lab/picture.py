"""PNG and SVG by matplotlib, which is an extra: nothing else in kael.lab needs it."""

import textwrap

from kael.lab.timing import caption

SIZE = (9, 6)  # inches
DOTS = 120  # per inch


class NoMatplotlibError(RuntimeError):
    """matplotlib cannot be imported; the message says what to do."""


def figure_class():
    """matplotlib's Figure, which needs no display and keeps no global state."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise NoMatplotlibError(
            f"pictures need matplotlib (pip install 'kael[lab]'), {error}; without --out the "
            "results are printed"
        ) from None
    return Figure


def save(name, result, draw, folder):
    """Writes ``name.png`` and ``name.svg``, the machine named at the foot; returns their paths."""
    figure = figure_class()(figsize=SIZE, layout="constrained")
    draw(result, figure)
    figure.supxlabel("\n".join(textwrap.wrap(caption(result), 130)), fontsize=8, color="0.35")
    paths = [folder / f"{name}.{kind}" for kind in ("png", "svg")]
    for path in paths:
        figure.savefig(path, dpi=DOTS)
    return paths
