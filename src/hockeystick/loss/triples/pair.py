"""The pair that stands for all moves of an adversary: through an envelope of both directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array

ROUGH = 1e-13
"""How far rounding may let the masses of a pair miss their total."""

RENYI_ROUNDING = 1e-12
"""Relative error of a Rényi divergence but for cancelling, and more."""
TERM_ROUNDING = 2.0**-50
"""Of a sum of terms, relative to their parts."""


Calmer = Callable[[float], Sequence["CalmPair"]]


@dataclass(frozen=True, eq=False)
class VirtualPair:
    """A pair with the profile d, reversed s − d, where for every move, at every u >= 0,

        δ(u), δ_reversed(u) <= d(u)       δ(u) + δ_reversed(u) <= s(u)

    By atoms, without the one at 0, which takes what is left of the mass.
    """

    losses: Array
    masses: Array
    """Of the losses, under P."""
    infinite: float = 0.0
    """What every move may give away besides: a P-mass that is not in the atoms."""
    is_a_move: bool = False
    """Whether this pair and its reverse are all that there is to choose."""
    calmer: Calmer = lambda slope: ()
    """Smaller pairs for weights that fall slowly, the smallest last: asked for when needed, by the
    least slope that there will be."""

    def excess(self, s: float) -> float:
        """E_P[e^{sL}] − 1, accurate relative to its own size; inf where no float can hold it."""
        with np.errstate(over="ignore", invalid="ignore"):
            terms = np.expm1(s * self.losses) + s * np.expm1(-self.losses)
            total = float(self.masses @ terms)
        return total if total < np.inf else np.inf

    @cached_property
    def top(self) -> float:
        """The largest loss."""
        return float(self.losses.max())

    @cached_property
    def variance(self) -> float:
        """8·(1 − E_P[e^{−L/2}]): about that of the loss."""
        return -8 * self.excess(-0.5)

    @cached_property
    def asymmetry(self) -> float:
        """−8·d/ds E_P[e^{sL}] at −1/2, about a third of the third cumulant."""
        terms = self.losses * np.exp(-0.5 * self.losses) + np.expm1(-self.losses)
        return max(-8 * float(self.masses @ terms), 0.0)

    def divergence(self, orders: Array) -> Array:
        """Rényi divergences at orders in [1, inf], which no move exceeds at any of them.

        E[e^{sL}] − 1 = s(s+1)·∫_0^∞ (e^{su}·δ(u) + e^{−(s+1)u}·δ_reversed(u)) du weighs δ more than
        δ_reversed, so under δ, δ_reversed <= d and δ + δ_reversed <= s it is largest for this pair.
        """
        if self.infinite:
            return np.full(orders.shape, np.inf)
        return np.array([self._divergence(order) for order in orders.tolist()])

    def _divergence(self, order: float) -> float:
        """Rounded up: the terms of small losses nearly cancel."""
        s, safe = order - 1, 1 + RENYI_ROUNDING
        if s == np.inf:
            return self.top * safe
        if s == 0:
            terms, parts = self.losses + np.expm1(-self.losses), 2 * np.abs(self.losses)
            return float(self.masses @ (terms + TERM_ROUNDING * parts)) * safe
        with np.errstate(over="ignore"):
            up, down = np.expm1(s * self.losses), s * np.expm1(-self.losses)
            unsure = float(self.masses @ (np.abs(up) + np.abs(down))) * TERM_ROUNDING
        growth = self.excess(s) + unsure
        return min(float(np.log1p(growth)) / s, self.top) * safe

    @property
    def skew(self) -> float:
        """About the third cumulant over the variance to the power 3/2."""
        return float(3 * self.asymmetry / self.variance**1.5)


@dataclass(frozen=True)
class CalmPair:
    """A pair that stands for all moves where weights fall by e^{−slope·t} at most over any t."""

    slope: float
    pair: VirtualPair


@dataclass(frozen=True)
class Curves:
    """Both profiles of a pair at nodes u, with chords in e^u between, and what is given away."""

    u: Array
    ahead: Array
    behind: Array
    infinite: float
    most: Array
    """What is ahead at least: d, less what is given away."""

    @classmethod
    def through(cls, u: Array, most: Array, together: Array) -> Self:
        """Of d = `most` and s = `together`, where u[0] = 0 and s(0) = 2·d(0).

        Chords are safe: d and s are convex in e^u, so that s is also below the convex hull of its
        bounds; s − d, which need not be convex, is raised until it is. The last value of d counts
        as given away.
        """
        a, infinite = np.expm1(u), float(most[-1])
        together, first = convex_below(a, together)
        most = convex_above(a, convex_below(a, most)[0] - infinite)
        ahead = most.copy()
        ahead[:first] = np.interp(a[:first], a[[0, first]], ahead[[0, first]])
        behind = convex_above(a, np.clip(together - ahead - infinite, 0.0, ahead))
        ahead = np.maximum(_raised(a, ahead, float(behind[0])), behind)
        behind[0] = ahead[0]
        return cls(u, ahead, behind, infinite, most)

    @property
    def whole(self) -> Array:
        """Both together."""
        return self.ahead + self.behind

    def lowered(self, together: Array) -> Curves:
        """Smaller profiles, as little ahead as may be, and so much behind that they add up to
        `together` about: convex, nowhere above these, and with a mass of 1 at most."""
        a, most = np.expm1(self.u), self.most
        room = np.minimum(most, self.whole - most)
        behind = np.clip(together - most, 0.0, room)
        behind[0] = most[0]
        steepest = 1 - float(np.exp(self.u[1:]) @ _jumps(a, most))
        behind = np.maximum(convex_below(a, behind)[0], most[0] - a * steepest)
        if np.any(behind > room * (1 + ROUGH)):
            raise NumericalError("there is no smaller pair of laws")
        return replace(self, ahead=most, behind=behind)

    def between(self, larger: Curves, share: float) -> Curves:
        """So much of the way to larger profiles."""
        ahead = self.ahead + share * (larger.ahead - self.ahead)
        return replace(
            self, ahead=ahead, behind=self.behind + share * (larger.behind - self.behind)
        )

    def pair(self, calmer: Calmer = lambda slope: ()) -> VirtualPair:
        """The pair with these profiles; `NumericalError` where there is none."""
        a = np.expm1(self.u)
        q_ahead, q_behind = _jumps(a, self.ahead), _jumps(a, self.behind)
        losses = np.concatenate([-self.u[:0:-1], self.u[1:]])
        masses = np.concatenate([q_behind[::-1], np.exp(self.u[1:]) * q_ahead])
        if masses.sum() > 1 + ROUGH:
            raise NumericalError("the envelope of the moves is no pair of laws")
        kept = masses > 0
        return VirtualPair(losses[kept], masses[kept], self.infinite, calmer=calmer)


def _raised(a: Array, profile: Array, start: float) -> Array:
    """A profile with a larger first value: a hinge is added that is about as wide as itself."""
    width = float(np.sum(np.diff(a) * (profile[1:] + profile[:-1]))) / float(profile[0])
    more = max(start - float(profile[0]), 0.0)
    return profile + more * np.maximum(1 - a / width, 0.0)


def _jumps(a: Array, profile: Array) -> Array:
    """By how much the fall of a profile slows down at each node but the first."""
    fall = np.append(-np.diff(profile) / np.diff(a), 0.0)
    return np.maximum(-np.diff(fall), 0.0)


def convex_above(a: Array, values: Array) -> Array:
    """A convex, non-increasing function through or above the values, built from the right.

    >>> convex_above(np.array([0.0, 1.0, 2.0, 3.0]), np.array([3.0, 2.0, 0.5, 0.0])).tolist()
    [3.5, 2.0, 0.5, 0.0]
    """
    raised, fall = values.copy(), 0.0
    for i in range(len(a) - 2, -1, -1):
        gap = a[i + 1] - a[i]
        fall = max(fall, (values[i] - raised[i + 1]) / gap)
        raised[i] = raised[i + 1] + fall * gap
    return raised


def convex_below(a: Array, values: Array) -> tuple[Array, int]:
    """The largest convex function that is nowhere above the values; its first corner but one.

    >>> hull, corner = convex_below(np.array([0.0, 1.0, 2.0, 3.0]), np.array([3.0, 2.5, 1.0, 0.0]))
    >>> hull.tolist(), corner
    ([3.0, 2.0, 1.0, 0.0], 3)
    """
    corners: list[int] = []
    for i in range(len(a)):
        while len(corners) > 1:
            j, k = corners[-2:]
            if (values[k] - values[j]) * (a[i] - a[k]) < (values[i] - values[k]) * (a[k] - a[j]):
                break
            corners.pop()
        corners.append(i)
    return np.interp(a, a[corners], values[corners]), corners[1]
