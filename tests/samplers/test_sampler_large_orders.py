"""Rényi divergences at orders that outcomes too rare for a float decide."""

from __future__ import annotations

import math
from itertools import product

import mpmath as mp
import numpy as np
import pytest

import hockeystick as hs


def fixed_size_divergence(shift: float, fraction: float, order: float) -> float:
    """Two Gaussians, on a sample without replacement, by integrals over the outcome itself."""
    with mp.workdps(20):
        mu, g, a = map(mp.mpf, (shift, fraction, order))

        def log_ratio(x: mp.mpf) -> mp.mpf:
            return mu * x - mu**2 / 2

        def above(x: mp.mpf) -> mp.mpf:
            return mp.npdf(x) * (1 - g + g * mp.e ** log_ratio(x)) ** a

        def below(x: mp.mpf) -> mp.mpf:
            r = mp.e ** log_ratio(x)
            return mp.npdf(x) * r**a * ((1 - g) * r + g) ** (1 - a)

        middle = mu / 2
        ups = [middle + 4 * i for i in range(int(a * mu / 4) + 6)]
        downs = [middle - 2 * i for i in reversed(range(12))]
        stay = (1 - g) * (2 * mp.ncdf(mu / 2) - 1)
        total = mp.quad(above, ups) + stay + mp.quad(below, downs)
        return float(mp.log(total) / (a - 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("noise", "size", "order"),
    [
        (5, 1000, 300.5),
        pytest.param(5, 1000, 450.0, marks=pytest.mark.slow),
        (1, 10_000, 37.25),
        pytest.param(2, 1, 130.0, marks=pytest.mark.slow),
    ],
)
def test_fixed_size_against_integrals(noise: float, size: int, order: float) -> None:
    step = hs.Gaussian(noise, replace_sensitivity=1).on(hs.WithoutReplacement(size, 10**6))
    truth = fixed_size_divergence(1 / noise, size / 10**6, order)
    found = step.rdp(order)
    assert truth <= found <= truth * (1 + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("order", [2.0, 12.0, 20.0, 200.0, 3000.0])
def test_discrete_noise_on_a_fixed_size_sample(order: float) -> None:
    """The same pair, its outcomes summed one by one with many digits."""
    noise, fraction = 2.0, 0.01
    step = hs.DiscreteGaussian(noise, replace_sensitivity=1).on(hs.WithoutReplacement(10, 1000))
    with mp.workdps(60):
        a, g = mp.mpf(order), mp.mpf(fraction)

        def weight(x: int) -> mp.mpf:
            return mp.e ** (-mp.mpf(x * x) / (2 * noise**2))

        total = mp.fsum(weight(x) for x in range(-60, 61))
        value = mp.mpf(0)
        for x in range(-60, int(order) + 60):
            p, q = weight(x - 1) / total, weight(x) / total
            if p > q:
                value += ((1 - g) * q + g * p) ** a * q ** (1 - a) + (1 - g) * (p - q)
            else:
                value += p**a * ((1 - g) * p + g * q) ** (1 - a)
        truth = float(mp.log(value) / (a - 1))
    assert truth * (1 - 1e-14) <= step.rdp(order) <= truth * (1 + 1e-12)


def moment(order: int) -> mp.mpf:
    """E_Q[r^order] of Gaussian noise 2 and Laplace noise 5 together."""
    j, theta = mp.mpf(order), mp.mpf(1) / 5
    up, down = mp.e ** ((j - 1) * theta), mp.e ** (-j * theta)
    return mp.e ** (j * (j - 1) / 8) * (j * up + (j - 1) * down) / (2 * j - 1)


@pytest.mark.parametrize("order", [2, 20, 100, 600])
def test_two_releases_on_one_sample_against_their_moments(order: int) -> None:
    step = (hs.Gaussian(2) + hs.Laplace(5)).on(hs.Poisson(0.01))
    with mp.workdps(40):
        q = mp.mpf(0.01)
        terms = [mp.binomial(order, j) * (1 - q) ** (order - j) * q**j for j in range(order + 1)]
        moments = [mp.mpf(1)] + [moment(j) for j in range(1, order + 1)]
        truth = float(mp.log(mp.fdot(terms, moments)) / (order - 1))
    assert truth <= step.rdp(order) <= truth * (1 + 1e-12)


@pytest.mark.parametrize(("noise", "rate"), [(1.0, 0.01), (20.0, 0.001), (0.3, 0.5)])
@pytest.mark.parametrize("order", [1e5, 1e6, 1e7])
def test_far_out_only_the_sampled_record_counts(noise: float, rate: float, order: float) -> None:
    """There the divergence is the mechanism's, less what it takes to be drawn at every order."""
    found = hs.Gaussian(noise).on(hs.Poisson(rate)).rdp(order)
    limit = order / (2 * noise**2) + order / (order - 1) * math.log(rate)
    assert found == pytest.approx(limit, rel=1e-11)


@pytest.mark.parametrize("order", [2.0, 64.0, 512.0, 5000.0, 1e6])
def test_replacing_costs_no_less_than_removing_at_any_order(order: float) -> None:
    step = hs.Gaussian(5, replace_sensitivity=1).on(hs.WithoutReplacement(60, 60_000))
    removing = step.rdp(order, relation=hs.ADD_REMOVE)
    assert removing * (1 - 1e-12) <= step.rdp(order) <= 1.2 * removing


@pytest.mark.parametrize("relation", list(hs.Relation))
@pytest.mark.parametrize("order", [1.5, 8.0, 40.0])
def test_with_replacement_counts_every_number_of_copies(
    relation: hs.Relation, order: float
) -> None:
    """Above what one draw at most costs, and finite: a record may be drawn every time."""
    found = hs.Gaussian(40).on(hs.WithReplacement(30, 3000)).rdp(order, relation=relation)
    once = hs.Gaussian(40).on(hs.Poisson(0.0099)).rdp(order, relation=relation)
    assert once < found < order * (60 / 40) ** 2 / 2


def allocation_truth(epsilon: float, steps: int, order: float) -> tuple[float, float]:
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    forward = backward = 0.0
    for outcome in product((0, 1), repeat=steps):
        q = math.prod(1 - p if x else p for x in outcome)
        ratio = sum(math.exp(epsilon) if x else math.exp(-epsilon) for x in outcome) / steps
        forward += q * ratio**order
        backward += q * ratio ** (1 - order)
    return math.log(forward) / (order - 1), math.log(backward) / (order - 1)


@pytest.mark.parametrize(("epsilon", "steps"), [(1.0, 4), (2.0, 3), (0.3, 8)])
@pytest.mark.parametrize("order", [2.0, 3.0, 7.0, 30.0])
def test_random_allocation_against_all_outcomes(epsilon: float, steps: int, order: float) -> None:
    step = hs.RandomizedResponse(epsilon).on(hs.RandomAllocation(steps))
    orders = np.array([order])
    forward, backward = allocation_truth(epsilon, steps, order)
    found = step.evidence(hs.ZERO_OUT).renyi(orders)
    assert forward <= found[0][0] <= forward * (1 + 1e-9)
    assert backward <= found[1][0] <= backward * (1 + 1e-7)


@pytest.mark.slow
def test_random_allocation_between_and_beyond_the_integers() -> None:
    step = hs.Gaussian(2).on(hs.RandomAllocation(10))
    orders = np.array([1.0, 1.5, 2.0, 2.5, 3.0, 512.0, 513.0, 1e4, math.inf])
    values = np.asarray(step.rdp(orders), dtype=float)
    assert (np.diff(values) >= 0).all()
    assert (values[:-1] <= orders[:-1] / 8 * (1 + 1e-12)).all()
    forward, _ = allocation_truth(1.0, 4, 2.5)
    between = (
        hs.RandomizedResponse(1.0)
        .on(hs.RandomAllocation(4))
        .evidence(hs.ZERO_OUT)
        .renyi(np.array([2.5]))
    )
    assert forward < between[0][0] < 1.05 * forward
