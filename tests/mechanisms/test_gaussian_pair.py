"""Gaussians with different covariances against their formula, integration and drawing."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

import hockeystick as hs
from hockeystick.mechanisms.gaussian_pair import GaussianPair

ONE: Any = ([1.0, -0.5], [[2.0, 0.3], [0.3, 1.0]])
OTHER: Any = ([0.2, 0.1], [[1.5, -0.1], [-0.1, 1.2]])
ORDERS = [1.0, 1.0001, 1.3, 2.0, 3.0, 4.0, 30.0]


def formula(one: Any, other: Any, order: float) -> float:
    """Gil, Alajaji and Linder (2013) in matrices, at 60 digits."""
    with mp.workdps(60):
        mean, cov = mp.matrix([mpf(x) for x in one[0]]), mp.matrix(one[1])
        mean2, cov2 = mp.matrix([mpf(x) for x in other[0]]), mp.matrix(other[1])
        d, a = mean - mean2, mpf(order)
        if order == 1:
            inside = (mp.inverse(cov2) * cov)[0, 0] + (mp.inverse(cov2) * cov)[1, 1] - 2
            inside += (d.T * mp.inverse(cov2) * d)[0] + mp.log(mp.det(cov2) / mp.det(cov))
            return float(inside / 2)
        middle = a * cov2 + (1 - a) * cov
        if not _positive(middle):
            return math.inf
        shift = a / 2 * (d.T * mp.inverse(middle) * d)[0]
        ratio = mp.det(middle) / (mp.det(cov) ** (1 - a) * mp.det(cov2) ** a)
        return float(shift - mp.log(ratio) / (2 * (a - 1)))


def _positive(matrix: Any) -> bool:
    return bool(matrix[0, 0] > 0 and mp.det(matrix) > 0)


@pytest.mark.parametrize("order", ORDERS)
def test_the_formula(order: float) -> None:
    pair = GaussianPair(*ONE, *OTHER)
    forward, backward = pair.evidence(hs.ADD_REMOVE).renyi(np.array([order]))
    assert forward[0] == pytest.approx(formula(ONE, OTHER, order), rel=1e-12)
    assert backward[0] == pytest.approx(formula(OTHER, ONE, order), rel=1e-12)
    assert pair.rdp(order) == max(forward[0], backward[0])


def test_infinite_once_the_covariances_do_not_fit() -> None:
    """Σ_α = αΣ₂ + (1−α)Σ₁ is 2 − α here: positive definite below order 2."""
    pair = GaussianPair(0.0, 2.0, 0.0, 1.0)
    forward, backward = pair.evidence(hs.ADD_REMOVE).renyi(np.array([1.999, 2.0, 5.0, math.inf]))
    assert np.isfinite(forward[0])
    assert np.isinf(forward[1:]).all()
    assert np.isfinite(backward).all()
    assert backward[-1] == pytest.approx(math.log(2) / 2, rel=1e-14)  # the largest loss
    assert pair.rdp(2.0) == math.inf


def test_nearly_equal_covariances_keep_twelve_digits() -> None:
    tiny = 2.0**-30
    one: Any = ([0.0, 0.0], [[1 + tiny, 0.5], [0.5, 1.0]])
    other: Any = ([0.0, 0.0], [[1.0, 0.5], [0.5, 1 + 3 * tiny]])
    pair = GaussianPair(*one, *other)
    for order in ORDERS:
        found = pair.evidence(hs.ADD_REMOVE).renyi(np.array([order]))[0][0]
        assert found < 1e-15
        assert found == pytest.approx(formula(one, other, order), rel=1e-12)
    line = GaussianPair(0.0, 1 + tiny, 0.0, 1.0)
    for order in ORDERS:
        with mp.workdps(80):
            v, a = mpf(1) + mpf(tiny), mpf(order)
            if order == 1:
                truth = (v - 1 - mp.log(v)) / 2
            else:
                truth = ((1 - a) * mp.log(v) - mp.log(a + (1 - a) * v)) / (2 * (a - 1))
        assert line.evidence(hs.ADD_REMOVE).renyi(np.array([order]))[0][0] == pytest.approx(
            float(truth), rel=1e-12
        )


def test_equal_covariances_are_gaussian_noise() -> None:
    """The distance that counts is Mahalanobis': here 1·(4/3) + … = 4/3 in all, squared."""
    cov = [[1.0, 0.5], [0.5, 1.0]]
    pair = GaussianPair([1.0, 0.0], cov, [0.0, 0.0], cov)
    noise = hs.Gaussian(math.sqrt(3) / 2)
    for relation in (hs.ADD_REMOVE, hs.ZERO_OUT):
        assert pair.epsilon(1e-5, relation=relation) == pytest.approx(
            noise.epsilon(1e-5), rel=1e-12
        )
    once = (pair.on(hs.Poisson(0.01)) * 100).epsilon(1e-5)
    assert once == pytest.approx((noise.on(hs.Poisson(0.01)) * 100).epsilon(1e-5), rel=1e-10)
    same = GaussianPair([1.0, 2.0], cov, [1.0, 2.0], cov)
    assert same.epsilon(0) == 0.0


def test_one_coordinate_that_differs_is_exact() -> None:
    """Rotated into the plane: the direction (1, 1)/√2 has variance 3 instead of 1."""
    wide = np.eye(2) + np.ones((2, 2))
    flat = GaussianPair([0.5, 0.5], wide, [0.0, 0.0], np.eye(2))
    line = GaussianPair(math.sqrt(0.5), 3.0, 0.0, 1.0)
    assert flat.evidence(hs.ADD_REMOVE).pairs
    for epsilon in (0.1, 1.0, 4.0):
        assert flat.delta(epsilon) == pytest.approx(line.delta(epsilon), rel=1e-12)


def by_drawing(draws: int, epsilon: float) -> tuple[float, float]:
    rng = np.random.default_rng(7)

    def log_density(x: Any, law: Any) -> Any:
        d = x - np.array(law[0])
        inverse = np.linalg.inv(law[1])
        return -0.5 * np.einsum("ij,jk,ik->i", d, inverse, d) - 0.5 * math.log(
            np.linalg.det(law[1])
        )

    x = rng.multivariate_normal(ONE[0], ONE[1], draws)
    losses = log_density(x, ONE) - log_density(x, OTHER)
    gains = np.maximum(-np.expm1(epsilon - losses), 0.0)
    return float(gains.mean()), float(gains.std() / math.sqrt(draws))


@pytest.mark.slow
def test_coordinates_one_by_one_are_the_pair() -> None:
    pair = GaussianPair(*ONE, *OTHER)
    assert not pair.evidence(hs.ADD_REMOVE).pairs
    apart = pair.independent()
    np.testing.assert_allclose(apart.rdp(ORDERS), pair.rdp(ORDERS), rtol=1e-12)
    delta, spread = by_drawing(400_000, 0.5)
    exact = apart.delta(0.5)
    assert exact.lower > delta - 4 * spread  # the other order may cost more
    assert exact < pair.delta(0.5)


def test_variances_too_far_apart_are_known_by_curve() -> None:
    for variance in (11.5, 0.08):
        pair = GaussianPair(0.3, variance, 0.0, 1.0)
        assert not pair.evidence(hs.ADD_REMOVE).pairs
        assert 0 < pair.epsilon(1e-5) < math.inf


@pytest.mark.slow
def test_sampled_by_curve_where_more_than_one_coordinate_differs() -> None:
    pair = GaussianPair(*ONE, *OTHER)
    once, sampled = pair.epsilon(1e-5), pair.on(hs.Poisson(0.01)).epsilon(1e-5)
    assert 0 < sampled < once


@pytest.mark.slow
@pytest.mark.parametrize("variance", [2.0, 0.6])
def test_two_steps_on_poisson_samples(variance: float) -> None:
    """By sums over a grid of outcomes: δ = E[h(ε − L)], h the profile of the second step."""
    rate, d, epsilon = 0.2, 0.7, 0.3
    x = np.linspace(-14, 15, 60_001)
    q = np.exp(-0.5 * x**2)
    p = np.exp(-0.5 * (x - d) ** 2 / variance)
    p, q = p / p.sum(), q / q.sum()
    mixed = (1 - rate) * q + rate * p
    found = (GaussianPair(d, variance, 0.0, 1.0).on(hs.Poisson(rate)) * 2).delta(epsilon)
    truth = max(_two_steps(mixed, q, epsilon), _two_steps(q, mixed, epsilon))
    assert found == pytest.approx(truth, rel=1e-5)
    assert (1 - 3e-5) * truth < found.lower < (1 + 1e-6) * truth


def _two_steps(p: Any, q: Any, epsilon: float) -> float:
    loss = np.log(p / q)
    order = np.argsort(loss)
    above = [np.append(np.cumsum(m[order][::-1])[::-1], 0.0) for m in (p, q)]
    j = np.searchsorted(loss[order], epsilon - loss, side="right")
    return float((p * (above[0][j] - np.exp(epsilon - loss) * above[1][j])).sum())


def test_both_orders_where_none_is_known() -> None:
    relation = hs.REPLACE_ONE
    pair = GaussianPair(0.5, 1.2, 0.0, 1.0)
    back = GaussianPair(0.0, 1.0, 0.5, 1.2)
    for epsilon in (0.05, 0.5, 2.0):
        larger = max(pair.delta(epsilon), back.delta(epsilon))
        found = pair.delta(epsilon, relation=relation)
        assert larger * (1 - 1e-12) <= found <= larger * (1 + 1e-4)
        assert found.lower <= larger
    ten = (pair * 10).epsilon(1e-5, relation=relation)
    ordered = (pair * 10).epsilon(1e-5)
    assert ordered.lower <= ten < 1.05 * ordered
    assert pair.rdp(3.0, relation=relation) == pair.rdp(3.0)


@pytest.mark.parametrize(
    "pair",
    [GaussianPair(1.0, 2.0, 0.0, 1.0), GaussianPair(*ONE, *OTHER), GaussianPair([1], [[2]], 0, 1)],
    ids=["line", "plane", "one row"],
)
def test_text(pair: hs.Mechanism) -> None:
    assert hs.parse(repr(pair)) == pair
    run = pair.on(hs.Poisson(0.1)) * 4
    assert hs.parse(repr(run)) == run
    assert hash(hs.parse(repr(pair))) == hash(pair)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GaussianPair(0.0, 0.0, 0.0, 1.0), "covariance must be symmetric and positive"),
        (lambda: GaussianPair(0.0, 1.0, 0.0, -1.0), "other_covariance must be symmetric"),
        (lambda: GaussianPair([0, 0], [[1, 2], [2, 1]], [0, 0], np.eye(2)), "covariance must be"),
        (lambda: GaussianPair([0, 0], [[1, 2], [0, 9]], [0, 0], np.eye(2)), "symmetric"),
        (lambda: GaussianPair([0, 0], 1.0, [0, 0], np.eye(2)), "2 × 2 matrix"),
        (lambda: GaussianPair([0, 0], np.eye(3), [0, 0], np.eye(2)), "covariance must be a 2 × 2"),
        (
            lambda: GaussianPair([0, 0], np.eye(2), [0], np.eye(2)),
            "other_mean must be a vector of 2",
        ),
        (lambda: GaussianPair([], [], [], []), "mean must be a vector"),
        (lambda: GaussianPair(math.nan, 1.0, 0.0, 1.0), "mean must hold finite numbers"),
        (lambda: GaussianPair(0.0, math.inf, 0.0, 1.0), "covariance must hold finite"),
        (lambda: GaussianPair("a", 1.0, 0.0, 1.0), "mean must hold numbers"),
        (lambda: GaussianPair.flat(2, 1.0), "numbers must be 12 in dimension 2, got 1"),
        (lambda: GaussianPair.flat(0), "dimension must be"),
    ],
)
def test_bad_input(make: Callable[[], object], message: str) -> None:
    with pytest.raises(hs.ParameterError, match=message):
        make()
