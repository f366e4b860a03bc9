"""Rényi bounds for fixed-size samples: the formulas to 12 digits, and that they bound."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from itertools import product
from typing import TypeVar

import numpy as np
import pytest
from mpmath import mp, mpf

import hockeystick as hs
from hockeystick import classical
from hockeystick.classical import (
    amplified_epsilon,
    gaussian_log_moment,
    rdp_lower_bound,
    rdp_without_replacement,
    rdp_without_replacement_from_curve,
    rdp_without_replacement_self_consistent,
    sampled_output,
    without_replacement_samples,
)
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.numerics.types import Array
from tests.support.bases import gaussian, laplace, truthful

GAMMAS = (1e-6, 1e-3, 0.1, 0.5, 0.9)
ORDERS = (2, 3, 17, 64, 200, 512)


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    with mp.workdps(50):
        yield


def theorem_9(curve, gamma: float, order: int, pure: float) -> mpf:  # type: ignore[no-untyped-def]
    """The formula of the paper, term by term."""
    g, top = mpf(gamma), mp.expm1(mpf(pure)) if math.isfinite(pure) else mp.inf
    total = mpf(0)
    for j in range(2, order + 1):
        power = mp.exp((j - 1) * mpf(curve(float(j))))
        term = power * min(mpf(2), top**j)
        if j == 2:
            term = min(4 * (power - 1), term)
        total += g**j * mp.binomial(order, j) * term
    return mp.log1p(total) / (order - 1)


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("gamma", GAMMAS)
def test_theorem_9_to_twelve_digits(gamma: float, order: int) -> None:
    for base in (gaussian("5"), gaussian("0.7"), laplace("2"), laplace("0.3"), truthful("0.55")):
        value = rdp_without_replacement(base.curve, gamma, order, base.pure)
        exact = theorem_9(base.curve, gamma, order, base.pure)
        assert abs(value - exact) <= 2e-13 * exact


@pytest.mark.slow
def test_the_digits_survive_exponents_that_cancel() -> None:
    """(j − 1)·ε(j) and j·log γ are both near 7000 here, and their sum decides."""
    for level in np.linspace(12.9, 13.1, 9):

        def curve(order: float, level: float = float(level)) -> float:
            return level

        value = rdp_without_replacement(curve, 1e-6, 512)
        exact = theorem_9(curve, 1e-6, 512, math.inf)
        assert abs(value - exact) <= 1e-12 * exact


def test_between_integers_the_bound_is_a_chord() -> None:
    base = gaussian("2")
    at = partial(rdp_without_replacement, base.curve, 0.01)
    middle = (6 * at(7) + 7 * at(8)) / 2 / 6.5
    assert at(7.5) == pytest.approx(middle, rel=1e-14, abs=0)
    assert at(1.0) == at(1.5) == at(2)
    assert at(7.0) == at(7)


def test_arrays_in_arrays_out() -> None:
    base = gaussian("2")
    orders = np.array([[2.0, 3.5], [8.0, math.inf]])
    values = rdp_without_replacement(base.curve, 0.01, orders)
    assert values.shape == (2, 2)
    assert values[0, 1] == rdp_without_replacement(base.curve, 0.01, 3.5)
    assert isinstance(rdp_without_replacement(base.curve, 0.01, 3), float)


def test_the_ends() -> None:
    base = laplace("2")
    assert rdp_without_replacement(base.curve, 0, 8, base.pure) == 0
    assert rdp_without_replacement_self_consistent(base.curve, 0.0, 8) == 0
    assert rdp_without_replacement_from_curve(base.curve, 0.0, 8) == 0
    assert rdp_without_replacement(lambda order: 0.0, 0.5, 8) == pytest.approx(
        math.log1p(2 * sum(0.5**j * math.comb(8, j) for j in range(3, 9))) / 7
    )
    assert rdp_without_replacement(lambda order: 0.0, 0.5, 8, 0.0) == 0
    assert rdp_without_replacement(lambda order: math.inf, 0.5, 8) == math.inf
    assert rdp_without_replacement(base.curve, 0.25, math.inf, 0.5) == amplified_epsilon(0.5, 0.25)
    assert rdp_without_replacement(base.curve, 0.25, math.inf) == math.inf


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((lambda order: 1.0, 1.5, 2), "gamma must be in"),
        ((lambda order: 1.0, 0.5, 0.5), "order must be in"),
        ((lambda order: 1.0, 0.5, 2, -1.0), "pure_epsilon must be in"),
        ((lambda order: -1.0, 0.5, 2), "curve must have values"),
        ((lambda order: math.nan, 0.5, 2), "curve must have values"),
    ],
)
def test_bad_input(arguments, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ParameterError, match=message):
        rdp_without_replacement(*arguments)


Number = TypeVar("Number", float, Decimal)


def test_an_order_beyond_all_sums() -> None:
    with pytest.raises(NumericalError, match="order must be at most"):
        rdp_without_replacement(lambda order: 1.0, 0.5, 1e9)


@pytest.mark.slow
def test_theorem_19_from_an_exact_curve_has_all_digits() -> None:
    """A curve that computes in Decimal, against the moments of the pair."""
    moments = partial(gaussian_log_moment, shift=0.2)

    def even(j: int) -> float:
        return float(moments(j)) if j % 2 == 0 else (moments(j - 1) + moments(j + 1)) / 2

    def curve(order: Number) -> Number:
        return order / 50

    assert isinstance(curve(Decimal(3)), Decimal)
    for order in (3, 30, 200):
        for gamma in (1e-4, 0.3):
            exact = rdp_without_replacement_self_consistent(curve, gamma, order)
            pair = rdp_without_replacement_self_consistent(curve, gamma, order, log_moments=even)
            assert exact == pytest.approx(pair, rel=1e-12, abs=0)


# Bounds bound: small mechanisms, all of whose neighbouring data sets are tried. -----------------


def renyi(p: Array, q: Array, order: float) -> float:
    return float(np.log((p**order * q ** (1 - order)).sum()) / (order - 1))


def random_mechanism(rng: np.random.Generator, size: int) -> dict[tuple[str, ...], Array]:
    """Any law of four outcomes for each multiset of `size` records from a universe of three."""
    spread = rng.choice([0.3, 1.0, 3.0])
    table = {}
    for sample in product("abc", repeat=size):
        key = tuple(sorted(sample))
        if key not in table:
            weights = np.exp(spread * rng.normal(size=4))
            table[key] = weights / weights.sum()
    return table


def curve_of(table: dict[tuple[str, ...], Array]):  # type: ignore[no-untyped-def]
    """The largest divergence between samples that differ in one record."""
    pairs = [
        (p, q)
        for one, p in table.items()
        for other, q in table.items()
        if sum(abs(one.count(x) - other.count(x)) for x in "abc") == 2
    ]
    return lambda order: max(renyi(p, q, order) for p, q in pairs), max(
        float(np.log(p / q).max()) for p, q in pairs
    )


def read(
    table: dict[tuple[str, ...], Array], data: tuple[str, ...], places: tuple[int, ...]
) -> tuple[float, ...]:
    return tuple(table[tuple(sorted(data[i] for i in places))])


@pytest.mark.parametrize(("population", "size"), [(2, 1), (3, 1), (3, 2), (4, 2)])
def test_no_data_sets_exceed_the_bounds(population: int, size: int) -> None:
    rng = np.random.default_rng(population * 10 + size)
    gamma = size / population
    for _ in range(3):
        table = random_mechanism(rng, size)
        curve, pure = curve_of(table)
        worst = {2: 0.0, 5: 0.0}
        for rest in product("abc", repeat=population - 1):
            laws = []
            for record in "abc":
                data = (*rest, record)
                samples = without_replacement_samples(range(population), size)
                law = sampled_output(partial(read, table, data), samples)
                laws.append(np.array([float(x) for x in law]))
            for order in worst:
                worst[order] = max(worst[order], *(renyi(p, q, order) for p in laws for q in laws))
        for order, value in worst.items():
            assert 0 < value <= rdp_without_replacement(curve, gamma, order, pure) * (1 + 1e-12)
            better = rdp_without_replacement_from_curve(curve, gamma, order)
            assert value <= better * (1 + 1e-12)
            assert better <= curve(order) * (1 + 1e-12)


def counterexample() -> tuple[Array, Array, Array]:
    """Outputs y, y₁, y₂ on three records, for a sample of one: mutually adjacent, χ² about 0.01."""
    x, small = 0.01, 1e-8
    rare = small**2 / (0.75 * x)
    shift = math.sqrt(x / 4)
    laws = []
    for head, lean in (
        ((rare, rare), 0.0),
        ((small, small**1.5), shift),
        ((small**1.5, small), -shift),
    ):
        rest = 1 - sum(head)
        laws.append(np.array([*head, rest * (1 + lean) / 2, rest * (1 - lean) / 2]))
    return laws[0], laws[1], laws[2]


def test_factor_two_needs_a_dominating_pair() -> None:
    """With the curve alone the excess over 1 can be 2.4 times A − 1; 4 − 2γ always suffices."""
    y, y1, y2 = counterexample()
    gamma = 1e-9
    chi = max(float(((p - q) ** 2 / q).sum()) for p in (y, y1, y2) for q in (y, y1, y2))

    def curve(order: float) -> float:
        assert order == 2
        return math.log1p(chi)

    p, q = (1 - gamma) * y + gamma * y1, (1 - gamma) * y + gamma * y2
    truth = math.log1p(float((gamma**2 * (y1 - y2) ** 2 / q).sum()))
    assert p.sum() == pytest.approx(1)
    assert truth > 1.2 * rdp_without_replacement_from_curve(curve, gamma, 2, pair_dominates=True)
    assert truth <= rdp_without_replacement_from_curve(curve, gamma, 2)


def test_random_triples_stay_below() -> None:
    rng = np.random.default_rng(5)
    nearest = 0.0
    for _ in range(300):
        spread, gamma = rng.choice([0.2, 1.0, 4.0]), float(rng.choice([0.01, 0.3, 0.8]))
        laws = np.exp(spread * rng.normal(size=(3, 4)))
        y, y1, y2 = laws / laws.sum(axis=1, keepdims=True)

        def curve(order: float, all_=(y, y1, y2)) -> float:  # type: ignore[no-untyped-def]
            return max(0.0, *(renyi(p, q, order) for p in all_ for q in all_))

        order = int(rng.choice([2, 3, 7]))
        truth = renyi((1 - gamma) * y + gamma * y1, (1 - gamma) * y + gamma * y2, order)
        bound = rdp_without_replacement_from_curve(curve, gamma, order)
        assert truth <= bound * (1 + 1e-12) + 1e-14
        nearest = max(nearest, truth / bound)
    assert nearest > 0.5


@pytest.mark.parametrize("gamma", [0.01, 0.3, 0.9])
def test_a_dominating_pair_gives_factor_two(gamma: float) -> None:
    """Randomized response is dominated by its own pair: every triple of answers is bounded."""
    base = truthful("0.8")
    law = np.array([[0.8, 0.2], [0.2, 0.8]])
    for order in (2, 3, 9):
        bound = rdp_without_replacement_from_curve(base.curve, gamma, order, pair_dominates=True)
        worst = max(
            renyi((1 - gamma) * y + gamma * a, (1 - gamma) * y + gamma * b, order)
            for y in law
            for a in law
            for b in law
        )
        assert worst == pytest.approx(
            max(worst, rdp_lower_bound(base.curve, gamma, order)), rel=1e-12
        )
        assert worst <= bound * (1 + 1e-12) < 2.2 * worst
        consistent = rdp_without_replacement_self_consistent(
            base.curve, gamma, order, base.pure, base.log_moment
        )
        assert worst <= consistent * (1 + 1e-12)


@pytest.mark.parametrize("base", [hs.Laplace(2.0), hs.RandomizedResponse(0.3)], ids=repr)
def test_one_term_for_pure_dp_bounds_theorem_9(base: hs.Mechanism) -> None:
    def curve(order: float) -> float:
        return float(base.rdp(order, relation=hs.REPLACE_ONE))

    pure = curve(math.inf)
    for gamma in (0.001, 0.1):
        for order in (2, 3, 8, 50):
            looser = classical.rdp_without_replacement_pure(curve, gamma, order, pure)
            theorem = classical.rdp_without_replacement(curve, gamma, order, pure)
            exact = base.on(hs.WithoutReplacement(int(1000 * gamma), 1000)).rdp(order)
            assert exact <= looser
            assert min(theorem, math.log1p(gamma * math.expm1(pure))) <= looser * (1 + 1e-12)
