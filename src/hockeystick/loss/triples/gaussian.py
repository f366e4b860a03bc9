"""Triples of normal laws: what one record can do to a query with Gaussian noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtri

from hockeystick.errors import NumericalError
from hockeystick.loss.base import Loss
from hockeystick.loss.gaussian import gaussian_log_delta
from hockeystick.loss.triples.attained import normal_triple
from hockeystick.loss.triples.base import Triples
from hockeystick.loss.triples.cover import Cover, Shapes
from hockeystick.loss.triples.pair import VirtualPair, pair_through
from hockeystick.loss.triples.shapes import AroundRecord, AroundZero, InBall, WithinDistance
from hockeystick.numerics.types import Array

NODES = 120
"""Points of the envelope, even in the root of the loss before sampling."""
REACHES = (8.5, 12.0, 17.0, 25.0, 37.0)
"""Standard deviations up to which the envelope goes: few, so that it can be kept."""
LARGEST_LOSS = 700.0
"""Before sampling: beyond it e^loss is no float."""
NEGLIGIBLE = 1e-9
"""A δ before sampling below which no box is looked at: what no triple exceeds does as well."""
MARGIN = 1e-13
"""Of a δ before sampling: more than the quadrature of `excess` misses."""
ROUNDING = 1e-12
"""Relative error of the same, and more."""
SLACK = 0.003
"""Part of the variance that may be added where finer boxes would not pay."""


@dataclass(frozen=True)
class GaussianTriples(Triples):
    """Three points with Gaussian noise of standard deviation 1, in one of three geometries.

    By default they lie in a ball of radius `near` (adding a record moves the query that far), of
    which `far`, the distance that replacing one moves it, is the diameter. If `far` is not twice
    `near`, they are at most `far` apart. With `zero_out` x' is the centre, x and y at most `near`
    from it and `far` from each other.
    """

    near: float = 1.0
    far: float = 2.0
    zero_out: bool = False

    def pair(self, given_away: float) -> VirtualPair:
        wanted = -float(ndtri(min(max(given_away / self.rate, 1e-300), 0.5)))
        reach = next((each for each in REACHES if each >= wanted), REACHES[-1])
        return _pair(self, reach)

    def attained(self) -> tuple[Loss, ...]:
        """An equilateral triangle, or with x' = 0 the y that is opposite to x."""
        near, far = self.near, self.far
        if self.zero_out and near <= far <= 2 * near:
            return (normal_triple(self.rate, (near - far, 0.0), (near, 0.0), (0.0, 0.0)),)
        if not self.zero_out and far <= math.sqrt(3) * near:
            top = (0.0, far * math.sqrt(0.75))
            return (normal_triple(self.rate, top, (far / 2, 0.0), (-far / 2, 0.0)),)
        return ()

    def shapes(self) -> list[Shapes]:
        """Families of triangles one of which is above any that can occur."""
        if not self.zero_out:
            return [InBall(self.near) if self.in_ball else WithinDistance(self.far)]
        families: list[Shapes] = [AroundZero(self.near, self.far)]
        if self.far < 2 * self.near:
            families.append(AroundRecord(self.near, self.far))
        return families

    @property
    def farthest(self) -> float:
        """The largest distance of two of the points."""
        return max(self.near, self.far) if self.zero_out else self.far

    @property
    def in_ball(self) -> bool:
        """Whether the points lie in a ball, and nothing else is known of them."""
        return self.far == 2 * self.near


@lru_cache(maxsize=128)
def _pair(triples: GaussianTriples, reach: float) -> VirtualPair:
    """The pair through the envelope at nodes u = log(1 + γ·(A − 1)), with log A up to reach."""
    far, rate = triples.farthest, triples.rate
    log_a = far * (far / 2 + reach) * np.linspace(0.0, 1.0, NODES + 1) ** 2
    if log_a[-1] > LARGEST_LOSS:
        raise NumericalError("the noise is too small for the envelope of the game")
    growth = rate * np.expm1(log_a)
    envelope = _Envelope(triples, np.log1p(growth), log_a, 1 + growth)
    return pair_through(envelope.u, *envelope.curves())


@dataclass
class _Envelope:
    """The largest δ of a triple, and the largest sum of both directions, at each node."""

    triples: GaussianTriples
    u: Array
    log_a: Array
    a: Array

    def curves(self) -> tuple[Array, Array]:
        """d and s, by the names of `VirtualPair`."""
        most = self._alone(self.triples.farthest)
        if self.triples.zero_out:
            near = self._alone(self.triples.near)
            drawn = np.exp(self.u - self.log_a)
            roof = (1 - drawn) * most + drawn * near  # advanced joint convexity
            most = self._largest(np.maximum, np.full(near.shape, MARGIN), near, roof)
            most[0] = near[0]
        together = self._largest(np.add, self._slack(most), most, 2 * most)
        together[0] = 2 * most[0]
        rate = self.triples.rate
        return rate * most, rate * together

    def _alone(self, shift: float) -> Array:
        """y = x', where the theorem for single steps is attained."""
        return np.asarray(np.exp(gaussian_log_delta(shift, self.log_a)) * (1 + ROUNDING))

    def _largest(self, value: np.ufunc, slack: Array, reached: Array, limit: Array) -> Array:
        """Over all shapes; all values are before sampling, which is but a factor γ."""
        known = limit > NEGLIGIBLE
        a, b = self.a[known], np.exp(self.log_a[known]) - self.a[known]
        cover = Cover(a, b, value, slack[known], limit[known])
        cover.reached = reached[known]
        found = np.max([cover.largest(each) for each in self.triples.shapes()], axis=0)
        largest = limit.copy()
        largest[known] = np.minimum(found * (1 + ROUNDING) + MARGIN, limit[known])
        return largest

    def _slack(self, scale: Array) -> Array:
        """What may be added at each node: altogether `SLACK` of the integral of the curve."""
        weight = np.exp(-self.u / 2) * scale
        whole = float(np.sum(np.diff(self.u) * (weight[1:] + weight[:-1]) / 2))
        width = whole / scale[0]
        return np.asarray(SLACK * whole / ((self.u + width) * math.log1p(self.u[-1] / width)))
