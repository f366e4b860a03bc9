"""What the answer to a question is, as an interval: ``truth(expression, query, at, relation)``.

Each oracle is a function of the same arguments that gives an interval or None, if the expression is
none of its kind; `ORACLES` lists them. Everything is computed at two precisions at least, and the
difference, tenfold, is the half width. Where theory leaves a gap the interval is the gap: what
some neighbours attain, and what dominates them.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from mpmath import mp, mpf

from . import divergences, enumeration, pairs, profile, tradeoff
from .enumeration import Law
from .expressions import Part, Unknown, gaussian_shift, read
from .little_noise import by_separation
from .many_steps import by_contour
from .pairs import Pair
from .two_steps import by_integral

Interval = tuple[mpf, mpf]
Oracle = Callable[[str, str, float, str | None], Interval | None]
Value = Callable[[], Interval]
PRECISIONS = (40, 80, 160, 320, 640)
ENOUGH = mpf(10) ** -22
"""Relative difference of two precisions that is taken for agreement."""
NOTHING = mpf(10) ** -500
"""What shrinks to this with the precision is 0, or too small for any double."""
MOST_LAPLACE_STEPS = 40


def truth(expression: str, query: str, at: float, relation: str | None = None) -> Interval | None:
    """The first oracle's answer to "epsilon", "delta", "rdp" or "tradeoff", at one number."""
    for oracle in ORACLES:
        interval = oracle(expression, query, at, relation)
        if interval is not None:
            return interval
    return None


def settled(value: Value) -> Interval | None:
    """The interval at growing precision, until two in a row agree."""
    before: Interval | None = None
    for digits in PRECISIONS:
        with mp.workdps(digits):
            now = value()
            if before is not None and all(map(_close, before, now)):
                return _widened(before, now)
        before = now
    return (mpf(0), now[1]) if now[1] < NOTHING else None


def _close(a: mpf, b: mpf) -> bool:
    return bool(a == b or abs(a - b) <= ENOUGH * abs(b))


def _widened(before: Interval, now: Interval) -> Interval:
    low, high = now
    if mp.isfinite(low):
        low = max(mpf(0), low - 10 * abs(low - before[0]) - abs(low) * ENOUGH)
    if mp.isfinite(high):
        high = high + 10 * abs(high - before[1]) + abs(high) * ENOUGH
    return low, high


def by_law(expression: str, query: str, at: float, relation: str | None) -> Interval | None:
    """Discrete steps by enumeration, with one continuous step or any number of Gaussians."""
    if query not in ("epsilon", "delta", "rdp", "tradeoff"):
        return None

    def value() -> Interval:
        parts = read(expression, relation)
        if query == "tradeoff":
            value = tradeoff.error(parts, mpf(at))
            return value, value
        high = _worst(parts, query, at, lambda part: part.dominating)
        alike = all(part.attained is part.dominating for part in parts)
        if alike or sum(part.count for part in parts) == 1:  # one step attains each point
            return high, high
        return _worst(parts, query, at, lambda part: part.attained), high

    try:
        return settled(value)
    except Unknown:
        return None


def _worst(parts: list[Part], query: str, at: float, choose: Callable[[Part], Pair]) -> mpf:
    """The larger answer of the two directions."""
    if query == "rdp":
        return divergences.divergence(parts, at, choose)
    laws = [_law(parts, choose), _law(parts, lambda part: pairs.reverse(choose(part)))]
    if query == "delta":
        return max(law.delta(mpf(at)) for law in laws)
    return max(law.epsilon(Fraction(at)) for law in laws)


def _law(parts: list[Part], choose: Callable[[Part], Pair]) -> Law:
    discrete = [(choose(p), p.count) for p in parts if choose(p).density is None]
    smooth = [p for p in parts if choose(p).density is not None]
    if not smooth:
        return enumeration.law(discrete)
    shift = gaussian_shift(smooth)
    if shift is not None:
        return enumeration.law(discrete, pairs.gaussian(1 / shift))
    if len(smooth) == 1 and smooth[0].count == 1:
        return enumeration.law(discrete, choose(smooth[0]))
    if not discrete and len(smooth) == 1 and smooth[0].laplace is not None:
        return _laplace_steps(smooth[0])
    raise Unknown("several continuous steps")


def _laplace_steps(part: Part) -> Law:
    """Unsampled Laplace noise, by residues; from the sum of the largest losses on it is 0."""
    n, theta = part.count, part.laplace
    assert theta is not None
    if n > MOST_LAPLACE_STEPS:
        raise Unknown("too many steps of Laplace noise")

    def at(epsilon: mpf) -> mpf:
        return profile.laplace(1 / theta, n, epsilon) if epsilon < n * theta else mpf(0)

    return Law(Fraction(0), [(mpf(1), mpf(1))], at)


ORACLES: list[Oracle] = [by_law, by_separation, by_integral, by_contour]
"""In the order in which they are asked; certified enclosures belong here as well."""
