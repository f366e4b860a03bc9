"""Where a bound on the profile is all that is known: the pair of its chords (Theorem 26).

The largest profile of a mechanism is convex in a = e^ε, so that it lies below every chord between
points of the bound, and it does not grow beyond the last point. Of the points those of the lower
convex envelope make a pair, with a loss at each of them, which dominates. It is above the
mechanism: no lower end follows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import arb

from hockeystick.loss.exact import Exact
from hockeystick.routes.certified.balls import ball, only_if
from hockeystick.routes.certified.law import Law
from hockeystick.routes.certified.points import PointsLaw
from hockeystick.routes.certified.sums import sum_of_points

CELLS, MOST_CELLS = 600, 1200
"""Chords of each direction, about and at most."""
DEVIATIONS = 14
"""Of Gaussian noise, beyond which losses are left out, and charged: e^{−98} of them."""
LOG_LEAST = -800.0


class ChordsLaw(PointsLaw):
    """One step, of which the profile is bounded by those of two pairs before sampling."""

    bound_only = True

    def __init__(self, exact: Exact, drawn: Law, instead: Law) -> None:
        q = ball(exact.rate)
        profiles = _profile(drawn), _profile(instead)
        losses, finite = _places(exact)
        mixed, plain = [], []
        for loss in losses:
            h, other = (profile(loss) for profile in profiles)
            plain.append(q * h)
            mixed.append(q * (h - (1 - q) * (-loss).expm1() * (other - h)))
        if finite:  # no loss is larger
            mixed[-1] = plain[-1] = arb(0)
        grown = [1 + q * loss.expm1() for loss in losses]
        up, down = mixed, plain if exact.fixed else mixed
        if exact.turned:
            up, down = down, up
        ahead, behind = _Side(grown, up), _Side(grown, down)
        rest = 1 - up[0] + ahead.slope + behind.slope
        if exact.symmetric and rest < 0:  # an edge of the envelope crosses a = 1
            start = min((2 * h + a - 1) / (a + 1) for a, h in zip(grown, up, strict=True))
            ahead = behind = _Side(grown, [start, *up[1:]])
            rest = arb(0)
        only_if(rest >= 0, "a mass that is left at loss 0")
        self._atoms = [(mass, -a.log()) for a, mass in behind.atoms] + [(rest, arb(0))]
        self._atoms += [(mass * a, a.log()) for a, mass in ahead.atoms]
        self.infinite, self.lost = arb(0), arb(ahead.limit.upper())
        self.lattice = None
        self._bounded = False


def _profile(law: Law) -> Callable[[arb], arb]:
    """δ(ε) of a step before sampling."""
    listed = isinstance(law, PointsLaw) and sum_of_points(law, 1, LOG_LEAST)
    return listed or law.profile  # type: ignore[return-value]


def _places(exact: Exact) -> tuple[list[arb], bool]:
    """Losses before sampling: evenly, and on the lattice of the atoms, if there is one that is not
    too fine, so that the bound has its kinks there; and whether the last is the largest."""
    finite = exact.kind.endswith("laplace")
    ends = [_range(each) for each in exact.apart]
    reach, unit = max(end for end, _ in ends), min(unit for _, unit in ends)
    cells = math.ceil(reach / unit)
    spacing = unit / max(CELLS // cells, 1) if cells <= MOST_CELLS else reach / CELLS
    places = [ball(i * spacing) for i in range(math.ceil(reach / spacing))]
    return [*places, ball(reach)], finite


def _range(exact: Exact) -> tuple[Fraction, Fraction]:
    """The largest loss, or where it may be cut, and a number of which the atoms are multiples."""
    if exact.kind == "laplace":
        return exact.numbers[0], exact.numbers[0]
    if exact.kind == "integer laplace":
        scale, steps = exact.numbers
        return steps / scale, 1 / scale
    shift = exact.numbers[0] if exact.kind == "normal" else exact.numbers[1] / exact.numbers[0]
    reach = shift * (shift / 2 + DEVIATIONS)
    return reach, reach if exact.kind == "normal" else shift / exact.numbers[0] / 2


class _Side:
    """The chords of one direction: the corners of the envelope and their Q-masses, the slope in a
    at a = 1, and what the bound ends at."""

    def __init__(self, grown: Sequence[arb], heights: Sequence[arb]) -> None:
        corners, slopes = [0], list[arb]()
        for i in range(1, len(grown)):
            while True:
                last = corners[-1]
                slope = (heights[i] - heights[last]) / (grown[i] - grown[last])
                if not slopes or slopes[-1] < slope:
                    break
                corners.pop()
                slopes.pop()
            corners.append(i)
            slopes.append(slope)
        while slopes and not slopes[-1] < 0:
            corners.pop()
            slopes.pop()
        after = [*slopes[1:], arb(0)]
        self.slope = slopes[0] if slopes else arb(0)
        self.limit = heights[corners[-1]]
        self.atoms = [
            (grown[i], more - less)
            for i, less, more in zip(corners[1:], slopes, after, strict=True)
        ]
