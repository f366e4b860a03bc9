"""Mechanisms that are run: what is seen must lie where δ(ε) says, within the noise of the draws.

Nothing of the library but δ(ε) is used. The noise is drawn from its masses, the loss is the log of
the ratio of the probabilities of what came out, and δ(ε) = E_P[(1 − e^{ε−L})+] is estimated by the
mean. The interval is the empirical Bernstein bound of Maurer and Pontil (2009), which holds for any
number of draws, at odds of 1e-9; the seeds are fixed, so that a failure is not bad luck.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import hockeystick as hs

Array = NDArray[np.float64]
DRAWS = 400_000
ODDS = 1e-9


def interval(values: Array) -> tuple[float, float]:
    """Confidence interval of the mean of numbers in [0, 1]."""
    spread = math.log(4 / ODDS)
    width = math.sqrt(2 * values.var(ddof=1) * spread / values.size)
    width += 7 * spread / (3 * (values.size - 1))
    return float(values.mean() - width), float(values.mean() + width)


class Law:
    """Masses of what comes out with the record (P) and without it (Q), over the same outcomes."""

    def __init__(self, with_record: Array, without: Array, rate: float) -> None:
        self.q = without / without.sum()
        self.p = (1 - rate) * self.q + rate * with_record / with_record.sum()

    def draw(self, masses: Array, generator: np.random.Generator, count: int) -> Array:
        """Total losses of `count` outcomes each, drawn by the inverse distribution function."""
        places = np.searchsorted(np.cumsum(masses), generator.random((DRAWS, count)))
        losses = np.log(self.p) - np.log(self.q)
        return np.asarray(losses[np.minimum(places, losses.size - 1)].sum(axis=1))


def discrete_gaussian(noise: float, shift: int, rate: float) -> Law:
    scale = noise * shift
    x = np.arange(-int(15 * scale) - 5, int(15 * scale) + 6)
    there, here = (np.exp(-((x - k) ** 2) / (2 * scale**2)) for k in (shift, 0))
    return Law(there, here, rate)


def discrete_laplace(noise: float, shift: int, rate: float) -> Law:
    scale = noise * shift
    x = np.arange(-int(60 * scale), int(60 * scale) + 1)
    there, here = (np.exp(-np.abs(x - k) / scale) for k in (shift, 0))
    return Law(there, here, rate)


def randomized_response(epsilon: float, categories: int, rate: float) -> Law:
    """The record's answer is 1; without it the answer counts as 0."""
    x = np.arange(categories)
    one, zero = (np.exp(epsilon * (x == k)) for k in (1, 0))
    return Law(one, zero, rate)


CASES: list[tuple[hs.Mechanism, Law, int, tuple[float, ...]]] = [
    (hs.DiscreteGaussian(1.0), discrete_gaussian(1.0, 1, 1.0), 1, (0.0, 0.5, 1.7)),
    (hs.DiscreteGaussian(1.0), discrete_gaussian(1.0, 1, 1.0), 5, (1.0, 4.0)),
    (hs.DiscreteGaussian(2.0, sensitivity=3), discrete_gaussian(2.0, 3, 1.0), 4, (0.5, 2.0)),
    (hs.DiscreteGaussian(0.7).on(hs.Poisson(0.2)), discrete_gaussian(0.7, 1, 0.2), 1, (0.1, 1.0)),
    (hs.DiscreteLaplace(1.0), discrete_laplace(1.0, 1, 1.0), 1, (0.0, 0.5)),
    (hs.DiscreteLaplace(1.0), discrete_laplace(1.0, 1, 1.0), 6, (1.0, 3.5)),
    (hs.DiscreteLaplace(0.8, sensitivity=4), discrete_laplace(0.8, 4, 1.0), 3, (0.5, 2.0)),
    (hs.DiscreteLaplace(0.5).on(hs.Poisson(0.1)), discrete_laplace(0.5, 1, 0.1), 8, (0.3, 1.0)),
    (hs.RandomizedResponse(1.0), randomized_response(1.0, 2, 1.0), 1, (0.0, 0.7)),
    (hs.RandomizedResponse(0.5), randomized_response(0.5, 2, 1.0), 10, (0.8, 2.2)),
    (hs.RandomizedResponse(1.0, categories=4), randomized_response(1.0, 4, 1.0), 7, (1.0, 3.0)),
    (
        hs.RandomizedResponse(2.0, categories=3).on(hs.Poisson(0.1)),
        randomized_response(2.0, 3, 0.1),
        9,
        (0.2, 1.0),
    ),
]


@pytest.mark.parametrize(
    ("mechanism", "law", "count", "epsilons"),
    [pytest.param(*case, id=f"{case[0]!r} x {case[2]}") for case in CASES],
)
def test_draws(mechanism: hs.Mechanism, law: Law, count: int, epsilons: tuple[float, ...]) -> None:
    generator = np.random.default_rng(20_180_101)
    removed = law.draw(law.p, generator, count)
    added = -law.draw(law.q, generator, count)
    for epsilon in epsilons:
        answer = (mechanism * count).delta(epsilon)
        ends = [interval(-np.expm1(np.minimum(epsilon - x, 0))) for x in (removed, added)]
        assert max(low for low, _ in ends) <= answer.upper
        assert answer.lower <= max(high for _, high in ends)
        # A test that cannot fail tests nothing.
        assert ends[0][1] - ends[0][0] < 0.1 * answer + 2e-3


@pytest.mark.parametrize(
    ("noise", "rate", "count"), [(1.0, 1.0, 1), (1.0, 0.1, 20), (3.0, 0.5, 50)]
)
def test_continuous_noise(noise: float, rate: float, count: int) -> None:
    """A sampled sum with Gaussian noise, released `count` times, with and without one record."""
    generator = np.random.default_rng(20_200_202)
    shape = (DRAWS // 4, count)
    present = generator.random(shape) < rate
    seen = noise * generator.standard_normal(shape) + present
    ratio = 1 - rate + rate * np.exp((2 * seen - 1) / (2 * noise**2))
    losses = np.log(ratio).sum(axis=1)
    run = hs.Gaussian(noise).on(hs.Poisson(rate)) * count
    for epsilon in (0.1, 1.0):
        low, high = interval(-np.expm1(np.minimum(epsilon - losses, 0)))
        # The removed record is the worse direction for a sampled Gaussian at these ε.
        answer = run.delta(epsilon)
        assert low <= answer.upper
        assert answer.lower <= high
        assert high - low < 0.15 * answer + 2e-3


def test_group_of_answers_is_as_hard_to_tell_apart_as_the_tradeoff_says() -> None:
    """The most powerful test at level α, run: its errors are the trade-off curve's."""
    generator = np.random.default_rng(20_220_303)
    law = randomized_response(0.5, 2, 1.0)
    p, q = (law.draw(masses, generator, 12) for masses in (law.p, law.q))
    run = hs.RandomizedResponse(0.5) * 12
    for threshold in (-1.2, 0.3, 1.3):  # between the values that the sum of losses can take
        alpha, beta = (q > threshold).astype(float), (p <= threshold).astype(float)
        (low, high), (least, most) = interval(alpha), interval(beta)
        curve = run.tradeoff(np.clip([low, high], 0, 1))
        assert least <= curve.upper[0]
        assert curve.lower[1] <= most
