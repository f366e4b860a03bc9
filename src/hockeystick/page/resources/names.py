"""`/api/names`: the mechanisms and samplers there are, for the controls."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

from hockeystick.checks import Whole
from hockeystick.mechanism import Mechanism
from hockeystick.page.resource import Json, Resource
from hockeystick.page.schema import FLAG, TEXT, listed, or_null, record
from hockeystick.registry import Kind, kind_of
from hockeystick.registry import names as registered
from hockeystick.samplers.sampler import Sampler

EXAMPLES = {
    "noise_multiplier": 1.1,
    "rate": 0.01,
    "size": 256,
    "population": 60_000,
    "limit": 700,
    "steps": 100,
    "delta": 1e-6,
    "omega": 16,
    "rho": 0.1,
    "users": 1000,
}
"""What a control shows first where the class has no default."""
EXAMPLE = 1.0
"""Of any other number."""


def names(asked: Json) -> Json:
    """Each class with its fields; `simple` ones are made of numbers alone.

    >>> [each["name"] for each in names({})["samplers"]][:2]
    ['EveryRecord', 'Poisson']
    """
    kinds = [kind for kind in map(kind_of, registered()) if kind is not None]
    kinds = [kind for kind in kinds if kind.__name__ != "Composition"]
    return {
        "mechanisms": [_said(kind) for kind in kinds if issubclass(kind, Mechanism)],
        "samplers": [_said(kind) for kind in kinds if issubclass(kind, Sampler)],
    }


def _said(kind: Kind) -> Json:
    domains = {name: domain for name, _, domain, _ in getattr(kind, "_domains", ())}
    fields = [_field(name, default, domains.get(name)) for name, default in kind._arguments or ()]
    natural = getattr(kind, "natural_relation", None)
    return {
        "name": kind.__name__,
        "sentence": _sentence(kind),
        "fields": fields,
        "simple": all(field["kind"] in ("number", "integer", "flag") for field in fields),
        "constructors": list(kind.text_constructors),
        "natural_relation": None if isinstance(natural, property | None) else str(natural),
    }


def _sentence(kind: Kind) -> str:
    """The first of its specification."""
    words = (kind.__doc__ or "").split("\n\n")[0].split()
    return " ".join(words).replace("`", "").replace("*", "")


def _field(name: str, default: Any, domain: Any) -> Json:
    said = name.rstrip("_")
    required = default is MISSING
    kind = _kind(default, domain)
    example = EXAMPLES.get(said, EXAMPLE) if required else default
    return {
        "name": said,
        "kind": kind,
        "domain": _words(kind, domain),
        "required": required,
        "default": None if required or kind == "other" else default,
        "example": None if kind == "other" else example,
    }


def _kind(default: Any, domain: Any) -> str:
    if isinstance(default, bool):
        return "flag"
    if isinstance(domain, Whole):
        return "integer"
    return "number" if hasattr(domain, "words") else "other"


def _words(kind: str, domain: Any) -> str:
    if kind == "integer":
        return f"an integer >= {domain.least}"
    return f"a number {domain.words}" if kind == "number" else ""


_VALUE = {"anyOf": [{"type": "number"}, FLAG, {"type": "null"}]}
_FIELD = record(
    name=TEXT,
    kind={"type": "string", "enum": ["number", "integer", "flag", "other"]},
    domain=TEXT,
    required=FLAG,
    default=_VALUE,
    example=_VALUE,
)
_CLASS = record(
    name=TEXT,
    sentence=TEXT,
    fields=listed(_FIELD),
    simple=FLAG,
    constructors=listed(TEXT),
    natural_relation=or_null(TEXT),
)

RESOURCE = Resource(
    "names",
    "The mechanisms and samplers there are, with their fields.",
    names,
    record(mechanisms=listed(_CLASS), samplers=listed(_CLASS)),
)
