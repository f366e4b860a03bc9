"""Means of independent likelihood ratios on geometric grids, rounded up or down in convex order.

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
from hockeystick.series import Array

COARSE = 4
"""Cells of the core's grid in one of the tail's."""
CUT = 1e-20
"""P-mass that rounding up moves to infinity, and Q-mass to 0, at each end."""
MOST_POINTS = 30_000


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


@dataclass(frozen=True)
class Law:
    """A ratio: fine where most of it is, coarse elsewhere; Q-mass at 0 and P-mass at infinity."""

    core: Part
    tail: Part
    void: float
    infinite: float


class Cells:
    """Mass between neighbouring grid points, and which part of it rounding moves to the upper."""

    def __init__(self, width: float, first: int, last: int) -> None:
        if last - first > MOST_POINTS * COARSE:
            raise NumericalError(f"the law of the mean ratio would need {last - first} grid points")
        self.width, self.first = width, first
        self.mass, self.up = np.zeros(last - first), np.zeros(last - first)

    def place(self, k: int, masses: Array, shift: int, part: float, stride: int) -> None:
        """Add masses between the points stride·k + shift and the next, stride·(k+1) + shift, ...

        Of each the given part moves up. The array of masses is consumed.
        """
        start = stride * k + shift - self.first
        place = slice(start, start + stride * (len(masses) - 1) + 1, stride)
        self.mass[place] += masses
        masses *= part
        self.up[place] += masses

    def split(self, losses: Array) -> tuple[Array, Array]:
        """The grid point below each loss, and the part that moves up: it keeps the mean ratio."""
        place = losses / self.width
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

    def rounded(self, upper: bool) -> Part:
        """The masses on the grid, larger or smaller in convex order than those in the cells."""
        up = np.minimum(self.up, self.mass)
        q = np.append(self.mass - up, 0.0)
        q[1:] += up
        whole = Part(self.width, self.first, q)
        return strip(whole if upper else _contract(whole, self.mass, up))


def strip(part: Part) -> Part:
    """Without the zeros at both ends."""
    kept = np.flatnonzero(part.q)
    if not kept.size:
        return Part(part.width, 0, part.q[:0])
    return Part(part.width, part.first + int(kept[0]), part.q[kept[0] : kept[-1] + 1])


def _contract(spread: Part, mass: Array, up: Array) -> Part:
    """Smaller in convex order than the cells whose masses are spread to both neighbours.

    At the grid points the spread law has the true h(a) = E(A − a)+, and the true slopes are known
    there; so the line over a cell is above h by at most mass·u(1−u)·(length of the cell), u being
    the part that moves up. Lowering h by that, c, bends it: q loses the second difference of c.
    """
    q, step = spread.q, np.diff(spread.ratios)
    if not q.any():
        return spread
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = np.nan_to_num((mass - up) * up / mass) * step
    below, above = np.cumsum(q)[:-1], np.cumsum(q[::-1])[::-1][1:]
    put = np.append(0.0, np.cumsum(below * step))
    call = np.append(np.cumsum((above * step)[::-1])[::-1], 0.0)
    c = np.minimum(np.maximum(np.append(gap, 0.0), np.append(0.0, gap)), np.minimum(put, call))
    thin = np.minimum(put, call) < CUT  # the ends, not worth following
    bend = np.diff(np.where(thin, np.minimum(put, call), c)) / step
    # Slopes are kept as the mass below on the left and above on the right: no cancellation.
    gone = thin[:-1] & thin[1:]
    left_q, right_q = np.where(gone, 0.0, below - bend), np.where(gone, 0.0, -above - bend)
    middle = int(np.argmax(q))
    left = np.maximum(_monotone(left_q[:middle], step[:middle]), 0.0)
    right = np.minimum(_monotone(right_q[middle:], step[middle:]), 0.0)
    lower = np.diff(np.concatenate([[0.0], left, [0.0], right, [0.0]]))
    kept = np.append(lower[:middle], lower[middle + 1 :])
    kept[middle] = q.sum() + (right[0] if right.size else 0.0) - (left[-1] if left.size else 0.0)
    if kept[middle] < 0:
        raise NumericalError("the law of the mean ratio cannot be rounded down; take a finer grid")
    return Part(spread.width, spread.first, kept)


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


def settle(
    core: Cells, tail: Cells, void: float, infinite: float, reach: float, weight: float, upper: bool
) -> Law:
    """Round both grids, move what is beyond `reach` to the coarse one and cut the ends.

    Q-mass is counted `weight` times at the cut: as often as the law will be added to itself.
    """
    fine = core.rounded(upper)
    edge = COARSE * math.ceil(reach / core.width / COARSE)
    low, high = (min(max(k - fine.first, 0), len(fine.q)) for k in (-edge, edge + 1))
    tail.add_part(Part(fine.width, fine.first, fine.q[:low]))
    tail.add_part(Part(fine.width, fine.first + high, fine.q[high:]))
    parts = [Part(fine.width, fine.first + low, fine.q[low:high]), tail.rounded(upper)]
    if upper:
        for i, part in enumerate(parts):
            q, p = part.q, part.q * part.ratios
            small = np.cumsum(weight * q + p) < CUT
            small |= np.cumsum((weight * q + p)[::-1])[::-1] < CUT
            void, infinite = void + float(q[small].sum()), infinite + float(p[small].sum())
            parts[i] = strip(Part(part.width, part.first, np.where(small, 0.0, q)))
    return Law(parts[0], parts[1], void, infinite)


def _pairs(cells: Cells, x: Part, y: Part, f: int, c: int) -> None:
    """Add the law of (f·X + c·Y)/(f + c) to the cells, for independent X and Y on one grid.

    With Y = X·e^{wd} it is X·(f + c·e^{wd})/(f + c): all pairs at one distance d shift alike.
    """
    if not len(x.q) or not len(y.q):
        return
    w = x.width
    stride = round(w / cells.width)
    same = x is y and f == c
    distances = np.arange(0 if same else y.first - x.last + 1, y.last - x.first)
    shifts, parts = cells.split(_shift(w * distances, f, c))
    rows = zip(distances.tolist(), shifts.tolist(), parts.tolist(), strict=True)
    for d, shift, part in rows:
        low, high = max(x.first, y.first - d), min(x.last, y.last - d)
        masses = x.q[low - x.first : high - x.first] * y.q[low + d - y.first : high + d - y.first]
        if same and d:
            masses *= 2
        cells.place(low, masses, shift, part, stride)


def _shift(x: Array, f: int, c: int) -> Array:
    """log((f + c·e^x)/(f + c))."""
    small = np.exp(-np.abs(x))
    return np.maximum(x, 0) + np.log(np.where(x > 0, c + f * small, f + c * small) / (f + c))


def _coarse(part: Part, upper: bool) -> Part:
    """The core on the tail's grid."""
    cells = Cells(COARSE * part.width, part.first // COARSE, part.last // COARSE + 2)
    cells.add_part(part)
    return cells.rounded(upper)


def _together(one: Part, other: Part) -> Part:
    """Two parts on one grid as one."""
    if not len(other.q):
        return one
    low, high = min(one.first, other.first), max(one.last, other.last)
    q = np.zeros(high - low)
    for part in (one, other):
        q[part.first - low : part.last - low] += part.q
    return Part(one.width, low, q)


def combine(x: Law, y: Law, f: int, c: int, width: float, reach: float, weight: float,
            upper: bool) -> Law:  # fmt: skip
    """The law of (f·X + c·Y)/(f + c), for X and Y the means of f and c independent ratios."""
    n = f + c
    y_core = _coarse(y.core, upper)
    y_all = _together(y_core, y.tail)
    x_all = y_all if x is y else _together(_coarse(x.core, upper), x.tail)
    stride = round(x.core.width / width)
    core = Cells(width, stride * min(x.core.first, y.core.first) - 1,
                 stride * max(x.core.last, y.core.last) + 2)  # fmt: skip
    _pairs(core, x.core, y.core, f, c)
    spread = upper and max(x.void, y.void) * weight <= 100 * CUT
    void, infinite = x.void * y.void, (f * x.infinite + c * y.infinite) / n
    room = 0 if spread else math.ceil(math.log(n / min(f, c)) / (COARSE * width))
    tail = Cells(COARSE * width, stride * min(x_all.first, y_all.first) - room - 2,
                 stride * max(x_all.last, y_all.last) + 3)  # fmt: skip
    _pairs(tail, x_all, y.tail, f, c)
    _pairs(tail, x.tail, y_core, f, c)
    if spread:
        # One of the two is 0: so rarely that the other one may as well go to 0 and infinity.
        void, infinite = x.void + y.void, infinite + (f * y.void + c * x.void) / n
    else:
        shift, part = tail.split(np.log([c / n, f / n]))
        tail.place(y_all.first, x.void * y_all.q, int(shift[0]), float(part[0]), stride)
        tail.place(x_all.first, y.void * x_all.q, int(shift[1]), float(part[1]), stride)
    return settle(core, tail, void, infinite, reach, weight, upper)
