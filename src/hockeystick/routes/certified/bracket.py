"""Theorem 9: both ends of ε(δ) = inf {ε >= 0 : δ(ε) <= δ} from ends of δ(ε), which falls.

U(ε) <= δ proves ε(δ) <= ε, and D(ε) > δ proves ε(δ) >= ε. An end moves on a proven comparison only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

from flint import arb

from hockeystick.errors import CannotCertify

Both = Callable[[float], tuple[arb, arb]]
"""ε to a lower and an upper end of δ(ε)."""


class Curve(Protocol):
    """A line on which δ is known near one ε."""

    @property
    def order(self) -> float:
        """About −δ'/δ."""

    def ends(self, epsilon: float) -> Any:
        """`lower` and `upper`."""

    def slope(self, epsilon: float) -> float:
        """About −δ'."""


WIDENINGS = 60
HALVINGS = 40
SECANTS = 40
NEWTONS = 8
LARGEST = 1e300


def by_halving(both: Both, delta: arb) -> tuple[float, float]:
    """From nothing but the ends: a bracket, halved until balls cannot tell any more."""
    if both(0.0)[1] <= delta:
        return 0.0, 0.0
    low, high = 0.0, 1.0
    while not both(high)[1] <= delta:
        if both(high)[0] > delta:
            low = high
        high *= 2
        if high > LARGEST:
            raise CannotCertify("no ε is proven to be large enough")
    low, high = _nearer(both, delta, low, high)
    while low < (middle := low / 2 + high / 2) < high:
        lower, upper = both(middle)
        if upper <= delta:
            high = middle
        elif lower > delta:
            low = middle
        else:
            break
    return _narrowed(both, delta, low, high, low / 2 + high / 2)


def _nearer(both: Both, delta: arb, low: float, high: float) -> tuple[float, float]:
    """The bracket drawn together around a root that floats find: by the secant of log δ."""
    if not delta > 0:
        return low, high
    place, goal = (low + high) / 2, float(delta.log())
    left, right = low, high
    known: list[tuple[float, float]] = []
    for _ in range(SECANTS):
        lower, upper = both(place)
        value = float((lower + upper) / 2)
        if not value > 0:
            right = place
            place = (left + right) / 2
            continue
        off = math.log(value) - goal
        left, right = (max(left, place), right) if off > 0 else (left, min(right, place))
        known = [*known[-1:], (place, off)]
        if len(known) == 2 and known[0][1] != known[1][1]:
            (x, f), (y, g) = known
            place = y - g * (y - x) / (g - f)
        if not left < place < right:
            place = (left + right) / 2
        if abs(place - known[-1][0]) <= 1e-15 * abs(place):
            break
    move = 2e-16 * place
    while move < (high - low) / 4:
        ends = max(place - move, low), min(place + move, high)
        if both(ends[0])[0] > delta and both(ends[1])[1] <= delta:
            return ends
        move *= 16
    return low, high


def _narrowed(
    both: Both, delta: arb, low: float, high: float, middle: float
) -> tuple[float, float]:
    """Each end as near as it can be proven to be to a place where balls cannot tell."""
    if not low < middle < high:
        return low, high
    inner_low, inner_high = middle, middle
    while low < (place := low / 2 + inner_low / 2) < inner_low:
        if both(place)[0] > delta:
            low = place
        else:
            inner_low = place
    while inner_high < (place := high / 2 + inner_high / 2) < high:
        if both(place)[1] <= delta:
            high = place
        else:
            inner_high = place
    return low, high


def around(both: Both, delta: arb, root: float, move: float) -> tuple[float, float]:
    """From a place near the root, further and further away until both ends are proven."""
    if root - move <= 0 and both(0.0)[1] <= delta:
        return 0.0, 0.0
    low: float | None = None
    high: float | None = None
    for _ in range(WIDENINGS):
        if high is None and both(max(root + move, 0.0))[1] <= delta:
            high = max(root + move, 0.0)
        if low is None and root - move <= 0:
            low = 0.0
        if low is None and both(root - move)[0] > delta:
            low = root - move
        if low is not None and high is not None:
            return low, high
        move *= 2
        if not math.isfinite(move):
            break
    raise CannotCertify("the ends of δ are too far apart to hold ε")


def crossing(line: Curve, high: float, delta: float) -> float:
    """About where δ(ε) is δ, if that is between 0 and `high`."""
    low = 0.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        ends = line.ends(middle)
        low, high = (middle, high) if ends.lower + ends.upper > 2 * delta else (low, middle)
    return high


def both_ends(line: Curve, root: float, delta: float) -> tuple[float, float]:
    """Both ends of ε, from a place where δ is about right: first by Newton's method for log δ, with
    the slope of the start, which is −δ' where log δ is about straight."""
    target = arb(delta)
    ends, slope = line.ends(root), line.slope(root)
    rate = slope / float((ends.lower + ends.upper) / 2)
    for _ in range(NEWTONS):
        value = float((ends.lower + ends.upper) / 2 / target)
        if abs(value - 1) * delta <= 0.05 * ends.width or not (rate > 0 and value > 0):
            break
        root += math.log(value) / rate
        ends = line.ends(root)
    gap = max(abs(float(ends.upper - target)), abs(float(target - ends.lower)))
    slope = slope if slope > 0 else line.order * delta
    move = 1.1 * gap / slope + 1.2e-16 * max(abs(root), 1e-300)

    def both(e: float) -> tuple[arb, arb]:
        at = line.ends(e)
        return at.lower, at.upper

    return around(both, target, root, move)
