"""Mixtures of Gaussians: against quadrature in 30 digits, and what they are made of."""

from __future__ import annotations

import itertools
import math
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import stats

import hockeystick as hs
from hockeystick import MixtureOfGaussians

CASES = [
    (1.0, (0, 1, 2), (0.5, 0.3, 0.2), 0.5, 0.1558110989412845, 0.01953322936374459),
    (1.0, (0, 1, 2), (0.5, 0.3, 0.2), 2.0, 0.03930732935908144, 0.0),
    (2.0, (0, 0.5, 1, 3), (0.8, 0.1, 0.07, 0.03), 1.0, 4.43845715424178e-4, 0.0),
    (0.8, (1, 2), (0.6, 0.4), 1.0, 0.3961990814539513, 0.32827728818771),
]
"""σ, c, p, ε, and δ with the record first and without it first, by mpmath in 30 digits."""


def density(x: Any, noise: float, moves: Any, weights: Any) -> Any:
    terms = (
        p * mpmath.exp(-(((x - c) / noise) ** 2) / 2) for c, p in zip(moves, weights, strict=True)
    )
    return mpmath.fsum(terms) / (noise * mpmath.sqrt(2 * mpmath.pi))


def hockey_stick(one: Any, other: Any, epsilon: float) -> float:
    """∫ (one − e^ε·other)+ over the line, between its sign changes on a fine grid."""
    with mpmath.workdps(30):
        e = mpmath.exp(epsilon)

        def gap(x: Any) -> Any:
            return one(x) - e * other(x)

        grid = [mpmath.mpf(i) / 4 for i in range(-100, 101)]
        cuts = [grid[0]]
        for a, b in itertools.pairwise(grid):
            if gap(a) * gap(b) < 0:
                cuts.append(mpmath.findroot(gap, (a, b), solver="anderson", verify=False))
        cuts.append(grid[-1])
        pieces = [mpmath.quad(gap, mpmath.linspace(a, b, 9)) for a, b in itertools.pairwise(cuts)]
        return float(sum(piece for piece in pieces if piece > 0))


@pytest.mark.parametrize(("noise", "moves", "weights", "epsilon", "remove", "add"), CASES)
def test_both_directions(
    noise: float, moves: Any, weights: Any, epsilon: float, remove: float, add: float
) -> None:
    step = MixtureOfGaussians(noise, moves, weights)
    answer = step.delta(epsilon)
    assert answer.lower <= remove * (1 + 1e-13)
    assert remove * (1 - 1e-13) <= answer.upper <= remove * (1 + 1e-10)
    reverse = step.evidence(hs.ADD_REMOVE).loss.reverse().profile(np.array([epsilon]))[0]
    assert reverse == pytest.approx(add, rel=1e-12, abs=1e-16)
    assert step.delta(epsilon, relation=hs.ZERO_OUT) == answer


@pytest.mark.slow
def test_replaced_against_quadrature() -> None:
    noise, moves, weights = CASES[0][:3]
    opposite = [-c for c in moves]
    truth = hockey_stick(
        lambda x: density(x, noise, moves, weights),
        lambda x: density(x, noise, opposite, weights),
        1.0,
    )
    answer = MixtureOfGaussians(noise, moves, weights).delta(1.0, relation=hs.REPLACE_ONE)
    assert answer.lower <= truth * (1 + 1e-12)
    assert truth * (1 - 1e-12) <= answer.upper <= truth * (1 + 1e-9)


def test_moves_in_other_directions_are_no_worse() -> None:
    """Vectors in the plane of the same lengths, by simulation: the ray and its opposite win."""
    rng = np.random.default_rng(5)
    weights, lengths = np.array([0.4, 0.3, 0.3]), np.array([0.0, 1.0, 2.0])
    step = MixtureOfGaussians(1.0, lengths.tolist(), weights.tolist())
    worst = {r: float(step.delta(0.5, relation=r)) for r in (hs.ADD_REMOVE, hs.REPLACE_ONE)}
    for _ in range(20):
        angles = rng.uniform(0, 2 * math.pi, (2, 3))
        means = lengths[None, :, None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        means[1] *= rng.integers(2)  # the other record, or none
        draws = means[0][rng.choice(3, 40_000, p=weights)] + rng.standard_normal((40_000, 2))
        p, q = (
            sum(
                w * stats.multivariate_normal.pdf(draws, m)
                for w, m in zip(weights, some, strict=True)
            )
            for some in means
        )
        gain = np.maximum(0.0, 1 - math.exp(0.5) * q / p)
        relation = hs.REPLACE_ONE if means[1].any() else hs.ADD_REMOVE
        assert gain.mean() - 5 * gain.std() / 200 <= worst[relation]


def test_two_moves_are_a_poisson_sample() -> None:
    mixture = MixtureOfGaussians(2.2, (0.0, 2.0), (0.99, 0.01)) * 100
    sampled = hs.Gaussian(1.1).on(hs.Poisson(0.01)) * 100
    for relation in hs.Relation:
        one, other = (m.epsilon(1e-6, relation=relation) for m in (mixture, sampled))
        assert one == pytest.approx(other, rel=1e-9)


def test_extremes() -> None:
    assert MixtureOfGaussians(1.0, [0.0], [1.0]).epsilon(0) == 0.0
    assert MixtureOfGaussians(0.0, [0.0], [1.0]).epsilon(0) == 0.0
    assert MixtureOfGaussians(math.inf, [3.0], [1.0]).epsilon(0) == 0.0
    assert MixtureOfGaussians(0.0, [0.0, 1.0], [0.9, 0.1]).delta(5.0) == 0.1
    assert MixtureOfGaussians(0.0, [1.0, 2.0], [0.5, 0.5]).delta(5.0) == 1.0
    single = MixtureOfGaussians(3.0, [1.5, 9.0], [1.0, 0.0])
    assert single.epsilon(1e-5) == hs.Gaussian(2.0).epsilon(1e-5)


def test_equal_moves_are_one_and_the_text_reads_back() -> None:
    step = MixtureOfGaussians(1.0, [1.0, 0.0, 1.0], [0.25, 0.5, 0.25])
    assert repr(step) == "MixtureOfGaussians.table(1.0, 0.0, 0.5, 1.0, 0.5)"
    assert hs.parse(repr(step * 3)) == step * 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((-1.0, [1.0], [1.0]), "noise_multiplier must be in"),
        ((1.0, [-1.0], [1.0]), "sensitivities must be in"),
        ((1.0, [math.nan], [1.0]), "sensitivities must be in"),
        ((1.0, [1.0], [1.5]), "probabilities must be in"),
        ((1.0, [1.0, 2.0], [0.5, 0.4]), "probabilities must add up to 1"),
        ((1.0, [1.0, 2.0], [1.0]), "probabilities must be as many as sensitivities, 2, got 1"),
        ((1.0, 1.0, [1.0]), "sensitivities must be a sequence"),
        ((1.0, [], []), "add up to 1"),
    ],
)
def test_bad_arguments(arguments: Any, said: str) -> None:
    with pytest.raises(hs.ParameterError, match=said):
        MixtureOfGaussians(*arguments)


def test_on_a_poisson_sample_when_one_is_replaced() -> None:
    """A record that is not drawn moves by 0. One step, against the masses of both laws."""
    step = hs.MixtureOfGaussians(0.5, (0, 1, 2), (0.3, 0.5, 0.2)).on(hs.Poisson(0.1))
    law = [(0.93, 0), (0.05, 2), (0.02, 4)]
    with mpmath.workdps(30):
        a = mpmath.e
        start = mpmath.findroot(
            lambda x: sum(w * (mpmath.npdf(x - c) - a * mpmath.npdf(x + c)) for w, c in law), 2.5
        )
        beyond = (w * (mpmath.ncdf(c - start) - a * mpmath.ncdf(-c - start)) for w, c in law)
        truth = float(sum(beyond))
    found = step.delta(1.0, relation=hs.REPLACE_ONE)
    assert found.lower * (1 - 1e-9) <= truth <= found.upper * (1 + 1e-9)
    assert found.upper - found.lower <= 1e-9 * truth


def test_one_distance_on_a_sample_is_gaussian_noise_on_it() -> None:
    one = hs.MixtureOfGaussians(0.8, (1,), (1,)).on(hs.Poisson(0.02)) * 50
    same = hs.Gaussian(0.8).on(hs.Poisson(0.02)) * 50
    found, truth = (run.epsilon(1e-6, relation=hs.REPLACE_ONE) for run in (one, same))
    assert found.lower <= truth.upper
    assert truth.lower <= found.upper
    assert found.upper - found.lower <= 1e-6 * truth


@pytest.mark.slow
def test_tiny_noise_on_a_sample_has_an_end() -> None:
    """Once inf: losses above 60 counted as infinite. One draw that moves tells some 800 nats."""
    step = hs.MixtureOfGaussians(0.04912, (0, 1, 2), (0.057, 0.891, 0.052)).on(hs.Poisson(0.04428))
    found = (step * 4).epsilon(1e-6, relation=hs.REPLACE_ONE)
    assert 800 < found.lower <= found.upper < 4000
    assert found.upper - found.lower <= 0.02 * found
