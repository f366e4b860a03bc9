"""Where the vertical line crosses, how fine its points are and where they end."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.contour.line import Line
from hockeystick.routes.contour.saddle import LOST, MOST_PLANNING_PARTS, Saddle, find_saddle

NATS = 32.0
"""Aliases and truncation are each kept below e^−32 = 1e-14 of δ."""
GROWTH = 1.25
"""Ratio of the frequencies at which the decay of e^K is sampled."""
MOST_POINTS = 20_000
MOST_WORK = 4_000_000
"""Contour points × quadrature nodes, about 0.1 s; where more is needed, other ways are faster."""
FEW_NODES, MOST_NODES = 4_000, 16_000
"""Quadrature nodes of a part with which the decay is sampled at the most: where a cut is known that
is near enough, and where none is."""
NEAR_CUT = 100.0
"""A near cut, over the standard deviation of the tilted law's frequencies."""


def plan(loss: ComposedLoss, epsilon: float | None, log_delta: float | None) -> Line:
    """Choose the line, the step and the cut for a given ε or δ (or both), and evaluate K on it."""
    sketch = loss.sketch(MOST_PLANNING_PARTS)
    saddle = find_saddle(sketch, epsilon, log_delta)
    i, j, period = saddle.line(NATS, LOST)
    centre = float(saddle.x[i])
    step = 2 * math.pi / period
    level = float(saddle.k[i]) - centre * saddle.epsilon - saddle.log_delta
    cut, log_tail = _cut(sketch, centre, saddle.variance(i), level)
    spacing = loss.spacing
    if spacing is not None and cut > math.pi / spacing:
        # One whole period: an odd number of points, none of them at the edge.
        half = math.ceil(math.pi / spacing / step)
        step = 2 * math.pi / spacing / (2 * half + 1)
        cut, log_tail = half * step, -math.inf
    if not cut / step <= MOST_POINTS or cut / step * sketch.nodes_at(centre, cut) > MOST_WORK:
        raise NumericalError(
            f"the contour would need {cut / step:.3g} points, each with many nodes; use the lattice"
        )
    # Not one point more by rounding: a lattice's period would count it twice.
    t = step * np.arange(math.ceil(cut / step - 1e-6) + 1)
    values = loss.cgf(centre + 1j * t)
    right = _right(loss, sketch, saddle, j)
    line = Line(loss, saddle.epsilon, centre, step, t, values, right, log_tail)
    return line if spacing is None else replace(line, spacing=spacing, origin=loss.origin)


def _right(loss: ComposedLoss, sketch: ComposedLoss, saddle: Saddle, j: int) -> tuple[float, float]:
    x = float(saddle.x[j])
    return x, float(saddle.k[j]) if sketch is loss else float(loss.cgf(np.array([x])).real[0])


def _cut(loss: ComposedLoss, centre: float, variance: float, level: float) -> tuple[float, float]:
    """Where to stop, and the log of the sum beyond, in units of e^{K(c) − cε}."""
    unit = 1 / math.sqrt(variance)
    best = (math.inf, math.inf)
    for resolved, count in ((12.0, 44), (100.0, 56), (1000.0, 64), (10000.0, 68)):
        try:
            most = FEW_NODES if best[0] < NEAR_CUT * unit else MOST_NODES
            if loss.nodes_at(centre, resolved * unit) > most * len(loss):
                break
        except NumericalError:
            break
        t = unit * GROWTH ** np.arange(-2.0, count - 2.0)
        decay = loss.decay(centre, t, resolved * unit)
        # What each stretch from t[j] to t[j+1], and all beyond the last, can add.
        width = np.append(1 / t[:-1] - 1 / t[1:], 1 / t[-1])
        beyond = np.cumsum((width * np.exp(-decay))[::-1])[::-1] / math.pi
        enough = np.flatnonzero(beyond <= math.exp(min(-level - NATS, 700.0)))
        if enough.size:
            cut = enough[0]
            with np.errstate(divide="ignore"):
                best = min(best, (float(t[cut]), float(np.log(beyond[cut]))))
        if best[0] < resolved * unit:
            break
    return best
