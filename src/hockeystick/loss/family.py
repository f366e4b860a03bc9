"""Losses that differ in one number: K of very many of them from K of a few.

K(s) of a sampled Gaussian is analytic in its shift. So Σ n_i·K(s; x_i) is interpolated: the
polynomial through the values at Chebyshev's points of an interval that holds all x_i, summed over
them. Coefficients of such a polynomial fall geometrically; what is cut off is judged by the last of
them and by K itself at places between the points, and is returned as the error.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.numerics.types import Array, Complex

if TYPE_CHECKING:
    from hockeystick.loss.base import Loss

MANY = 48
"""Different members from which on their K is interpolated."""
DEGREES = (8, 16, 32)
"""Of the polynomials that are tried, each with the points of the one before."""
MOST_SKETCHED = 12
"""Members of a sketch."""
LAST = 3
"""Coefficients by which those that are cut off are judged."""
SAFETY = 4.0
"""The error that is stated, over the one that is seen."""
PROBES, MANY_POINTS = 8, 32
"""So many of more points tell which degree is enough, or that none is."""
SPARE = 3
"""Coefficients more than the probes ask for."""
CLOSE, CLOSE_ON_AXIS = 1e-13, 1e-9
"""Error, relative to K, with which no higher degree is tried; on the real line K only bounds and
plans."""
TOLERATED_OFF_AXIS, TOLERATED_ON_AXIS = 1e-10, 1e-6
"""The same, from which on members are split in halves."""
HOPEFUL = 30.0
"""How much more may be cut off halfway than would do if coefficients fell exactly geometrically."""
BETWEEN = (0.31, 0.74)
"""Places between two neighbouring points, as parts of their angle, at which K itself is asked."""


class Family(ABC):
    """A kind of loss with one number left open, on which K depends analytically."""

    @abstractmethod
    def at(self, x: float) -> Loss:
        """The member of that number."""

    def reverse(self) -> Family:
        """The reverses of all members."""
        return ReversedFamily(self)


@dataclass(frozen=True)
class ReversedFamily(Family):
    """The losses of (Q, P)."""

    base: Family

    def at(self, x: float) -> Loss:
        return self.base.at(x).reverse()

    def reverse(self) -> Family:
        return self.base


@dataclass(frozen=True)
class Members:
    """Several losses of one family."""

    family: Family
    x: Array
    counts: Array

    def cgf(self, s: Complex) -> tuple[Complex, Array]:
        """Σ count·K at each s, and how far it may be off: from one polynomial or, at those s where
        that is not close enough, from one for each half of the range, down to few members, then
        added up."""
        if self.x.size < MANY or self.x.max() == self.x.min():
            each = [n * self.family.at(x).cgf(s) for x, n in self.each()]
            return np.asarray(np.sum(each, axis=0)), np.zeros(s.shape)
        total, error = self._polynomial(s) if s.size > MANY_POINTS else self._polynomials(s)
        left = np.isnan(error)
        if left.any():
            (one, off), (other, farther) = (half.cgf(s[left]) for half in self._halves())
            total[left], error[left] = one + other, off + farther
        return total, error

    def _polynomial(self, s: Complex) -> tuple[Complex, Array]:
        """From one polynomial at all of many s; the error is NaN if it is not close enough, which a
        few of them tell first."""
        nothing = np.zeros(s.shape, dtype=complex), np.full(s.shape, math.nan)
        probes = s[np.linspace(0, s.size - 1, PROBES).astype(int)]
        found = self._coefficients(probes, DEGREES)
        coefficients = None if found is None else self._coefficients(s, (self._enough(found),))
        if coefficients is None:
            return nothing
        total, error = self._sums(coefficients, s)
        return nothing if (error > _tolerated(s) * np.abs(total)).any() else (total, error)

    def _sums(self, coefficients: Complex, s: Complex) -> tuple[Complex, Array]:
        """Of the polynomial over all members, and how far they may be off."""
        total = self._moments(len(coefficients) - 1) @ coefficients
        return total, self._charged * self._miss(coefficients, s) + self._cut_off(coefficients)

    def _polynomials(self, s: Complex) -> tuple[Complex, Array]:
        """The same at few s, each of the first degree that is close; NaN where none is."""
        total, error = np.zeros(s.shape, dtype=complex), np.full(s.shape, math.nan)
        left, values = np.arange(s.size), dict[float, Complex]()
        for degree in DEGREES:
            coefficients = self._through(degree, s[left], values)
            size = np.abs(self._moments(degree) @ coefficients)
            cut_off = self._cut_off(coefficients)
            last, hopeful = degree == DEGREES[-1], np.isfinite(cut_off)
            if degree == DEGREES[-2]:
                hopeful &= cut_off <= HOPEFUL * math.sqrt(_tolerated(s)) * size
            close = cut_off <= (_tolerated(s) if last else _close(s)) * size
            if close.any():
                sums, off = self._sums(coefficients[:, close], s[left[close]])
                fits = off <= _tolerated(s) * np.abs(sums)
                places = left[close][fits]
                total[places], error[places] = sums[fits], off[fits]
            again = hopeful & ~close
            left, values = left[again], {angle: each[again] for angle, each in values.items()}
            if not left.size:
                break
        return total, error

    def _through(self, degree: int, s: Complex, values: dict[float, Complex]) -> Complex:
        """Coefficients of the polynomial through K at Chebyshev's points."""
        angles = np.arange(degree + 1) * math.pi / degree
        return _coefficients(np.array([self._at(angle, s, values) for angle in angles.tolist()]))

    def _coefficients(self, s: Complex, degrees: Sequence[int]) -> Complex | None:
        """Of the first of these degrees that is close, or the last; None if that is not either."""
        values: dict[float, Complex] = {}
        for degree in degrees:
            coefficients = self._through(degree, s, values)
            if not np.isfinite(coefficients).all():
                return None
            size = np.abs(self._moments(degree) @ coefficients)
            error = self._cut_off(coefficients)
            if (error <= CLOSE * size).all():
                return coefficients
            # Twice the degree squares what is cut off, over the size of K.
            hopeful = HOPEFUL * math.sqrt(_tolerated(s)) * size
            if degree == DEGREES[-2] and (error > hopeful).any():
                return None
        return None if (error > _tolerated(s) * size).any() else coefficients

    def _enough(self, coefficients: Complex) -> int:
        """The least degree that would have been as close, with some to spare."""
        degree = len(coefficients) - 1
        size = np.abs(self._moments(degree) @ coefficients)
        for fewer in range(DEGREES[0], degree - SPARE):
            if (self._charged * np.abs(coefficients[fewer:]).sum(axis=0) <= CLOSE * size).all():
                return fewer + SPARE
        return degree

    @property
    def _charged(self) -> float:
        """What the error of K at one place counts."""
        return SAFETY * float(self.counts.sum())

    def _cut_off(self, coefficients: Complex) -> Array:
        """What is charged for the coefficients that are not there."""
        return np.asarray(self._charged * np.abs(coefficients[-LAST:]).sum(axis=0))

    def _halves(self) -> list[Members]:
        low = self.x < (self.x.min() + self.x.max()) / 2
        return [Members(self.family, self.x[some], self.counts[some]) for some in (low, ~low)]

    def each(self) -> Iterator[tuple[float, int]]:
        """The number of each member, and how often it is there."""
        for x, count in zip(self.x.tolist(), self.counts.tolist(), strict=True):
            yield x, int(count)

    def sketch(self) -> list[tuple[Loss, int]]:
        """A few members with about the same K together: each the mean of a bin."""
        order = np.argsort(self.x)
        bins = np.array_split(order, MOST_SKETCHED)
        counts = [self.counts[some] for some in bins]
        means = [float(n @ self.x[some] / n.sum()) for n, some in zip(counts, bins, strict=True)]
        return [(self.family.at(x), int(n.sum())) for x, n in zip(means, counts, strict=True)]

    def _at(self, angle: float, s: Complex, values: dict[float, Complex]) -> Complex:
        """K at cos(angle), once for each."""
        if angle not in values:
            low, high = float(self.x.min()), float(self.x.max())
            x = low + (high - low) * 0.5 * (1 + math.cos(angle))
            values[angle] = self.family.at(x).cgf(s)
        return values[angle]

    def _moments(self, degree: int) -> Array:
        """Σ count·T_k(x), each x moved to [−1, 1]."""
        low, high = self.x.min(), self.x.max()
        angle = np.arccos(np.clip((2 * self.x - low - high) / (high - low), -1.0, 1.0))
        return np.asarray(self.counts @ np.cos(angle[:, None] * np.arange(degree + 1)))

    def _miss(self, coefficients: Complex, s: Complex) -> Array:
        """How far the polynomial is from K where it is farthest from its points."""
        degree = len(coefficients) - 1
        worst = np.zeros(s.shape)
        for part in BETWEEN:
            angle = (round(part * degree) + 0.5) * math.pi / degree
            polynomial = np.cos(angle * np.arange(degree + 1)) @ coefficients
            worst = np.maximum(worst, np.abs(polynomial - self._at(angle, s, {})))
        return worst


def _tolerated(s: Complex) -> float:
    return TOLERATED_OFF_AXIS if s.imag.any() else TOLERATED_ON_AXIS


def _close(s: Complex) -> float:
    return CLOSE if s.imag.any() else CLOSE_ON_AXIS


def _coefficients(nodes: Complex) -> Complex:
    """Of Chebyshev's polynomials, from values at cos(πj/n), j = 0 … n."""
    n = len(nodes) - 1
    halves = np.ones(n + 1)
    halves[[0, -1]] = 0.5
    angles = np.outer(np.arange(n + 1), np.arange(n + 1)) * math.pi / n
    return np.asarray((2 / n) * halves[:, None] * (np.cos(angles) @ (halves[:, None] * nodes)))


def grouped(
    parts: Iterable[tuple[Loss, int]],
) -> tuple[list[Members], list[tuple[Loss, int]]]:
    """The members of large families, and all other parts."""
    families: dict[Family, list[tuple[Loss, int]]] = {}
    rest: list[tuple[Loss, int]] = []
    for loss, count in parts:
        kin = loss.kin
        (rest if kin is None else families.setdefault(kin[0], [])).append((loss, count))
    groups: list[Members] = []
    for family, members in families.items():
        if len(members) < MANY:
            rest += members
            continue
        x = np.array([loss.kin[1] for loss, _ in members if loss.kin])
        groups.append(Members(family, x, np.array([float(count) for _, count in members])))
    return groups, rest
