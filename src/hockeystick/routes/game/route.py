"""The route of the game: an upper end for steps that all have the same triples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.triples.base import Triples
from hockeystick.loss.triples.pair import VirtualPair
from hockeystick.numerics.types import Array
from hockeystick.routes.base import CannotAnswer
from hockeystick.routes.game import macro, one_shot, walk
from hockeystick.routes.game.macro import TOO_UNEVEN
from hockeystick.routes.game.target import Target, pair_for, target
from hockeystick.routes.question import DeltaAt, EpsilonAt, Question

NAME = "game"
SENTENCE = "the game of an adversary who chooses the query of each step, on batches of fixed size"
ROUGHLY = 1e-16
"""Of a record that is drawn: what the pair may give away that tells about where δ is, the one that
most answers take."""
LEAST_START = 0.0015
"""Part of the final variance that smooths the beginning; more where the whole run is skewed."""
MORE_START = 0.05
"""The same for a run of skew 1: about what makes the bound least, by trial."""
MOST_UNEVEN = 1.0
"""Skew of the whole run, beyond which macro-steps are hardly below the pair of single steps."""
CLEARLY = 1.5
"""The same by what is roughly known of one step, where the envelope is not worth its time."""
EVEN = 0.3
"""The same, below which they clearly are: for curves, where every point costs time."""


def upper_end(question: Question, triples: Triples, steps: int) -> Interval:
    """A bound on the game; `NumericalError` where there is none.

    >>> from hockeystick.loss.triples.two_laws import TwoLaws
    >>> game = TwoLaws(rate=0.01, epsilon=np.log(9))
    >>> round(upper_end(EpsilonAt(1e-6), game, 300).upper, 3)  # exactly 2.2667
    2.267
    """
    if not isinstance(question, EpsilonAt | DeltaAt) or question == EpsilonAt(0.0):
        raise NumericalError("the game has no bound at δ = 0")
    if triples.rate in (0, 1) or steps == 1:
        raise NumericalError("there is no game in one step or without a sample")
    rough = triples.roughly()
    if (
        rough
        and rough.skew > CLEARLY * math.sqrt(steps)
        and not one_shot.may_be(steps * rough.variance)
    ):
        raise NumericalError(TOO_UNEVEN)
    pair = pair_for(triples, _wanted(question, triples, steps), steps)
    try:
        ends = [end_of(question, *_profile(pair, steps, question))]
    except CannotAnswer:  # where losses add up to more than a lattice holds
        ends = [one_shot.end(question, pair, steps)]
        if math.isinf(ends[0]):
            raise
    if isinstance(question, EpsilonAt) and steps * pair.infinite < question.delta:
        ends.append(steps * pair.top * (1 + 1e-12))
    return Interval(0.0, min(ends), NAME)


def _wanted(question: EpsilonAt | DeltaAt, triples: Triples, steps: int) -> float:
    """About the δ that the answer is about."""
    if isinstance(question, EpsilonAt):
        return question.delta
    rough = target(triples.pair(ROUGHLY * triples.rate), steps, question)
    return math.exp(max(rough.log_delta, -650.0))


def profile_to(triples: Triples, steps: int, delta: float) -> tuple[float, Array]:
    """The spacing of a lattice, and an upper bound on δ(ε) on it, from ε = 0: near the best down to
    that δ."""
    pair = pair_for(triples, delta, steps)
    return _profile(pair, steps, EpsilonAt(delta))


def epsilons_of(triples: Triples, delta: float, counts: Sequence[int]) -> Array:
    """ε after each of several numbers of steps, which grow, from one run of macro-steps.

    >>> from hockeystick.loss.triples.two_laws import TwoLaws
    >>> game = TwoLaws(rate=0.01, epsilon=np.log(9))
    >>> epsilons_of(game, 1e-6, [200, 300]).round(2).tolist()  # exactly 1.82 and 2.27
    [1.92, 2.35]
    """
    steps, question = counts[-1], EpsilonAt(delta)
    pair = pair_for(triples, delta, steps)
    start = start_part(pair, counts[0]) * counts[0] / steps
    variance = 1.01 * start * steps * pair.variance
    targets = [target(pair, each, question, variance) for each in (counts[0], steps)]
    spacing, found = macro.profiles(pair, counts, start, targets)
    return np.array([end_of(question, spacing, each) for each in found])


def start_part(pair: VirtualPair, steps: int) -> float:
    """The part of the final variance that smooths the beginning."""
    uneven = pair.skew / math.sqrt(steps)
    if uneven > MOST_UNEVEN:
        raise NumericalError(TOO_UNEVEN)
    return max(LEAST_START, MORE_START * uneven**2)


def least_steps(triples: Triples, delta: float, most: int) -> int:
    """From how many on, of at most so many, a game is clearly below the pair of single steps."""
    return max(2, math.ceil((pair_for(triples, delta, most).skew / EVEN) ** 2))


def _profile(pair: VirtualPair, steps: int, question: EpsilonAt | DeltaAt) -> tuple[float, Array]:
    """A bound on the value of the game: the walk, nearly exact, where there are two moves and few
    steps, else macro-steps."""
    if pair.is_a_move:
        with suppress(*CannotAnswer):
            return _walked(pair, steps, target(pair, steps, question))
    start = start_part(pair, steps)
    variance = 1.01 * start * steps * pair.variance
    return _leapt(pair, steps, start, target(pair, steps, question, variance))


@lru_cache(maxsize=32)
def _walked(pair: VirtualPair, steps: int, where: Target) -> tuple[float, Array]:
    return walk.profile(pair, steps, where)


@lru_cache(maxsize=32)
def _leapt(pair: VirtualPair, steps: int, start: float, where: Target) -> tuple[float, Array]:
    return macro.profile(pair, steps, start, where)


def end_of(question: EpsilonAt | DeltaAt, spacing: float, profile: Array) -> float:
    """ε or δ from a profile on a lattice, with chords in e^ε between."""
    if isinstance(question, DeltaAt):
        k = min(int(question.epsilon / spacing), profile.size - 2)
        share = math.expm1(min(question.epsilon - k * spacing, spacing)) / math.expm1(spacing)
        return float(profile[k] + max(share, 0.0) * (profile[k + 1] - profile[k])) * (1 + 1e-12)
    good = np.flatnonzero(profile <= question.delta)
    if not good.size:
        return math.inf
    k = int(good[0])
    if k == 0:
        return 0.0
    share = (profile[k - 1] - question.delta) / (profile[k - 1] - profile[k])
    return float(spacing * (k - 1) + np.log1p(math.expm1(spacing) * share)) * (1 + 1e-12)
