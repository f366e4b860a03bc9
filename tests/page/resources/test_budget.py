"""The questions about budgets: the ledger's own numbers, and nothing is ever written."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import hockeystick as hs
from hockeystick.page import where
from hockeystick.page.catalogue import catalogue
from hockeystick.page.resources.budget import budget
from hockeystick.page.resources.budget_propose import propose
from hockeystick.page.resources.budget_statement import budget_statement
from hockeystick.page.resources.budget_verify import verify
from hockeystick.page.resources.budgets import budgets
from hockeystick.page.worker import answered
from tests.page.ledgers import a_ledger
from tests.support.command import call

CENSUS = {"name": "census"}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(where.LEDGER, "url", a_ledger(tmp_path))
    return str(where.LEDGER.url)


def test_bars(path: str) -> None:
    found = budgets({})
    ledger = hs.Ledger(path)
    assert found["ledger"] == path
    assert [each["name"] for each in found["budgets"]] == ["census", "pure"]
    census, pure = found["budgets"]
    assert census["used"] == ledger.used("census") > 0
    assert census["used"] + census["left"] == pytest.approx(1)
    assert (census["epsilon"], census["delta"], census["filter"]) == ("3", "1e-06", "renyi")
    assert (pure["used"], pure["filter"], pure["unit"]) == (0, "basic", "one household")


def test_entries_over_time(path: str) -> None:
    found = budget(CENSUS)
    state = hs.Ledger(path).show("census")
    assert [entry["purpose"] for entry in found["entries"]] == ["a table", "a map", "a mean"]
    assert found["chart"]["used"] == [0.0, *state.running()]
    assert found["entries"][-1]["used"] == found["used"] == state.used
    assert len(found["chart"]["time"]) == 4
    decides = min(each["reached"] / each["limit"] for each in found["sums"])
    assert decides == pytest.approx(state.used)


def test_many_entries_are_thinned(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from hockeystick.page.resources import budget as module

    monkeypatch.setattr(module, "MOST_ENTRIES", 2)
    monkeypatch.setattr(module, "MOST_POINTS", 2)
    found = budget(CENSUS)
    assert [entry["number"] for entry in found["entries"]] == [4, 5]
    assert found["spendings"] == 3
    assert (found["chart"]["used"][0], found["chart"]["used"][-1]) == (0.0, found["used"])


def test_a_proposal_fits_as_often_as_the_ledger_says(path: str) -> None:
    found = propose(CENSUS | {"expression": "Gaussian(10)"})
    ledger = hs.Ledger(path)
    times = int(ledger.left("census", "Gaussian(10)"))
    assert (found["fits"], found["times"]) == (True, times)
    assert f"{times} times in all" in found["sentence"]
    for _ in range(times):
        ledger.spend("census", "Gaussian(10)", by="ben", purpose="all of it")
    assert not propose(CENSUS | {"expression": "Gaussian(10)"})["fits"]
    with pytest.raises(hs.errors.BudgetExceeded):
        ledger.spend("census", "Gaussian(10)", by="ben", purpose="more")


def test_what_is_free_fits_for_ever(path: str) -> None:
    found = propose(CENSUS | {"expression": "Gaussian(inf)"})
    assert (found["fits"], found["times"]) == (True, "inf")


def test_the_share_of_delta_of_a_basic_budget(tmp_path: Path, path: str) -> None:
    hs.Ledger(path).open("basic", epsilon=3, delta="1e-6", unit="one", filter="basic")
    asked = {"name": "basic", "expression": "Gaussian(5)"}
    status, body = answered("budgets/{name}/propose", asked)
    assert (status, body["error"]["field"]) == (422, "expression")
    assert propose(asked | {"delta": "1e-7"})["fits"]
    status, body = answered("budgets/{name}/propose", asked | {"delta": 2})
    assert body["error"] == {
        "message": "delta must be in [0, 1), got 2.0", "field": "delta", "path": "delta"
    }  # fmt: skip


def test_verify_is_the_command_s(path: str) -> None:
    found = verify(CENSUS)
    assert found["ok"]
    assert found["sentence"].split() == call("ledger", "verify", path).stdout.split()


def test_a_changed_entry_is_seen(path: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER hockeystick_entries_stays")
        connection.execute(
            "UPDATE hockeystick_entries SET body = replace(body, 'ana', 'eve') WHERE number = 4"
        )
    connection.close()
    found = verify(CENSUS)
    assert not found["ok"]
    assert found["sentence"].startswith("Broken: ")
    assert "4" in found["sentence"]


def test_the_statement_is_the_command_s(path: str) -> None:
    found = budget_statement(CENSUS)
    printed = call("ledger", "export", path, "census", "--format", "statement").stdout
    assert found["text"] == printed.rstrip("\n")
    fields = call("ledger", "export", path, "census", "--format", "statement-json").stdout
    assert [found["fields"]] == json.loads(fields)


def test_nothing_is_written(path: str) -> None:
    def state() -> tuple[str, int]:
        data = Path(path)
        return hashlib.sha256(data.read_bytes()).hexdigest(), data.stat().st_mtime_ns

    before, entries = state(), len(list(hs.Ledger(path).entries()))
    asked: dict[str, Any] = CENSUS | {"expression": "Gaussian(20)"}
    names = [name for name in catalogue() if name.startswith("budgets")]
    assert len(names) == 5
    for name in names:
        assert answered(name, asked if name.endswith("propose") else CENSUS)[0] == 200
    assert state() == before
    assert len(list(hs.Ledger(path).entries())) == entries


def test_without_a_ledger_there_are_no_budgets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(where.LEDGER, "url", None)
    assert budgets({}) == {"ledger": None, "budgets": []}
    assert answered("budgets/{name}", CENSUS)[0] == 404


def test_a_password_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "postgresql://ana:hunter2@127.0.0.1:9/budget?connect_timeout=1"
    monkeypatch.setattr(where.LEDGER, "url", url)
    for name in ("budgets", "budgets/{name}", "budgets/{name}/verify"):
        status, body = answered(name, {} if name == "budgets" else CENSUS)
        assert status == 422
        assert "127.0.0.1:9/budget" in body["error"]["message"]
        assert "hunter2" not in json.dumps(body)
    assert "hunter2" not in repr(where.LEDGER)
