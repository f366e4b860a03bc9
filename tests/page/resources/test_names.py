"""`/api/names`: every class that has a name, with domains that are the true ones."""

from __future__ import annotations

import pytest

import hockeystick as hs
from hockeystick import PATTERNS
from hockeystick.page.resources.names import names
from hockeystick.registry import names as registered

FOUND = names({})
CLASSES = [*FOUND["mechanisms"], *FOUND["samplers"]]


def test_all_are_there() -> None:
    assert sorted(each["name"] for each in CLASSES) == [
        each for each in registered() if each not in {"Composition", *PATTERNS}
    ]
    assert all(each["sentence"].strip() for each in CLASSES)
    assert not [each for each in CLASSES if "`" in each["sentence"]]


def test_the_fields_of_a_mechanism() -> None:
    (gaussian,) = (each for each in CLASSES if each["name"] == "Gaussian")
    assert gaussian["fields"][0] == {
        "name": "noise_multiplier",
        "kind": "number",
        "domain": "a number in [0, inf]",
        "required": True,
        "default": None,
        "example": 1.1,
    }
    assert gaussian["simple"]


@pytest.mark.parametrize(
    "said", [each for each in CLASSES if each["simple"]], ids=lambda s: s["name"]
)
def test_examples_make_a_value(said: dict[str, object]) -> None:
    given = [field for field in said["fields"] if field["required"]]  # type: ignore[attr-defined]
    arguments = ", ".join(f"{field['name']}={field['example']}" for field in given)
    text = f"{said['name']}({arguments})"
    value = f"Gaussian(1).on({text})" if said in FOUND["samplers"] else text
    assert hs.parse(value).parts
