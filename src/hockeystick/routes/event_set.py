"""Which probabilities (p, q) an event may have, given bounds on Rényi divergences.

By data processing (p, 1−p) and (q, 1−q) are no farther apart than the two laws are. For q < p both
bounds say how small q may be, and each is met by Newton's method from below on a convex function:

- D_α(p‖q) <= ε: log(p^α·q^{1−α} + (1−p)^α·(1−q)^{1−α}) is convex in log q, and where the first term
  alone meets the bound q is too small;
- D_α(q‖p) <= ε: q^α·p^{1−α} + (1−q)^α·(1−p)^{1−α} is convex in q, and so it is for the second term.

Every step stays below the root, so that one too few is safe.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array

MOST_STEPS = 60
"""Of Newton's method; where a bound is next to 0, steps only halve the distance."""
SETTLED = 1e-13
"""Steps of log q relative to its size, or 1, at which the search ends."""
ROUNDING = 2e-15
"""Of the logarithm of a sum of two powers near 1."""

LeastLogQ = Callable[[Array], Array]
"""From p to the logarithm of the least q."""


def event_set(orders: Array, forward: Array, backward: Array) -> LeastLogQ:
    """The least q for each p, from divergences of (P, Q) and of (Q, P); infinite ones say nothing.

    >>> least = event_set(np.array([2.0]), np.array([0.5]), np.array([np.inf]))
    >>> log_q = least(np.array([0.6]))
    >>> round(float(_divergence(np.array(0.6), log_q, np.array([2.0]), False)[0]), 9)
    0.5
    """
    sides = [
        (orders[known], limits[known] + ROUNDING / (orders[known] - 1), reverse)
        for limits, reverse in ((forward, False), (backward, True))
        if (known := np.isfinite(limits)).any()
    ]

    def least(p: Array) -> Array:
        best = np.full(p.shape, -math.inf)
        for some, limits, reverse in sides:
            solve = _least_backward if reverse else _least_forward
            low = solve(p[:, None], some, limits)
            low -= 64 * EPS * (1 + np.abs(low))
            best = np.maximum(best, _not_allowed(p[:, None], low, some, limits, reverse))
        return best

    return least


def _least_forward(p: Array, orders: Array, limits: Array) -> Array:
    """log q with D_α(p‖q) at the limit."""
    s, log_p, log_not_p = orders - 1, np.log(p), np.log1p(-p)
    log_q = (orders * log_p - s * limits) / s
    for _ in range(MOST_STEPS):
        rest = np.log1p(-np.exp(log_q))
        one, other = orders * log_p - s * log_q, orders * log_not_p - s * rest
        together = np.logaddexp(one, other)
        odds = np.exp(log_q - rest)  # q/(1 − q)
        slope = s * (np.exp(other - together) * odds - np.exp(one - together))
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(slope < 0, (s * limits - together) / slope, 0.0)
        log_q, settled = _moved(log_q, step, log_p)
        if settled:
            break
    return np.asarray(log_q)


def _least_backward(p: Array, orders: Array, limits: Array) -> Array:
    """log q with D_α(q‖p) at the limit; −inf where q = 0 is within it."""
    s, log_p, log_not_p = orders - 1, np.log(p), np.log1p(-p)
    log_end = np.minimum(s * (limits + log_not_p), 0.0)  # of both terms over (1−p)^{1−α}
    with np.errstate(divide="ignore"):
        log_q = np.log(-np.expm1(log_end / orders))
    for _ in range(MOST_STEPS):
        q = np.exp(log_q)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            more = orders * np.log1p(-q) - log_end
            one = np.exp(orders * log_q - s * (log_p - log_not_p) - log_end)
            slope = orders * (one / q - np.exp(more) / (1 - q))
            step = np.where(slope < 0, -(one + np.expm1(more)) / slope, 0.0)
            step = np.where(q > 0, np.log1p(np.maximum(step, 0.0) / q), 0.0)
        log_q, settled = _moved(log_q, step, log_p)
        if settled:
            break
    return np.where(log_end < 0, log_q, -math.inf)


def _moved(log_q: Array, step: Array, most: Array) -> tuple[Array, bool]:
    """The next log q, no smaller and not above `most`, and whether it has settled."""
    step = np.where(step > 0, step, 0.0)
    new = np.minimum(log_q + step, most)
    with np.errstate(invalid="ignore"):
        return new, bool((step <= SETTLED * (1 + np.abs(log_q))).all())


def _not_allowed(p: Array, low: Array, orders: Array, limits: Array, reverse: bool) -> Array:
    """The largest of each row of `low`, moved down until the limits really forbid it."""
    move = 64 * EPS * (1 + np.abs(low))
    for _ in range(MOST_STEPS):
        allowed = np.isfinite(low) & (_divergence(p, low, orders, reverse) <= limits)
        if not allowed.any():
            break
        low, move = np.where(allowed, low - move, low), 2 * move
    return np.asarray(low.max(axis=1, initial=-math.inf))


def _divergence(p: Array, log_q: Array, orders: Array, reverse: bool) -> Array:
    """Binary Rényi divergence of (p, 1−p) from (q, 1−q), or the other way round."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        a = 1 - orders if reverse else orders
        both = np.logaddexp(
            a * np.log(p) + (1 - a) * log_q,
            a * np.log1p(-p) + (1 - a) * np.log1p(-np.exp(log_q)),
        )
        value = both / (orders - 1)
        return np.where(np.isnan(value), math.inf, value)
