"""Few steps of the game: the programme itself, a random walk that is reflected at 0."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.triples.pair import VirtualPair
from hockeystick.numerics.types import Array
from hockeystick.routes.game.lattice import LARGEST_LOSS
from hockeystick.routes.game.stage import Stage, reflected, values
from hockeystick.routes.game.target import Target, log_beyond

FINEST, COARSEST = 60.0, 5.0
"""Nodes within one standard deviation of a single loss."""
MOST_WORK = 1e8
"""Products, for all steps."""
MOST_STEPS = 20_000
ROUNDING = 2.0**-49
"""Relative error of a sum of a few positive products, of each step."""


def profile(pair: VirtualPair, steps: int, target: Target) -> tuple[float, Array]:
    """The spacing of a lattice, and on it, from 0, an upper bound on the value of the game.

    A move on the lattice is its pair, connected: the profile at the lattice with chords between.
    Where there are two moves the larger value is taken at each node. Else the virtual pair is the
    best move at x >= 0 if the weights fall with |x|, which they are made to do.
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
        terms = 2 * shifts.size if pair.is_a_move else int(np.abs(shifts).max())
        if steps * (count + np.abs(shifts).max()) * (terms + 8.0) <= MOST_WORK:
            break
        if cells == COARSEST:
            raise NumericalError("too many steps to walk")
        cells = max(COARSEST, cells / 1.3)
    given_away = steps * pair.infinite
    if pair.is_a_move:
        given_away += math.exp(log_beyond(pair, steps, count * spacing))
    walked = _by_values if pair.is_a_move else _by_weights
    found = walked(shifts, weights, spacing, count, steps)
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


def _by_values(shifts: Array, weights: Array, spacing: float, count: int, steps: int) -> Array:
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


def _by_weights(shifts: Array, weights: Array, spacing: float, count: int, steps: int) -> Array:
    """The virtual pair at every step, and what leaves the lattice given away."""
    reach = int(np.abs(shifts).max())
    kernel = np.zeros(2 * reach + 1)
    kernel[shifts + reach] = weights
    if count < reach + 2 or (count + reach) * spacing > LARGEST_LOSS:
        raise NumericalError("single losses are too large for the lattice of the game")
    growth = np.exp(spacing * np.arange(count + 1, count + reach + 1) / 2)
    stage = Stage(0, np.append(1.0, np.zeros(count)), 0.0, 0.0)
    for step in range(steps):
        whole = np.concatenate([stage.weights[reach:0:-1], stage.weights, np.zeros(2 * reach)])
        whole[reach] += stage.atom
        moved = np.convolve(whole, kernel, "valid")[1:]
        beyond = stage.infinite + float(moved[count:] @ growth)
        stage = reflected(step + 1, moved[:count], beyond, spacing)
    return values(stage, spacing)
