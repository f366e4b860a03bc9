"""A search for counterexamples to the conjecture that the symmetric pair is the worst.

Imola and Chaudhuri conjecture, after their equations (5) and (7), that Post is attained by the
symmetric pair on two opposite corners. Each trial takes random parameters and asks twice: whether
the certificate closes, which proves the conjecture for these parameters, and whether a local search
from random pairs, on corners and random inner points, finds anything worse.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from hockeystick.bernoulli.amplify import amplify
from hockeystick.bernoulli.search import Problem, _kernel
from hockeystick.bound import Bound
from hockeystick.checks import whole

CLOSED = 1e-9
"""Ends that are so close, absolute above 1 and relative below, are the same."""
INNER = 2
"""Random points inside the cube that the pair may take, besides the corners."""


@dataclass(frozen=True)
class Trial:
    """Random parameters and what was found for them."""

    epsilon: float
    order: float
    c: float
    dimension: int
    samples: int
    bound: Bound
    found: float

    @property
    def gap(self) -> float:
        """How far apart the ends are, relative to them below 1."""
        return (self.bound.upper - self.bound.lower) / min(1.0, self.bound.upper)

    @property
    def surplus(self) -> float:
        """By how much the search beats the symmetric pair, in the same terms."""
        return (self.found - self.bound.lower) / min(1.0, self.bound.upper)

    @property
    def proven(self) -> bool:
        """Whether the certificate closes."""
        return self.gap <= CLOSED

    @property
    def refutes(self) -> bool:
        """Whether a pair was found that is worse than the symmetric one."""
        return self.surplus > CLOSED


@dataclass(frozen=True)
class Report:
    """All trials of a run."""

    trials: list[Trial] = field(default_factory=list)

    @property
    def proven(self) -> int:
        """For how many parameters the conjecture is proven."""
        return sum(trial.proven for trial in self.trials)

    @property
    def refuting(self) -> list[Trial]:
        """Counterexamples."""
        return [trial for trial in self.trials if trial.refutes]

    @property
    def largest_gap(self) -> float:
        """The largest distance of the two ends."""
        return max((trial.gap for trial in self.trials), default=0.0)

    @property
    def largest_surplus(self) -> float:
        """The most by which the search came out above the symmetric pair."""
        return max((trial.surplus for trial in self.trials), default=0.0)


def counterexamples(
    trials: int = 100, seed: int = 0, progress: Callable[[int, int], None] | None = None
) -> Report:
    """Try the conjecture on random parameters.

    log(α − 1), log ε and log c are uniform over α in [1.01, 201], ε in [0.01, 20] and c in
    [0.001, 0.49]; d and k over 1, 2, 3.

    Parameters
    ----------
    trials: an integer >= 0. seed: an integer >= 0. progress: is called with (done, all).

    >>> counterexamples(trials=1, seed=5).refuting
    []
    """
    trials = whole("trials", trials, 0)
    rng = np.random.default_rng(whole("seed", seed, 0))
    report = Report()
    for done in range(trials):
        report.trials.append(_trial(rng))
        if progress:
            progress(done + 1, trials)
    return report


def _trial(rng: np.random.Generator) -> Trial:
    order = 1 + _log_uniform(rng, 0.01, 200)
    epsilon, c = _log_uniform(rng, 0.01, 20), _log_uniform(rng, 0.001, 0.49)
    d, k = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    bound = amplify(epsilon, order, c, d, k)
    corners = np.array(list(product((c, 1 - c), repeat=d)))
    inner = rng.uniform(c, 1 - c, (INNER, d))
    problem = Problem(_kernel(np.concatenate([corners, inner]), k), order, epsilon)
    size = len(corners) + INNER
    weights = rng.dirichlet(np.full(size, 0.5), 2)
    worst = problem.improved(*weights)
    return Trial(epsilon, order, c, d, k, bound, worst.value)


def _log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return float(math.exp(rng.uniform(math.log(low), math.log(high))))
