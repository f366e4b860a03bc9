"""Sampled Gaussians with so little noise that it is known whether the record was drawn."""

from __future__ import annotations

from collections.abc import Callable

from mpmath import mp, mpf

from .expressions import Unknown, read
from .profile import separated_gaussian, solve

MOST_NOISE, LEAST_RATE, MOST_STEPS = 0.04, 1e-8, 300
ERROR = mpf(10) ** -28
"""Of the profile, for each step: the normal tail beyond 11.7 standard deviations, where the two
components of the mixture meet, is 6e-32 at the most noise and the least rate."""
LEAST_DELTA = 1e-18
Interval = tuple[mpf, mpf]


def by_separation(expression: str, query: str, at: float, relation: str | None) -> Interval | None:
    """Steps of one Poisson-sampled Gaussian: a binomial mixture of normal laws."""
    if query not in ("epsilon", "delta") or (query == "epsilon" and not LEAST_DELTA <= at < 1):
        return None
    try:
        with mp.workdps(60):
            return _interval(expression, query, mpf(at), relation)
    except (Unknown, ArithmeticError):
        return None


def _interval(expression: str, query: str, at: mpf, relation: str | None) -> Interval:
    parts = read(expression, relation)
    if len(parts) != 1 or parts[0].sampled is None or parts[0].count > MOST_STEPS:
        raise Unknown("not one sampled Gaussian")
    (noise, rate), n = parts[0].sampled, parts[0].count
    if noise > MOST_NOISE or not LEAST_RATE <= rate <= 1 - LEAST_RATE:
        raise Unknown("too much noise")

    def profile(epsilon: mpf) -> mpf:
        sides = (separated_gaussian(noise, rate, n, epsilon, side) for side in ("remove", "add"))
        return max(sides)

    error = n * ERROR
    if query == "delta":
        return max(mpf(0), profile(at) - error), profile(at) + error
    return _root(profile, at + error), _root(profile, at - error)


def _root(profile: Callable[[mpf], mpf], delta: mpf) -> mpf:
    high = mpf(1)
    while profile(high) > delta:
        high *= 2
    return solve(profile, delta, high, 30)
