"""CONTRIBUTING.md is tried: its files are added to a copy of the package, and its examples run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hockeystick
from tests.docs.pages import DOCS, same, sessions, shell

PAGE = DOCS.parent / "CONTRIBUTING.md"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"# (src/\S+)\n")


def blocks(language: str) -> list[str]:
    return [text for kind, text in _BLOCK.findall(PAGE.read_text("utf-8")) if kind == language]


def add_file(block: str, root: Path) -> Path:
    """The file that a block begins with, without that line; there was none."""
    named = _FILE.match(block)
    assert named, block
    path = root / named[1]
    assert not path.exists()
    path.write_text(block[named.end() :], encoding="utf-8")
    return path


def change_file(block: str, root: Path) -> None:
    """Lines that begin with - give way to those with + that follow them."""
    named = _FILE.match(block)
    assert named, block
    path = root / named[1]
    text = path.read_text(encoding="utf-8")
    for hunk in re.findall(r"(?:^-.*\n)+(?:^\+.*\n)+", block[named.end() :], re.MULTILINE):
        lines = hunk.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] == "-")
        new = "".join(line[1:] for line in lines if line[0] == "+")
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with all that the page adds."""
    root = tmp_path_factory.mktemp("contributing")
    package = Path(str(hockeystick.__file__)).parent
    unused = shutil.ignore_patterns("__pycache__")
    shutil.copytree(package, root / "src" / "hockeystick", ignore=unused)
    for block in blocks("python"):
        add_file(block, root)
    for block in blocks("diff"):
        change_file(block, root)
    return root


@pytest.fixture
def _inside(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that are started import the copy."""
    monkeypatch.setenv("PYTHONPATH", str(copy / "src"))


def run(*words: str, folder: Path) -> str:
    command = [sys.executable, *words]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=os.environ, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.usefixtures("_inside")
def test_the_examples_of_the_page(copy: Path) -> None:
    examples = copy / "examples.md"
    examples.write_text("\n".join(blocks("pycon")), encoding="utf-8")
    assert "hs.AllOrNothing" in examples.read_text("utf-8")
    run("-m", "doctest", str(examples), folder=copy)


@pytest.mark.usefixtures("_inside")
def test_the_examples_of_the_added_files(copy: Path) -> None:
    files = [path for block in blocks("python") if (path := copy / str(_FILE.match(block)[1]))]
    with_examples = [path for path in files if ">>> " in path.read_text("utf-8")]
    assert len(with_examples) >= 2
    for path in with_examples:
        module = ".".join(path.relative_to(copy / "src").with_suffix("").parts)
        code = (
            f"import doctest, {module} as m; r = doctest.testmod(m); print(r.failed, r.attempted)"
        )
        failed, attempted = run("-c", code, folder=copy).split()[-2:]
        assert (failed, attempted > "0") == ("0", True)


@pytest.mark.usefixtures("_inside")
@pytest.mark.parametrize(("command", "output"), list(sessions(PAGE)))
def test_the_commands_of_the_page(copy: Path, command: str, output: str) -> None:
    printed = shell(command, copy)
    assert same(printed, output), printed


@pytest.mark.usefixtures("_inside")
def test_types_and_style_of_the_added_files(copy: Path) -> None:
    files = [str(copy / str(_FILE.match(block)[1])) for block in blocks("python")]
    settings = str(PAGE.with_name("pyproject.toml"))
    run("-m", "ruff", "check", "--config", settings, *files, folder=copy)
    run("-m", "ruff", "format", "--check", "--config", settings, *files, folder=copy)
