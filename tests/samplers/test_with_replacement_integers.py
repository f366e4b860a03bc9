"""Integer noise on a sample with replacement: the lower end is that of a pair of data sets."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.numerics.types import Array

WIDE = 120


def released(values: list[int], size: int, log_density: Array) -> Array:
    """The law of the sum of `size` draws from the values, plus noise on −WIDE, …, WIDE."""
    noise = np.exp(log_density) / np.exp(log_density).sum()
    law = np.zeros(2 * WIDE + 1)
    draws = list(itertools.product(values, repeat=size))
    for draw in draws:
        law += np.roll(noise, sum(draw)) / len(draws)
    return law


def delta(p: Array, q: Array, epsilon: float) -> float:
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


@pytest.mark.parametrize("kind", [hs.DiscreteLaplace, hs.DiscreteGaussian])
@pytest.mark.parametrize("steps", [1, 2])
def test_by_enumeration(kind: type[hs.DiscreteLaplace | hs.DiscreteGaussian], steps: int) -> None:
    """Two of three records, each 0 or, if it is replaced, 1; replace_sensitivity = 1."""
    x = np.arange(-WIDE, WIDE + 1.0)
    scale = 2.5
    log_density = -np.abs(x) / scale if kind is hs.DiscreteLaplace else -(x**2) / (2 * scale**2)
    with_it, without = (released(each, 2, log_density) for each in ([1, 0, 0], [0, 0, 0]))
    p, q = with_it, without
    if steps == 2:
        p, q = np.outer(p, p).ravel(), np.outer(q, q).ravel()
    run = kind(scale, 1, 1).on(hs.WithReplacement(2, 3)) * steps
    for epsilon in (0.0, 0.1, 0.25, 0.4):
        truth = max(delta(p, q, epsilon), delta(q, p, epsilon))
        found = run.delta(epsilon, relation=hs.REPLACE_ONE)
        assert found.lower <= truth * (1 + 1e-9) + 1e-15
        assert found.lower >= truth * (1 - 1e-3) - 1e-12
        assert truth <= found.upper * (1 + 1e-9)


@pytest.mark.parametrize("text", ["Laplace(1)", "DiscreteLaplace(2)", "DiscreteGaussian(3)"])
def test_copies_cost_more_than_one(text: str) -> None:
    """Several steps: more than the pair that counts a record once, however often it is drawn."""
    base, sampler = hs.parse(text), hs.WithReplacement(10, 20)
    run = base.on(sampler) * 20
    drawn = 1 - (19 / 20) ** 10
    once = (base.on(hs.Poisson(drawn)) * 20).epsilon(1e-6, relation=hs.ADD_REMOVE)
    found = run.epsilon(1e-6, relation=hs.ADD_REMOVE)
    assert 1.5 * once.lower < found.lower <= found


@pytest.mark.slow
def test_laplace_in_two_steps_by_quadrature() -> None:
    """δ of two steps of Σ B_k·Lap(kr) against Lap(0), added up on a fine grid."""
    weights, reach, epsilon = (4 / 9, 4 / 9, 1 / 9), 1.0, 0.5
    x = np.linspace(-25, 27, 5201)
    q = np.exp(-np.abs(x)) / 2
    p = np.sum([w * np.exp(-np.abs(x - k * reach)) / 2 for k, w in enumerate(weights)], axis=0)
    step = x[1] - x[0]
    rows = [
        np.maximum(np.outer(p[i : i + 400], p) - math.exp(epsilon) * np.outer(q[i : i + 400], q), 0)
        for i in range(0, x.size, 400)
    ]
    truth = sum(float(each.sum()) for each in rows) * step**2
    run = hs.Laplace(1.0, replace_sensitivity=1.0).on(hs.WithReplacement(2, 3)) * 2
    found = run.delta(epsilon, relation=hs.REPLACE_ONE)
    assert found.lower == pytest.approx(truth, rel=2e-3)
    assert found.lower <= truth * (1 + 1e-3) <= found.upper
