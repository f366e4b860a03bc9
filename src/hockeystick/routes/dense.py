"""Losses of very many atoms, as two of fewer: one above and one below."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hockeystick.bound import Interval
from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.adding.law import Law, Tilt
from hockeystick.routes.question import Question

MOST_ATOMS = 8192
"""Atoms of one loss from which on every route takes too long."""
TRUNCATED = 1e-13
"""Part of δ that may be moved to infinity."""
KEPT = 3500
"""Atoms left of them; the two losses then differ by about (16/KEPT)² of δ."""


def is_dense(loss: ComposedLoss) -> bool:
    """Whether some loss has too many atoms."""
    return any(_is_dense(part) for part, _ in loss.parts)


def _is_dense(part: Loss) -> bool:
    return not part.continuous and part.atoms.losses.size > MOST_ATOMS


def by_fewer_atoms(
    question: Question, loss: ComposedLoss, ask: Callable[[Question, ComposedLoss], Interval]
) -> Interval:
    """The ends from two compositions of fewer atoms, one above and one below."""
    log_delta = question.log_delta(loss)
    mass = max(TRUNCATED * math.exp(log_delta), 1e-300)
    high = ask(question, thinned(loss, mass, log_delta, True))
    below = thinned(loss, mass, log_delta, False)
    lower = question.lower_end(below, below.infinite - loss.infinite, ask)
    return Interval(max(0.0, min(lower, high.upper)), high.upper, high.method)


def thinned(loss: ComposedLoss, mass: float, log_delta: float, up: bool) -> ComposedLoss:
    """A composition above this one, or below, but for P-mass `mass` moved to infinity.

    The points are as dense as for a normal law with its mean and variance, tilted to e^log_delta.
    """
    cut = loss.truncated(mass)
    mean = variance = 0.0
    for part, count in cut.parts:
        atoms = part.atoms
        average = float(atoms.p @ atoms.losses)
        mean += count * average
        variance += count * float(atoms.p @ (atoms.losses - average) ** 2)
    reach = math.sqrt(-2 * log_delta * variance)
    tilt = Tilt(reach / max(variance, 1e-300), mean + 2 * reach)
    return ComposedLoss((_thinned(part, tilt, up), count) for part, count in cut.parts)


def _thinned(part: Loss, tilt: Tilt, up: bool) -> Loss:
    if not _is_dense(part):
        return part
    atoms = part.atoms
    kept = atoms.p > 0
    law = Law.of(atoms.losses[kept], atoms.p[kept], up).thinned(KEPT, tilt)
    positive = law.masses > 0
    losses, masses = law.losses[positive], law.masses[positive]
    return AtomicLoss(losses, np.log(masses) - losses, infinite=part.infinite, void=part.void)
