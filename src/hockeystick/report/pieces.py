"""What a computation is made of, each piece with what it says of itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from hockeystick.mechanism import Composition, Mechanism
from hockeystick.samplers.sampler import Sampled, Sampler


def pieces(value: Mechanism | Sampler) -> Iterator[Mechanism | Sampler]:
    """The mechanisms and samplers that a mechanism is made of; what only joins them is left out."""
    if not isinstance(value, Composition | Sampled):
        yield value
    for part in _inside(value):
        yield from pieces(part)


def _inside(value: Mechanism | Sampler) -> Iterator[Mechanism | Sampler]:
    if isinstance(value, Composition):
        yield from value.parts
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            part = getattr(value, field.name)
            if isinstance(part, Mechanism | Sampler):
                yield part


def meaning(piece: Mechanism | Sampler) -> str:
    """The first sentence about it, with its own numbers in place of the names in backquotes.

    >>> from hockeystick import Poisson
    >>> meaning(Poisson(0.01))
    'Each record is drawn with probability 0.01, independently of all others.'
    """
    sentence = (type(piece).__doc__ or "").split("\n\n")[0].strip()
    words = sentence.split("`")
    words[1::2] = [_value(piece, name) for name in words[1::2]]
    return "".join(words).replace("*", "")


def _value(piece: Mechanism | Sampler, name: str) -> str:
    value = getattr(piece, name, name)
    return f"{value:g}" if isinstance(value, float) else str(value)
