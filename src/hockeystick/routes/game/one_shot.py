"""Very many steps of the game at once: all of them by one pair, begun with a normal loss.

With U = GDP(μ), whose weights h = e^{−μ²/8}·φ(x/μ)/μ are even and fall, the direction of a move
matters by at most Λ·(1 − e^x)_+, Λ <= asymmetry·sup |h''| = asymmetry·e^{−μ²/8}/(√(2π)·μ³), and

    V_T <= (M^T∘GDP(μ))/(1 − T·Λ)

which docs/fixed-size.md proves for macro-steps of any length. Where losses add up to hundreds, a μ
that makes T·Λ small costs a small part of ε, and there is no lattice that could be too large.
"""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np

from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.loss.triples.base import Triples
from hockeystick.loss.triples.pair import VirtualPair
from hockeystick.routes.base import CannotAnswer
from hockeystick.routes.contour.route import ROUTE as CONTOUR
from hockeystick.routes.game.target import pair_for
from hockeystick.routes.question import DeltaAt, EpsilonAt

VARIANCES = (10.0, 20.0, 40.0, 60.0)
"""Of the normal loss at the beginning, that are tried: Λ falls by e^{−1/8} with each unit."""
MOST_CORRECTED = 0.9
"""A larger T·Λ says nothing."""
LARGEST_PART = 0.1
"""Of the variance of all steps that is added: a larger one makes the bound loose."""
SURE = 1e-9
"""Of δ: the rounding of masses."""


def upper_end(triples: Triples, delta: float, steps: int) -> float:
    """A bound on ε; inf where there is none.

    >>> from hockeystick.loss.triples.two_laws import TwoLaws
    >>> game = TwoLaws(rate=0.5, epsilon=np.log(9))
    >>> round(upper_end(game, 1e-8, 600_000))  # some pair costs 311 274
    311312
    """
    return end(EpsilonAt(delta), pair_for(triples, delta, steps), steps)


def may_be(variance: float) -> bool:
    """Whether steps of about that variance, all together, may be enough."""
    return VARIANCES[0] < 1.2 * LARGEST_PART * variance


def end(question: EpsilonAt | DeltaAt, pair: VirtualPair, steps: int) -> float:
    """The smallest bound on ε or on δ; inf where there is none."""
    loss, found = as_loss(pair), [math.inf]
    for variance in VARIANCES:
        mu = math.sqrt(variance)
        bend = math.exp(-variance / 8) / (math.sqrt(2 * math.pi) * mu**3)
        left = (1 - steps * pair.asymmetry * bend) * (1 - SURE)
        if left < 1 - MOST_CORRECTED or variance > LARGEST_PART * steps * pair.variance:
            continue
        whole = ComposedLoss([(loss, steps), (GaussianLoss(mu), 1)])
        with suppress(*CannotAnswer), np.errstate(over="ignore", invalid="ignore"):
            found.append(_end(question, whole, left, steps * pair.infinite))
    return min(found)


def _end(question: EpsilonAt | DeltaAt, whole: ComposedLoss, left: float, infinite: float) -> float:
    """Of the whole run: ε at what is left of δ, or δ over that, with what is given away."""
    if isinstance(question, DeltaAt):
        return (question.by(CONTOUR, whole).upper / left + infinite) * (1 + 1e-12)
    most = question.delta * left - infinite
    return EpsilonAt(most).by(CONTOUR, whole).upper if most > 0 else math.inf


def as_loss(pair: VirtualPair) -> AtomicLoss:
    """The pair with its atom at 0, without what it gives away."""
    log_p = np.log(pair.masses)
    rest = max(1 - float(pair.masses.sum()), 0.0)
    losses, log_q = np.append(pair.losses, 0.0), np.append(log_p - pair.losses, -np.inf)
    if rest > 0:
        log_q[-1] = math.log(rest)
    return AtomicLoss(losses, log_q)
