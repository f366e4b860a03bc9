"""The best of a random number of runs: its Rényi curve (Papernot and Steinke 2022)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from hockeystick.checks import Between
from hockeystick.errors import ParameterError
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.minimise import golden, value_or_inf
from hockeystick.numerics.roots import last_true
from hockeystick.relation import Relation

MEAN = Between("[1, inf)")
EXPONENTS = [float(x) for x in range(-8, 40)]
ORDERS = [1 + 2.0**x for x in EXPONENTS]
"""Orders among which the best is looked for."""
LEAST_LOG_GAMMA = -700.0
"""1/γ is a float down to about there."""

Curve = Callable[[float], float]


@lru_cache(maxsize=64)
def selected_curve(
    mechanism: Mechanism, mean: float, shape: float, relation: Relation | None
) -> Curve:
    """Rényi divergences of the best of K runs, E[K] = mean, at orders in [1, inf].

    shape: η of a truncated negative binomial law, in (−1, inf); inf is the law of Poisson.
    `learn.tuned` has the formulas. They grow without bound as the order falls to 1; as D_λ never
    falls in λ, the least bound of larger orders holds at 1.
    """
    if math.isinf(shape):
        curve = _poisson(mechanism, MEAN("trials", mean), relation)
    else:
        curve = _negative_binomial(mechanism, mean, shape, relation)

    @lru_cache(maxsize=1024)
    def bound(order: float) -> float:
        if order > 1:
            return curve(order)
        return min(value_or_inf(curve, larger) for larger in ORDERS)

    return bound


def _negative_binomial(
    mechanism: Mechanism, trials: float, shape: float, relation: Relation | None
) -> Curve:
    gamma, mean = gamma_of(trials, shape)
    extra = (1 + shape) * _cheapest(mechanism, math.log(1 / gamma), relation)

    def curve(order: float) -> float:
        own = float(mechanism.rdp(order, relation=relation))
        return own + extra + math.log(mean) / (order - 1)

    return curve


def _poisson(mechanism: Mechanism, mean: float, relation: Relation | None) -> Curve:
    def curve(order: float) -> float:
        own = float(mechanism.rdp(order, relation=relation))
        if math.isinf(own):
            return own
        # A little below log(1 + 1/(λ−1)), which is allowed and stays so after rounding.
        delta = mechanism.delta((1 - 1e-12) * math.log1p(1 / (order - 1)), relation=relation)
        return own + mean * float(delta) + math.log(mean) / (order - 1)

    return curve


@lru_cache(maxsize=64)
def gamma_of(trials: float, shape: float) -> tuple[float, float]:
    """γ for a mean number of trials, and the mean that this γ has."""
    if MEAN("trials", trials) == 1:
        raise ParameterError(f"trials must be above 1 for a random number of them, got {trials!r}")

    def expected(log_gamma: float) -> float:
        return expected_trials(math.exp(log_gamma), shape)

    if expected(LEAST_LOG_GAMMA) < trials:
        raise ParameterError(f"trials must be smaller for the shape {shape!r}, got {trials!r}")
    log_gamma, _ = last_true(lambda x: expected(x) > trials, LEAST_LOG_GAMMA, -1e-12, 100)
    return math.exp(log_gamma), expected(log_gamma)


def expected_trials(gamma: float, shape: float) -> float:
    """E[K] = η·(1/γ − 1)/(1 − γ^η), its limit (1/γ − 1)/log(1/γ) at η = 0.

    >>> expected_trials(0.25, 1.0)
    4.0
    """
    log = math.log(gamma)
    if shape * log == 0:
        return (1 / gamma - 1) / -log
    return shape * (1 / gamma - 1) / -math.expm1(shape * log)


def _cheapest(mechanism: Mechanism, log: float, relation: Relation | None) -> float:
    """min over λ̂ of (1 − 1/λ̂)·ε(λ̂) + log(1/γ)/λ̂; any λ̂ is valid, so the search needs no care."""

    def curve(order: float) -> float:
        own = float(mechanism.rdp(order, relation=relation))
        return (1 - 1 / order) * own + log / order

    def at(exponent: float) -> float:
        return value_or_inf(curve, 1 + math.exp2(exponent))

    least, best = min((at(x), x) for x in EXPONENTS)
    _, between = golden(at, best - 1, best + 1, 1e-6)
    pure = float(mechanism.rdp(math.inf, relation=relation))
    return min(least, between, pure)
