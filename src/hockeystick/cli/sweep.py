"""`hockeystick sweep`: a whole grid of numbers as CSV, on all cores."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from hockeystick import progress, saving
from hockeystick.cli.shared import answer, options, reading, timeout
from hockeystick.errors import ParameterError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from hockeystick.relation import Relation


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="EXPR --NAME VALUES...", nargs=-1, type=click.UNPROCESSED)
@options.asked
@click.option("--delta", metavar="VALUES", help="The delta of the guarantees, one or several.")
@click.option("--epsilon", metavar="VALUES", help="Their epsilon: the smallest delta is asked for.")
@click.option("-o", "--output", type=options.OutputFile(), help="CSV file.")
@click.option(
    "--workers", type=click.IntRange(1, 1024), help="Processes; as many as there are cores."
)
def sweep(
    words: tuple[str, ...],
    relation: Relation | None,
    method: str,
    as_json: bool,
    delta: str | None,
    epsilon: str | None,
    output: str | None,
    workers: int | None,
) -> None:
    """Ask the same of a whole grid of numbers, on all cores.

    EXPR has names in braces, and each name is an option: --NAME takes numbers with commas or as
    start:stop:count, and so does --delta or --epsilon. The table has a row for each combination.
    EXPR - reads it from standard input.

    \b
    Example:
      hockeystick sweep "Gaussian({sigma}).on(Poisson({q})) * {T}" \\
        --sigma 1:2:3 --q 0.001,0.01 --T 1000 --delta 1e-5
    """
    from hockeystick.sweeping import sweep as swept

    expression, values = _split(words)
    family = reading.text(expression)
    with _executor(workers) as executor, progress.bar("sweep") as done:
        rows = swept(
            family,
            delta=_given("--delta", delta),
            epsilon=_given("--epsilon", epsilon),
            relation=relation,
            method=method,
            executor=executor,
            progress=done,
            **values,
        )
    table = [{name: _short(value) for name, value in row.items()} for row in rows.to_rows()]
    if output is not None or not as_json:
        saving.write_csv(output, table[0], (row.values() for row in table))
    if as_json:
        answer.print_json({"rows": table})


@contextmanager
def _executor(workers: int | None) -> Iterator[Executor | None]:
    """As many processes, started afresh since a fork of threads is not safe; none for one."""
    count = workers or os.cpu_count() or 1
    if count == 1:
        yield None
        return
    executor = _workers(count)
    try:
        yield executor
    except KeyboardInterrupt:
        with timeout.ended_soon():
            _end(executor)
        raise
    except BaseException:
        _end(executor)
        raise
    executor.shutdown()


def _end(executor: Executor) -> None:
    """End the workers: else what they do is waited for."""
    before = threading.excepthook
    threading.excepthook = lambda _: None  # the pool's thread complains of cancelled tasks
    timeout.end_workers()
    executor.shutdown()
    threading.excepthook = before


def _workers(count: int) -> Executor:
    """Processes that leave Ctrl-C to this one, which ends them."""
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing import get_context, resource_tracker

    class Workers(ProcessPoolExecutor):
        def submit(self, *task: Any, **options: Any) -> Future[Any]:
            # What is blocked when a process starts is blocked there; here it waits for a moment.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                return super().submit(*task, **options)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

    if sys.platform == "win32":
        return ProcessPoolExecutor(count, mp_context=get_context("spawn"))
    resource_tracker.ensure_running()  # it unblocks signals when it starts
    return Workers(count, mp_context=get_context("spawn"))


def _given(name: str, words: str | None) -> float | list[float] | None:
    """One number, or a list of several."""
    if words is None:
        return None
    values = reading.numbers(name, words)
    return values[0] if len(values) == 1 else values


def _split(words: tuple[str, ...]) -> tuple[str, dict[str, list[float]]]:
    """EXPR, and the values of each --NAME VALUES or --NAME=VALUES."""
    expressions: list[str] = []
    values: dict[str, list[float]] = {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("--"):
            expressions.append(word)
            continue
        name, equals, given = word[2:].partition("=")
        given = given if equals else next(rest, "")
        values[name] = reading.numbers(f"--{name}", given)
    if len(expressions) != 1:
        raise ParameterError(f"EXPR must be given once, got {len(expressions)} of them")
    return expressions[0], values


def _short(value: float | str) -> float | str:
    return int(value) if isinstance(value, float) and value.is_integer() else value
