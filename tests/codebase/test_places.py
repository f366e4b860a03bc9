"""Every test file has a place that can be guessed, and shares code by way of few packages."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "src" / "hockeystick"
FILES = sorted(TESTS.rglob("*.py"))

HOMES = {
    "codebase": "the code itself: names, imports, places",
    "docs": "what the documentation says",
    "fuzz": "the fuzzer of `benchmarks`",
    "laws": "what holds for every mechanism, sampler and loss",
    "oracles": "implementations of their own, without the library, and their tests",
    "peers": "the same questions asked of other libraries",
    "reference": "tables of values in high precision, and closed forms of the literature",
    "regressions": "what was once answered wrongly, here or elsewhere",
}
"""Folders of whole-library checks; every other folder mirrors one of the source."""
SHARED = {"oracles", "reference", "support"}
"""What a test may import, besides what is in its own folder."""


def label(path: Path) -> str:
    return str(path.relative_to(TESTS))


def names_in(folder: Path) -> set[str]:
    """What the tests of a folder can be named after: its modules, its packages and itself."""
    source = SOURCE / folder
    files = {path.stem for path in source.glob("*.py") if not path.stem.startswith("_")}
    packages = {path.parent.name for path in source.glob("*/__init__.py")}
    return files | packages | {source.name}


def misplaced(files: list[Path]) -> Iterator[str]:
    for path in files:
        folder, name = path.parent.relative_to(TESTS), path.stem.removeprefix("test_")
        if folder.parts[:1] and folder.parts[0] in HOMES:
            continue
        if not any(name == module or name.startswith(f"{module}_") for module in names_in(folder)):
            yield f"{label(path)} is named after nothing in src/hockeystick/{folder}"


def test_tests_are_where_their_source_is() -> None:
    """tests/<package>/test_<module>.py, or test_<module>_<aspect>.py."""
    assert not list(misplaced([path for path in FILES if path.name.startswith("test_")]))


def test_a_file_without_a_source_is_seen() -> None:
    strange = ["test_unheard_of.py", "loss/test_poisson.py", "nowhere/test_bound.py"]
    assert len(list(misplaced([TESTS / name for name in strange]))) == 3


def imports(path: Path) -> Iterator[list[str]]:
    """What a file imports from the tests, as the parts of its name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests"):
            yield f"{node.module}.{node.names[0].name}".split(".")


def test_shared_code_is_in_few_places() -> None:
    """Tests of one package import nothing from the tests of another, nor from a test file."""
    for path in FILES:
        own = path.relative_to(TESTS).parts[0]
        for _, home, *names in imports(path):
            assert home in SHARED | {own}, f"{label(path)} imports from tests of {home}"
            assert not any(name.startswith("test_") for name in names), label(path)


def test_every_folder_is_a_package_that_says_what_it_holds() -> None:
    folders = {path.parent for path in FILES}
    assert folders == {path.parent for path in FILES if path.name == "__init__.py"}
    for folder in folders:
        tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
        assert ast.get_docstring(tree), f"{label(folder)} has no docstring"
