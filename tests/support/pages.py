"""The pages of the documentation: what they say a command prints."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.support.command import PLAIN

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [*sorted((DOCS / "commands").glob("*.md")), DOCS / "tutorial.md"]
PAGES += [DOCS / "which-sampler.md", DOCS / "ledger.md"]

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def sessions(page: Path) -> Iterator[tuple[str, str]]:
    """Each command of the console blocks, and what the page says it prints."""
    for language, text in _BLOCK.findall(page.read_text(encoding="utf-8")):
        if language != "console":
            continue
        for piece in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command = re.match(r"(?:.*\\\n)*.*\n", piece)
            assert command
            yield command[0], piece[command.end() :]


def write_files(page: Path, folder: Path) -> None:
    """Write the blocks that begin with a comment that names a file."""
    for language, text in _BLOCK.findall(page.read_text(encoding="utf-8")):
        named = re.match(r"# (\w+\.toml)\n", text)
        if language == "toml" and named:
            (folder / named[1]).write_text(text, encoding="utf-8")


def shell(command: str, folder: Path) -> str:
    """What a shell prints in which `hockeystick` is this version of it."""
    script = folder / "bin" / "hockeystick"
    if not script.exists():
        script.parent.mkdir(exist_ok=True)
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hockeystick.cli "$@"\n')
        script.chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        cwd=folder,
        env=os.environ | PLAIN | {"PATH": f"{script.parent}:{os.environ['PATH']}"},
    )
    return done.stdout


def same(one: str, other: str) -> bool:
    """Whether two outputs agree, numbers to nine digits (other machines round otherwise)."""
    return _words(one) == _words(other) and all(
        math.isclose(a, b, rel_tol=1e-9)
        for a, b in zip(_numbers(one), _numbers(other), strict=True)
    )


def _words(text: str) -> list[str]:
    return [line.rstrip() for line in _NUMBER.sub("#", text).splitlines()]


def _numbers(text: str) -> list[float]:
    return [float(number) for number in _NUMBER.findall(text)]
