"""Text forms with open places, into which numbers are put: `?`, or `{name}` for several."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from hockeystick.calibration import calibrate
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


def solved(text: str, **budget: Any) -> tuple[float, Mechanism]:
    """The value of `?` in `text` that just meets a budget, and the mechanism that it makes.

    budget: `epsilon` and `delta`, and what else `calibrate` takes but for `integer`: whether the
        open number is a count is found by trying.

    >>> solved("Laplace(2) * ?", epsilon=3, delta=0)
    (6, Laplace(2.0) * 6)
    """
    family = template(text)
    tried: dict[Mechanism, float] = {}

    def remembered(number: float) -> Mechanism:
        mechanism = family(number)
        tried[mechanism] = number
        return mechanism

    mechanism = calibrate(remembered, integer=_takes_integers_only(family), **budget)
    return tried[mechanism], mechanism


def _takes_integers_only(family: Callable[[float], Mechanism]) -> bool:
    """Whether the open number is a count of something."""
    if any(_is_one(family, value) for value in (0.5, 1.5)):
        return False
    return any(_is_one(family, 10**power) for power in range(19))


def _is_one(family: Callable[[float], Mechanism], value: float) -> bool:
    try:
        family(value)
    except ParameterError:
        return False
    return True
