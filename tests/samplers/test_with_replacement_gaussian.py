"""Gaussian noise with replacement: pairs that are attained, and copies that are revealed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, stats

import hockeystick as hs


def mixture_delta(sampler: hs.WithReplacement, shift: float, epsilon: float) -> float:
    """H of Σ B_k·N(k·shift) and N(0), of all numbers of copies of any weight: P − e^ε·Q beyond the
    place where the ratio is e^ε."""
    k = np.arange(0, 40)
    weights = stats.binom.pmf(k, sampler.size, 1 / sampler.population)

    def excess(x: float) -> float:
        return math.log(float(weights @ np.exp(k * shift * (x - k * shift / 2)))) - epsilon

    place = optimize.brentq(excess, -20.0, 30.0, xtol=1e-14)
    above = float(weights @ stats.norm.sf(place - k * shift))
    return above - math.exp(epsilon) * float(stats.norm.sf(place))


def test_one_added_is_attained_by_opposite_records() -> None:
    """A record +1 among others −1: k copies of it move the sum by 2k, and no pair costs more."""
    sampler = hs.WithReplacement(300, 1000)
    found = hs.Gaussian(4.0).on(sampler).epsilon(1e-3, relation=hs.ADD_REMOVE)
    assert 0 < found.lower <= found.upper < found.lower * (1 + 1e-9)
    assert mixture_delta(sampler, 0.5, found.upper) == pytest.approx(1e-3, rel=1e-7)


def test_ends_meet_when_one_is_added_to_many_steps() -> None:
    run = hs.Gaussian(4.0).on(hs.WithReplacement(300, 1000)) * 50
    found = run.epsilon(1e-6, relation=hs.ADD_REMOVE)
    assert 0 < found.lower <= found.upper < found.lower * (1 + 1e-9)


def revealed_delta(sampler: hs.WithReplacement, shift: float, steps: int, epsilon: float) -> float:
    """Σ_j P[Σ k² = j]·δ(ε) of two Gaussians √j·shift apart."""
    k = np.arange(0, 26)
    law = np.zeros(26**2)
    law[k**2] = stats.binom.pmf(k, sampler.size, 1 / sampler.population)
    total = np.ones(1)
    for _ in range(steps):
        total = np.convolve(total, law)[:4000]
    mu = shift * np.sqrt(np.arange(1, total.size))
    deltas = stats.norm.sf(epsilon / mu - mu / 2)
    deltas -= math.exp(epsilon) * stats.norm.sf(epsilon / mu + mu / 2)
    return float(total[1:] @ deltas)


def test_all_drawn_and_one_zeroed_out_costs_no_more_than_revealed_copies() -> None:
    """15.298 without that pair."""
    sampler = hs.WithReplacement(100, 100)
    run = hs.Gaussian(5.0).on(sampler) * 25
    found = run.epsilon(1e-6, relation=hs.ZERO_OUT)
    assert found.lower < found.upper
    assert revealed_delta(sampler, 0.2, 25, found.upper) == pytest.approx(1e-6, rel=1e-8)


def test_a_pair_of_many_copies_composes_without_its_rarest_outcomes() -> None:
    """Theorem 10 of many terms, whose K is out of reach far out: between what is attained and
    revealed copies, within seconds."""
    sampler = hs.WithReplacement(100, 100)
    run = hs.Gaussian(5.0).on(sampler) * 100
    found = run.epsilon(1e-6)
    assert found.method == "contour"
    assert 31.375 < found.lower < found.upper < 42.3616
