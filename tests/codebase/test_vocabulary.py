"""The package speaks of numbers alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hockeystick import numerics

OTHER_WORDS = re.compile(
    r"privacy|private data|epsilon|delta|[εδ]|\bloss|losses|mechanism|r[eé]nyi|neighbour|record",
    re.IGNORECASE,
)
ORACLE = "binomial_tail.py"
"""It is about to become an oracle of the tests."""
FILES = [f for f in sorted(Path(numerics.__path__[0]).glob("*.py")) if f.name != ORACLE]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_word_of_what_the_numbers_stand_for(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if OTHER_WORDS.search(line)] == []


def test_there_are_files_and_the_words_are_seen() -> None:
    assert len(FILES) >= 10
    assert OTHER_WORDS.search("the loss ε of a Rényi order")
