"""Text forms with open places, into which numbers are put: `?`, or `{name}` for several."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from hockeystick.checks import real
from hockeystick.errors import ParameterError
from hockeystick.mechanism import Mechanism
from hockeystick.text import parse, short

_PLACE = re.compile(r"(?<![\w.])(?:\?|\{([A-Za-z_]\w*)\})(?![\w.])", re.ASCII)

_BRACE = re.compile(r"[{}]")


def template(text: str) -> Callable[[float], Mechanism]:
    """The family of mechanisms that `text` describes, where one number is left open as `?`.

    >>> template("Gaussian(?).on(Poisson(0.01)) * 100")(2)
    Gaussian(2.0).on(Poisson(0.01)) * 100
    """
    names = placeholders(text)
    if names != ["?"]:
        raise ParameterError(f"text must hold one ? in place of a number, got {short(text)!r}")
    return lambda value: filled(text, {"?": value})


def placeholders(text: str) -> list[str]:
    """The open places of `text` in order: `?` is one without a name, `{rate}` is called rate.

    >>> placeholders("Gaussian({sigma}).on(Poisson({rate})) * {T}")
    ['sigma', 'rate', 'T']
    """
    brace = _BRACE.search(_PLACE.sub(lambda place: " " * len(place[0]), text))
    if brace:
        raise ParameterError(
            f"{brace[0]!r} at position {brace.start() + 1} of {short(text)!r} must be part of a "
            "name in braces such as {sigma}"
        )
    return [place[1] or "?" for place in _PLACE.finditer(text)]


def filled(text: str, values: Mapping[str, float]) -> Mechanism:
    """The mechanism that `text` describes with a number in each of its open places.

    >>> filled("Gaussian({sigma}) * {T}", {"sigma": 0.5, "T": 10.0})
    Gaussian(0.5) * 10
    """
    return parse(_PLACE.sub(lambda place: _numeral(values[place[1] or "?"]), text))


def _numeral(value: float) -> str:
    """The number as text; a whole one without a point, since it may be a count."""
    number = real("value", value)
    exact = isinstance(value, int) or (number.is_integer() and abs(number) < 2**53)
    return repr(int(value) if exact else number)
