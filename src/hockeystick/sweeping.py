"""Sweeps: the same question about a whole grid of mechanisms, on as many cores as there are."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, as_completed
from itertools import product
from math import prod
from typing import NamedTuple

from hockeystick import checks
from hockeystick.bound import Bound
from hockeystick.errors import HockeystickError, ParameterError
from hockeystick.mechanism import Mechanism
from hockeystick.relation import Relation
from hockeystick.table import Table
from hockeystick.templates import filled, placeholders

MOST_POINTS = 1_000_000
CHUNKS = 200
"""Into about so many tasks a sweep is cut."""

TAKEN = {"delta", "epsilon", "executor", "method", "progress", "relation"}
"""Words of the question itself."""

Family = str | Callable[..., Mechanism]
Point = dict[str, float]
Case = tuple[Point, Mechanism, float]
"""The values, what they make, and the δ or ε that it is asked at."""


def sweep(
    family: Family,
    /,
    *,
    delta: float | Iterable[float] | None = None,
    epsilon: float | Iterable[float] | None = None,
    relation: Relation | None = None,
    method: str = "auto",
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
    **values: Iterable[float],
) -> Table:
    """ε at a given δ (or δ at a given ε) for every combination of the given values.

    Each row holds the values and, under "epsilon" or "delta", the `Bound`; the last name changes
    fastest. The rows fit `csv.DictWriter`, `pandas.DataFrame` and `polars.DataFrame` alike.

    Parameters
    ----------
    family: text with a name in braces for each open number, or a function with those parameters.
    delta, epsilon: one of the two, the one that is given; a list of them is a column of its own,
        which changes fastest.
    executor: any `concurrent.futures.Executor`, such as a `ProcessPoolExecutor` or
        `dask.distributed.Client.get_executor()`; None computes here.
    progress: is called with the number of rows that are done and of all rows.
    values: a list of numbers for each name.

    >>> rows = sweep("Gaussian({sigma}) * {T}", sigma=[1.0, 2.0], T=[1, 10], delta=1e-5)
    >>> [(row["sigma"], row["T"], round(row["epsilon"], 3)) for row in rows]
    [(1.0, 1, 4.377), (1.0, 10, 17.857), (2.0, 1, 1.993), (2.0, 10, 7.511)]
    """
    points = _points(family, values)
    question, given = _question(delta, epsilon, relation, method)
    listed = len(given) != 1 or isinstance(delta if delta is not None else epsilon, Iterable)
    if len(points) * len(given) > MOST_POINTS:
        raise ParameterError(f"a sweep must have at most {MOST_POINTS} points, got more")
    cases: list[Case] = []
    for point in points:
        mechanism = _made(family, point)
        for each in given:
            cases.append(({**point, question.given: each} if listed else point, mechanism, each))
    bounds = _bounds(question, cases, executor, progress)
    rows = zip(cases, bounds, strict=True)
    return Table({**point, question.name: bound} for (point, _, _), bound in rows)


class Question(NamedTuple):
    """What is asked of every mechanism."""

    name: str
    given: str
    relation: Relation | None
    method: str

    def ask(self, case: Case) -> Bound:
        point, mechanism, given = case
        query: Callable[..., Bound] = getattr(mechanism, self.name)
        try:
            return query(given, relation=self.relation, method=self.method)
        except HockeystickError as error:
            where = ", ".join(f"{name} = {value!r}" for name, value in point.items())
            raise type(error)(f"at {where}: {error}") from error


def _question(
    delta: float | Iterable[float] | None,
    epsilon: float | Iterable[float] | None,
    relation: Relation | None,
    method: str,
) -> tuple[Question, list[float]]:
    """What is asked, and each δ or ε that it is asked at."""
    if (delta is None) == (epsilon is None):
        raise ParameterError("one of delta and epsilon must be given, not both")
    name, given, values, check = (
        ("epsilon", "delta", delta, checks.probability)
        if delta is not None
        else ("delta", "epsilon", epsilon, checks.non_negative)
    )
    each = [check(given, value) for value in (values if isinstance(values, Iterable) else [values])]
    if not each:
        raise ParameterError(f"{given} must be a number or a list of numbers, got none")
    return Question(name, given, relation, method), each


def _points(family: Family, values: Mapping[str, Iterable[float]]) -> list[Point]:
    names = (
        placeholders(family) if isinstance(family, str) else inspect.signature(family).parameters
    )
    wanted = dict.fromkeys(names)
    if not TAKEN.isdisjoint(wanted):
        raise ParameterError(f"an open number must not be called {', '.join(sorted(TAKEN))}")
    if wanted.keys() != values.keys():
        open_ones, given = ", ".join(wanted) or "nothing", ", ".join(values) or "nothing"
        raise ParameterError(f"values must be given for {open_ones}, got {given}")
    lists = [list(each) for each in values.values()]
    total = prod(map(len, lists))
    if not 0 < total <= MOST_POINTS:
        raise ParameterError(f"a sweep must have from 1 to {MOST_POINTS} points, got {total}")
    return [dict(zip(values, point, strict=True)) for point in product(*lists)]


def _made(family: Family, point: Point) -> Mechanism:
    made = filled(family, point) if isinstance(family, str) else family(**point)
    if not isinstance(made, Mechanism):
        raise ParameterError(f"family must make mechanisms, got {made!r}")
    return made


def _bounds(
    question: Question,
    cases: list[Case],
    executor: Executor | None,
    progress: Callable[[int, int], None] | None,
) -> list[Bound]:
    """The answers in order, whatever the order in which they come."""
    size = -(-len(cases) // CHUNKS)
    chunks = [cases[start : start + size] for start in range(0, len(cases), size)]
    answers: dict[int, list[Bound]] = {}
    done = 0
    for number, bounds in _results(question, chunks, executor):
        answers[number] = bounds
        done += len(bounds)
        if progress is not None:
            progress(done, len(cases))
    return [bound for number in range(len(chunks)) for bound in answers[number]]


def _results(
    question: Question, chunks: list[list[Case]], executor: Executor | None
) -> Iterator[tuple[int, list[Bound]]]:
    if executor is None:
        yield from ((number, _chunk(question, chunk)) for number, chunk in enumerate(chunks))
        return
    futures = {
        executor.submit(_chunk, question, chunk): number for number, chunk in enumerate(chunks)
    }
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        for future in futures:
            future.cancel()


def _chunk(question: Question, cases: list[Case]) -> list[Bound]:
    return [question.ask(case) for case in cases]
