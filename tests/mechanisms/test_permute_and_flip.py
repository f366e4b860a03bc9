"""Permute-and-flip against the law of the real mechanism, by all orders of its candidates."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hockeystick as hs


def law(scores: Sequence[float], epsilon: float) -> list[float]:
    """The probability of each candidate, utilities being of sensitivity 1, order by order."""
    coins = [math.exp(epsilon / 2 * (score - max(scores))) for score in scores]
    chosen = [0.0] * len(scores)
    orders = list(itertools.permutations(range(len(scores))))
    for order in orders:
        left = 1 / len(orders)
        for candidate in order:
            chosen[candidate] += left * coins[candidate]
            left *= 1 - coins[candidate]
    return chosen


def hockey_stick(p: Sequence[float], q: Sequence[float], epsilon: float) -> float:
    """δ(ε) of one finite law against another."""
    return sum(max(a - math.exp(epsilon) * b, 0.0) for a, b in zip(p, q, strict=True))


def twice(p: Sequence[float]) -> list[float]:
    return [a * b for a in p for b in p]


changes = st.lists(
    st.tuples(st.floats(-4, 4), st.floats(-1, 1) | st.sampled_from([-1.0, 1.0])),
    min_size=2,
    max_size=5,
)


@given(changes, st.floats(0.05, 4.0), st.floats(0.0, 1.0))
def test_no_change_of_scores_costs_more(
    scores: list[tuple[float, float]], epsilon: float, part: float
) -> None:
    before = law([score for score, _ in scores], epsilon)
    after = law([score + move for score, move in scores], epsilon)
    at = part * epsilon
    mechanism = hs.PermuteAndFlip(epsilon)
    assert hockey_stick(before, after, at) <= mechanism.delta(at) + 1e-15


@pytest.mark.slow
@settings(max_examples=8)
@given(changes, st.floats(0.05, 4.0))
def test_nor_does_it_twice(scores: list[tuple[float, float]], epsilon: float) -> None:
    before = law([score for score, _ in scores], epsilon)
    after = law([score + move for score, move in scores], epsilon)
    truth = hockey_stick(twice(before), twice(after), epsilon)
    assert truth <= (hs.PermuteAndFlip(epsilon) * 2).delta(epsilon) + 1e-15


@given(changes, st.floats(0.05, 4.0), st.floats(0.0, 1.0))
def test_scores_that_move_one_way_need_half_the_noise(
    scores: list[tuple[float, float]], epsilon: float, part: float
) -> None:
    before = law([score for score, _ in scores], 2 * epsilon)
    after = law([score + abs(move) for score, move in scores], 2 * epsilon)
    at = part * epsilon
    for one, other in ((before, after), (after, before)):
        assert hockey_stick(one, other, at) <= hs.PermuteAndFlip(epsilon).delta(at) + 1e-15


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("part", [0.0, 0.3, 0.9])
def test_two_candidates_attain_each_point(epsilon: float, part: float) -> None:
    # Chosen with probability e^{−m}/2 before and 1 − e^{m−ε}/2 after, at best with m = (ε + x)/2.
    at = part * epsilon
    gap = (epsilon + at) / epsilon  # of utilities, which then move by 1 each
    q, p = law([0.0, gap], epsilon), law([1.0, gap - 1.0], epsilon)
    truth = hockey_stick(p, q, at)
    answer = hs.PermuteAndFlip(epsilon).delta(at)
    assert answer.lower <= truth * (1 + 1e-14)
    assert answer.upper >= truth * (1 - 1e-14)
    assert answer.upper == pytest.approx(truth, rel=1e-12)
    assert answer.upper == pytest.approx(-math.expm1((at - epsilon) / 2), rel=1e-12)


def test_it_is_not_of_bounded_range() -> None:
    p, q = law([0.0, 0.0], 1.0), law([1.0, -1.0], 1.0)
    losses = [math.log(a / b) for a, b in zip(p, q, strict=True)]
    assert max(losses) - min(losses) == pytest.approx(1 + math.log(2 - math.exp(-1)), rel=1e-12)
    assert hockey_stick(p, q, 0.5) == pytest.approx(0.1967, abs=5e-5)
    assert hs.ExponentialMechanism(1.0).delta(0.5) < 0.1967 < hs.PermuteAndFlip(1.0).delta(0.5)


@pytest.mark.parametrize(
    "epsilon", [0.2, *(pytest.param(e, marks=pytest.mark.slow) for e in (1.0, 3.0))]
)
def test_the_lower_end_is_a_pair_of_score_vectors(epsilon: float) -> None:
    q, p = law([0.0, 1.0], epsilon), law([1.0, 0.0], epsilon)
    mechanism = hs.PermuteAndFlip(epsilon)
    for at in (0.0, 0.5 * epsilon, 1.2 * epsilon):
        truth = hockey_stick(twice(p), twice(q), at)
        assert (mechanism * 2).delta(at).lower == pytest.approx(truth, rel=1e-9, abs=1e-12)
    order = 3.0
    truth = math.log(sum(a**order / b ** (order - 1) for a, b in zip(p, q, strict=True))) / 2
    for run in (mechanism, mechanism.on(hs.EveryRecord())):
        assert run.rdp(order).lower == pytest.approx(truth, rel=1e-9)
        assert run.rdp(order).upper > truth


@pytest.mark.parametrize("epsilon", [0.0, math.inf])
def test_extremes(epsilon: float) -> None:
    assert hs.PermuteAndFlip(epsilon).epsilon(0.1) == epsilon
    assert (hs.PermuteAndFlip(epsilon) * 3).epsilon(0.1) == epsilon


def test_a_group_moves_scores_further() -> None:
    assert hs.PermuteAndFlip(0.5).group(3) == hs.PermuteAndFlip(1.5)
    assert hs.parse("PermuteAndFlip(0.5) * 2") == hs.PermuteAndFlip(0.5) * 2


@pytest.mark.parametrize("value", [math.nan, -0.1, True, "1"])
def test_bad_parameters_are_named(value: float) -> None:
    with pytest.raises(hs.ParameterError, match="epsilon must be"):
        hs.PermuteAndFlip(value)


@pytest.mark.parametrize("kind", [hs.ExponentialMechanism, hs.PermuteAndFlip])
@pytest.mark.parametrize("relation", list(hs.Relation), ids=repr)
def test_sampled_divergences_are_not_all_attained_by_one_pair(
    kind: type[hs.Mechanism], relation: hs.Relation
) -> None:
    # At order 2 sampling at rate q makes D of log1p(q²·expm1(D)), so no pair can exceed the largest
    # D over the class, here over two candidates at every distance.
    epsilon, rate = 1.0, 0.1
    if kind is hs.ExponentialMechanism:
        pairs = [_bounded_range(epsilon, t / 200) for t in range(1, 200)]
    else:
        pairs = [
            (law([1.0, gap - 1.0], epsilon), law([0.0, gap], epsilon))
            for gap in (i / 50 for i in range(-100, 200))
        ]
    squares = [sum(a * a / b for a, b in zip(p, q, strict=True)) - 1 for p, q in pairs]
    truth = math.log1p(rate**2 * max(squares))
    answer = kind(epsilon).on(hs.Poisson(rate)).rdp(2.0, relation=relation)  # type: ignore[call-arg]
    assert 0.3 * truth < answer.lower <= truth * (1 + 1e-12)
    assert answer.upper >= truth


def _bounded_range(epsilon: float, t: float) -> tuple[list[float], list[float]]:
    """The two laws with losses t and t − ε."""
    p = math.expm1(t - epsilon) / math.expm1(-epsilon)
    return [p, 1 - p], [p * math.exp(-t), (1 - p) * math.exp(epsilon - t)]
