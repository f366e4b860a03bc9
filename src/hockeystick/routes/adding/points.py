"""A loss as a finite law, above or below it: points as dense as its mass asks for.

Grids of one width fail where losses of thousands of nats stand beside much smaller ones. Here the
points are chosen one by one, halving the cell whose two ends are farthest apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.base import Loss
from hockeystick.loss.measure import Tails
from hockeystick.numerics.types import Array
from hockeystick.routes.adding.law import EPS, FIRST_POINTS, Law, Tilt, costliest, rounding_cost
from hockeystick.routes.grid.support import mass_below

DOUBLINGS = 1100
"""How often a stretch is doubled before a loss counts as unbounded."""
LEAST_MASS = 1e-290
"""Masses below have lost digits to underflow, and say nothing of the ratio."""


def finite_laws(loss: Loss, mass: float, most: int, tilt: Tilt) -> tuple[Law, Law]:
    """A law above and one below the finite losses; those below all but `mass` are one, or none."""
    loss.check_mass()
    cells = _cells(loss, mass, most, tilt) if loss.continuous else None
    return _of_cells(loss, cells, True), _of_cells(loss, cells, False)


def _of_cells(loss: Loss, cells: Cells | None, up: bool) -> Law:
    x, p = loss.atoms.losses, loss.atoms.p
    if cells is not None:
        losses, masses = cells.split() if up else (cells.least, cells.masses)
        x, p = np.append(x, losses), np.append(p, masses)
        if up:
            lifted = cells.points[:1]
            x, p = np.append(x, lifted), np.append(p, loss.tails(lifted).p_below)
    kept = p > 0
    if not kept.any():
        raise NumericalError(f"{loss!r} has no finite losses of any mass")
    return Law.of(x[kept], p[kept], up)


def lowest(loss: Loss, mass: float) -> float:
    """A level with at most about `mass` of P below it: the bottom, if there is one."""
    if math.isfinite(loss.bottom):
        return loss.bottom
    step = 1.0
    for _ in range(DOUBLINGS):
        if mass_below(loss, loss.top - step) <= mass:
            break
        step *= 2
    low, high = loss.top - step, loss.top - step / 2
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if mass_below(loss, middle) <= mass else (low, middle)
    return low


@dataclass(frozen=True)
class Cells:
    """The continuous part of a loss between neighbouring points."""

    points: Array
    masses: Array
    """P-masses."""
    least: Array
    """The loss at the mean ratio of each cell, not above it."""
    largest: Array
    """The same, not below it."""

    def split(self) -> tuple[Array, Array]:
        """The mass of each cell at its two ends, P- and Q-mass kept."""
        left = self.points[:-1]
        part = np.expm1(left - self.largest) / np.expm1(left - self.points[1:])
        right = self.masses * np.clip(np.nan_to_num(part, nan=1.0), 0, 1)
        masses = np.append(self.masses - right, 0.0)
        masses[1:] += right
        return self.points, masses

    def cost(self, tilt: Tilt) -> Array:
        """log of how far the laws above and below are apart because of each cell."""
        middle = (self.least + self.largest) / 2
        with np.errstate(divide="ignore"):
            log_mass = np.log(self.masses)
            vague = np.log((self.largest - self.least) * min(tilt.order, 1.0))
        cost = rounding_cost(self.points, log_mass, middle, tilt)
        return np.asarray(np.maximum(cost, log_mass + tilt(self.largest) + vague))


def _cells(loss: Loss, mass: float, most: int, tilt: Tilt) -> Cells:
    if not math.isfinite(loss.top):
        raise NumericalError(f"the loss {loss!r} is unbounded even after truncation")
    points = np.linspace(lowest(loss, mass), loss.top, FIRST_POINTS)
    tails = np.array(loss.tails(points))
    while True:
        cells = _measured(points, tails)
        middle = (points[1:] + points[:-1]) / 2
        cost = cells.cost(tilt)
        cost[(middle <= points[:-1]) | (middle >= points[1:])] = -math.inf
        worst = costliest(cost, most - len(points), most)
        if not worst.size:
            return cells
        added = np.array(loss.tails(middle[worst]))
        points = np.insert(points, worst + 1, middle[worst])
        tails = np.insert(tails, worst + 1, added, axis=1)


def _measured(points: Array, tails: Array) -> Cells:
    p, p_tail, q, q_tail = Tails(*tails).between()
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.log(p) - np.log(q)
        error = 4 * EPS * (p_tail / p + q_tail / q)
        known = (p > LEAST_MASS) & (q > LEAST_MASS) & (error < 1)
        left, right = points[:-1], points[1:]
        least = np.where(known, np.clip(ratio - error, left, right), left)
        largest = np.where(known, np.clip(ratio + error, left, right), right)
    return Cells(points, p, least, largest)
