"""Every reference value (multiple precision, made by `tests.oracles`) lies between the two ends.

Both ends are held to how tight they are known to be, so that a bound cannot become vacuous unseen.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from mpmath import mp, mpf

import hockeystick as hs
from hockeystick import questions
from hockeystick.routes import auto
from hockeystick.routes.question import DeltaAt, EpsilonAt
from tests.reference import DATA

GIVEN = {"delta": "epsilon", "epsilon": "delta", "rdp": "order"}
Row = dict[str, str]

ULPS = 4 * 2.0**-52
"""A closed form such as 1/b is rounded to a double, which the 22 digits of the tables are not."""


class Gap(NamedTuple):
    """How far above and below the truth the ends may be, relative to it."""

    above: float
    below: float


GAPS: dict[str, tuple[tuple[float, Gap], ...]] = {
    # For each table: (up to so many steps, about the loosest gap found among them).
    "gaussian": ((math.inf, Gap(5e-13, 5e-13)),),
    "gaussian_replace_one": ((math.inf, Gap(2e-13, 2e-13)),),
    "laplace": (
        (1, Gap(2e-13, 2e-13)),
        (24, Gap(1e-8, 2e-8)),
        (100, Gap(1e-8, 4e-7)),
        (math.inf, Gap(4e-8, 5e-6)),
    ),
    "poisson_laplace": (
        (1, Gap(2e-13, 2e-13)),
        (24, Gap(3e-8, 1e-7)),
        (math.inf, Gap(1e-10, 1e-10)),
    ),
    "exponential": (
        (1, Gap(2e-13, 2e-13)),
        (24, Gap(2e-8, 1e-6)),
        (math.inf, Gap(1e-10, 1e-10)),
    ),
    "atoms": (
        (1, Gap(2e-13, 2e-13)),
        (100, Gap(4e-9, 2e-5)),
        (math.inf, Gap(1e-10, 1e-10)),
    ),
    "discrete": (
        (1, Gap(2e-11, 2e-11)),
        (24, Gap(1e-7, 4e-4)),
        (math.inf, Gap(1e-10, 1e-10)),
    ),
    "poisson_gaussian": (
        (1, Gap(3e-13, 3e-13)),
        (math.inf, Gap(1e-10, 1e-10)),
    ),
    "poisson_gaussian_sparse": ((math.inf, Gap(1e-10, 1e-10)),),
    "poisson_gaussian_small_noise": ((math.inf, Gap(1e-10, 1e-10)),),
    "rdp": ((math.inf, Gap(3e-13, 3e-13)),),
}


def rows() -> Iterator[tuple[str, Row]]:
    for path in sorted(DATA.glob("*.json")):
        for row in json.loads(path.read_text()):
            if "mechanism" in row:
                yield path.stem, row


def name(table: str, row: Row) -> str:
    given = GIVEN[row["query"]]
    return f"{table}-{row['mechanism']}-{row['direction']}-{row['query']}({given}={row[given]})"


def marks(table: str, row: Row) -> list[pytest.MarkDecorator]:
    """One direction is left to the slow run, and many steps where one answer takes a second."""
    heavy = table == "laplace" or "* 10000" in row["mechanism"]
    slow = row["direction"] != "both" or ("*" in row["mechanism"] and heavy)
    return [pytest.mark.slow] if slow else []


ROWS = [
    pytest.param(table, row, id=name(table, row), marks=marks(table, row)) for table, row in rows()
]


def gap(table: str, steps: int) -> Gap:
    return next(gap for most, gap in GAPS[table] if steps <= most)


def ask(row: Row) -> tuple[float, float]:
    """Both ends: of the public query, or of one direction of it."""
    mechanism = hs.parse(row["mechanism"])
    relation = hs.Relation[row.get("relation", "ADD_REMOVE")]
    query, given = row["query"], float(row[GIVEN[row["query"]]])
    if row["direction"] == "both":
        bound = getattr(mechanism, query)(given, relation=relation)
        return bound.lower, bound.upper
    adding = row["direction"] == "add"
    if query == "rdp":
        value = float(mechanism.evidence(relation).renyi(np.array([given]))[adding][0])
        return value * (1 - 1e-13), value * (1 + 1e-13)
    (sides, *_) = questions.dominating(questions.parts_of(mechanism, relation))
    return one_direction(row["mechanism"], relation, len(sides) - 1 if adding else 0, query, given)


@cache
def one_direction(
    text: str, relation: hs.Relation, side: int, query: str, given: float
) -> tuple[float, float]:
    """Kept, because a symmetric mechanism is asked the same twice."""
    (sides, *_) = questions.dominating(questions.parts_of(hs.parse(text), relation))
    question = EpsilonAt(given) if query == "epsilon" else DeltaAt(given)
    lower, upper, _ = auto.answer(question, sides[side], auto.AUTO)
    return lower, upper


def is_of_a_class(row: Row) -> bool:
    """The tables compose the pair that dominates the bounded-range class, which no mechanism of the
    class attains more than once: answers by the class's own Rényi curve may be smaller."""
    plain = "ExponentialMechanism" in row["mechanism"] and "Poisson" not in row["mechanism"]
    composed = "*" in row["mechanism"] and row["direction"] == "both"
    return plain and (composed or row["query"] == "rdp")


def is_attained(row: Row) -> bool:
    """Not so for the class on a sample, composed or at an order: its lower end is that of one
    mechanism in it."""
    sampled = "ExponentialMechanism" in row["mechanism"] and "Poisson" in row["mechanism"]
    several = "*" in row["mechanism"] or row["query"] == "rdp"
    return not (sampled and several and row["direction"] == "both")


@pytest.mark.parametrize(("table", "row"), ROWS)
def test_reference(table: str, row: Row) -> None:
    truth = mpf(row["value"])
    lower, upper = ask(row)
    assert 0 <= lower <= upper
    if mp.isinf(truth):
        assert upper == math.inf
        assert lower == math.inf
        return
    allowed = gap(table, sum(hs.parse(row["mechanism"]).parts.values()))
    assert lower <= truth * (1 + ULPS)
    if is_of_a_class(row):
        assert 0 < upper <= truth * (1 + allowed.above)
        return
    assert truth <= upper * (1 + ULPS)
    assert upper - truth <= allowed.above * truth
    assert truth - lower <= allowed.below * truth or not is_attained(row)


def test_every_table_is_read() -> None:
    """A table that is renamed or left out would otherwise pass in silence."""
    assert {table for table, _ in rows()} == set(GAPS)
    assert len(ROWS) > 1000
