"""What it costs to try several models on the same data and keep the best one.

The number of trials is random and secret; then the best of many costs little more than one. A fixed
number of trials is plain composition, `mechanism * trials`, and so is a grid search. The score by
which the best is chosen must itself come out of the private mechanism, or be computed on public
data: a score on private records is not covered.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

from hockeystick.bound import Bound
from hockeystick.checks import Between, probability
from hockeystick.classical import epsilon_from_curve
from hockeystick.errors import ParameterError
from hockeystick.learn.privacy import Privacy
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.renyi_dp import RenyiDP
from hockeystick.numerics.minimise import golden, value_or_inf
from hockeystick.numerics.roots import last_true
from hockeystick.questions import relation_of
from hockeystick.random.generators import Randomness, generator
from hockeystick.relation import Relation

MEAN = Between("[1, inf)")
ROUNDING = 1e-12
"""Relative error of a Rényi divergence that was computed, with room to spare."""

EXPONENTS = [float(x) for x in range(-8, 40)]
ORDERS = [1 + 2.0**x for x in EXPONENTS]
"""Orders among which the best is looked for."""
LEAST_LOG_GAMMA = -700.0
"""1/γ is a float down to about there."""

Shape = float | Literal["poisson"]


def tuned(
    mechanism: Mechanism | Privacy,
    trials: float,
    *,
    shape: Shape = 1.0,
    relation: Relation | None = None,
) -> RenyiDP:
    """The best of K runs of `mechanism`, K random with the mean `trials`, as a mechanism.

    K truncated negative binomial, of shape η and γ such that E[K] = trials:

        ε'(λ) = ε(λ) + (1 + η)·((1 − 1/λ̂)·ε(λ̂) + log(1/γ)/λ̂) + log E[K]/(λ − 1), for any λ̂ >= 1

    (Papernot and Steinke 2022, Theorem 2), with the best λ̂. η = 1 is the geometric law, for which
    pure ε-DP becomes 3ε-DP (Liu and Talwar 2019); η = 0 the logarithmic one. K Poisson:

        ε'(λ) = ε(λ) + μ·δ(log(1 + 1/(λ−1))) + log μ/(λ − 1)

    (Papernot and Steinke 2022, Theorem 6); there K may be 0, and then nothing is chosen. Both grow
    without bound as λ falls to 1; as D_λ never falls in λ, the least bound of larger orders holds
    at 1.

    Parameters
    ----------
    mechanism: one trial: training, and the score it is judged by; or the `privacy_` of a model
        whose score costs nothing.
    trials: E[K] in [1, inf), above 1 unless Poisson.
    shape: η in (−1, inf), or "poisson".
    relation: which data sets are neighbours; that of the `Privacy`, or the mechanism's natural one.

    >>> from hockeystick import Laplace
    >>> round(tuned(Laplace(10.0), 20).rdp(math.inf), 9)
    0.3
    """
    if isinstance(mechanism, Privacy):
        relation, mechanism = relation or mechanism.relation, mechanism.mechanism
    return _tuned(mechanism, trials, shape, relation)


def _tuned(mechanism: Mechanism, trials: float, shape: Shape, relation: Relation | None) -> RenyiDP:
    if shape == "poisson":
        mean = MEAN("trials", trials)
        return RenyiDP(_from_one(_poisson(mechanism, mean, relation)))
    gamma, mean = _gamma(trials, shape)
    extra = (1 + float(shape)) * _cheapest(mechanism, math.log(1 / gamma), relation)

    def curve(order: float) -> float:
        own = float(mechanism.rdp(order, relation=relation))
        return own + extra + math.log(mean) / (order - 1)

    return RenyiDP(_from_one(curve))


def _from_one(curve: Callable[[float], float]) -> Callable[[float], float]:
    """The same bounds, and at order 1 the least of those at larger orders."""

    def bound(order: float) -> float:
        if order > 1:
            return curve(order)
        return min(value_or_inf(curve, larger) for larger in ORDERS)

    return bound


def tuning_cost(
    mechanism: Mechanism | Privacy,
    trials: float,
    *,
    delta: float,
    shape: Shape = 1.0,
    relation: Relation | None = None,
) -> Bound:
    """ε of the best of a random number of runs: the curve of `tuned` at its best order.

    See `tuned` for the arguments. delta: in [0, 1]; the bound is from above only.

    >>> from hockeystick import Gaussian
    >>> one = Gaussian(5.0)
    >>> round(one.epsilon(delta=1e-6), 2), round((one * 100).epsilon(delta=1e-6), 2)
    (0.83, 11.0)
    >>> round(tuning_cost(one, trials=100, delta=1e-6), 2)
    2.26
    """
    best = tuned(mechanism, trials, shape=shape, relation=relation)
    if probability("delta", delta) == 0:
        upper = float(best.rdp(math.inf))
    else:
        upper = epsilon_from_curve(lambda order: float(best.rdp(order)), delta)
    if isinstance(mechanism, Privacy):
        relation, mechanism = relation or mechanism.relation, mechanism.mechanism
    asked: Any = {"mechanism": best, "relation": relation_of(mechanism, relation), "delta": delta}
    return Bound(upper * (1 + ROUNDING), lower=0.0, method="renyi", **asked)


def draw_trials(trials: float, *, shape: Shape = 1.0, rng: Randomness = None) -> int:
    """A number of trials from the law that `tuned` accounts for; it must stay secret.

    By inversion, with uniform numbers of 53 bits. Parameters as for `tuned`; rng as everywhere.

    >>> draws = [draw_trials(5, rng=generator(seed)) for seed in range(2000)]
    >>> min(draws), 4.5 < sum(draws) / 2000 < 5.5
    (1, True)
    """
    source = generator(rng)
    if shape == "poisson":
        return int(source.poisson(MEAN("trials", trials)))
    eta = float(shape)
    gamma, _ = _gamma(trials, eta)
    normaliser = -math.expm1(eta * math.log(gamma)) / eta if eta else math.log(1 / gamma)
    # P[1] = (1−γ)·η/(γ^−η − 1), then each is (1−γ)·(k+η)/(k+1) times the one before.
    k, mass, left = 1, (1 - gamma) * gamma**eta / normaliser, source.random()
    while left >= mass and mass > 0:
        left -= mass
        mass *= (1 - gamma) * (k + eta) / (k + 1)
        k += 1
    return k


@lru_cache(maxsize=64)
def _gamma(trials: float, shape: Shape) -> tuple[float, float]:
    """γ for a mean number of trials, and the mean that this γ has."""
    if not isinstance(shape, int | float) or not -1 < shape < math.inf:
        raise ParameterError(f'shape must be in (-1, inf) or "poisson", got {shape!r}')
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


def _poisson(
    mechanism: Mechanism, mean: float, relation: Relation | None
) -> Callable[[float], float]:
    def curve(order: float) -> float:
        own = float(mechanism.rdp(order, relation=relation))
        if math.isinf(own):
            return own
        # A little below log(1 + 1/(λ−1)), which is allowed and stays so after rounding.
        delta = mechanism.delta((1 - 1e-12) * math.log1p(1 / (order - 1)), relation=relation)
        return own + mean * float(delta) + math.log(mean) / (order - 1)

    return curve
