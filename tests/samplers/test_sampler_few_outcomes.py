"""Sampled randomized response by its binomial law: two losses, so every sum is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

import hockeystick as hs


def exact(epsilon: float, rate: float, steps: int, at: float) -> float:
    """The larger direction of δ."""
    truth = 1 / (1 + math.exp(-epsilon))
    p = np.array([(1 - rate) * (1 - truth) + rate * truth, 0.0])
    p[1] = 1 - p[0]
    q, k, found = np.array([1 - truth, truth]), np.arange(steps + 1), []
    for one, other in ((p, q), (q[::-1], p[::-1])):
        up, down = np.log(one / other)
        losses = k * up + (steps - k) * down
        gain = -np.expm1(np.minimum(at - losses, 0))
        found.append(float(binom.pmf(k, steps, one[0]) @ gain))
    return max(found)


@pytest.mark.parametrize(
    ("epsilon", "rate", "steps", "at"),
    [
        (1.0, 0.1, 1, 0.05),
        (1.0, 0.1, 50, 1.0),
        (0.3, 0.5, 200, 2.0),
        (2.0, 0.01, 1000, 1.0),
        (2.506072490235906, 0.5189735470341462, 9, 7.369236409777316),
        (1 / 11.6, 0.47, 30, 1.1),
    ],
)
def test_delta(epsilon: float, rate: float, steps: int, at: float) -> None:
    expected = exact(epsilon, rate, steps, at)
    found = (hs.RandomizedResponse(epsilon).on(hs.Poisson(rate)) * steps).delta(at)
    assert expected * (1 - 1e-9) <= found <= expected * (1 + 1e-6)
    assert found.lower <= expected * (1 + 1e-9)
