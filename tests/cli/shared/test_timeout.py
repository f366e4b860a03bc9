"""`--timeout`: a command that takes too long says so, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from hockeystick.cli.main import main
from hockeystick.cli.shared.timeout import EXIT_CODE, GRACE
from tests.support.command import answered, call, refused, run

SLOW = "ProfileDP(ProfileDP(Gaussian(0.5)) * 3) * 2"
"""Takes minutes, if it is ever answered."""
START = 20.0
"""Seconds that a busy machine may take to start a process and import all it needs."""


def stopped(done: subprocess.CompletedProcess[str], seconds: str) -> None:
    assert (done.returncode, done.stdout) == (EXIT_CODE, "")
    # Before it, Python may tell of a file that an import had open.
    last = done.stderr.splitlines()[-1]
    assert last == f"Error: stopped after {seconds} seconds, as --timeout asks"


@pytest.mark.parametrize("name", main.list_commands(click.Context(main)))
def test_every_command_has_it(name: str) -> None:
    command = (name, "show") if name == "ledger" else (name,)  # a group: each of its commands
    assert "--timeout SECONDS" in call(*command, "--help").stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("epsilon", SLOW, "--delta", "1e-5"),
        ("rdp", SLOW),
        ("calibrate", f"{SLOW} + Gaussian(?)", "--epsilon", "1", "--delta", "1e-5"),
        ("conjecture", "--trials", "1000000"),
    ],
)
def test_slow_work_is_stopped(arguments: tuple[str, ...]) -> None:
    began = time.monotonic()
    stopped(run(*arguments, "--timeout", "0.5"), "0.5")
    assert time.monotonic() - began < 0.5 + GRACE + START


def test_waiting_for_standard_input_is_stopped() -> None:
    reading, writing = os.pipe()
    try:
        command = ("epsilon", "-", "--delta", "1e-5", "--timeout", "0.2")
        done = subprocess.run(
            [sys.executable, "-m", "hockeystick.cli", *command],
            stdin=reading,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(reading)
        os.close(writing)
    stopped(done, "0.2")


@pytest.mark.slow
def test_a_long_call_into_numpy_is_stopped() -> None:
    """It comes back to Python, where an interrupt is noticed, after a minute only."""
    code = (
        "import numpy as np\n"
        "from hockeystick.cli.shared.timeout import stopped_after\n"
        "with stopped_after(0.2):\n"
        "    np.convolve(np.ones(1_500_000), np.ones(1_500_000))\n"
    )
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=False
    )
    stopped(done, "0.2")
    assert 0.2 + GRACE < time.monotonic() - began < 0.2 + GRACE + START


def with_mark(mark: str) -> list[str]:
    """The processes that have this in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text())
        except OSError:  # it is gone
            continue
    return found


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
def test_a_sweep_leaves_no_file_and_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = f"A_MARK={tmp_path}"
    monkeypatch.setenv("A_MARK", str(tmp_path))
    table = tmp_path / "out.csv"
    table.write_text("as it was")
    family = "ProfileDP(ProfileDP(Gaussian({s})) * 3) * 2"
    done = run(
        "sweep", family, "--s", "0.5,0.6,0.7,0.8", "--delta", "1e-5", "--workers", "2",
        "-o", str(table), "--timeout", "4",
    )  # fmt: skip
    stopped(done, "4")
    assert table.read_text() == "as it was"
    assert os.listdir(tmp_path) == ["out.csv"]
    time.sleep(0.5)
    assert with_mark(mark) == []


def test_quick_work_is_as_without() -> None:
    question = ("epsilon", "Gaussian(1)", "--delta", "1e-5")
    assert answered(*question, "--timeout", "100") == answered(*question)
    assert call(*question, "--timeout", "1e300").returncode == 0
    assert call("steps", "Laplace(1)", "--epsilon", "0.5", "--delta", "0", "--timeout", "50") \
        .returncode == 1  # fmt: skip
    assert "delta must be in" in refused(call(*question[:2], "--delta", "2", "--timeout", "50"))


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf"])
def test_it_is_a_number_of_seconds(value: str) -> None:
    line = refused(call("epsilon", "Gaussian(1)", "--delta", "1e-5", "--timeout", value))
    assert "timeout must be in (0, inf)" in line


def test_it_is_a_number() -> None:
    line = refused(call("epsilon", "Gaussian(1)", "--delta", "1e-5", "--timeout", "1e400"))
    assert "it is too large a number" in line
