"""Mixtures of Gaussians on lifted paths: against integrals by mpmath and sums of closed forms."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.stats import norm

import hockeystick as hs
from hockeystick.loss.atoms import NOTHING
from hockeystick.loss.gaussian import GaussianLoss, gaussian_log_delta
from hockeystick.loss.gaussian_mixture import GaussianMixture
from hockeystick.loss.labelled import LabelledLoss
from hockeystick.loss.mixture import MixtureLoss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.binomial import binomial_weights
from hockeystick.numerics.types import Array
from hockeystick.routes.auto import AUTO, worst
from hockeystick.routes.contour.lifted import answer
from hockeystick.routes.contour.lifted.law import WIDEST_GAP, Law, Strand, law_of
from hockeystick.routes.question import EpsilonAt

Numbers = tuple[float, ...]
Mixture = tuple[Numbers, Numbers]
"""Weights and means."""

CENTRE: Mixture = ((1.0,), (0.0,))


def known_law(loss: ComposedLoss) -> Law:
    law = law_of(loss)
    assert law is not None
    return law


def copies(size: int, population: int, shift: float) -> Mixture:
    """Binomial weights, and means k·shift."""
    weights = binomial_weights(size, 1 / population, size)
    return tuple(weights.tolist()), tuple(shift * k for k in range(size + 1))


def mirrored(weights: Numbers, means: Numbers) -> Mixture:
    return weights, tuple(-mean for mean in means)


def apart(weights: Numbers, means: Numbers) -> tuple[Mixture, Mixture]:
    return (weights, means), mirrored(weights, means)


def turned(p: Mixture, q: Mixture) -> tuple[Mixture, Mixture]:
    """(Q, P) on the line turned round."""
    return mirrored(*q), mirrored(*p)


def mixture(p: Mixture, q: Mixture, steps: int) -> ComposedLoss:
    return ComposedLoss([(MixtureLoss(GaussianMixture(*p), GaussianMixture(*q)), steps)])


# two steps, by mpmath ---------------------------------------------------------------------------


class TwoSteps:
    """δ(ε) = ∫ p(x)·h(ε − L(x)) dx with h the profile of one step: P − e^ε·Q beyond its place."""

    def __init__(self, p: Mixture, q: Mixture) -> None:
        self.p, self.q = ([(mpf(w), mpf(m)) for w, m in zip(*each, strict=True)] for each in (p, q))
        self.table = np.linspace(-40.0, 40.0, 8001)
        floats = [(np.array(weights), np.array(means)) for weights, means in (p, q)]
        logs = [np.log(np.exp(np.outer(self.table, m) - m * m / 2) @ w) for w, m in floats]
        self.losses = logs[0] - logs[1]

    def sums(self, law: Any, x: Any) -> tuple[Any, Any]:
        """The density over φ, and its derivative."""
        terms = [(w * mp.exp(m * x - m * m / 2), m) for w, m in law]
        return mp.fsum(t for t, _ in terms), mp.fsum(t * m for t, m in terms)

    def loss(self, x: Any) -> tuple[Any, Any]:
        (p, p_slope), (q, q_slope) = self.sums(self.p, x), self.sums(self.q, x)
        return mp.log(p / q), p_slope / p - q_slope / q

    def above(self, law: Any, x: Any) -> Any:
        return mp.fsum(w * mp.ncdf(m - x) for w, m in law)

    def profile(self, epsilon: Any) -> Any:
        if epsilon >= self.losses[-1]:
            return mpf(0)
        if epsilon <= self.losses[0]:
            return max(mpf(0), 1 - mp.exp(epsilon))
        place = mpf(float(np.interp(float(epsilon), self.losses, self.table)))
        for _ in range(4):
            loss, slope = self.loss(place)
            place -= (loss - epsilon) / slope
        return self.above(self.p, place) - mp.exp(epsilon) * self.above(self.q, place)

    def delta(self, epsilon: Any) -> Any:
        """Panels of Gauss's rule, ever smaller where the profile of the other step bends."""
        means = [float(m) for _, m in self.p]
        edges = set(np.linspace(min(means) - 9, max(means) + 9, 25).tolist())
        for limit in (self.losses[0], 0.0, self.losses[-1]):
            place = float(np.interp(float(epsilon) - limit, self.losses, self.table))
            if abs(limit) < 20 and abs(place) < 39:
                edges |= {place + sign * 2.0**-k for k in range(12) for sign in (-1, 1)} | {place}
        points, weights = np.polynomial.legendre.leggauss(20)
        total, ordered = mpf(0), sorted(edges)
        for left, right in pairwise(ordered):
            for point, weight in zip(points.tolist(), weights.tolist(), strict=True):
                x = mpf(left) + (mpf(right) - left) * (point + 1) / 2
                density = self.sums(self.p, x)[0] * mp.npdf(x)
                height = density * self.profile(epsilon - self.loss(x)[0])
                total += height * weight * (mpf(right) - left) / 2
        return total


SPARSE, DENSE = copies(2, 50, 2.0), copies(3, 4, 0.7)
PAIRS = {
    "against the centre": (SPARSE, CENTRE, 1e-5),
    "far apart": (*apart(*SPARSE), 1e-5),
    "often drawn": (*apart(*DENSE), 1e-3),
    "the other way": (*turned(DENSE, CENTRE), 1e-3),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_two_steps_against_mpmath(name: str) -> None:
    p, q, delta = PAIRS[name]
    loss = mixture(p, q, 2)
    law = known_law(loss)
    lower, upper = answer.epsilon(loss, law, delta)
    assert 0 < lower <= upper < lower * (1 + 1e-9)
    with mp.workdps(20):
        pair = TwoSteps(p, q)
        above, below = pair.delta(mpf(lower)), pair.delta(mpf(upper))
    assert above >= delta * (1 - 1e-12)
    assert below <= delta * (1 + 1e-12)
    least, most = answer.delta(loss, law, lower)
    assert least <= float(above) <= most < least * (1 + 1e-7)


# many steps, by sums --------------------------------------------------------------------------


@cache
def straight(p: Mixture, q: Mixture, epsilon: float) -> float:
    """δ(ε) of 60 steps by real nodes on a vertical line, with no thought of how many."""
    x = 0.04 * np.arange(-350, 600)

    def density(law: Mixture) -> Array:
        weights, means = (np.array(each)[:, None] for each in law)
        return np.asarray((weights * np.exp(-((x - means) ** 2) / 2)).sum(axis=0))

    weights, losses = 0.04 / math.sqrt(2 * math.pi) * density(p), np.log(density(p) / density(q))
    s = 2.5 + 0.06j * np.arange(1000)
    f = np.exp(np.multiply.outer(s, losses)) @ weights
    terms = (np.exp(60 * np.log(f) - s * epsilon) / (s * (s + 1))).real
    return float((terms.sum() - 0.5 * terms[0]) * 0.06 / math.pi)


OFTEN = copies(3, 10, 0.5)


@pytest.mark.parametrize(
    ("p", "q"),
    [(OFTEN, CENTRE), turned(OFTEN, CENTRE), apart(*OFTEN)],
    ids=["against the centre", "the other way", "far apart"],
)
def test_many_steps_against_a_straight_line(p: Mixture, q: Mixture) -> None:
    loss = mixture(p, q, 60)
    law = known_law(loss)
    lower, upper = answer.epsilon(loss, law, 1e-6)
    assert 0 < lower <= upper < lower * (1 + 1e-9)
    assert straight(p, q, lower) >= 1e-6 * (1 - 1e-9)
    assert straight(p, q, upper) <= 1e-6 * (1 + 1e-9)
    least, most = answer.delta(loss, law, lower)
    assert least * (1 - 1e-10) <= straight(p, q, lower) <= most * (1 + 1e-10)


def revealed_delta(weights: Numbers, shift: float, steps: int, epsilon: float) -> float:
    """Σ P[Σ k² = j]·δ(ε) of two Gaussians √j shifts apart: how often was seen, all added up."""
    law = np.zeros((len(weights) - 1) ** 2 + 1)
    law[np.arange(len(weights)) ** 2] = weights
    total = np.ones(1)
    for _ in range(steps):
        total = np.convolve(total, law)
    places = np.flatnonzero(total)[1:]
    deltas = [math.exp(float(gaussian_log_delta(shift * math.sqrt(j), np.array([epsilon]))[0]))
              for j in places]  # fmt: skip
    return math.fsum(total[places] * deltas)


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "delta"), [(2, 1e-4), (25, 1e-6), (100, 1e-12)])
def test_revealed_copies_against_the_sum(steps: int, delta: float) -> None:
    weights, _ = copies(6, 30, 0.4)
    parts = [(w, GaussianLoss(shift=0.4 * k) if k else NOTHING) for k, w in enumerate(weights)]
    loss = ComposedLoss([(LabelledLoss(*parts), steps)])
    lower, upper = answer.epsilon(loss, known_law(loss), delta)
    assert 0 < lower <= upper < lower * (1 + 1e-9)
    assert revealed_delta(weights, 0.4, steps, lower) >= delta * (1 - 1e-11)
    assert revealed_delta(weights, 0.4, steps, upper) <= delta * (1 + 1e-11)


# few sparse steps -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p", "q", "epsilon", "truth"),
    [
        (copies(10, 10**5, 2.0), mirrored(*copies(10, 10**5, 1.0)), 0.0226, 3.996673027277767e-06),
        (copies(10, 10**5, 1.0), mirrored(*copies(10, 10**5, 2.0)), 0.0015, 8.375941649437229e-07),
    ],
)
def test_few_sparse_steps(p: Mixture, q: Mixture, epsilon: float, truth: float) -> None:
    """Without the 1 that cancels: two steps that hardly ever see the record, by `TwoSteps`, which
    took a minute."""
    loss = mixture(p, q, 2)
    lower, upper = answer.delta(loss, known_law(loss), epsilon)
    assert truth * (1 - 1e-5) < lower <= truth <= upper < truth * (1 + 1e-5)


def test_one_zeroed_out_of_few_sparse_steps() -> None:
    """Both directions of mixtures are cut where they are unbounded: this was infinite."""
    run = hs.Gaussian(1.0).on(hs.WithReplacement(10, 10**5)) * 5
    found = run.epsilon(1e-5, relation=hs.ZERO_OUT)
    assert found.upper == pytest.approx(0.0226110728, rel=1e-6)  # by a grid: 0.02261079..0.02261162


# the edges -------------------------------------------------------------------------------------


def test_little_noise_is_left_to_other_lines() -> None:
    near, far = (copies(2, 50, WIDEST_GAP * part) for part in (0.999, 1.001))
    laws = [law_of(mixture(each, CENTRE, 2)) for each in (near, far)]
    assert [law and law.is_wide for law in laws] == [False, True]


@pytest.mark.slow
@pytest.mark.parametrize("part", [0.999, 1.001])
def test_both_sides_of_the_edge_are_right(part: float) -> None:
    """Where little noise is handed over, the truth is between the ends on either side."""
    p = copies(1, 4, WIDEST_GAP * part)
    found = worst([mixture(p, CENTRE, 2)], EpsilonAt(1e-2), AUTO)
    assert found.upper - found.lower < 1e-4 * found.upper
    with mp.workdps(20):
        pair = TwoSteps(p, CENTRE)
        assert pair.delta(mpf(found.lower)) >= 1e-2 * (1 - 1e-9)
        assert pair.delta(mpf(found.upper)) <= 1e-2 * (1 + 1e-9)


def test_a_mixture_with_zeros_near_the_line_is_lifted_less() -> None:
    """Weights of 0, 1 and 2 copies that no binomial law has: the zeros are at half the height."""
    means = (0.0, 2.0, 4.0)
    even, rare = ((w, 1 - 2 * w, w) for w in (0.2, 0.4999999))
    centre = GaussianMixture(*CENTRE)
    heights = [Strand(0.0, GaussianMixture(w, means), centre).height for w in (even, rare)]
    assert heights[1] < 0.8 * heights[0]


def test_nothing_to_tell_apart_is_zero() -> None:
    loss = mixture(copies(1, 10**6, 0.01), CENTRE, 3)
    assert answer.epsilon(loss, known_law(loss), 1e-4) == (0.0, 0.0)


def test_parts_that_are_not_mixtures_have_no_law() -> None:
    pair = MixtureLoss(GaussianMixture(*SPARSE), GaussianMixture(*CENTRE))
    assert law_of(ComposedLoss([(pair, 2), (GaussianLoss(shift=1.0), 1)])) is None
    assert law_of(ComposedLoss([(pair.truncated(1e-9), 2)])) is None


@pytest.mark.parametrize(
    ("noise", "size", "population", "epsilon", "truth"),
    [
        (11.904338158785947, 14, 14341, 0.061499066558841624, 4.2219344321164548e-07),
        (15.05260850267371, 7, 4709, 0.038946472488489425, 1.9098864304754943e-04),
    ],
)
def test_ten_thousand_tiny_losses(
    noise: float, size: int, population: int, epsilon: float, truth: float
) -> None:
    """Each loss is off by an ulp of 1, not of itself: that is 4e-10 of δ. The truth is a sum along
    two lines in 40 digits, with exact binomial weights."""
    run = hs.Gaussian(noise).on(hs.WithReplacement(size, population)) * 10_000
    found = run.delta(epsilon, relation=hs.ADD_REMOVE)
    assert found.lower <= truth <= found.upper <= found.lower * (1 + 1e-7)
    back = run.epsilon(truth, relation=hs.ADD_REMOVE)
    assert back.lower <= epsilon <= back.upper <= back.lower * (1 + 1e-7)


@pytest.mark.parametrize(
    ("run", "delta"),
    [
        (hs.Gaussian(8.0).on(hs.Poisson(0.001)) * 8, 0.01),
        (hs.Gaussian(8.0).on(hs.WithReplacement(10, 10_000)) * 8, 0.02),
    ],
    ids=str,
)
def test_a_large_delta_needs_no_epsilon(run: hs.Mechanism, delta: float) -> None:
    """Total variations of all steps add up to less than δ; once an error of a square root."""
    assert 8 * 0.001 * 2 * norm.cdf(0.125) < 0.01
    assert run.epsilon(delta, relation=hs.REPLACE_ONE) == 0.0
