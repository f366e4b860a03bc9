"""Mixtures of Gaussians of variance 1 on the line."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockeystick.numerics.blocks import CHUNK, in_blocks
from hockeystick.numerics.log_sum import log_sum_exp
from hockeystick.numerics.special import ndtr
from hockeystick.numerics.types import Array

Pairwise = Callable[[Array], tuple[Array, Array]]


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
        return in_blocks(self._log_ratio, x, len(self.means))

    def _log_ratio(self, x: Array) -> Array:
        means, weights = np.array(self.means), np.array(self.weights)
        exponent = means * x[..., None] - 0.5 * means**2
        excess = np.expm1(np.minimum(exponent, 30)) @ weights
        near = (exponent.max(axis=-1, initial=0.0) < 30) & (excess > -0.5)
        small = np.log1p(np.maximum(excess, -0.5))
        if near.all():
            return np.asarray(small)
        exponent += np.log(weights)
        return np.asarray(np.where(near, small, log_sum_exp(exponent)))

    def log_density(self, x: Array) -> Array:
        """log of the density."""
        return np.asarray(self.log_ratio(x) - 0.5 * x * x - 0.5 * math.log(2 * math.pi))

    def log_ratio_and_slope(self, x: Array) -> tuple[Array, Array]:
        """`log_ratio` and `slope` of places in one row, from the same exponentials."""
        return self._by_block(self._log_ratio_and_slope, x)

    def _log_ratio_and_slope(self, x: Array) -> tuple[Array, Array]:
        means, weights = np.array(self.means), np.array(self.weights)
        exponent = np.multiply.outer(x, means) - 0.5 * means**2
        peak = exponent.max(axis=1, initial=0.0)
        more = np.expm1(np.minimum(exponent, 30))
        excess = more @ weights
        slope = (more @ (weights * means) + weights @ means) / (1 + excess)
        log = np.log1p(np.maximum(excess, -0.5))
        far = np.flatnonzero((peak >= 30) | (excess <= -0.5))
        if far.size:
            log[far] = log_sum_exp(exponent[far] + np.log(weights))
            slope[far] = self.slope(x[far])
        return log, slope

    def beyond(self, x: Array) -> tuple[Array, Array]:
        """Mass beyond and mass up to each x, both accurate where they are small."""
        return self._by_block(self._beyond, x)

    def _beyond(self, x: Array) -> tuple[Array, Array]:
        means, weights = np.array(self.means), np.array(self.weights)
        apart = np.subtract.outer(x, means)
        small = ndtr(-np.abs(apart))
        large = 1 - small
        right = apart > 0
        return np.where(right, small, large) @ weights, np.where(right, large, small) @ weights

    def _by_block(self, function: Pairwise, x: Array) -> tuple[Array, Array]:
        flat = np.ravel(x)
        rows = max(1, CHUNK // len(self.means))
        parts = [function(flat[i : i + rows]) for i in range(0, max(flat.size, 1), rows)]
        one, other = (np.concatenate(each).reshape(np.shape(x)) for each in zip(*parts, strict=True))
        return one, other

    def above(self, x: Array) -> Array:
        """Mass beyond x."""
        return self.beyond(x)[0]

    @cached_property
    def flipped(self) -> GaussianMixture:
        """The law of −x."""
        return GaussianMixture(self.weights, tuple(-mean for mean in self.means))

    def slope(self, x: Array) -> Array:
        """d/dx of `log_ratio`: the mean of the means, weighted by how likely each is."""
        means, log_weights = np.array(self.means), np.log(np.array(self.weights))

        def some(part: Array) -> Array:
            terms = log_weights - 0.5 * (part[..., None] - means) ** 2
            terms = np.exp(terms - terms.max(axis=-1, keepdims=True))
            return np.asarray(terms @ means / terms.sum(axis=-1))

        return in_blocks(some, x, means.size)
