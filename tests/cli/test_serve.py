"""`serve`: as people start it, what it prints, and what it says where it cannot."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import hockeystick as hs
from tests.support.command import call, refused

SERVE = [sys.executable, "-m", "hockeystick.cli", "serve", "--no-open", "--port", "0"]


def asked(address: str, token: str | None = None) -> int:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    request = urllib.request.Request(f"{address}/api/budgets", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@pytest.mark.slow
def test_a_page_with_a_ledger_until_it_is_interrupted(tmp_path: Path) -> None:
    path = str(tmp_path / "budget.db")
    hs.Ledger(path, create=True).open("census", epsilon=1, unit="one person")
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*SERVE, path], text=True, **pipes) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        address = process.stdout.readline().removeprefix("The page is at ").strip()
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{address}api/budgets", timeout=60) as answer:
            assert [each["name"] for each in json.load(answer)["budgets"]] == ["census"]
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr.read() == "Interrupted.\n"


@pytest.mark.slow
def test_a_host_that_others_reach_needs_the_token() -> None:
    command = [*SERVE, "--host", "0.0.0.0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = json.loads(process.stdout.readline())
            here = f"http://127.0.0.1:{said['address'].rpartition(':')[2]}"
            codes = [asked(here, token) for token in (None, "guess", said["token"])]
            assert codes == [401, 401, 200]
        finally:
            process.terminate()


def test_a_ledger_that_is_not_there() -> None:
    assert "there is no ledger nowhere.db" in refused(call("serve", "nowhere.db"))


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert "must be free to listen at" in refused(call("serve", "--no-open", "--port", port))


def test_a_host_that_is_none() -> None:
    said = refused(call("serve", "--no-open", "--host", "no.such.host.invalid"))
    assert "must be free to listen at, got no.such.host.invalid" in said


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("hockeystick.page")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = call("serve")
    assert done.returncode == 2
    assert "pip install 'hockeystick[page]'" in done.stderr


@pytest.mark.slow
def test_a_page_for_a_while() -> None:
    done = subprocess.run(
        [*SERVE, "--timeout", "1"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 124
    assert done.stderr == "Error: stopped after 1 seconds, as --timeout asks\n"
    assert "timeout must be in (0, inf), got 0.0" in refused(call("serve", "--timeout", "0"))
