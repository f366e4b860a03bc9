"""Rényi divergences of a composition: they add up, so any count is as easy as one."""

from __future__ import annotations

from collections.abc import Callable

from mpmath import mp, mpf

from . import pairs, renyi
from .expressions import Part, Unknown
from .pairs import Pair

MOST_ORDER = 300
"""Above it the integral of a density is not tried."""


def divergence(parts: list[Part], order: float, choose: Callable[[Part], Pair]) -> mpf:
    """The larger of both directions."""
    forward = mp.fsum(p.count * _one(p, choose(p), order) for p in parts)
    backward = mp.fsum(p.count * _one(p, pairs.reverse(choose(p)), order) for p in parts)
    return max(forward, backward)


def _one(part: Part, pair: Pair, order: float) -> mpf:
    if part.gaussian is not None:
        return mp.inf if mp.isinf(order) else mpf(order) * part.gaussian**2 / 2
    if pair.density is not None and not 1 <= order <= MOST_ORDER:
        raise Unknown("the order is too large to integrate")
    if pair.density is not None and part.laplace is None:
        raise Unknown("an integral that takes long")
    return renyi.divergence(pair, mpf(order))
