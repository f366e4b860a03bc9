"""The loss of a record on a sample, from the curve of an amplification theorem."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress

from hockeystick.errors import NumericalError
from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.loss.points import pair_of, side_through, symmetric_through
from hockeystick.loss.two_sided.amplified import AmplifiedCurve, DiscreteCurve
from hockeystick.loss.two_sided.endless import EndlessLoss, log_tail
from hockeystick.loss.two_sided.loss import TwoSidedLoss, listed
from hockeystick.loss.two_sided.term import Term

DOTS = 3000
"""Points of a curve too rough for panels, even or dense near 0."""
ROUNDED = 1e-9
"""A mass below 0 by less is rounding."""
MANY_ATOMS = 40
"""With more places at which a curve is not smooth, points of it are as good as panels."""


def joint(
    weights: Sequence[float],
    near: Sequence[Loss],
    far: Sequence[Loss],
    rate: float,
    extra: float = 0.0,
) -> AmplifiedCurve:
    """Σ w·((1 − β)·h_far(A) + β·h_near(A)) + extra, with β = e^u/A = rate + (1 − rate)/A."""
    terms: list[Term] = []
    for weight, one, other in zip(weights, near, far, strict=True):
        if one == other:
            terms.append(Term(weight, 0.0, one))
        else:
            terms.append(Term(weight * rate, weight * (1 - rate), one))
            terms.append(Term(weight * (1 - rate), -weight * (1 - rate), other))
    curve = AmplifiedCurve(tuple(terms), rate, extra)
    return curve.convex() if len(terms) > len(weights) else curve


def amplified_loss(forward: AmplifiedCurve, backward: AmplifiedCurve | None = None) -> Loss:
    """The loss with these profiles for ε >= 0; a list of atoms where that is all there is."""
    if backward is None and not any(t.falling or t.loss.continuous for t in forward.terms):
        curve = DiscreteCurve(forward.terms, forward.rate, forward.extra)
        return TwoSidedLoss(curve) if math.isinf(curve.top) else listed(curve, curve)
    if all(term.loss.infinite == 1 for term in forward.terms):
        drawn = forward.infinite
        log_rest = math.log1p(-drawn) if drawn < 1 else -math.inf
        return AtomicLoss([0.0], [log_rest], infinite=drawn, void=drawn, symmetric=True)
    falling = [term.loss.atoms.losses.size for term in forward.terms if term.falling]
    crosses = backward is None and bool(falling) and forward.left < -ROUNDED
    with suppress(NumericalError):  # too rough to be integrated
        if not falling or (sum(falling) <= MANY_ATOMS and forward.is_convex and not crosses):
            return TwoSidedLoss(forward, backward)
    curves = [curve for curve in (forward, backward) if curve]
    grids = [curve.grid(DOTS) for curve in curves]
    points = [(u, curve.delta(u)) for curve, u in zip(curves, grids, strict=True)]
    if crosses:
        pair = symmetric_through(*points[0])
    else:
        sides = [side_through(*each) for each in points]
        pair = pair_of(sides[0], sides[1] if backward else None)
    tails = [log_tail(forward, pair.top), log_tail(curves[-1], -pair.bottom)]
    return EndlessLoss(pair, *tails) if any(tails) else pair
