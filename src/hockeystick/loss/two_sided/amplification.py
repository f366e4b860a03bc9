"""The loss of a sample, from the curves that an amplification theorem gives for it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.loss.points import Side, pair_of, side_through
from hockeystick.loss.two_sided.amplified import AmplifiedCurve, DiscreteCurve, Term
from hockeystick.loss.two_sided.convex import convex
from hockeystick.loss.two_sided.loss import TwoSidedLoss, listed
from hockeystick.numerics.types import Array

DOTS = 3000
"""Points of a curve that is too rough for panels, twice: in even steps, and dense near 0."""
FARTHEST_DOT = 60.0
"""Where a curve without end has its last point."""
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
    return convex(AmplifiedCurve(tuple(terms), rate, extra))


def amplified_loss(forward: AmplifiedCurve, backward: AmplifiedCurve | None = None) -> Loss:
    """The loss with these profiles for ε >= 0; a list of atoms where that is all there is."""
    if backward is None and not any(t.falling or t.loss.continuous for t in forward.terms):
        curve = DiscreteCurve(forward.terms, forward.rate, forward.extra)
        return TwoSidedLoss(curve) if math.isinf(curve.top) else listed(curve, curve)
    if all(term.loss.infinite == 1 for term in forward.terms):
        drawn = forward.infinite
        log_rest = math.log1p(-drawn) if drawn < 1 else -math.inf
        return AtomicLoss([0.0], [log_rest], infinite=drawn, void=drawn, symmetric=True)
    atoms = sum(term.loss.atoms.losses.size for term in forward.terms if term.falling)
    try:
        if atoms <= MANY_ATOMS and _is_convex(forward):
            return TwoSidedLoss(forward, backward)
    except NumericalError:  # too rough to be integrated
        pass
    return pair_of(_dotted(forward), None if backward is None else _dotted(backward))


def _grid(curve: AmplifiedCurve, count: int) -> Array:
    """Places along the curve, dense where it begins and at its breaks."""
    top = min(curve.top, FARTHEST_DOT)
    near = np.log1p(curve.rate * np.geomspace(1e-6, np.expm1(top) / curve.rate, count))
    breaks = curve.breaks[curve.breaks < 600]
    u = np.unique(np.concatenate([[0.0], near, np.linspace(0, top, count), breaks]))
    distinct = np.append(True, np.diff(np.exp(u)) > 1e-13 * np.exp(u[1:]))
    return np.asarray(u[distinct])


def _is_convex(curve: AmplifiedCurve) -> bool:
    """Whether −dδ/da never grows again, to 1e-6 of itself."""
    if not any(term.falling for term in curve.terms):
        return True
    u = _grid(curve, 400)
    fall = -np.diff(curve.delta(u)) / np.diff(np.exp(u))
    return bool((np.diff(fall) <= 1e-6 * np.abs(fall[:-1]) + 1e-12).all())


def _dotted(curve: AmplifiedCurve) -> Side:
    """The envelope of the curve through a few thousand of its points."""
    u = _grid(curve, DOTS)
    return side_through(u, curve.delta(u))
