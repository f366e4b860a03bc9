"""Nothing can be changed unseen."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

import hockeystick as hs
from hockeystick.ledger.ledger import Ledger
from hockeystick.ledger.stores.base import TABLE

USED = {"basic": 0.1, "planned": 0.1, "parts": 0.1, "gdp": 0.005958770196221107}
USED |= {"renyi": 0.007475567446015338}
DATA = Path(__file__).parent / "data"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "budget.db"
    ledger = hs.Ledger(str(path), create=True)
    ledger.open("census", epsilon=1, unit="one person")
    for i in range(5):
        ledger.spend("census", "PureDP(0.1)", by="ana", purpose="a table", key=str(i))
    return path


def changed(path: Path, sql: str) -> Ledger:
    """As somebody would who owns the file: the triggers are taken away first."""
    connection = sqlite3.connect(path)
    for name in ("stays", "remains", "next"):
        connection.execute(f"DROP TRIGGER {TABLE}_{name}")
    connection.execute(sql)
    connection.commit()
    connection.close()
    return hs.Ledger(str(path))


@pytest.mark.parametrize("sql", [f"UPDATE {TABLE} SET body = ''", f"DELETE FROM {TABLE}"])
def test_triggers_refuse_changes(path: Path, sql: str) -> None:
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="entries of a ledger are never"):
        connection.execute(sql)
    connection.close()
    assert hs.Ledger(str(path)).verify().entries == 6


def test_triggers_refuse_replacements(path: Path) -> None:
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="never replaced"):
        connection.execute(
            f"INSERT OR REPLACE INTO {TABLE} SELECT 3, kind, budget, part, 'new', body, 'x' "
            f"FROM {TABLE} WHERE number = 3"
        )
    connection.close()


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        (f"UPDATE {TABLE} SET body = replace(body, '1/10', '1/99') WHERE number = 4", "entry 4 is"),
        (f"UPDATE {TABLE} SET key = 'other' WHERE number = 5", "entry 5 is broken: it is not as"),
        (f"UPDATE {TABLE} SET budget = 'survey' WHERE number = 2", "entry 2 is broken"),
        (f"DELETE FROM {TABLE} WHERE number = 3", "entry 4 is broken: it should be entry 3"),
        (f"UPDATE {TABLE} SET number = 9 WHERE number = 6", "entry 9 is broken: it should be"),
    ],
)
def test_the_first_broken_entry_is_named(path: Path, sql: str, message: str) -> None:
    ledger = changed(path, sql)
    with pytest.raises(hs.LedgerError, match=message):
        ledger.verify()


def test_entries_that_were_taken_from_the_end_are_missed_by_who_kept_the_head(path: Path) -> None:
    kept = hs.Ledger(str(path)).head()
    ledger = changed(path, f"DELETE FROM {TABLE} WHERE number = 6")
    assert ledger.verify().entries == 5
    with pytest.raises(hs.LedgerError, match="no entry has the hash"):
        ledger.verify(kept)


def test_an_older_head_is_found(path: Path) -> None:
    ledger = hs.Ledger(str(path))
    kept = ledger.head()
    ledger.spend("census", "PureDP(0.1)", by="ana", purpose="a table")
    assert ledger.verify(kept).entries == 7


def test_a_spending_that_was_made_cheap_by_hand_is_found(path: Path) -> None:
    """With all hashes made anew: the sums no longer add up."""
    connection = sqlite3.connect(path)
    connection.execute(f"DROP TRIGGER {TABLE}_next")
    from hockeystick.ledger.entry import Entry, digest

    (body,) = connection.execute(f"SELECT body FROM {TABLE} WHERE number = 6").fetchone()
    last = Entry.read(body)
    forged = Entry(7, last.kind, "census", {**last.content, "key": "x"}, digest(body))
    connection.execute(
        f"INSERT INTO {TABLE} VALUES (7, 'spend', 'census', '', 'x', ?, ?)",
        (forged.body, forged.hash),
    )
    connection.commit()
    connection.close()
    with pytest.raises(hs.LedgerError, match="entry 7 is broken: it does not add up"):
        hs.Ledger(str(path)).verify()


@pytest.mark.parametrize("file", sorted(DATA.glob("schema_*.db")), ids=lambda file: file.name)
def test_what_earlier_versions_wrote_is_read_and_spent_from(file: Path, tmp_path: Path) -> None:
    shutil.copy(file, tmp_path / "budget.db")
    ledger = hs.Ledger(str(tmp_path / "budget.db"))
    assert ledger.budgets() == ["basic", "gdp", "renyi", "planned", "parts"]
    assert ledger.verify().entries == 10
    for budget in ledger.budgets():
        assert ledger.show(budget).used == pytest.approx(USED[budget], rel=1e-9)
        ledger.spend(budget, "Gaussian(20.0)", by="ana", purpose="more", delta="1e-7")
    assert ledger.verify().entries == 15


def test_what_a_later_version_wrote_is_refused(path: Path) -> None:
    from hockeystick.ledger.entry import Entry

    body = next(iter(hs.Ledger(str(path)).entries())).body.replace('"schema":1', '"schema":2')
    with pytest.raises(hs.LedgerError, match="entry 1 is of schema 2"):
        Entry.read(body)
