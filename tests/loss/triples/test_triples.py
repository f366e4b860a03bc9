"""The envelope of triples of normal laws, against triples integrated on a plane."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr

from hockeystick.errors import NumericalError
from hockeystick.loss.gaussian import gaussian_log_delta
from hockeystick.loss.triples.attained import normal_triple, three_answers
from hockeystick.loss.triples.gaussian import GaussianTriples
from hockeystick.loss.triples.many_laws import ManyLaws
from hockeystick.loss.triples.normal import Gram, excess
from hockeystick.loss.triples.pair import Curves, VirtualPair, convex_above, convex_below
from hockeystick.loss.triples.shapes import InBall
from tests.oracles.games import Floats, normal_pair

CELLS = 500
ROUNDING = 1e-12
"""Of sums over cells, which say no more than the answers: nothing else may be above."""


def profile(pair: VirtualPair, u: float) -> float:
    """δ(u), u >= 0, of the virtual pair, with what it gives away."""
    gain = -np.expm1(np.minimum(u - pair.losses, 0.0))
    return float(pair.masses @ gain) + pair.infinite


def reverse_profile(pair: VirtualPair, u: float) -> float:
    q = pair.masses * np.exp(-pair.losses)
    return float(q @ -np.expm1(np.minimum(u + pair.losses, 0.0))) + pair.infinite


def hinge(p: Floats, q: Floats, u: float) -> float:
    return float(np.maximum(p - math.exp(u) * q, 0.0).sum())


def fits(points: Floats, radius: float) -> bool:
    """Whether some ball of that radius holds them: around their mean, moved towards the farthest
    (Bădoiu and Clarkson 2003), which finds the smallest to a per cent."""
    centre = points.mean(axis=0)
    for k in range(1, 300):
        away = points - centre
        centre = centre + away[np.argmax(np.square(away).sum(axis=1))] / (k + 1)
    return bool(np.linalg.norm(points - centre, axis=1).max() <= radius)


def triangles(rng: np.random.Generator, triples: GaussianTriples) -> Floats:
    """A random triple (y, x, x') that is allowed, on the edge of what is more often than not."""
    while True:
        points = rng.normal(size=(3, 2))
        points /= np.maximum(np.linalg.norm(points, axis=1, keepdims=True), 1e-9)
        points *= triples.near * rng.choice([1.0, 1.0, rng.uniform()], size=(3, 1))
        if triples.zero_out:
            points[2] = 0.0
        far = max(np.linalg.norm(points[i] - points[j]) for i in range(3) for j in range(i))
        if not triples.zero_out and not triples.in_ball:
            points *= triples.far / far
            if triples.far <= math.sqrt(3) * triples.near or fits(points, triples.near):
                return points
            continue
        replaced = np.linalg.norm(points[0] - points[1])
        if replaced <= triples.far:
            return points


@pytest.mark.parametrize(
    "triples",
    [
        GaussianTriples(0.1, near=1.0, far=2.0),
        GaussianTriples(0.01, near=0.4, far=0.8),
        GaussianTriples(0.3, near=1.0, far=1.0),
        GaussianTriples(0.1, near=1.0, far=1.9),
        GaussianTriples(0.1, near=0.5, far=0.88),
        GaussianTriples(0.02, near=0.5, far=1.0, zero_out=True),
        GaussianTriples(0.1, near=1.0, far=1.3, zero_out=True),
        GaussianTriples(0.1, near=1.0, far=0.7, zero_out=True),
    ],
    ids=str,
)
@pytest.mark.slow
def test_no_triple_is_above_the_envelope(triples: GaussianTriples) -> None:
    pair = triples.pair(1e-12)
    rng = np.random.default_rng(1)
    places = np.log1p(triples.rate * np.expm1([0.0, 0.02, 0.2, 0.6, 1.2, 2.0]))
    closest = np.zeros(places.size)
    for _ in range(60):
        p, q = normal_pair(triples.rate, triangles(rng, triples), CELLS)
        for i, u in enumerate(places.tolist()):
            one, other = hinge(p, q, u), hinge(q, p, u)
            most, rest = profile(pair, u), reverse_profile(pair, u)
            assert max(one, other) <= most * (1 + ROUNDING)
            assert one + other <= (most + rest) * (1 + ROUNDING)
            closest[i] = max(closest[i], (one + other) / (most + rest))
    assert closest.min() > 0.7  # and the envelope is not far above them all


def option(v: Floats, w: Floats, a: float, b: float) -> float:
    """E (X − b − a·Y)_+: given the part along w, an option on a log-normal price."""
    length = math.sqrt(w @ w)
    along = float(v @ w) / length
    across = math.sqrt(v @ v - along**2)

    def given(z: float) -> float:
        mean = math.exp(along * z - along**2 / 2)
        strike = b + a * math.exp(length * (z - length / 2))
        d = math.log(mean / strike) / across + across / 2
        price = mean * ndtr(d) - strike * ndtr(d - across)
        return float(price * math.exp(-z * z / 2) / math.sqrt(2 * math.pi))

    edges = np.linspace(min(along, 0.0) - 11, max(along, 0.0) + 11, 40)
    pieces = [quad(given, *ends, epsabs=1e-17, epsrel=1e-12)[0] for ends in pairwise(edges)]
    return math.fsum(pieces)


@pytest.mark.parametrize(
    ("far", "angle"), [(1.0, 1.0), (0.4, 0.3), (2.0, 1.4), (0.05, 1.0), (5.0, 0.9), (0.2, 2.0)]
)
def test_excess_is_the_integral(far: float, angle: float) -> None:
    v, w = np.array([far, 0.0]), 0.8 * far * np.array([math.cos(angle), math.sin(angle)])
    for one, other in ((v, w), (w, v)):
        gram = Gram(*(np.array([each]) for each in (one @ one, other @ other, one @ other)))
        for a, b in ((1.0, 0.0), (1.1, 0.3), (1.5, 2.0)):
            value = float(excess(gram, np.array([a]), np.array([b]))[0])
            assert value == pytest.approx(option(one, other, a, b), rel=1e-11, abs=1e-13)


def test_a_box_is_above_its_triangles() -> None:
    """As matrices: what is missing to the box's is positive semidefinite, or an inner product that
    is smaller; and so are its values."""
    rng = np.random.default_rng(3)
    shapes = InBall(0.8)
    for _ in range(300):
        low = rng.uniform(0, math.pi / 2, 2)
        high = np.minimum(low + 10 ** rng.uniform(-3, -0.1) * rng.uniform(0.3, 1, 2), math.pi / 2)
        angles = low + (high - low) * rng.uniform(size=(30, 2))
        angles = np.vstack([angles, low, high, [low[0], high[1]], [high[0], low[1]]])
        angles = angles[angles.sum(axis=1) >= math.pi / 2]
        if not angles.size:
            continue
        box = shapes.above(low[None], high[None])
        first, second = (4 * 0.64 * np.sin(angles) ** 2).T
        inner = -4 * 0.64 * np.sin(angles).prod(axis=1) * np.cos(angles.sum(axis=1))
        missing = np.maximum(box.inner - inner, 0.0)
        assert min((box.first - first).min(), (box.second - second).min()) >= -1e-15
        assert ((box.first - first) * (box.second - second) - missing**2).min() >= -1e-14
        each = np.ones(first.size)
        most = excess(Gram(first, second, inner), 1.2 * each, 0.4 * each).max()
        assert most <= excess(box, np.array([1.2]), np.array([0.4]))[0] * (1 + 1e-11) + 1e-14


def test_little_noise_is_refused_by_the_envelope() -> None:
    with pytest.raises(NumericalError, match="too small"):
        GaussianTriples(0.01, near=20.0, far=40.0).pair(1e-12)


def test_densities_that_no_float_holds_count_as_larger_than_any() -> None:
    """Far apart: where a·Y overflows the hinge is 0. X − b alone is above, and Y falls as well."""
    a = np.array([1.0, 1e30, 1e120])
    gram = Gram(*(np.full(3, each) for each in (700.0, 900.0, 750.0)))
    found = excess(gram, a, np.ones(3))
    alone = np.exp(gaussian_log_delta(math.sqrt(700.0), np.zeros(3)))
    assert (np.diff(found) <= 0).all()
    assert (found <= alone * (1 + 1e-9)).all()
    assert found[0] > 0.99


@pytest.mark.slow
def test_the_pair_is_one_of_laws() -> None:
    """Both have mass 1, the larger profile is ahead, and where both begin they meet."""
    for near, far, zero_out in ((1.0, 2.0, False), (0.2, 0.2, False), (0.5, 1.0, True)):
        pair = GaussianTriples(0.001, near=near, far=far, zero_out=zero_out).pair(1e-20)
        q = pair.masses * np.exp(-pair.losses)
        assert pair.masses.min() > 0
        assert pair.masses.sum() <= 1
        assert q.sum() == pytest.approx(pair.masses.sum(), rel=1e-12)
        for u in (0.0, 1e-5, 1e-4, 1e-3, 0.1):
            assert reverse_profile(pair, u) <= profile(pair, u) * (1 + 1e-9)
        assert reverse_profile(pair, 0.0) == pytest.approx(profile(pair, 0.0), rel=1e-9)


@pytest.mark.slow
def test_the_tail_that_is_left_out_is_given_away() -> None:
    triples = GaussianTriples(0.01, near=0.5, far=1.0)
    for wanted in (1e-12, 1e-40):
        pair = triples.pair(wanted)
        assert pair.infinite <= wanted
        u = float(pair.losses.max())
        assert profile(pair, u + 1.0) == pair.infinite


def test_hulls_are_on_their_side() -> None:
    rng = np.random.default_rng(3)
    a = np.cumsum(rng.uniform(0.1, 1.0, 30))
    values = np.exp(-a / 5) + 0.02 * rng.uniform(size=30)
    below, corner = convex_below(a, values)
    above = convex_above(a, values)
    assert (below <= values + 1e-15).all()
    assert (above >= values - 1e-15).all()
    for hull in (below, above):
        assert (np.diff(np.diff(hull) / np.diff(a)) >= -1e-12).all()
    assert below[corner] == values[corner]


def test_curves_that_are_no_pair_are_refused() -> None:
    u = np.linspace(0.0, 1.0, 5)
    steep = np.array([0.9, 0.2, 0.1, 0.05, 0.0])
    with pytest.raises(NumericalError, match="no pair"):
        Curves.through(u, steep, 2 * steep).pair()


def test_cells_of_a_triple_lose_little() -> None:
    """One step of an equilateral triangle, against the plane."""
    rate, far = 0.1, 1.0
    points = far * np.array([[0.0, math.sqrt(0.75)], [0.5, 0.0], [-0.5, 0.0]])
    loss = normal_triple(rate, *(tuple(each) for each in points.tolist()))
    p, q = normal_pair(rate, points, 1500)
    for u in (0.0, 0.05, 0.1):
        truth, value = hinge(p, q, u), float(loss.profile(np.array([u]))[0])
        assert 0.995 * truth < value < truth * (1 + 1e-4)


def test_three_answers_cost_what_their_laws_do() -> None:
    odds, rate, categories = 9.0, 0.2, 5
    truth, lie = odds / (odds + 4), 1 / (odds + 4)
    laws = np.full((3, categories), lie)
    laws[[0, 1, 2], [0, 1, 2]] = truth
    p, q = ((1 - rate) * laws[0] + rate * laws[i] for i in (1, 2))
    loss = three_answers(rate, math.log(odds), categories)
    for u in (0.0, 0.3, 0.9):
        assert float(loss.profile(np.array([u]))[0]) == pytest.approx(hinge(p, q, u), rel=1e-12)
    with pytest.raises(NumericalError):
        ManyLaws(rate, epsilon=1.0).pair(0.0)
