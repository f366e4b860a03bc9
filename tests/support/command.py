"""Runs the command and looks at what it printed.

`run` starts it as people do, in a process of its own; `call` does the same in this process, where
many small cases would take long to start.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hockeystick.cli.main import main

PLAIN = {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}


def run(
    *arguments: str, stdin: str | bytes = "", cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """`hockeystick` with these arguments; a warning is an error."""
    given = stdin if isinstance(stdin, bytes) else stdin.encode()
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "hockeystick.cli", *arguments],
        input=given,
        capture_output=True,
        timeout=120,
        check=False,
        cwd=cwd,
        env=os.environ | PLAIN,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def call(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """The same in this process."""
    done = CliRunner().invoke(main, arguments, input=stdin, env=PLAIN, prog_name="hockeystick")
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


def answered(*arguments: str, code: int = 0, stdin: str = "") -> str:
    """What the command prints when all is well."""
    done = call(*arguments, stdin=stdin)
    assert (done.returncode, done.stderr) == (code, "")
    return done.stdout


def read_json(*arguments: str, code: int = 0) -> Any:
    """The JSON that the command prints in this process."""
    done = call(*arguments, "--json")
    assert (done.returncode, done.stderr) == (code, "")
    return parsed(done.stdout)


def parsed(text: str) -> Any:
    """The value of a JSON text, in which no number is missing a word."""
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that the command says of bad input."""
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


def shape(value: Any) -> Any:
    """The kinds of a JSON value: the schema, as far as it needs to be stated.

    >>> shape({"a": 1.5, "b": [{"c": "x"}, {"c": "y"}]})
    {'a': 'number', 'b': [{'c': 'text'}]}
    """
    if isinstance(value, dict):
        return {key: shape(each) for key, each in value.items()}
    if isinstance(value, list):
        shapes = [shape(each) for each in value]
        assert all(each == shapes[0] for each in shapes)
        return shapes[:1]
    return {bool: "truth", str: "text"}.get(type(value), "number")


BOUND = {
    "lower": "number", "upper": "number", "method": "text", "certified": "truth", "relation": "text"
}  # fmt: skip
