"""δ by its logarithm: the same answers where it is a float, and sound ones where it is not."""

from __future__ import annotations

import math

import pytest
from mpmath import mp, mpf

import hockeystick as hs


@pytest.mark.parametrize("log_delta", [-1.0, -11.5, -300.0, -690.0])
def test_as_delta(log_delta: float) -> None:
    run = hs.Gaussian(2.0).on(hs.Poisson(0.1)) * 10
    expected = run.epsilon(math.exp(log_delta))
    assert run.epsilon(log_delta=log_delta) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("log_delta", [-1000.0, -100_000.0])
def test_gaussian_by_many_digits(log_delta: float) -> None:
    """log δ(ε) = log(Φ(θ/2 − ε/θ) − e^ε·Φ(−θ/2 − ε/θ)), solved with 60 digits."""
    found = hs.Gaussian(1.0).epsilon(log_delta=log_delta)

    def surplus(epsilon: float) -> float:
        e = mpf(epsilon)
        delta = mp.ncdf(0.5 - e) - mp.exp(e) * mp.ncdf(-0.5 - e)
        return float(mp.log(delta) - log_delta)

    with mp.workdps(60):
        low, high = 1.0, 1000.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if surplus(middle) > 0 else (low, middle)
    assert found.lower <= high <= found
    assert found < high * 1.01


def test_pure_dp_needs_no_more_than_its_largest_loss() -> None:
    found = (hs.RandomizedResponse(1.0) * 10).epsilon(log_delta=-1e6)
    assert found == pytest.approx(10.0, rel=1e-9)
    assert hs.Laplace(2.0).epsilon(log_delta=-math.inf) == 0.5


def test_smaller_costs_more() -> None:
    run = hs.Gaussian(1.0) * 3
    costs = [run.epsilon(log_delta=x) for x in (0.0, -10.0, -699.0, -701.0, -5000.0, -1e5)]
    assert costs == sorted(costs)
    assert costs[3] < 1.02 * costs[2]  # across the seam


def test_accountant() -> None:
    spent = hs.Accountant()
    spent.spend(hs.Gaussian(1.0), 3)
    run = hs.Gaussian(1.0) * 3
    for log_delta in (-20.0, -2000.0):
        assert spent.epsilon(log_delta=log_delta) == run.epsilon(log_delta=log_delta)


def test_refused() -> None:
    step = hs.Gaussian(1.0)
    for delta, log_delta in ((None, None), (0.1, -1.0)):
        with pytest.raises(hs.ParameterError, match="one of delta and log_delta"):
            step.epsilon(delta, log_delta=log_delta)
    for bad in (0.1, math.nan):
        with pytest.raises(hs.ParameterError, match="log_delta must be in"):
            step.epsilon(log_delta=bad)
    with pytest.raises(hs.ParameterError, match="method must be"):
        step.epsilon(log_delta=-1000.0, method="contour")


# by the contour, and from the real line ----------------------------------------------------------


def exact_log_delta(count: int, epsilon: float) -> float:
    """log δ of `count` binary randomized responses of ε0 = 1: a sum over answers that lie."""
    with mp.workdps(60):
        p, terms = 1 / (1 + mp.exp(-1)), []
        for lies in range(count + 1):
            loss = count - 2 * lies
            if loss > epsilon:
                weight = mp.binomial(count, lies) * p ** (count - lies) * (1 - p) ** lies
                terms.append(weight * (1 - mp.exp(mpf(epsilon) - loss)))
        return float(mp.log(mp.fsum(terms)))


@pytest.mark.parametrize("epsilon", [2900.5, 2950.25, 2999.5])
def test_log_delta_of_many_answers(epsilon: float) -> None:
    found = (hs.RandomizedResponse(1.0) * 3000).log_delta(epsilon)
    truth = exact_log_delta(3000, epsilon)
    assert found.lower <= truth <= found
    assert truth < -700
    assert (hs.RandomizedResponse(1.0) * 3000).delta(epsilon) > 0
    assert found - truth < 20
    assert epsilon == pytest.approx(
        (hs.RandomizedResponse(1.0) * 3000).epsilon(log_delta=found.upper), rel=1e-2
    )


def test_the_contour_is_nearly_exact() -> None:
    """A sampled Gaussian: what ε costs is what δ was asked, and both ends are near."""
    run = hs.Gaussian(1.1).on(hs.Poisson(0.01)) * 10_000
    found = run.epsilon(log_delta=-1000.0)
    assert found.method == "contour"
    assert found.upper - found.lower < 1e-6
    assert run.log_delta(found.upper) == pytest.approx(-1000.0, abs=1e-5)
    assert run.log_delta(found.lower).upper >= -1000.0


@pytest.mark.parametrize("log_delta", [-750.0, -5000.0, -100_000.0])
def test_one_sampled_gaussian(log_delta: float) -> None:
    """log δ(ε) = log q + log δ₁(log(1 + (e^ε − 1)/q)) of N(θ, 1) (Balle et al. 2018, Theorem 8)."""
    q, theta = 0.01, 1 / 1.1
    found = (hs.Gaussian(1.1).on(hs.Poisson(q))).epsilon(log_delta=log_delta)

    def truth(epsilon: float) -> float:
        with mp.workdps(40):
            e = mp.log1p(mp.expm1(mpf(epsilon)) / q)
            a, b = theta / 2 - e / theta, -theta / 2 - e / theta
            tails = mp.erfc(-a / mp.sqrt(2)) - mp.exp(e) * mp.erfc(-b / mp.sqrt(2))
            return float(mp.log(q) + mp.log(tails / 2))

    assert truth(found.upper) <= log_delta <= truth(found.lower)
    assert found.upper < 1.35 * found.lower


def test_plain_sizes_are_the_logarithm() -> None:
    run = hs.Laplace(2.0) * 7
    assert run.log_delta(2.0) == pytest.approx(math.log(run.delta(2.0)), rel=1e-14)
    assert run.log_delta(3.5) == -math.inf == run.log_delta(1e9)
    assert hs.Composition().log_delta(0.0) == -math.inf
    assert hs.ApproximateDP(1.0, 1e-3).log_delta(2.0) == pytest.approx(math.log(1e-3))


def test_an_infinite_loss_is_never_small_enough() -> None:
    assert hs.ApproximateDP(1.0, 1e-300).epsilon(log_delta=-701.0) == math.inf


@pytest.mark.parametrize("text", ["Gaussian(1) * 3", "Laplace(2) * 400"])
def test_epsilons_compare_calibrate_and_budgets(text: str) -> None:
    step = hs.parse(text)
    curve = step.epsilons(log_delta=-2000.0, counts=[0, 1, 5])
    each = [(step * n).epsilon(log_delta=-2000.0) for n in (0, 1, 5)]
    assert curve.tolist() == each
    assert curve.delta == hs.SmallDelta(-2000.0)
    table = hs.compare(step, log_delta=-2000.0)
    assert table[-2].epsilon == step.epsilon(log_delta=-2000.0)
    assert all(row.epsilon >= table[-1].epsilon for row in table)
    assert "e^-2000" in str(table)
    found = hs.calibrate(lambda n: step * n, epsilon=1000, log_delta=-2000.0, integer=True)
    count = sum(found.parts.values()) // sum(step.parts.values())
    assert found.epsilon(log_delta=-2000.0) <= 1000 < (step * (count + 1)).epsilon(log_delta=-2e3)
    account = hs.Accountant(budget=(1000.0, hs.SmallDelta(-2000.0)))
    assert account.steps_left(step) == count
    account.spend(step, count)
    with pytest.raises(hs.BudgetExceeded, match="-2000"):
        account.spend(step)
    again = hs.Accountant.from_json(account.to_json())
    assert again.budget == (1000.0, hs.SmallDelta(-2000.0))
    assert again.epsilons(log_delta=-2000.0, counts=[1]) == account.epsilon(log_delta=-2000.0)
    assert "e^-2000" in account.statement()
    assert ", 0)" not in account.statement()


def test_calibrate_noise() -> None:
    found = hs.calibrate(lambda sigma: hs.Gaussian(sigma), epsilon=1.0, log_delta=-1e5)
    assert found.epsilon(log_delta=-1e5) == pytest.approx(1.0, rel=1e-8)
    assert found.log_delta(1.0) <= -1e5
    none = hs.calibrate(lambda sigma: hs.Gaussian(sigma), epsilon=0.0, delta=1e-3)
    assert none.delta(0.0) <= 1e-3
    with pytest.raises(hs.ParameterError, match="meets"):
        hs.calibrate(lambda sigma: hs.Gaussian(sigma), epsilon=0.0, log_delta=-1e5)


@pytest.mark.parametrize("wrong", [math.nan, 0.5, math.inf, "x"])
def test_wrong_logarithms(wrong: float) -> None:
    step = hs.Gaussian(1.0)
    for ask in (
        lambda: step.epsilon(log_delta=wrong),
        lambda: step.epsilons(log_delta=wrong, counts=[1]),
        lambda: hs.compare(step, log_delta=wrong),
        lambda: hs.calibrate(hs.Gaussian, epsilon=1.0, log_delta=wrong),
        lambda: hs.Accountant().epsilon(log_delta=wrong),
    ):
        with pytest.raises(hs.ParameterError, match="log_delta must be"):
            ask()
    for wrong_log in (wrong, -1.0, -math.inf):
        with pytest.raises(hs.ParameterError, match="log must be"):
            hs.SmallDelta(wrong_log)


def test_explain_writes_a_delta_that_no_float_holds() -> None:
    small = hs.SmallDelta(-1000.0)
    assert float(small) == 0.0
    assert "delta = e^-1000 " in hs.Laplace(1.0).explain(small)


def test_a_profile_that_is_rounded_to_0_is_no_pure_dp() -> None:
    """No composition theorem may take δ < 5e-324 of a Gaussian step for δ = 0."""
    step = hs.Gaussian(1.0)
    for table in (hs.compare(step * 10, 0.0), hs.compare(step * 10, log_delta=-1500.0)):
        composed = [row.epsilon for row in table if "composition" in row.name]
        assert all(value == math.inf for value in composed)
