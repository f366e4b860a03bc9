"""docs/architecture.md draws the tree that there is, and its picture names files that there are."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import hockeystick
from tests.support.pages import DOCS

SOURCE = Path(str(hockeystick.__file__)).parent
PAGE = DOCS / "architecture.md"
DRAWING = DOCS / "images" / "draw_walk.py"


def entries() -> dict[str, str]:
    """Each path of the tree, below src/hockeystick, with what is said of it."""
    tree = re.search(r"```text\nsrc/hockeystick/\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert tree
    words: dict[str, str] = {}
    folders = [""]
    for line in tree[1].splitlines():
        indent, name, said = re.findall(r"^((?:  )+)(\S+) +(\S.*)$", line)[0]
        folders[len(indent) // 2 :] = [name]
        words["".join(folders)] = said
    return words


def children(folder: Path) -> set[str]:
    """Modules, and packages with a slash, but for dunder names."""
    paths = [path for path in folder.iterdir() if not path.name.startswith(("_", "py.typed"))]
    return {f"{path.name}/" if path.is_dir() else path.name for path in paths}


def test_the_tree_is_that_of_the_source() -> None:
    listed = set(entries())
    missing = {path for path in listed if not (SOURCE / path).exists()}
    assert not missing
    assert {path for path in listed if path.count("/", 0, -1) == 0} == children(SOURCE)
    opened = {path.rpartition("/")[0] for path in (p.rstrip("/") for p in listed) if "/" in path}
    assert {"loss", "routes", "numerics"} <= opened
    for folder in opened:
        below = {p.removeprefix(f"{folder}/") for p in listed if p.startswith(f"{folder}/")} - {""}
        assert {p for p in below if p.count("/", 0, -1) == 0} == children(SOURCE / folder), folder


def test_files_that_the_pages_name_are_there() -> None:
    places = (SOURCE, DOCS.parent)
    pages = [*DOCS.glob("*.md"), DOCS.parent / "README.md"]
    names = {
        (page.name, name)
        for page in pages
        for name in re.findall(r"`((?:[a-z_]+/)*[a-z_]+(?:\.py|/))`", page.read_text("utf-8"))
    }
    assert len(names) > 30
    missing = {each for each in names if not any((place / each[1]).exists() for place in places)}
    assert not missing


@pytest.fixture
def drawing(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("draw_walk", DRAWING)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "draw_walk", module)
    spec.loader.exec_module(module)
    return module


def test_the_picture_names_files_that_are_there(drawing: ModuleType) -> None:
    boxes = [*drawing.STATIONS, *drawing.ROUTES, *drawing.ANSWERS]
    assert not [box.file for box in boxes if not (SOURCE / box.file).exists()]
    picture = DRAWING.with_name("walk.svg").read_text(encoding="utf-8")
    for box in boxes:
        for words in (box.title, box.file, *box.lines):  # else it was not drawn again
            assert f">{words}</text>" in picture
    assert f"]({DRAWING.parent.name}/walk.svg)" in PAGE.read_text("utf-8")


def test_every_route_has_its_box(drawing: ModuleType) -> None:
    from hockeystick.routes.auto import ROUTES

    assert [box.title for box in drawing.ROUTES][::-1] == list(ROUTES)
