"""Where the vertical line should cross the real axis: near the best point for Chernoff's bound."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.series import EPS, Array

COARSE = np.arange(-3.0, 8.0)
FINE = (-0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75)
BEYOND = (*FINE, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
NEARBY = (-1.0, 1.0)
"""Powers of two beside the best that are asked too, where a sketch has found that."""
FARTHEST = 60
"""Powers of two beyond which no point is tried."""
NATS = 32.0
"""Aliases and truncation are each kept below e^−32 = 1e-14 of δ."""
LOST = 3.0
"""Nats of cancellation from which on a line through the truncated loss is tried."""
MOST_PLANNING_PARTS = 32
"""Different parts of a composition that are enough to plan with."""


def log_kappa(x: Any) -> Any:
    """log of x^x/(1+x)^{1+x}, the constant of Chernoff's bound δ(ε) <= κ(x)·e^{K(x) − xε}."""
    return x * np.log(x) - (1 + x) * np.log1p(x)


@dataclass(frozen=True)
class Saddle:
    """K on a grid of real points around the best one, and estimates of ε and log δ there."""

    x: Array
    k: Array
    epsilon: float
    log_delta: float

    def log_chernoff(self) -> float:
        """Chernoff's bound on log δ(ε) at the best point, rounded up; of all steps only if they
        are not a sketch."""
        bound = self.k - self.x * self.epsilon + log_kappa(self.x)
        return float((bound + 16 * EPS * (np.abs(self.k) + self.x * abs(self.epsilon))).min())

    def line(self, nats: float, lost: float, bottom: float = -math.inf) -> tuple[int, int, float]:
        """Where to cross, a Chernoff point right of it, and the least period T.

        T is such that the aliases from the left, e^{−cT}, and from the right, by Chernoff, are each
        e^−nats of δ. Points at which cancellation would lose `lost` nats more are not considered.
        Below a `bottom` that the loss cannot pass δ is known, and the left aliases with it.
        """
        x, k, log_delta = self.x, self.k, self.log_delta
        level = k - x * self.epsilon - np.log(x * (x + 1)) - log_delta
        chernoff = k - x * self.epsilon + log_kappa(x) - log_delta
        candidates = np.flatnonzero(level < level.min() + lost)
        left = (nats - log_delta) / x[candidates]
        left = np.minimum(left, np.maximum(1.01 * (self.epsilon - bottom), 3 / x[candidates]))
        with np.errstate(divide="ignore", invalid="ignore"):
            right = (chernoff[None, :] + nats) / (x[None, :] - x[candidates, None])
        right = np.where(x[None, :] > x[candidates, None], right, math.inf)
        period = np.maximum(left[:, None], right)
        cost = period * (1 + 0.2 * (level[candidates] - level.min()))[:, None]
        if not cost.size:
            raise NumericalError("no point of the real line has a finite K")
        i, j = np.unravel_index(int(np.argmin(cost)), cost.shape)
        if not math.isfinite(cost[i, j]):
            raise NumericalError("no vertical line keeps the aliases of the contour small")
        return int(candidates[i]), int(j), float(period[i, j])


@lru_cache(maxsize=4)
def find_saddle(
    loss: ComposedLoss,
    epsilon: float | None,
    log_delta: float | None,
    fine: tuple[float, ...] = FINE,
) -> Saddle:
    """Search the positive axis for the best Chernoff point for a given ε or a given δ.

    First among powers of two, farther out while the best is at an end of them, then around it. Of
    very many different parts a sketch tells where that is: K of all takes long far out.
    The last ones are kept: whether a line is worth its while is asked of the same saddle.
    """
    points, values = np.empty(0), np.empty(0)
    exponents, searching = COARSE, True
    few = len(loss.parts) <= MOST_PLANNING_PARTS
    sketch = loss if few else loss.sketch(MOST_PLANNING_PARTS)
    while True:
        x, asked = 2.0**exponents, sketch if searching else loss
        try:
            k = asked.cgf(x).real
        except NumericalError:
            k = finite_cgf(asked, x)
        if not searching or sketch is loss:
            points, values = np.append(points, x), np.append(values, k)
        if not searching:
            break
        bound = k + log_kappa(x)
        score = (bound - (log_delta or 0.0)) / x if epsilon is None else bound - x * epsilon
        best = int(np.argmin(np.where(np.isfinite(score), score, math.inf)))
        farther = exponents + (9 if best else -9)
        inside = 0 < best < len(x) - 1 or not np.isfinite(k[-1])
        searching = not inside and abs(farther).max() <= FARTHEST
        around = fine if sketch is loss else sorted({*fine, *NEARBY})
        exponents = farther if searching else exponents[best] + np.array(around)
    points, first = np.unique(points, return_index=True)
    values = values[first]
    finite = np.isfinite(values)
    if finite.sum() < 3:
        raise NumericalError("K(s) is not finite at enough points to find a saddle point")
    return _with_guesses(points[finite], values[finite], epsilon, log_delta)


def log_chernoff(loss: ComposedLoss, epsilon: float, enough: float = -math.inf) -> float:
    """Chernoff's bound on log δ(ε) at the best power of two, or at the first that is `enough`."""
    best = math.inf
    for exponent in range(-2, FARTHEST):
        x = np.array([2.0**exponent])
        k = finite_cgf(loss, x)
        bound = float((k - x * epsilon + log_kappa(x) + 16 * EPS * (np.abs(k) + x * epsilon))[0])
        if bound > best:  # it is convex in x
            break
        best = bound
        if best <= enough:
            break
    return best


def finite_cgf(loss: ComposedLoss, x: Array) -> Array:
    """K, or inf at points so far out that its quadrature gives up: no use is made of those."""
    try:
        return loss.cgf(x).real
    except NumericalError:
        if len(x) == 1:
            return np.full(1, math.inf)
        half = len(x) // 2
        left = finite_cgf(loss, x[:half])
        if math.isinf(left[-1]):  # what is out of reach stays so farther out, and may take long
            return np.append(left, np.full(len(x) - half, math.inf))
        return np.append(left, finite_cgf(loss, x[half:]))


def _with_guesses(x: Array, k: Array, epsilon: float | None, log_delta: float | None) -> Saddle:
    """Fill in whichever of ε and δ is not given, by the saddle-point formula."""
    chernoff = k + log_kappa(x)
    score = (chernoff - (log_delta or 0.0)) / x if epsilon is None else chernoff - x * epsilon
    i = min(max(int(np.argmin(score)), 1), len(x) - 2)
    # log of the integral of e^{K(s) − sε}/(s(s+1)) through the saddle point, over e^{K − xε}
    integral = -math.log(x[i] * (x[i] + 1)) - 0.5 * math.log(2 * math.pi * curvature(x, k, i))
    if epsilon is None:
        assert log_delta is not None
        epsilon = float(min((k[i] + integral - log_delta) / x[i], score[i]))
    elif log_delta is None:
        log_delta = float(min(k[i] - x[i] * epsilon + integral, score[i], 0.0))
    return Saddle(x, k, epsilon, log_delta)


def curvature(x: Array, k: Array, i: int) -> float:
    """K'' at a point of the grid, by differences."""
    i = min(max(i, 1), len(x) - 2)
    left = (k[i] - k[i - 1]) / (x[i] - x[i - 1])
    right = (k[i + 1] - k[i]) / (x[i + 1] - x[i])
    return float(max(2 * (right - left) / (x[i + 1] - x[i - 1]), 1e-300))
