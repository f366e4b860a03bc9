"""The law of a sum of sampled Laplace losses, between the points of a lattice.

One step has two atoms, at l₋ < l₊, and an analytic density between them. After k steps the atoms
lie at k·l₋ + j·W with W = l₊ − l₋, and on each cell between two neighbours the density is analytic.
One more step is exactly

    a ← β·a + α·shift(a),      F_j ← β·F_j + α·F_{j−1} + A·F_j + B·F_{j−1} + a_j·g,
    (A·f)(x) = ∫_0^x f(y)·g(x−y) dy,      (B·f)(x) = ∫_x^W f(y)·g(W+x−y) dy,

with the masses β at l₋ and α at l₊ of one step and its density g, all of them tilted. F_j is kept
by its values at Gauss points, and A and B are two small matrices.

The points are those of the base loss ξ in [−θ, θ], x = log(v(ξ)/v(−θ)) with v = 1 − q + q·e^ξ: as a
function of x the density has a singularity close to 0, as a function of ξ it is far away. Nothing
is negative, so nothing cancels. What interpolation loses is seen by doing it again with more
points: an estimate, not a proof.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockeystick.numerics.gauss import gauss_legendre
from hockeystick.numerics.types import Array

LEAST_POINTS = 24
"""Gauss points of the integrals A and B, at the least."""
NEGLIGIBLE = 1e-20
"""Tilted mass of a cell that is left out at either end, and charged."""


@dataclass(frozen=True)
class Cell:
    """One step, with v^power as its weight under Q, on `points` Gauss points of its cell."""

    shift: float
    rate: float
    power: float
    points: int

    @cached_property
    def low(self) -> float:
        """l₋ = log v(−θ)."""
        return math.log1p(self.rate * math.expm1(-self.shift))

    @cached_property
    def width(self) -> float:
        """W."""
        return math.log1p(self.rate * math.expm1(self.shift)) - self.low

    @cached_property
    def place(self) -> Array:
        """ξ at the Gauss points."""
        return self.shift * gauss_legendre(self.points)[0]

    def loss(self, place: Array) -> Array:
        """x(ξ)."""
        growth = self.rate * math.exp(-self.shift - self.low)
        return np.log1p(growth * np.expm1(place + self.shift))

    def place_of(self, loss: Array) -> Array:
        """ξ(x)."""
        growth = self.rate * math.exp(-self.shift - self.low)
        place = np.log1p(np.expm1(np.maximum(loss, 0.0)) / growth) - self.shift
        return np.clip(place, -self.shift, self.shift)

    def slope(self, place: Array) -> Array:
        """dx/dξ."""
        growth = self.rate * np.exp(place)
        return np.asarray(growth / (1 - self.rate + growth))

    def density(self, place: Array) -> Array:
        """g, the tilted density in x over its value under Q."""
        log_v = np.log1p(self.rate * np.expm1(place))  # its own last digits, times a large power
        weight = np.exp(self.power * log_v - (place + self.shift) / 2)
        return np.asarray(weight / 4 / self.slope(place))

    @cached_property
    def atoms(self) -> tuple[float, float]:
        """β and α: Q has 1/2 at −θ and e^{−θ}/2 at θ."""
        top = self.low + self.width
        return math.exp(self.power * self.low) / 2, math.exp(self.power * top - self.shift) / 2

    @cached_property
    def weights(self) -> Array:
        """Of the values at the Gauss points, for an integral over the cell."""
        weights = gauss_legendre(self.points)[1]
        return np.asarray(self.shift * weights * self.slope(self.place))

    @cached_property
    def total(self) -> float:
        """e^{K} of one step at the order of the tilt."""
        return sum(self.atoms) + float(self.weights @ self.density(self.place))

    def rows(self, place: Array) -> Array:
        """Which combination of the values at the Gauss points is the value at each ξ (Berrut and
        Trefethen 2004, the second barycentric formula)."""
        points, weights = gauss_legendre(self.points)
        signs = np.where(np.arange(self.points) % 2, -1.0, 1.0)
        distance = place[..., None] / self.shift - points
        hit = distance == 0
        share = signs * np.sqrt((1 - points**2) * weights) / np.where(hit, 1.0, distance)
        rows = share / share.sum(axis=-1, keepdims=True)
        return np.asarray(np.where(hit.any(axis=-1, keepdims=True), hit, rows))

    @cached_property
    def matrices(self) -> tuple[Array, Array]:
        """A and B."""
        x = self.loss(self.place)[:, None]
        bottom = np.full_like(x, -self.shift)
        return self._convolved(bottom, x), self._convolved(self.place[:, None], self.width + x)

    def _convolved(self, start: Array, total: Array) -> Array:
        """f ↦ ∫ f(y)·g(total − y) dy for y from x(start) to total − x(start), in two halves that
        are mirror images, each with points that are dense at its own end."""
        points, weights = gauss_legendre(max(self.points, LEAST_POINTS))
        span = self.place_of(total / 2) - start
        near = start + span * (1 + points) / 2
        weight = span * weights / 2 * self.slope(near)
        far = self.place_of(total - self.loss(near))
        return np.asarray(
            np.einsum("im,imp->ip", weight * self.density(far), self.rows(near))
            + np.einsum("im,imp->ip", weight * self.density(near), self.rows(far))
        )


@dataclass(frozen=True, eq=False)
class Cells:
    """The law after n steps, over its total tilted mass: atoms first, first + 1, …, and densities
    on the cells above each but the last."""

    first: int
    atoms: Array
    densities: Array
    left_out: float


def composed(cell: Cell, steps: int) -> Cells:
    """Step by step."""
    beta, alpha = (mass / cell.total for mass in cell.atoms)
    a, b = (matrix.T / cell.total for matrix in cell.matrices)
    points = cell.points
    both = np.hstack([a + beta * np.eye(points), b + alpha * np.eye(points)])
    one = cell.density(cell.place) / cell.total
    first, left_out, atoms, densities = 0, 0.0, np.ones(1), np.zeros((0, points))
    for _ in range(steps):
        grown = np.zeros((len(densities) + 1, points))
        moved = densities @ both
        grown[:-1] = moved[:, :points]
        grown[1:] += moved[:, points:]
        grown += np.multiply.outer(atoms, one)
        atoms = beta * np.append(atoms, 0.0) + alpha * np.append(0.0, atoms)
        masses = grown @ cell.weights + atoms[:-1]
        kept = np.flatnonzero(masses > NEGLIGIBLE)
        low, high = int(kept[0]), int(kept[-1]) + 1
        left_out += float(masses[:low].sum() + masses[high:].sum()) + float(
            atoms[-1] if high < masses.size else 0.0
        )
        first, atoms, densities = first + low, atoms[low : high + 1], grown[low:high]
    return Cells(first, atoms, densities, left_out)
