"""Pairs on the line, from their definitions: mixtures of shifted noise and finite tables.

Double precision; P/Q never decreases along the line, so the best test is a threshold, which is
found by bisection. Nothing here knows how the library writes a loss down.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Array = NDArray[np.float64]
Profile = Callable[[Array], Array]
"""δ at each real ε."""


@dataclass(frozen=True)
class Noise:
    """Gaussian or Laplace noise of scale 1."""

    gaussian: bool

    def log_density(self, x: Array) -> Array:
        log = -0.5 * x * x - 0.5 * np.log(2 * np.pi) if self.gaussian else -np.abs(x) - np.log(2)
        return np.asarray(log)

    def above(self, x: Array) -> Array:
        if self.gaussian:
            return np.asarray(ndtr(-x))
        tail = 0.5 * np.exp(-np.abs(x))
        return np.where(x > 0, tail, 1 - tail)


GAUSSIAN, LAPLACE = Noise(True), Noise(False)


@dataclass(frozen=True)
class Mixture:
    """Σ weight · (noise + mean)."""

    noise: Noise
    weights: Sequence[float]
    means: Sequence[float]

    def log_density(self, x: Array) -> Array:
        if len(self.means) == 1:
            return self.noise.log_density(x - self.means[0])
        each = [
            self.noise.log_density(x - mean) + math.log(weight)
            for weight, mean in zip(self.weights, self.means, strict=True)
        ]
        return np.asarray(np.logaddexp.reduce(each))

    def above(self, x: Array) -> Array:
        each = zip(self.weights, self.means, strict=True)
        return np.asarray(sum(weight * self.noise.above(x - mean) for weight, mean in each))

    def flipped(self) -> Mixture:
        return Mixture(self.noise, self.weights, [-mean for mean in self.means])


def at(noise: Noise, mean: float) -> Mixture:
    """The noise around one place."""
    return Mixture(noise, [1.0], [mean])


def stick(p: Mixture, q: Mixture) -> Profile:
    """H_{e^ε}(P‖Q) = max over t of P(x > t) − e^ε·Q(x > t), P/Q not decreasing in x."""

    def profile(epsilon: Array) -> Array:
        epsilon = np.asarray(epsilon, dtype=float)
        low, high = np.full_like(epsilon, -100.0), np.full_like(epsilon, 100.0)
        for _ in range(48):
            t = (low + high) / 2
            over = p.log_density(t) - q.log_density(t) > epsilon
            low, high = np.where(over, low, t), np.where(over, t, high)
        found = p.above(high) - np.exp(epsilon) * q.above(high)
        return np.maximum(found, np.maximum(-np.expm1(epsilon), 0))

    return profile


def back(p: Mixture, q: Mixture) -> Profile:
    """H_{e^ε}(Q‖P), by the mirrored line."""
    return stick(q.flipped(), p.flipped())


def table(p: Sequence[float], q: Sequence[float]) -> Profile:
    """H_{e^ε}(P‖Q) of finitely many outcomes."""
    first, second = np.array(p), np.array(q)

    def profile(epsilon: Array) -> Array:
        growth = np.exp(np.asarray(epsilon, dtype=float))[..., None]
        return np.asarray(np.maximum(first - growth * second, 0).sum(axis=-1))

    return profile


def reverse(profile: Profile) -> Profile:
    """h_rev(a) = 1 − a + a·h(1/a)."""
    return lambda epsilon: -np.expm1(epsilon) + np.exp(epsilon) * profile(-np.asarray(epsilon))


def halves(forward: Profile, backward: Profile) -> Profile:
    """`forward` for ε >= 0, the reverse of `backward` below."""

    def profile(epsilon: Array) -> Array:
        epsilon = np.asarray(epsilon, dtype=float)
        behind = reverse(backward)(np.minimum(epsilon, 0))
        return np.where(epsilon >= 0, forward(np.maximum(epsilon, 0)), behind)

    return profile


def hull(profile: Profile, top: float, cells: int = 6_000) -> Profile:
    """The lower convex envelope in a = e^ε, 0 <= a <= e^top, by chords: above it by O(1/cells²).

    Losses beyond `top` are not looked at: choose it where the profile is convex.
    """
    near = 1 + np.geomspace(1e-5, 0.5, cells)
    a = np.unique(np.concatenate([np.linspace(0, np.exp(top), cells), [1.0], near]))
    with np.errstate(divide="ignore"):
        values = np.where(a > 0, profile(np.log(np.maximum(a, 1e-300))), 1.0)
    corners: list[int] = []
    for i in range(a.size):
        while len(corners) > 1:
            j, k = corners[-2:]
            if (values[k] - values[j]) * (a[i] - a[j]) < (values[i] - values[j]) * (a[k] - a[j]):
                break
            corners.pop()
        corners.append(i)

    def enveloped(epsilon: Array) -> Array:
        inside = np.interp(np.exp(epsilon), a[corners], values[corners])
        return np.where(np.asarray(epsilon) < top, inside, profile(np.asarray(epsilon)))

    return enveloped


def twice(profile: Profile, epsilon: float, reach: float, cells: int) -> float:
    """δ after two steps: from above, Σ p_i·h(ε − ℓ_i) with the masses of connecting the dots.

    The first step is rounded up to `cells` losses between ±`reach`, closer together near 0 (its
    profile replaced by chords, which lie above it by O(1/cells²)), the second is exact.
    """
    losses = reach * np.sinh(np.linspace(-4, 4, cells + 1)) / math.sinh(4)
    a, h = np.append(0.0, np.exp(losses)), np.append(1.0, profile(losses))
    slopes = np.append(np.diff(h) / np.diff(a), 0.0)
    p = np.diff(slopes) * a[1:]
    return float(p @ profile(epsilon - losses) + h[-1])
