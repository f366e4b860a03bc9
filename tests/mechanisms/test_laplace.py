"""Laplace noise whose query has a declared number of numbers."""

from __future__ import annotations

from typing import Any

import pytest

import hockeystick as hs
from hockeystick.errors import ParameterError

NUMBER = hs.Laplace(2.0, replace_sensitivity=1, dimension=1)


def test_the_dimension_is_part_of_the_text() -> None:
    assert repr(NUMBER) == "Laplace(2.0, replace_sensitivity=1.0, dimension=1)"
    run = NUMBER.on(hs.WithoutReplacement(1, 10)) * 3
    assert hs.parse(repr(run)) == run
    assert hs.Laplace(2.0) == hs.Laplace(2.0, dimension=None) != hs.Laplace(2.0, dimension=1)
    assert "dimension" not in repr(hs.Laplace(2.0))


def test_a_release_has_as_many_numbers() -> None:
    assert isinstance(NUMBER.release(3.0, rng=0), float)
    assert hs.Laplace(2.0, dimension=2).release([1, 2], rng=0).shape == (2,)
    for value in ([1.0, 2.0], []):
        with pytest.raises(ParameterError, match="declared dimension of 1, got"):
            NUMBER.release(value, rng=0)


def test_what_is_refused_costs_nothing() -> None:
    class Payer:
        spent = 0

        def spend(self, mechanism: hs.Mechanism) -> None:
            self.spent += 1

    payer = Payer()
    with pytest.raises(ParameterError, match="dimension"):
        NUMBER.release([1.0, 2.0], rng=0, ledger=payer)
    assert payer.spent == 0


def test_a_group_has_the_same_dimension() -> None:
    assert NUMBER.group(3) == hs.Laplace(2 / 3, 1, sensitivity=3, dimension=1)


@pytest.mark.parametrize("dimension", [0, -1, 1.5, "1", True])
def test_bad_dimensions(dimension: Any) -> None:
    with pytest.raises(ParameterError, match="dimension must be an integer >= 1"):
        hs.Laplace(2.0, dimension=dimension)


def test_one_release_does_not_depend_on_it() -> None:
    for relation in (hs.ADD_REMOVE, hs.REPLACE_ONE, hs.ZERO_OUT):
        one, any_ = (m.epsilon(1e-6, relation=relation) for m in (NUMBER, hs.Laplace(2.0, 1)))
        assert (one.lower, one.upper) == (any_.lower, any_.upper)
