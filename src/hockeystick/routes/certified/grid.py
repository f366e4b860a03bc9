"""The last resort: every step as a law on a grid that dominates it, added up (Theorem 18).

The chords of the profile, convex in e^ε, between points of a grid are the profile of a pair that
dominates; its losses are on the grid, and no loss has moved by more than one cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, arb_poly

from hockeystick.errors import CannotCertify
from hockeystick.loss.base import Loss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.certified.balls import around_zero, only_if
from hockeystick.routes.certified.lattice_sums import LatticeSum
from hockeystick.routes.certified.law import Law
from hockeystick.routes.certified.line import Laws, masses

MOST_POINTS = 12_000
"""Of the grid that holds the whole sum: its powers take about a second."""
MOST_STEPS = 60
"""Of atoms, whose masses on the grid are so different that powers take ever longer."""
LEAST_POINTS = 20
"""Of the grid of a single step: with fewer it says nothing."""
NATS = 25.0
"""Losses of mass e^−25 of δ are beyond the grid: as infinite above, as the least below."""
FARTHEST = 1e4
NOTHING = 2.0**-400


@dataclass(frozen=True)
class Grid:
    """Its spacing, and the first point and the number of points of each part's."""

    width: float
    ranges: tuple[tuple[int, int], ...]

    def to_json(self) -> dict[str, Any]:
        return {"width": self.width, "ranges": [list(each) for each in self.ranges]}

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> Grid:
        return cls(said["width"], tuple((int(a), int(b)) for a, b in said["ranges"]))


def planned_grid(loss: ComposedLoss, log_delta: float) -> Grid:
    """Floats: a grid that holds all that matters, as fine as time allows."""
    goal = log_delta - NATS - math.log(loss.steps)
    spans = [(*_span(part, goal), n) for part, n in loss.parts]
    width = sum(n * (high - low) for low, high, n in spans) / MOST_POINTS
    width = float(np.float32(width))
    ranges = []
    for low, high, _ in spans:
        first = math.floor(low / width) - 1
        ranges.append((first, math.ceil(high / width) + 2 - first))
    fine = all(count >= LEAST_POINTS for _, count in ranges)
    few = loss.continuous or loss.steps <= MOST_STEPS
    if not (0 < width < math.inf and fine and few):
        raise CannotCertify("so many steps are too much for a grid")
    return Grid(width, tuple(ranges))


def _span(loss: Loss, goal: float) -> tuple[float, float]:
    high = loss.top if math.isfinite(loss.top) else _reach(loss.profile, goal)
    low = loss.bottom if math.isfinite(loss.bottom) else -_reach(loss.reverse_profile, goal)
    return low, high


def _reach(profile: Callable[[Any], Any], goal: float) -> float:
    x = 2.0 ** np.arange(-20.0, math.log2(FARTHEST), 0.25)
    with np.errstate(divide="ignore"):
        enough = np.flatnonzero(np.log(profile(x)) < goal)
    if not enough.size:
        raise CannotCertify("a loss is too large for a grid")
    return float(x[enough[0]])


class GridSum:
    """Both ends of δ(ε) of a composition on a grid."""

    def __init__(self, laws: Laws, grid: Grid) -> None:
        only_if(grid.width > 0, "a grid with a spacing")
        size = sum(n * count for (_, n), (_, count) in zip(laws, grid.ranges, strict=True))
        only_if(size <= 4 * MOST_POINTS, "few enough points")
        width, start, steps = arb(grid.width), 0, 0
        total, finite, self._low = arb_poly([1]), arb(1), arb(0)
        for (law, n), (first, count) in zip(laws, grid.ranges, strict=True):
            only_if(count >= 2, "a grid of several points")
            points, beyond = _dominating(law, width, first, count)
            total *= arb_poly(points) ** n
            finite *= (1 - beyond) ** n
            self._low += n * points[0]
            start, steps = start + n * first, steps + n
        self._sum = LatticeSum(total.coeffs(), start * width, width)
        self._beyond, self._moved = 1 - finite, steps * width
        self._infinite = masses(laws)[0]

    def ends(self, epsilon: float) -> tuple[arb, arb]:
        """No loss of the sum is more than a cell for each step above the real one, but for what
        was below the first point."""
        lower = self._sum.delta(arb(epsilon) + self._moved) - self._low + self._infinite
        return lower, self._sum.delta(arb(epsilon)) + self._beyond


def _dominating(law: Law, width: arb, first: int, count: int) -> tuple[Sequence[arb], arb]:
    """P-masses on the grid, and at infinity: Q has the mass by which the slope of the chords in
    e^ε changes, from that of the chord that comes from (0, 1)."""
    grown = [((first + i) * width).exp() for i in range(count)]
    heights = []
    for i in range(count):
        height = law.profile((first + i) * width)
        if height is None:
            raise CannotCertify("no formula for the profile of a step")
        heights.append(height)
    slopes = [(heights[0] - 1) / grown[0]]
    for i in range(count - 1):
        slopes.append((heights[i + 1] - heights[i]) / (grown[i + 1] - grown[i]))
    slopes.append(arb(0))
    points = [_kept(grown[i] * (slopes[i + 1] - slopes[i])) for i in range(count)]
    return points, heights[-1]


def _kept(mass: arb) -> arb:
    """A ball around 0 where the mass is next to nothing: powers of polynomials whose coefficients
    are of very different sizes take for ever."""
    return around_zero(arb(NOTHING)) if abs(mass) < NOTHING else mass
