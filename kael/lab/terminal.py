"""Tables and charts of plain characters."""

import math

WIDTH, HEIGHT = 72, 18
MARGIN = 8  # columns of the y axis's numbers


def table(header, rows):
    """Columns as wide as they need: the first to the left, the others to the right."""
    cells = [header, *rows]
    widths = [max(len(str(row[c])) for row in cells) for c in range(len(header))]

    def line(row):
        padded = [
            str(cell).ljust(width) if c == 0 else str(cell).rjust(width)
            for c, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        return "  ".join(padded).rstrip()

    return "\n".join([line(header), "-" * (sum(widths) + 2 * len(widths) - 2), *map(line, rows)])


class Axis:
    """One axis: a range and, if logarithmic, its base; it places values on so many cells."""

    def __init__(self, low, high, cells, base=None):
        self.low, self.high, self.cells, self.base = low, high, cells, base

    def cell(self, value):
        """The cell of a value, which may lie outside 0..cells - 1."""
        low, high, value = (self.scaled(v) for v in (self.low, self.high, value))
        return round((value - low) / ((high - low) or 1) * (self.cells - 1))

    def scaled(self, value):
        return value if self.base is None else math.log(value, self.base)

    def ticks(self):
        """Round values within the range, few enough to be read."""
        if self.base is None:
            span = (self.high - self.low) or 1
            step = 10.0 ** math.floor(math.log10(span))
            step *= 0.5 if span / step < 3 else 2 if span / step > 6 else 1
            first = math.ceil(self.low / step)
            return [step * i for i in range(first, math.floor(self.high / step) + 1)]
        first = math.ceil(round(self.scaled(self.low), 9))
        return [self.base**i for i in range(first, math.floor(self.scaled(self.high)) + 1)]


def short(value):
    """A tick's number in few characters."""
    if 0 < value < 1 and math.log2(value).is_integer():
        return f"1/{round(1 / value)}"
    return f"{value:g}"


def chart(points, x, y, x_title, y_title):
    """Characters at values: ``points`` are (x, y, character), later ones on top of earlier.

    ``x`` and ``y`` are an Axis of WIDTH and HEIGHT cells.
    """
    grid = [[" "] * x.cells for _ in range(y.cells)]
    for across, up, mark in points:
        column, row = x.cell(across), y.cell(up)
        if 0 <= column < x.cells and 0 <= row < y.cells:
            grid[row][column] = mark
    numbers = {y.cell(value): short(value) for value in y.ticks()}
    lines = [f"{y_title:>{MARGIN}}"]
    for row in reversed(range(y.cells)):
        edge = "+" if row in numbers else "|"
        lines.append(f"{numbers.get(row, ''):>{MARGIN}} {edge}{''.join(grid[row])}".rstrip())
    foot, labels = ["-"] * x.cells, [" "] * (x.cells + MARGIN)
    for value in x.ticks():
        label, at = short(value), x.cell(value)
        foot[at] = "+"
        start = max(0, at - len(label) // 2)
        if "".join(labels[max(0, start - 1) : start + len(label)]).strip() == "":
            labels[start : start + len(label)] = label
    lines.append(" " * (MARGIN + 1) + "+" + "".join(foot))
    lines.append((" " * (MARGIN + 2) + "".join(labels)).rstrip())
    lines.append(" " * (MARGIN + 2) + x_title.center(x.cells).rstrip())
    return "\n".join(lines)
