"""Sweeps: the whole grid in order, on any executor."""

from __future__ import annotations

import threading
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import pytest

import hockeystick as hs
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.sweeping import CHUNKS, sweep

BS, COUNTS = [0.5, 1.0, 4.0], [1, 2]


def family(b: float, count: int) -> hs.Mechanism:
    return hs.Laplace(b) * count


EXPECTED = [{"b": b, "count": n, "epsilon": n / b} for b in BS for n in COUNTS]


def test_here_by_text_and_by_function() -> None:
    assert sweep("Laplace({b}) * {count}", delta=0, b=BS, count=COUNTS) == EXPECTED
    assert sweep(family, delta=0, b=BS, count=COUNTS) == EXPECTED


def test_an_answer_is_a_bound() -> None:
    (row,) = sweep("Laplace({b})", epsilon=0.5, b=[1.0], relation=hs.REPLACE_ONE, method="lattice")
    expected = hs.Laplace(1).delta(0.5, relation=hs.REPLACE_ONE, method="lattice")
    assert row["delta"] == expected
    assert isinstance(row["delta"], hs.Bound)
    assert row["delta"].method == expected.method


def test_on_threads() -> None:
    with ThreadPoolExecutor(2) as executor:
        assert sweep(family, delta=0, executor=executor, b=BS, count=COUNTS) == EXPECTED


@pytest.mark.slow
def test_on_a_dask_cluster() -> None:
    from distributed import Client  # takes half a second that other tests need not wait for

    with (
        Client(  # type: ignore[no-untyped-call]
            processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None
        ) as client,
        client.get_executor() as executor,
    ):
        rows = sweep(lambda b: hs.Laplace(b), delta=0, b=[1.0, 2.0], executor=executor)
    assert rows == [{"b": 1.0, "epsilon": 1.0}, {"b": 2.0, "epsilon": 0.5}]


class Backwards(Executor):
    """Does the last task first, once there are as many as are expected."""

    def __init__(self, expected: int) -> None:
        self.expected = expected
        self.waiting: list[tuple[Future[Any], Any, Any]] = []

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.waiting.append((future, function, arguments))
        if len(self.waiting) == self.expected:
            threading.Thread(target=self.work).start()
        return future

    def work(self) -> None:
        for future, function, arguments in reversed(self.waiting):
            future.set_result(function(*arguments))


@pytest.mark.parametrize("points", [7, CHUNKS, 2 * CHUNKS + 1])
def test_rows_are_in_order_and_progress_counts_them(points: int) -> None:
    tasks = points if points <= CHUNKS else -(-points // 3)
    seen: list[tuple[int, int]] = []
    rows = sweep(
        "PureDP({e})",
        delta=0,
        e=range(points),
        executor=Backwards(tasks),
        progress=lambda done, total: seen.append((done, total)),
    )
    assert [row["epsilon"] for row in rows] == list(range(points))
    assert len(seen) == tasks
    assert seen == sorted(seen)
    assert seen[-1] == (points, points)


def test_an_error_names_the_point() -> None:
    with pytest.raises(NumericalError, match=r"at b = 2\.0: there is no closed form"):
        sweep("Gaussian({b}).on(Poisson(0.1)) * 3", delta=0.01, b=[2.0], method="closed form")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"delta": 0, "b": []}, "a sweep must have from 1 to 1000000 points, got 0"),
        ({"delta": 0}, "values must be given for b, got nothing"),
        ({"b": [1]}, "one of delta and epsilon must be given"),
        ({"b": [1], "delta": 2}, r"delta must be in \[0, 1\], got 2"),
        ({"b": [-1], "delta": 0}, "noise_multiplier must be in"),
    ],
)
def test_refuses(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        sweep("Laplace({b})", **arguments)


def test_the_words_of_the_question_are_taken() -> None:
    with pytest.raises(ParameterError, match="an open number must not be called delta, epsilon"):
        sweep("PureDP({epsilon})", epsilon=[1, 2], delta=0)


def test_a_family_makes_mechanisms() -> None:
    with pytest.raises(ParameterError, match="family must make mechanisms, got 2"):
        sweep(lambda b: 2 * b, delta=0, b=[1])


def test_several_deltas_are_a_column() -> None:
    rows = hs.sweep("Gaussian({s})", s=[1.0, 2.0], delta=[1e-5, 1e-6])
    assert [(row["s"], row["delta"]) for row in rows] == [
        (1.0, 1e-5), (1.0, 1e-6), (2.0, 1e-5), (2.0, 1e-6)
    ]  # fmt: skip
    assert [row["epsilon"] for row in rows] == [
        hs.Gaussian(row["s"]).epsilon(row["delta"]) for row in rows
    ]
    (row,) = hs.sweep("Gaussian({s})", s=[2.0], epsilon=[1.0])
    assert (row["epsilon"], row["delta"]) == (1.0, hs.Gaussian(2.0).delta(1.0))
    with pytest.raises(hs.ParameterError, match="delta must be a number or a list of numbers"):
        hs.sweep("Gaussian({s})", s=[2.0], delta=[])
    with pytest.raises(hs.ParameterError, match=r"delta must be in \[0, 1\], got 2"):
        hs.sweep("Gaussian({s})", s=[2.0], delta=[0.1, 2.0])


def test_a_brace_that_is_not_closed() -> None:
    with pytest.raises(hs.ParameterError, match=r"'{' at position 10 of .* a name in braces"):
        hs.sweep("Gaussian({s)", s=[1.0], delta=1e-5)
