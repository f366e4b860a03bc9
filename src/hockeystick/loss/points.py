"""Pairs of laws from points of a bound on the profile: connect the dots.

Between the points that the lower convex envelope touches it is linear in a = e^ε, so the pair has
an atom at each of them, whose mass under Q is the change of slope there (Doroshenko et al. 2022;
Zhu, Dong and Wang 2022). What the bound ends at is mass at infinity.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.measure import Atoms
from hockeystick.numerics.types import Array

TABLE_DIGITS = 60
"""A small mass is a small difference of large slopes, so those of a table have many digits."""
FARTHEST = 1e15
"""The largest ε of a table whose e^ε is computed."""
NOTHING_LEFT = Decimal("1e-30")
"""A mass at loss 0 below this is the rounding of a difference that is 0."""


class Side(NamedTuple):
    """The positive losses of a pair, and what the other direction need not know of them."""

    atoms: Atoms
    infinite: float
    """P-mass at loss +inf."""
    p: float
    """P-mass of the finite losses."""
    q: float
    """Q-mass of the finite losses."""


def side_of(atoms: Atoms, infinite: float) -> Side:
    """The positive losses of a list."""
    return Side(atoms, infinite, float(atoms.p.sum()), float(atoms.q.sum()))


def side_through(u: Array, delta: Array) -> Side:
    """The positive losses whose profile connects the points (u, δ), the first of them at u = 0."""
    a = np.exp(u)
    corners = lower_hull(a.tolist(), delta.tolist())
    a, h = a[corners], delta[corners]
    falls = np.append(-np.diff(h) / np.diff(a), 0.0)
    masses = -np.diff(falls)
    kept = masses > 0
    atoms = Atoms(np.log(a[1:])[kept], np.log(masses[kept]))
    first, limit = float(falls[0]), float(h[-1])
    return Side(atoms, limit, float(h[0]) - limit + first, first)


def symmetric_through(u: Array, delta: Array) -> AtomicLoss:
    """The symmetric pair whose profile connects the points (u, δ), the first of them at u = 0.

    An edge of the envelope across a = 1 is its own mirror image: from the corner (a, δ) it meets
    a = 1 at (2δ + a − 1)/(a + 1), and the lowest of these is the envelope there.
    """
    beyond = np.expm1(u)
    start = np.append(((2 * delta + beyond) / (beyond + 2)).min(), delta[1:])
    return pair_of(side_through(u, start))


def pair_of(forward: Side, backward: Side | None = None, nothing: float = 0.0) -> AtomicLoss:
    """The pair with these positive losses, and those of the reverse: the same if there are none.

    What is left of the mass is at loss 0, if it is more than `nothing`.
    """
    back = backward or forward
    rest = 1 - forward.infinite - forward.p - back.q
    losses, log_q = joined(forward.atoms, back.atoms, rest if rest > nothing else 0.0)
    spacing = None
    if backward is None and forward.atoms.losses.size == 1:
        spacing = float(losses[1] - losses[0])
    return AtomicLoss(
        losses,
        log_q,
        infinite=forward.infinite,
        void=back.infinite,
        spacing=spacing,
        symmetric=backward is None,
    )


def joined(up: Atoms, down: Atoms, rest: float) -> Atoms:
    """Losses `up`, the opposite of losses `down` of the reverse, and the rest of Q at loss 0."""
    losses = np.concatenate([-down.losses[::-1], [0.0], up.losses])
    log_rest = math.log(rest) if rest > 0 else -math.inf
    log_q = np.concatenate([(down.log_q + down.losses)[::-1], [log_rest], up.log_q])
    kept = log_q > -math.inf
    return Atoms(losses[kept], log_q[kept])


def lower_hull(a: Sequence[Any], h: Sequence[Any]) -> list[int]:
    """Which points the lower convex envelope touches, up to where it stops falling."""
    hull: list[int] = []
    for i in range(len(a)):
        while len(hull) > 1:
            left, middle = hull[-2:]
            if (h[i] - h[left]) * (a[middle] - a[left]) > (h[middle] - h[left]) * (a[i] - a[left]):
                break
            hull.pop()
        hull.append(i)
    while len(hull) > 1 and h[hull[-2]] <= h[hull[-1]]:
        hull.pop()
    return hull


def table_pair(points: Sequence[tuple[float, float]]) -> AtomicLoss:
    """`symmetric_through` for a table of ε and δ, with masses right to the last digits."""
    with localcontext(_context([epsilon for epsilon, _ in points])):
        table = [(e, Decimal(e).exp() - 1, Decimal(d)) for e, d in points]
        start = min((2 * delta + a) / (a + 2) for _, a, delta in table)
        table = [(0.0, Decimal(0), start), *(point for point in table if point[0] > 0)]
        epsilons, a, h = zip(*table, strict=True)
        corners = lower_hull(a, h)
        slopes = [(h[j] - h[i]) / (a[j] - a[i]) for i, j in pairwise(corners)]
        slopes.append(Decimal(0))
        masses = [after - before for before, after in pairwise(slopes)]
        log_q = [_log(mass) for mass in masses]
        log_p = [_log(mass * (1 + a[i])) for mass, i in zip(masses, corners[1:], strict=True)]
        rest = 1 - start + 2 * slopes[0]
        log_rest = _log(rest) if rest > NOTHING_LEFT else -math.inf
    up, limit = [epsilons[i] for i in corners[1:]], float(h[corners[-1]])
    return AtomicLoss(
        [-epsilon for epsilon in reversed(up)] + [0.0] + up,
        [*reversed(log_p), log_rest, *log_q],
        log_p=[*reversed(log_q), log_rest, *log_p],
        infinite=limit,
        void=limit,
        symmetric=True,
        slip=0.0,
    )


def _context(epsilons: Sequence[float]) -> Context:
    """Digits enough for e^ε − 1 of the smallest ε, and for differences of e^ε."""
    if max(epsilons) > FARTHEST:
        raise ParameterError(
            f"epsilon of a profile must be at most {FARTHEST:g}, got {max(epsilons)!r}"
        )
    places = sorted({0.0, *epsilons})
    gaps = [right - left for left, right in pairwise(places)]
    more = math.ceil(-math.log10(min(gaps, default=1.0)))
    return Context(prec=TABLE_DIGITS + max(more, 0), Emax=MAX_EMAX, Emin=MIN_EMIN)


def _log(mass: Decimal) -> float:
    return float(mass.ln())
