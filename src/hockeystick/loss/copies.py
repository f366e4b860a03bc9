"""A Gaussian release of a random number of copies of the record, as it would be if that were told.

A step on a Poisson sample, or on a batch of fixed size, has one copy or none; with replacement
there are more. Where noise is next to nothing, or the number is told anyway, this is all that
matters of the law of a loss.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hockeystick.numerics.types import Array

WHOLE = 1e-14
"""How far shifts that are multiples of one may be off, relatively."""
LEAST_SHIFT = 1e-3
"""Smaller shifts lose digits."""


class Copies(NamedTuple):
    """Probabilities of 0, 1, … copies, and the shift of one."""

    weights: Array
    shift: float
    told: bool = False
    """Whether their number is told; if not,"""
    floor: float = 1.0
    """the probability of none that the other law has,"""
    gap: float = math.inf
    """and how far down its next mean is."""

    @property
    def is_coin(self) -> bool:
        """Whether the record may be there once or not at all, and nobody is told."""
        return not self.told and self.weights.size == 2 and bool(self.weights[0])

    def times(self, share: float) -> Copies:
        """The same, with so much of its probability."""
        return self._replace(weights=share * self.weights)


def copies_of(shifts: Sequence[float], weights: Sequence[float]) -> Copies | None:
    """Shifts that are 0, 1, … times the smallest; None if they are no such.

    >>> copies_of([0.5, 0.0, 1.5], [0.2, 0.7, 0.1])[:2]
    (array([0.7, 0.2, 0. , 0.1]), 0.5)
    """
    if not any(shifts):
        return None
    shift = min(filter(None, shifts))
    copies = np.array(shifts) / shift
    whole = np.round(copies)
    if not (np.abs(copies - whole) <= WHOLE * copies).all() or not shift >= LEAST_SHIFT:
        return None
    return Copies(np.bincount(whole.astype(int), weights), shift)
