"""With the record first, without it second: pairs whose order counts, on every kind of sample."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest

import hockeystick as hs

ORDERED = [hs.ADD_REMOVE, hs.ZERO_OUT]


def gamma_above(shape: mp.mpf, x: mp.mpf) -> mp.mpf:
    return mp.gammainc(shape, x, mp.inf, regularized=True)


def sampled_gamma(shape: float, count: float, rate: float, epsilon: float) -> tuple[float, float]:
    """δ of (1−q)·Gamma(k) + q·Gamma(k + c) against Gamma(k), and of the reverse, by 40 digits."""
    with mp.workdps(40):
        k, c, q, a = mp.mpf(shape), mp.mpf(count), mp.mpf(rate), mp.exp(mp.mpf(epsilon))

        def place(ratio: mp.mpf) -> mp.mpf:  # where Gamma(k + c) is `ratio` times Gamma(k)
            return mp.exp((mp.log(ratio) + mp.loggamma(k + c) - mp.loggamma(k)) / c)

        x = place(1 + (a - 1) / q)
        remove = q * gamma_above(k + c, x) - (a - 1 + q) * gamma_above(k, x)
        add = mp.mpf(0)
        least = (1 / a - 1 + q) / q
        if least > 0:
            x = place(least)
            below, more = 1 - gamma_above(k, x), 1 - gamma_above(k + c, x)
            add = below - a * ((1 - q) * below + q * more)
        return float(remove), float(add)


@pytest.mark.parametrize("relation", ORDERED, ids=repr)
@pytest.mark.parametrize(
    ("shape", "count", "rate", "epsilon"),
    [(6.427, 0.309, 0.4854, 0.5), (2.0, 1.0, 0.3, 0.2), (10.0, 1.0, 0.9, 1.0)],
)
def test_sampled_gamma_posteriors(
    shape: float, count: float, rate: float, epsilon: float, relation: hs.Relation
) -> None:
    truth = max(sampled_gamma(shape, count, rate, epsilon))
    run = hs.GammaPosterior.public_rate(shape, count).on(hs.Poisson(rate))
    answer = run.delta(epsilon, relation=relation)
    assert answer.lower <= truth <= answer.upper
    assert answer.upper == pytest.approx(truth, rel=1e-9)


@pytest.mark.parametrize("prior", [(2.0, 5.0), (20.0, 4.0)], ids=str)
@pytest.mark.parametrize("kind", [hs.BetaPosterior, hs.DirichletPosterior])
def test_sampled_beta_posteriors(
    kind: Callable[[float, float], hs.Mechanism], prior: tuple[float, float]
) -> None:
    # Removed or zeroed out: one of the rarest kind, among ever more of the other.
    truth = max(sampled_gamma(min(prior), 1.0, 0.4, 0.6))
    for relation in ORDERED:
        answer = kind(*prior).on(hs.Poisson(0.4)).delta(0.6, relation=relation)
        assert answer.lower <= truth <= answer.upper
        assert answer.upper == pytest.approx(truth, rel=1e-9)


@cache
def mixed_gaussians(mean: float, variance: float, rate: float, epsilon: float) -> list[float]:
    """δ of (1−q)·N(0, 1) + q·N(mean, variance) against N(0, 1), and of the reverse."""

    def normal(x: mp.mpf, m: float, v: float) -> mp.mpf:
        return mp.npdf(x, m, mp.sqrt(v))

    with mp.workdps(30):
        a = mp.exp(epsilon)

        def forward(x: mp.mpf) -> mp.mpf:
            return rate * normal(x, mean, variance) - (a - 1 + rate) * normal(x, 0, 1)

        def backward(x: mp.mpf) -> mp.mpf:
            return (1 - a * (1 - rate)) * normal(x, 0, 1) - a * rate * normal(x, mean, variance)

        return [float(_positive_part(forward)), float(_positive_part(backward))]


def _positive_part(f: Callable[[mp.mpf], mp.mpf]) -> mp.mpf:
    grid = [mp.mpf(x) / 4 for x in range(-60, 61)]
    signs = [f(x) > 0 for x in grid]
    edges = [grid[0]]
    for left, right, one, other in zip(grid, grid[1:], signs, signs[1:], strict=False):
        if one != other:
            edges.append(mp.findroot(f, (left, right), solver="anderson"))
    edges.append(grid[-1])
    total = mp.mpf(0)
    for left, right in pairwise(edges):
        if f((left + right) / 2) > 0:
            inner = [left + (right - left) * i / 8 for i in range(9)]
            total += mp.quad(f, inner)
    return total


@pytest.mark.slow
@pytest.mark.parametrize("relation", ORDERED, ids=repr)
@pytest.mark.parametrize(("mean", "variance"), [(0.5, 1.4), (0.5, 0.6)])
def test_sampled_gaussian_pairs(mean: float, variance: float, relation: hs.Relation) -> None:
    truth = max(mixed_gaussians(mean, variance, 0.3, 0.2))
    pair = hs.GaussianPair(mean, variance, 0.0, 1.0)
    answer = pair.on(hs.Poisson(0.3)).delta(0.2, relation=relation)
    assert answer.lower <= truth <= answer.upper
    assert answer.upper == pytest.approx(truth, rel=1e-9)
    # On a fixed number of records of which no other contributes it costs no less, and the lower
    # end speaks of just that.
    fixed = pair.on(hs.WithoutReplacement(3, 10)).delta(0.2, relation=hs.ZERO_OUT)
    assert fixed.lower == pytest.approx(truth, rel=1e-9)
    assert fixed.lower <= truth * (1 + 1e-12)
    assert fixed.upper >= truth


@pytest.mark.parametrize("relation", ORDERED, ids=repr)
def test_the_order_counts_in_divergences_too(relation: hs.Relation) -> None:
    pair = hs.GammaPosterior.public_rate(6.0, 1.0)
    one, other = pair.evidence(relation).renyi(np.array([3.0]))
    k = 6.0
    for value, (p, q) in ((one, (k + 1, k)), (other, (k, k + 1))):
        # E_Q[(P/Q)^3] = Γ(3p − 2q)·Γ(q)²/Γ(p)³
        log_moment = math.lgamma(3 * p - 2 * q) + 2 * math.lgamma(q) - 3 * math.lgamma(p)
        assert value[0] == pytest.approx(log_moment / 2, rel=1e-9)
    at_once = hs.GaussianPair(0.5, 1.4, 0.0, 1.0)
    assert not math.isclose(
        *(float(x[0]) for x in at_once.evidence(relation).renyi(np.array([2.0])))
    )


def test_either_order_when_a_record_is_replaced() -> None:
    pair = hs.GammaPosterior.public_rate(2.0, 1.0)
    one, other = pair.evidence(hs.REPLACE_ONE).renyi(np.array([2.0]))
    assert (
        one[0] == other[0] == max(x[0] for x in pair.evidence(hs.ADD_REMOVE).renyi(np.array([2.0])))
    )
