"""Answers of many numbers: the pair of one number dominates them in the norm that is documented."""

from __future__ import annotations

import itertools
import math
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

import hockeystick as hs

EPSILONS = np.linspace(-3, 3, 25)


def discrete(kind: Any, scale: float, moved: tuple[int, ...]) -> Any:
    """δ(ε) of the answer moved by a vector, summed over all outcomes."""
    p: Any = np.ones(1)
    q: Any = np.ones(1)
    for step in moved:
        one, other = entry(kind, scale, step)
        p, q = np.outer(p, one).ravel(), np.outer(q, other).ravel()
    return np.array([np.maximum(p - math.exp(e) * q, 0).sum() for e in EPSILONS])


def entry(kind: Any, scale: float, step: int) -> tuple[Any, Any]:
    """One entry's law, moved and not; for Laplace noise, outcomes beyond both are all alike."""
    reach = math.ceil(40 * scale) + 6
    grid = np.arange(-reach, reach + 1)
    weights = []
    for k in (step, 0):
        x = (grid - k) / scale
        weights.append(np.exp(-abs(x) if kind is hs.DiscreteLaplace else -(x**2) / 2))
    near = slice(reach - math.ceil(9 * scale) - 3, reach + math.ceil(9 * scale) + 4)
    if kind is hs.DiscreteGaussian:
        return tuple(w[near] / w.sum() for w in weights)
    middle = slice(reach - 3, reach + 4)
    ends = [[w[: reach - 3].sum(), *w[middle], w[reach + 4 :].sum()] for w in weights]
    return tuple(np.array(w) / sum(w) for w in ends)


def moves(k: int) -> list[tuple[int, ...]]:
    """Integer vectors of L1 norm at most k in up to three entries, up to order and sign."""
    found = itertools.combinations_with_replacement(range(k, -1, -1), 3)
    return [tuple(v for v in move if v) for move in found if 0 < sum(move) <= k]


@pytest.mark.parametrize("kind", [hs.DiscreteLaplace, hs.DiscreteGaussian])
@pytest.mark.parametrize("scale", [0.4, 1.0, 2.3])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_integer_noise_covers_answers_that_move_in_l1(kind: Any, scale: float, k: int) -> None:
    claimed = kind(scale / k, sensitivity=k)
    profile = discrete(kind, scale, (k,))
    known = EPSILONS >= 0
    assert np.asarray(claimed.profile(EPSILONS[known])) == pytest.approx(profile[known], abs=1e-12)
    for move in moves(k):
        signed = tuple(v * (-1) ** i for i, v in enumerate(move))
        assert (discrete(kind, scale, signed) <= profile + 1e-13).all(), move


@pytest.mark.slow
def test_the_discrete_gaussian_does_not_cover_answers_that_move_in_l2() -> None:
    """Four entries moved by 1 are an L2 distance of 2, and cost more than one entry moved by 2."""
    for scale in (0.4, 0.6):
        one = hs.DiscreteGaussian(scale / 2, sensitivity=2)
        four = hs.DiscreteGaussian(scale) * 4
        excess = [four.delta(e).lower / one.delta(e) for e in np.linspace(2, 14, 7)]
        assert max(excess) > 1.01
        rho = hs.ZeroConcentratedDP(4 / (2 * scale**2))
        assert all(rho.delta(e) >= four.delta(e).lower for e in (1, 5, 15))


def laplace(moved: float, epsilon: Any) -> Any:
    """δ(ε) of Laplace noise of scale 1 moved by so much, at any real ε."""
    if epsilon >= moved:
        return 0
    return -mp.expm1((epsilon - moved) / 2) if epsilon >= -moved else -mp.expm1(epsilon)


@pytest.mark.parametrize(("one", "other"), [(0.5, 0.5), (0.3, 1.7), (2.0, 2.0)])
@pytest.mark.parametrize("share", [-2.0, -0.3, 0.0, 0.5, 0.9])
def test_laplace_noise_covers_answers_that_move_in_l1(
    one: float, other: float, share: float
) -> None:
    """Two entries, integrated over the first: below one entry that moves by the sum."""
    epsilon = share * (one + other)

    def conditional(x: Any) -> Any:
        return mp.exp(-abs(x - one)) / 2 * laplace(other, epsilon - abs(x) + abs(x - one))

    both = mp.quad(conditional, [-40, 0, *np.linspace(0, one, 5)[1:], one + 40])
    together = laplace(one + other, epsilon)
    assert both <= together + 1e-9
    if epsilon >= 0:
        claimed = hs.Laplace(1 / (one + other)).delta(epsilon)
        assert claimed == pytest.approx(float(together), abs=1e-12)
        assert both < together - 1e-3


def test_gaussian_noise_is_the_same_in_every_direction() -> None:
    """So that only the L2 distance counts: the loss along a diagonal, by Monte Carlo."""
    rng = np.random.default_rng(3)
    move = np.array([0.6, 0.8])
    noise = hs.Gaussian(1.0).release(np.zeros((200_000, 2)), rng=rng)
    along = noise @ move
    assert stats.kstest(along, stats.norm.cdf).pvalue > 1e-3
    p, q = ((along >= t).mean() for t in (1.0 - 1.0, 1.0))
    assert p - math.e * q <= hs.Gaussian(1.0).delta(1.0) + 5 * 0.003
