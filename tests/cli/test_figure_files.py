"""`hockeystick figure` as people type it."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

from hockeystick.figures import Figure, Progress, catalogue
from tests.support.command import answered, call, refused
from tests.support.small_figure import SMALL


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the figures that were computed: each is the small one."""
    found: list[str] = []

    def compute(name: str, progress: Progress) -> Figure:
        found.append(name)
        progress(1.0)
        return SMALL

    monkeypatch.setattr(catalogue, "compute", compute)
    return found


@pytest.mark.slow
def test_the_list_has_every_figure_and_what_it_shows() -> None:
    lines = answered("figure", "--list").splitlines()
    assert [line.split()[0] for line in lines] == catalogue.names()
    assert lines[0].startswith("balle-1  Amplification by three ways")


@pytest.mark.slow
def test_picture_and_numbers_are_written_and_nothing_is_printed(
    asked: list[str], tmp_path: Path
) -> None:
    picture, table = tmp_path / "a.png", tmp_path / "a.csv"
    done = call("figure", "wang-4", "-o", str(picture), "--data", str(table))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert asked == ["wang-4"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert len(list(csv.reader(table.read_text(encoding="utf-8").splitlines()))) == 11


def test_numbers_alone_need_no_matplotlib(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert call("figure", "wang-4", "--data", str(tmp_path / "a.csv")).returncode == 0
    assert (tmp_path / "a.csv").exists()
    line = refused(call("figure", "wang-4", "-o", str(tmp_path / "a.png")))
    assert "pip install 'hockeystick[plots]'" in line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("wang-99", "-o", "a.png"), "NAME must be one of balle-1, "),
        (("wang_4", "-o", "a.png"), "wang-10, got 'wang_4'"),
        ((), "NAME must be given"),
        (("wang-4",), "output must be given"),
        (("wang-4", "-o", "a.gif"), "must end in .png, .pdf or .svg, got 'a.gif'"),
        (("wang-4", "-o", "no/such/a.png"), "folder that exists, got 'no/such/a.png'"),
        (("wang-4", "--data", "no/such/a.csv"), "folder that exists, got 'no/such/a.csv'"),
    ],
)
def test_bad_input_is_one_line_before_any_work(
    arguments: tuple[str, ...], said: str, asked: list[str]
) -> None:
    assert said in refused(call("figure", *arguments))
    assert asked == []
