"""What it costs to try several models on the same data and keep the best one.

The number of trials is random and secret; then the best of many costs little more than one. A fixed
number of trials is plain composition, `mechanism * trials`, and so is a grid search. The score by
which the best is chosen must itself come out of the private mechanism, or be computed on public
data: a score on private records is not covered.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from hockeystick.bound import Bound
from hockeystick.checks import probability
from hockeystick.classical import epsilon_from_curve
from hockeystick.classical.selection import MEAN, gamma_of, selected_curve
from hockeystick.errors import ParameterError
from hockeystick.learn.privacy import Privacy
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.renyi_dp import RenyiDP
from hockeystick.questions import relation_of
from hockeystick.random.generators import Randomness, generator
from hockeystick.relation import Relation

ROUNDING = 1e-12
"""Relative error of a Rényi divergence that was computed, with room to spare."""

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
    return RenyiDP(selected_curve(mechanism, trials, _shape(shape), relation))


def _shape(shape: Shape) -> float:
    """η, with infinity for the law of Poisson."""
    if shape == "poisson":
        return math.inf
    if not isinstance(shape, int | float) or not -1 < shape < math.inf:
        raise ParameterError(f'shape must be in (-1, inf) or "poisson", got {shape!r}')
    return float(shape)


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
    eta = _shape(shape)
    gamma, _ = gamma_of(trials, eta)
    normaliser = -math.expm1(eta * math.log(gamma)) / eta if eta else math.log(1 / gamma)
    # P[1] = (1−γ)·η/(γ^−η − 1), then each is (1−γ)·(k+η)/(k+1) times the one before.
    k, mass, left = 1, (1 - gamma) * gamma**eta / normaliser, source.random()
    while left >= mass and mass > 0:
        left -= mass
        mass *= (1 - gamma) * (k + eta) / (k + 1)
        k += 1
    return k
