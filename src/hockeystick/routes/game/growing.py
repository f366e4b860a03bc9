"""ε after each of many numbers of steps, from one run of macro-steps that grows with them.

What a macro-step needs of those before it is a stage, a profile on a lattice. The next numbers of
steps take a lattice that is twice as coarse and farther, and go on from the same stage.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.triples.base import Triples
from hockeystick.loss.triples.pair import VirtualPair
from hockeystick.numerics.types import Array
from hockeystick.routes.base import CannotAnswer
from hockeystick.routes.game import route
from hockeystick.routes.game.lattice import Lattice, tilts_to
from hockeystick.routes.game.macro import macro_step
from hockeystick.routes.game.moves import Moves
from hockeystick.routes.game.route import end_of, start_part
from hockeystick.routes.game.stage import Stage, reflected, values
from hockeystick.routes.game.target import pair_for, target
from hockeystick.routes.question import EpsilonAt

RATIO, UNEVEN = 0.5, 8.0
"""A macro-step is this part of all steps before it; if these have skew x, 1/(1 + 8x) of that."""
FINE, FINER = 75.0, 125.0
"""Nodes within one standard deviation of the loss of the smallest number of steps of a lattice, and
where single losses are `FAR` deviations of one step out."""
FAR = 1000.0
FROM = 1000
"""From so many such steps on the game may be below the pair of single steps."""
TOGETHER = 4.0
"""The largest number of steps that shares a lattice, over the smallest: the next has nodes twice as
far apart, for twice the deviation."""
NOTHING = -1e4
"""The logarithm of a weight that is none."""


def epsilons(triples: Triples, delta: float, counts: Sequence[int]) -> Array:
    """Upper ends after each number of steps, which grow; inf from where there is no bound on.

    >>> from hockeystick.loss.triples.two_laws import TwoLaws
    >>> game = TwoLaws(rate=0.01, epsilon=np.log(9))
    >>> epsilons(game, 1e-6, [2000, 20_000]).round(2).tolist()
    [6.25, 24.6]
    """
    found = np.full(len(counts), np.inf)
    with suppress(*CannotAnswer):
        for i, end in enumerate(_Run(triples, delta, counts).ends()):
            found[i] = end
    return found


def least_steps(triples: Triples, delta: float, most: int) -> float:
    """From how many on, of at most so many, a run gains something over the pair; inf for never."""
    with suppress(*CannotAnswer):
        least = route.least_steps(triples, delta, most)
        pair = pair_for(triples, delta, most)
        return max(least, FROM) if _is_far(pair) else least
    return math.inf


def _is_far(pair: VirtualPair) -> bool:
    return pair.top > FAR * math.sqrt(pair.variance)


class _Run:
    """The stages so far, all on one lattice."""

    def __init__(self, triples: Triples, delta: float, counts: Sequence[int]) -> None:
        self._question, self._counts = EpsilonAt(delta), counts
        # smaller pairs gain 0.3 % at most where records are on a line, and take a while to find
        self._pair = replace(pair_for(triples, delta, counts[-1]), calmer=lambda slope: ())
        first = counts[0] * self._pair.variance
        self._variance = start_part(self._pair, counts[0]) * first
        self._fine = FINER if _is_far(self._pair) else FINE
        self._spacing = math.sqrt(first) / self._fine
        self._known: list[Stage] = []

    def ends(self) -> Iterator[float]:
        """ε after each number of steps."""
        for group in _groups(self._counts):
            moves = self._moves(group)
            for count in group:
                self._go_to(count, moves)
                profile = np.minimum.accumulate(values(self._known[-1], self._spacing))
                yield end_of(self._question, self._spacing, profile)

    def _moves(self, group: Sequence[int]) -> Moves:
        """On a lattice for this group, to which all stages are brought."""
        ends = group[0], group[-1]
        targets = [target(self._pair, n, self._question, 1.01 * self._variance) for n in ends]
        deviation = math.sqrt(group[-1] * self._pair.variance + self._variance)
        tilts = {tilt for each in targets for tilt in tilts_to(each.tilt, deviation)}
        reach = max(each.reach for each in targets)
        if self._known:
            while math.sqrt(group[0] * self._pair.variance) / self._fine >= 1.9 * self._spacing:
                self._known = [coarser(each, self._spacing) for each in self._known]
                self._spacing *= 2
            reach = max(reach, self._spacing * self._known[-1].log_weights.size)
        lattice = Lattice(self._pair, self._spacing, reach, sorted(tilts))
        if self._known:
            self._known = [_longer(each, lattice.count + 1) for each in self._known]
        else:
            ahead, beyond = lattice.start(self._variance)
            infinite = self._counts[-1] * self._pair.infinite + beyond
            self._known = [reflected(0, ahead, infinite, self._spacing)]
        tilt = max(each.tilt for each in targets)
        before = self._variance / self._pair.variance
        return Moves(self._pair, lattice, tilt, before, group[-1])

    def _go_to(self, count: int, moves: Moves) -> None:
        before = self._variance / self._pair.variance
        while (done := self._known[-1].steps) < count:
            ratio = RATIO / (1 + UNEVEN * self._pair.skew / math.sqrt(done + before))
            steps = min(count - done, max(1, math.floor(ratio * (done + before))))
            some = [each for each in self._known if each.steps]
            self._known.append(macro_step(self._known[-1], steps, moves, some))


def _groups(counts: Sequence[int]) -> list[list[int]]:
    groups: list[list[int]] = []
    for count in counts:
        if groups and count <= TOGETHER * groups[-1][0]:
            groups[-1].append(count)
        else:
            groups.append([count])
    return groups


def coarser(stage: Stage, spacing: float) -> Stage:
    """The stage on every other node: the weight of one between goes to its neighbours, in equal
    shares of h. That is the chord between them, so the profile is nowhere smaller."""
    weights = stage.log_weights
    if weights.size % 2 == 0:
        weights = np.append(weights, NOTHING)
    between = weights[1::2] - math.log(2 * math.cosh(spacing / 2))
    left, right = np.append(between[:1], between), np.append(between, NOTHING)
    return replace(stage, log_weights=np.logaddexp(weights[::2], np.logaddexp(left, right)))


def _longer(stage: Stage, size: int) -> Stage:
    more = np.full(max(size - stage.log_weights.size, 0), NOTHING)
    if stage.log_weights.size > size:
        raise NumericalError("the lattice of the game would become shorter")
    return replace(stage, log_weights=np.concatenate([stage.log_weights, more]))
