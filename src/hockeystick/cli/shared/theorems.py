"""What the classes say of themselves: the first sentence and the sources of their docstrings."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hockeystick.relation import Relation

if TYPE_CHECKING:
    from hockeystick.mechanism import Mechanism
    from hockeystick.samplers.sampler import Sampler

_CITED = re.compile(r"\(([A-Z][^()]*? \d{4}(?:, [A-Z]\w+ [\d.]+)?)(?:;[^()]*)?\)")
_NAMED = re.compile(r"([A-Z][\w,]*(?: [A-Z]\w+,?| and| et al\.)*) \((\d{4})\)")

_BY_RELATION = {
    ("Poisson", Relation.REPLACE_ONE): (
        "Lebeda et al. 2025, Proposition 13 (Gaussian noise), and advanced joint convexity, Balle, "
        "Barthe and Gaboardi 2018, Theorem 2"
    ),
    ("WithoutReplacement", Relation.ADD_REMOVE): "Lebeda et al. 2025",
    ("WithoutReplacement", Relation.ZERO_OUT): (
        "advanced joint convexity, Balle, Barthe and Gaboardi 2018, Theorem 2"
    ),
    ("WithReplacement", Relation.ADD_REMOVE): "Balle, Barthe and Gaboardi 2018, Theorem 11",
}
"""Where a sampler has several theorems, those that are not the first one it names."""


def pieces(value: Mechanism | Sampler) -> Iterator[Mechanism | Sampler]:
    """The mechanisms and samplers that a mechanism is made of; what only joins them is left out."""
    from hockeystick.mechanism import Composition
    from hockeystick.samplers.sampler import Sampled

    if not isinstance(value, Composition | Sampled):
        yield value
    for part in _inside(value):
        yield from pieces(part)


def _inside(value: Mechanism | Sampler) -> Iterator[Mechanism | Sampler]:
    from hockeystick.mechanism import Composition, Mechanism
    from hockeystick.samplers.sampler import Sampler

    if isinstance(value, Composition):
        yield from value.parts
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            part = getattr(value, field.name)
            if isinstance(part, Mechanism | Sampler):
                yield part


def meaning(piece: Mechanism | Sampler) -> str:
    """The first sentence about it, with its own numbers.

    >>> from hockeystick import Poisson
    >>> meaning(Poisson(0.01))
    'Each record is drawn with probability 0.01, independently of all others.'
    """
    sentence = (type(piece).__doc__ or "").split("\n\n")[0].strip()
    with_numbers = re.sub(r"`(\w+)`", lambda name: _value(piece, name[1]), sentence)
    return with_numbers.replace("`", "").replace("*", "")


def _value(piece: Mechanism | Sampler, name: str) -> str:
    value = getattr(piece, name, name)
    return f"{value:g}" if isinstance(value, float) else str(value)


def theorem(piece: Mechanism | Sampler, relation: Relation) -> str:
    """The theorem that its pair rests on, with author and year; nothing where none is named.

    >>> from hockeystick import Gaussian
    >>> theorem(Gaussian(1.0), Relation.ADD_REMOVE)
    'Balle and Wang 2018, Theorem 5'
    """
    known = _BY_RELATION.get((type(piece).__name__, relation))
    if known:
        return known
    text = " ".join((type(piece).__doc__ or "").split())
    first = min(
        (found for found in (_CITED.search(text), _NAMED.search(text)) if found),
        key=lambda found: found.start(),
        default=None,
    )
    return " ".join(first.groups()) if first else ""
