"""Pure DP on a sample with replacement: the record can be drawn often, but seldom is."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.loss.base import Loss
from hockeystick.loss.points import symmetric_through

ROUNDING = 1e-11
"""Added to a largest loss, relative and absolute: far above the error of its logarithms."""
POINTS = 1500
"""Points of the profile up to the largest loss."""
FARTHEST = 200.0
"""Beyond this a largest loss tells nothing."""


def pure_with_replacement(size: int, population: int, epsilon: float, zeroed: float) -> float:
    """The largest loss of m = `size` draws from n = `population` records, at most.

    `epsilon` is what one draw may change when it becomes that of another record, `zeroed` when the
    record in question becomes the one in its place: the same ε for one replaced. It is

        m·log((e^ε + n − 1)/(e^{ε−ε'} + n − 1)), for ε' = ε m·log(1 + (e^ε − 1)/n).

    Change the data set under one draw after another. Given all other draws let f be the chance of
    an event where this one is of record x, of x' in its place, or of another o. Of the ratio
    (f(x) + Σ f(o))/(f(x') + Σ f(o)), where it is above 1, all but f(x) lower it, and they are at
    least f(o) >= e^{−ε}·f(x) and f(x') >= e^{−ε'}·f(x). Where x is removed, not replaced, the ratio
    is (f(x) + Σ f(o))/n over Σ f(o)/(n − 1), at most 1 + (e^ε − 1)/n; its reverse is not larger.

    >>> round(pure_with_replacement(50, 1000, 2.0, 2.0), 4)
    0.3184
    """
    if epsilon > FARTHEST:
        return math.inf
    rest = math.exp(epsilon - zeroed) + population - 1
    one = math.log1p((math.exp(epsilon) - math.exp(epsilon - zeroed)) / rest)
    back = math.log1p(math.expm1(zeroed) / population)  # there o and x' are as far apart
    return size * max(one, back) * (1 + ROUNDING) + ROUNDING


def cut_at(loss: Loss, largest: float) -> Loss | None:
    """A pair for what `loss` dominates, if no loss of that is above `largest`, in either direction.

    Its profile is 0 from there on; the envelope of that and of points of the profile of `loss` is
    one, too. None where nothing is gained.
    """
    if not largest < min(loss.top if not loss.infinite else math.inf, FARTHEST):
        return None
    u = np.linspace(0.0, largest, POINTS)
    delta = np.maximum(loss.profile(u), loss.reverse().profile(u))
    return symmetric_through(u, np.append(delta[:-1], 0.0))
