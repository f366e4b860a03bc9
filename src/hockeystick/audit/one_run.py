"""An audit in one run: many canaries take part or not, each by a coin, and are to be told apart.

Steinke, Nasr and Jagielski (2023): each of m canaries is in the data with probability 1/2, by a
coin of its own. From what one run puts out, r of the m coins are guessed. If the run is (ε, δ)-DP,
then v or more guesses are right with a probability of at most

    β + 2mδ·α,   β = P[B >= v],   α = max_i P[v > B >= v − i]/i,   B ~ Binomial(r, e^ε/(1 + e^ε)),

whatever the guesses are, as long as they are made from the output alone (Theorem 5.2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hockeystick.audit.found import Found
from hockeystick.audit.scores import Array, check_random, check_scores, one_each
from hockeystick.checks import Between, probability, whole
from hockeystick.errors import ParameterError
from hockeystick.mechanism import Mechanism
from hockeystick.random.generators import Randomness, source
from hockeystick.relation import Relation

FEWEST = 8
"""Fewer guesses than this, all of them right, show next to nothing."""
PLACES = 48
"""Points of a claim's curve δ(ε) at which the counts are held against it."""
HALVINGS = 60
"""Of an interval that holds ε: its ends are the same float then, or nearly so."""
LARGEST = 700.0
"""e to more than this is no float; so many right guesses there never are."""


@dataclass(frozen=True)
class OneRun(Found):
    """A lower bound on ε from one run, with the guesses that it rests on.

    `correct` of `guesses` guesses were right, about `canaries` canaries. `tried` holds all numbers
    of guesses that were tried and how many of each were right; the confidence pays for all of them.
    """

    epsilon: float
    delta: float
    confidence: float
    canaries: int
    guesses: int
    correct: int
    tried: tuple[tuple[int, int], ...]

    def excess(self, claim: Mechanism, relation: Relation | None = None) -> float:
        """The log of what is allowed to be missed over the probability of so many right guesses.

        The claim is (ε, δ(ε))-DP for every ε, so each point of its curve bounds that probability
        and the smallest bound counts.

        >>> from hockeystick import Gaussian
        >>> found = OneRun(1.2, 1e-5, 0.95, 1000, 100, 95, ((100, 95),))
        >>> found.contradicts(Gaussian(2.0)), found.contradicts(Gaussian(0.5))
        (True, False)
        """
        miss = (1 - self.confidence) / len(self.tried)
        most = max(epsilon_shown(*counts, 0.0, 0, miss) for counts in self.tried)
        if most == 0:
            return -math.inf
        epsilons = np.linspace(0.0, most, PLACES)
        curve = claim.profile(epsilons, relation=relation)
        points = list(zip(epsilons.tolist(), curve.upper.tolist(), strict=True))
        least = min(
            log_likely(*counts, epsilon, delta, self.canaries)
            for counts in self.tried
            for epsilon, delta in points
        )
        return math.log(miss) - least


def in_one_run(
    run: Callable[[NDArray[np.bool_]], Any],
    canaries: int,
    *,
    delta: float,
    confidence: float = 0.95,
    guesses: int | None = None,
    rng: Randomness = None,
) -> OneRun:
    """A lower bound on the ε of any training, from one run with many canaries.

    A coin decides for each canary whether it takes part. The canaries with the largest scores are
    guessed to be in, as many with the smallest to be out, the others are left open. The bound is
    above the true ε in at most a share 1 − `confidence` of all audits (Steinke, Nasr and Jagielski
    2023, Theorem 5.2).

    Parameters
    ----------
    run: called once, with an array of `canaries` booleans: which canaries take part. Returns a
        score for each canary, the larger the more it speaks for its having taken part.
    canaries: how many there are, an integer >= 8. One that does not take part is left out, zeroed
        out or replaced, as the neighbours are that ε is about.
    delta: in [0, 1]. confidence: in (0, 1).
    guesses: how many canaries are guessed, an integer in [8, canaries]. None tries all of them, a
        half, a quarter and so on; the confidence is shared among these.
    rng: the coins: None is secure, an integer lets the audit be repeated.

    >>> from hockeystick import Gaussian
    >>> noise = np.random.default_rng(0)
    >>> found = in_one_run(
    ...     lambda taking_part: taking_part + noise.normal(size=2000), 2000, delta=1e-5, rng=0)
    >>> 1 < found.epsilon < Gaussian(1.0).epsilon(1e-5), found.contradicts(Gaussian(1.0))
    (True, False)
    """
    delta, canaries = probability("delta", delta), whole("canaries", canaries, FEWEST)
    confidence = Between("(0, 1)")("confidence", confidence)
    counts = _numbers(canaries, guesses)
    taking_part = (source(rng)(canaries) >> np.uint64(63)).astype(bool)
    scores = one_each("run", run(taking_part.copy()), canaries, "canary")
    check_scores(scores)
    check_random([scores])
    tried = tuple((count, right_guesses(scores, taking_part, count)) for count in counts)
    miss = (1 - confidence) / len(tried)
    shown = [epsilon_shown(*each, delta, canaries, miss) for each in tried]
    best = int(np.argmax(shown))
    return OneRun(shown[best], delta, confidence, canaries, *tried[best], tried)


def _numbers(canaries: int, guesses: int | None) -> list[int]:
    """The numbers of guesses to try: known before the run."""
    if guesses is None:
        return [canaries >> k for k in range(canaries.bit_length()) if canaries >> k >= FEWEST]
    if whole("guesses", guesses, FEWEST) > canaries:
        raise ParameterError(f"guesses must be at most the {canaries} canaries, got {guesses}")
    return [guesses]


def right_guesses(scores: Array, taking_part: NDArray[np.bool_], guesses: int) -> int:
    """How many are right of: the larger scores took part, the smaller did not.

    >>> right_guesses(np.array([3.0, 0.0, 1.0, 2.0]), np.array([True, False, False, False]), 4)
    3
    """
    order = np.argsort(scores, kind="stable")
    out, in_ = order[: guesses // 2], order[len(order) - (guesses - guesses // 2) :]
    return int(np.count_nonzero(~taking_part[out]) + np.count_nonzero(taking_part[in_]))


def log_likely(guesses: int, correct: int, epsilon: float, delta: float, canaries: int) -> float:
    """The log of a bound on the probability of so many right guesses under (ε, δ)-DP.

    >>> round(math.exp(log_likely(10, 10, 0.0, 0.0, 10)) * 1024, 9)
    1.0
    """
    from scipy.special import betainc

    if correct == 0:
        return 0.0
    q = 1 / (1 + math.exp(-epsilon))
    likely = float(betainc(correct, guesses - correct + 1, q))  # P[B >= correct]
    if delta > 0:
        below = np.cumsum(_masses(guesses, q)[correct - 1 :: -1])
        alpha = float((below / np.arange(1, correct + 1)).max())
        likely += 2 * canaries * delta * alpha
    return math.log(min(likely, 1.0)) if likely > 0 else -math.inf


def _masses(trials: int, q: float) -> Array:
    """P[B = k] for k = 0, 1, …, of B ~ Binomial(trials, q)."""
    from scipy.special import gammaln

    k = np.arange(trials + 1)
    if q == 1:
        return np.asarray(k == trials, dtype=float)
    ways = gammaln(trials + 1) - gammaln(k + 1) - gammaln(trials - k + 1)
    return np.asarray(np.exp(ways + k * math.log(q) + (trials - k) * math.log1p(-q)))


def epsilon_shown(guesses: int, correct: int, delta: float, canaries: int, miss: float) -> float:
    """The largest ε, rounded down, under which so many right guesses come with at most `miss`.

    >>> round(epsilon_shown(20, 20, 0.0, 20, 0.05), 6)  # q = 0.05^(1/20)
    1.822...
    """
    refuted = math.log(miss)
    if log_likely(guesses, correct, 0.0, delta, canaries) > refuted:
        return 0.0
    low, high = 0.0, LARGEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if log_likely(guesses, correct, middle, delta, canaries) <= refuted:
            low = middle
        else:
            high = middle
    return low
