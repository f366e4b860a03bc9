"""What coins do to δ: tight, by linear programming over all pairs of laws."""

from __future__ import annotations

import math
from itertools import product

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from hockeystick.bernoulli import amplify_delta
from hockeystick.bernoulli.search import _kernel
from tests.oracles import bernoulli as oracle


@pytest.mark.parametrize(
    ("epsilon", "delta", "c", "d", "k"),
    [(0.5, 0.1, 0.1, 1, 1), (0.2, 0.3, 0.3, 2, 1), (1.0, 0.5, 0.05, 1, 2)],
)
def test_against_linear_programming(epsilon: float, delta: float, c: float, d: int, k: int) -> None:
    """The best event of the coins, over all events and all pairs with Σ (P − e^ε·Q)_+ <= δ."""
    axis = np.linspace(c, 1 - c, 3)
    kernel = _kernel(np.array(list(product(axis, repeat=d))), k)
    points, outcomes = kernel.shape
    a = math.exp(epsilon)
    best = 0.0
    for event in product((0, 1), repeat=outcomes):
        gain = kernel @ np.array(event)
        # Variables P, Q and the positive part T >= P − aQ, in that order.
        goal = np.concatenate([-gain, a * gain, np.zeros(points)])
        one = np.eye(points)
        above = np.hstack([one, -a * one, -one])
        total = np.concatenate([np.zeros(2 * points), np.ones(points)])
        sums = np.kron(np.eye(2, 3), np.ones(points))
        found = linprog(goal, np.vstack([above, total]), [0.0] * points + [delta], sums, [1, 1])
        assert found.fun is not None
        best = max(best, -found.fun)
    assert amplify_delta(epsilon, delta, c, d, k) == pytest.approx(best, abs=1e-9)


@settings(max_examples=60)
@given(st.floats(0, 4), st.floats(0, 1), st.floats(0.001, 0.499), st.integers(1, 30))
def test_against_forty_digits(epsilon: float, delta: float, c: float, n: int) -> None:
    with mp.workdps(40):
        value = float(oracle.contracted(delta, epsilon, n, c))
    assert amplify_delta(epsilon, delta, c, n) == pytest.approx(value, rel=1e-11, abs=1e-15)


def test_extremes() -> None:
    assert amplify_delta(1.0, 0.0, 0.1) == 0.0
    assert amplify_delta(1.0, 0.2, 0.0) == 0.2
    assert amplify_delta(1.0, 0.2, 0.5) == 0.0
    assert amplify_delta(math.inf, 0.2, 0.1) == 0.0
    assert amplify_delta(1.0, 1.0, 0.1, 10**5) == pytest.approx(1.0)
    assert amplify_delta(0.0, 0.3, 0.1) == pytest.approx(0.3 * 0.8)
