"""Laplace noise on a Poisson sample, few steps: both ends from the cells of its lattice."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.measure import LaplaceLaw
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.gauss import gauss_legendre
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array
from hockeystick.routes.base import Route
from hockeystick.routes.contour.saddle import log_kappa
from hockeystick.routes.inverting import LogDelta, delta_ends, invert, moved_apart
from hockeystick.routes.laplace.cells import Cell, Cells, composed

NAME = "lattice"
MOST_STEPS = 400
MOST_CONTINUOUS = 60.0
"""Continuous steps to be expected; with more a contour is short."""
LARGEST_SHIFT, MOST_POINTS = 10.0, 78
"""θ up to which so many points hold a cell."""
STEEPEST = 8.0
"""Growth of the tilt over one cell, in nats, that its points can follow."""
MORE_POINTS = 7
"""By how many a second law is finer, to tell the error of the first."""
CAUTION = 4.0
"""Times the difference of the two that is charged."""


def is_for(loss: ComposedLoss) -> bool:
    """Whether all steps are the same Laplace noise on a Poisson sample, and not many."""
    law = loss.laplace
    if law is None or not law.shift <= LARGEST_SHIFT or not 1e-12 <= law.rate < 1:
        return False
    return loss.steps <= MOST_STEPS


def is_first(loss: ComposedLoss) -> bool:
    """Whether so few steps are continuous that a contour would be long."""
    law = loss.laplace
    if law is None or not is_for(loss):
        return False
    return -loss.steps * math.expm1(-law.shift) / 2 <= MOST_CONTINUOUS


@dataclass(frozen=True, eq=False)
class CellSum:
    """δ(ε) of n steps, tilted by e^{order·L}."""

    law: LaplaceLaw
    steps: int
    order: float
    points: int

    @cached_property
    def cell(self) -> Cell:
        power = -self.order if self.law.added else self.order + 1
        return Cell(self.law.shift, self.law.rate, power, self.points)

    @cached_property
    def cells(self) -> Cells:
        return composed(self.cell, self.steps)

    @cached_property
    def _known(self) -> tuple[Array, Array, Array, Array]:
        """Losses and masses of the atoms, then of the Gauss points of each cell."""
        cell, cells = self.cell, self.cells
        at = self.steps * cell.low + cell.width * (cells.first + np.arange(cells.atoms.size))
        inside = at[:-1, None] + cell.loss(cell.place)
        sign = -1.0 if self.law.added else 1.0
        return sign * at, cells.atoms, sign * inside, cells.densities * cell.weights

    def at(self, epsilon: float) -> tuple[float, float]:
        """log δ(ε) and its fall."""
        ends, atoms, inside, masses = self._known
        lower = np.minimum(ends[:-1], ends[1:])
        whole = lower >= epsilon
        losses, weights = [inside[whole].ravel()], [masses[whole].ravel()]
        above = ends > epsilon
        losses.append(ends[above])
        weights.append(atoms[above])
        for j in np.flatnonzero((lower < epsilon) & (np.maximum(ends[:-1], ends[1:]) > epsilon)):
            some = self._part(int(j), epsilon)
            losses.append(some[0])
            weights.append(some[1])
        gap = np.concatenate(losses) - epsilon
        weight = np.concatenate(weights) * np.exp(-self.order * gap)
        value, rest = float(-weight @ np.expm1(-gap)), float(weight @ np.exp(-gap))
        if not value > 0:
            return -math.inf, math.inf
        level = self.steps * math.log(self.cell.total) - self.order * epsilon
        return level + math.log(value), rest / value

    def _part(self, j: int, epsilon: float) -> tuple[Array, Array]:
        """Losses above ε, and masses, of the one cell that it cuts."""
        cell, cells = self.cell, self.cells
        start = self.steps * cell.low + cell.width * (cells.first + j)
        loss = (-epsilon if self.law.added else epsilon) - start
        edge = float(cell.place_of(np.array([loss]))[0])
        low, high = (-cell.shift, edge) if self.law.added else (edge, cell.shift)
        points, weights = gauss_legendre(self.points + 8)
        place = low + (high - low) * (1 + points) / 2
        density = cell.rows(place) @ cells.densities[j]
        losses = start + cell.loss(place)
        losses = np.maximum(-losses if self.law.added else losses, epsilon)
        return losses, density * cell.slope(place) * weights * (high - low) / 2

    def defect(self) -> float:
        """How far the total mass is from 1, but for what was left out."""
        return abs(float(self._known[1].sum() + self._known[3].sum()) + self.cells.left_out - 1)


@dataclass(frozen=True, eq=False)
class Checked:
    """One law, and another of more points that tells how good it is."""

    law: CellSum
    finer: CellSum

    def __call__(self, epsilon: Array) -> LogDelta:
        """Both ends of log δ."""
        values, fall = np.array([self.law.at(float(each)) for each in epsilon]).T
        others = np.array([self.finer.at(float(each))[0] for each in epsilon])
        n, c = self.law.steps, self.law.order
        level = n * math.log(self.law.cell.total)
        error = EPS * (64 + 8 * n + 4 * self.law.points + abs(level) + c * np.abs(epsilon))
        with np.errstate(invalid="ignore"):
            apart = np.where(values == others, 0.0, CAUTION * np.abs(values - others))
        error = error + apart + CAUTION * self.law.defect()
        missing = level - c * epsilon + math.log(self.law.cells.left_out + 1e-300)
        return LogDelta(values - error, np.logaddexp(values + error, missing), fall)


def law_of(loss: ComposedLoss) -> LaplaceLaw:
    """The noise of every step; an error where this way is not for it."""
    if loss.laplace is None or not is_for(loss):
        raise NumericalError("the steps are not few of the same sampled Laplace noise")
    return loss.laplace


def points_for(law: LaplaceLaw) -> int:
    """Gauss points of a cell."""
    return min(int(18 + 6 * law.shift), MOST_POINTS)


def checked(law: LaplaceLaw, steps: int, order: float) -> Checked:
    """The law of a sum tilted by e^{order·L}."""
    first = points_for(law)
    one, other = (CellSum(law, steps, order, points) for points in (first, first + MORE_POINTS))
    return Checked(one, other)


def cumulants(law: LaplaceLaw, steps: int) -> tuple[Array, Array]:
    """Orders whose tilt a cell can follow, and K of all steps there."""
    steepest = STEEPEST / Cell(law.shift, law.rate, 0.0, 1).width
    orders = steepest * 2.0 ** np.arange(-16.0, 0.1, 0.5)
    sums = [CellSum(law, steps, float(order), points_for(law)) for order in orders]
    return orders, steps * np.log([each.cell.total for each in sums])


def delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """Both ends of δ(ε)."""
    orders, k = cumulants(law_of(loss), loss.steps)
    best = int(np.argmin(k - orders * epsilon))
    law = checked(law_of(loss), loss.steps, float(orders[best]))
    return Interval(*delta_ends(law, epsilon, _slip(loss, epsilon)), NAME)


def epsilon(loss: ComposedLoss, delta: float) -> Interval:
    """Both ends of the ε with δ(ε) = delta."""
    log_delta, top = math.log(delta), loss.top
    orders, k = cumulants(law_of(loss), loss.steps)
    bounds = (k + log_kappa(orders) - log_delta) / orders
    best = int(np.argmin(bounds))
    law = checked(law_of(loss), loss.steps, float(orders[best]))
    guess = min(max(float(bounds[best] - 1 / orders[best]), 0.0), top)
    ends = invert(law, (log_delta, log_delta), guess, top)
    return Interval(*moved_apart(ends, _slip(loss, ends[1]), top), NAME)


def _slip(loss: ComposedLoss, epsilon: float) -> float:
    """How far ε may be off by rounding of the losses, and of the lattice's points."""
    return loss.slip + 8 * EPS * (abs(epsilon) + abs(loss.top) + abs(loss.bottom))


CELLS = Route(
    NAME, "the density between the points of the lattice of Laplace noise", epsilon, delta
)
