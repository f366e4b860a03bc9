"""Gauss-Legendre rules of fixed size, in multiple precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from mpmath import mp, mpf

_legendre: dict[tuple[int, int], list[tuple[mpf, mpf]]] = {}


def gauss_legendre(points: int) -> list[tuple[mpf, mpf]]:
    """Nodes and weights on [-1, 1], by Newton's method on the three-term recurrence."""
    key = (points, mp.prec)
    if key not in _legendre:
        rule = []
        for i in range(points):
            x = mp.cos(mp.pi * (i + mpf(3) / 4) / (points + mpf(1) / 2))
            for _ in range(12):
                value, slope = _legendre_pair(points, x)
                x -= value / slope
            slope = _legendre_pair(points, x)[1]
            rule.append((x, 2 / ((1 - x * x) * slope**2)))
        _legendre[key] = rule
    return _legendre[key]


def _legendre_pair(n: int, x: mpf) -> tuple[mpf, mpf]:
    """The Legendre polynomial of degree n and its derivative."""
    before, now = mpf(1), x
    for k in range(2, n + 1):
        before, now = now, ((2 * k - 1) * x * now - (k - 1) * before) / k
    return now, n * (x * now - before) / (x * x - 1)


def panels(f: Callable[[mpf], mpf], knots: Sequence[mpf], points: int) -> mpf:
    """The integral over all panels between consecutive knots, ``points`` nodes on each."""
    total = mpf(0)
    for low, high in pairwise(knots):
        half, middle = (high - low) / 2, (high + low) / 2
        total += half * mp.fsum(w * f(middle + half * x) for x, w in gauss_legendre(points))
    return total
