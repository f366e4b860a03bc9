"""Schemas of what is asked and answered, in the words of JSON Schema that are needed here.

The same dictionaries check a request, test an answer and are published by `/api/openapi.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hockeystick.checks import shown
from hockeystick.page.errors import WRONG, Refused

Schema = Mapping[str, Any]

MOST_CHARACTERS = 10_000
"""Of an expression: a long one is for the command line."""
MOST_RUNS = 4
"""Side by side in one plot."""
MOST_POINTS = 400

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
INTEGER: dict[str, Any] = {"type": "integer"}
NUMBER: Schema = {
    "anyOf": [{"type": "number"}, {"type": "string", "enum": ["inf", "-inf"]}],
    "description": "A number; infinity is the text inf.",
}
ENDS: Mapping[str, Schema] = {
    "epsilon": NUMBER, "lower": NUMBER, "shown": TEXT, "shown_lower": TEXT, "method": TEXT,
    "relation": TEXT,
}  # fmt: skip
"""An ε with both ends, as numbers and as they are shown."""
ASKED_NUMBER: Schema = {
    "anyOf": [{"type": "number"}, {"type": "string", "maxLength": 100}],
    "description": "A number, or a text such as 1e-5, 1/60000, 1% or inf.",
}


def listed(items: Schema, **limits: int) -> Schema:
    """A list of such items."""
    return {"type": "array", "items": items, **limits}


def record(optional: tuple[str, ...] = (), /, **fields: Schema) -> Schema:
    """An object of these fields and no others.

    >>> record(name={"type": "string"})["required"]
    ['name']
    """
    required = [name for name in fields if name not in optional]
    return {
        "type": "object",
        "properties": fields,
        "required": required,
        "additionalProperties": False,
    }


def or_null(schema: Schema) -> Schema:
    """The same, or null."""
    return {"anyOf": [*schema.get("anyOf", [schema]), {"type": "null"}]}


EXPRESSION: dict[str, Any] = {
    "type": "string",
    "maxLength": MOST_CHARACTERS,
    "description": "A computation, such as Gaussian(1.1).on(Poisson(0.01)) * 1000.",
}
RELATION: Schema = or_null(
    {
        "type": "string",
        "enum": ["add-remove", "zero-out", "replace-one"],
        "description": "What changes between neighbouring data sets; null takes the natural one.",
    }
)
RUN: Schema = record(("relation",), expression=EXPRESSION, relation=RELATION)
RUNS: Schema = listed(RUN, minItems=1, maxItems=MOST_RUNS)

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}
_WORDS = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "boolean": "true or false",
    "integer": "an integer",
    "number": "a number",
    "null": "null",
}


def check(value: Any, schema: Schema, path: str = "") -> None:
    """Refuse what is not as the schema says, with the path of the first place.

    >>> check({"points": 9.5}, record(points=INTEGER))
    Traceback (most recent call last):
    ...
    hockeystick.page.errors.Refused: points must be an integer, got 9.5
    """
    if "anyOf" in schema:
        _check_any(value, schema["anyOf"], path)
        return
    if not _is_a(value, schema["type"]):
        raise _wrong(path, _WORDS[schema["type"]], value)
    if "enum" in schema and value not in schema["enum"]:
        raise _wrong(path, f"one of {', '.join(map(str, schema['enum']))}", value)
    if isinstance(value, dict):
        _check_object(value, schema, path)
    elif isinstance(value, list):
        _check_list(value, schema, path)
    elif isinstance(value, str):
        if len(value) > schema.get("maxLength", len(value)):
            raise _wrong(path, f"at most {schema['maxLength']} characters", value)
    elif isinstance(value, int | float):
        _check_range(value, schema, path)


def _is_a(value: Any, name: str) -> bool:
    return isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def _check_any(value: Any, schemas: list[Schema], path: str) -> None:
    fitting = [each for each in schemas if _is_a(value, each["type"])]
    if not fitting:
        raise _wrong(path, " or ".join(_WORDS[each["type"]] for each in schemas), value)
    check(value, fitting[0], path)


def _check_object(value: dict[str, Any], schema: Schema, path: str) -> None:
    fields = schema.get("properties", {})
    for name in value:
        if name not in fields and not schema.get("additionalProperties", True):
            known = ", ".join(fields) or "none"
            raise Refused(WRONG, f"{shown(name)} is no field here: there are {known}", path)
    for name in schema.get("required", ()):
        if name not in value:
            raise Refused(WRONG, f"{name} is missing", _inside(path, name))
    for name, each in value.items():
        if name in fields:
            check(each, fields[name], _inside(path, name))


def _check_list(value: list[Any], schema: Schema, path: str) -> None:
    least, most = schema.get("minItems", 0), schema.get("maxItems", len(value))
    if not least <= len(value) <= most:
        name = path.rpartition(".")[2] or "the list"
        raise Refused(WRONG, f"{name} must have {least} to {most} items, got {len(value)}", path)
    for place, each in enumerate(value):
        check(each, schema["items"], _inside(path, str(place)))


def _check_range(value: float, schema: Schema, path: str) -> None:
    least, most = schema.get("minimum"), schema.get("maximum")
    if (least is not None and value < least) or (most is not None and value > most):
        raise _wrong(path, f"from {least} to {most}", value)


def _inside(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _wrong(path: str, words: str, value: Any) -> Refused:
    name = path.rpartition(".")[2] or "the body"
    return Refused(WRONG, f"{name} must be {words}, got {shown(value)}", path)
