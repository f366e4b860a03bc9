"""How a command ends: output that fails, an interrupt, and the code of each."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "hockeystick.cli"]
RUN = "Gaussian(1.1).on(Poisson(0.01)) * 100"
SLOW_SWEEP = ("sweep", "Gaussian({s}).on(WithoutReplacement({n}, 60000)) * 10", "--delta", "1e-5")
GRID = ("--s", "1:20:60", "--n", "1,2,3,4", "--workers", "2")


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "latin-1", "cp437"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", RUN, "--delta", "1e-5"),
        ("plot", "Gaussian(1)", "--points", "5"),
        ("compare", RUN, "--delta", "1e-5"),
        ("figure", "--list"),
        ("epsilon", "Gaussian(ε)", "--delta", "1e-5"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_any_encoding_will_do(encoding: str, arguments: tuple[str, ...]) -> None:
    done = subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": encoding},
        check=False,
    )
    wrong = "ε" in "".join(arguments)
    assert done.returncode == (2 if wrong else 0)
    printed = (done.stderr if wrong else done.stdout).decode(encoding)
    assert "Traceback" not in printed
    if arguments[0] == "explain" and encoding != "utf-8":
        assert "standard deviation sigma = 1.1" in printed or "σ" in printed
    if arguments[0] == "plot":
        assert ("*" in printed) == (encoding != "utf-8")


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has it")
@pytest.mark.parametrize("arguments", [("epsilon", RUN), ("explain", RUN), ("sweep", RUN)])
def test_a_full_disk_is_one_line(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, *arguments, "--delta", "1e-5"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "Error: standard output: No space left on device\n"


@pytest.mark.slow
def test_a_closed_pipe_ends_quietly() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = subprocess.run(
            [*COMMAND, "rdp", "Gaussian(1)"], stdout=pipe, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="Linux has it")
@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.2, 0.8, 3.0])
@pytest.mark.parametrize(
    "arguments", [("conjecture", "--trials", "1000000"), (*SLOW_SWEEP, *GRID)], ids=["one", "pool"]
)
def test_an_interrupt_ends_it_within_two_seconds(
    seconds: float, arguments: tuple[str, ...]
) -> None:
    """As in a terminal, where Ctrl-C goes to the workers, too; as it starts and later."""
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs the tests in the background has all its children ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while "numpy" not in Path(f"/proc/{process.pid}/maps").read_text():
        time.sleep(0.005)  # how long a start takes depends on who else is busy
    time.sleep(seconds)
    began = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    try:
        output, errors = process.communicate(timeout=30)  # the workers hold the pipes, too
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert time.monotonic() - began < 20  # on a busy machine
    assert process.returncode == 130
    assert (output, errors) == ("", "Interrupted.\n")
