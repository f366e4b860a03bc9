"""δ of a secret participation by simulation: two ends that hold with a stated confidence.

The pair is Σ_i p_i·N(m_i, 1) against N(0, 1). With L the logarithm of its likelihood ratio, δ is
the mean of a weight that is never above a known W: then it is bounded by how a mean of numbers in
[0, W] may differ from its expectation, N·kl(mean/W, δ/W) <= log(1/β) on either side (Hoeffding
1963), and what it takes does not grow as δ falls.

Remove: outcomes from Σ p_i·N(t·m_i, 1), t >= 1. By Jensen's inequality its ratio to N(0, 1) is at
least e^{tL − t(t−1)D/2}, D = max|m_i|², so that the weight e^L·(1 − e^{ε−L})₊ over that ratio is at
most W = e^{−(t−1)ε + t(t−1)D/2}·((t−1)/t)^{t−1}/t. Add: outcomes from N(−t·m, 1), m = Σ p_i·m_i;
again by Jensen's inequality L >= ⟨m, y⟩ − Σ p_i·|m_i|²/2, and where the weight is not 0 L < −ε.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from hockeystick.bound import Bound
from hockeystick.numerics.log_sum import log_sum_exp
from hockeystick.numerics.roots import last_true
from hockeystick.numerics.types import Array

AT_ONCE = 4_000_000
"""Numbers that are held at once."""
HALVINGS = 200
ROUNDED_UP = 1 + 1e-9
"""More than an exponential of numbers up to 745 is off by."""


class Means(NamedTuple):
    """Σ p_i·N(m_i, 1)."""

    weights: Array
    means: Array
    """A row for each."""


def simulated_delta(
    pair: Means, epsilon: float, samples: int, fails: float, rng: Generator
) -> tuple[float, float]:
    """Both ends of δ(ε), the larger direction; they fail to hold with probability `fails`."""
    ends = [
        _ends(draw, most, samples, fails / 4, pair, rng)
        for draw, most in (_remove(pair, epsilon), _add(pair, epsilon))
    ]
    return max(low for low, _ in ends), min(1.0, max(high for _, high in ends))


def as_bound(ends: tuple[float, float], fails: float) -> Bound:
    """The ends as an answer that says what they are."""
    method = f"Monte Carlo, fails with probability {fails:g}"
    return Bound(ends[1], lower=ends[0], method=method)


Draw = Callable[[int, Generator], Array]
"""How many weights are wanted, to so many of them."""


def _ratios(pair: Means, y: Array, scale: float = 1.0) -> Array:
    """log of the ratio of Σ p_i·N(scale·m_i, 1) to N(0, 1) at each outcome."""
    squares = 0.5 * scale * scale * np.square(pair.means).sum(axis=1)
    return np.asarray(log_sum_exp(scale * (y @ pair.means.T) - squares + np.log(pair.weights)))


def _remove(pair: Means, epsilon: float) -> tuple[Draw, float]:
    largest = float(np.square(pair.means).sum(axis=1).max())
    t = max(1.0, epsilon / largest + 0.5) if largest else 1.0
    most = math.exp(-(t - 1) * epsilon + t * (t - 1) * largest / 2)
    most *= ((t - 1) / t) ** (t - 1) / t

    def draw(count: int, rng: Generator) -> Array:
        which = rng.choice(len(pair.weights), size=count, p=pair.weights)
        y = t * pair.means[which] + rng.normal(size=(count, pair.means.shape[1]))
        loss = _ratios(pair, y)
        shown = -np.expm1(np.minimum(epsilon - loss, 0.0))
        return np.asarray(np.exp(loss - _ratios(pair, y, t)) * shown)

    return draw, most


def _add(pair: Means, epsilon: float) -> tuple[Draw, float]:
    middle = pair.weights @ pair.means
    length = float(middle @ middle)
    spread = float(pair.weights @ np.square(pair.means).sum(axis=1)) / 2
    t = max(0.0, (epsilon - spread) / length) if length else 0.0
    most = math.exp(t * (spread - epsilon) + t * t * length / 2)

    def draw(count: int, rng: Generator) -> Array:
        y = rng.normal(size=(count, middle.size)) - t * middle
        shown = -np.expm1(np.minimum(epsilon + _ratios(pair, y), 0.0))
        return np.asarray(np.exp(t * (y @ middle) + t * t * length / 2) * shown)

    return draw, most


def _ends(
    draw: Draw, most: float, samples: int, miss: float, pair: Means, rng: Generator
) -> tuple[float, float]:
    """Where the expectation of weights in [0, most] lies, missed on either side with `miss`."""
    if not most > 0:  # less than any float: nothing to draw for
        return 0.0, math.ulp(0.0)
    most *= ROUNDED_UP
    total, left = 0.0, samples
    rows = max(1, AT_ONCE // (len(pair.weights) + pair.means.shape[1]))
    while left:
        total += float(draw(min(rows, left), rng).sum())
        left -= min(rows, left)
    share, allowed = min(1.0, total / samples / most), math.log(1 / miss) / samples

    def is_near(p: float) -> bool:
        return _divergence(share, p) <= allowed

    high = last_true(is_near, share, 1.0, HALVINGS)[1]
    low = share - last_true(lambda down: is_near(share - down), 0.0, share, HALVINGS)[1]
    return max(0.0, low) * most, high * most


def _divergence(x: float, p: float) -> float:
    """KL divergence of two coins."""
    if p in (0.0, 1.0):
        return 0.0 if x == p else math.inf
    first = x * math.log(x / p) if x else 0.0
    return first + ((1 - x) * math.log((1 - x) / (1 - p)) if x < 1 else 0.0)
