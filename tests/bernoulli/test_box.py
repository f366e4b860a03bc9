"""A box with its own interval in each coordinate: laws on its corners, coin by coin."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.bernoulli import amplify, amplify_delta
from hockeystick.bernoulli.box import Box, product_channel
from hockeystick.errors import ParameterError
from hockeystick.numerics.types import Array

BOXES = [
    ((0.1, 0.9), (0.3, 0.7)),
    ((0.1, 0.9), (0.3, 0.5)),
    ((0.2, 0.25), (0.6, 0.95)),
    ((0.05, 0.3), (0.4, 0.6), (0.5, 0.5)),
]


def coins_of(corners: list[tuple[float, ...]], law: Array, samples: int) -> Array:
    """The law of the coins, one row of outcomes after the other."""
    outcomes = itertools.product((0, 1), repeat=samples * len(corners[0]))
    table = []
    for outcome in outcomes:
        each = [
            math.prod(x if bit else 1 - x for x, bit in zip(corner * samples, outcome, strict=True))
            for corner in corners
        ]
        table.append(float(np.dot(law, each)))
    return np.array(table)


def renyi(p: Array, q: Array, order: float) -> float:
    return math.log(float((p**order * q ** (1 - order)).sum())) / (order - 1)


@pytest.mark.slow
@pytest.mark.parametrize("samples", [1, 2])
@pytest.mark.parametrize("order", [1.5, 4.0])
@pytest.mark.parametrize("intervals", BOXES, ids=str)
def test_no_pair_on_the_corners_costs_more(
    intervals: tuple[tuple[float, float], ...], order: float, samples: int
) -> None:
    rng = np.random.default_rng(3)
    low, high = zip(*intervals, strict=True)
    corners = list(itertools.product(*intervals))
    for _ in range(40):
        p, q = (rng.dirichlet(np.full(len(corners), 0.3)) + 1e-9 for _ in range(2))
        p, q = p / p.sum(), q / q.sum()
        epsilon = max(renyi(p, q, order), renyi(q, p, order))
        truth = renyi(coins_of(corners, p, samples), coins_of(corners, q, samples), order)
        bound = amplify(epsilon, order, list(low), d=list(high), samples=samples, close=1e-3)
        assert truth <= bound * (1 + 1e-9) + 1e-14


@pytest.mark.parametrize("intervals", BOXES, ids=str)
def test_the_lower_end_is_below_that_of_two_corners(
    intervals: tuple[tuple[float, float], ...],
) -> None:
    low, high = zip(*intervals, strict=True)
    p = 0.8
    epsilon = renyi(np.array([p, 1 - p]), np.array([1 - p, p]), 3.0)
    one = coins_of([high, low], np.array([p, 1 - p]), 2)
    other = coins_of([high, low], np.array([1 - p, p]), 2)
    truth = max(renyi(one, other, 3.0), renyi(other, one, 3.0))
    bound = amplify(epsilon, 3.0, list(low), d=list(high), samples=2)
    assert bound.lower <= truth * (1 + 1e-9)
    assert truth <= bound * (1 + 1e-9)
    if intervals == BOXES[0]:  # symmetric: both ends are that
        assert bound.lower == pytest.approx(truth, rel=1e-8)
        assert bound == pytest.approx(truth, rel=1e-8)


def test_equal_intervals_are_a_cube() -> None:
    for order in (1.5, 20.0, math.inf):
        cube, box = amplify(1.0, order, 0.2, 3), amplify(1.0, order, [0.2] * 3)
        assert box == pytest.approx(cube, rel=1e-9)
    assert amplify_delta(0.5, 0.1, [0.1, 0.1]) == pytest.approx(amplify_delta(0.5, 0.1, 0.1, 2))


def test_a_coin_that_is_fixed_tells_nothing() -> None:
    assert amplify(1.0, 2, [0.2, 0.5]) == pytest.approx(amplify(1.0, 2, 0.2), rel=1e-12)
    assert amplify(1.0, 2, [0.3, 0.6], d=[0.3, 0.6]) == 0.0
    assert amplify(1.0, 2, [0.0, 0.6], d=[0.3, 0.6]) <= 1


@pytest.mark.parametrize("intervals", BOXES[:3], ids=str)
def test_profile_of_two_corners(intervals: tuple[tuple[float, float], ...]) -> None:
    """(ε, δ) of the parameter on two corners, and of its coins by their law."""
    low, high = zip(*intervals, strict=True)
    p, epsilon = 0.8, 0.2
    given = math.exp(epsilon)
    one = coins_of([high, low], np.array([p, 1 - p]), 1)
    other = coins_of([high, low], np.array([1 - p, p]), 1)
    before = p - given * (1 - p)
    truth = np.maximum(one - given * other, 0).sum()
    found = amplify_delta(epsilon, before, list(low), d=list(high))
    assert truth <= found * (1 + 1e-9) + 1e-15
    assert found <= before


def test_thinned_channels_lie_on_both_sides() -> None:
    """Fewer outcomes above tell more, and below less, and both little."""
    from hockeystick.bernoulli import box

    each = (0.11, 0.13, 0.17, 0.19, 0.23, 0.29, 0.31, 0.37, 0.41)
    full = product_channel(each, 1, True)
    most, box.MOST_OUTCOMES = box.MOST_OUTCOMES, 60
    try:
        product_channel.cache_clear()
        above, below = product_channel(each, 1, True), product_channel(each, 1, False)
    finally:
        box.MOST_OUTCOMES = most
        product_channel.cache_clear()
    assert max(above.w.size, below.w.size) < 80 < full.w.size
    truth = full.total_variation
    assert below.total_variation <= truth * (1 + 1e-12)
    assert truth <= above.total_variation * (1 + 1e-12)
    assert above.total_variation - below.total_variation < 0.01
    for channel in (above, below):
        one, zero = channel.masses
        assert one.sum() == pytest.approx(1, abs=1e-9)
        assert zero.sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.slow
def test_mechanism() -> None:
    box = hs.Laplace(1.0).bernoulli(c=[0.2, 0.3], d=[0.6, 0.5], samples=2)
    assert hs.parse(repr(box * 3)) == box * 3
    found = box.delta(0.1)
    assert 0 < found.lower < found < hs.Laplace(1.0).delta(0.1)
    cube = hs.Laplace(1.0).bernoulli(c=0.2, dimension=2)
    same = hs.Laplace(1.0).bernoulli(c=[0.2, 0.2])
    assert (same * 2).epsilon(1e-5) == pytest.approx((cube * 2).epsilon(1e-5), rel=1e-9)
    curve = hs.RenyiDP({2: 0.5}).bernoulli(c=[0.2, 0.3])
    assert curve.rdp(2) == pytest.approx(amplify(0.5, 2, [0.2, 0.3]), rel=1e-3)
    sampled = hs.Gaussian(1.0).bernoulli(c=[0.2, 0.3]).on(hs.Poisson(0.1))
    assert sampled == hs.Gaussian(1.0).on(hs.Poisson(0.1)).bernoulli(c=[0.2, 0.3])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"c": [0.1, 0.6]}, "c must be in"),
        ({"c": [0.5], "d": [0.4]}, "c must be at most d"),
        ({"c": [0.1, 0.2], "d": [0.9]}, "dimension must be|equally many"),
        ({"c": [0.1, 0.2], "dimension": 3}, "dimension must be the number"),
        ({"c": [], "dimension": 1}, "dimension must be the number"),
        ({"c": [float("nan")]}, "c must be"),
        ({"c": "ab"}, "c must be"),
    ],
)
def test_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        amplify(1.0, 2, **options)  # type: ignore[arg-type]


def test_the_two_symmetric_boxes() -> None:
    box = Box(((0.3, 0.4),), 1)
    (outer,), (inner,) = box.outer, box.inner
    for s, at_most in ((outer, True), (inner, False)):
        tells = (1 - 2 * s) / 0.1
        assert tells == pytest.approx(1 / 0.7 if at_most else 1 / 1.3)


def test_release_clips_to_the_box() -> None:
    drawn = hs.bernoulli.release([0.5, 7.0], c=[0.5, 0.0], d=[0.5, 0.1], samples=20_000, rng=1)
    assert drawn.mean(axis=0) == pytest.approx([0.5, 0.1], abs=0.02)
    with pytest.raises(ParameterError, match="c must be as many"):
        hs.bernoulli.release([0.5, 7.0], c=[0.1, 0.1, 0.1])
