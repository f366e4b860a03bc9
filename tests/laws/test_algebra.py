"""Mechanisms compose like a multiset, and text is another form of the same value."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hockeystick as hs
from tests.laws import mechanisms as the
from tests.laws.fields import drawable, drawn_from_fields

Kind = type[hs.Mechanism]
every = the.each(the.ALL)
priced = the.each(the.ALL, slow=the.HEAVY)


DECLARED = [kind for kind in the.ALL if drawable(kind)]


def test_most_mechanisms_need_no_strategy_of_their_own() -> None:
    """What an entry in tests/laws/mechanisms.py is for: arguments that are no declared numbers."""
    assert {hs.Gaussian, hs.DiscreteLaplace, hs.RandomizedResponse, hs.PureDP} <= set(DECLARED)
    assert set(the.STRATEGIES) | set(DECLARED) == set(the.ALL)


def test_which_are_known_by_their_curve_alone() -> None:
    """None of those that have an entry, which a new one need not, has lost its loss."""
    assert the.BY_CURVE & set(the.STRATEGIES) == {
        hs.ExponentialFamily,
        hs.RenyiDP,
        hs.TruncatedConcentratedDP,
        hs.ZeroConcentratedDP,
    }


@the.each(DECLARED)
@given(data=st.data())
@settings(max_examples=20)
def test_any_fields_in_their_domains_make_a_mechanism(kind: Kind, data: st.DataObject) -> None:
    mechanism = data.draw(drawn_from_fields(kind))
    assert type(mechanism) is kind
    assert hs.parse(repr(mechanism)) == mechanism
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism == copy.deepcopy(mechanism)


def sampled(kind: Kind) -> st.SearchStrategy[hs.Mechanism]:
    return the.of(kind) if kind in the.BY_CURVE else the.sampled(kind)


@the.each(the.ALL, slow={hs.ProfileDP})
@given(data=st.data())
@settings(max_examples=20)
def test_has_a_loss_unless_known_by_its_curve_alone(kind: Kind, data: st.DataObject) -> None:
    mechanism = data.draw(the.of(kind))
    assert (not mechanism.evidence(hs.ADD_REMOVE).pairs) == (kind in the.BY_CURVE)


@every
@given(data=st.data(), count=st.integers(1, 6))
@settings(max_examples=20)
def test_times_is_repeated_addition(kind: Kind, data: st.DataObject, count: int) -> None:
    mechanism = data.draw(sampled(kind))
    added = sum([mechanism] * count)
    assert mechanism * count == count * mechanism == added
    assert hash(mechanism * count) == hash(added)
    assert (mechanism * count).parts == {mechanism: count}
    assert mechanism * count * 3 == mechanism * (3 * count)


@pytest.mark.slow
@priced
@given(data=st.data())
@settings(max_examples=2)
def test_times_costs_what_repeated_addition_costs(kind: Kind, data: st.DataObject) -> None:
    """Other accountants forget the count of some mechanisms; equality alone is not proof."""
    # A profile with kinks, sampled and composed thrice, takes the slow grid: kept out for time.
    strategy = the.of(kind) if kind is hs.ProfileDP else sampled(kind)
    mechanism, delta = data.draw(strategy), data.draw(the.deltas)
    whole = (mechanism * 3).epsilon(delta)
    added = (mechanism + mechanism + mechanism).epsilon(delta)
    assert (whole, whole.lower) == (added, added.lower)
    assert whole >= mechanism.epsilon(delta).lower


@every
@given(data=st.data())
@settings(max_examples=20)
def test_the_order_of_addition_does_not_matter(kind: Kind, data: st.DataObject) -> None:
    one = data.draw(sampled(kind))
    other = data.draw(st.sampled_from(the.ALL).flatmap(sampled))
    third = data.draw(st.sampled_from(the.ALL).flatmap(sampled))
    assert one + other == other + one
    assert hash(one + other) == hash(other + one)
    assert (one + other) + third == one + (other + third)
    assert (one + other) * 2 == one * 2 + other * 2


@pytest.mark.slow
@priced
@given(data=st.data())
@settings(max_examples=2)
def test_the_order_of_addition_does_not_change_the_cost(kind: Kind, data: st.DataObject) -> None:
    one, delta = data.draw(sampled(kind)), data.draw(the.deltas)
    other = data.draw(the.of(hs.Gaussian))
    there, back = (one * 2 + other).epsilon(delta), (other + one * 2).epsilon(delta)
    assert there.lower <= back.upper
    assert back.lower <= there.upper
    assert there == pytest.approx(back, rel=1e-9, abs=1e-12)


@every
@given(data=st.data())
@settings(max_examples=10)
def test_zero_times_costs_nothing(kind: Kind, data: st.DataObject) -> None:
    mechanism = data.draw(sampled(kind))
    nothing = mechanism * 0
    assert nothing.epsilon(data.draw(the.deltas)) == 0.0
    assert nothing.epsilon(0) == 0.0
    assert nothing.delta(data.draw(the.epsilons)) == 0.0
    assert nothing.rdp(2.0) == 0
    assert mechanism + nothing == mechanism == nothing + mechanism
    assert nothing == hs.Gaussian(1.0) * 0


@every
@given(data=st.data(), count=st.integers(0, 5))
@settings(max_examples=30)
def test_text_is_the_same_value(kind: Kind, data: st.DataObject, count: int) -> None:
    mechanism = data.draw(sampled(kind))
    assert hs.parse(repr(mechanism)) == mechanism
    both = mechanism * count + hs.Gaussian(1.5)
    assert hs.parse(repr(both)) == both


@the.each(the.WITH_LOSS, slow=the.HEAVY)
@given(data=st.data())
@settings(max_examples=2)
def test_the_ends_of_the_rate(kind: Kind, data: st.DataObject) -> None:
    mechanism, delta = data.draw(the.of(kind)), data.draw(the.deltas)
    always, never = mechanism.on(hs.Poisson(1.0)), mechanism.on(hs.Poisson(0.0))
    for count in (1, 3):
        assert (never * count).epsilon(delta) == 0.0
        assert (never * count).delta(0.0) == 0.0
        here, there = (always * count).epsilon(delta), (mechanism * count).epsilon(delta)
        assert here.lower <= there.upper
        assert there.lower <= here.upper
    assert always.delta(0.5) == mechanism.delta(0.5)


@pytest.mark.slow
@the.each(kind for kind in the.ALL if kind in the.BY_CURVE)
@given(data=st.data())
@settings(max_examples=2)
def test_a_curve_alone_is_amplified_too(kind: Kind, data: st.DataObject) -> None:
    mechanism = data.draw(the.of(kind))
    assert mechanism.on(hs.Poisson(0.1)).epsilon(1e-5) <= mechanism.epsilon(1e-5)
    drawn = mechanism.on(hs.WithReplacement(10, 100))
    assert drawn.epsilon(1e-5, method="renyi").upper == drawn.epsilon(1e-5).upper
    with pytest.raises(hs.ParameterError, match="Rényi curve alone"):
        drawn.epsilon(1e-5, method="contour")
