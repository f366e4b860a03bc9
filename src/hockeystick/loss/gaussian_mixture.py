"""Mixtures of Gaussians of variance 1 on the line."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockeystick.numerics.special import log_ndtr, ndtr
from hockeystick.numerics.types import Array

Pairwise = Callable[[Array, Array, Array, float], tuple[Array, Array]]
Shares = Callable[[Array], Array]

BLOCK = 1 << 13
"""Places at a time: few enough for the cache, and for many means to be negligible."""
NEGLIGIBLE_NATS = 45.0
"""Nats below the largest part at which a mean is left out: 3e-20 of it."""
LARGE = 30.0
"""From this exponent on a ratio is far from 1."""


@dataclass(frozen=True)
class GaussianMixture:
    """Σ weight·N(mean, 1)."""

    weights: tuple[float, ...]
    means: tuple[float, ...]

    @classmethod
    def of(cls, weights: Array, means: Array) -> GaussianMixture:
        """From arrays; weights that have vanished are left out and the rest made to add up."""
        kept = weights > 1e-300
        total = float(weights[kept].sum())
        return cls(tuple((weights[kept] / total).tolist()), tuple(means[kept].tolist()))

    def log_ratio(self, x: Array) -> Array:
        """log of the density over that of N(0, 1), accurate where it is near 0."""
        return self.log_ratio_and_slope(x)[0]

    def log_density(self, x: Array) -> Array:
        """log of the density."""
        return np.asarray(self.log_ratio(x) - 0.5 * x * x - 0.5 * math.log(2 * math.pi))

    def density(self, x: Array) -> Array:
        """The density, with all its digits near means that are far from 0."""
        return self._by_block(x, self._log_terms, _density)[0]

    def log_ratio_and_slope(self, x: Array) -> tuple[Array, Array]:
        """`log_ratio` and `slope`, from the same exponentials."""
        return self._by_block(x, self._log_terms, _log_ratio_and_slope)

    def beyond(self, x: Array) -> tuple[Array, Array]:
        """Mass beyond and mass up to each x, both accurate where they are small."""
        return self._by_block(x, self._log_tails, _beyond)

    def _log_terms(self, x: Array) -> Array:
        """log of each part of the density over that of N(0, 1)."""
        means, weights = self._columns
        return np.asarray(np.log(weights) + means * x - 0.5 * means**2)

    def _log_tails(self, x: Array) -> Array:
        """log of each part of the mass beyond, and of the mass up to, each x."""
        means, weights = self._columns
        apart = means - x
        tails = np.hstack([log_ndtr(apart), log_ndtr(-apart)])
        return np.asarray(np.log(weights) + tails)

    @cached_property
    def _columns(self) -> tuple[Array, Array]:
        """Means, in order, and their weights."""
        order = np.argsort(self.means, kind="stable")
        return np.array(self.means)[order, None], np.array(self.weights)[order, None]

    def _by_block(self, x: Array, shares: Shares, function: Pairwise) -> tuple[Array, Array]:
        """Some places at a time, each with those means alone that matter there.

        Of two means the part of the larger grows with x against that of the smaller. So what is
        negligible at both ends of a block, and not between two that are not, is so in it.
        """
        flat = np.ravel(x)
        means, weights = self._columns
        found = np.empty((2, flat.size))
        for i in range(0, flat.size, BLOCK):
            part = flat[i : i + BLOCK]
            log = shares(np.array([part.min(), part.max()]))
            near = np.flatnonzero((log >= log.max(axis=0) - NEGLIGIBLE_NATS).any(axis=1))
            kept = slice(near[0], near[-1] + 1)
            left_out = float(weights[: near[0]].sum() + weights[near[-1] + 1 :].sum())
            found[:, i : i + BLOCK] = function(part, means[kept], weights[kept], left_out)
        return found[0].reshape(np.shape(x)), found[1].reshape(np.shape(x))

    def above(self, x: Array) -> Array:
        """Mass beyond x."""
        return self.beyond(x)[0]

    @cached_property
    def flipped(self) -> GaussianMixture:
        """The law of −x."""
        return GaussianMixture(self.weights, tuple(-mean for mean in self.means))

    def slope(self, x: Array) -> Array:
        """d/dx of `log_ratio`: the mean of the means, weighted by how likely each is."""
        return self.log_ratio_and_slope(x)[1]


def _log_ratio_and_slope(
    x: Array, means: Array, weights: Array, left_out: float
) -> tuple[Array, Array]:
    """log of Σ w·e^{…} = 1 + Σ w·(e^{…} − 1) less the weights left out, and its derivative."""
    exponent = means * x - 0.5 * means**2
    more = np.expm1(np.minimum(exponent, LARGE))
    excess = (weights * more).sum(axis=0) - left_out
    slope = (weights * means * (1 + more)).sum(axis=0) / np.maximum(1 + excess, 0.5)
    log = np.log1p(np.maximum(excess, -0.5))
    far = np.flatnonzero((exponent.max(axis=0) >= LARGE) | (excess <= -0.5))
    if far.size:
        terms = exponent[:, far] + np.log(weights)
        peak = terms.max(axis=0)
        terms = np.exp(terms - peak)
        total = terms.sum(axis=0)
        log[far] = peak + np.log(total)
        slope[far] = (means * terms).sum(axis=0) / total
    return log, slope


def _density(x: Array, means: Array, weights: Array, left_out: float) -> tuple[Array, Array]:
    """Σ weight·φ(x − mean), twice."""
    bells = np.exp(-0.5 * (x - means) ** 2)
    value = (weights * bells).sum(axis=0) / math.sqrt(2 * math.pi)
    return value, value


def _beyond(x: Array, means: Array, weights: Array, left_out: float) -> tuple[Array, Array]:
    """Masses beyond and up to each x."""
    apart = x - means
    small = ndtr(-np.abs(apart))
    large, right = 1 - small, apart > 0
    above = (weights * np.where(right, small, large)).sum(axis=0)
    return above, (weights * np.where(right, large, small)).sum(axis=0)
