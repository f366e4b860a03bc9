"""Rényi divergences of batches of fixed size: the worst triple at each order."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hockeystick as hs
from tests.oracles.games import laplace_pair

ORDERS = [1.0, 1.001, 1.5, 2.0, 5.0, 17.5, 64.0, 300.0, math.inf]


def divergence(p: np.ndarray, q: np.ndarray, order: float) -> float:
    """Of finite laws, by its definition."""
    if order == 1:
        return float(np.sum(p * np.log(p / q)))
    if order == math.inf:
        return float(np.log(p / q).max())
    logs = order * np.log(p) - (order - 1) * np.log(q)
    return float(np.logaddexp.reduce(logs)) / (order - 1)


@pytest.mark.parametrize("relation", [hs.REPLACE_ONE, hs.ZERO_OUT], ids=str)
@pytest.mark.parametrize(("size", "epsilon"), [(10, 2.0), (300, 0.1), (900, 5.0), (1, 30.0)])
def test_two_answers_are_exact(size: int, epsilon: float, relation: hs.Relation) -> None:
    """Two triples, each other's reverse: the larger divergence of two laws on two outcomes."""
    rate, lie = size / 1000, 1 / (1 + math.exp(epsilon))
    told = np.array([1 - lie, lie])
    mixed = (1 - rate) * told + rate * told[::-1]
    step = hs.RandomizedResponse(epsilon).on(hs.WithoutReplacement(size, 1000))
    for order, found in zip(ORDERS, step.rdp(ORDERS, relation=relation), strict=True):
        truth = max(divergence(mixed, told, order), divergence(told, mixed, order))
        assert truth * (1 - 1e-9) <= found <= truth * (1 + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "size"), [(0.5, 10), (2.0, 1), (1.0, 400), (0.2, 50)])
def test_no_three_numbers_cost_more(noise: float, size: int) -> None:
    """300 random triples of a line, seen in cells; y = x' is one of them, and near for a small
    order or a large one."""
    rate, far = size / 1000, 2 / noise
    draw = np.random.default_rng(size)
    points = draw.uniform(0.0, far, (300, 3))
    points[0] = [0.0, far, 0.0]
    points[1:100, 1:] = [far, 0.0]
    step = hs.Laplace(noise, dimension=1).on(hs.WithoutReplacement(size, 1000))
    found = step.rdp(ORDERS)
    worst = np.zeros(len(ORDERS))
    for each in points:
        p, q = laplace_pair(rate, each, 400)
        some = [max(divergence(p, q, a), divergence(q, p, a)) for a in ORDERS]
        worst = np.maximum(worst, some)
    assert (worst <= found * (1 + 1e-12)).all()
    assert (found <= 1.12 * worst).all()
    assert (found <= hs.Laplace(noise).on(hs.WithoutReplacement(size, 1000)).rdp(ORDERS)).all()


def test_the_gain() -> None:
    """γ = 0.001: two fifths less than the pair of single steps at usual orders."""
    sampler = hs.WithoutReplacement(60, 60_000)
    two, three = (hs.RandomizedResponse(math.log(9), k).on(sampler) for k in (2, 3))
    assert two.rdp(8) < 0.6 * hs.PureDP(math.log(9)).on(sampler).rdp(8)
    assert two.rdp(8) < three.rdp(8)
    number, vector = (hs.Laplace(0.5, 1, dimension=k).on(sampler) for k in (1, None))
    assert 0.59 * vector.rdp(8) < number.rdp(8) < 0.62 * vector.rdp(8)
    assert (two * 600_000).epsilon(1e-8, method="renyi") == pytest.approx(13.9377, rel=1e-4)
