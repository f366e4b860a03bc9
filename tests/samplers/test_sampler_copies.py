"""Copies of a record under Laplace noise: the lower end is the divergence of the mixture."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

import hockeystick as hs


def divergence(weights: np.ndarray, reach: float, epsilon: float) -> float:
    """H of Σ B_k·Lap(k·reach) and Lap(0), the larger of both directions, by quadrature."""

    def densities(x: float) -> tuple[float, float]:
        each = [w * math.exp(-abs(x - k * reach)) / 2 for k, w in enumerate(weights.tolist())]
        return sum(each), math.exp(-abs(x)) / 2

    def forward(x: float) -> float:
        p, q = densities(x)
        return max(p - math.exp(epsilon) * q, 0.0)

    def backward(x: float) -> float:
        p, q = densities(x)
        return max(q - math.exp(epsilon) * p, 0.0)

    places = [-40.0, *(k * reach for k in range(weights.size)), weights.size * reach + 40.0]
    return max(
        sum(integrate.quad(f, a, b, limit=400)[0] for a, b in pairwise(places))
        for f in (forward, backward)
    )


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 1.0])
@pytest.mark.parametrize(
    ("relation", "reach"), [(hs.REPLACE_ONE, 2.0), (hs.ADD_REMOVE, 2.0), (hs.ZERO_OUT, 1.0)]
)
def test_one_step(relation: hs.Relation, reach: float, epsilon: float) -> None:
    found = hs.Laplace(1.0).on(hs.WithReplacement(3, 10)).delta(epsilon, relation=relation)
    truth = divergence(stats.binom.pmf(np.arange(4), 3, 0.1), reach, epsilon)
    assert found.lower == pytest.approx(truth, rel=1e-5, abs=1e-9)
    assert found.lower <= truth * (1 + 1e-9) + 1e-10
    assert truth <= found * (1 + 1e-9)


def test_nearly_the_upper_end() -> None:
    found = hs.Laplace(1.0).on(hs.WithReplacement(3, 10)).delta(1.0)
    assert found.lower > 0.96 * found
