"""Pairs with finitely many outcomes: products, and pairs made from the points of a profile."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mpmath import mp, mpf

from .pairs import Atom, Pair

Points = Sequence[tuple[mpf, mpf]]


def through(points: Points) -> Pair:
    """The symmetric pair whose profile is the lower convex envelope of points (epsilon, delta).

    In a = e^epsilon, completed by h(0) = 1 and h(1/a) = 1 - 1/a + h(a)/a (Doroshenko et al. 2022).
    """
    return _symmetric([(mp.exp(epsilon), delta) for epsilon, delta in dict(points).items()])


def sampled(pair: Pair, rate: mpf) -> Pair:
    """The symmetric pair with profile r h(1 + (a-1)/r), a >= 1, of a pair without a density.

    Balle, Barthe and Gaboardi (2018), Theorem 9: its kinks are at 1 + r (A - 1), A >= 1 those of h.
    """
    knots = {mpf(1)} | {a.p / a.q for a in pair.atoms if a.p > a.q}

    def profile(ratio: mpf) -> mpf:
        return pair.p_only + mp.fsum(max(a.p - ratio * a.q, mpf(0)) for a in pair.atoms)

    return _symmetric([(1 + rate * (a - 1), rate * profile(a)) for a in knots])


def _symmetric(points: Points) -> Pair:
    """The pair of the envelope: the mass under Q at a knot is the change of slope there."""
    mirrored = [(1 / a, 1 - 1 / a + h / a) for a, h in points]
    knots = envelope(sorted([(mpf(0), mpf(1)), *mirrored, *points]))
    slopes = [(h2 - h1) / (a2 - a1) for (a1, h1), (a2, h2) in pairwise(knots)]
    slopes.append(mpf(0))
    atoms = [
        Atom(mp.log(a), a * (after - before), after - before)
        for (a, _), before, after in zip(knots[1:], slopes, slopes[1:], strict=False)
    ]
    # By symmetry the masses that only one of the two has are alike.
    return Pair(tuple(atoms), None, knots[-1][1], knots[-1][1])


def envelope(points: Points) -> list[tuple[mpf, mpf]]:
    """The points that the lower convex envelope touches, up to where it stops falling."""
    hull: list[tuple[mpf, mpf]] = []
    for point in points:
        if hull and point[0] == hull[-1][0]:
            continue  # sorted: the lower one came first
        while len(hull) > 1 and _is_above(hull[-1], hull[-2], point):
            hull.pop()
        hull.append(point)
    while len(hull) > 1 and hull[-2][1] <= hull[-1][1]:
        hull.pop()
    return hull


def _is_above(point: tuple[mpf, mpf], left: tuple[mpf, mpf], right: tuple[mpf, mpf]) -> bool:
    """Whether the point is not below the chord between the two others."""
    rise, run = right[1] - left[1], right[0] - left[0]
    return bool(rise * (point[0] - left[0]) <= (point[1] - left[1]) * run)


def product(steps: Sequence[Pair]) -> Pair:
    """Independent outcomes of pairs without densities, seen together."""
    atoms = [Atom(mpf(0), mpf(1), mpf(1))]
    p_none, q_none = mpf(1), mpf(1)
    for step in steps:
        atoms = [Atom(a.loss + b.loss, a.p * b.p, a.q * b.q) for a in atoms for b in step.atoms]
        p_none, q_none = p_none * (1 - step.p_only), q_none * (1 - step.q_only)
    return Pair(tuple(atoms), None, 1 - p_none, 1 - q_none)
