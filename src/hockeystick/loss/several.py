"""Several releases as one loss, known by its parts alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.loss.atoms import EVERYTHING, NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.measure import Atoms, Nodes, Tails
from hockeystick.numerics.rounding import probability_of_any
from hockeystick.numerics.types import Array, Complex


@dataclass(frozen=True)
class SeveralLosses(Loss):
    """Σ count·loss of independent parts: what a mechanism of many releases has for a loss.

    A composition takes it apart (`ComposedLoss`), so that every route sees the parts. K and the
    ends are those of the sum; nothing else is known of it as a whole, and to put it on a sample of
    the records, which takes its law, is refused.
    """

    parts: tuple[tuple[Loss, int], ...]

    def __post_init__(self) -> None:
        parts = self.parts
        self.__dict__.update(
            terms=parts,
            top=sum(count * loss.top for loss, count in parts),
            bottom=sum(count * loss.bottom for loss, count in parts),
            infinite=probability_of_any((loss.infinite, n) for loss, n in parts)[1],
            void=probability_of_any((loss.void, n) for loss, n in parts)[1],
            continuous=any(loss.continuous for loss, _ in parts),
            symmetric=all(loss.symmetric for loss, _ in parts),
        )

    def cgf(self, s: Complex | Array) -> Complex:
        return np.asarray(sum(count * loss.cgf(s) for loss, count in self.parts))

    def mean(self) -> float:
        return sum(count * loss.mean() for loss, count in self.parts)

    def reverse(self) -> Loss:
        return SeveralLosses(tuple((loss.reverse(), count) for loss, count in self.parts))

    def check_mass(self) -> None:
        for loss, _ in self.parts:
            loss.check_mass()

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        self._refuse()

    def profile(self, epsilon: Array) -> Array:
        self._refuse()

    @property
    def atoms(self) -> Atoms:
        self._refuse()

    def tails(self, losses: Array) -> Tails:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise ParameterError(
            "many releases, each on a sample of its own, are not accounted for on one more sample "
            "that they share"
        )


def several(parts: Iterable[tuple[Loss, int]]) -> Loss:
    """The sum of losses, each as often as it is said; those that say nothing are left out."""
    counted: dict[Loss, int] = {}
    for loss, count in parts:
        if loss.infinite == 1:
            return EVERYTHING
        if loss is not NOTHING and count:
            counted[loss] = counted.get(loss, 0) + count
    if not counted:
        return NOTHING
    (first, count), *others = counted.items()
    return first if not others and count == 1 else SeveralLosses(tuple(counted.items()))


def taken_apart(parts: Sequence[tuple[Loss, int]]) -> tuple[tuple[Loss, int], ...]:
    """The parts, with those of a sum in its place.

    >>> from hockeystick.loss.gaussian import GaussianLoss
    >>> one = GaussianLoss(1.0)
    >>> taken_apart([(several([(one, 2), (one.truncated(0.1), 1)]), 3)])[0][1]
    6
    """
    flat: dict[Loss, int] = {}
    for loss, count in parts:
        for term, times in loss.terms or ((loss, 1),):
            flat[term] = flat.get(term, 0) + times * count
    return tuple(flat.items())
