"""Roots: a bracketed root finder (Chandrupatla 1997), here rather than from scipy.optimize, whose
import alone takes longer than most of the answers it would help to find; and plain halving."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array

OCTAVES = np.append(0.0, 2.0 ** np.arange(21.0))
"""How far from its start a property is lost, at most 1e6: one between two of these."""


def find_root(
    function: Callable[[float], float],
    low: float,
    high: float,
    tolerance: float = 0.0,
    *,
    straight: bool = False,
) -> tuple[float, float]:
    """Two ends, on either side of a sign change and `tolerance` (or a few ulps) apart.

    A nearly straight function is first asked where the line through its ends is 0, others in the
    middle.

    >>> low, high = find_root(lambda x: x * x - 2, 0.0, 2.0)
    >>> low * low <= 2 <= high * high, high - low < 1e-14
    (True, True)
    """
    a, b = low, high
    fa, fb = function(a), function(b)
    if fa == 0 or fb == 0:
        return (a, a) if fa == 0 else (b, b)
    if math.isnan(fa) or math.isnan(fb) or (fa > 0) == (fb > 0):
        raise NumericalError(f"no sign change between {low!r} and {high!r}")
    t, c, fc = 0.5, a, fa
    if straight and math.isfinite(fa - fb):
        t = fa / (fa - fb)
    for _ in range(200):
        x = a + t * (b - a)
        fx = function(x)
        if math.isnan(fx):
            raise NumericalError(f"not a number at {x!r}")
        if fx == 0:
            return x, x
        if (fx > 0) == (fa > 0):
            c, fc = a, fa
        else:
            c, fc, b, fb = b, fb, a, fa
        a, fa = x, fx
        best = max(abs(a), abs(b))
        width = abs(b - a)
        if width <= max(tolerance, 4 * EPS * best):
            return min(a, b), max(a, b)
        least = max(tolerance, 2 * EPS * best) / width / 2
        t = 0.5
        if fc not in (fa, fb):
            xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
            if phi**2 < xi and (1 - phi) ** 2 < 1 - xi:
                t = fa / (fb - fa) * fc / (fb - fc)
                t += (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        t = min(1 - least, max(least, t))
    raise NumericalError(f"no root between {low!r} and {high!r} after 200 steps")


def last_true(
    holds: Callable[[float], bool], low: float, high: float, rounds: int
) -> tuple[float, float]:
    """Where a property that holds at `low`, and not at `high`, is lost: both ends after halving
    the stretch between them `rounds` times.

    >>> last_true(lambda x: x * x < 2, 0.0, 2.0, 3)
    (1.25, 1.5)
    """
    for _ in range(rounds):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high


def last_true_by_grids(
    holds: Callable[[Array], Array], low: float, high: float, rounds: int
) -> tuple[float, float]:
    """The same for a property told of many places at once: each round takes a 32nd of the stretch.

    Where `high` is inf, the first round finds an octave beyond `low`.

    >>> last_true_by_grids(lambda x: x * x < 2, 0.0, 2.0, 1)
    (1.375, 1.4375)
    >>> last_true_by_grids(lambda x: x * x < 2, 0.0, math.inf, 2)
    (1.40625, 1.4375)
    """
    for _ in range(rounds):
        far = math.isinf(high)
        places = low + OCTAVES if far else np.linspace(low, high, 33)
        held = holds(places)
        if far and held.all():
            raise NumericalError(f"a property still holds at {float(places[-1]):g}")
        lost = max(1, int(np.argmin(held)))
        low, high = float(places[lost - 1]), float(places[lost])
    return low, high


def last_whole(holds: Callable[[int], bool], last: int, beyond: int) -> tuple[int, int]:
    """Where a property that holds at `last`, and not at `beyond`, is lost: two integers next to
    each other. Either may be the larger one.

    >>> last_whole(lambda n: n * n < 1000, 0, 100)
    (31, 32)
    """
    while abs(beyond - last) > 1:
        middle = (last + beyond) // 2
        last, beyond = (middle, beyond) if holds(middle) else (last, middle)
    return last, beyond
