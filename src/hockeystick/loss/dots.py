"""The symmetric pair behind a table {ε: δ}, with masses that are right to the last digits.

A small mass is a small difference of large slopes, so slopes are computed with many digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from itertools import pairwise

from hockeystick.errors import ParameterError
from hockeystick.loss.atoms import AtomicLoss

DIGITS = 60
FARTHEST = 1e15
"""The largest ε whose e^ε is computed."""

NOTHING_LEFT = Decimal("1e-30")
"""A mass at loss 0 below this is the rounding of a difference that is 0."""

Dot = tuple[float, Decimal, Decimal]
"""ε, e^ε − 1 and δ."""


def dotted_loss(points: Sequence[tuple[float, float]]) -> AtomicLoss:
    """The pair whose profile is the lower convex envelope of the points in a = e^ε, both ways.

    With slopes s_i of the envelope on the right of its corners a_i > 1 (0 after the last) the
    Q-mass of loss ε_i is s_i − s_{i−1}, its P-mass a_i times that; −ε_i has the two exchanged, loss
    0 has 1 − h(1) + 2s_0, and what the envelope ends at is mass at infinity (Doroshenko et al.
    2022; Zhu, Dong and Wang 2022).
    """
    with localcontext(_context([epsilon for epsilon, _ in points])):
        corners = _envelope([(e, _expm1(e), Decimal(d)) for e, d in points])
        slopes = [(right[2] - left[2]) / (right[1] - left[1]) for left, right in pairwise(corners)]
        slopes.append(Decimal(0))
        masses = [after - before for before, after in pairwise(slopes)]
        log_q = [_log(mass) for mass in masses]
        log_p = [_log(mass * (1 + a)) for mass, (_, a, _) in zip(masses, corners[1:], strict=True)]
        rest = 1 - corners[0][2] + 2 * slopes[0]
        log_rest = _log(rest) if rest > NOTHING_LEFT else -math.inf
    up = [epsilon for epsilon, _, _ in corners[1:]]
    limit = float(corners[-1][2])
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
    return Context(prec=DIGITS + max(more, 0), Emax=MAX_EMAX, Emin=MIN_EMIN)


def _expm1(epsilon: float) -> Decimal:
    return Decimal(epsilon).exp() - 1


def _log(mass: Decimal) -> float:
    return float(mass.ln())


def _envelope(dots: Sequence[Dot]) -> list[Dot]:
    """The corners of the envelope for a >= 1, from a = 1 to where it stops falling.

    An edge across a = 1 is its own mirror image: from the corner (a, δ) it meets a = 1 at
    (2δ + a − 1)/(a + 1), and the lowest of these is the envelope there.
    """
    start = min((2 * delta + a) / (a + 2) for _, a, delta in dots)
    corners: list[Dot] = [(0.0, Decimal(0), start)]
    for dot in dots:
        if dot[0] == 0:
            continue
        while len(corners) > 1 and _is_above(corners[-1], corners[-2], dot):
            corners.pop()
        corners.append(dot)
    while len(corners) > 1 and corners[-2][2] <= corners[-1][2]:
        corners.pop()
    return corners


def _is_above(middle: Dot, left: Dot, right: Dot) -> bool:
    """Whether a point is on or above the chord of its neighbours."""
    rise, run = right[2] - left[2], right[1] - left[1]
    return rise * (middle[1] - left[1]) <= (middle[2] - left[2]) * run
