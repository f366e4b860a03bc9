"""Statements: the guarantee is the mechanism's own, rounded up, and what is not covered is said."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

import hockeystick as hs
from hockeystick.numerics.digits import at_most

KINDS: list[type[hs.Mechanism]] = [hs.Gaussian, hs.Laplace, hs.DiscreteGaussian, hs.DiscreteLaplace]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("relation", list(hs.Relation), ids=lambda r: r.name)
def test_the_guarantee_is_what_the_mechanism_answers(kind: Any, relation: hs.Relation) -> None:
    mechanism = kind(1.7, sensitivity=3)
    text = mechanism.statement(delta=1e-5, relation=relation)
    found = re.search(r"\(([\d.]+), 1e-05\)-differentially private", text)
    assert found is not None
    epsilon = float(found[1])
    exact = mechanism.epsilon(1e-5, relation=relation)
    assert exact <= epsilon <= exact * (1 + 1e-5)
    assert text.startswith(repr(mechanism))
    assert ("at most 6 " if relation is hs.REPLACE_ONE else "at most 3 ") in text
    assert ("L2" if kind is hs.Gaussian else "L1") in text


@pytest.mark.parametrize("kind", KINDS)
def test_how_the_noise_is_drawn_is_said(kind: Any) -> None:
    text = kind(1.7).statement(delta=1e-5)
    continuous = kind in (hs.Gaussian, hs.Laplace)
    assert ("rounded to one grid, the noise exactly from a real variable" in text) == continuous
    assert ("drawn by exactly its law in integers" in text) != continuous
    assert "It is drawn by the same steps whatever it is, but for" in text


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_claimed_of_added_records_where_only_replaced_ones_are_bounded(
    kind: Any,
) -> None:
    asked = {"sensitivity": 3, "epsilon": 0.5, "delta": 1e-5}
    mechanism = kind.for_query(**asked, relation=hs.REPLACE_ONE)
    promise = r"\(0\.\d+, 1e-05\)-differentially private when "
    text = mechanism.statement(delta=1e-5)
    assert re.search(promise + "one record is replaced by another", text)
    assert "added or removed (add-remove), if that moves the answer no further." in text
    text = mechanism.statement(delta=1e-5, relation=hs.ADD_REMOVE)
    assert re.search(
        promise + r"one record is added or removed \(add-remove\), if that moves", text
    )
    text = mechanism.statement(delta=1e-5, relation=hs.REPLACE_ONE)
    assert " if " not in text.splitlines()[1]
    text = kind.for_query(**asked).statement(delta=1e-5)
    assert re.search(promise + r"one record is added or removed \(add-remove\)\.", text)


def test_of_a_survey() -> None:
    text = hs.RandomizedResponse.truthful(0.75).statement()
    assert "with probability 0.75" in text
    assert "(1.09862, 0)-differentially private when one record is replaced" in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (0.0, "0"),
        (1.0000001, "1.00001"),
        (12345.61, "12345.7"),
        (999999.5, "1e+06"),
        (math.inf, "inf"),
        (1e-300, "1e-300"),
    ],
)
def test_six_digits_and_never_less(value: float, text: str) -> None:
    assert at_most(value, 6) == text
    assert float(text) >= value


STEP = hs.Gaussian(1.1).on(hs.Poisson(0.01))
FIXED = hs.Gaussian(5.0).on(hs.WithoutReplacement(10, 100)) * 500


def stated(text: str) -> list[tuple[float, float]]:
    """The pairs (ε, δ) of a statement."""
    return [(float(e), float(d)) for e, d in re.findall(r"\((\S+), (\S+)\)(?=[,-])", text)]


@pytest.mark.parametrize("relation", [None, hs.ZERO_OUT, hs.REPLACE_ONE])
def test_any_composition_states_what_it_answers(relation: hs.Relation | None) -> None:
    run = STEP * 1000 + hs.Laplace(2.0)
    text = run.statement(delta=1e-5, relation=relation)
    ((epsilon, delta),) = stated(text)
    exact = run.epsilon(1e-5, relation=relation)
    assert delta == 1e-5
    assert exact <= epsilon <= exact * (1 + 1e-5)
    assert f"({exact.relation})." in text.splitlines()[1]
    assert text.startswith(repr(run))


def test_without_a_delta_several_are_stated_or_none_is_needed() -> None:
    run = STEP * 10
    pairs = stated(run.statement())
    assert [delta for _, delta in pairs] == [1e-5, 1e-6, 1e-8, 1e-10]
    for epsilon, delta in pairs:
        assert run.epsilon(delta) <= epsilon <= run.epsilon(delta) * (1 + 1e-5)
    assert stated((hs.Laplace(2.0) * 2).statement()) == [(1.0, 0.0)]
    assert [delta for _, delta in stated(hs.Gaussian(2.0).statement())] == [1e-5, 1e-6, 1e-8, 1e-10]


@pytest.mark.slow
def test_parts_that_are_made_for_other_neighbours_are_named() -> None:
    with pytest.raises(hs.RelationError, match="add-remove, replace-one"):
        (STEP + FIXED).statement()
    text = (STEP + FIXED).statement(delta=1e-5, relation=hs.REPLACE_ONE)
    (note,) = (line for line in text.splitlines() if line.startswith("Note:"))
    assert note.startswith(f"Note: {STEP!r} is made for add-remove")
    assert "counted here under replace-one" in note
    declared = hs.Gaussian(5.0, replace_sensitivity=1)
    text = (STEP + declared).statement(delta=1e-5)
    assert f"Note: {declared!r} is made for replace-one" in text
    assert "under add-remove, if that moves its answer no further." in text
    assert "Note" not in (STEP + hs.Laplace(1.0)).statement(delta=1e-5)


@pytest.mark.slow
def test_an_accountant_states_what_was_spent() -> None:
    accountant = hs.Accountant(hs.REPLACE_ONE, budget=(6.0, 1e-6))
    accountant.spend(FIXED)
    text = accountant.statement()
    ((epsilon, delta),) = stated(text)
    exact = accountant.epsilon(1e-6)
    assert (delta, exact <= epsilon <= exact * (1 + 1e-5)) == (1e-6, True)
    assert "The budget is (6, 1e-06)." in text
    assert "(replace-one)" in text
    assert accountant.explain(1e-6) == FIXED.explain(1e-6, relation=hs.REPLACE_ONE)
