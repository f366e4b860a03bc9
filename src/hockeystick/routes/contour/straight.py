"""A vertical line for an ε or a δ: where it crosses the real axis, its step, and where it ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.types import Array
from hockeystick.routes.contour.line import Line
from hockeystick.routes.contour.saddle import (
    LOST,
    MOST_PLANNING_PARTS,
    NATS,
    curvature,
    find_saddle,
)

TRUNCATED = 1e-14
"""Part of δ that may be moved to infinity."""
GROWTH = 1.25
"""Ratio of the frequencies at which the decay of e^K is sampled."""
DIVIDED, PARTS = 5, 4
"""How often stretches between samples, where it may come back, are divided, and into how many."""
PER_UNIT, NOTHING = 1, 1e-16
"""Samples of the decay of atoms on a lattice, for each 1/deviation of the sum of n: at least so
many, and such that the bound between two with nothing, (1/(2·samples·√n))^n, is next to nothing."""
SPARSE, MOST_SAMPLES = 64, 2**17
"""How many there may be for each atom, that a transform is faster than sums, and in all."""
NEARLY = 1.3
"""How much farther than the samples say a cut may be that allows for what is between them."""
FOLDED = math.log(1 + math.pi**2 / 4)
"""A lattice's kernel is at most 1/t² and, of the other periods, Σ 2/((2k−1)·π/spacing)², which is a
quarter of its spacing squared: in half a period so much more than 1/t²."""
MOST_POINTS = 20_000
SEVERAL = 8
"""For so many different parts at the most there is as much time for each as for one alone."""
NEAR_CUT = 100.0
"""A near cut, over the standard deviation of the tilted law's frequencies."""


Planner = Callable[[ComposedLoss, float | None, float | None], Line]


class Effort(NamedTuple):
    """How much may be spent on one line."""

    work: int
    """Contour points × quadrature nodes of a part."""
    few_nodes: int
    most_nodes: int
    """Quadrature nodes of a part with which the decay is sampled at the most: where a cut is known
    that is near enough, and where none is."""
    sampled: int
    """Frequencies × nodes at which the decay is sampled at the most."""


PATIENT = Effort(4_000_000, 4_000, 16_000, 1_000_000)
"""About 0.1 s; where more is needed, other ways are faster."""
SHORT = Effort(40_000, 1_000, 1_000, 40_000)
"""About as long as a bent line takes, where there is one."""


def plan(
    loss: ComposedLoss, epsilon: float | None, log_delta: float | None, effort: Effort = PATIENT
) -> Line:
    """Choose the line, the step and the cut for a given ε or δ (or both), and evaluate K on it."""
    sketch = loss.sketch(MOST_PLANNING_PARTS)
    whole = loss if loss.is_soon_evaluated else sketch
    saddle = find_saddle(whole, epsilon, log_delta)
    i, j, period = saddle.line(NATS, LOST)
    centre = float(saddle.x[i])
    step = 2 * math.pi / period
    level = float(saddle.k[i]) - centre * saddle.epsilon - saddle.log_delta
    cut, log_tail = _cut(sketch, centre, curvature(saddle.x, saddle.k, i), level, effort)
    spacing = loss.spacing
    if spacing is not None:
        # What is beyond one period is in the kernel: so the period is a whole number of steps, an
        # odd one, that no point is at its edge. Else an alias is none of δ, but of what the kernel
        # makes of it between the points of the lattice.
        half = math.ceil(math.pi / spacing / step)
        step = 2 * math.pi / spacing / (2 * half + 1)
        whole_period = cut >= half * step
        cut, log_tail = (half * step, -math.inf) if whole_period else (cut, log_tail + FOLDED)
    points = cut / step
    # Not one point more by rounding: a lattice's period would count it twice.
    t = step * np.arange(math.ceil(min(points, MOST_POINTS + 1) - 1e-6) + 1)
    work = effort.work * min(len(sketch.parts), SEVERAL)
    if points > MOST_POINTS or points * sketch.nodes_at(centre, float(t[-1])) > work:
        raise NumericalError(
            f"the contour would need {points:.3g} points, each with many nodes; use the lattice"
        )
    values, error = loss.cgf_within(centre + 1j * t)
    right = float(saddle.x[j])
    far = float(saddle.k[j]) if whole is loss else float(loss.cgf(np.array([right])).real[0])
    line = Line(
        loss, saddle.epsilon, centre, step, t, values, (right, far), log_tail, float(error.max())
    )
    return line if spacing is None else replace(line, spacing=spacing, origin=loss.origin)


def _cut(
    loss: ComposedLoss, centre: float, variance: float, level: float, effort: Effort
) -> tuple[float, float]:
    """Where to stop, and the log of the sum beyond, in units of e^{K(c) − cε}."""
    unit = 1 / math.sqrt(variance)
    most = math.exp(min(-level - NATS, 700.0))
    half_period = math.pi / loss.spacing if loss.spacing else math.inf
    least = 20 + math.ceil(0.5 * math.log(loss.steps, GROWTH))  # up to where one step decays
    best = (math.inf, math.inf)
    if loss.spacing and not loss.continuous:
        wanted = max(PER_UNIT, NOTHING ** (-1 / loss.steps) / (2 * math.sqrt(loss.steps)))
        samples = 2 ** math.ceil(math.log2(1 + wanted * half_period / unit))
        if samples <= min(MOST_SAMPLES, SPARSE * loss.nodes_at(centre, 0.0)):
            t = half_period / samples * np.arange(1, samples + 1)
            best = _sampled_cut(lambda _: loss.decay_over_period(centre, samples), t, most, 0)
    if math.isfinite(best[0]):
        return best
    for resolved, count in ((12.0, 44), (100.0, 56), (1000.0, 64), (10000.0, 68)):
        try:
            nodes = loss.nodes_at(centre, resolved * unit)
        except NumericalError:
            break
        few = effort.few_nodes if best[0] < NEAR_CUT * unit else effort.most_nodes
        if nodes > few * len(loss.parts):
            break
        t = unit * GROWTH ** np.arange(-2.0, max(count, least) - 2.0)
        if t[-1] > half_period:
            t = np.append(t[t < half_period], half_period)
        decay = partial(loss.decay, centre, resolved=resolved * unit)
        best = min(best, _sampled_cut(decay, t, most, effort.sampled // nodes))
        if best[0] < resolved * unit:
            break
    return best


def _sampled_cut(
    decay: Callable[[Array], Array], t: Array, most: float, samples: int
) -> tuple[float, float]:
    """Where to stop so that at most so much is beyond, and the log of that, by the decay at t and
    at up to so many samples more, where it may come back between two of them."""
    for divisions in range(DIVIDED + 1):
        at, between = decay(t)
        beyond = _sum_beyond(t, between)
        hoped, cut = (int((x > most).sum()) for x in (_sum_beyond(t, at), beyond))
        if hoped == t.size or (cut < t.size and t[cut] <= NEARLY * t[hoped]):
            break
        need = -math.log(math.pi * t[hoped] * most)
        weak = (between[:-1] < need) & (np.minimum(at[:-1], at[1:]) >= need)
        weak[:hoped] = weak[cut:] = False
        more = np.linspace(t[:-1][weak], t[1:][weak], PARTS, endpoint=False)[1:]
        if divisions == DIVIDED or not 0 < more.size <= samples - t.size:
            break
        t = np.sort(np.append(t, more))
    if cut == t.size:
        return math.inf, math.inf
    return float(t[cut]), math.log(beyond[cut]) if beyond[cut] else -math.inf


def _sum_beyond(t: Array, decay: Array) -> Array:
    """What all stretches from t[j] to t[j+1] on, and what is beyond the last, can add."""
    width = np.append(1 / t[:-1] - 1 / t[1:], 1 / t[-1])
    return np.asarray(np.cumsum((width * np.exp(-decay))[::-1])[::-1] / math.pi)


def line_for(loss: ComposedLoss, epsilon: float | None, log_delta: float | None) -> Line:
    """A line with K by quadrature.

    Where the rarest outcomes are out of reach, without these.
    """
    try:
        return plan(loss, epsilon, log_delta)
    except NumericalError:
        if loss.smooth or math.isfinite(loss.top):
            raise
        rough = find_saddle(loss.sketch(MOST_PLANNING_PARTS), epsilon, log_delta).log_delta
        cut = loss.truncated(max(TRUNCATED * math.exp(rough), 1e-300))
        return plan(cut, epsilon, log_delta)


def short_line(loss: ComposedLoss, epsilon: float | None, log_delta: float | None) -> Line:
    """A line with K by quadrature, if that is quick."""
    return plan(loss, epsilon, log_delta, SHORT)
