"""A δ by its logarithm, for those that no float holds: e^−100000, or 1e-400.

As a float such a δ is 0, the largest that is not above it. So whoever does not know of logarithms
asks for more privacy than was meant, never for less.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from typing import Any, Self

from hockeystick import numerals
from hockeystick.checks import Between, probability
from hockeystick.errors import ParameterError

LOG_DELTA = Between("[-inf, 0]")
LEAST_LOG_DELTA = -700.0
"""log δ below which δ is hardly a float: from there on, logarithms answer."""
EXP_ERROR = 5e-13
"""Of e^x for x near −700, where an error of x is one of 1e-13."""
DIGITS = 40
"""Of a decimal logarithm, before it is rounded to a float below."""


class SmallDelta(float):
    """A δ in (0, e^−700), known by its natural logarithm; as a float it is 0.

    log: in (-inf, -700).

    >>> SmallDelta(-1000), SmallDelta(-1000).log
    (SmallDelta(-1000.0), -1000.0)
    >>> from hockeystick import Laplace
    >>> Laplace(2.0).epsilon(SmallDelta(-1000)) == Laplace(2.0).epsilon(log_delta=-1000)
    True
    """

    log: float

    def __new__(cls, log: float) -> Self:
        self = super().__new__(cls, 0.0)
        self.log = SMALL("log", log)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.log,)

    def __eq__(self, other: object) -> bool:
        return self.log == other.log if isinstance(other, SmallDelta) else float(self) == other

    __hash__ = float.__hash__

    def __repr__(self) -> str:
        return f"SmallDelta({self.log!r})"

    def __str__(self) -> str:
        return f"e^{self.log!r}"

    def __format__(self, spec: str) -> str:
        return f"e^{self.log:{spec}}"


SMALL = Between(f"(-inf, {LEAST_LOG_DELTA:g})")


def given(delta: float | None, log_delta: float | None = None) -> float:
    """The δ that is given, itself or by its logarithm: a `SmallDelta` below e^−700.

    >>> given(1e-5), given(None, -1000.0), given(None, -math.inf)
    (1e-05, SmallDelta(-1000.0), 0.0)
    >>> given(None, 1.0)
    Traceback (most recent call last):
    ...
    hockeystick.errors.ParameterError: log_delta must be in [-inf, 0], got 1.0
    """
    if (delta is None) == (log_delta is None):
        raise ParameterError(
            "one of delta and log_delta must be given, and not both, got "
            f"{delta!r} and {log_delta!r}"
        )
    if isinstance(delta, SmallDelta):
        return delta
    if log_delta is None:
        return probability("delta", delta)
    log = LOG_DELTA("log_delta", log_delta)
    if LEAST_LOG_DELTA > log > -math.inf:
        return SmallDelta(log)
    return math.nextafter(math.exp(log), 0.0) if log < 0 else 1.0


def log_of(delta: float) -> float:
    """log δ of a δ in [0, 1].

    >>> log_of(1.0), log_of(SmallDelta(-1000)), log_of(0.0)
    (0.0, -1000.0, -inf)
    """
    if isinstance(delta, SmallDelta):
        return delta.log
    return math.log(delta) if delta > 0 else -math.inf


def times(factor: float, delta: float) -> float:
    """factor·δ, 1 at most and not rounded down; by its logarithm where no float holds it.

    >>> times(2.0, 1e-5), round(times(0.5, SmallDelta(-1000)).log, 6)
    (2e-05, -1000.693147)
    """
    if not isinstance(delta, SmallDelta):
        return min(1.0, factor * delta)
    log = delta.log + math.log(factor)
    return SmallDelta(log) if log < LEAST_LOG_DELTA else math.exp(log) * (1 + EXP_ERROR)


def read(name: str, text: str) -> float:
    """The δ that a numeral says; its logarithm, rounded down, where no float holds it.

    >>> read("delta", "1e-5"), read("delta", "1e-400")
    (1e-05, SmallDelta(-921.0340371976184))
    """
    try:
        return numerals.read(name, text)
    except ParameterError as error:
        parts = numerals.parts(text)
        if "too small" not in str(error) or parts is None or parts[0] <= 0:
            raise
        return SmallDelta(_log(*parts))


def _log(number: Decimal, power: int) -> float:
    """log(number·10^power), not rounded up."""
    with localcontext() as context:
        context.prec = DIGITS
        exact = number.ln() + power * Decimal(10).ln()
    return math.nextafter(float(exact), -math.inf)
