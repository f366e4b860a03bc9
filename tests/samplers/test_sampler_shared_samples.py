"""Several releases on one sample, and one person with several records."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.stats import binom

import hockeystick as hs
from tests.oracles.sampling.lines import GAUSSIAN, Mixture, at, back, stick


def gaussian_and_laplace(sigma: float, scale: float, rate: float, epsilon: float) -> mpf:
    """H((1−q)Q + qP‖Q) on the plane: over the Laplace coordinate, of what the Gaussian adds.

    Where the Laplace ratio is r, the best test asks x > t(r); its two tails are known.
    """
    q, growth = mpf(rate), mp.exp(mpf(epsilon))
    mu, theta = 1 / mpf(sigma), 1 / mpf(scale)
    wanted = mp.log((growth - 1 + q) / q)  # the loss of both together, above which a test says yes

    def inner(ratio: mpf) -> mpf:
        t = (wanted - ratio) / mu + mu / 2
        above = mp.erfc(t / mp.sqrt(2)) / 2
        moved = mp.erfc((t - mu) / mp.sqrt(2)) / 2
        return (1 - q - growth) * above + q * mp.exp(ratio) * moved

    # Under Q, Laplace at 0: ratio −θ left of 0, +θ right of the shift, linear in between.
    left = inner(-theta) / 2
    right = inner(theta) * mp.exp(-theta) / 2
    middle = mp.quad(lambda y: inner(2 * y - theta) * mp.exp(-y) / 2, [0, theta])
    return left + middle + right


@pytest.mark.parametrize("epsilon", [0.001, pytest.param(0.01, marks=pytest.mark.slow), 0.05])
def test_gaussian_and_laplace_on_one_sample(epsilon: float) -> None:
    run = (hs.Gaussian(2) + hs.Laplace(5)).on(hs.Poisson(0.01))
    expected = float(gaussian_and_laplace(2, 5, 0.01, epsilon))
    found = run.delta(epsilon)
    assert expected * (1 - 1e-12) <= found <= expected * (1 + 1e-9)
    assert found.lower >= expected * (1 - 1e-9)


@pytest.mark.parametrize("sampler", [hs.Poisson(0.05), hs.WithoutReplacement(5, 100)], ids=repr)
def test_gaussians_on_one_sample_are_one(sampler: hs.Sampler) -> None:
    together, one = (hs.Gaussian(6) * 9).on(sampler), hs.Gaussian(2).on(sampler)
    for relation in hs.Relation:
        for epsilon in (0.0, 0.02, 0.2):
            found = together.delta(epsilon, relation=relation)
            assert found == pytest.approx(one.delta(epsilon, relation=relation), rel=1e-12)


def test_a_shared_sample_is_not_two_samples() -> None:
    one, two = (hs.Gaussian(2) * 2).on(hs.Poisson(0.1)), hs.Gaussian(2).on(hs.Poisson(0.1)) * 2
    assert one.delta(0.3) > 2 * two.delta(0.3)


def members(size: int, rate: float, sigma: float, epsilon: float) -> float:
    drawn = np.arange(size + 1)
    p = Mixture(GAUSSIAN, binom.pmf(drawn, size, rate).tolist(), (drawn / sigma).tolist())
    q, x = at(GAUSSIAN, 0.0), np.array([epsilon])
    return max(float(stick(p, q)(x)[0]), float(back(p, q)(x)[0]))


@pytest.mark.parametrize(("size", "rate", "sigma"), [(2, 0.1, 2.0), (3, 0.1, 1.0), (5, 0.01, 2.0)])
def test_groups(size: int, rate: float, sigma: float) -> None:
    """Removed together, j of them are in the sample with probability Bin(j; size, rate)."""
    person = hs.Gaussian(sigma).on(hs.Poisson(rate)).group(size)
    for epsilon in (0.0, 0.1, 0.5):
        expected = members(size, rate, sigma, epsilon)
        found = person.delta(epsilon)
        assert expected * (1 - 1e-11) <= found <= expected * (1 + 1e-9)


def test_groups_in_any_order() -> None:
    step = hs.Gaussian(1).on(hs.Poisson(0.1))
    assert step.group(1) == step
    assert (step * 4).group(3) == step.group(3) * 4
    assert step.group(2).group(3) == step.group(6)
    assert hs.parse(repr(step.group(3))) == step.group(3)


def test_a_group_of_records_is_not_a_person_who_is_sampled() -> None:
    """All records together or each by itself: the same mean, other laws."""
    alone = hs.Gaussian(4).on(hs.Poisson(0.01)).group(3)
    together = hs.Gaussian(4).group(3).on(hs.Poisson(0.01))
    assert alone.delta(0) == pytest.approx(members(3, 0.01, 4, 0), rel=1e-9)
    expected = 0.01 * (2 * 0.5 * math.erfc(-3 / 8 / math.sqrt(2)) - 1)
    assert together.delta(0) == pytest.approx(expected, rel=1e-9)
