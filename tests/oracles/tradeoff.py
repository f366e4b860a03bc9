"""The trade-off of discrete steps, from both directions' profiles.

With a = e^eps and delta the larger profile, the smallest type II error that all (eps, delta)
statements together allow at the type I error alpha is (Dong, Roth and Su 2022, Proposition 2.13)

    f(alpha) = max over a >= 1 of 1 - delta(a) - a alpha, (1 - delta(a) - alpha) / a, 0.

In a (or 1/a) both are concave and linear between the kinks of delta: one of those is best.
"""

from __future__ import annotations

from itertools import pairwise

from mpmath import mp, mpf

from . import enumeration, pairs
from .enumeration import Law
from .expressions import Part, Unknown

MOST_OUTCOMES = 150


def error(parts: list[Part], alpha: mpf) -> mpf:
    """The smallest type II error at the type I error alpha."""
    laws = [_law(parts, False), _law(parts, True)]
    kinks = {mpf(1)} | {p / q for law in laws for p, q in law.terms if p > q}
    ratios = sorted(kinks | _crossings(laws, sorted(kinks)))
    best = mpf(0)
    for a in ratios:
        rest = 1 - max(law.delta(mp.log(a)) for law in laws)
        best = max(best, rest - a * alpha, (rest - alpha) / a)
    return best


def _law(parts: list[Part], backwards: bool) -> Law:
    if any(part.dominating is not part.attained or part.dominating.density for part in parts):
        raise Unknown("not one pair of discrete laws")
    steps = [
        (pairs.reverse(part.dominating) if backwards else part.dominating, part.count)
        for part in parts
    ]
    law = enumeration.law(steps)
    if len(law.terms) > MOST_OUTCOMES:
        raise Unknown("too many outcomes")
    return law


def _crossings(laws: list[Law], kinks: list[mpf]) -> set[mpf]:
    """Where the other direction becomes the worse one, between two kinks of either."""
    gaps = [laws[0].delta(mp.log(a)) - laws[1].delta(mp.log(a)) for a in kinks]
    return {
        a + (b - a) * gap / (gap - following)
        for (a, b), (gap, following) in zip(pairwise(kinks), pairwise(gaps), strict=True)
        if gap * following < 0
    }
