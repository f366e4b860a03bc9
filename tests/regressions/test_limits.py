"""Numbers that are too large are refused in few words; those that are just large are answered."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import hockeystick as hs
from hockeystick.checks import LARGEST_WHOLE
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.numerics.binomial import binomial_above

MOST = LARGEST_WHOLE
BEYOND = {"2^62 + 1": MOST + 1, "thirty nines": 10**30 - 1, "4000 nines": 10**4000 - 1}
STEP = hs.Gaussian(1.0).on(hs.Poisson(0.5))

WHOLE: dict[str, Callable[[int], Any]] = {
    "count": lambda n: hs.Gaussian(1.0) * n,
    "categories": lambda n: hs.RandomizedResponse(1.0, n),
    "sensitivity": lambda n: hs.DiscreteGaussian(1.0, n),
    "replace_sensitivity": lambda n: hs.DiscreteLaplace(1.0, 1, n),
    "size": lambda n: STEP.group(n),
    "population": lambda n: hs.WithReplacement(1, n),
    "limit": lambda n: hs.TruncatedPoisson(0.5, n, 10),
    "steps": lambda n: hs.RandomAllocation(n),
    "participations": lambda n: hs.RandomAllocation(10, n),
    "dimension": lambda n: hs.Gaussian(1.0).bernoulli(c=0.1, dimension=n),
    "samples": lambda n: hs.Gaussian(1.0).bernoulli(c=0.1, samples=n),
}


@pytest.mark.parametrize("value", BEYOND.values(), ids=BEYOND.keys())
@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers_end_at_2_62(name: str, value: int) -> None:
    with pytest.raises(ParameterError, match=rf"{name} must be an integer in \[\d, 2\^62\]") as at:
        WHOLE[name](value)
    assert len(str(at.value)) < 150


@pytest.mark.parametrize("name", sorted(WHOLE.keys() - {"participations"}))
def test_2_62_itself_is_a_whole_number(name: str) -> None:
    assert str(MOST) in repr(WHOLE[name](MOST))


REAL: dict[str, Callable[[int], Any]] = {
    "noise_multiplier": hs.Gaussian,
    "replace_sensitivity": lambda x: hs.Laplace(1.0, x),
    "epsilon": hs.PureDP,
    "delta": lambda x: hs.ApproximateDP(1.0, x),
    "rho": hs.ZeroConcentratedDP,
    "omega": lambda x: hs.TruncatedConcentratedDP(1.0, x),
    "order": lambda x: hs.RenyiDP({x: 1.0}),
    "rate": hs.Poisson,
    "order of a query": lambda x: hs.Gaussian(1.0).rdp(x),
    "alphas": lambda x: hs.Gaussian(1.0).tradeoff([x]),
    "lambda": lambda x: hs.Accountant().cgf([x]),
    "successes": lambda x: hs.BetaPosterior(x, 1.0),
}


@pytest.mark.parametrize("value", [10**400, -(10**400), 10**5000], ids=["400", "-400", "5000"])
@pytest.mark.parametrize("name", REAL)
def test_integers_that_no_float_holds(name: str, value: int) -> None:
    with pytest.raises(ParameterError, match=rf"{name.split()[0]} must be .*digits") as at:
        REAL[name](value)
    assert len(str(at.value)) < 150


@pytest.mark.parametrize("value", [10**5000, "x", None, 2j], ids=["5000", "x", "None", "2j"])
def test_open_places_take_numbers(value: Any) -> None:
    with pytest.raises(ParameterError, match=r"value must be a number in \[-inf, inf\]"):
        hs.sweep("PureDP({epsilon_})", epsilon_=[value], delta=0.0)


# counts that add up -----------------------------------------------------------------------------

SUMS: dict[str, Callable[[], Any]] = {
    "products": lambda: hs.Gaussian(1.0) * 2**40 * 2**23,
    "a sum": lambda: hs.Gaussian(1.0) * MOST + hs.Gaussian(1.0),
    "different parts": lambda: hs.Gaussian(1.0) * MOST + hs.Laplace(1.0),
    "a product of a sum": lambda: (hs.Gaussian(1.0) + hs.Laplace(1.0)) * (2**61 + 1),
    "sum()": lambda: sum([hs.Gaussian(1.0) * 2**61] * 3),
    "text": lambda: hs.parse(f"Gaussian(1) * {2**61} + Laplace(1) * {2**61} + PureDP(1)"),
}


@pytest.mark.parametrize("name", SUMS)
def test_counts_add_up_to_at_most_2_62(name: str) -> None:
    with pytest.raises(ParameterError, match=r"counts must add up to at most 2\^62 steps, got \d"):
        SUMS[name]()


def test_2_62_steps_are_answered() -> None:
    mu = 2.0**31
    bound = (hs.Gaussian(1.0) * 2**61 + hs.Gaussian(1.0) * 2**61).epsilon(1e-5)
    truth = mu**2 / 2 + mu * 4.264890793922825  # the normal quantile of 1e-5: more is in no float
    assert bound.lower <= truth * (1 + 1e-9)
    assert bound.upper == pytest.approx(truth, rel=1e-9)


def test_groups_of_groups_end_too() -> None:
    with pytest.raises(ParameterError, match=r"size must be an integer in \[1, 2\^62\]"):
        STEP.group(2**40).group(2**40)
    with pytest.raises(ParameterError, match=r"sensitivity must be an integer in \[1, 2\^62\]"):
        hs.DiscreteGaussian(1.0, 2**40).group(2**40)
    with pytest.raises(ParameterError, match="size must be at most 1000 on a sample"):
        STEP.group(2**40).epsilon(1e-5)


def test_spending_beyond_2_62_changes_nothing() -> None:
    accountant = hs.Accountant()
    accountant.spend(hs.Gaussian(1.0), 2**61)
    accountant.spend(hs.Laplace(1.0), 2**61 - 1)
    before = accountant.to_json()
    for more, count in ((hs.PureDP(1.0), 2), (hs.Gaussian(1.0), 2), (hs.PureDP(1.0) * 2, 1)):
        with pytest.raises(ParameterError, match=r"counts must add up to at most 2\^62 steps"):
            accountant.spend(more, count)
        assert accountant.to_json() == before
    accountant.spend(hs.PureDP(1.0))
    assert sum(accountant.spent.parts.values()) == MOST
    assert hs.Accountant.from_json(accountant.to_json()).spent == accountant.spent


# what is large and answered ---------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 100, 101, 5000, 10**9, 2**62])
def test_a_large_group_under_concentrated_dp(size: int) -> None:
    """ξ·k·Σ 1/i, without adding up 2^62 terms."""
    with mpmath.workdps(40):
        truth = 0.25 * size * mpmath.harmonic(size)
    found = hs.ZeroConcentratedDP(0.5, xi=0.25).group(size)
    assert isinstance(found, hs.ZeroConcentratedDP)
    assert found.rho == 0.5 * size**2
    assert found.xi == pytest.approx(float(truth), rel=1e-14)


def more_than(count: int, trials: int, chance: float) -> mpmath.mpf:
    """Σ of the probabilities from count + 1 on, each from the one before."""
    p, k = mpmath.mpf(chance), count + 1
    log = mpmath.loggamma(trials + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(trials - k + 1)
    log += k * mpmath.log(p) + (trials - k) * mpmath.log1p(-p)
    term, total = mpmath.mpf(1), mpmath.mpf(0)
    while term > total * mpmath.mpf(10) ** -20 or k < trials * p:
        total += term
        term *= p / (1 - p) * (trials - k) / (k + 1)
        k += 1
    return mpmath.exp(log) * total


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "trials", "chance"),
    [
        (520, 1000, 0.5),
        (10_050, 10**6, 0.01),
        (999_960, 10**8, 0.01),
        (100_000, 10**9, 1e-4),
        (3_200, 2**31, 1.5e-6),
        (8_500, 2**33, 1e-6),
        (1_000_100, 10**12, 1e-6),
    ],
)
def test_the_binomial_tail_of_many_trials(count: int, trials: int, chance: float) -> None:
    """scipy's bdtrc is 4e-4 off at 1e8 trials, and NaN from 2^31 on."""
    with mpmath.workdps(30):
        truth = float(more_than(count, trials, chance))
    assert 0.001 < truth < 0.999
    assert binomial_above(count, trials, chance) == pytest.approx(truth, rel=1e-11)


def test_a_limit_far_below_a_very_large_batch() -> None:
    """The others always fill it: a uniform 10⁹ of 2·10¹², so drawn with q' = 5e-4, moved by 2."""
    sampler = hs.TruncatedPoisson(0.5, 10**9, 2 * 10**12)
    assert (sampler.full, sampler.drawn_when_full) == (1.0, 0.0005)
    bound = hs.Gaussian(1.0).on(sampler).epsilon(1e-5)

    def delta(epsilon: float) -> mpmath.mpf:
        """Of (1 − q)·N(0) + q·N(2) against N(0), cut where the loss is ε; its other way is less."""
        q = mpmath.mpf("0.0005")
        x = mpmath.log1p(mpmath.expm1(epsilon) / q) / 2 + 1
        return (
            q * (1 - mpmath.ncdf(x - 2))
            - mpmath.expm1(epsilon) * (1 - mpmath.ncdf(x))
            - q * (1 - mpmath.ncdf(x))
        )

    with mpmath.workdps(30):
        truth = mpmath.findroot(lambda e: mpmath.log(delta(e)) - mpmath.log("1e-5"), 0.1)
    assert bound.lower <= float(truth) * (1 + 1e-12)
    assert bound.upper >= float(truth) * (1 - 1e-12)
    assert bound.upper == pytest.approx(float(truth), rel=1e-9)


@pytest.mark.parametrize(
    ("mechanism", "order"),
    [
        (hs.DiscreteGaussian(3.0), 2.0**62),
        (hs.DiscreteGaussian(3.0), 1e308),
        (STEP, 1e308),
        (STEP.group(2), 2.0**62),
        (STEP.group(2), 1e308),
    ],
)
def test_orders_out_of_reach_say_so(mechanism: hs.Mechanism, order: float) -> None:
    with np.errstate(all="ignore"), pytest.raises(NumericalError, match=r"would (need|have)"):
        mechanism.rdp(order)


def test_a_rate_of_almost_nothing_costs_almost_nothing() -> None:
    with np.errstate(all="ignore"):
        bound = (hs.Gaussian(1.0).on(hs.Poisson(math.ulp(0.0))) * 3).epsilon(1e-5)
    assert 0 <= bound.lower <= bound.upper < 1e-300
