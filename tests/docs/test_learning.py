"""The page about learning says what is so."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_page_about_learning() -> None:
    page = ROOT / "docs" / "learning.md"
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 20
    assert result.failed == 0


def test_its_picture_is_there() -> None:
    assert (ROOT / "docs" / "learning" / "accuracy.png").read_bytes().startswith(b"\x89PNG")
