"""A worker's process: answers through pipes, prints elsewhere, ends with its server."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hockeystick.page import frames
from hockeystick.page.resource import Resource
from hockeystick.page.schema import record
from hockeystick.page.worker import answered


@pytest.mark.slow
def test_questions_and_answers_through_pipes() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "hockeystick.page.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(frames.framed({"ledger": None}))
    process.stdin.flush()
    assert (frames.read(process.stdout), frames.read(process.stdout)) == (
        {"status": 200, "retire": False},
        {},
    )
    asked = {"run": {"expression": "Laplace(2)"}, "delta": 0}
    process.stdin.write(frames.framed({"name": "epsilon", "asked": asked}))
    process.stdin.flush()
    assert frames.read(process.stdout)["status"] == 200
    assert frames.read(process.stdout)["epsilon"] == 0.5
    process.stdin.close()
    assert process.wait(10) == 0
    process.stdout.close()


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (MemoryError(), 422, "more memory than the page may use"),
        (RecursionError(), 422, "more memory than the page may use"),
        (KeyError("secret of the trace"), 500, "a defect of hockeystick"),
    ],
)
def test_what_fails_is_said_without_its_trace(
    error: Exception,
    status: int,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(asked: object) -> dict[str, object]:
        raise error

    wrong = Resource("wrong", "", fail, record())
    monkeypatch.setattr("hockeystick.page.worker.catalogue", lambda: {"wrong": wrong})
    code, body = answered("wrong", {})
    assert code == status
    assert words in body["error"]["message"]
    assert "secret" not in str(body)
    assert ("secret" in capsys.readouterr().err) == (status == 500)
