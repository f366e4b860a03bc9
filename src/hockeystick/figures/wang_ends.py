"""Both ends of ε after many numbers of steps on batches of fixed size, near enough for a picture.

They are from the same pairs and the same game as the answers for single numbers, on the same side
of what is true, and within 0.5 % of those, in a fraction of their time: pairs are put on lattices,
from above and from below, and the game is played once, through all numbers of steps.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from hockeystick.evidence import Evidence, known
from hockeystick.figures import on_lattice
from hockeystick.figures.figure import Progress
from hockeystick.figures.lattice_sums import LatticeSum
from hockeystick.loss.base import Loss
from hockeystick.loss.triples.base import Triples
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.types import Array
from hockeystick.relation import REPLACE_ONE
from hockeystick.routes.base import CannotAnswer
from hockeystick.routes.game import growing, one_shot
from hockeystick.routes.game import route as game
from hockeystick.routes.question import EpsilonAt

FEW = 1000
"""Up to so many steps the pair may be better than the game."""
WALKED = 3000
"""Up to so many steps of a game with two moves the library walks through all of them."""
NEAR = 0.95
"""A pair whose bound is below this part of the largest is not the one that costs most."""
SAME = 1e-5
"""Relative distance of bounds that are the same for both directions of a pair."""
LARGE = 3000.0
"""From this ε on, by the pair, a game takes one shot: its lattice is long then."""


def ends(
    step: Mechanism, delta: float, counts: Sequence[int], progress: Progress
) -> tuple[Array, Array]:
    """Lower and upper ends of ε after each number of steps, which grow."""
    evidence = known(step, REPLACE_ONE, 2)
    lower, upper = np.zeros(len(counts)), np.full(len(counts), math.inf)
    first = bisect_right(counts, 1)
    if first:
        bound = step.epsilon(delta, relation=REPLACE_ONE)
        lower[:first], upper[:first] = bound.lower, bound.upper
    if rest := list(counts[first:]):
        attained = filter(None, (evidence.attained, *evidence.also_attained))
        lower[first:] = _below([*attained] or [evidence.loss], delta, rest)
        progress(0.3)
        upper[first:] = _above(evidence, delta, rest)
    return np.minimum(lower, upper), upper


def _above(evidence: Evidence, delta: float, counts: Sequence[int]) -> Array:
    """Of the pair that stands for every step, and of the game, which is below it soon."""
    loss = evidence.loss
    pair = loss if loss.spacing else on_lattice.above(loss, counts[-1])
    sides = _sides(pair)
    most = np.array([max(side.most(count, delta) for side in sides) for count in counts])
    upper = np.full(len(counts), math.inf)
    if evidence.triples is not None and evidence.triples.is_game:
        walked = bisect_right(counts, WALKED) if loss.spacing else 0
        upper = _played(evidence.triples, delta, counts, most, walked)
    for i, count in enumerate(counts):
        if math.isinf(upper[i]) or count < FEW:
            upper[i] = min(upper[i], max(side.upper(count, delta) for side in sides))
    return upper


def _below(losses: Sequence[Loss], delta: float, counts: Sequence[int]) -> Array:
    pairs = [each if each.spacing else on_lattice.below(each, counts[-1]) for each in losses]
    sides = [_sides(pair) for pair in pairs]
    return np.array([_largest(sides, delta, count) for count in counts])


def _sides(pair: Loss) -> list[LatticeSum]:
    both = [pair] if pair.symmetric else [pair, pair.reverse()]
    return [LatticeSum(each) for each in both]


def _largest(pairs: Sequence[Sequence[LatticeSum]], delta: float, count: int) -> float:
    """The largest ε of those sides that may have it, by Chernoff's bound: if both of one pair have
    the same bound, one will do."""
    most = {side: side.most(count, delta) for pair in pairs for side in pair}
    least = NEAR * max(most.values())
    same = [abs(most[pair[0]] - most[pair[-1]]) <= SAME * most[pair[0]] for pair in pairs]
    some = [pair[:1] if one else pair for pair, one in zip(pairs, same, strict=True)]
    return max(each.lower(count, delta) for pair in some for each in pair if most[each] >= least)


def _played(
    triples: Triples, delta: float, counts: Sequence[int], most: Array, walked: int
) -> Array:
    """Upper ends of the game, the first by walking through it; inf where it has none."""
    found = np.full(len(counts), math.inf)
    for i, count in enumerate(counts[:walked]):
        with suppress(*CannotAnswer):
            found[i] = game.upper_end(EpsilonAt(delta), triples, count).upper
    least = growing.least_steps(triples, delta, counts[-1])
    some = [i for i, n in enumerate(counts) if i >= walked and n >= least and most[i] <= LARGE]
    if some:
        found[some] = growing.epsilons(triples, delta, [counts[i] for i in some])
    for i in np.flatnonzero(np.isinf(found) & (most > LARGE)).tolist():
        found[i] = one_shot.upper_end(triples, delta, counts[i])
    return np.asarray(np.minimum.accumulate(found[::-1])[::-1])  # fewer steps cost no more
