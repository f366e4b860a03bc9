"""What a notebook shows: well-formed tables, with the question beside each number."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

import hockeystick as hs

STEP = hs.Gaussian(1.1).on(hs.Poisson(0.01))
RUN = STEP * 100 + hs.Laplace(5.0)


def texts(value: Any) -> list[str]:
    """The texts of all cells, of HTML that is well-formed."""
    return [text for text in ElementTree.fromstring(value._repr_html_()).itertext() if text]


def spent(budget: tuple[float, float] | None) -> hs.Accountant:
    accountant = hs.Accountant(budget=budget)
    accountant.spend(STEP, 3)
    return accountant


def test_a_mechanism_shows_its_parts() -> None:
    found = texts(RUN)
    for expected in (
        "100",
        repr(STEP),
        "Laplace(5.0)",
        "add-remove: one record is added or removed",
    ):
        assert expected in found


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        (RUN.epsilon(1e-5), ["delta", "1e-05"]),
        (RUN.delta(1.5), ["epsilon", "1.5"]),
        (RUN.rdp(4), ["order", "4"]),
        (hs.Bound(1.0, lower=0.5, method="by hand"), ["bound = 1"]),
    ],
)
def test_a_bound_shows_its_question(bound: hs.Bound, expected: list[str]) -> None:
    found = texts(bound)
    assert set(expected) <= set(found)
    if bound.mechanism is not None:
        assert repr(RUN) in found
        assert "add-remove: one record is added or removed" in found


def test_an_accountant_shows_what_was_spent_and_of_what() -> None:
    assert {"3", repr(STEP), "none"} <= set(texts(spent(None)))
    assert "epsilon = 2 at delta = 1e-05" in texts(spent((2.0, 1e-5)))


def test_comparison_and_sweep_are_tables() -> None:
    compared = hs.compare(STEP * 10, delta=1e-5)
    found = texts(compared)
    assert found[0] == f"epsilon at delta = 1e-05, add-remove: {STEP * 10!r}"
    assert {row.name for row in compared} <= set(found)
    swept = hs.sweep("Laplace({b})", b=[1.0, 2.0], delta=0)
    assert {"b", "epsilon", "relation", "add-remove", "0.5"} <= set(texts(swept))


def test_what_looks_like_html_is_text() -> None:
    value = hs.RenyiDP(lambda order: order)  # its repr has < and >
    assert "&lt;function" in value._repr_html_()
    assert texts(value)


def test_a_long_mechanism_is_cut() -> None:
    long = sum((hs.Gaussian(1.0 + i) for i in range(1, 100)), hs.Gaussian(1.0))
    assert texts(long)[0].endswith("…")
    assert len(texts(long.epsilon(1e-5))[-1]) < 400
