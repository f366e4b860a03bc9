"""An audit by many runs on two neighbouring inputs, and an event that one makes more likely."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hockeystick.audit.found import Found
from hockeystick.audit.scores import Array, Progress, interleaved
from hockeystick.checks import Between, probability, whole
from hockeystick.mechanism import Mechanism
from hockeystick.numerics import clopper_pearson
from hockeystick.relation import Relation

Side = Literal["at least", "at most"]

RANKS = 400
"""About twice so many thresholds are tried."""


@dataclass(frozen=True)
class Event:
    """A score `side` the `threshold`, and how often it happened.

    In `likely` of all counted runs on one input, the second if `swapped`, and in `unlikely` of as
    many on the other.
    """

    side: Side
    threshold: float
    swapped: bool
    likely: int
    unlikely: int


@dataclass(frozen=True)
class Audit(Found):
    """A lower bound on ε, with the event and the counts that it rests on.

    The event is a score `side` the `threshold`. It happened in `likely` of `runs` runs on one
    input, the second if `swapped`, and in `unlikely` of `runs` runs on the other. Such an event is
    rare. `common` ones are held against a claim, too: they tell more of a whole curve.
    """

    epsilon: float
    delta: float
    confidence: float
    side: Side
    threshold: float
    swapped: bool
    likely: int
    unlikely: int
    runs: int
    common: tuple[Event, ...] = ()

    def excess(self, claim: Mechanism, relation: Relation | None = None) -> float:
        """log(p / (1 − f(q))), f the claim's trade-off curve: p is at most 1 − f(q) if it holds.

        >>> from hockeystick import Gaussian
        >>> audit = Audit(1.9, 1e-5, 0.99, "at least", 2.0, False, 900, 100, 1000)
        >>> audit.contradicts(Gaussian(1.0)), audit.contradicts(Gaussian(0.3))
        (True, False)
        """
        counts = [(self.likely, self.unlikely)]
        counts += [(event.likely, event.unlikely) for event in self.common]
        confidence = 1 - (1 - self.confidence) / len(counts)
        bounds = [_bounds(*each, self.runs, confidence) for each in counts]
        curve = claim.tradeoff([float(q) for _, q in bounds], relation=relation)
        ratios = zip((float(p) for p, _ in bounds), curve.tolist(), strict=True)
        return max(_log_ratio(p, 1 - error) for p, error in ratios)


def lower_bound(
    mechanism: Callable[..., Any],
    one: Any,
    other: Any,
    *,
    delta: float,
    confidence: float = 0.95,
    runs: int = 10_000,
    score: Callable[[Any], float] = float,
    batched: bool = False,
    progress: Progress | None = None,
) -> Audit:
    """A lower bound on the ε of any mechanism, from its outputs on two neighbouring inputs.

    (ε, δ)-DP says P[E] <= e^ε·Q[E] + δ for every event E. Half of the runs choose an event: a score
    at least or at most some threshold, on either input the likely one. The other half count how
    often it happens, and with Clopper and Pearson's (1934) bounds p on P[E] and q on Q[E],
    ε >= log((p − δ)/q), except in a share 1 − `confidence` of all audits. From n counted runs
    no more than log(n/log(2/(1 − confidence))) can follow.

    Parameters
    ----------
    mechanism: called with an input, returns an output; fresh randomness in every call.
    one, other: two neighbouring inputs.
    delta: in [0, 1].
    confidence: in (0, 1).
    runs: how often each input is tried in all, an integer >= 2.
    score: a number for an output, the larger the more it speaks for one of the inputs.
    batched: the mechanism is called with an input and a count, and returns an array of as many
        scores.
    progress: called some fifty times or more with the runs done and all runs, of both inputs.

    The inputs take turns, in blocks if batched, so that what drifts in time is no leak. Scores that
    never change, on each of the inputs, are refused: they come of noise that starts again.

    >>> from hockeystick import Laplace
    >>> rng, noise = np.random.default_rng(0), Laplace(2.0)
    >>> audit = lower_bound(lambda x: noise.release(x, rng=rng), 0, 1, delta=0)
    >>> 0.3 < audit.epsilon < 0.5
    True
    """
    delta, runs = probability("delta", delta), whole("runs", runs, 2)
    confidence = Between("(0, 1)")("confidence", confidence)
    scores = interleaved(mechanism, (one, other), runs, score, batched, progress)
    half = runs // 2
    worths = (partial(_epsilon, delta=delta), _shift, np.subtract)
    chosen = _choose([part[:half] for part in scores], confidence, worths)
    kept = [np.sort(part[half:]) for part in scores]
    event, *common = (_counted(kept, *each) for each in chosen)
    p, q = _bounds(event.likely, event.unlikely, runs - half, confidence)
    epsilon = max(0.0, float(_epsilon(p, q, delta)))
    return Audit(
        epsilon, delta, confidence, event.side, event.threshold, event.swapped,
        event.likely, event.unlikely, runs - half, tuple(common),
    )  # fmt: skip


def _counted(kept: list[Array], side: Side, threshold: float, swapped: bool) -> Event:
    """How often the event happened in the runs that had no part in its choice."""
    likely, unlikely = (
        int(_count(part, threshold, side)) for part in (kept[::-1] if swapped else kept)
    )
    return Event(side, threshold, swapped, likely, unlikely)


def _choose(
    scores: list[Array], confidence: float, worths: Sequence[Callable[[Array, Array], Array]]
) -> list[tuple[Side, float, bool]]:
    """For each worth the event that has the most of it, if these runs were the counted ones."""
    sorted_ = [np.sort(part) for part in scores]
    thresholds = _thresholds(np.sort(np.concatenate(scores)))
    start: tuple[float, Side, float, bool] = (-np.inf, "at least", float(thresholds[0]), False)
    best = [start] * len(worths)
    sides: tuple[Side, Side] = ("at least", "at most")
    for side in sides:
        counts = [_count(part, thresholds, side) for part in sorted_]
        for swapped in (False, True):
            likely, unlikely = counts[::-1] if swapped else counts
            bounds = _bounds(likely, unlikely, scores[0].size, confidence)
            for k, worth in enumerate(worths):
                shown = worth(*bounds)
                i = int(np.argmax(shown))
                best[k] = max(best[k], (float(shown[i]), side, float(thresholds[i]), swapped))
    return [each[1:] for each in best]


def _thresholds(pooled: Array) -> Array:
    """Scores of about 2 · RANKS ranks, the closer together the nearer they are to an end."""
    ranks = np.unique(np.geomspace(1, pooled.size, RANKS).astype(int)) - 1
    return np.unique(np.concatenate([pooled[ranks], pooled[::-1][ranks]]))


def _count(ascending: Array, threshold: Any, side: Side) -> NDArray[np.int64]:
    """How many scores are at least, or at most, each threshold."""
    if side == "at least":
        return np.asarray(ascending.size - np.searchsorted(ascending, threshold, side="left"))
    return np.asarray(np.searchsorted(ascending, threshold, side="right"))


def _bounds(likely: Any, unlikely: Any, runs: int, confidence: float) -> tuple[Array, Array]:
    """At least the event's probability on one input and at most that on the other."""
    miss = (1 - confidence) / 2
    p = clopper_pearson.at_least(likely, runs, miss)
    return p, clopper_pearson.at_most(unlikely, runs, miss)


def _epsilon(p: Array, q: Array, delta: float) -> Array:
    """log((p − δ)/q), −inf where p is no more than δ."""
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(p - delta, 0)) - np.log(q)


def _shift(p: Array, q: Array) -> Array:
    """How far apart two normal laws are that an event tells apart so well: Φ⁻¹(p) − Φ⁻¹(q)."""
    from scipy.special import ndtri

    with np.errstate(invalid="ignore"):
        return np.nan_to_num(ndtri(p) - ndtri(q), nan=-np.inf)


def _log_ratio(p: float, most: float) -> float:
    return -math.inf if p == 0 else math.inf if most <= 0 else math.log(p / most)
