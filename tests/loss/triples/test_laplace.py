"""Three Laplace laws on a line: the hinges, and the pair that stands for all of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

import hockeystick as hs
from hockeystick.loss.triples.laplace import LaplaceTriples
from hockeystick.loss.triples.line import either_side, same_side
from hockeystick.numerics.types import Array

DRAW = np.random.default_rng(7)


def integral(a: float, other: float, b: float, without: float) -> float:
    """∫ (μ_0 − a·μ_other − b·μ_without)_+ by quadrature between the kinks."""

    def hinge(z: float) -> float:
        laws = [np.exp(-abs(z - m)) / 2 for m in (0.0, other, without)]
        return max(float(laws[0] - a * laws[1] - b * laws[2]), 0.0)

    places = sorted({-40.0, 0.0, other, without, 40.0})
    fine = np.concatenate([np.linspace(p, q, 9) for p, q in pairwise(places)])
    return float(sum(quad(hinge, p, q)[0] for p, q in pairwise(fine)))


@pytest.mark.parametrize("case", range(40))
def test_hinges_are_integrals(case: int) -> None:
    draw = np.random.default_rng(case)
    a, b = np.exp(draw.exponential(0.7)), np.exp(draw.normal() * 2)
    one, two = draw.exponential(2.5, 2)
    arguments = [np.array([each]) for each in (a, one, b, two)]
    assert same_side(*arguments)[0] == pytest.approx(integral(a, one, b, two), abs=2e-8)
    assert either_side(*arguments)[0] == pytest.approx(integral(a, one, b, -two), abs=2e-8)


def hinge(y: Array, x: Array, other: Array, a: Array, b: Array) -> Array:
    first, second = np.abs(other - x), np.abs(y - x)
    together = (y - x) * (other - x) >= 0
    return np.where(together, same_side(a, first, b, second), either_side(a, first, b, second))


def both_ways(rate: float, points: Array, u: float) -> tuple[Array, Array]:
    """δ(u) and δ_reversed(u) of the triples (y, x, x') that are the rows."""
    y, x, other = points.T
    a = np.full(y.shape, np.exp(u))
    b = np.expm1(u) * (1 / rate - 1) * np.ones(y.shape)
    return rate * hinge(y, x, other, a, b), rate * hinge(y, other, x, a, b)


@pytest.mark.slow
@pytest.mark.parametrize("zero_out", [False, True], ids=["replaced", "zeroed out"])
@pytest.mark.parametrize(
    ("rate", "near", "far"),
    [
        (0.001, 1.0, 2.0),
        (0.3, 0.2, 0.4),
        (0.5, 2.0, 4.0),
        (1e-7, 8.0, 15.0),
        (0.02, 1.0, 1.3),
        (0.9, 1.0, 0.5),
    ],
)
def test_no_triple_is_above_the_pair_and_one_is_near(
    rate: float, near: float, far: float, zero_out: bool
) -> None:
    """20 000 random triples, those at the ends of the line among them, at 25 thresholds each."""
    pair = LaplaceTriples(rate, near, far, zero_out).pair(0.0)
    if zero_out:
        points = DRAW.uniform(-near, near, (20_000, 3))
        points[:, 2] = 0.0
        points[::3, 1] = near
        points[1::4, 0] = -near
        points = points[np.abs(points[:, 0] - points[:, 1]) <= far]
    else:
        points = DRAW.uniform(0.0, far, (20_000, 3))
        points[::3, 1:] = [far, 0.0]
        points[1::3, :2] = [far, 0.0]
        points[::7, 0] = points[::7, 2]
    for u in pair.top * DRAW.uniform(0.0, 1.0, 25) ** 2:
        ahead = float(pair.masses @ np.maximum(-np.expm1(u - pair.losses), 0.0))
        # the reversed pair: losses −ℓ with masses e^{−ℓ}·p
        back = float(pair.masses @ np.maximum(np.exp(-pair.losses) - np.exp(u), 0.0))
        one, other = both_ways(rate, points, float(u))
        largest = float(np.maximum(one, other).max())
        assert largest <= ahead * (1 + 1e-12)
        assert float((one + other).max()) <= (ahead + back) * (1 + 1e-12)
        if far >= near:
            slack = 0.03 * rate * -np.expm1(-near / 2)
            assert ahead <= 1.05 * largest + slack
            assert ahead + back <= 1.05 * float((one + other).max()) + slack


@pytest.mark.parametrize("zero_out", [False, True], ids=["replaced", "zeroed out"])
def test_nothing_is_given_away(zero_out: bool) -> None:
    """Losses have a largest value; a rounded end once gave away −7e-20."""
    for far in [1e-6, 0.003, 0.1, 0.5, 1.0, 2.0, 7.3, 30.0]:
        pair = LaplaceTriples(0.001, far / 2, far, zero_out).pair(0.0)
        most = np.log1p(0.001 * np.expm1(far))
        assert pair.infinite == 0
        assert pair.masses.min() > 0
        assert pair.top <= most * (1 + 1e-9)
        assert zero_out or pair.top >= most


def test_on_a_line_of_great_losses_x_may_lie_between() -> None:
    """For a ≈ 1 and b = e^10 the worst x is neither end of 15: 3 from x', with y at the far end."""
    a, b = np.array([1.0]), np.array([np.exp(10.0)])
    far, x = np.array([15.0]), np.array([3.0])
    inner = same_side(a, x, b, far) + either_side(a, x, b, far - x)
    y = np.linspace(0.0, 15.0, 3001)
    ends = same_side(a, far, b, y) + same_side(a, far, b, far - y)
    assert inner[0] > 1.19 > 0.92 > ends.max()


def test_three_vectors_cost_more_than_three_numbers() -> None:
    """The lower end for vectors is above the upper end for one number: a keyword is needed."""
    sampler = hs.WithoutReplacement(60, 60_000)
    number = hs.Laplace(0.5, replace_sensitivity=1, dimension=1).on(sampler) * 600_000
    vector = hs.Laplace(0.5, replace_sensitivity=1).on(sampler) * 600_000
    answer = vector.epsilon(1e-8)
    assert number.epsilon(1e-8) < 9.69 < 10.34 < answer.lower < answer < 12.92
