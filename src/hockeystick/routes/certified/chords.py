"""Where a bound on the profile is all that is known: the pair of its chords (Theorem 26).

The largest profile of a mechanism is convex in a = e^ε, so that it lies below every chord between
points of the bound, and it does not grow beyond the last point. Of the points those of the lower
convex envelope make a pair, with a loss at each of them, which dominates. It is above the
mechanism: no lower end follows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from flint import arb

from hockeystick.loss.exact import Exact
from hockeystick.routes.certified.balls import ball, only_if
from hockeystick.routes.certified.law import Law
from hockeystick.routes.certified.normal_step import upper_tail
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
        line = _in_line(exact, drawn)
        losses = _places(exact.apart if line is None else exact.apart[:1])
        plain = _grown(ball(exact.rate), losses), _heights(drawn, exact, losses)
        bound = line or _joint(plain, _heights(instead, exact, losses), losses, exact)
        sides = [bound, plain] if exact.fixed else [bound, bound]
        ahead, behind = (_Side(*side) for side in (sides[::-1] if exact.turned else sides))
        grown, heights = bound
        rest = 1 - heights[0] + ahead.slope + behind.slope
        if exact.symmetric and rest < 0:  # an edge of the envelope crosses a = 1
            start = min((2 * h + a - 1) / (a + 1) for a, h in zip(grown, heights, strict=True))
            ahead = behind = _Side(grown, [start, *heights[1:]])
            rest = arb(0)
        only_if(rest >= 0, "a mass that is left at loss 0")
        self._atoms = [(mass, -a.log()) for a, mass in behind.atoms] + [(rest, arb(0))]
        self._atoms += [(mass * a, a.log()) for a, mass in ahead.atoms]
        self.infinite, self.lost = arb(0), arb(ahead.limit.upper())
        self.lattice = None
        self._bounded = False


Points = tuple[list[arb], list[arb]]
"""Places a = e^ε, and the bound there."""


def _in_line(exact: Exact, drawn: Law) -> Points | None:
    """Where one is zeroed out, the bound of three answers in line (Theorem 27): of Laplace noise
    q·h(1 + (a−1)/r), of Gaussian noise what half-lines attain. None for other noise."""
    if not exact.fixed or not exact.instead:
        return None
    q, (one, other) = ball(exact.rate), exact.apart
    if exact.kind == "normal" and other.numbers[0] >= one.numbers[0]:
        return _half_lines(one.numbers[0], other.numbers[0], q)
    move, far = one.laplace_move, other.laplace_move
    if move is None or far is None or far < move:
        return None
    losses = _places([one])
    seen = q / (q + (1 - q) * ball(move - far).exp())
    return _grown(seen, losses), _heights(drawn, exact, losses)


def _joint(plain: Points, instead: list[arb], losses: list[arb], exact: Exact) -> Points:
    """q·((1−β)·h'(A) + β·h(A)), 1 − β = (1−q)·(1 − 1/A)."""
    weight, (grown, drawn) = 1 - ball(exact.rate), plain
    triples = zip(losses, drawn, instead, strict=True)
    return grown, [h - weight * (-loss).expm1() * (other - h) for loss, h, other in triples]


def _half_lines(near: Fraction, far: Fraction, q: arb) -> Points:
    """At outcomes x >= near/2, from where on the ratio a of (1−q)·N(near−far) + q·N(near) to
    (1−q)·N(near−far) + q·N(0) grows: the P-mass beyond x, less a times the Q-mass."""
    reach = near / 2 + DEVIATIONS  # up to so many deviations beyond the record's own mean
    places = [near / 2 + i * reach / CELLS for i in range(CELLS + 1)]
    s, d = ball(near), ball(far - near)
    grown, heights = [], []
    for x in map(ball, places):
        rest = (1 - q) * (-d * (x + d / 2)).exp()
        a = (rest + q * (s * (x - s / 2)).exp()) / (rest + q)
        record, nothing, other = (upper_tail(x - mean) for mean in (s, arb(0), -d))
        grown.append(a)
        heights.append(q * (record - a * nothing) - (a - 1) * (1 - q) * other)
    return [arb(1), *grown[1:]], heights


def _grown(rate: arb, losses: Sequence[arb]) -> list[arb]:
    """e^ε on the sample."""
    return [1 + rate * loss.expm1() for loss in losses]


def _heights(law: Law, exact: Exact, losses: Sequence[arb]) -> list[arb]:
    """δ(ε) of a step before sampling, times the rate; 0 from its largest loss on."""
    rate = ball(exact.rate)
    listed = isinstance(law, PointsLaw) and sum_of_points(law, 1, LOG_LEAST)
    profile, top = listed or law.profile, law.top
    return [
        arb(0) if top is not None and not loss < top else rate * profile(loss)  # type: ignore[operator]
        for loss in losses
    ]


def _places(pairs: Sequence[Exact]) -> list[arb]:
    """Losses before sampling: evenly, and on the lattice of the atoms, if there is one that is not
    too fine, so that the bound has its kinks there; up to the largest, or where they may be cut."""
    ends = [_range(each) for each in pairs]
    reach, unit = max(end for end, _ in ends), min(unit for _, unit in ends)
    cells = math.ceil(reach / unit)
    spacing = unit / max(CELLS // cells, 1) if cells <= MOST_CELLS else reach / CELLS
    return [ball(i * spacing) for i in range(math.ceil(reach / spacing))] + [ball(reach)]


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
