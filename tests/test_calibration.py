"""The calibrated parameter meets the target, and a hair further it would not."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hockeystick as hs

Family = Callable[[float], hs.Mechanism]
HAIR = 5e-9


def calibrated(family: Family, epsilon: float, delta: float) -> tuple[hs.Mechanism, float]:
    """The answer and the parameter that it was made with."""
    made: dict[hs.Mechanism, float] = {}

    def remember(x: float) -> hs.Mechanism:
        mechanism = family(x)
        made[mechanism] = x
        return mechanism

    answer = hs.calibrate(remember, epsilon=epsilon, delta=delta)
    return answer, made[answer]


CASES: list[tuple[str, Family, int, float, float]] = [
    # name, family, direction in which privacy gets worse, epsilon, delta
    ("Gaussian", lambda x: hs.Gaussian(x), -1, 1.0, 1e-5),
    ("Gaussian 5", lambda x: hs.Gaussian(x), -1, 5.0, 1e-6),
    ("Gaussian 50", lambda x: hs.Gaussian(x), -1, 50.0, 1e-6),
    ("Gaussian 1000", lambda x: hs.Gaussian(x), -1, 1000.0, 1e-6),
    ("Gaussian tiny", lambda x: hs.Gaussian(x), -1, 1e-3, 1e-10),
    ("many Gaussians", lambda x: hs.Gaussian(x) * 500, -1, 2.0, 1e-6),
    ("sampled", lambda x: hs.Gaussian(x).on(hs.Poisson(0.01)) * 10_000, -1, 2.0, 1e-5),
    ("rate", lambda q: hs.Gaussian(1.0).on(hs.Poisson(q)) * 1000, 1, 2.0, 1e-6),
    ("rate above a half", lambda q: hs.Gaussian(5.0).on(hs.Poisson(q)) * 30, 1, 4.0, 1e-6),
    ("Laplace", lambda b: hs.Laplace(b) * 100, -1, 3.0, 1e-6),
    ("one Laplace", lambda b: hs.Laplace(b), -1, 0.7, 0.01),
    ("mixture", lambda x: hs.Gaussian(x) * 10 + hs.Gaussian(2 * x) * 20, -1, 1.0, 1e-8),
    ("randomized response", lambda e: hs.RandomizedResponse(e) * 50, 1, 4.0, 1e-6),
    ("zCDP", lambda rho: hs.ZeroConcentratedDP(rho), 1, 1.0, 1e-6),
]


SLOW = ("Laplace", "zCDP")


@pytest.mark.parametrize(
    ("family", "worse", "epsilon", "delta"),
    [
        pytest.param(*c[1:], id=c[0], marks=[pytest.mark.slow] if c[0] in SLOW else [])
        for c in CASES
    ],
)
def test_meets_the_target_and_no_more(
    family: Family, worse: int, epsilon: float, delta: float
) -> None:
    answer, x = calibrated(family, epsilon=epsilon, delta=delta)
    assert answer == family(x)
    assert answer.delta(epsilon) <= delta
    beyond = family(x * (1 + worse * HAIR))
    assert beyond.delta(epsilon) > delta or beyond.epsilon(delta) > epsilon
    assert epsilon * (1 - 1e-6) <= answer.epsilon(delta) <= epsilon


def test_known_noise() -> None:
    """The analytic Gaussian mechanism (Balle and Wang 2018), and a sampled one to six digits."""
    _, noise = calibrated(lambda x: hs.Gaussian(x), epsilon=1.0, delta=1e-5)
    assert noise == pytest.approx(3.730631634816464, rel=1e-9)
    step: Family = lambda x: hs.Gaussian(x).on(hs.Poisson(0.01)) * 10_000  # noqa: E731
    _, noise = calibrated(step, epsilon=2.0, delta=1e-5)
    assert noise == pytest.approx(2.127375, abs=1e-6)


def test_delta_zero() -> None:
    """Pure DP: only a bounded loss can meet it, by its largest value."""
    _, scale = calibrated(lambda b: hs.Laplace(b), epsilon=0.25, delta=0.0)
    assert scale == pytest.approx(4.0, rel=HAIR)
    assert hs.Laplace(scale).epsilon(0) <= 0.25


def test_replacing_a_record_needs_twice_the_noise() -> None:
    _, once = calibrated(lambda x: hs.Gaussian(x), epsilon=1.0, delta=1e-5)
    made: list[float] = []
    family: Family = lambda x: made.append(x) or hs.Gaussian(x)  # type: ignore[func-returns-value]  # noqa: E731
    answer = hs.calibrate(family, epsilon=1.0, delta=1e-5, relation=hs.REPLACE_ONE)
    assert answer.noise_multiplier == pytest.approx(2 * once, rel=2 * HAIR)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(hs.Gaussian(1.0).on(hs.Poisson(0.01)), marks=pytest.mark.slow),
        hs.Gaussian(10.0),
        pytest.param(hs.Laplace(20.0), marks=pytest.mark.slow),
        hs.RandomizedResponse(0.1),
    ],
    ids=repr,
)
@pytest.mark.parametrize(
    ("epsilon", "delta"), [(2.0, 1e-6), pytest.param(5.0, 1e-9, marks=pytest.mark.slow)]
)
def test_the_last_count_that_fits(step: hs.Mechanism, epsilon: float, delta: float) -> None:
    run = hs.calibrate(lambda n: step * n, epsilon=epsilon, delta=delta, integer=True)
    count = run.parts[step]
    assert (step * count).delta(epsilon) <= delta
    assert (step * (count + 1)).delta(epsilon) > delta


@given(st.floats(0.01, 100.0), st.floats(-15, -0.5))
@settings(max_examples=30)
def test_any_gaussian(epsilon: float, exponent: float) -> None:
    delta = 10**exponent
    _, noise = calibrated(lambda x: hs.Gaussian(x), epsilon=epsilon, delta=delta)
    assert hs.Gaussian(noise).delta(epsilon) <= delta
    assert hs.Gaussian(noise * (1 - HAIR)).delta(epsilon) > delta


def test_a_family_that_cannot_meet_the_target() -> None:
    with pytest.raises(hs.ParameterError, match="parameter"):
        hs.calibrate(lambda x: hs.ApproximateDP(x, 0.1), epsilon=1.0, delta=1e-5)


def test_a_family_that_cannot_miss_the_target() -> None:
    with pytest.raises(hs.ParameterError, match="parameter"):
        hs.calibrate(lambda q: hs.Gaussian(5.0).on(hs.Poisson(q)), epsilon=8.0, delta=1e-5)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ({"epsilon": math.nan, "delta": 1e-5}, "epsilon"),
        ({"epsilon": -1.0, "delta": 1e-5}, "epsilon"),
        ({"epsilon": 1.0, "delta": math.nan}, "delta"),
        ({"epsilon": 1.0, "delta": 1.5}, "delta"),
        ({"epsilon": "1", "delta": 0.1}, "epsilon"),
    ],
)
def test_senseless_targets(target: dict[str, Any], name: str) -> None:
    with pytest.raises(hs.ParameterError, match=name):
        hs.calibrate(lambda x: hs.Gaussian(x), **target)


@pytest.mark.slow
def test_where_delta_is_too_small_for_a_float_both_ways_are_tried() -> None:
    asked: list[float] = []

    def family(noise: float) -> hs.Mechanism:
        asked.append(noise)
        return hs.Laplace(noise) * 2

    answer = hs.calibrate(family, epsilon=2000, delta=1e-5)
    assert answer.epsilon(1e-5) <= 2000
    assert answer.epsilon(1e-5) == pytest.approx(2000, rel=1e-8)
    assert max(asked) < 2.0**12


def test_no_mechanism_is_asked_twice_nor_the_way_that_leads_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[float] = []
    answer = hs.Gaussian.epsilon

    def counted(self: hs.Gaussian, *given: float, **how: object) -> hs.Bound:
        asked.append(self.noise_multiplier)
        return answer(self, *given, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(hs.Gaussian, "epsilon", counted)
    hs.calibrate(hs.Gaussian, epsilon=1, delta=1e-5)
    assert len(asked) == len(set(asked)) <= 8
    assert min(asked) == 1.0


@pytest.mark.parametrize("target", [(1e-4, 1e-10), (1.0, 1e-5), (300.0, 1e-6)])
def test_few_questions_wherever_the_parameter_is(
    target: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[hs.Mechanism] = []
    answer = hs.Mechanism.epsilon

    def counted(self: hs.Mechanism, *given: float, **how: object) -> hs.Bound:
        asked.append(self)
        return answer(self, *given, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(hs.Mechanism, "epsilon", counted)
    hs.calibrate(hs.Gaussian, epsilon=target[0], delta=target[1])
    assert len(asked) <= 10


def test_a_count_can_end_at_one() -> None:
    run = hs.calibrate(lambda n: hs.Laplace(1.0) * n, epsilon=1.5, delta=0.0, integer=True)
    assert run == hs.Laplace(1.0)


def test_a_bound_that_jumps_up_and_falls_again_is_passed_by() -> None:
    """Where routes change, a bound may miss the target at few steps and meet it at more."""
    cost = {1: 3.0, 2: 3.0}
    answer = hs.calibrate(
        lambda n: hs.PureDP(cost.get(n, n / 1000)), epsilon=1.0, delta=0.0, integer=True
    )
    assert answer == hs.PureDP(1.0)


def test_a_jump_over_the_target_is_an_error() -> None:
    with pytest.raises(
        hs.NumericalError, match=r"epsilon jumps over the target: it is 0\.1 .* 50 "
    ):
        hs.calibrate(lambda x: hs.PureDP(0.1 if x < 5 else 10.0 * x), epsilon=1.0, delta=0.0)


def test_a_jump_of_epsilon_is_none_where_delta_is_met() -> None:
    answer = hs.calibrate(lambda d: hs.ApproximateDP(0.5, d / 10), epsilon=1.0, delta=1e-3)
    assert answer.delta(1.0) == pytest.approx(1e-3, rel=HAIR)


@pytest.mark.parametrize(
    ("family", "message"),
    [
        (lambda x: hs.ApproximateDP(x, 0.1), "epsilon is inf wherever the parameter is"),
        (lambda x: hs.Gaussian(x) + hs.Laplace(0.5), r"no parameter .* the smallest epsilon is 2"),
        (lambda x: hs.Gaussian(5.0).on(hs.Poisson(min(x, 1.0))), r"every parameter .* at 1$"),
        (lambda x: hs.Gaussian(9.0), r"epsilon is 0\.\d+ wherever .* always meets"),
    ],
)
def test_each_failure_says_what_it_is(family: Family, message: str) -> None:
    with pytest.raises(hs.ParameterError, match=message):
        hs.calibrate(family, epsilon=1.0, delta=1e-6)


def test_a_family_is_told_what_is_wrong_with_it() -> None:
    with pytest.raises(hs.ParameterError, match="rate must be in"):
        hs.calibrate(lambda x: hs.Gaussian(x).on(hs.Poisson(2.0)), epsilon=1.0, delta=1e-6)
