"""A sum of finitely many losses, each some times over: its real cumulants, and its tilted steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.log_sum import log_sum_exp
from hockeystick.numerics.types import Array, Complex

MOST_ATOMS = 40_000
"""Atoms of all parts together; planning alone takes a tenth of a second with more."""
NEGLIGIBLE = 1e-18
"""Tilted mass, over the number of atoms, of atoms that are left out and charged."""


@dataclass(frozen=True, eq=False)
class Steps:
    """`count` equal steps, tilted by e^{cL}: masses of sum 1, and losses less their mean."""

    count: int
    masses: Array
    losses: Array
    mean: float
    left_out: float
    """Tilted mass of the atoms that are left out."""

    @cached_property
    def deviation(self) -> float:
        """Of the tilted loss of one step."""
        return float(np.sqrt(self.masses @ self.losses**2))

    @cached_property
    def reach(self) -> float:
        """Mean distance of a loss from the mean."""
        return float(self.masses @ np.abs(self.losses))

    def at(self, times: Array) -> Complex:
        """φ of one step at each of these t."""
        return np.asarray(np.exp(1j * np.multiply.outer(times, self.losses)) @ self.masses)

    def on(self, starts: Array, step: float, size: int) -> Complex:
        """φ at start, start + step, …, `size` of them in a row for each start: one product of two
        tables instead of an exponential each."""
        rows = np.exp(1j * np.multiply.outer(starts, self.losses)) * self.masses
        turns = np.exp(1j * step * np.multiply.outer(self.losses, np.arange(size)))
        return np.asarray(rows @ turns)


class AtomicSum:
    """The finite losses of a composition that has atoms alone."""

    def __init__(self, loss: ComposedLoss) -> None:
        self.parts = [(part.atoms, count) for part, count in loss.parts]
        self.size = sum(atoms.losses.size for atoms, _ in self.parts)
        if loss.continuous or not 0 < self.size <= MOST_ATOMS:
            raise NumericalError("the losses are not a moderate number of atoms")
        if min(atoms.losses.size for atoms, _ in self.parts) == 0:
            raise NumericalError("some step has no finite loss")
        self.low = sum(count * float(atoms.losses.min()) for atoms, count in self.parts)
        self.high = sum(count * float(atoms.losses.max()) for atoms, count in self.parts)
        self.largest = max(float(np.abs(atoms.losses).max()) for atoms, _ in self.parts)
        self.steps = sum(count for _, count in self.parts)
        if not np.isfinite([self.low, self.high]).all():
            raise NumericalError("the losses are unbounded")

    def cgf(self, orders: Array) -> Array:
        """K at real orders."""
        total = np.zeros(orders.shape)
        for (losses, log_q), count in self.parts:
            total += count * log_sum_exp(log_q + np.multiply.outer(orders + 1, losses))
        return total

    def tilted(self, order: float) -> list[Steps]:
        """Every part, tilted by e^{order·L}."""
        return [_tilted(*atoms, count, order) for atoms, count in self.parts]


def _tilted(losses: Array, log_q: Array, count: int, order: float) -> Steps:
    exponent = log_q + (order + 1) * losses
    masses = np.exp(exponent - exponent.max())
    masses /= masses.sum()
    kept = masses > NEGLIGIBLE / masses.size
    left_out = float(masses[~kept].sum())
    masses, losses = masses[kept], losses[kept]
    mean = float(masses @ losses)
    return Steps(count, masses, losses - mean, mean, left_out)
