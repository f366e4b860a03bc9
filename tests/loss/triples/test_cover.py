"""Boxes of shapes that are sought once and serve all that is near."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hockeystick.loss.triples.cover import ROUGHLY, Cover
from hockeystick.loss.triples.gaussian import GaussianTriples
from hockeystick.loss.triples.normal import ROUGH, Gram, excess
from hockeystick.loss.triples.shapes import InBall, WithinDistance
from hockeystick.routes.game.route import upper_end
from hockeystick.routes.question import EpsilonAt


def cover(a: float, b: float) -> Cover:
    """One node, without a limit."""
    one = np.ones(1)
    return Cover(a * one, b * one, np.add, 0 * one, 9 * one, 0 * one)


@pytest.mark.parametrize("shapes", [InBall(0.7), WithinDistance(1.2)], ids=str)
def test_boxes_of_a_corner_hold_all_shapes(shapes: InBall | WithinDistance) -> None:
    """Sought for less noise, evaluated with more: the largest of all boxes, and above any shape."""
    scale = {"radius": 0.66} if isinstance(shapes, InBall) else {"far": 1.15}
    near = type(shapes)(**scale)
    boxes = cover(1.2, 0.4).sought(shapes)
    here = cover(1.2, 0.5)
    value = here.at(boxes.node, near.above(boxes.low, boxes.high))
    assert (value <= boxes.value).all()
    found = here.largest(near, boxes)[0]
    assert found == pytest.approx(value.max(), rel=1e-15)
    rng = np.random.default_rng(5)
    point = rng.uniform(shapes.low, shapes.high, size=(4000, len(shapes.low)))
    point = point[near.counts(point, point)] if isinstance(shapes, InBall) else point
    single = near.above(point, point)
    each = np.ones(len(point))
    attained = excess(single, 1.2 * each, 0.5 * each)
    attained += excess(single.swapped(), 1.2 * each, 0.5 * each)
    assert attained.max() <= found <= attained.max() * 1.03


def test_neighbouring_nodes_share_boxes() -> None:
    """At each node, also at those for which no boxes were sought: above any shape, and near."""
    a = 1 + 0.3 * np.linspace(0.5, 0.58, 7) ** 2
    b, ones, shapes = 3 * (a - 1), np.ones(a.size), InBall(0.7)
    here = Cover(a, b, np.add, 0 * a, 9 * ones, 0 * ones)
    boxes = here.sought(shapes)
    assert set(boxes.node.tolist()) == set(range(a.size))
    again = Cover(a, b, np.add, 0 * a, 9 * ones, 0 * ones)
    found = again.largest(shapes, boxes)
    ends = np.linspace(0.0, math.pi / 2, 41)
    angles = np.stack(np.meshgrid(ends, ends), -1).reshape(-1, 2)
    angles = angles[shapes.is_one(angles)]
    for node, value in enumerate(found.tolist()):
        attained = again.at(np.full(len(angles), node), shapes.above(angles, angles)).max()
        assert attained <= value <= attained * 1.02


@pytest.mark.parametrize("rate", [1e-6, 0.01, 0.5])
@pytest.mark.parametrize("near", [0.05, 0.4, 1.0, 2.5, 6.0])
def test_what_is_known_roughly(near: float, rate: float) -> None:
    """A tenth of the margin at most, for boxes of all kinds, down to what counts."""
    rng = np.random.default_rng(8)
    for triples in (
        GaussianTriples(rate, near, 2 * near),
        GaussianTriples(rate, near, 1.9 * near),
        GaussianTriples(rate, near, 2 * near, zero_out=True),
        GaussianTriples(rate, near, 1.5 * near, zero_out=True),
    ):
        far = triples.farthest
        growth = rate * np.expm1(far * (far / 2 + 8.5) * rng.uniform(0, 1, 200) ** 2)
        a, b = 1 + growth, growth * (1 / rate - 1)
        for shapes in triples.shapes():
            low = rng.uniform(shapes.low, shapes.high, size=(200, len(shapes.low)))
            high = low + (np.array(shapes.high) - low) * rng.uniform(0, 1, (200, 1)) ** 3
            gram = shapes.above(low, high)
            for each in (gram, gram.swapped()):
                value = excess(each, a, b)
                some = value > 1e-9
                off = np.abs(excess(each, a, b, ROUGH) - value)[some]
                assert (off <= ROUGHLY / 10 * value[some]).all()


def test_a_corner_is_above_and_shared() -> None:
    for near, rate in ((0.2, 0.001), (1 / 3, 0.3), (1.0, 0.5), (2.7, 0.97)):
        triples = GaussianTriples(rate, near=near, far=1.3 * near, zero_out=True)
        corner = triples.corner
        assert near <= corner.near < 1.0443 * near + 1e-8
        assert rate <= corner.rate < 1.0443 * rate
        assert corner.far / corner.near == pytest.approx(1.3, rel=1e-15)
        assert corner.zero_out
    some = [GaussianTriples(0.01, near=1 / s, far=1.3 / s) for s in (1.01, 1.02, 1.03)]
    assert len({each.corner for each in some}) == 1
    assert GaussianTriples(0.01, near=0.3, far=0.6).corner.in_ball


def test_scaled_up_everything_grows() -> None:
    """What lets a corner speak for all below it, also where thin triangles are made thicker."""
    rng = np.random.default_rng(2)
    v, w = rng.normal(size=(2, 300, 2))
    w[::3] = v[::3] * rng.uniform(-1, 1, size=(100, 1)) + 1e-3 * w[::3]
    gram = Gram((v * v).sum(1), (w * w).sum(1), (v * w).sum(1))
    more = Gram(1.03 * gram.first, 1.03 * gram.second, 1.03 * gram.inner)
    a = 1 + rng.uniform(size=300)
    b = rng.uniform(size=300)
    assert (excess(gram, a, b) <= excess(more, a, 0.98 * b) + 1e-14).all()


@pytest.mark.slow
def test_the_bound_is_smooth_in_the_noise() -> None:
    """Boxes that change with the noise made it jump by parts of a thousand."""
    sigma = 2 * np.exp(np.linspace(0, 1e-3, 6))
    triples = [GaussianTriples(0.001, near=1 / s, far=2 / s) for s in sigma.tolist()]
    epsilon = [upper_end(EpsilonAt(1e-8), each, 600_000).upper for each in triples]
    slopes = np.diff(np.log(epsilon)) / 2e-4
    assert np.ptp(slopes) < 0.02
    assert slopes.max() < -1.7
    assert math.isclose(slopes[0], -1.83, abs_tol=0.05)
