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
from tests.support.pages import DOCS, same, sessions, shell

PAGE = DOCS.parent / "CONTRIBUTING.md"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"# (src/\S+)\n")


def blocks(language: str) -> list[str]:
    return [text for kind, text in _BLOCK.findall(PAGE.read_text("utf-8")) if kind == language]


def named(block: str) -> tuple[str, str]:
    """The file that the first line of a block names, and the lines below."""
    first = _FILE.match(block)
    assert first, block
    return first[1], block[first.end() :]


def add_file(root: Path, name: str, text: str) -> None:
    path = root / name
    assert not path.exists()
    path.write_text(text, encoding="utf-8")


def change_file(root: Path, name: str, lines: str) -> None:
    """Lines that begin with - give way to those with + that follow them."""
    path = root / name
    text = path.read_text(encoding="utf-8")
    hunks = re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)+)", lines, re.MULTILINE)
    assert hunks
    for hunk in hunks:
        old, new = (re.sub(r"^.", "", part, flags=re.MULTILINE) for part in hunk)
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
        add_file(root, *named(block))
    for block in blocks("diff"):
        change_file(root, *named(block))
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


@pytest.mark.slow
@pytest.mark.usefixtures("_inside")
def test_the_examples_of_the_page(copy: Path) -> None:
    examples = copy / "examples.md"
    examples.write_text("\n".join(blocks("pycon")), encoding="utf-8")
    assert "hs.AllOrNothing" in examples.read_text("utf-8")
    run("-m", "doctest", str(examples), folder=copy)


@pytest.mark.slow
@pytest.mark.usefixtures("_inside")
def test_the_examples_of_the_added_files(copy: Path) -> None:
    texts = dict(map(named, blocks("python")))
    examples = {name: text.count(">>> ") for name, text in texts.items() if ">>> " in text}
    assert len(examples) >= 2
    for name, count in examples.items():
        module = name.removeprefix("src/").removesuffix(".py").replace("/", ".")
        code = f"import doctest, {module} as m; print(doctest.testmod(m))"
        assert run("-c", code, folder=copy) == f"TestResults(failed=0, attempted={count})\n"


@pytest.mark.slow
@pytest.mark.usefixtures("_inside")
@pytest.mark.parametrize(("command", "output"), list(sessions(PAGE)))
def test_the_commands_of_the_page(copy: Path, command: str, output: str) -> None:
    printed = shell(command, copy)
    assert same(printed, output), printed


def test_the_style_of_the_added_files(copy: Path) -> None:
    files = [str(copy / named(block)[0]) for block in blocks("python")]
    settings = str(PAGE.with_name("pyproject.toml"))
    for check in (["check"], ["format", "--check"]):
        assert run("-m", "ruff", *check, "--config", settings, *files, folder=copy)


@pytest.mark.slow
@pytest.mark.usefixtures("_inside")
def test_the_laws_run_over_the_added_classes_by_themselves() -> None:
    """The laws of this repository, over the classes of the copy."""
    options = ["-n", "0", "-v", "-p", "no:cacheprovider", "-k", "Uniform or AllOrNothing"]
    printed = run("-m", "pytest", *options, "tests/laws", folder=PAGE.parent)
    passed = re.findall(r"(Uniform|AllOrNothing)\] PASSED", printed)
    assert passed.count("Uniform") >= 10
    assert passed.count("AllOrNothing") >= 3
