"""Every column of a table of Rényi bounds made in 50 digits, at 150 settings."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache

import pytest

from hockeystick.classical import (
    rdp_lower_bound,
    rdp_poisson,
    rdp_without_replacement,
    rdp_without_replacement_from_curve,
    rdp_without_replacement_self_consistent,
)
from tests.reference import DATA
from tests.support.bases import BASES, Base

Row = dict[str, str | int]
PATH = DATA / "classical" / "rdp_amplification.json"
ROWS: list[Row] = json.loads(PATH.read_text())


@cache
def base(name: str, parameter: str) -> Base:
    return BASES[name](parameter)


def setting(row: Row) -> tuple[Base, float, int]:
    return base(str(row["base"]), str(row["parameter"])), float(row["gamma"]), int(row["order"])


def close(value: float, row: Row, column: str) -> bool:
    return value == pytest.approx(float(row[column]), rel=2e-14, abs=0)


def cauchy_schwarz(m: Base) -> Callable[[int], float]:
    even = cache(m.log_moment)
    return lambda j: even(j) if j % 2 == 0 else (even(j - 1) + even(j + 1)) / 2


def test_the_table_is_whole() -> None:
    assert len(ROWS) == 150
    assert {row["base"] for row in ROWS} == set(BASES)


def test_theorem_9() -> None:
    for row in ROWS:
        m, gamma, order = setting(row)
        assert close(rdp_without_replacement(m.curve, gamma, order, m.pure), row, "theorem9")


def test_proposition_20() -> None:
    for row in ROWS:
        m, gamma, order = setting(row)
        assert close(rdp_lower_bound(m.curve, gamma, order), row, "proposition20")


def test_poisson() -> None:
    for row in ROWS:
        m, gamma, order = setting(row)
        assert close(rdp_poisson(m.curve, gamma, order), row, "poisson_factor3")
        assert close(rdp_poisson(m.curve, gamma, order, factor=1), row, "poisson_exact_form")


def test_theorem_19_with_the_moments_of_the_pair() -> None:
    """The table takes odd moments by Cauchy–Schwarz, and no minimum with Theorem 9."""
    for row in ROWS:
        m, gamma, order = setting(row)

        value = rdp_without_replacement_self_consistent(
            m.curve, gamma, order, m.pure, cauchy_schwarz(m), as_printed=True
        )
        assert close(value, row, "theorem19")


def test_theorem_19_from_a_float_curve_is_above_and_near() -> None:
    for row in ROWS:
        m, gamma, order = setting(row)
        args = m.curve, gamma, order, m.pure
        truth = float(row["theorem19"])
        printed = rdp_without_replacement_self_consistent(*args, as_printed=True)
        assert truth * (1 - 2e-14) <= printed <= truth * (1 + 5e-5)
        either = rdp_without_replacement_self_consistent(*args)
        both = min(truth, float(row["theorem9"]))
        assert float(row["proposition20"]) * 0.999 < either <= both * (1 + 5e-5)


def test_odd_moments_of_the_pair_are_tighter() -> None:
    for row in ROWS:
        m, gamma, order = setting(row)
        value = rdp_without_replacement_self_consistent(m.curve, gamma, order, m.pure, m.log_moment)
        assert float(row["proposition20"]) < value <= float(row["theorem19"]) * (1 + 2e-14)


def test_the_bound_by_a_dominating_pair_is_between() -> None:
    better = 0
    for row in ROWS:
        m, gamma, order = setting(row)
        value = rdp_without_replacement_from_curve(m.curve, gamma, order, pair_dominates=True)
        assert float(row["proposition20"]) <= value * (1 + 2e-14) <= m.curve(order) * (1 + 3e-14)
        better += value < float(row["theorem9"])
    assert better > 120
