"""Balls: numbers with a proven radius, and floats that are certainly on one side of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from threading import RLock
from typing import Any

from flint import acb, arb, ctx, fmpq

from hockeystick.errors import CannotCertify, NumericalError

SAFE = 1e-9
"""Relative margin of sums of non-negative floats: far more than their rounding."""

ONE_AT_A_TIME = RLock()
"""The working precision is one for all threads."""


@contextmanager
def of_bits(bits: int) -> Iterator[None]:
    """Balls of this precision, whatever other threads do."""
    with ONE_AT_A_TIME, ctx.workprec(bits):
        yield


def ball(number: Fraction | float) -> arb:
    """An exact number as a ball, rounded to the working precision only."""
    if isinstance(number, Fraction):
        return arb(fmpq(number.numerator, number.denominator))
    return arb(number)


def below(x: arb) -> float:
    """A float that is not above x."""
    return _float(x.lower(), -math.inf)


def above(x: arb) -> float:
    """A float that is not below x."""
    return _float(x.upper(), math.inf)


def _float(x: arb, towards: float) -> float:
    value = float(x)
    if math.isnan(value):
        raise CannotCertify("a number on the way has no bounds")
    return value if value == towards else math.nextafter(value, towards)


def around_zero(radius: arb) -> arb:
    """The ball [−radius, radius]."""
    return arb(0, radius.abs_upper())


def disc(radius: arb) -> acb:
    """A square around 0 that holds the disc of this radius."""
    side = around_zero(radius)
    return acb(side, side)


def only_if(condition: Any, what: str) -> None:
    """A condition of a theorem: balls compare as True only if every member does."""
    if not condition:
        raise CannotCertify(f"a proof needs {what}")


def reason(error: Exception) -> str:
    """What a plan failed with; what Python itself says of floats is of no help."""
    ours = type(error) is ArithmeticError or isinstance(error, NumericalError)
    return str(error) if ours else "numbers on the way are too large or too small for floats"


def total(balls: Iterable[Any]) -> acb:
    """The sum."""
    return sum(balls, acb(0))


def powers(z: acb, count: int) -> list[acb]:
    """z^0, …, z^(count−1), each a product of two of half the power: in a chain of products the
    radii would grow by |cos| + |sin| every time."""
    out = [acb(1), z]
    for k in range(2, count):
        out.append(out[k // 2] * out[k - k // 2])
    return out[:count]


def power(x: acb, n: int) -> acb:
    """x^n by n·log x, of which any branch will do; a square around 0 if x may be 0."""
    if n <= 16:
        return x**n
    if x.contains(0):
        return disc(arb(x.abs_upper()) ** n)
    return (n * x.log()).exp()


def kappa(order: arb) -> arb:
    """λ^λ/(1+λ)^{1+λ}, the constant of Chernoff's bound δ(ε) <= κ(λ)·e^{K(λ) − λε}."""
    return (order * order.log() - (1 + order) * (1 + order).log()).exp()
