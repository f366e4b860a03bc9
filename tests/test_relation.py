"""Relations: one spelling as text, wherever it is written or read."""

from __future__ import annotations

import pickle

import pytest

import hockeystick as hs
from hockeystick.cli.shared.options import RELATIONS
from hockeystick.errors import ParameterError

SPELLINGS = {"add-remove": "ADD_REMOVE", "replace-one": "REPLACE_ONE", "zero-out": "ZERO_OUT"}


@pytest.mark.parametrize(("text", "name"), SPELLINGS.items())
def test_one_spelling(text: str, name: str) -> None:
    relation = getattr(hs, name)
    assert str(relation) == f"{relation}" == relation.value == text
    assert repr(relation) == relation.name == name
    assert hs.Relation(text) is relation  # type: ignore[call-arg]
    assert pickle.loads(pickle.dumps(relation)) is relation
    for written in (text, name, name.lower()):
        assert hs.Relation.read(written, "a name") is relation


def test_the_command_line_takes_these() -> None:
    assert sorted(RELATIONS) == sorted(SPELLINGS)


@pytest.mark.parametrize("name", ["", "add", "remove-add", None, 1, ["add-remove"]])
def test_other_names_are_refused(name: object) -> None:
    with pytest.raises(ParameterError, match="relation must be one of these, got"):
        hs.Relation.read(name, "one of these")
