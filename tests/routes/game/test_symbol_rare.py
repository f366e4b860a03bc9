"""Records that are drawn very rarely, in very many steps: against two normal laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

import hockeystick as hs
from hockeystick import curves
from hockeystick.numerics.types import Array
from hockeystick.routes.game.curves import PlayedProfile


def normal_epsilon(mu: float, delta: float) -> float:
    """ε of N(0, 1) against N(μ, 1), to which many small losses come."""

    def excess(epsilon: float) -> float:
        below = math.exp(epsilon) * norm.cdf(-epsilon / mu - mu / 2)
        return float(norm.cdf(mu / 2 - epsilon / mu) - below) - delta

    return float(brentq(excess, 0.0, 100.0, xtol=1e-14))


def variance(step: hs.Mechanism) -> float:
    """χ² of the step's two laws where y = x': that of its loss over γ²."""
    if isinstance(step, hs.Gaussian):
        return math.expm1(4 / step.noise_multiplier**2)
    return 0.8**2 * (1 / 0.9 + 1 / 0.1)  # the truth with probability 0.9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "population", "steps", "delta", "above"),
    [
        pytest.param(hs.Gaussian(3.0), 10**9, 10**12, 1e-8, 0.05, marks=pytest.mark.slow),
        (hs.Gaussian(3.0), 10**9, 10**18, 1e-6, 0.04),
        pytest.param(hs.Gaussian(2.0), 200_000_000, 10**11, 1e-6, 0.05, marks=pytest.mark.slow),
        pytest.param(hs.Gaussian(2.0), 200_000_000, 10**12, 1e-8, 0.05, marks=pytest.mark.slow),
        (hs.RandomizedResponse.truthful(0.9), 10**9, 10**18, 1e-6, 0.01),
    ],
    ids=str,
)
def test_never_below_what_two_normal_laws_attain(
    step: hs.Mechanism, population: int, steps: int, delta: float, above: float
) -> None:
    """Sums of numbers like γ² once lost their digits: the end was 1.6 %, and 63 %, too small."""
    run = step.on(hs.WithoutReplacement(1, population)) * steps
    truth = normal_epsilon(math.sqrt(steps * variance(step)) / population, delta)
    found = run.epsilon(delta)
    assert found.method == "game"
    assert truth * (1 - 1e-3) <= found <= truth * (1 + above)
    assert found.lower <= truth * (1 + 1e-3)


def nothing(*_: object) -> Array:
    return np.zeros(2)


def test_curves_refuse_ends_that_contradict_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    step = hs.RandomizedResponse.truthful(0.9).on(hs.WithoutReplacement(60, 60_000))
    monkeypatch.setattr(curves, "played_epsilons", nothing)
    monkeypatch.setattr(PlayedProfile, "upper", nothing)
    with pytest.raises(hs.NumericalError, match="one route says at least"):
        step.epsilons(1e-6, [10_000, 100_000])
    with pytest.raises(hs.NumericalError, match="one route says at least"):
        (step * 100_000).profile([1.0, 2.0])
