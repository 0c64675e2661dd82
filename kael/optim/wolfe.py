"""A line search for a step that satisfies the strong Wolfe conditions."""

import math
from typing import NamedTuple

from kael.tensor import Tensor

__all__ = ["Point", "strong_wolfe"]

ENOUGH_DECREASE, ENOUGH_FLATTENING = 1e-4, 0.9


class Point(NamedTuple):
    """The function along the line: step, value, gradient, and its slope along the direction."""

    t: float
    value: float
    gradient: Tensor
    slope: float


def strong_wolfe(evaluate, start, t, longest, tolerance, most):
    """The point found and the number of evaluations.

    Parameters
    ----------
    evaluate : callable
        Gives the Point at a step.
    start : Point
        At step 0.
    t : float
        The first step to try.
    longest : float
        The largest element of the direction.
    tolerance : float
        Ends the search when the bracket moves no element by more.
    most : int
        Evaluations after the first.
    """
    points, found, count = _bracket(evaluate, start, t, most)
    tries = count - 1
    stuck = False
    while not found and tries < most:
        low, high = sorted(points, key=lambda point: point.value)
        if abs(high.t - low.t) * longest < tolerance:
            break
        t, stuck = _inside(points, stuck)
        new = evaluate(t)
        count, tries = count + 1, tries + 1
        if _too_high(new, start) or new.value >= low.value:
            high = new
        else:
            found = _flat(new, start)
            if not found and new.slope * (high.t - low.t) >= 0:
                high = low
            low = new
        points = [low, high]
    return min(points, key=lambda point: point.value), count


def _too_high(point, start):
    return point.value > start.value + ENOUGH_DECREASE * point.t * start.slope


def _flat(point, start):
    return abs(point.slope) <= -ENOUGH_FLATTENING * start.slope


def _bracket(evaluate, start, t, most):
    """Points around one that satisfies the conditions, whether it is found, and evaluations."""
    last, new, tries = start, evaluate(t), 0
    while tries < most:
        if _too_high(new, start) or (tries > 1 and new.value >= last.value):
            return [last, new], False, tries + 1
        if _flat(new, start):
            return [new], True, tries + 1
        if new.slope >= 0:
            return [last, new], False, tries + 1
        t = _cubic(last, new, (new.t + 0.01 * (new.t - last.t), new.t * 10))
        last, new, tries = new, evaluate(t), tries + 1
    return [start, new], False, tries + 1


def _inside(points, stuck):
    """A step within the bracket, kept off its ends after a step that was near one already."""
    low, high = sorted(point.t for point in points)
    t = _cubic(*points, (low, high))
    margin = 0.1 * (high - low)
    if min(high - t, t - low) >= margin:
        return t, False
    if not (stuck or t >= high or t <= low):
        return t, True
    return (high - margin if abs(t - high) < abs(t - low) else low + margin), False


def _cubic(a, b, bounds):
    """The minimum, within bounds, of the cubic through two points with their slopes."""
    low, high = bounds
    if a.t > b.t:
        a, b = b, a
    middle = (low + high) / 2
    if a.t == b.t:
        return middle
    d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t)
    square = d1 * d1 - a.slope * b.slope
    if not square >= 0:
        return middle
    d2 = math.sqrt(square)
    below = b.slope - a.slope + 2 * d2
    if below == 0:
        return middle
    return min(max(b.t - (b.t - a.t) * ((b.slope + d2 - d1) / below), low), high)
