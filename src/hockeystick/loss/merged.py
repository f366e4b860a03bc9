"""Very many atoms as few on a lattice, from above and from below."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.loss.atoms import AtomicLoss
from hockeystick.numerics.types import Array

MERGED = 4096
"""Steps of the lattice from loss 0 to the largest: its error is as the square of a step."""


class MergedAbove:
    """A symmetric pair on a lattice that dominates the one whose atoms are added to it.

    Each atom is split between the two places next to it such that its masses under P and under Q
    both stay what they are: from these it could be made again (connect the dots, Doroshenko et al.
    2022).
    """

    def __init__(self, largest: float) -> None:
        self.step = largest / MERGED
        self._q = np.zeros(2 * MERGED + 1)

    def add(self, losses: Array, q: Array) -> None:
        """More atoms, with losses up to the largest."""
        place = np.clip(np.floor(losses / self.step), -MERGED, MERGED - 1)
        low = place * self.step
        share = np.clip(np.expm1(losses - low) / np.expm1(self.step), 0.0, 1.0)
        index = (place + MERGED).astype(int)
        self._q += np.bincount(index, q * (1 - share), 2 * MERGED + 1)
        self._q += np.bincount(index + 1, q * share, 2 * MERGED + 1)

    def pair(self, rest: float, top: float) -> AtomicLoss:
        """The pair, with a mass of outcomes that were not added and have losses up to `top`."""
        losses = self.step * np.arange(-MERGED, MERGED + 1)
        half = losses >= 0
        larger = np.where(half, self._q[::-1], self._q)  # of P and Q: it has more digits
        with np.errstate(divide="ignore"):
            log_q = np.log(larger) - np.where(half, losses, 0.0)
        if rest > 0:
            far = self.step * max(math.ceil(top / self.step), MERGED + 1)
            with_far = math.log(rest) - np.logaddexp(0.0, [far, -far])
            losses = np.concatenate([[-far], losses, [far]])
            log_q = np.concatenate([with_far[1:], log_q, with_far[:1]])
        return AtomicLoss(losses, log_q, spacing=self.step, symmetric=True)


def merged_above(losses: Array, q: Array, rest: float, top: float) -> AtomicLoss:
    """The pair of `MergedAbove` from one list of atoms."""
    merged = MergedAbove(float(np.abs(losses).max()))
    merged.add(losses, q)
    return merged.pair(rest, top)


def merged_below(losses: Array, q: Array, *, alike: float = 0.0) -> AtomicLoss:
    """A symmetric pair that the given one dominates: neighbouring atoms as one, by their mean.

    `alike` is a mass of outcomes that are not listed and taken to tell nothing.
    """
    step = float(np.abs(losses).max()) / MERGED
    cell = np.rint(losses / step).astype(int) + MERGED  # symmetric about 0
    one = np.bincount(cell, q, 2 * MERGED + 1)
    other = np.bincount(cell, q * np.exp(losses), 2 * MERGED + 1)
    mass: Array = (one + other[::-1]) / 2  # equal, but for rounding and the last of the tails
    mass[MERGED] += alike
    kept = (mass > 0) & (mass[::-1] > 0)
    loss = np.log(mass[::-1][kept] / mass[kept])
    return AtomicLoss(loss, np.log(mass[kept]), symmetric=True)
