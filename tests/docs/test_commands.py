"""Every command in the documentation prints what the page says."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from tests.support.pages import DOCS, PAGES, same, sessions, shell, write_files


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_the_page_shows_what_is_printed(page: Path, tmp_path: Path) -> None:
    write_files(page, tmp_path)
    for command, expected in sessions(page):
        printed = shell(command, tmp_path)
        assert same(printed, expected), f"$ {command}{printed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_the_examples_in_python_run(page: Path) -> None:
    failed, _ = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failed == 0


def test_there_are_commands_to_run() -> None:
    assert sum(1 for page in PAGES for _ in sessions(page)) > 40


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("e = 1.0000000001 x\n", "e = 1.0 x\n", True),
        ("e = 1.00001 x\n", "e = 1.0 x\n", False),
        ("e = 1e-22  \n", "e = 1e-22\n", True),
        ("e = 1e-22\n", "e = 1e-23\n", False),
        ("e = 1 x\n", "e = 1 y\n", False),
        ("e = 1\n", "e = 1\nmore\n", False),
    ],
)
def test_two_outputs_are_compared_in_words_and_numbers(one: str, other: str, alike: bool) -> None:
    assert same(one, other) is alike
