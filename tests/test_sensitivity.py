"""Sensitivities: the declared distance is what the worst pair of small data sets reaches."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.sensitivity import Sensitivity

Query = Callable[[list[Any]], Any]


def neighbours(records: list[Any], relation: hs.Relation) -> Any:
    """All pairs of small data sets that differ in one record (zeroed out: as if it were absent)."""
    for rest in itertools.product(records, repeat=2):
        for record in records:
            if relation is hs.REPLACE_ONE:
                for other in records:
                    yield [*rest, record], [*rest, other]
            else:
                yield [*rest, record], list(rest)


def worst(query: Query, records: list[Any], relation: hs.Relation, norm: str) -> float:
    order = 1 if norm == "L1" else 2
    return max(
        float(np.linalg.norm(np.atleast_1d(query(one)) - np.atleast_1d(query(other)), order))
        for one, other in neighbours(records, relation)
    )


def bins(data: list[tuple[int, ...]]) -> Any:
    return np.bincount([b for record in data for b in record], minlength=4)


CIRCLE = [(math.cos(t), math.sin(t)) for t in np.linspace(0, 2 * math.pi, 8, endpoint=False)]
CASES: dict[str, tuple[Sensitivity, Query, list[Any]]] = {
    "count": (Sensitivity.count(), lambda data: sum(data), [0, 1]),
    "sum": (Sensitivity.sum(-1, 3), lambda data: sum(data), [-1.0, 0.5, 3.0]),
    "sum above 0": (Sensitivity.sum(90, 110), lambda data: sum(data), [90.0, 100.0, 110.0]),
    "mean": (Sensitivity.mean(-2, 6, 3), lambda data: sum(data) / 3, [-2.0, 0.0, 6.0]),
    "histogram": (Sensitivity.histogram(), bins, [(0,), (1,), (2,)]),
    "two bins": (Sensitivity.histogram(2), bins, list(itertools.combinations(range(4), 2))),
    "gradients": (
        Sensitivity.clipped(1.0, divisor=4, dimension=2),
        lambda data: np.sum(data, axis=0) / 4 if data else np.zeros(2),
        CIRCLE,
    ),
    "gradients in L1": (
        Sensitivity.clipped(2.0, norm="L1"),
        lambda data: np.sum(data, axis=0) if data else np.zeros(2),
        [(2.0, 0.0), (-2.0, 0.0), (1.0, -1.0), (0.0, 2.0)],
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("relation", list(hs.Relation), ids=lambda r: r.name)
@pytest.mark.parametrize("norm", ["L1", "L2"])
def test_the_worst_neighbours_reach_it(case: str, relation: hs.Relation, norm: Any) -> None:
    sensitivity, query, records = CASES[case]
    assert sensitivity.of(norm, relation) == pytest.approx(worst(query, records, relation, norm))


def test_a_mean_by_its_own_count_would_not_be_covered() -> None:
    """Divided by how many records there are, one more record moves the mean further."""
    by_count = lambda data: sum(data) / len(data)  # noqa: E731
    bound = Sensitivity.mean(0, 6, 3)
    assert worst(by_count, [0.0, 6.0], hs.ADD_REMOVE, "L1") == bound.l1
    assert worst(by_count, [-6.0, 6.0], hs.ADD_REMOVE, "L1") > Sensitivity.mean(-6, 6, 3).l1


NUMPY_NUMBERS: Any = (np.int64(-1), np.float32(3))


def test_one_number() -> None:
    assert Sensitivity.scalar(2) == Sensitivity(2.0, 2.0, 4.0, 4.0)
    assert Sensitivity.scalar(2, 3) == Sensitivity(2.0, 2.0, 3.0, 3.0)
    assert Sensitivity.clipped(1.0).l1 == math.inf
    assert Sensitivity.sum(*NUMPY_NUMBERS) == Sensitivity.sum(-1, 3)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Sensitivity.sum(3, 3), "lower must be below upper"),
        (lambda: Sensitivity.sum(3, 2), "lower must be below upper"),
        (lambda: Sensitivity.sum(0, math.inf), "upper must be finite"),
        (lambda: Sensitivity.sum(math.nan, 1), "lower must be finite"),
        (lambda: Sensitivity.sum(None, 1), "lower must be a number, declared"),  # type: ignore[arg-type]
        (lambda: Sensitivity.mean(0, 1, 0), "records must be an integer >= 1"),
        (lambda: Sensitivity.histogram(0), "bins_per_record must be an integer >= 1"),
        (lambda: Sensitivity.clipped(0.0), "clip must be in (0, inf)"),
        (lambda: Sensitivity.clipped(1.0, divisor=0), "divisor must be in (0, inf)"),
        (lambda: Sensitivity.clipped(1.0, norm="max"), "norm must be 'L1' or 'L2'"),  # type: ignore[arg-type]
        (lambda: Sensitivity.clipped(1.0, dimension=0), "dimension must be an integer >= 1"),
        (lambda: Sensitivity(1, 1, -1, 1), "replace_l1 must be in (0, inf]"),
        (lambda: Sensitivity(math.nan, 1, 1, 1), "l1 must be in (0, inf]"),
    ],
)
def test_refusals(make: Any, words: str) -> None:
    with pytest.raises(hs.ParameterError) as caught:
        make()
    assert words in str(caught.value)
