"""Outcomes added up one by one: few steps, few atoms, losses of thousands of nats.

Truths: enumeration of all outcomes in 60 digits, and convolution integrals in mpmath, of the
mechanisms with their parameters as floats.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence

import mpmath as mp
import pytest

import hockeystick as hs
from hockeystick import questions
from hockeystick.bound import Interval
from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.adding import route as adding
from hockeystick.routes.grid import route as lattice

Pair = list[tuple[mp.mpf, mp.mpf]]
"""P- and Q-mass of each outcome."""


def response(epsilon: float, categories: int = 2) -> Pair:
    """Randomized response: the two outcomes on which the records differ, and the others as one."""
    top = mp.exp(mp.mpf(epsilon))
    total = top + categories - 1
    pair = [(top / total, 1 / total), (1 / total, top / total)]
    rest = mp.mpf(categories - 2) / total
    return [*pair, (rest, rest)] if categories > 2 else pair


def sampled(pair: Pair, rate: float) -> Pair:
    q = mp.mpf(rate)
    return [((1 - q) * b + q * a, b) for a, b in pair]


def reverse(pair: Pair) -> Pair:
    return [(b, a) for a, b in pair]


def compositions(total: int, cells: int) -> list[tuple[int, ...]]:
    if cells == 1:
        return [(total,)]
    return [(i, *rest) for i in range(total + 1) for rest in compositions(total - i, cells - 1)]


def repeated(pair: Pair, count: int) -> Pair:
    found = []
    for counts in compositions(count, len(pair)):
        ways = mp.mpf(math.factorial(count))
        a = b = mp.mpf(1)
        for n, (p, q) in zip(counts, pair, strict=True):
            ways /= math.factorial(n)
            a, b = a * p**n, b * q**n
        found.append((ways * a, ways * b))
    return found


def product(parts: Sequence[Pair]) -> Pair:
    found: Pair = [(mp.mpf(1), mp.mpf(1))]
    for pair in parts:
        found = [(a * c, b * d) for (a, b), (c, d) in itertools.product(found, pair)]
    return found


def true_delta(pair: Pair, epsilon: mp.mpf) -> mp.mpf:
    grown = mp.exp(epsilon)
    return mp.fsum(max(a - grown * b, mp.mpf(0)) for a, b in pair)


def true_epsilon(pair: Pair, delta: mp.mpf) -> mp.mpf:
    """δ is linear in e^ε between the losses: the root in its stretch."""
    if true_delta(pair, mp.mpf(0)) <= delta:
        return mp.mpf(0)
    ordered = sorted(pair, key=lambda each: each[0] / each[1], reverse=True)
    p = q = mp.mpf(0)
    for a, b in ordered:
        if q and p - (a / b) * q > delta:
            break
        p, q = p + a, q + b
    return mp.log((p - delta) / q)


def worst(parts: Sequence[tuple[Pair, int]]) -> tuple[Pair, Pair]:
    forward = product([repeated(pair, count) for pair, count in parts])
    return forward, reverse(forward)


MIXED = [
    (
        hs.PureDP(1.1) * 3 + hs.PureDP(0.7).on(hs.Poisson(0.1)) * 2,
        [(1.1, 2, 1.0, 3), (0.7, 2, 0.1, 2)],
        1e-30,
    ),
    (
        hs.PureDP(3.0).on(hs.Poisson(0.02)) * 4 + hs.PureDP(2.3) * 3,
        [(3.0, 2, 0.02, 4), (2.3, 2, 1.0, 3)],
        1e-29,
    ),
    (
        hs.RandomizedResponse(1.1778251665448705, 3).on(hs.Poisson(0.000615617238167191)) * 11,
        [(1.1778251665448705, 3, 0.000615617238167191, 11)],
        1.1800347172952592e-29,
    ),
    (
        hs.PureDP(0.3).on(hs.Poisson(0.2)) * 20 + hs.PureDP(1.7).on(hs.Poisson(0.01)) * 12,
        [(0.3, 2, 0.2, 20), (1.7, 2, 0.01, 12)],
        1e-6,
    ),
]


def truth_of(parts: Sequence[tuple[float, int, float, int]]) -> tuple[Pair, Pair]:
    return worst([(sampled(response(e, k), rate), n) for e, k, rate, n in parts])


@pytest.mark.parametrize(("run", "parts", "delta"), MIXED, ids=range(len(MIXED)))
def test_mixed_atoms_are_exact_but_for_rounding(
    run: hs.Mechanism, parts: list[tuple[float, int, float, int]], delta: float
) -> None:
    with mp.workdps(60):
        truth = max(true_epsilon(each, mp.mpf(delta)) for each in truth_of(parts))
        bound = run.epsilon(delta)
        assert mp.mpf(bound.lower) <= truth <= mp.mpf(bound.upper)
        assert bound.upper - bound.lower <= 1e-12 * bound.upper


def test_delta_where_epsilon_is_next_to_a_sum_of_losses() -> None:
    run = hs.PureDP(0.5206539128000572).on(hs.Poisson(0.5002306703649229)) * 3
    epsilon = 0.881860543811439
    with mp.workdps(60):
        parts = [(0.5206539128000572, 2, 0.5002306703649229, 3)]
        truth = max(true_delta(each, mp.mpf(epsilon)) for each in truth_of(parts))
        bound = run.delta(epsilon)
        assert mp.mpf(bound.lower) <= truth <= mp.mpf(bound.upper)
        assert bound.upper < 1.001 * bound.lower


def both_ways(
    run: hs.Mechanism, route: Callable[[ComposedLoss, float], Interval], given: float
) -> Interval:
    sides, *_ = questions.dominating(questions.parts_of(run, hs.ADD_REMOVE))
    answers = [route(side, given) for side in sides]
    worst = max(answers, key=lambda each: each.upper)
    return worst._replace(lower=max(each.lower for each in answers))


@pytest.mark.parametrize("seed", range(25))
def test_random_atoms_at_their_kinks(seed: int) -> None:
    """δ at and next to the probabilities of the largest losses, ε next to their sums."""
    draw = random.Random(seed)
    parts = []
    run: hs.Mechanism | None = None
    for _ in range(draw.choice([1, 2, 2])):
        e, rate = draw.choice([0.01, 0.3, 1.0, 4.0]) * draw.uniform(0.5, 2), draw.uniform(1e-4, 1)
        k, n = draw.choice([2, 3, 5]), draw.randint(1, 5)
        parts.append((e, k, rate, n))
        step = hs.RandomizedResponse(e, k).on(hs.Poisson(rate)) * n
        run = step if run is None else run + step
    assert run is not None
    with mp.workdps(60):
        sides = truth_of(parts)
        outcomes = [each for side in sides for each in side]
        for _ in range(3):
            a, b = draw.choice(outcomes)
            nudge = 1 + draw.choice([0, 1e-15, -1e-15, 1e-12, 1e-6])
            delta = min(float(a) * nudge, 0.5)
            truth = max(true_epsilon(side, mp.mpf(delta)) for side in sides)
            bound = both_ways(run, adding.epsilon, delta)
            assert mp.mpf(bound.lower) <= truth <= mp.mpf(bound.upper), (run, delta)
            epsilon = abs(float(mp.log(a / b))) * nudge
            value = max(true_delta(side, mp.mpf(epsilon)) for side in sides)
            found = both_ways(run, adding.delta, epsilon)
            assert mp.mpf(found.lower) <= value <= mp.mpf(found.upper), (run, epsilon)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sigma", "rate", "delta", "truth"),
    [
        (0.02, 0.5, 1e-5, 2776.5518636),
        (0.03, 0.5, 1e-5, 1294.7053813),
        (0.1, 0.01, 1e-3, 61.35730850495),
    ],
)
def test_two_steps_of_little_noise(sigma: float, rate: float, delta: float, truth: float) -> None:
    """Truths: the integral over the first step of the δ of the second, q·h(log(1 + (e^x − 1)/q))
    with h the profile of the Gaussian (Balle, Barthe and Gaboardi 2018, Theorem 2), in mpmath."""
    bound = (hs.Gaussian(sigma).on(hs.Poisson(rate)) * 2).epsilon(delta)
    assert bound.lower <= truth <= bound.upper
    assert bound.lower >= (1 - 1e-5) * bound.upper


@pytest.mark.slow
def test_a_large_gaussian_and_a_small_laplace() -> None:
    bound = (hs.Gaussian(0.02) + hs.Laplace(1.0)).epsilon(1e-5)
    assert bound.lower <= 1462.6804257 <= bound.upper
    assert bound.lower >= (1 - 1e-5) * bound.upper


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run", "relation"),
    [
        (hs.Gaussian(0.02).on(hs.Poisson(0.01)) * 3, hs.REPLACE_ONE),
    ],
)
def test_few_steps_of_little_noise_are_finite_and_tight(
    run: hs.Mechanism, relation: hs.Relation | None
) -> None:
    bound = run.epsilon(1e-5, relation=relation)
    assert math.isfinite(bound.upper)
    assert bound.lower >= (1 - 1e-4) * bound.upper


@pytest.mark.slow
@pytest.mark.parametrize("rate", [1.0, 0.1])
def test_the_top_of_three_laplace_steps(rate: float) -> None:
    """P of all three at the top is at least 1e-4: a δ of 1e-20 is next to nothing of it."""
    top = 3 * math.log1p(rate * math.expm1(1.0))
    bound = (hs.Laplace(1.0).on(hs.Poisson(rate)) * 3).epsilon(1e-20)
    assert bound.lower <= top * (1 + 1e-15)
    assert bound.upper >= top * (1 - 1e-15)
    assert bound.upper - bound.lower <= 1e-12


def test_the_lattice_refuses_a_grid_finer_than_the_losses() -> None:
    run = hs.PureDP(1.1) * 3 + hs.PureDP(0.7).on(hs.Poisson(0.1)) * 2
    ((side, *_), *_) = questions.dominating(questions.parts_of(run, hs.ADD_REMOVE))
    with pytest.raises(hs.NumericalError, match="finer"):
        lattice.epsilon(side, 1e-30)
    answer = run.epsilon(1e-30, method="lattice")  # by adding up
    assert (answer.method, answer.lower <= answer.upper) == ("lattice", True)
    assert answer.upper == pytest.approx(run.epsilon(1e-30).upper, rel=1e-12)


@pytest.mark.slow
def test_rare_samples_no_longer_start_above_the_truth() -> None:
    """n times the δ of one step is an upper bound to first order: 1.00009 δ at ε = 0.5665."""
    loss = (
        (hs.Gaussian(0.5789242939561258).on(hs.Poisson(1.5087502876405753e-08)))
        .evidence(hs.ADD_REMOVE)
        .loss
    )
    side = ComposedLoss([(loss, 2823)])
    for route in (lattice, adding):
        bound = route.epsilon(side, 1.6882282114927842e-26)
        assert bound.lower <= 0.56651 <= bound.upper
    assert bound.lower >= 0.5655
    assert bound.upper <= 0.5675


def test_steps_next_to_a_kink_of_four_atoms() -> None:
    """Below a heavy atom δ is up to 1e12 times flatter on one side than on the other."""
    losses = [0.3445598614714595, 0.8482768802158338, 0.3643864933512841, -5.6610750515107e-07]
    log_p = [-21.126886279337327, -17.854189555037603, -13.216586179295252, -1.8384502658204837e-06]
    law = AtomicLoss(losses, [p - x for p, x in zip(log_p, losses, strict=True)])
    bound = adding.epsilon(ComposedLoss([(law, 3)]), 5.210552269193495e-22)
    assert bound.lower <= 1.6965531951890191 <= bound.upper
    assert bound.upper - bound.lower < 1e-9


@pytest.mark.parametrize(
    ("lower", "upper", "good"),
    [
        (0.8e-6, 1e-6, True),  # δ, to a fifth of itself
        (0.5e-6, 1e-6, False),
        (4.8, 5.0, True),
        (3.6, 5.0, False),
        (70_500.0, 100_000.0, False),  # 30 000 nats are not next to nothing
        (99_950.0, 100_000.0, True),
        (0.0, 0.0, True),
        (1.0, math.inf, False),
    ],
)
def test_what_is_good_enough_not_to_ask_another_route(
    lower: float, upper: float, good: bool
) -> None:
    assert adding.is_good(Interval(lower, upper, adding.NAME)) is good


@pytest.mark.slow
def test_a_rough_round_that_tells_nothing_is_not_the_last() -> None:
    """A million steps on samples of one: [0, 7.3] at first, and [2.8e-5, 5.2e-4] on a grid."""
    answer = (hs.Gaussian(1).on(hs.WithoutReplacement(1, 10**8)) * 10**6).epsilon(1e-6)
    assert 1.4e-4 < answer.lower <= 2.0497e-4
    assert 2.0522e-4 <= answer.upper < 2.09e-4
