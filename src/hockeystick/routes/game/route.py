"""The route of the game: an upper end for steps that all have the same triples."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.triples.base import Triples
from hockeystick.loss.triples.pair import VirtualPair
from hockeystick.numerics.types import Array
from hockeystick.routes.base import CannotAnswer
from hockeystick.routes.game import macro, walk
from hockeystick.routes.game.target import Target, target
from hockeystick.routes.question import DeltaAt, EpsilonAt, Question

NAME = "game"
SENTENCE = "the game of an adversary who chooses the query of each step, on batches of fixed size"
GIVEN_AWAY = 1e-4
"""Of δ: what the tails that the envelope leaves out may cost."""
LEAST_START = 0.0015
"""Part of the final variance that smooths the beginning; more where single steps are skewed."""
MOST_UNEVEN = 3.0
"""Skew of the whole run, beyond which no bound of the game is below that of single steps."""


def upper_end(question: Question, triples: Triples, steps: int) -> Interval:
    """The smallest of the bounds on the game; `NumericalError` where there is none.

    >>> from hockeystick.loss.triples.two_laws import TwoLaws
    >>> game = TwoLaws(rate=0.01, epsilon=np.log(9))
    >>> round(upper_end(EpsilonAt(1e-6), game, 300).upper, 3)  # exactly 2.2667
    2.267
    """
    if not isinstance(question, EpsilonAt | DeltaAt) or question == EpsilonAt(0.0):
        raise NumericalError("the game has no bound at δ = 0")
    if triples.rate in (0, 1) or steps == 1:
        raise NumericalError("there is no game in one step or without a sample")
    rough = target(triples.pair(1e-20), steps, question)
    pair = triples.pair(GIVEN_AWAY * math.exp(max(rough.log_delta, -650.0)) / steps)
    if pair.skew / math.sqrt(steps) > MOST_UNEVEN:
        raise NumericalError("the steps of the game are too uneven for a bound")
    ends = [_end(question, *profile) for profile in _profiles(pair, steps, question)]
    if not ends:
        raise NumericalError("no bound on the game could be computed")
    if isinstance(question, EpsilonAt) and steps * pair.infinite < question.delta:
        ends.append(steps * pair.top * (1 + 1e-12))
    return Interval(0.0, min(ends), NAME)


def _profiles(
    pair: VirtualPair, steps: int, question: EpsilonAt | DeltaAt
) -> Iterator[tuple[float, Array]]:
    """Bounds on the value of the game: where there are two moves the walk is nearly exact."""
    with suppress(*CannotAnswer):
        yield _walked(pair, steps, target(pair, steps, question))
        if pair.is_a_move:
            return
    for start in _starts(pair, steps):
        with suppress(*CannotAnswer):
            variance = 1.01 * start * steps * pair.variance
            yield _leapt(pair, steps, start, target(pair, steps, question, variance))


def _starts(pair: VirtualPair, steps: int) -> list[float]:
    start = max(LEAST_START, pair.skew ** (2 / 3) / steps)
    uneven = (pair.skew / 2) ** 2 / steps
    if uneven > 3 * start:
        return [3 * start, min(uneven, 0.3)]
    return [start] if start < 0.01 else [start / 3, start]


@lru_cache(maxsize=32)
def _walked(pair: VirtualPair, steps: int, where: Target) -> tuple[float, Array]:
    return walk.profile(pair, steps, where)


@lru_cache(maxsize=32)
def _leapt(pair: VirtualPair, steps: int, start: float, where: Target) -> tuple[float, Array]:
    return macro.profile(pair, steps, start, where)


def _end(question: EpsilonAt | DeltaAt, spacing: float, profile: Array) -> float:
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
