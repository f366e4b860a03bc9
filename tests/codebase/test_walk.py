"""The walk through the source: what is counted, on a package of two files."""

from __future__ import annotations

import importlib.util
import io
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from rich.console import Console

from benchmarks import walk

HERE = """
def outer(there):
    return inner(there) + sum(inner(there) for _ in range(2)) + (lambda: inner(there))()

def inner(there):
    return there.leaf()
"""
THERE = """
def leaf():
    return sorted([2, 1], key=key)[0]

def key(number):
    return number

def never():
    pass
"""


def module(folder: Path, name: str, source: str) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_named_functions_are_counted_by_file_and_depth(tmp_path: Path) -> None:
    here, there = module(tmp_path, "here", HERE), module(tmp_path, "there", THERE)
    steps = walk.walk(lambda: here.outer(there), tmp_path)
    # outer > inner > leaf > key, and eight changes: into here, and between the two files after it
    assert steps.numbers == (4, 2, 4, 8)
    assert steps.depth == 0
    assert {function.name: count for function, count in steps.calls.items()} == {
        "outer": 1, "inner": 4, "leaf": 4, "key": 8,
    }  # fmt: skip
    assert steps.lines()[0].split() == ["1", "1", "1", "here.py:2", "outer"]
    assert [line.split()[2] for line in steps.lines()] == ["1", "3", "4", "0"]
    assert walk.walk(lambda: here.outer(there), tmp_path / "elsewhere").numbers == (0, 0, 0, 0)


def test_an_error_ends_the_walk(tmp_path: Path) -> None:
    broken = module(tmp_path, "broken", "def f():\n    return g()\ndef g():\n    1 / 0\n")
    with pytest.raises(ZeroDivisionError):
        walk.walk(broken.f, tmp_path)
    assert walk.walk(lambda: None, tmp_path).numbers == (0, 0, 0, 0)
    assert sys.getprofile() is None


@pytest.mark.slow
def test_a_question_is_measured_warm_and_alike_each_time() -> None:
    name = "Poisson ε"
    (first, lines), (second, _) = (walk.measured([name], 1)[name] for _ in range(2))
    assert first == second
    assert len(lines) == first[0] > 20
    assert any("mechanism.py" in line and "epsilon" in line for line in lines)


def test_the_table_tells_what_misses_its_goal() -> None:
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(walk.table({"Poisson ε": (60, 10, 14, 61)}))
    (row,) = (line for line in console.export_text(styles=True).splitlines() if "Poisson" in line)
    assert "110/16/21/171" in row
    assert "\x1b[31m61\x1b[0m" in row
    assert "\x1b[32m60\x1b[0m" in row


def on_the_page() -> dict[str, list[list[int]]]:
    """What docs/architecture.md says: the first edition, now, and the aim of each question."""
    page = Path(__file__).parents[2] / "docs" / "architecture.md"
    rows = re.findall(r"^\| ([^|]+) \|((?: \d+/\d+/\d+/\d+ \|){3})$", page.read_text("utf-8"), re.M)
    return {
        name: [list(map(int, n.split("/"))) for n in row.strip(" |").split(" | ")]
        for name, row in rows
    }


@pytest.mark.slow
def test_no_walk_is_longer_than_the_page_says() -> None:
    said = on_the_page()
    assert list(said) == list(walk.QUESTIONS)
    for name, (now, _) in walk.measured(list(said)).items():
        first, bound, aim = said[name]
        assert (tuple(first), tuple(aim)) == (
            walk.QUESTIONS[name].first_edition,
            walk.QUESTIONS[name].goal,
        )
        assert all(n <= most for n, most in zip(now, bound, strict=True)), (name, now)
