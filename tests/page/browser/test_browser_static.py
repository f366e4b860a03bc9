"""The files of the page: nothing inline, nothing from elsewhere, all there, types checked."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from hockeystick.page.app import STATIC

OWN = sorted(
    path
    for path in STATIC.rglob("*.*")
    if "vendor" not in path.parts and path.suffix in (".html", ".css", ".js", ".svg")
)
TYPES_REQUIRED = "HOCKEYSTICK_TSC_REQUIRED"
"""Where this variable is set, as it is in CI, a missing `tsc` is a failure, not a skip."""


class Links(HTMLParser):
    """What a page loads, and what the Content-Security-Policy would not let it do."""

    def __init__(self) -> None:
        super().__init__()
        self.files: list[str] = []
        self.forbidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.forbidden += [name for name in given if name == "style" or name.startswith("on")]
        if tag == "style" or (tag == "script" and "src" not in given):
            self.forbidden.append(tag)
        target = given.get("src") if tag in ("script", "img") else given.get("href")
        if target and not target.startswith("#"):
            self.files.append(target)


def links() -> Links:
    found = Links()
    found.feed((STATIC / "index.html").read_text(encoding="utf-8"))
    return found


def test_nothing_is_inline_and_every_file_is_there() -> None:
    found = links()
    assert found.forbidden == []
    assert [name for name in found.files if not (STATIC / name).is_file()] == []


def test_every_module_is_asked_for_at_once() -> None:
    """Otherwise each import waits for the one before it."""
    modules = {str(path.relative_to(STATIC)) for path in STATIC.rglob("*.js")}
    assert modules - {"base/types.js"} == {name for name in links().files if name.endswith(".js")}


@pytest.mark.parametrize("path", OWN, ids=lambda path: str(path.relative_to(STATIC)))
def test_nothing_comes_from_elsewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|//cdn|@import url|\beval\(|innerHTML|document\.write", text)
    assert len(text.splitlines()) <= 300


def test_the_plots_come_with_their_licence() -> None:
    assert "MIT License" in (STATIC / "vendor/uplot/LICENSE").read_text(encoding="utf-8")


@pytest.mark.slow
def test_types() -> None:
    compiler = shutil.which("tsc")
    if compiler is None:
        assert not os.environ.get(TYPES_REQUIRED), "tsc is not installed"
        pytest.skip("tsc is not installed: npm install -g typescript")
    command = [compiler, "-p", str(STATIC / "jsconfig.json")]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.stdout == ""
    assert checked.returncode == 0
