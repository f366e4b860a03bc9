"""Ctrl-C while something is imported: the exit code is the one that the command asks for."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import os, signal, sys, time
from contextlib import nullcontext
from hockeystick.cli.shared.interrupt import interruptible

signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    with {how}():
        exec("os.kill(os.getpid(), signal.SIGINT); time.sleep(60)")
except KeyboardInterrupt:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    sys.exit(130)
"""


def ends_with(code: str, folder: Path) -> int:
    """What a module ends with that `python -m` runs."""
    (folder / "interrupted.py").write_text(code)
    return subprocess.run(
        [sys.executable, "-m", "interrupted"], cwd=folder, check=False, timeout=60
    ).returncode


@pytest.mark.skipif(sys.platform == "win32", reason="there a signal is no exit code")
@pytest.mark.parametrize(("how", "code"), [("interruptible", 130), ("nullcontext", -signal.SIGINT)])
def test_an_interrupt_within_an_import(how: str, code: int, tmp_path: Path) -> None:
    """Without it Python would end the process by the signal: the second row is why it is there."""
    assert ends_with(CODE.format(how=how), tmp_path) == code


@pytest.mark.skipif(sys.platform == "win32", reason="there a signal is no exit code")
def test_who_ignores_an_interrupt_goes_on_ignoring_it(tmp_path: Path) -> None:
    code = CODE.replace("default_int_handler)\ntry", "SIG_IGN)\ntry").replace("time.sleep(60)", "0")
    assert ends_with(code.format(how="interruptible"), tmp_path) == 0
