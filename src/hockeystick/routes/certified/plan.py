"""Where the line goes, in floats: a bad plan makes an answer wide or fail, never wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hockeystick.errors import CannotCertify, NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import reason
from hockeystick.routes.contour.saddle import MOST_PLANNING_PARTS, find_saddle, log_kappa

AROUND = np.exp(np.linspace(-2.5, 2.5, 81))
"""Orders tried, relative to that of Chernoff's bound."""
EVERY, NEAR = slice(None, None, 8), slice(28, 53, 4)
"""Orders at which K of all parts is looked at, and near the best one, for lines in arrays."""
MOST_LEVEL = 40.0
"""Nats of cancellation that a line may have: they cost bits, not accuracy."""
NEARLY_ALL, LEVEL_OF_NEARLY_ALL = -0.5, 2.0
"""log δ by Chernoff's bound above which the line goes where so many nats cancel: e^{K(c) − cε} has
no minimum right of 0 if δ is about 1."""
MOST_NODES = 10_000
"""Of a part, in a plan."""
NEGLIGIBLE = 18.0
"""Nats below the largest node where one no longer counts in a plan."""


class NoNodes(CannotCertify):
    """A loss of which floats have no nodes to plan with, wherever the line goes."""


@dataclass(frozen=True)
class Plan:
    """A line Re s = order, an order beyond it for Chernoff's bound, the period of its aliases."""

    order: float
    beyond: float
    period: float
    epsilon: float
    log_delta: float
    level: float
    """log of e^{K(c) − cε}/δ: how much cancels along the line."""
    reach: float
    """About how far up the line goes."""
    variance: float


class Sketch:
    """A few parts of a composition as float nodes: K and |φ|, only to plan with."""

    def __init__(self, loss: ComposedLoss, highest: float) -> None:
        few = loss.sketch(MOST_PLANNING_PARTS)
        try:
            nodes = [(part.nodes(-1.0, highest, 0.0), n) for part, n in few.parts]
        except (NumericalError, ArithmeticError) as error:
            raise NoNodes(f"no plan of a proof was found: {reason(error)}") from error
        self._parts = [(*_thinned(*each[:2]), n) for each, n in nodes]

    def cumulants(self, orders: Array) -> tuple[Array, Array]:
        """K and K'' at each order."""
        k, variance = np.zeros_like(orders), np.zeros_like(orders)
        for losses, log_q, n in self._parts:
            exponent = (orders[:, None] + 1) * losses + log_q
            peak = exponent.max(axis=1)
            weights = np.exp(exponent - peak[:, None])
            mass = weights.sum(axis=1)
            mean = weights @ losses / mass
            k += n * (peak + np.log(mass))
            variance += n * np.maximum(weights @ (losses * losses) / mass - mean * mean, 0.0)
        return k, variance

    def log_size(self, order: float, t: Array) -> Array:
        """log|φ(t)| at each t."""
        out = np.zeros_like(t)
        for losses, log_q, n in self._parts:
            exponent = (order + 1) * losses + log_q
            kept = exponent > exponent.max() - NEGLIGIBLE
            weights = np.exp(exponent[kept] - exponent.max())
            weights /= weights.sum()
            angle = t[:, None] * (losses[kept] - weights @ losses[kept])
            half = np.sin(0.5 * angle)
            real, imaginary = 1 - 2 * (half * half) @ weights, np.sin(angle) @ weights
            out += 0.5 * n * np.log(np.maximum(real**2 + imaginary**2, 1e-300))
        return out


def _thinned(losses: Array, log_q: Array) -> tuple[Array, Array]:
    """So many nodes are equally spaced, and far closer than a plan needs them."""
    every = -(-losses.size // MOST_NODES)
    return losses[::every], log_q[::every] + math.log(every)


def planned(
    loss: ComposedLoss,
    nats: float,
    epsilon: float | None,
    log_delta: float | None,
    above_least: float = math.inf,
    most_level: float = MOST_LEVEL,
) -> Plan:
    """A line on which aliases and what is cut off are each e^−nats of δ, and the level at most so
    much above the least, and this."""
    few = loss.sketch(MOST_PLANNING_PARTS)
    saddle = find_saddle(few, epsilon, log_delta)
    asked, epsilon = epsilon, saddle.epsilon if epsilon is None else epsilon
    log_delta = saddle.log_delta if log_delta is None else log_delta
    score = saddle.k - saddle.x * epsilon + log_kappa(saddle.x)
    best = int(np.argmin(score))
    if score[best] > NEARLY_ALL:  # then the least is at 0, where the line has a pole
        low = np.flatnonzero(saddle.k - saddle.x * epsilon < LEVEL_OF_NEARLY_ALL)
        best = max(best, int(low[-1]) if low.size else best)
    orders = float(saddle.x[best]) * AROUND
    sketch = Sketch(loss, float(orders[-1]))
    with np.errstate(all="ignore"):
        k, variance = sketch.cumulants(orders)
        if any(part.sketched for part, _ in few.parts):  # nodes are then no source for K
            k = few.cgf(orders).real
        if len(loss.parts) > MOST_PLANNING_PARTS:
            exact = _of_all(loss, orders, k, NEAR if above_least < math.inf else EVERY)
            if asked is None:
                epsilon = _root(orders, exact, variance, log_delta)
            k = exact
        good = np.isfinite(k) & (variance > 0)
        line = _Orders(orders[good], k[good], variance[good])
        return line.planned(sketch, epsilon, log_delta, nats, (above_least, most_level))


def _of_all(loss: ComposedLoss, orders: Array, k: Array, some: slice) -> Array:
    """K of all parts, from that of the sketch: their ratio is smooth."""
    ratio = np.log(loss.cgf(orders[some]).real / k[some])
    seen = orders[some][good := np.isfinite(ratio)]
    out = k * np.exp(np.interp(orders, seen, ratio[good]))
    return np.where((orders < seen[0]) | (orders > seen[-1]), math.inf, out)


def _root(orders: Array, k: Array, variance: Array, log_delta: float) -> float:
    """About the ε of a δ: with ε = K'(c) at the order c, δ is about
    e^{K(c) − cε}/(c(c+1)·√(2πK''(c)))."""
    good = np.isfinite(k) & (variance > 0)
    c, k, epsilon = orders[good], k[good], np.gradient(k[good], orders[good])
    logs = k - c * epsilon - np.log(c * (c + 1)) - 0.5 * np.log(2 * math.pi * variance[good])
    return float(np.interp(-log_delta, -logs, epsilon))


@dataclass(frozen=True)
class _Orders:
    """Where the line may go."""

    orders: Array
    k: Array
    variance: Array

    def planned(
        self,
        sketch: Sketch,
        epsilon: float,
        log_delta: float,
        nats: float,
        levels: tuple[float, float],
    ) -> Plan:
        """That with the fewest points."""
        orders, k, variance = self.orders, self.k, self.variance
        level = k - orders * epsilon - log_delta
        gap = orders[None, :] - orders[:, None]
        right = (level + log_kappa(orders) + nats)[None, :] / np.where(gap > 0, gap, math.nan)
        right = np.where(gap > 0, right, math.inf)
        best = right.argmin(axis=1)
        period = np.maximum(right.min(axis=1), (epsilon - log_delta + nats) / (orders + 1))
        period = np.maximum(period, 1e-6)
        most = min(float(level.min()) + levels[0], levels[1])
        open_ = np.flatnonzero((level < most) & np.isfinite(period))
        if not open_.size:
            raise CannotCertify("no vertical line has few enough nats of cancellation")
        need = np.maximum(level, 0.0) + nats
        rough = period * np.sqrt(need / variance)
        near = open_[np.argsort(rough[open_])[:40]]
        tries = np.unique(np.append(np.linspace(near.min(), near.max(), 7).astype(int), near[0]))
        reaches = [_reach(sketch, float(orders[i]), need[i], variance[i]) for i in tries]
        place = int(np.argmin(period[tries] * np.array(reaches)))
        i = int(tries[place])
        return Plan(
            float(np.float32(orders[i])),
            float(np.float32(orders[best[i]])),
            float(period[i]),
            epsilon,
            log_delta,
            float(level[i]),
            reaches[place],
            float(variance[i]),
        )


def _reach(sketch: Sketch, order: float, need: float, variance: float) -> float:
    """Where |φ| has fallen by as much as is needed: from φ itself, because near a wall the
    variance is that of a rare bump."""
    t = math.sqrt(2 * need / variance) * 1.15 ** np.arange(0, 60)
    above = np.flatnonzero(sketch.log_size(order, t) - np.log(t) > -need)
    return float(t[min(above[-1] + 1, t.size - 1)] if above.size else t[0])
