"""Few steps of the game: the programme itself, a random walk that is reflected at 0."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.triples.pair import VirtualPair
from hockeystick.numerics.types import Array
from hockeystick.routes.game.target import Target, log_beyond

FINEST, COARSEST = 60.0, 5.0
"""Nodes within one standard deviation of a single loss."""
MOST_WORK = 1e8
"""Products, for all steps."""
MOST_STEPS = 20_000
LARGEST_LOSS = 1200.0
"""Beyond it e^{x/2} is soon no float."""
ROUNDING = 2.0**-49
"""Relative error of a sum of a few positive products, of each step."""


def profile(pair: VirtualPair, steps: int, target: Target) -> tuple[float, Array]:
    """The spacing of a lattice, and on it, from 0, an upper bound on the value of the game.

    For a pair that is, with its reverse, all that there is to choose. A move on the lattice is its
    pair, connected: the profile at the lattice with chords between.
    """
    if steps > MOST_STEPS:
        raise NumericalError("too many steps to walk")
    cells = FINEST
    if target.reach > LARGEST_LOSS:
        raise NumericalError("the losses are too large for the lattice of the game")
    while True:
        spacing = math.sqrt(pair.variance) / cells
        count = int(target.reach / spacing) + 2
        shifts, weights = _on_lattice(pair, spacing)
        if steps * (count + np.abs(shifts).max()) * (2.0 * shifts.size + 8) <= MOST_WORK:
            break
        if cells == COARSEST:
            raise NumericalError("too many steps to walk")
        cells = max(COARSEST, cells / 1.3)
    given_away = steps * pair.infinite + math.exp(log_beyond(pair, steps, count * spacing))
    found = _values(shifts, weights, spacing, count, steps)
    return spacing, np.minimum.accumulate(found) * (1 + steps * ROUNDING) + given_away


def _on_lattice(pair: VirtualPair, spacing: float) -> tuple[Array, Array]:
    """The nodes and the weights h = e^{−x/2}·w of the pair, connected: an atom goes to its two
    neighbours, in shares that keep its P- and its Q-mass."""
    below = np.floor(pair.losses / spacing)
    rest = pair.losses - below * spacing
    heights = pair.masses * np.exp(-pair.losses / 2) / math.sinh(spacing / 2)
    left, right = heights * np.sinh((spacing - rest) / 2), heights * np.sinh(rest / 2)
    nodes = np.concatenate([below, below + 1, [0.0]]).astype(int)
    stays = max(1 - float(pair.masses.sum()), 0.0)
    shifts, place = np.unique(nodes, return_inverse=True)
    weights = np.bincount(place, np.concatenate([left, right, [stays]]))
    return shifts[weights > 0], weights[weights > 0]


def _values(shifts: Array, weights: Array, spacing: float, count: int, steps: int) -> Array:
    """g = e^{−x/2}·V, which is g(x) + 2·sinh(x/2) at −x: the larger of both moves at each node.

    Beyond the lattice V counts as 0; the value at its end, given away once, makes up for that.
    """
    reach = int(np.abs(shifts).max())
    rise = 2 * np.sinh(spacing * np.arange(reach, 0, -1) / 2)
    row = np.zeros(count + 1 + 2 * reach)
    middle = slice(reach, reach + count + 1)
    row[:reach] = rise
    for _ in range(steps):
        moves = [np.zeros(count + 1), np.zeros(count + 1)]
        for shift, weight in zip(shifts.tolist(), weights.tolist(), strict=True):
            for move, by in zip(moves, (shift, -shift), strict=True):
                move += weight * row[reach - by : reach - by + count + 1]
        row[middle] = np.maximum(*moves)
        row[:reach] = rise + row[reach + 1 : 2 * reach + 1][::-1]
    return np.asarray(row[middle] * np.exp(spacing * np.arange(count + 1) / 2))
