"""Filters are valid when spending depends on earlier answers, and tight as they can be."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

import hockeystick as hs
from hockeystick.ledger import filters
from hockeystick.ledger.amounts import Cost, added
from hockeystick.ledger.filters import Spending

EPSILON, DELTA = Fraction(3), Fraction(1, 10**6)


def spending(mechanism: hs.Mechanism) -> Spending:
    return Spending(repr(mechanism), mechanism, hs.ADD_REMOVE)


def passes(rule: filters.Filter, *mechanisms: hs.Mechanism) -> bool:
    total: Cost = (Fraction(0),) * len(rule.limits)
    for mechanism in mechanisms:
        total = added(total, rule.cost(spending(mechanism)))
    return rule.accepts(total)


def test_gaussians_are_as_tight_as_the_exact_total() -> None:
    rule = filters.gaussian_only(EPSILON, DELTA)
    cost = rule.cost(spending(hs.Gaussian(10.0)))
    assert [float(each) for each in cost] == pytest.approx([0.01], rel=1e-12)
    times = int(rule.times((Fraction(0),), cost))
    assert (hs.Gaussian(10.0) * times).epsilon(1e-6).upper <= 3
    assert (hs.Gaussian(10.0) * (times + 1)).epsilon(1e-6).lower > 3
    with pytest.raises(hs.ParameterError, match="Gaussian noise without sampling alone"):
        rule.cost(spending(hs.Laplace(10.0)))


@pytest.mark.parametrize(
    "mechanism",
    [hs.Gaussian(10.0), hs.Laplace(10.0), hs.Gaussian(2.0).on(hs.Poisson(0.01)) * 100],
    ids=repr,
)
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(10)])
def test_renyi_orders_allow_no_more_than_the_exact_total_and_most_of_it(
    mechanism: hs.Mechanism, epsilon: Fraction
) -> None:
    rule = filters.renyi_orders(epsilon, DELTA)
    cost = rule.cost(spending(mechanism))
    times = int(rule.times((Fraction(0),) * len(rule.limits), cost))
    most = hs.Accountant(hs.ADD_REMOVE, budget=(float(epsilon), 1e-6)).steps_left(mechanism)
    assert 0.55 * most - 1 <= times <= most


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(50)])
@pytest.mark.parametrize("delta", [Fraction(1, 10**5), Fraction(1, 10**9), Fraction(1, 10**60)])
def test_the_limits_of_the_orders_give_the_budget_with_their_share_of_delta(
    epsilon: Fraction, delta: Fraction
) -> None:
    """By the library's conversion of a curve of one point, which is another formula: the best
    there is, up to the accuracy of its search."""
    rule = filters.renyi_orders(epsilon, delta)
    share = float(delta) / len(rule.orders)
    for order, limit in zip(rule.orders, rule.limits, strict=True):
        got = hs.RenyiDP({float(order): float(limit)}).epsilon(share, relation=hs.ADD_REMOVE)
        assert 0.75 * epsilon <= got.upper <= float(epsilon) * (1 + 1e-6)


def test_a_rule_is_what_it_wrote() -> None:
    plan = hs.Gaussian(10.0) * 3 + hs.Laplace(5.0)
    for rule in (
        filters.basic(EPSILON, DELTA),
        filters.gaussian_only(EPSILON, DELTA),
        filters.renyi_orders(EPSILON, DELTA),
        filters.planned(EPSILON, DELTA, plan, hs.ADD_REMOVE),
    ):
        assert filters.read(rule.to_json()) == rule
    assert filters.chosen("auto", EPSILON, Fraction(0)).name == "basic"
    assert filters.chosen("auto", EPSILON, DELTA).name == "renyi"


def test_the_adaptive_counterexample_is_refused() -> None:
    """After one answer of randomized response, run A or B by what it said.

    Each of the two compositions is (ε, δ)-DP, so an exact total lets both pass. Chosen by the
    answer they are not: δ(ε) is (2 − p)·δ, since A adds δ where the answer was 1 (probability p)
    and B gives everything away with probability δ where it was 0.
    """
    first, delta = 1.0, 1e-3
    p = math.e / (1 + math.e)
    epsilon = 2.0
    answer = hs.PureDP(first)
    # A: δ_A(ε − ε1) = δ/p and nothing beyond ε + ε1; B: everything with probability δ.
    a, b = hs.ApproximateDP(epsilon - first, delta / p), hs.ApproximateDP(0.0, delta)
    worst = p * (delta / p) + (1 - p) * delta
    assert worst == pytest.approx((2 - p) * delta)
    assert worst > 1.26 * delta
    exact = (answer + b).delta(epsilon, relation=hs.ADD_REMOVE)
    assert exact.upper <= delta * (1 + 1e-9)
    budget = Fraction(epsilon), Fraction(delta)
    for name in ("auto", "basic"):
        rule = filters.chosen(name, *budget)
        assert not (passes(rule, answer, a) and passes(rule, answer, b)), name
