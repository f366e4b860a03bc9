"""Pairs on a lattice, above and below a given one, as near to it as a picture needs.

A pair dominates another where its profile δ(ε), convex in a = e^ε, is nowhere below. With corners
at lattice points alone it has finitely many losses, all multiples of one spacing Δ, so that its
compositions take milliseconds. Either is off by a part of about (Δ/σ)²/4 of the variance σ² of a
loss, and ε by a part of 1e-4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.loss.points import Side, pair_of, side_through
from hockeystick.numerics.types import Array

FINE, FINEST = (48, 12), 128
"""Lattice points within a standard deviation of a loss, fewer where losses reach far; and where
there is a largest loss: at both ends are losses that have a probability, moved by up to a cell."""
MOST = 6000, 60_000
"""Of the lattice, on either side of 0, for either."""
NEGLIGIBLE = 1e-15
"""Of all steps together: a mass that may count as given away, or not at all."""
BESIDE = 0.01
"""How far beside the middle of a cell its slope is taken, in cells."""
ROUGH = 1e-12
"""By how much rounding may let masses miss their total."""

SAME = 1e-12
"""Relative distance of losses that are the same but for rounding."""

Profile = Callable[[Array], Array]
"""δ at each ε >= 0."""


def above(loss: Loss, steps: int) -> AtomicLoss:
    """A pair that dominates: the profile at the lattice, with chords between.

    `steps` is how many there may be: what lies beyond the lattice is given away by each.
    """
    spacing = _spacing(loss, steps)
    sides = []
    for one, profile in _directions(loss):
        u = spacing * np.arange(_cells(profile, spacing, steps, one.top) + 1)
        sides.append(side_through(u, profile(u)))
    return _joined(sides, spacing)


def below(loss: Loss, steps: int) -> AtomicLoss:
    """A pair that is dominated: its chord over each cell is below the tangent in the middle of the
    cell, which is below the profile. What is beyond the lattice counts as nothing."""
    spacing = _spacing(loss, steps)
    tangents = [
        _tangents(profile, _cells(profile, spacing, steps, one.top), spacing, one)
        for one, profile in _directions(loss)
    ]
    ahead, behind = tangents[0], tangents[-1]
    # across a = 1: no higher than the chord of its neighbours
    left, rise = -math.expm1(-spacing) + math.exp(-spacing) * behind[1], math.expm1(spacing)
    share = rise / (rise - math.expm1(-spacing))
    ahead[0] = behind[0] = min(ahead[0], behind[0], left * share + ahead[1] * (1 - share))
    return _joined([side_through(spacing * np.arange(t.size), t) for t in tangents], spacing)


def _directions(loss: Loss) -> list[tuple[Loss, Profile]]:
    """Both of them with their profiles; one where they are the same."""
    both = [loss] if loss.symmetric else [loss, loss.reverse()]
    return [(each, each.profile if each.continuous else _profile(each)) for each in both]


def _profile(loss: Loss) -> Profile:
    """δ of atoms, of which there may be as many as points: from sums over all larger losses."""
    losses, log_q = loss.atoms
    order = np.argsort(losses)[::-1]
    larger, q = losses[order], np.exp(log_q[order])
    sums_q = np.append(0.0, np.cumsum(q))
    sums_p = np.append(0.0, np.cumsum(q * np.exp(larger)))

    def at(epsilons: Array) -> Array:
        count = np.searchsorted(-larger, -epsilons)
        found = sums_p[count] - np.exp(epsilons) * sums_q[count] + loss.infinite
        return np.asarray(np.maximum(found, 0.0))

    return at


def _spacing(loss: Loss, steps: int) -> float:
    """Such that the largest loss, if there is one, is on the lattice."""
    affinity = float(np.exp(loss.cgf(np.array([-0.5 + 0j]))).real[0])
    deviation = math.sqrt(max(8 * (1 - affinity), 0.0))
    if not deviation > 0:
        raise NumericalError("nothing is revealed, for which no lattice is needed")
    far = _directions(loss)
    if math.isfinite(loss.top) and loss.top < MOST[0] / FINEST * deviation:
        return loss.top / math.ceil(loss.top / deviation * FINEST)
    for fine, most in zip(FINE, MOST, strict=True):
        end = np.array([most / fine * deviation])
        if all(steps * profile(end)[0] <= NEGLIGIBLE for _, profile in far):
            return deviation / fine
    raise NumericalError("the losses are too far apart for a lattice")


def _cells(profile: Profile, spacing: float, steps: int, top: float) -> int:
    """To the largest loss, or to where next to nothing is left."""
    if top <= spacing * MOST[0]:
        return max(math.ceil(top / spacing * (1 - SAME)), 2)
    left = profile(spacing * np.arange(MOST[1] + 1)) * steps
    return max(int(np.argmax(left <= NEGLIGIBLE)), 2)


def _highest(loss: Loss, end: float) -> float:
    """The mass under Q of the largest loss, if that is at the end of the lattice; else 0."""
    losses, log_q = loss.atoms
    if not abs(loss.top - end) <= SAME * end:
        return 0.0
    return float(np.exp(log_q[losses >= end * (1 - SAME)]).sum())


def _tangents(profile: Profile, count: int, spacing: float, loss: Loss) -> Array:
    """At 0, Δ, 2Δ, …: the lower of the lines of the cells on both sides.

    A tangent's slope is between that to the left and that to the right of the middle; towards
    either end of the cell the one is taken that is lower there. In the last cell it is the line of
    the largest loss alone, if that is where the cell ends, else 0. From one node before the first
    tangent that is not above 0 there is nothing.
    """
    a = np.exp(spacing * np.arange(count + 1))
    middle = spacing * (np.arange(count) + 0.5)
    before, after = middle - BESIDE * spacing, middle + BESIDE * spacing
    centre, at = np.exp(middle), profile(middle)
    down = at + (at - profile(after)) / (np.exp(after) - centre) * (centre - a[:-1])
    up = at - (profile(before) - at) / (centre - np.exp(before)) * (a[1:] - centre)
    down[-1], up[-1] = _highest(loss, spacing * count) * (a[-1] - a[-2]), 0.0
    values = np.minimum(np.append(down, math.inf), np.append(math.inf, up))
    if (lost := values[:-1] <= 0).any():
        values[max(int(np.argmax(lost)) - 1, 1) :] = 0.0
    return np.asarray(values)


def _joined(sides: Sequence[Side], spacing: float) -> AtomicLoss:
    """The pair with these sides, or with this one on both sides."""
    if 1 - sides[0].infinite - sides[0].p - sides[-1].q < -ROUGH:
        raise NumericalError("there is no such pair on the lattice")
    pair = pair_of(sides[0], sides[1] if len(sides) > 1 else None)
    losses, log_q = pair.atoms
    return AtomicLoss(
        np.rint(losses / spacing) * spacing,
        log_q,
        infinite=pair.infinite,
        void=pair.void,
        spacing=spacing,
        symmetric=pair.symmetric,
    )
