"""Audits: what a mechanism's outputs themselves say of its ε, at some confidence.

An audit runs a mechanism many times on two neighbouring inputs and looks for an event that one of
them makes more likely. It shows that ε is at least something, whatever was claimed; it never shows
that a mechanism is private.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hockeystick.checks import Between, probability, whole
from hockeystick.errors import ParameterError
from hockeystick.mechanism import Mechanism
from hockeystick.numerics import clopper_pearson
from hockeystick.relation import Relation

Array = NDArray[np.float64]
Side = Literal["at least", "at most"]
Progress = Callable[[int, int], object]
"""Called with the number of runs so far and the number of all runs."""

REPORTS = 100
BATCH = 2**16
RANKS = 400


@dataclass(frozen=True)
class Audit:
    """A lower bound on ε, with the event and the counts that it rests on.

    The event is a score `side` the `threshold`. It happened in `likely` of `runs` runs on one
    input, the second if `swapped`, and in `unlikely` of `runs` runs on the other.
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

    def contradicts(self, claim: Mechanism, *, relation: Relation | None = None) -> bool:
        """Whether the counts refute a claim, by its whole trade-off curve and not at one δ.

        >>> from hockeystick import Gaussian
        >>> audit = Audit(1.9, 1e-5, 0.99, "at least", 2.0, False, 900, 100, 1000)
        >>> audit.contradicts(Gaussian(1.0)), audit.contradicts(Gaussian(0.3))
        (True, False)
        """
        p, q = _bounds(self.likely, self.unlikely, self.runs, self.confidence)
        return bool(p > 1 - claim.tradeoff([float(q)], relation=relation)[0])


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
    batched: the mechanism is called with an input and a count, and returns as many scores.
    progress: called about a hundred times with the runs done and all runs, of both inputs.

    >>> from hockeystick import Laplace
    >>> rng, noise = np.random.default_rng(0), Laplace(2.0)
    >>> audit = lower_bound(lambda x: noise.release(x, rng=rng), 0, 1, delta=0)
    >>> 0.3 < audit.epsilon < 0.5
    True
    """
    delta, runs = probability("delta", delta), whole("runs", runs, 2)
    confidence = Between("(0, 1)")("confidence", confidence)
    scores = _scores(mechanism, (one, other), runs, score, batched, progress)
    half = runs // 2
    side, threshold, swapped = _choose([part[:half] for part in scores], delta, confidence)
    kept = [np.sort(part[half:]) for part in scores]
    likely, unlikely = (
        int(_count(part, threshold, side)) for part in (kept[::-1] if swapped else kept)
    )
    p, q = _bounds(likely, unlikely, runs - half, confidence)
    epsilon = max(0.0, float(_epsilon(p, q, delta)))
    return Audit(
        epsilon, delta, confidence, side, threshold, swapped, likely, unlikely, runs - half
    )


def _scores(
    mechanism: Callable[..., Any],
    inputs: tuple[Any, Any],
    runs: int,
    score: Callable[[Any], float],
    batched: bool,
    progress: Progress | None,
) -> list[Array]:
    """The scores of all runs on each input."""
    both = []
    step = BATCH if progress is None else max(1, 2 * runs // REPORTS)
    for i, data in enumerate(inputs):
        scores = np.empty(runs)
        for start in range(0, runs, step):
            count = min(step, runs - start)
            if batched:
                scores[start : start + count] = mechanism(data, count)
            else:
                scores[start : start + count] = [score(mechanism(data)) for _ in range(count)]
            if progress is not None:
                progress(i * runs + start + count, 2 * runs)
        if np.isnan(scores).any():
            raise ParameterError("score must be a number for every output, but was NaN for some")
        both.append(scores)
    return both


def _choose(scores: list[Array], delta: float, confidence: float) -> tuple[Side, float, bool]:
    """The event that would show the largest ε, if these runs were the counted ones."""
    sorted_ = [np.sort(part) for part in scores]
    thresholds = _thresholds(np.sort(np.concatenate(scores)))
    best: tuple[float, Side, float, bool] = (-np.inf, "at least", float(thresholds[0]), False)
    sides: tuple[Side, Side] = ("at least", "at most")
    for side in sides:
        counts = [_count(part, thresholds, side) for part in sorted_]
        for swapped in (False, True):
            likely, unlikely = counts[::-1] if swapped else counts
            shown = _epsilon(*_bounds(likely, unlikely, scores[0].size, confidence), delta)
            i = int(np.argmax(shown))
            best = max(best, (float(shown[i]), side, float(thresholds[i]), swapped))
    return best[1:]


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
