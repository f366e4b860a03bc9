"""Composition theorems: the optimal one against its oracle and brute force, the others above it."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

import hockeystick as hs
from hockeystick import classical
from hockeystick.classical import (
    approximate_profile,
    compose_profile,
    gaussian_profile,
    hockey_stick,
    naive_composition,
    optimal_composition,
    optimal_composition_delta,
    strong_composition,
)
from hockeystick.errors import ParameterError
from tests.oracles import optimal_composition as binomial
from tests.reference import DATA

PATH = DATA / "optimal_composition.json"


LOOSE = 1e-7
"""How far the safe end may be above the truth, relatively: it pays for the rounding of grids."""


def test_reference() -> None:
    for row in json.loads(PATH.read_text()):
        step, lost, count = float(row["epsilon"]), float(row["delta"]), int(row["count"])
        epsilon, delta = float(row["composed_epsilon"]), float(row["composed_delta"])
        value = optimal_composition_delta(step, lost, count, epsilon=epsilon)
        assert value == pytest.approx(delta, rel=1e-10, abs=0)
        assert optimal_composition(step, lost, count, delta=delta) == pytest.approx(
            epsilon, rel=1e-11
        )


@given(
    st.floats(-5, 1.5),
    st.sampled_from([1, 2, 7, 17, 300, 10**4, 10**6]),
    st.floats(-250, -0.01),
    st.sampled_from([0.0, 1e-9, 1e-3, 0.3]),
)
def test_both_ways_against_the_sums_of_binomials(
    log_step: float, count: int, log_delta: float, lost: float
) -> None:
    args = 10**log_step, lost, count
    delta = 10**log_delta
    truth = binomial.optimal_composition(*args, delta=delta)
    epsilon = optimal_composition(*args, delta=delta)
    assert epsilon == truth or truth * (1 - 1e-10) <= epsilon <= truth * (1 + LOOSE)
    if math.isfinite(truth):
        least = binomial.optimal_composition_delta(*args, epsilon=0.7 * truth)
        found = optimal_composition_delta(*args, epsilon=0.7 * truth)
        assert least * (1 - 1e-12) <= found <= least * (1 + LOOSE)


def test_brute_force_over_all_answers() -> None:
    """Three steps of the extremal pair, every one of the 4³ outcomes."""
    step, lost = 0.7, 0.05
    p = math.exp(step) / (1 + math.exp(step))
    first = np.array([lost, (1 - lost) * p, (1 - lost) * (1 - p), 0])
    second = first[::-1].copy()
    second[1:3] = first[[2, 1]]
    one, other = (
        np.array([math.prod(law[i] for i in outcome) for outcome in product(range(4), repeat=3)])
        for law in (first, second)
    )
    for epsilon in (0.0, 0.3, 0.7, 1.0, 2.0, 2.1, 5.0):
        exact = hockey_stick(one, other, math.exp(epsilon))
        value = optimal_composition_delta(step, lost, 3, epsilon=epsilon)
        assert value == pytest.approx(exact, rel=1e-12, abs=0)


def test_the_order_of_the_theorems() -> None:
    for step, lost, count in ((0.1, 1e-8, 100), (0.01, 0.0, 10_000), (1.0, 1e-7, 5)):
        args = step, lost, count
        best = optimal_composition(*args, delta=1e-5)
        assert best < naive_composition(*args, delta=1e-5)
        assert best < strong_composition(*args, delta=1e-5)
    assert strong_composition(0.01, 0, 10_000, delta=1e-5) < naive_composition(
        0.01, 0, 10_000, delta=1e-5
    )


def test_the_strong_theorem() -> None:
    """Dwork and Roth (2014), Theorem 3.20, with δ' = δ − kδ₀."""
    with mp.workdps(50):
        slack, e = mpf(1e-5) - 100 * mpf(1e-8), mpf(0.1)
        exact = mp.sqrt(200 * mp.log(1 / slack)) * e + 100 * e * mp.expm1(e)
    assert strong_composition(0.1, 1e-8, 100, delta=1e-5) == pytest.approx(
        float(exact), rel=1e-13, abs=0
    )


def test_the_strong_theorem_as_wang_balle_and_kasiviswanathan_print_it() -> None:
    """Theorem 26 has 2kε² for kε(e^ε − 1), valid and larger up to ε = 1."""
    for step in (1e-3, 0.1, 1.0):
        for count in (1, 100):
            printed = step * math.sqrt(2 * count * math.log(1e6)) + 2 * count * step**2
            assert strong_composition(step, 1e-9, count, delta=1e-6 + count * 1e-9) <= printed


@pytest.mark.slow
def test_one_step_chosen_along_a_profile() -> None:
    """A hundred Gaussians of μ = 0.1 are one of μ = 1, of which ε is known exactly."""

    def step(epsilon: float) -> float:
        return float(gaussian_profile(epsilon, 0.1))

    best = compose_profile(step, 100, delta=1e-5)
    assert gaussian_profile(best, 1.0) < 1e-5
    scan = [optimal_composition(e, step(e), 100, delta=1e-5) for e in np.linspace(0.4, 0.7, 301)]
    assert best == pytest.approx(min(scan), rel=1e-4, abs=0)
    for theorem in (naive_composition, strong_composition):
        assert best < compose_profile(step, 100, delta=1e-5, theorem=theorem) < math.inf
    fixed = compose_profile(lambda e: approximate_profile(e, 0.5, 0.0), 7, delta=0)
    assert fixed == pytest.approx(3.5, rel=1e-3, abs=0)


THEOREMS = (naive_composition, strong_composition, optimal_composition)


@pytest.mark.parametrize("theorem", THEOREMS)
def test_the_ends(theorem) -> None:  # type: ignore[no-untyped-def]
    assert theorem(0.5, 0.1, 3, delta=0.2) == math.inf
    assert theorem(0.5, 0.1, 3, delta=1) == 0
    assert theorem(0.5, 0.1, 0, delta=0) == 0
    assert theorem(0, 0.01, 3, delta=0.1) == 0
    assert theorem(0.5, 1.0, 3, delta=0.5) == math.inf


def test_what_exactly_meets_delta() -> None:
    """The composed δ₀ itself: every slack is used up, every ε still stands."""
    assert naive_composition(0.5, 1e-6, 3, delta=3e-6) == 1.5
    assert optimal_composition(0.5, 1e-6, 1, delta=1e-6) == 0.5
    assert optimal_composition(0.5, 0, 7, delta=0) == 3.5
    lost = -math.expm1(1000 * math.log1p(-1e-6))
    assert optimal_composition(0.5, 1e-6, 1000, delta=lost) == 500
    assert strong_composition(0.5, 0, 7, delta=0) == math.inf
    assert optimal_composition_delta(0.5, 0, 7, epsilon=3.5) == 0
    assert optimal_composition_delta(0.5, 0.1, 2, epsilon=math.inf) == pytest.approx(0.19)
    assert optimal_composition_delta(0.5, 0.1, 0, epsilon=0) == 0


def test_enormous_steps() -> None:
    """All answers are true but for e^−ε: δ(ε) of k steps is about P[all true]·(1 − e^{ε − kε₀})."""
    for step in (50.0, 800.0, 1e6):
        epsilon = optimal_composition(step, 0, 4, delta=0.5)
        assert epsilon == pytest.approx(4 * step - math.log(2), rel=1e-12, abs=0)
        assert optimal_composition_delta(step, 0, 4, epsilon=step) == pytest.approx(
            1, rel=1e-12, abs=0
        )


@pytest.mark.parametrize("theorem", THEOREMS)
def test_bad_input(theorem) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ParameterError, match="step_epsilon must be in"):
        theorem(math.inf, 0, 3, delta=0.1)
    with pytest.raises(ParameterError, match="count must be an integer"):
        theorem(0.5, 0, 2.5, delta=0.1)
    with pytest.raises(ParameterError, match="delta must be in"):
        theorem(0.5, 0, 3, delta=math.nan)


def test_naive_composition_of_different_steps() -> None:
    steps = [(0.5, 1e-6, 4), (0.1, 0.0, 10), (2.0, 1e-3, 0)]
    epsilon, delta = classical.naive_composition_of(steps)
    assert epsilon == pytest.approx(3.0)
    assert delta == pytest.approx(4e-6)
    run = hs.ApproximateDP(0.5, 1e-6) * 4 + hs.PureDP(0.1) * 10
    assert run.delta(epsilon) <= delta
