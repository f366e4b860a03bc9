"""The oracle of optimal composition: against 50 digits, and binomials by Loader's form."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from tests.oracles.optimal_composition import (
    log_mass,
    optimal_composition,
    optimal_composition_delta,
    tail,
)
from tests.reference import DATA

PATH = DATA / "optimal_composition.json"


def exact(l: int, k: int, epsilon: float) -> mpf:  # noqa: E741
    choose = mp.loggamma(k + 1) - mp.loggamma(l + 1) - mp.loggamma(k - l + 1)
    return choose - (k - l) * mpf(epsilon) - k * mp.log1p(mp.exp(-mpf(epsilon)))


@pytest.mark.parametrize("k", [1, 2, 17, 100, 10**4, 10**6])
@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 0.5, 1.5, 20.0, 2000.0])
def test_log_mass(k: int, epsilon: float) -> None:
    with mp.workdps(50):
        for l in sorted({0, 1, k // 3, k // 2, k // 2 + k // 100, k - k // 50, k - 1, k}):  # noqa: E741
            value = float(log_mass(np.array([float(l)]), k, epsilon)[0])
            truth = exact(l, k, epsilon)
            assert abs(value - truth) <= 2e-14 + 4e-15 * abs(truth)


def test_tail_sums() -> None:
    with mp.workdps(40):
        for k, epsilon, start in ((30, 0.3, 20), (400, 0.05, 150), (400, 0.05, 400), (5, 3.0, 0)):
            sums = tail(epsilon, k, start)
            masses = [mp.exp(exact(l, k, epsilon)) for l in range(start, k + 1)]  # noqa: E741
            behind = [mp.exp(-2 * mpf(epsilon) * i) for i in range(k - start + 1)]
            reverse = mp.fsum(m * b for m, b in zip(masses, behind, strict=True))
            excess = mp.fsum(m * (1 - b) for m, b in zip(masses, behind, strict=True))
            scale = mp.exp(mpf(sums.log_scale))
            assert abs(sums.reverse * scale - reverse) <= 1e-13 * reverse
            assert abs(sums.excess * scale - excess) <= 1e-13 * excess


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    with mp.workdps(50):
        yield


def exact_delta(step: float, lost: float, count: int, epsilon: float) -> mpf:
    """Kairouz, Oh and Viswanath (2015), Theorem 3.3, between lattice points too."""
    e, total = mpf(step), mpf(epsilon)
    p = 1 / (1 + mp.exp(-e))
    kept = (1 - mpf(lost)) ** count
    hidden = mp.fsum(
        mp.binomial(count, l)
        * p**l
        * (1 - p) ** (count - l)
        * -mp.expm1(total - (2 * l - count) * e)
        for l in range(count + 1)  # noqa: E741
        if (2 * l - count) * e > total
    )
    return 1 - kept + kept * hidden


def test_reference() -> None:
    for row in json.loads(PATH.read_text()):
        step, lost, count = float(row["epsilon"]), float(row["delta"]), int(row["count"])
        epsilon, delta = float(row["composed_epsilon"]), float(row["composed_delta"])
        value = optimal_composition_delta(step, lost, count, epsilon=epsilon)
        assert value == pytest.approx(delta, rel=1e-14, abs=0)
        assert optimal_composition(step, lost, count, delta=delta) == pytest.approx(
            epsilon, rel=1e-12
        )


@given(
    st.floats(-5, 1.5),
    st.integers(1, 300),
    st.floats(0, 1.01),
    st.sampled_from([0.0, 1e-9, 1e-3, 0.3]),
)
def test_delta_in_fifty_digits(log_step: float, count: int, share: float, lost: float) -> None:
    step = 10**log_step
    epsilon = share * share * count * step
    exact = exact_delta(step, lost, count, epsilon)
    value = optimal_composition_delta(step, lost, count, epsilon=epsilon)
    assert abs(value - exact) <= 2e-13 * exact + mpf(10) ** -320


@pytest.mark.slow
@given(st.floats(-5, 1), st.integers(1, 200), st.floats(-250, -0.01))
def test_epsilon_is_the_smallest(log_step: float, count: int, log_delta: float) -> None:
    """δ at the answer is below the target by what is promised and no more."""
    step, delta = 10**log_step, 10**log_delta
    epsilon = optimal_composition(step, 0, count, delta=delta)
    assert 0 <= epsilon <= count * step
    if epsilon < count * step:  # which itself is rounded to a float
        assert exact_delta(step, 0, count, epsilon) <= delta
    if epsilon > 0:
        smaller = epsilon * (1 - 4e-15)
        assert exact_delta(step, 0, count, smaller) >= delta * (1 - 1e-12)


@pytest.mark.parametrize("count", [1, 10, 1000, 10**5, 10**6])
def test_a_million_steps_at_tiny_delta(count: int) -> None:
    """There and back, and in the limit the Gaussian of the same variance of the loss."""
    step = 1 / math.sqrt(count)
    for delta in (1e-3, 1e-10, 1e-100):
        epsilon = optimal_composition(step, 0, count, delta=delta)
        here, before = (
            optimal_composition_delta(step, 0, count, epsilon=e)
            for e in (epsilon, epsilon * (1 - 4e-15))
        )
        assert here <= delta
        assert before >= delta * (1 - 1e-12)
    if count == 10**6:
        value = optimal_composition_delta(step, 0, count, epsilon=3.0)
        gaussian = mp.ncdf(-2.5) - mp.exp(3) * mp.ncdf(-3.5)
        assert value == pytest.approx(float(gaussian), rel=1e-4, abs=0)
