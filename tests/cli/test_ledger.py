"""`ledger`: from an empty file to an audit, as a team would."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import sys
from pathlib import Path

import pytest

from hockeystick.ledger.stores.base import TABLE
from tests.support.command import call

SPEND = ("--by", "ana", "--purpose", "weekly model")


@pytest.fixture
def path(tmp_path: Path) -> str:
    path = str(tmp_path / "budget.db")
    assert call("ledger", "init", path).returncode == 0
    done = call("ledger", "open", path, "census", "--epsilon", "1", "--unit", "one person")
    assert done.stdout == "census is open  (entry 1; filter: basic)\n"
    return path


def spend(path: str, expression: str, *more: str) -> tuple[int, str]:
    done = call("ledger", "spend", path, "census", expression, *SPEND, *more)
    return done.returncode, done.stdout + done.stderr


def test_a_walk(path: str) -> None:
    assert spend(path, "PureDP(1/4)", "--key", "w46") == (
        0,
        "PureDP(1/4) is charged  (entry 2; 25.00% spent)\n",
    )
    assert spend(path, "PureDP(1/4)", "--key", "w46")[1].startswith(
        "PureDP(1/4) was charged before"
    )
    code, said = spend(path, "Laplace(1)")
    assert (code, said.startswith("Refused: Laplace(1) does not fit")) == (1, True)
    for _ in range(2):
        assert spend(path, "PureDP(0.2)")[0] == 0
    shown = call("ledger", "show", path).stdout
    assert "census: (1, 0)-DP for one person, add-remove, adaptive" in shown
    assert "65.00% spent" in shown
    assert "part of the budget spent, by days since it was opened:" in shown
    assert shown.count("weekly model") == 3
    assert call("ledger", "left", path, "census", "PureDP(0.05)").stdout == "7 times\n"
    assert call("ledger", "left", path, "census", "PureDP(0.5)").returncode == 1


def test_verify_says_what_is_broken(path: str) -> None:
    spend(path, "PureDP(1/4)")
    found = call("ledger", "verify", path)
    assert found.stdout.startswith("2 entries of 1 budgets are as they were written.\n")
    connection = sqlite3.connect(path)
    connection.execute(f"DROP TRIGGER {TABLE}_stays")
    connection.execute(f"UPDATE {TABLE} SET body = replace(body, 'ana', 'ben')")
    connection.commit()
    connection.close()
    found = call("ledger", "verify", path)
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr == "Broken: entry 2 is broken: it is not as it was written\n"


def test_exports(path: str, tmp_path: Path) -> None:
    spend(path, "PureDP(1/4)", "--key", "w46")
    rows = list(
        csv.DictReader(io.StringIO(call("ledger", "export", path, "--format", "csv").stdout))
    )
    assert [row["kind"] for row in rows] == ["open", "spend"]
    assert rows[1]["expression"] == "PureDP(1/4)"
    lines = call("ledger", "export", path, "census").stdout.splitlines()
    assert json.loads(lines[1])["entry"]["previous"] == json.loads(lines[0])["hash"]
    target = tmp_path / "statement.json"
    call("ledger", "export", path, "--format", "statement-json", "--output", str(target))
    (said,) = json.loads(target.read_text())
    expected = {"unit": "one person", "relation": "add-remove", "epsilon": "1", "delta": "0"}
    assert {name: said[name] for name in expected} == expected
    assert said["mechanisms"] == [{"mechanism": "PureDP(1/4)", "times": 1}]
    page = call("ledger", "export", path, "--format", "statement").stdout
    assert "(1, 0)-differentially private for one person" in page
    assert json.loads(call("ledger", "show", path, "--json").stdout)["census"]["used"] == 0.25


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("init", "{path}"), "is there already; nothing was changed"),
        (("verify", "{path}.not"), "there is no ledger"),
        (("spend", "{path}", "census", "Nonsense(1)", *SPEND), "Nonsense"),
        (("spend", "{path}", "survey", "PureDP(0.1)", *SPEND), "budget must be an opened one"),
        (("open", "{path}", "b", "--epsilon", "x", "--unit", "y"), "epsilon must be a number"),
        (("show", "{path}", "'; DROP"), "budget must be a name"),
        (("show", "mysql://u:secret@h/d"), "url must begin with"),
    ],
)
def test_bad_input_is_one_line(path: str, arguments: tuple[str, ...], message: str) -> None:
    done = call("ledger", *(each.format(path=path) for each in arguments))
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert message in done.stderr
    assert "secret" not in done.stderr
    assert call("ledger", "verify", path).stdout.startswith("1 entries")


def test_no_budget_is_said(tmp_path: Path) -> None:
    path = str(tmp_path / "budget.db")
    call("ledger", "init", path)
    assert call("ledger", "show", path).stdout == "No budget is open.\n"


def test_a_store_that_is_not_installed_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    done = call("ledger", "show", "postgresql://ana:secret@127.0.0.1:1/none")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "Error: a ledger in PostgreSQL needs psycopg: pip install 'hockeystick[postgres]'\n"
    )
