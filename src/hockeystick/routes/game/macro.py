"""Many steps of the game: a few dozen macro-steps, whatever their number."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.triples.pair import VirtualPair
from hockeystick.numerics.types import Array
from hockeystick.routes.game.lattice import Lattice, tilts_to
from hockeystick.routes.game.moves import Moves
from hockeystick.routes.game.stage import Stage, reflected, values
from hockeystick.routes.game.target import Target

RATIO = 0.15
"""A macro-step is this part of all steps before it: the smaller, the tighter and slower."""
FINEST, COARSEST = 700.0, 100.0
"""Nodes within one standard deviation of the final loss."""
MOST_CORRECTED = 0.9
"""A larger correction says nothing."""
TOO_UNEVEN = "the steps of the game are too uneven for a bound"


def profile(pair: VirtualPair, steps: int, start: float, target: Target) -> tuple[float, Array]:
    """The spacing of a lattice, and on it, from 0, an upper bound on the value of the game.

    `start` is the part of the final variance that is added at the beginning, to be smooth there.
    """
    spacing, (found,) = profiles(pair, [steps], start, [target])
    return spacing, found


def profiles(
    pair: VirtualPair, counts: Sequence[int], start: float, targets: Sequence[Target]
) -> tuple[float, list[Array]]:
    """The same after each of several numbers of steps, which grow; with the targets of some."""
    steps = counts[-1]
    variance = start * steps * pair.variance
    plan = _plan(counts, variance / pair.variance)
    fine = min(max(math.sqrt(700 * len(plan)), COARSEST), FINEST)
    spacing = math.sqrt(steps * pair.variance) / fine
    deviation = math.sqrt(steps * pair.variance + variance)
    tilts = {tilt for each in targets for tilt in tilts_to(each.tilt, deviation)}
    lattice = Lattice(pair, spacing, max(each.reach for each in targets), sorted(tilts))
    tilt = max(each.tilt for each in targets)
    moves = Moves(pair, lattice, tilt, variance / pair.variance, steps)
    ahead, beyond = lattice.start(variance)
    stage = reflected(0, ahead, steps * pair.infinite + beyond, spacing)
    known: list[Stage] = []
    for count in plan:
        stage = macro_step(stage, count, moves, known)
        known.append(stage)
    wanted = [each for each in known if each.steps in set(counts)]
    return spacing, [np.minimum.accumulate(values(each, spacing)) for each in wanted]


def _plan(counts: Sequence[int], before: float) -> list[int]:
    """Macro-steps to each of the counts."""
    plan: list[int] = []
    done = 0
    for steps in counts:
        while done < steps:
            plan.append(min(steps - done, max(1, math.floor(RATIO * (done + before)))))
            done += plan[-1]
    return plan


def macro_step(stage: Stage, count: int, moves: Moves, known: list[Stage]) -> Stage:
    """V_{n+m} <= M^m U + (A + mΛ)·V_m, of which the values at x >= 0 are kept and reflected.

    For V_m stands the first stage that is so far; if there is none, V_m <= V_{n+m}.
    """
    move, stage = moves.of(stage)
    change = stage.atom + count * move.crossing.slope(stage.log_weights)
    ahead, beyond = move.lattice.steps(stage.log_weights, count)
    infinite = stage.infinite + beyond
    reached = next((each for each in known if each.steps >= count), None)
    if reached is not None:
        ahead = np.logaddexp(ahead, math.log(change) + reached.log_weights[1:])
        infinite += change * reached.infinite
    elif change < MOST_CORRECTED:
        ahead, infinite = ahead - math.log1p(-change), infinite / (1 - change)
    else:
        raise NumericalError(TOO_UNEVEN)
    return reflected(stage.steps + count, ahead, infinite, move.lattice.spacing)
