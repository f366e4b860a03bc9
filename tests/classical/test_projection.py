"""Proposition 24: between a true K and a bound of it, convex, and the largest of that kind."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockeystick.classical import get_epsilon, project_cgf, project_points
from hockeystick.classical.moments_accountant import Cgf
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.numerics.types import Array
from tests.support.bases import Base, gaussian, laplace, truthful

GRID = np.round(2.0 ** np.arange(-3, 8, 0.125), 6)
BETWEEN = np.linspace(0.01, float(GRID[-1]), 300)


def of_base(base: Base, count: int) -> Cgf:
    return lambda x: count * x * base.curve(1 + x)


def sampled_response(x: float) -> float:
    """A hundred true or false answers on 1 % of the data, as the record is removed."""
    pairs = ((0.9, 0.1), (0.1, 0.9))
    moment = sum(q * math.expm1((x + 1) * math.log1p(0.01 * (p / q - 1))) for p, q in pairs)
    return 100 * math.log1p(moment)


TRUE = {
    "gaussian": of_base(gaussian("3"), 5),
    "laplace": of_base(laplace("2"), 5),
    "response": of_base(truthful("0.8"), 1),
    "sampled": sampled_response,
}


def assert_shape(projected: Cgf, where: Array, slack: float) -> None:
    """Through the origin, convex, and λ to F(λ)/λ increasing."""
    values = np.array([projected(x) for x in where])
    slopes = np.diff(np.append(0.0, values)) / np.diff(np.append(0.0, where))
    assert projected(0.0) == 0
    assert (np.diff(slopes) >= -slack * slopes[1:]).all()
    assert (np.diff(values / where) >= -slack * values[1:] / where[1:]).all()


@pytest.mark.parametrize("name", TRUE)
@pytest.mark.parametrize("noise", [1e-9, 0.02, 3.0])
def test_a_noisy_bound_on_a_grid(name: str, noise: float) -> None:
    true, rng = TRUE[name], np.random.default_rng(1)
    bounds = np.array([true(x) for x in GRID]) * (1 + noise * rng.random(GRID.size))
    projected = project_points(GRID, bounds)
    on_grid = np.array([projected(x) for x in GRID])
    assert (on_grid <= bounds).all()
    assert (on_grid < bounds).any() or noise < 0.01
    for x in (*GRID, *BETWEEN):
        assert projected(x) >= true(x)
    assert_shape(projected, GRID, 1e-10)


def test_a_largest_loss_helps_and_is_safe() -> None:
    base, rng = laplace("2"), np.random.default_rng(2)
    true = of_base(base, 5)
    bounds = np.array([true(x) for x in GRID]) * (1 + 0.5 * rng.random(GRID.size))
    plain = project_points(GRID, bounds)
    limited = project_points(GRID, bounds, largest_loss=5 * base.pure)
    for x in (*GRID, *BETWEEN, 1e3, 1e6):
        assert true(x) <= limited(x) <= plain(x) * (1 + 1e-14)
    assert limited(100.0) < 0.999 * plain(100.0)
    assert limited(1e6) < 1.01 * true(1e6)
    assert_shape(limited, GRID, 1e-10)


@pytest.mark.parametrize("name", TRUE)
def test_a_noisy_bound_as_a_function(name: str) -> None:
    """Bumps of many sizes on a true K: never above the bound, never below K, anywhere."""
    true = TRUE[name]

    def bumpy(x: float) -> float:
        return true(x) * (1 + 0.1 * (1 + math.sin(9 * math.log(x))))

    projected = project_cgf(bumpy, GRID)
    for x in BETWEEN:
        assert true(x) <= projected(x) <= bumpy(x)
    assert min(projected(x) / bumpy(x) for x in BETWEEN) < 0.95
    assert_shape(projected, BETWEEN, 1e-7)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=9), st.sampled_from([math.inf, 3.0, 20.0]))
def test_the_largest_of_its_kind(bounds: list[float], steepest: float) -> None:
    """Against all chords between two points, and all rays of the steepest slope from one."""
    points = [(0.0, 0.0), *((float(x), y) for x, y in enumerate(bounds, start=1))]
    projected = project_points([x for x, _ in points[1:]], bounds, largest_loss=steepest)
    for x in np.linspace(0.25, len(bounds) + 2, 30).tolist():
        above = [y for at, y in points if at == x]
        above += [y + steepest * (x - at) for at, y in points if at < x]
        above += [
            (y * (b - x) + z * (x - a)) / (b - a)
            for (a, y), (b, z) in combinations(points, 2)
            if a <= x <= b
        ]
        if steepest == math.inf:
            assert projected(x) == pytest.approx(min(above), rel=1e-12, abs=1e-12)
        else:  # a chord from a point to a ray is one more way
            rays = [
                ((y + steepest * (b - at)) * (x - a) + z * (b - x)) / (b - a)
                for at, y in points
                for a, z in points
                for b in (x + 1, x + 50)
                if a <= x and at <= b
            ]
            assert projected(x) == pytest.approx(min(above + rays), rel=1e-12, abs=1e-12)


def test_a_true_cgf_stays() -> None:
    for true in TRUE.values():
        on_grid = project_points(GRID, [true(x) for x in GRID])
        for x in GRID:
            assert on_grid(x) == pytest.approx(true(x), rel=1e-12, abs=0)
    square = project_cgf(lambda x: x * (x + 1), GRID)
    assert [square(x) for x in (0.1, 0.7, 99.0)] == [0.1 * 1.1, 0.7 * 1.7, 99.0 * 100]
    twice = project_points([1, 2, 3], [1.0, 3.0, 3.5])
    again = project_points([1, 2, 3], [twice(x) for x in (1, 2, 3)])
    assert [again(x) for x in (1, 2, 3, 1.5)] == [twice(x) for x in (1, 2, 3, 1.5)]


def test_beyond_what_is_known() -> None:
    assert project_points([1, 2], [1.0, 4.0])(2.5) == math.inf
    limited = project_points([1, 2], [1.0, 4.0], largest_loss=2.0)
    assert limited(2) == limited(2.0) == pytest.approx(3.0, rel=1e-14, abs=0)
    assert limited(10) == pytest.approx(19.0, rel=1e-14, abs=0)
    assert project_points([], [], largest_loss=0.5)(4) == pytest.approx(2.0, rel=1e-14, abs=0)
    some = project_points([1, 2, 2, 3], [math.inf, 4.0, 5.0, math.inf])
    assert some(1) == pytest.approx(2.0, rel=1e-14, abs=0)
    assert some(2) == 4
    assert some(3) == math.inf


def test_a_function_that_is_not_known_everywhere() -> None:
    def partly(x: float) -> float:
        if 3 < x < 5 or x > 8:
            raise NumericalError("unknown")
        return x * x

    projected = project_cgf(partly, range(1, 12))
    assert projected(4.0) == pytest.approx(17.0, rel=1e-6, abs=0)  # a chord from 3 to 5
    assert projected(8.0) == 64
    assert projected(8.5) == math.inf


def test_the_search_no_longer_gets_stuck() -> None:
    """Two valleys in (K̄ + log(1/δ))/λ: the search ends in the nearer one, on F[K̄] in the lower."""

    def bound(x: float) -> float:
        return 0.01 * x * (x + 1) + (40.0 if 2 < x < 20 else 0.0)

    best = min((bound(x) + math.log(1e5)) / x for x in np.linspace(0.1, 100, 9991).tolist())
    assert get_epsilon(bound, 1e-5) > 5 * best
    projected = project_cgf(bound, 2.0 ** np.arange(-4, 10, 0.125))
    assert get_epsilon(projected, 1e-5) == pytest.approx(best, rel=1e-6, abs=0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: project_points([1, 2], [1.0]), "two lists of the same length"),
        (lambda: project_points([0.0], [1.0]), "lambda must be in"),
        (lambda: project_points([math.inf], [1.0]), "lambda must be in"),
        (lambda: project_points([1.0], [-1.0]), "bound must be in"),
        (lambda: project_points([1.0], [math.nan]), "bound must be in"),
        (lambda: project_points([1.0], [1.0], largest_loss=-1.0), "largest_loss must be in"),
        (lambda: project_points([1.0], [1.0])(-1.0), "lambda must be in"),
        (lambda: project_cgf(lambda x: -x, [1.0]), "cgf must be in"),
        (lambda: project_cgf(lambda x: x, []), "at least one"),
    ],
)
def test_bad_input(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ParameterError, match=message):
        call()
