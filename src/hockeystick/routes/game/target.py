"""Where the answer of a game is looked for: a tilt, and how far out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.triples.base import Triples
from hockeystick.loss.triples.pair import VirtualPair
from hockeystick.numerics.types import Array
from hockeystick.routes.question import DeltaAt, EpsilonAt

GIVEN_AWAY = 1e-4
"""Of δ: what the tails that the envelope leaves out may cost."""
TILTS = np.geomspace(0.02, 4000.0, 120)
"""Any is safe; they are few so that one lattice serves questions that are near each other."""
MARGIN = 34.0
"""The lattice ends where Chernoff's bound is e^{−34} of the δ that is asked for, or less."""


def pair_for(triples: Triples, delta: float, steps: int) -> VirtualPair:
    """The pair that stands for all triples, where about that δ is asked for after so many steps."""
    return triples.pair(GIVEN_AWAY * delta / steps)


@dataclass(frozen=True)
class Target:
    """A tilt at which the answer is decided, how far out the lattice must be, and about its δ."""

    tilt: float
    reach: float
    log_delta: float = field(compare=False)


def target(
    pair: VirtualPair, steps: int, question: EpsilonAt | DeltaAt, variance: float = 0.0
) -> Target:
    """By Chernoff's bound for `steps` of the pair and a normal loss of so much variance.

    It holds for the game too: of all moves the pair has the largest E_P[e^{cL}], c > 0, because
    that weighs every δ(u) more than δ_reversed(u).
    """
    log_moments = steps * _log_moments(pair) + variance * TILTS * (TILTS + 1) / 2
    if isinstance(question, EpsilonAt):
        log_delta = math.log(question.delta)
        epsilons = (log_moments - log_delta) / TILTS
        best = int(np.argmin(epsilons))
        epsilon = float(epsilons[best])
    else:
        epsilon = question.epsilon
        bounds = log_moments - TILTS * epsilon
        # not far below one deviation's: there the lattice would go on for long
        least = int(np.searchsorted(TILTS[:-1], 1 / math.sqrt(steps * pair.variance)))
        best = max(int(np.argmin(bounds)), least)
        log_delta = min(float(bounds[best]), -1.0)
    if not math.isfinite(epsilon + log_delta):
        raise NumericalError("no power of the losses is a float")
    tilt = float(TILTS[best])
    reach = max(epsilon, 0.0) + MARGIN / tilt
    if not variance and pair.is_a_move:
        reach = min(reach, steps * pair.top)
    grain = 2.0 ** (math.floor(math.log2(reach)) - 3)
    return Target(tilt, grain * math.ceil(reach / grain), log_delta)


def log_beyond(pair: VirtualPair, steps: int, reach: float) -> float:
    """log of a bound on the value of the game at `reach`, by the best tilt."""
    if reach >= steps * pair.top:
        return -math.inf
    return float(np.min(steps * _log_moments(pair) - TILTS * reach))


def _log_moments(pair: VirtualPair) -> Array:
    with np.errstate(invalid="ignore"):
        values = np.log1p([pair.excess(float(tilt)) for tilt in TILTS])
    return np.where(np.isfinite(values), values, np.inf)
