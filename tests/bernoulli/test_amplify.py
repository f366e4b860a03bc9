"""Both ends of `amplify`: against 40 digits, against brute force, and the laws they obey."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hockeystick.bernoulli import amplify, asymptote, worst_pair
from hockeystick.errors import ParameterError
from tests.oracles import bernoulli as oracle

orders = st.floats(-4, 5).map(lambda x: 1 + math.exp(x))
epsilons = st.floats(-4, 3).map(math.exp)
clippings = st.floats(0.002, 0.49)
dimensions = st.integers(1, 6)


@pytest.mark.parametrize(
    ("order", "values"),
    [
        (2, (0.66906654, 0.83893503, 0.91697384, 0.95534177)),
        (20, (0.76823783, 0.96006230, 0.98035701, 0.98956487)),
    ],
)
def test_reference_values(order: float, values: tuple[float, ...]) -> None:
    for n, value in enumerate(values, 1):
        answer = amplify(1.0, order, 0.1, n)
        assert answer.lower == pytest.approx(value, abs=5.1e-9)
        assert answer.upper == pytest.approx(value, abs=6e-9)
        assert answer.method == "certificate"
        assert answer.certified


@pytest.mark.parametrize(
    ("epsilon", "order", "c", "d", "k"),
    [
        (2.0, 50, 0.1, 1, 2),
        (0.3, 1.5, 0.3, 2, 2),
        (5.0, 50, 0.1, 1, 1),
        (1e-6, 7, 0.2, 3, 1),
        (30.0, 3, 0.01, 2, 1),
        (0.7, 1000, 0.1, 2, 1),
        (12.0, 1.01, 0.05, 1, 3),
        (1.0, 300.5, 0.49, 1, 6),
    ],
)
def test_both_ends_against_forty_digits(
    epsilon: float, order: float, c: float, d: int, k: int
) -> None:
    answer = amplify(epsilon, order, c, d, k)
    value = float(oracle.symmetric(epsilon, order, c, d, k))
    assert answer.lower <= value <= answer.upper
    assert answer.lower == pytest.approx(value, rel=1e-11)
    assert answer.upper == pytest.approx(value, rel=1.01e-3 if epsilon < 1e-5 else 1.1e-9)


@pytest.mark.parametrize(
    ("epsilon", "order", "c", "k"), [(1.0, 2, 0.1, 1), (2.0, 10, 0.2, 3), (0.4, 1.3, 0.05, 2)]
)
def test_no_pair_on_a_grid_is_worse(epsilon: float, order: float, c: float, k: int) -> None:
    """d = 1: all pairs of laws on {c, 1−c}, 400 × 400 of them."""
    x, y = np.meshgrid(*2 * [np.linspace(0.0005, 0.9995, 400)])

    def divergence(p: list[np.ndarray], q: list[np.ndarray]) -> np.ndarray:
        return np.log(sum(u**order * v ** (1 - order) for u, v in zip(p, q, strict=True))) / (
            order - 1
        )

    there, back = divergence([x, 1 - x], [y, 1 - y]), divergence([y, 1 - y], [x, 1 - x])
    ways = [math.comb(k, j) * (1 - c) ** j * c ** (k - j) for j in range(k + 1)]
    coins = [[t * u + (1 - t) * v for u, v in zip(ways, ways[::-1], strict=True)] for t in (x, y)]
    seen = divergence(*coins)[(there <= epsilon) & (back <= epsilon)]
    answer = amplify(epsilon, order, c, samples=k)
    assert answer.lower * 0.97 < seen.max() <= answer.upper


@pytest.mark.slow
@settings(max_examples=40)
@given(st.floats(-6, 5).map(math.exp), orders, clippings, st.integers(1, 3))
def test_random_parameters_against_forty_digits(
    epsilon: float, order: float, c: float, k: int
) -> None:
    answer = amplify(epsilon, order, c, samples=k, close=1e-4)
    value = float(oracle.symmetric(epsilon, order, c, 1, k))
    assert answer.lower <= value <= answer.upper
    assert answer.lower == pytest.approx(value, rel=1e-10)


@pytest.mark.slow
@settings(max_examples=40)
@given(epsilons, orders, clippings, dimensions)
def test_within_what_is_known_without_it(epsilon: float, order: float, c: float, d: int) -> None:
    answer = amplify(epsilon, order, c, d, close=1e-6)
    assert 0 < answer.lower <= answer.upper <= min(epsilon, asymptote(order, c, d) * (1 + 1e-13))


@pytest.mark.slow
@settings(max_examples=8)
@given(epsilons, orders, clippings)
def test_monotone(epsilon: float, order: float, c: float) -> None:
    """Upper ends may differ by how far they are from the truth, lower ends by rounding."""
    for grow in (
        [(epsilon, c, n) for n in (1, 2, 5)],
        [(epsilon * t, c, 2) for t in (1, 1.5, 4)],
        [(epsilon, c + t * (0.5 - c), 2) for t in (0.6, 0.3, 0.0)],
    ):
        answers = [amplify(e, order, clip, n, close=1e-6) for e, clip, n in grow]
        for one, other in pairwise(answers):
            assert one.lower <= other.lower * (1 + 1e-9)
            assert one.lower <= other.upper


def test_only_the_number_of_coins_counts() -> None:
    assert amplify(1.0, 3, 0.1, 6, 1).upper == amplify(1.0, 3, 0.1, 2, 3).upper


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ((0.0, 2, 0.1), 0.0),
        ((3.0, 2, 0.0), 3.0),
        ((3.0, 2, 0.5), 0.0),
        ((math.inf, 2, 0.1, 3), 3 * math.log(0.01 / 0.9 + 0.81 / 0.1)),
        ((1.0, math.inf, 0.1), math.log((1 + math.exp(-1) / 9) / (1 / 9 + math.exp(-1)))),
        ((1.0, math.inf, 0.1, 10**6), 1.0),
        ((math.inf, math.inf, 0.1, 2), 2 * math.log(9)),
        ((1e9, 1000, 0.1, 2), 2 * (math.log(9) + math.log(0.9) / 999)),
    ],
)
def test_extremes(arguments: tuple[float, ...], value: float) -> None:
    answer = amplify(*arguments)  # type: ignore[arg-type]
    assert answer.lower == pytest.approx(value, rel=2e-11)
    assert answer.upper == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("order", [2, 50, 1000])
def test_a_million_coins(order: float) -> None:
    answer = amplify(1.0, order, 0.4, 1000, 1000)
    assert answer.lower == pytest.approx(1.0, abs=2e-9)
    assert answer.upper == 1.0


def test_many_coins_by_fewer_outcomes() -> None:
    """1000 coins that are nearly fair: merged outcomes cost little."""
    answer = amplify(1.0, 5, 0.49, 1000)
    assert answer.method == "certificate"
    assert 0.538553062 < answer.lower <= answer.upper < answer.lower + 1e-7


def test_orders_to_infinity() -> None:
    """The order grows, and the answer tends to that of order infinity from below."""
    limit = amplify(2.0, math.inf, 0.1, 2)
    values = [amplify(2.0, order, 0.1, 2) for order in (10, 1000, 1e5)]
    assert values[0] < values[1] < values[2] < limit < values[2] + 1e-3


@pytest.mark.parametrize("order", [1.0000001, 2, 1e13, 2.0**60])
@pytest.mark.parametrize("epsilon", [5e-324, 1e-200, 1e-9, 1.0, 680.0, 1e300])
def test_no_parameters_are_too_extreme(epsilon: float, order: float) -> None:
    answer = amplify(epsilon, order, 0.2, 2, close=1e-2)
    assert 0 <= answer.lower <= answer.upper <= epsilon
    assert answer.upper <= asymptote(order, 0.2, 2) * (1 + 1e-6)


def test_the_pair_given_back_is_feasible_and_attains_the_lower_end() -> None:
    pair = worst_pair(1.5, 7, 0.2, dimension=2)
    p = pair.probability
    there = oracle.renyi([p, 1 - p], [1 - p, p], 7)
    assert float(there) == pytest.approx(1.5, rel=1e-13)
    corners = [pair.first, pair.second]
    laws = [oracle.coin_law(corners, weights, 2) for weights in ([p, 1 - p], [1 - p, p])]
    seen = oracle.renyi(laws[0], laws[1], 7)
    assert amplify(1.5, 7, 0.2, 2, 2).lower == pytest.approx(float(seen), rel=1e-11)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1.0, 2, 0.1), "epsilon must be in"),
        ((math.nan, 2, 0.1), "epsilon must be in"),
        ((1.0, 1, 0.1), "order must be in"),
        ((1.0, 2, 0.6), "c must be in"),
        ((1.0, 2, math.nan), "c must be in"),
        ((1.0, 2, 0.1, 0), "dimension must be an integer >= 1"),
        ((1.0, 2, 0.1, 1, 1.5), "samples must be an integer >= 1"),
    ],
)
def test_refusals(arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        amplify(*arguments)  # type: ignore[arg-type]
