"""`figure --json`: the figures by name, and the numbers of one."""

from __future__ import annotations

from pathlib import Path

import pytest

from hockeystick.figures import Figure, Progress, catalogue, described
from tests.support.command import read_json, refused, run, shape
from tests.support.small_figure import SMALL


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every figure is the small one."""

    def compute(name: str, progress: Progress) -> Figure:
        progress(1.0)
        return SMALL

    monkeypatch.setattr(catalogue, "compute", compute)


def test_the_list_as_json() -> None:
    found = read_json("figure", "--list")
    assert shape(found) == {"figures": [{"name": "text", "shows": "text"}]}
    assert {each["name"]: each["shows"] for each in found["figures"]} == described()


@pytest.mark.usefixtures("_small")
def test_the_numbers_as_json_need_no_file() -> None:
    found = read_json("figure", "wang-4")
    assert (found["picture"], found["data"]) == (None, None)
    assert (found["name"], found["source"]) == ("small-1", "nobody (2026), Figure 1")
    left, right = found["panels"]
    assert (left["title"], left["x_label"], left["y_label"]) == (
        "left, with a comma", "order α", "ε (nats)"
    )  # fmt: skip
    assert left["curves"][1] == {"name": "second", "x": [1, 10, 100], "y": [1e-3, "inf", 2]}
    assert [curve["name"] for curve in right["curves"]] == ["first", "dots"]


@pytest.mark.slow
@pytest.mark.usefixtures("_small")
def test_the_files_that_were_written_are_named(tmp_path: Path) -> None:
    picture, data = str(tmp_path / "a.png"), str(tmp_path / "a.csv")
    found = read_json("figure", "wang-4", "-o", picture, "--data", data)
    assert (found["picture"], found["data"]) == (picture, data)
    assert Path(picture).read_bytes().startswith(b"\x89PNG")
    assert Path(data).read_text(encoding="utf-8").startswith("panel,curve,x,y\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--json",), "NAME must be given, as in: hockeystick figure wang-4 -o wang-4.png"),
        (("wang4", "--json"), "NAME must be one of balle-1, "),
        (("wang4", "--json"), "got 'wang4'; did you mean wang-4?"),
        (("wang-4",), "--json for numbers"),
        (("wang-4", "--json", "-o", "a.gif"), "must end in .png, .pdf or .svg"),
        (("wang-4", "--json", "--data", "no/such/a.csv"), "folder that exists"),
        (("wang-4", "--method", "auto"), "No such option '--method'"),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], said: str) -> None:
    assert said in refused(run("figure", *arguments))
