"""The (ε, δ) of declared guarantees as they are written: eleven times 1/11 is 1."""

from __future__ import annotations

import re
from fractions import Fraction

from hockeystick import numerals
from hockeystick.errors import ParameterError

_NUMBER = r"[\d._eE+/% -]+?"
_TERM = re.compile(
    rf"\s*(?:PureDP\(\s*({_NUMBER})\s*\)|ApproximateDP\(\s*({_NUMBER})\s*,\s*({_NUMBER})\s*\))"
    r"(?:\s*\*\s*(\d+))?\s*",
    re.ASCII,
)
_LONGEST = 10_000
"""Characters: a longer sum is read as floats, like any other mechanism."""


def fraction(name: str, text: str) -> Fraction:
    """A number, a fraction of two, or either in percent, exactly.

    >>> fraction("epsilon", "1/11"), fraction("delta", "1e-6")
    (Fraction(1, 11), Fraction(1, 1000000))
    """
    word = text.strip()
    number, percent = (word[:-1], 100) if word.endswith("%") else (word, 1)
    over, slash, under = (part.strip() for part in number.partition("/"))
    try:
        return numerals.exact(over) / (numerals.exact(under) if slash else 1) / percent
    except (ParameterError, ZeroDivisionError):
        raise ParameterError(f"{name} must be a number or a fraction, got {text[:50]!r}") from None


def declared(text: str) -> tuple[Fraction, Fraction] | None:
    """(ε, δ) of a sum of declared guarantees by basic composition; None if it is anything else.

    >>> declared("PureDP(1/11) * 11 + ApproximateDP(0.1, 1e-6)")
    (Fraction(11, 10), Fraction(1, 1000000))
    >>> declared("Laplace(2)")
    """
    if len(text) > _LONGEST:
        return None
    epsilon = delta = Fraction(0)
    for term in re.split(r"(?<=[)\d\s])\+", text):
        found = _TERM.fullmatch(term)
        if found is None:
            return None
        count = int(found[4] or 1)
        epsilon += count * fraction("epsilon", found[1] or found[2])
        delta += count * fraction("delta", found[3] or "0")
    return epsilon, delta
