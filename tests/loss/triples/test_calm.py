"""Pairs for weights that fall slowly: above every triple there, and smaller than the envelope."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from mpmath import mp

from hockeystick.loss.triples.calm import Losses
from hockeystick.loss.triples.cover import Shapes
from hockeystick.loss.triples.gaussian import GaussianTriples
from hockeystick.loss.triples.normal import Gram
from hockeystick.loss.triples.pair import VirtualPair
from hockeystick.loss.triples.shapes import AroundRecord, AroundZero, InBall, WithinDistance
from hockeystick.numerics.types import Array
from tests.oracles.games import normal_pair

FAMILIES = [
    InBall(0.7),
    InBall(1.3, math.asin(0.95)),
    WithinDistance(1.2),
    WithinDistance(1.9, 0.39),
    AroundZero(0.8, 1.6),
    AroundRecord(0.8, 1.4),
]


def spread(gram: Gram) -> Array:
    """E (X − Y)²."""
    return np.asarray(np.exp(gram.first) + np.exp(gram.second) - 2 * np.exp(gram.inner))


@pytest.mark.parametrize("shapes", FAMILIES, ids=str)
def test_a_box_is_above_its_shapes(shapes: Shapes) -> None:
    """What is missing to its Gram matrix, and to an inner product that may be smaller, is positive
    semidefinite. In small boxes E (X − Y)² is near the largest of the shapes."""
    rng = np.random.default_rng(1)
    low, high = shapes.grid(24 if len(shapes.low) == 2 else 60)
    there = shapes.counts(low, high)
    low, high = low[there], high[there]
    box = shapes.closely(low, high)
    largest = np.zeros(len(low))
    for _ in range(200):
        point = rng.uniform(low, high)
        shape = shapes.above(point, point)
        a, b = box.first - shape.first, box.second - shape.second
        real = shapes.is_one(point)
        assert (np.minimum(a, b)[real] >= -1e-12).all()
        most = shape.inner + np.sqrt(np.maximum(a, 0.0) * np.maximum(b, 0.0))
        assert (box.inner <= most + 1e-10)[real].all()
        largest[real] = np.maximum(largest, spread(shape))[real]
    assert (box.inner**2 <= box.first * box.second).all()
    seen = np.asarray(largest > 0.1)
    assert (spread(box) >= largest)[seen].all()
    assert np.median(spread(box)[seen] / largest[seen]) < 1.1


@pytest.mark.slow
def test_the_gain_of_slow_functions() -> None:
    """Against random functions, and the best of a fine grid by going backwards."""
    rng = np.random.default_rng(4)
    u = np.append(0.0, np.cumsum(rng.uniform(0.02, 0.06, 40)))
    s = np.interp(u, [0, 0.2, 0.6, 1.2, u[-1]], [0.0, -0.3, 0.8, -0.9, 0.0])
    losses, fine = Losses(u), np.linspace(0.0, u[-1], 40_001)
    curve = np.interp(np.exp(fine), np.exp(u), s) * np.exp(-fine / 2)
    step = float(fine[1])
    assert losses.integrals(s).sum() == pytest.approx(np.sum(curve) * step, rel=1e-3)
    for slope in (0.3, 2.0, 9.0):
        bound = float(losses.gain(s, slope))
        best = 0.0
        for value in curve[::-1].tolist():
            best = value * step + max(best, best * math.exp(-slope * step))
        assert best - 1e-3 < bound < best + 0.03
        for _ in range(100):
            falls = slope * step * rng.uniform(size=fine.size) * (rng.uniform(size=fine.size) < 0.4)
            f = np.exp(-np.cumsum(falls))
            assert np.sum(curve * f) * step < bound + 1e-3


def kernel(losses: Array, masses: Array, u: Array) -> Array:
    """k(u) = e^{−u/2}·(δ(u) − (1 − e^u)_+), from atoms."""
    order = np.argsort(losses)
    losses, masses = losses[order], masses[order]
    p, q = (np.append(np.cumsum(m[::-1])[::-1], 0.0) for m in (masses, masses * np.exp(-losses)))
    place = np.searchsorted(losses, u)
    delta = p[place] - np.exp(u) * q[place]
    return np.asarray(np.exp(-u / 2) * (delta - np.maximum(-np.expm1(u), 0.0)))


def of_pair(pair: VirtualPair, u: Array) -> Array:
    losses, masses = np.append(pair.losses, 0.0), np.append(pair.masses, 1 - pair.masses.sum())
    return kernel(losses, masses, u)


def of_triple(rate: float, points: Array, u: Array) -> Array:
    p, q = (each.ravel() for each in normal_pair(rate, points, 130))
    seen = (p > 0) & (q > 0)
    return kernel(np.log(p[seen] / q[seen]), p[seen], u)


def triples_of(game: GaussianTriples, rng: np.random.Generator, count: int) -> list[Array]:
    """Random points that the game allows, and the three of the largest variance."""
    found = [np.array([[0.0, 0.0], [game.far, 0.0], [0.0, 0.0]])] * (not game.zero_out)
    while len(found) < count:
        turn, radius = rng.uniform(0, 2 * math.pi, 3), rng.uniform(size=3) ** 0.2
        points = game.near * (radius * np.array([np.cos(turn), np.sin(turn)])).T
        if game.zero_out:
            points[2] = 0.0
        apart = max(np.linalg.norm(points[i] - points[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
        if apart <= game.far:
            found.append(points)
    return found


@pytest.mark.parametrize(
    ("game", "seed"),
    [
        (GaussianTriples(0.1, near=0.5, far=1.0), 1),
        (GaussianTriples(0.01, near=1.0, far=2.0), 2),
        (GaussianTriples(0.1, near=0.5, far=0.95), 3),
        (GaussianTriples(0.1, near=0.5, far=1.0, zero_out=True), 4),
    ],
    ids=str,
)
@pytest.mark.slow
def test_slow_weights_are_moved_farthest(game: GaussianTriples, seed: int) -> None:
    """∫ k(u)·h(x − u) du at x >= 0, for even h that fall slowly: a triple, seen in cells, is never
    above the smaller pair, which is itself below the envelope."""
    rng = np.random.default_rng(seed)
    pair = game.pair(1e-12)
    calm = pair.calmer(0.0)
    assert calm
    u = np.linspace(-pair.top, pair.top, 1201)
    step = float(u[1] - u[0])
    triples = [of_triple(game.rate, each, u) for each in triples_of(game, rng, 6)]
    triples += [each[::-1] for each in triples]
    whole = of_pair(pair, u)
    x = np.arange(1202)
    for each in calm:
        small = of_pair(each.pair, u)
        assert small.sum() < whole.sum()
        for _ in range(3):
            rest = rng.uniform(size=x.size) < rng.choice([0.1, 0.5, 1.0])
            half = np.exp(-np.cumsum(each.slope * step * rest))
            h = np.concatenate([half[:0:-1], half])
            moved = [np.convolve(h, k, mode="same")[1201:1800] * step for k in (small, *triples)]
            near = moved[0] > 1e-9 * moved[0].max()
            for other in moved[1:]:
                assert (other <= moved[0])[near].all()


@pytest.mark.parametrize("near", [0.2, 1.0])
@pytest.mark.slow
def test_smaller_pairs_are_nested(near: float) -> None:
    """Each within the one before in both directions: a bound with one holds for the next."""
    pair = GaussianTriples(0.01, near=near, far=2 * near).pair(1e-12)
    calm = pair.calmer(0.0)
    assert len(calm) >= 2
    u = np.concatenate([-np.geomspace(pair.top, 1e-6, 60), np.geomspace(1e-6, pair.top, 60)])
    kernels = [of_pair(each, u) for each in (pair, *(some.pair for some in calm))]
    for large, small in pairwise(kernels):
        assert (small[60:] <= large[60:] + 1e-12).all()
        assert (small + small[::-1] <= (large + large[::-1]) * (1 + 1e-9) + 1e-12).all()
    assert [each.slope for each in calm] == sorted((each.slope for each in calm), reverse=True)


def test_smaller_pairs_are_looked_for_where_they_can_be_of_use() -> None:
    """None for weights that fall faster than the first of them allows; else always the same."""
    pair = GaussianTriples(0.1, near=0.5, far=0.5).pair(1e-12)
    calm = pair.calmer(0.0)
    steep = calm[0].slope
    assert pair.calmer(1.2 * steep) == ()
    assert [each.slope for each in pair.calmer(0.99 * steep)] == [each.slope for each in calm]


@pytest.mark.parametrize("near", [0.4792, 1.0])
@pytest.mark.slow
def test_slopes_hardly_jump(near: float) -> None:
    """From noise to noise within a corner, by less than a step of the search."""
    pairs = [GaussianTriples(0.01, each, each).pair(1e-12) for each in (near, near * (1 - 1e-6))]
    one, other = ([each.slope for each in pair.calmer(0.0)] for pair in pairs)
    assert one == pytest.approx(other, rel=0.01)
    assert pairs[0].variance == pytest.approx(pairs[1].variance, rel=1e-5)


@pytest.mark.parametrize("rate", [1e-3, 1e-8, 1e-12])
def test_integrals_of_tiny_losses_keep_their_digits(rate: float) -> None:
    """∫ e^{−u/2}·s with s linear in e^u over each cell, in 50 digits."""
    u = rate * np.linspace(0.0, 3.0, 13)
    s = np.linspace(1.0, 0.0, 13) ** 2
    found = Losses(u).integrals(s)
    with mp.workdps(50):
        for k, value in enumerate(found.tolist()):
            left, right, low, high = (mp.mpf(float(x)) for x in (u[k], u[k + 1], s[k], s[k + 1]))
            slope = (high - low) / (mp.exp(right) - mp.exp(left))
            first = low - slope * mp.exp(left)
            truth = 2 * slope * (mp.exp(right / 2) - mp.exp(left / 2))
            truth += 2 * first * (mp.exp(-left / 2) - mp.exp(-right / 2))
            assert value == pytest.approx(float(truth), rel=1e-13)
