"""Likelihood ratios on geometric grids, rounded up or down in convex order.

Both δ(ε) and its reverse are means of convex functions of the likelihood ratio under Q. So a pair
dominates another, in both directions, if and only if its ratio is larger in convex order, and that
order survives sums of independent terms and mixtures. Up: a value between two grid points moves to
both and keeps its mean. Down: the function a -> E(A − a)+ is lowered at the grid points until the
lines between them lie below the true one, and made convex again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array

CUT = 1e-20
"""Tails thinner than this are cut off: moved to 0 and infinity when rounding up."""
LOGARITHM_ERROR = 2.0**-49
"""A loss within this of a grid point, relative to 1 + |loss|, is taken for the point."""
MOST_CELLS = 200_000
"""More cells would take minutes to combine."""


@dataclass(frozen=True)
class Part:
    """Q-masses at the ratios e^{width·k}, k = first, first + 1, ..."""

    width: float
    first: int
    q: Array

    @property
    def last(self) -> int:
        """One more than the last k."""
        return self.first + len(self.q)

    @property
    def ratios(self) -> Array:
        """The grid points."""
        return np.asarray(np.exp(self.width * np.arange(self.first, self.last)))


class Cells:
    """Mass between neighbouring grid points, and which part of it rounding moves to the upper."""

    def __init__(self, width: float, first: int, last: int) -> None:
        if last - first > MOST_CELLS:
            raise NumericalError(f"the law of the mean ratio would need {last - first} grid points")
        self.width, self.first = width, first
        self.mass, self.up = np.zeros(last - first), np.zeros(last - first)

    def place(self, start: int, masses: Array, part: float, stride: int) -> None:
        """Add masses to the cells start, start + stride, …

        Of each the given part moves up. The array of masses is consumed.
        """
        place = slice(start, start + stride * (len(masses) - 1) + 1, stride)
        mass, up = self.mass[place], self.up[place]
        np.add(mass, masses, out=mass)
        np.multiply(masses, part, out=masses)
        np.add(up, masses, out=up)

    def split(self, losses: Array) -> tuple[Array, Array]:
        """The grid point below each loss, and the part that moves up: it keeps the mean ratio."""
        place = losses / self.width
        near = np.round(place)  # a grid point, but for the rounding of its logarithm
        place = np.where(
            np.abs(place - near) * self.width < LOGARITHM_ERROR * (1 + abs(losses)), near, place
        )
        j = np.floor(place)
        part = np.expm1((place - j) * self.width) / math.expm1(self.width)
        return j.astype(int), np.minimum(part, 1.0)

    def add(self, losses: Array, q: Array) -> None:
        """Add Q-masses at arbitrary losses."""
        j, part = self.split(losses)
        np.add.at(self.mass, j - self.first, q)
        np.add.at(self.up, j - self.first, q * part)

    def add_part(self, part: Part) -> None:
        """Add masses of a finer grid."""
        self.add(part.width * np.arange(part.first, part.last), part.q)

    def atoms(self, upper: bool) -> tuple[Array, Array]:
        """Losses and masses: both ends of each cell, or the mean ratio of each cell."""
        points = self.width * np.arange(self.first, self.first + len(self.mass) + 1)
        if upper:
            q = spread(self.mass, self.up)
            return points[q > 0], q[q > 0]
        kept = self.mass > 0
        part = np.minimum(self.up[kept] / self.mass[kept], 1.0)
        return points[:-1][kept] + np.log1p(part * math.expm1(self.width)), self.mass[kept]

    def rounded(self, upper: bool) -> Part:
        """The masses on the grid, larger or smaller in convex order than those in the cells."""
        if upper:
            return strip(Part(self.width, self.first, spread(self.mass, self.up)))
        points = self.width * np.arange(self.first, self.first + len(self.mass) + 1)
        return strip(Part(self.width, self.first, contract(np.exp(points), self.mass, self.up)))


def strip(part: Part) -> Part:
    """Without the zeros at both ends."""
    kept = np.flatnonzero(part.q)
    if not kept.size:
        return Part(part.width, 0, part.q[:0])
    return Part(part.width, part.first + int(kept[0]), part.q[kept[0] : kept[-1] + 1])


def spread(mass: Array, up: Array) -> Array:
    """Masses at the grid points when that of each cell moves to both ends."""
    up = np.minimum(up, mass)
    return np.asarray(np.append(mass - up, 0.0) + np.append(0.0, up))


def contract(ratios: Array, mass: Array, up: Array) -> Array:
    """Masses at the grid points, smaller in convex order than those in the cells between them.

    Spread to both ends, the masses have the true h(a) = E(A − a)+ at the grid points. The function
    is lowered there by c, see `_drop`, which takes the second difference of c from the masses, and
    then replaced by its convex hull.
    """
    q, step = spread(mass, up), np.diff(ratios)
    if not mass.any():
        return q
    below, above = np.cumsum(q)[:-1], np.cumsum(q[::-1])[::-1][1:]
    put = np.append(0.0, np.cumsum(below * step))
    call = np.append(np.cumsum((above * step)[::-1])[::-1], 0.0)
    cap = np.minimum(put, call)
    bend = np.diff(_drop(cap, put > call, step, mass, up)) / step
    # Slopes are kept as the mass below on the left and above on the right: no cancellation.
    middle = int(np.argmax(np.diff(below - bend, prepend=0.0, append=q.sum())))
    gone = (cap[:-1] < CUT) & (cap[1:] < CUT)
    below, above = (np.where(gone, 0.0, x) for x in (below - bend, above + bend))
    left = np.maximum(_monotone(below[:middle], step[:middle]), 0.0)
    right = np.maximum(-_monotone(-above[middle:], step[middle:]), 0.0)
    inner = q.sum() - left[-1:].sum() - right[:1].sum()
    if inner < 0:
        raise NumericalError("the law of the mean ratio cannot be rounded down")
    outer = np.diff(left, prepend=0.0), -np.diff(right, append=0.0)
    return np.concatenate([outer[0], [inner], outer[1]])


def _drop(cap: Array, right: Array, step: Array, mass: Array, up: Array) -> Array:
    """How far h must fall at each grid point for the lines between to be below the true h.

    Over one cell h bends by its mass, at worst all at its mean u ∈ (0, 1): the line is too high by
    mass·u(1−u)·step there. At most `cap` may be taken away, min(E(A − a)+, E(a − A)+); where that
    is not enough, at the ends, the other side of the cell falls deeper.
    """
    u = np.clip(up / np.where(mass > 0, mass, 1.0), 0.0, 1.0)
    gap = mass * u * (1 - u) * step
    c = np.maximum(np.append(gap, 0.0), np.append(0.0, gap))
    c = np.where(cap < CUT, cap, np.minimum(c, cap))  # the ends are not worth following
    for _ in range(cap.size):
        lack = gap - (1 - u) * c[:-1] - u * c[1:]
        lack[lack <= 1e-13 * gap] = 0.0
        if not lack.any():
            return np.asarray(c)
        with np.errstate(divide="ignore", invalid="ignore"):
            lift = np.where(right[1:], np.nan_to_num(lack / (1 - u)), 0.0)
            drag = np.where(right[:-1], 0.0, np.nan_to_num(lack / u))
        deeper = np.minimum(np.maximum(c + np.append(lift, 0.0), c + np.append(0.0, drag)), cap)
        if (deeper <= c).all():
            break
        c = deeper
    raise NumericalError("the law of the mean ratio cannot be rounded down to its grid")


def _monotone(values: Array, weights: Array) -> Array:
    """The nearest non-decreasing sequence: the slopes of the convex hull (pooled violators)."""
    block = np.arange(values.size)
    for _ in range(values.size):
        falls = values[1:] < values[:-1]
        if not falls.any():
            break
        joined = np.append(0, np.cumsum(~falls))
        total = np.bincount(joined, weights)
        values = np.bincount(joined, weights * values) / total
        weights, block = total, joined[block]
    return values[block]
