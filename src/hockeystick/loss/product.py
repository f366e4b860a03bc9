"""The loss of several releases together, as one pair: what a sample shared by them is put on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np

from hockeystick.errors import NumericalError, ParameterError
from hockeystick.loss.atoms import EVERYTHING, NOTHING, AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.loss.blurred import BlurredLoss
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.measure import EMPTY, Atoms
from hockeystick.numerics.types import Array

NEGLIGIBLE = (1e-280, 1e-30)
"""Atoms rarer than this count as giving the record away; the second where they are very many."""
MOST_ATOMS = 200_000
MOST_PAIRS = 20_000_000
MOST_AT_ONCE = 1_000_000


def product(parts: Sequence[tuple[Loss, int]]) -> Loss:
    """The loss of all parts, each as often as it runs; Gaussians and atoms are merged exactly."""
    if any(loss.infinite == 1 for loss, _ in parts):
        return EVERYTHING
    try:
        return _product(parts, NEGLIGIBLE[0])
    except NumericalError:
        return _product(parts, NEGLIGIBLE[1])


def _product(parts: Sequence[tuple[Loss, int]], negligible: float) -> Loss:
    variance, rest = 0.0, cast(Loss, NOTHING)
    for loss, count in parts:
        if loss.gaussian_shift is not None:
            variance += count * loss.gaussian_shift**2
        elif loss.continuous:
            rest = _only(rest, loss, count)
        else:
            rest = _sum(rest, _power(_listed(loss, negligible), count))
    if not variance:
        return rest
    gaussian = GaussianLoss(math.sqrt(variance))
    return gaussian if rest is NOTHING else BlurredLoss(gaussian.shift, rest)


def _listed(loss: Loss, negligible: float) -> Loss:
    """A discrete loss of finitely many atoms; rarer ones count as giving the record away."""
    return loss.truncated(negligible) if math.isinf(loss.top) else loss


def _only(rest: Loss, loss: Loss, count: int) -> Loss:
    if rest is NOTHING and count == 1:
        return loss
    raise ParameterError(
        "on one shared sample there may be any number of Gaussian and of discrete releases and one "
        "other; put the sampler on each part if each draws its own sample"
    )


def _power(loss: Loss, count: int) -> Loss:
    """A list of atoms added to itself, by doubling."""
    total = cast(Loss, NOTHING)
    while count:
        if count & 1:
            total = _sum(total, loss)
        count >>= 1
        loss = _sum(loss, loss) if count else loss
    return total


def _sum(one: Loss, other: Loss) -> Loss:
    """Two lists of atoms, or one list and a loss with none to spare."""
    if one is NOTHING:
        return other
    if one.continuous:
        raise ParameterError(
            "on one shared sample a continuous release other than Gaussian cannot be joined by a "
            "discrete one; put the sampler on each part if each draws its own sample"
        )
    if other is NOTHING:
        return one
    pairs = one.atoms.losses.size * other.atoms.losses.size
    if pairs > MOST_PAIRS:
        raise NumericalError(f"the releases on one sample have {pairs} pairs of losses to add")
    atoms = Atoms(EMPTY, EMPTY)
    rows = max(1, MOST_AT_ONCE // other.atoms.losses.size)
    for i in range(0, one.atoms.losses.size, rows):
        losses = one.atoms.losses[i : i + rows, None] + other.atoms.losses
        log_q = one.atoms.log_q[i : i + rows, None] + other.atoms.log_q
        atoms = _merged(np.append(atoms.losses, losses), np.append(atoms.log_q, log_q))
        if atoms.losses.size > MOST_ATOMS:
            raise NumericalError(
                f"the releases on one sample have more than {MOST_ATOMS} different losses"
            )
    return AtomicLoss(
        *atoms,
        infinite=one.infinite + (1 - one.infinite) * other.infinite,
        void=one.void + (1 - one.void) * other.void,
        symmetric=one.symmetric and other.symmetric,
    )


def _merged(losses: Array, log_q: Array) -> Atoms:
    """Losses that agree to 13 decimals as one, the largest, with the sum of their masses.

    In logarithms, because floats may be too small for a mass.
    """
    rounded, place = np.unique(np.round(losses, 13), return_inverse=True)
    values, peak = np.full((2, rounded.size), -math.inf)
    np.maximum.at(values, place, losses)
    np.maximum.at(peak, place, log_q)
    return Atoms(values, peak + np.log(np.bincount(place, np.exp(log_q - peak[place]))))
