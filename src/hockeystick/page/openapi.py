"""The description of /api, in the words of OpenAPI, made from the schemas of the resources."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import hockeystick
from hockeystick.page.catalogue import catalogue
from hockeystick.page.resource import Resource
from hockeystick.page.schema import TEXT, or_null, record

ERROR = record(error=record(message=TEXT, field=or_null(TEXT), path=TEXT))
REFUSALS = {
    "401": "A token is needed.",
    "403": "Another page may not ask here.",
    "422": "Something in the question is wrong: the library's own message, and the field.",
    "503": "Too many questions at once.",
    "504": "The answer takes more than 10 seconds.",
}


@cache
def openapi() -> dict[str, Any]:
    """The document.

    >>> sorted(openapi()["paths"]["/api/epsilon"])
    ['post']
    """
    paths = {
        f"/api/{each.path}": {each.method.lower(): _said(each)} for each in catalogue().values()
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "hockeystick", "version": hockeystick.__version__},
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _said(resource: Resource) -> dict[str, Any]:
    answers = {"200": _content("The answer.", resource.answered)}
    answers |= {status: _content(words, ERROR) for status, words in REFUSALS.items()}
    said: dict[str, Any] = {
        "summary": resource.sentence,
        "operationId": re.sub(r"\W+", "_", resource.path).strip("_"),
        "responses": answers,
        "security": [{}, {"token": []}],
    }
    if resource.asked is not None:
        said["requestBody"] = {"required": True, **_content("", resource.asked)}
        del said["requestBody"]["description"]
    names = re.findall(r"{(\w+)}", resource.path)
    if names:
        said["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": TEXT} for name in names
        ]
    return said


def _content(description: str, schema: Any) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}
