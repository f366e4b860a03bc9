"""The queries of the moments accountant: closed forms, safe sides, and few evaluations."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from mpmath import mp, mpf

from hockeystick.classical import get_delta, get_epsilon
from hockeystick.classical.moments_accountant import Cgf
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.numerics.minimise import in_valley
from tests.support.bases import Base, gaussian, laplace, truthful

RHOS = (1e-9, 1e-3, 0.5, 40.0, 1e8)


def quadratic(rho: float) -> Callable[[float], float]:
    """K of Gaussian noise with ρ = 1/(2σ²)."""
    return lambda x: rho * x * (x + 1)


class Counted:
    """A function that counts its calls."""

    def __init__(self, function: Callable[[float], float]) -> None:
        self.function, self.calls = function, 0

    def __call__(self, x: float) -> float:
        self.calls += 1
        return self.function(x)


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("delta", [0.3, 1e-5, 1e-300])
def test_epsilon_of_gaussian_noise(rho: float, delta: float) -> None:
    """ρ + 2·√(ρ·log(1/δ)) (Bun and Steinke 2016), never below and above by some rounding only."""
    with mp.workdps(40):
        exact = rho + 2 * mp.sqrt(rho * -mp.log(mpf(delta)))
        value = get_epsilon(quadratic(rho), delta)
        assert exact <= value <= exact * (1 + mpf(10) ** -14)


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("nats", [0.1, 11.0, 700.0])
def test_delta_of_gaussian_noise(rho: float, nats: float) -> None:
    """exp(−(ε − ρ)²/(4ρ)), at the ε where that is e^−nats."""
    epsilon = rho + 2 * math.sqrt(rho * nats)
    with mp.workdps(40):
        exact = mp.exp(-((mpf(epsilon) - rho) ** 2) / (4 * mpf(rho)))
        value = get_delta(quadratic(rho), epsilon)
        rounding = 1e-13 + 1e-14 * epsilon * math.sqrt(nats / rho)  # λ*·ε is subtracted from K
        assert exact <= value <= exact * (1 + rounding)


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("tolerance", [1e-3, 1e-8])
def test_evaluations_grow_as_the_logarithm(rho: float, tolerance: float) -> None:
    """Proposition 23: O(log(λ*/τ)), here log₂ λ* doublings and 1.44·log₂(1.5·λ*/τ) sections."""
    best = math.sqrt(math.log(1e5) / rho)
    doublings = abs(math.log2(best))
    sections = math.log(2 * best / (tolerance * min(1, best))) / math.log((1 + math.sqrt(5)) / 2)
    asks: list[Callable[[Cgf], float]] = [
        lambda cgf: get_epsilon(cgf, 1e-5, tolerance=tolerance),
        lambda cgf: get_delta(cgf, rho + 2 * rho * best, tolerance=tolerance),
    ]
    for ask in asks:
        cgf = Counted(quadratic(rho))
        ask(cgf)
        assert sections / 2 < cgf.calls <= doublings + sections + 6


@pytest.mark.parametrize("best", [1e-6, 0.3, 1.0, 1234.5, 1e9])
@pytest.mark.parametrize("tolerance", [1.0, 1e-3, 1e-9])
def test_the_tolerance_is_kept(best: float, tolerance: float) -> None:
    """The lowest point of a valley with a sharp end, so that rounding does not hide it."""
    found, value = in_valley(lambda x: abs(x - best), tolerance)
    assert abs(found - best) <= tolerance * min(1.0, 2 * best) + 1e-15 * best
    assert value == abs(found - best)


@pytest.mark.parametrize("base", [gaussian("3"), laplace("2"), truthful("0.7")])
def test_no_other_lambda_is_better(base: Base) -> None:
    def cgf(x: float) -> float:
        return 50 * x * base.curve(1 + x)

    epsilon, delta = get_epsilon(cgf, 1e-6), get_delta(cgf, 20.0)
    grid = [1.02**i for i in range(-500, 250)]
    assert 0 < epsilon <= min((cgf(x) - math.log(1e-6)) / x for x in grid) * (1 + 1e-12)
    assert 0 < delta <= math.exp(min(cgf(x) - 20 * x for x in grid)) * (1 + 1e-12) < 1


def test_where_k_ends() -> None:
    """K finite up to λ = 1/3 or unknown from 20 on: the best λ is the last one."""

    def short(x: float) -> float:
        return x if x <= 1 / 3 else math.inf

    def unknown(x: float) -> float:
        if x > 20:
            raise NumericalError("too large an order")
        return 1e-6 * x

    assert get_epsilon(short, 1e-5) == pytest.approx(1 + 3 * math.log(1e5), rel=1e-7, abs=0)
    exact = 1e-6 + math.log(1e5) / 20
    assert get_epsilon(unknown, 1e-5) == pytest.approx(exact, rel=1e-8, abs=0)
    assert get_epsilon(lambda x: math.inf, 1e-5) == math.inf
    assert get_delta(lambda x: math.inf, 5.0) == 1


def test_losses_that_have_an_end() -> None:
    """(K + log(1/δ))/λ falls towards ε(∞) for ever, or not: either way ε(∞) is enough."""
    base = laplace("2")
    cgf = lambda x: x * base.curve(1 + x)  # noqa: E731
    assert get_epsilon(cgf, 1e-9) == pytest.approx(0.5, rel=1e-9, abs=0)
    assert get_epsilon(cgf, 1e-9, largest_loss=0.5) == 0.5
    assert get_epsilon(cgf, 0.0, largest_loss=0.5) == 0.5
    assert get_epsilon(cgf, 0.9, largest_loss=0.5) < 0.45
    assert get_delta(cgf, 0.5, largest_loss=0.5) == 0
    assert 0 < get_delta(cgf, 0.51) < 1e-300
    assert 0.1 < get_delta(cgf, 0.49, largest_loss=0.5) < 1


def test_the_ends() -> None:
    cgf = quadratic(0.5)
    assert get_epsilon(cgf, 1.0) == 0
    assert get_epsilon(cgf, 0.0) == math.inf
    assert get_delta(cgf, 0.0) == 1
    assert get_delta(cgf, 0.2) == 1  # below the mean loss no λ helps
    assert get_delta(cgf, 1e4) == 5e-324
    assert get_delta(cgf, math.inf) == 5e-324
    assert get_delta(lambda x: math.inf, math.inf) == 1
    assert 0 < get_epsilon(lambda x: 0.0, 1e-5) < 1e-16


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: get_epsilon(quadratic(1), math.nan), "delta must be in"),
        (lambda: get_epsilon(quadratic(1), 1.5), "delta must be in"),
        (lambda: get_epsilon(quadratic(1), 0.1, tolerance=0), "tolerance must be in"),
        (lambda: get_epsilon(quadratic(1), 0.1, largest_loss=-1), "largest_loss must be in"),
        (lambda: get_epsilon(lambda x: -1.0, 0.1), "cgf must have values in"),
        (lambda: get_delta(lambda x: math.nan, 0.1), "cgf must have values in"),
        (lambda: get_delta(quadratic(1), -0.1), "epsilon must be in"),
    ],
)
def test_bad_input(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ParameterError, match=message):
        call()
