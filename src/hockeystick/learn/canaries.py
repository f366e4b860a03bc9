"""Canaries: an audit of one run of `private_sgd`, by records that are easy to find again.

Each canary has a feature of its own, which no other record has: its gradient is one column of the
sum, as long as the clip allows, and the noise on that column is all that hides it. What the columns
of the canaries have become after the run is what an attacker sees who is given the model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hockeystick.audit.one_run import OneRun, in_one_run
from hockeystick.checks import whole
from hockeystick.errors import ParameterError
from hockeystick.learn.linear import Linear
from hockeystick.learn.plan import Plan
from hockeystick.learn.records import Records
from hockeystick.learn.sgd import private_sgd
from hockeystick.numerics.types import Array
from hockeystick.random.generators import Randomness
from hockeystick.relation import REPLACE_ONE

LONG = 10.0
"""A canary is so many clips long: its gradient is long enough until its own parameter is about
0.2/clip. A longer record would be learnt, and fall silent, sooner."""


def audited(
    objective: Linear,
    features: Array,
    targets: Array,
    plan: Plan,
    *,
    canaries: int = 1000,
    delta: float,
    confidence: float = 0.95,
    guesses: int | None = None,
    rng: Randomness = None,
    coins: Randomness = None,
) -> OneRun:
    """A lower bound on the ε of one run of `private_sgd`, with canaries among the records.

    Whether a canary takes part is decided by a coin; one that does not is a record of zeros, or
    points the other way where the plan's neighbours have a record replaced. The whole run counts,
    not one step: its sampling, clipping and noise. It is an experiment, and its model is not for
    use (Steinke, Nasr and Jagielski 2023).

    Parameters
    ----------
    objective: of a linear model: `Logistic`, `Softmax` or `Squares`.
    features, targets, plan: as `private_sgd` takes them. The canaries count as records: a sampler
        that draws from a declared number of records must declare them, too.
    canaries: how many, an integer >= 8; each adds a column to the features.
    delta, confidence, guesses: see `hockeystick.audit.in_one_run`.
    rng: of the run. coins: of the canaries; both are secure by default.

    >>> from hockeystick import Gaussian, Poisson
    >>> from hockeystick.learn import Logistic, Plan, audited
    >>> x = np.linspace(-1, 1, 200)[:, None]
    >>> plan = Plan(Gaussian(1.0), Poisson(0.5), steps=4, clip=1.0, batch_size=100)
    >>> found = audited(Logistic(), x, x[:, 0] > 0, plan, delta=1e-5, rng=0, coins=1)
    >>> 0.5 < found.epsilon < plan.mechanism.epsilon(1e-5), found.contradicts(plan.mechanism)
    (True, False)
    """
    if not isinstance(objective, Linear):
        raise ParameterError(
            "objective must be of a linear model, Logistic, Softmax or Squares, got "
            f"{objective.name}; others are audited by hockeystick.audit.in_one_run"
        )
    own = Records.checked("features", features, targets)
    count, replaced = whole("canaries", canaries, 1), plan.relation is REPLACE_ONE
    planted = Canaries(objective, own, count, LONG * plan.clip, replaced)

    def run(taking_part: NDArray[np.bool_]) -> Array:
        with_canaries = planted.among(taking_part)
        found = private_sgd(objective, with_canaries.features, with_canaries.targets, plan, rng=rng)
        return planted.scores(found.parameters)

    return in_one_run(run, canaries, delta=delta, confidence=confidence, guesses=guesses, rng=coins)


@dataclass(frozen=True)
class Canaries:
    """Records with a column each, to be put among others.

    length: of their one feature. replaced: one that does not take part points the other way,
    instead of nowhere.
    """

    objective: Linear
    own: Records
    count: int
    length: float
    replaced: bool

    def among(self, taking_part: NDArray[np.bool_]) -> Records:
        """The records and the canaries, with a column for each canary."""
        (n, d), m = self.own.features.shape, self.count
        features = np.zeros((n + m, d + m))
        features[:n, :d] = self.own.features
        absent = -self.length if self.replaced else 0.0
        features[n:, d:][np.diag_indices(m)] = np.where(taking_part, self.length, absent)
        targets = np.concatenate([self.own.targets, np.full(m, self.objective.far_target)])
        return Records(features, targets)

    def scores(self, parameters: Array) -> Array:
        """How far each canary's column has gone to where its own gradients lead."""
        mine = parameters[-self.count :]
        if mine.shape[1] == 1:
            return mine[:, 0]
        return np.asarray(mine[:, 0] - mine[:, 1:].mean(axis=1))
