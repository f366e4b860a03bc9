"""No test that cannot fail: each asserts something, itself or by a function that does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
FILES = sorted(TESTS.rglob("*.py"))
CHECKS = {"raises", "warns", "fail"}
"""Names of pytest that fail where something does not happen."""
CHECKED_BY_OTHERS = {"test_scikit_learns_own_checks"}
"""It calls a check that it is given."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def functions(path: Path) -> dict[str, Function]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name: node for node in ast.walk(tree) if isinstance(node, Function)}


@cache
def imported(path: Path) -> dict[str, Path]:
    """Where the functions are defined that a file has from other files of the tests."""
    names: dict[str, Path] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests."):
            parts = str(node.module).split(".")[1:]
            names |= {alias.name: TESTS.joinpath(*parts).with_suffix(".py") for alias in node.names}
    return names


def called(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Call):
            match each.func:
                case ast.Name(name) | ast.Attribute(attr=name):
                    yield name


@cache
def checks(path: Path, name: str) -> bool:
    """Whether a function asserts anything, itself or by functions of the tests that it calls."""
    node = functions(path).get(name)
    if node is None:
        source = imported(path).get(name, path)
        return source != path and source.exists() and checks(source, name)
    if any(isinstance(each, ast.Assert) for each in ast.walk(node)):
        return True
    names = set(called(node)) - {name}
    return any(each in CHECKS or each.startswith("assert_") or checks(path, each) for each in names)


@pytest.mark.slow
def test_every_test_asserts_something() -> None:
    tests = [(path, name) for path in FILES for name in functions(path) if name.startswith("test")]
    assert len(tests) > 1000
    empty = [f"{path}: {name}" for path, name in tests if not checks(path, name)]
    assert not [each for each in empty if each.split(": ")[1] not in CHECKED_BY_OTHERS]


def test_a_test_that_asserts_nothing_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "test_it.py"
    path.write_text(
        "def help(x): assert x\n"
        "def test_one(): help(1)\n"
        "def test_two(): print(2)\n"
        "def test_three():\n    with pytest.raises(ValueError):\n        int('a')\n"
        "def test_four(): np.testing.assert_allclose(1, 2)\n"
    )
    answers = {name: checks(path, name) for name in functions(path)}
    assert answers == dict.fromkeys(answers, True) | {"test_two": False}
