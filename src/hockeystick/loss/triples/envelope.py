"""The largest that any triple of normal laws does, in one direction and in both together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.loss.gaussian import gaussian_log_delta
from hockeystick.loss.triples.cover import Boxes, Cover
from hockeystick.numerics.types import Array

if TYPE_CHECKING:
    from hockeystick.loss.triples.gaussian import GaussianTriples

MARGIN = 1e-13
"""Of a δ before sampling: more than the quadrature of `excess` misses."""
ROUNDING = 1e-12
"""Relative error of the same, and more."""
SLACK = 0.002
"""Part of the variance that may be added where finer boxes would not pay."""


@dataclass(frozen=True)
class Sought:
    """Nodes u, and boxes for each family of shapes: for the larger of both directions (zero-out
    only), and for their sum."""

    u: Array
    alone: list[Boxes]
    both: list[Boxes]


@dataclass
class Envelope:
    """The largest δ of a triple, and the largest sum of both directions, at each node u.

    All values are before sampling, which is but a factor γ: E (X − b − a·Y)_+ with a = e^u and
    b = (a − 1)(1 − γ)/γ. They grow with the distances of the points, and with γ, as b falls.
    """

    triples: GaussianTriples
    u: Array

    @cached_property
    def log_a(self) -> Array:
        """log A with u = log(1 + γ·(A − 1))."""
        return np.asarray(np.log1p(np.expm1(self.u) / self.triples.rate))

    def sought(self) -> Sought:
        """Boxes whose values here are near what is attained."""
        shapes = self.triples.shapes()
        one = self._one_way()
        alone = [one.sought(each) for each in shapes] if self.triples.zero_out else []
        both = self._both_ways(self._most(alone))
        return Sought(self.u, alone, [both.sought(each) for each in shapes])

    def curves(self, sought: Sought) -> tuple[Array, Array]:
        """d and s, by the names of `VirtualPair`; at `sought` all values are larger."""
        most = self._most(sought.alone)
        together = self._largest(self._both_ways(most), sought.both)
        together[0] = 2 * most[0]
        return self.triples.rate * most, self.triples.rate * together

    def _most(self, boxes: list[Boxes]) -> Array:
        if not self.triples.zero_out:
            return self._same(self.triples.farthest)
        most = self._largest(self._one_way(), boxes)
        most[0] = self._same(self.triples.near)[0]
        return most

    def _same(self, shift: float) -> Array:
        """y = x', where the theorem for single steps is attained."""
        return np.asarray(np.exp(gaussian_log_delta(shift, self.log_a)) * (1 + ROUNDING))

    def _one_way(self) -> Cover:
        """Of zero-out: the larger of both directions."""
        most, near = (self._same(each) for each in (self.triples.farthest, self.triples.near))
        drawn = np.exp(self.u - self.log_a)
        roof = (1 - drawn) * most + drawn * near  # advanced joint convexity
        return self._cover(np.maximum, np.full(near.shape, MARGIN), roof, near)

    def _both_ways(self, most: Array) -> Cover:
        return self._cover(np.add, self._slack(most), 2 * most, most)

    def _cover(self, value: np.ufunc, slack: Array, limit: Array, reached: Array) -> Cover:
        growth = np.expm1(self.u)
        b = growth * (1 / self.triples.rate - 1)
        return Cover(1 + growth, b, value, slack, limit, reached.copy())

    def _largest(self, cover: Cover, boxes: list[Boxes]) -> Array:
        shapes = self.triples.shapes()
        found = [cover.largest(*each) for each in zip(shapes, boxes, strict=True)]
        return np.asarray(np.minimum(np.max(found, axis=0) * (1 + ROUNDING) + MARGIN, cover.limit))

    def _slack(self, scale: Array) -> Array:
        """What may be added at each node: altogether `SLACK` of the integral of the curve."""
        weight = np.exp(-self.u / 2) * scale
        whole = float(np.sum(np.diff(self.u) * (weight[1:] + weight[:-1]) / 2))
        width = whole / scale[0]
        return np.asarray(SLACK * whole / ((self.u + width) * math.log1p(self.u[-1] / width)))
