"""The four routes to one answer: each can be asked for by name, and all agree."""

from __future__ import annotations

import math

import pytest

import hockeystick as hs
from hockeystick.routes import NAMES, auto
from hockeystick.routes.contour.line import Line

ON = hs.Poisson
PLAIN_GAUSSIANS = [
    hs.Gaussian(1.0),
    hs.Gaussian(0.3),
    hs.Gaussian(50.0),
    hs.Gaussian(20.0) * 400,
    hs.Gaussian(3.0) * 5 + hs.Gaussian(7.0) * 11,
]
CASES = [
    hs.Gaussian(1.0).on(ON(0.01)) * 1000,
    hs.Gaussian(0.6).on(ON(0.002)) * 10_000,
    hs.Gaussian(5.0).on(ON(0.2)) * 50,
    hs.Gaussian(2.0).on(ON(0.5)) * 10,
    hs.Gaussian(1.0).on(ON(0.01)) * 500 + hs.Gaussian(2.0).on(ON(0.1)) * 30 + hs.Gaussian(8.0),
    hs.Laplace(5.0) * 100,
    hs.Laplace(1.0).on(ON(0.05)) * 300,
    hs.Laplace(4.0) * 40 + hs.Gaussian(3.0) * 2,
    hs.RandomizedResponse(0.3) * 100,
    hs.RandomizedResponse(0.5, categories=5).on(ON(0.1)) * 200,
    hs.DiscreteLaplace(3.0, sensitivity=2) * 60,
    hs.DiscreteGaussian(4.0) * 50,
    hs.PureDP(0.1) * 100,
    hs.ApproximateDP(0.1, 1e-9) * 100,
    hs.PureDP(0.2) * 20 + hs.Gaussian(3.0) * 3,
]
RUNS = [
    pytest.param(run, marks=pytest.mark.slow) if i % 2 or i == 4 else run
    for i, run in enumerate(CASES)
]
TOO_LONG = [CASES[i] for i in (5, 7, 9, 14)]
"""Atoms that share no lattice: e^K hardly decays along the contour, which may be refused."""
DELTAS = (pytest.param(1e-3, marks=pytest.mark.slow), 1e-7)
DELTAS_OF_GAUSSIANS = (pytest.param(each, marks=pytest.mark.slow) for each in (0.01, 1e-5))


def touch(one: hs.Bound, other: hs.Bound) -> bool:
    return one.lower <= other.upper and other.lower <= one.upper


@pytest.mark.slow
@pytest.mark.parametrize("run", PLAIN_GAUSSIANS, ids=repr)
@pytest.mark.parametrize("delta", [*DELTAS_OF_GAUSSIANS, 1e-20])
@pytest.mark.parametrize("method", ["contour", "lattice"])
def test_a_closed_form_is_what_the_others_find(
    run: hs.Mechanism, delta: float, method: str
) -> None:
    exact, other = run.epsilon(delta), run.epsilon(delta, method=method)
    assert exact.method == "closed form"
    assert other.method == method
    assert touch(exact, other)
    assert other == pytest.approx(exact, rel=1e-6 if method == "lattice" else 1e-9, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS, ids=repr)
@pytest.mark.parametrize("delta", DELTAS)
def test_lattice_contour_and_renyi_agree_on_epsilon(run: hs.Mechanism, delta: float) -> None:
    best = run.epsilon(delta)
    lattice = run.epsilon(delta, method="lattice")
    renyi = run.epsilon(delta, method="renyi")
    assert touch(best, lattice)
    assert lattice == pytest.approx(best, rel=1e-4)
    assert lattice.lower >= best * (1 - 0.25)
    assert best.lower <= renyi.upper
    if all(part.evidence(hs.ADD_REMOVE).loss.infinite == 0 for part in run.parts):
        assert renyi <= 1.6 * best
    if run in TOO_LONG:
        return
    contour = run.epsilon(delta, method="contour")
    assert touch(contour, lattice)
    assert touch(contour, best)


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS, ids=repr)
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_lattice_contour_and_renyi_agree_on_delta(run: hs.Mechanism, epsilon: float) -> None:
    best = run.delta(epsilon)
    lattice = run.delta(epsilon, method="lattice")
    assert touch(best, lattice)
    assert lattice == pytest.approx(best, rel=1e-3, abs=1e-30)
    assert best.lower <= run.delta(epsilon, method="renyi").upper


@pytest.mark.slow
@pytest.mark.parametrize("method", ["contour", "lattice", "renyi"])
def test_method_is_the_one_asked_for(method: str) -> None:
    run = hs.Gaussian(5.0).on(ON(0.2)) * 50
    assert run.epsilon(1e-5, method=method).method == method
    assert run.delta(1.0, method=method).method == method
    assert set(run.profile([0.5, 1.0], method=method).method.split(" and ")) == {method}


def test_auto_takes_the_exact_one() -> None:
    assert hs.Gaussian(1.0).epsilon(1e-5).method == "closed form"
    assert (hs.Gaussian(1.0) * 10 + hs.Gaussian(2.0)).epsilon(1e-5).method == "closed form"
    assert hs.Gaussian(1.0).on(ON(0.1)).epsilon(1e-5).method == "closed form"
    assert (hs.Gaussian(1.0).on(ON(0.1)) * 100).epsilon(1e-5).method == "contour"
    assert hs.ZeroConcentratedDP(0.1).epsilon(1e-5).method == "renyi"


@pytest.mark.parametrize("run", [CASES[0], CASES[7], CASES[8]], ids=repr)
def test_no_closed_form_is_an_error(run: hs.Mechanism) -> None:
    with pytest.raises(hs.NumericalError, match="closed form"):
        run.epsilon(1e-5, method="closed form")
    with pytest.raises(hs.NumericalError, match="closed form"):
        run.delta(1.0, method="closed form")


@pytest.mark.parametrize("method", ["closed form", "contour", "lattice"])
def test_a_curve_alone_has_only_its_own_route(method: str) -> None:
    with pytest.raises(hs.ParameterError, match="method"):
        hs.ZeroConcentratedDP(0.1).epsilon(1e-5, method=method)


@pytest.mark.slow
@pytest.mark.parametrize("run", [CASES[0], CASES[2], CASES[6]], ids=repr)
def test_the_curve_over_counts_is_each_count_alone(run: hs.Mechanism) -> None:
    step = next(iter(run.parts))
    counts = [0, 1, 2, 30, 31, 100, 1000, 1500]
    curve = step.epsilons(delta=1e-6, counts=counts)
    for count, lower, upper in zip(counts, curve.lower, curve.upper, strict=True):
        alone = (step * count).epsilon(1e-6)
        assert lower <= alone.upper
        assert alone.lower <= upper
        assert upper == pytest.approx(alone, rel=1e-4, abs=1e-12)
    alone_each = [step.epsilons(1e-6, [n])[0] for n in (5, 2, 5)]
    assert list(step.epsilons(1e-6, [5, 2, 5])) == pytest.approx(alone_each, rel=1e-9)


@pytest.mark.slow
def test_renyi_is_the_tightest_that_a_zcdp_curve_allows() -> None:
    """ρ-zCDP contains the Gaussian of σ² = 1/2ρ: no conversion may go below it; ρ + 2·(ρ·log 1/δ)^½
    is the classical one (Bun and Steinke 2016, Proposition 1.3), and a good one is well below."""
    for rho in (0.01, 0.5, 3.0):
        for delta in (1e-3, 1e-9):
            answer = hs.ZeroConcentratedDP(rho).epsilon(delta)
            attained = hs.Gaussian(math.sqrt(1 / (2 * rho))).epsilon(delta)
            classical = rho + 2 * math.sqrt(rho * math.log(1 / delta))
            assert attained.lower <= answer.upper <= 0.97 * classical
            assert answer.lower <= attained.upper


def test_pure_dp_composes_as_kairouz_oh_and_viswanath_say() -> None:
    """The optimal composition of 100 mechanisms of ε = 0.1 (2015, Theorem 3.3) at ε = 4."""
    n, e = 100, 0.1
    terms = [
        math.comb(n, i) * max(0.0, math.exp((n - i) * e) - math.exp(4.0 + i * e)) for i in range(n)
    ]
    truth = math.fsum(terms) / (1 + math.exp(e)) ** n
    answer = (hs.PureDP(e) * n).delta(4.0)
    assert answer.lower * (1 - 1e-12) <= truth <= answer.upper * (1 + 1e-12)
    assert answer == pytest.approx(truth, rel=1e-10)


def test_steps_that_are_told_apart_too_rarely_to_matter() -> None:
    """δ(0) is at most the sum of the total variations, and here within a third of it."""
    step = hs.Gaussian(10_000.0).on(hs.Poisson(1e-8))
    assert (step * 10**9).epsilon(0.5).method == "closed form"
    assert (step * 10**9).epsilon(0.5) == 0.0
    few = hs.Gaussian(1.0).on(hs.Poisson(0.01)) * 4
    apart = 4 * hs.Gaussian(1.0).on(hs.Poisson(0.01)).delta(0.0)
    assert few.epsilon(1.0001 * apart) == 0.0
    assert few.epsilon(0.3 * apart) > 0


def test_every_route_is_listed_and_says_what_it_does() -> None:
    """The names are a list of their own, because the command shows them before it loads numpy."""
    assert (*auto.ROUTES, "game") == NAMES == tuple(auto.SENTENCES)
    assert all(auto.SENTENCES.values())
    assert ("auto", *NAMES) == auto.METHODS


@pytest.mark.slow
@pytest.mark.parametrize("method", ["contour", "lattice", "renyi"])
@pytest.mark.parametrize(
    "text",
    ["RandomizedResponse(0.5) * 100", "Gaussian(1.0).on(Poisson(0.1)) * 100", "PureDP(0.0) * 3"],
)
def test_the_name_asked_for_is_the_name_answered(text: str, method: str) -> None:
    run = hs.parse(text)
    assert run.epsilon(1e-6, method=method).method == method
    assert run.delta(0.1, method=method).method == method


def test_a_bug_on_a_route_is_not_a_reason_to_try_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only `NumericalError` is; what a programmer did wrong must surface."""

    def broken(*_: object) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(Line, "delta", broken)
    with pytest.raises(ValueError, match="a bug"):
        (hs.Gaussian(1.0).on(ON(0.1)) * 100).epsilon(1e-5)


@pytest.mark.slow
def test_a_number_too_large_on_one_route_leaves_the_question_to_the_next() -> None:
    """Losses of millions of nats: the contour overflows, outcomes added up answer."""
    answer = (hs.Gaussian(0.01).on(ON(0.01)) * 1000).delta(130102.29787092302)
    assert answer.method == "closed form"
    assert 7.997e-6 < answer.lower <= answer.upper < 1.0024e-5  # the ends of a lattice
