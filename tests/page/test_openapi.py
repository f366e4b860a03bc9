"""The description of /api says what there is, in the words of OpenAPI 3.1."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hockeystick.page.catalogue import catalogue
from hockeystick.page.openapi import ERROR, openapi
from hockeystick.page.schema import check
from tests.page.serving import asked

WORDS = {
    "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum",
    "maxLength", "minItems", "maxItems", "minimum", "maximum", "description",
}  # fmt: skip
"""Of JSON Schema, that are used; `check` knows each but the description."""


def test_every_resource_is_described() -> None:
    document = asked("GET", "/api/openapi.json").json()
    assert document == openapi()
    assert document["openapi"] == "3.1.0"
    assert document["paths"].keys() == {f"/api/{name}" for name in catalogue()}
    for path, methods in document["paths"].items():
        ((method, said),) = methods.items()
        assert said["responses"]["200"]["content"]["application/json"]["schema"]
        assert (method == "post") == ("requestBody" in said)
        names = [each["name"] for each in said.get("parameters", [])]
        assert names == re.findall(r"{(\w+)}", path)
    identities = [
        said["operationId"] for each in document["paths"].values() for said in each.values()
    ]
    assert len(set(identities)) == len(identities)


def schemas(value: Any) -> Iterator[dict[str, Any]]:
    """A schema and all inside it."""
    yield value
    for inside in [*value.get("properties", {}).values(), *value.get("anyOf", [])]:
        yield from schemas(inside)
    if "items" in value:
        yield from schemas(value["items"])


def test_schemas_use_words_that_are_checked() -> None:
    for resource in catalogue().values():
        for top in filter(None, (resource.asked, resource.answered)):
            for each in schemas(top):
                assert each.keys() <= WORDS
                assert ("type" in each) != ("anyOf" in each)
                assert each.get("additionalProperties", False) is False


def test_errors_are_as_described() -> None:
    answers = (
        asked("POST", "/api/epsilon", json={}),
        asked("GET", "/api/nothing"),
        asked("GET", "/", headers={"host": "evil.example"}),
    )
    for answer in answers:
        assert answer.status_code >= 400
        check(answer.json(), ERROR)
