"""Triples of normal laws: what one record can do to a query with Gaussian noise."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.base import Loss
from hockeystick.loss.triples.attained import normal_triple
from hockeystick.loss.triples.base import Triples
from hockeystick.loss.triples.calm import Calmer, Plan
from hockeystick.loss.triples.cover import Shapes
from hockeystick.loss.triples.envelope import Envelope, Sought
from hockeystick.loss.triples.pair import CalmPair, Curves, VirtualPair
from hockeystick.loss.triples.roughly import Roughly, roughly
from hockeystick.loss.triples.shapes import AroundRecord, AroundZero, InBall, WithinDistance
from hockeystick.numerics.special import ndtri

NODES = 120
"""Points of the envelope, even in the root of the loss before sampling."""
REACHES = (8.5, 12.0, 17.0, 25.0, 37.0)
"""Standard deviations up to which the envelope goes: few, so that it can be kept."""
LARGEST_LOSS = 700.0
"""Before sampling: beyond it e^loss is no float."""
GRAIN = 16
"""Corners of noise, and of rates, from one to its double."""
SAFE = 1e-12
"""Families of shapes are made larger by so much: their ends are rounded."""
SAME = 1e-15
"""Ratios this near are one that was rounded."""


@dataclass(frozen=True)
class GaussianTriples(Triples):
    """Three points with Gaussian noise of standard deviation 1, in one of three geometries.

    They lie in a ball of radius `near` (adding a record moves the query that far), and are at most
    `far` apart (replacing one does), which is the diameter by default. With `zero_out` x' is the
    centre, x and y at most `near` from it and `far` from each other.
    """

    near: float = 1.0
    far: float = 2.0
    zero_out: bool = False

    def pair(self, given_away: float) -> VirtualPair:
        wanted = -float(ndtri(min(max(given_away / self.rate, 1e-300), 0.5)))
        reach = next((each for each in REACHES if each >= wanted), REACHES[-1])
        return _pair(self, reach)

    def roughly(self) -> Roughly | None:
        return roughly(self)

    def attained(self) -> tuple[Loss, ...]:
        """An equilateral triangle, or those with two sides `far` that fit into the ball; with
        x' = 0 the y that is opposite to x."""
        near, far = self.near, self.far
        if self.zero_out and near <= far <= 2 * near:
            return (normal_triple(self.rate, (near - far, 0.0), (near, 0.0), (0.0, 0.0)),)
        if self.zero_out or self.in_ball:
            return ()
        height = far * max(math.sqrt(0.75), far / (2 * near))
        if height >= far:
            return ()
        half = math.sqrt(far**2 - height**2)
        from_y = normal_triple(self.rate, (0.0, height), (half, 0.0), (-half, 0.0))
        if far <= math.sqrt(3) * near:
            return (from_y,)
        y = (2 * half**2 / far - far / 2, 2 * half * height / far)
        return (from_y, normal_triple(self.rate, y, (far / 2, 0.0), (-far / 2, 0.0)))

    def shapes(self) -> list[Shapes]:
        """Families of triangles one of which is above any that can occur."""
        if not self.zero_out:
            return self._apart() if not self.in_ball else [InBall(self.near)]
        families: list[Shapes] = [AroundZero(self.near, self.far)]
        if self.far < 2 * self.near:
            families.append(AroundRecord(self.near, self.far))
        return families

    def _apart(self) -> list[Shapes]:
        """At most `far` apart, and in the ball: from √3 radii on not all triangles fit."""
        ratio = self.far / self.near
        if not math.sqrt(3) < ratio < 2:
            return [WithinDistance(self.far)]
        longest, widest = 4 - ratio**2, math.asin(ratio / 2)
        arc = WithinDistance(self.far, min(longest * (1 + SAFE) + SAFE, 1.0))
        return [arc, InBall(self.near, min(widest * (1 + SAFE), math.pi / 2))]

    @property
    def corner(self) -> GaussianTriples:
        """Triples that differ as much, or a little more, on a sample as large, or a little larger:
        one of few, for all near it."""
        ratio = self.far / self.near
        if abs(ratio - round(ratio, 9)) < SAME * ratio:
            ratio = round(ratio, 9)
        near, odds = (_rounded_up(each) for each in (self.near, self.rate / (1 - self.rate)))
        return GaussianTriples(odds / (1 + odds), near, near * ratio, self.zero_out)

    @property
    def farthest(self) -> float:
        """The largest distance of two of the points."""
        return max(self.near, self.far) if self.zero_out else self.far

    @property
    def in_ball(self) -> bool:
        """Whether the points lie in a ball, and nothing else is known of them."""
        return self.far == 2 * self.near


def _rounded_up(value: float) -> float:
    """To a power of 2^(1/16); a value that is one, but for rounding, stays."""
    return float(2.0 ** (math.ceil(GRAIN * math.log2(value) - 1e-9) / GRAIN)) * (1 + 1e-9)


@lru_cache(maxsize=128)
def _pair(triples: GaussianTriples, reach: float) -> VirtualPair:
    """Kept, so that what is computed of it can be kept too."""
    return _curves(triples, reach).pair(partial(_calmer, triples, reach))


@lru_cache(maxsize=128)
def _curves(triples: GaussianTriples, reach: float) -> Curves:
    return _through(triples, _sought(triples.corner, reach))


def _through(triples: GaussianTriples, sought: Sought) -> Curves:
    return Curves.through(sought.u, *Envelope(triples, sought.u).curves(sought))


def _calmer(triples: GaussianTriples, reach: float, slope: float) -> tuple[CalmPair, ...]:
    """For weights that fall slowly: between the shape of the largest variance and the envelope."""
    with suppress(NumericalError):
        return _smaller(triples, reach).pairs(_planned(triples.corner, reach), slope)
    return ()


@lru_cache(maxsize=128)
def _smaller(triples: GaussianTriples, reach: float) -> Calmer:
    return Calmer(_curves(triples, reach), triples.rate, triples.shapes())


@lru_cache(maxsize=128)
def _planned(triples: GaussianTriples, reach: float) -> Plan:
    """What to look at for those, at a corner."""
    most = _through(triples, _sought(triples, reach))
    return Calmer(most, triples.rate, triples.shapes()).plan()


@lru_cache(maxsize=128)
def _sought(triples: GaussianTriples, reach: float) -> Sought:
    """At nodes u = log(1 + γ·(A − 1)), with log A up to reach."""
    far = triples.farthest
    log_a = far * (far / 2 + reach) * np.linspace(0.0, 1.0, NODES + 1) ** 2
    if log_a[-1] > LARGEST_LOSS:
        raise NumericalError("the noise is too small for the envelope of the game")
    return Envelope(triples, np.log1p(triples.rate * np.expm1(log_a))).sought()
