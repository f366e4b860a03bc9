"""What a finished run cost each record: a distribution for the analyst, and itself NOT PRIVATE.

Every released step of Poisson-sampled noisy gradient descent is, given those before it, a Gaussian
release in which record i moves the mean by its own clipped gradient g_i, not by the clip. Let P be
the law of the run on the data at hand, Q that of the run without record i, L = log dP/dQ of what
was released, and ρ_t(α) the Rényi divergence of one step on a Poisson sample in which the mean
moves by ‖g_i‖ at the released parameters. By joint convexity over the batches of the others
E_P[e^{(α−1)·L_t} | past] <= e^{(α−1)·ρ_t(α)}, so that e^{(α−1)·(L − Σ ρ_t(α))} is a supermartingale
that begins at 1 (Feldman and Zrnic 2021, Theorem 3.1), and by Markov's inequality, with k orders,

    P[ L > min_α Σ_t ρ_t(α) + log(k/δ)/(α − 1) ] <= δ        for each record.

What it is: a bound on the realised loss of one record of *this* data set in *this* run, against the
same data without it (per-instance privacy, Wang 2019, after the fact). What it is not: differential
privacy. It says nothing of other data sets, nor of a record that was not there; it depends on the
data, and to publish it, or to choose anything by it, is a release that no ε covers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from hockeystick.bound import Bound
from hockeystick.checks import Between, order
from hockeystick.errors import ParameterError, RelationError
from hockeystick.learn.clipping import lengths
from hockeystick.learn.objective import Objective
from hockeystick.learn.plan import Plan
from hockeystick.learn.records import Records
from hockeystick.learn.watch import Progress
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.numerics.types import Array
from hockeystick.relation import ADD_REMOVE, ZERO_OUT
from hockeystick.samplers.every_record import EveryRecord
from hockeystick.samplers.poisson import Poisson

ORDERS = (1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 64.0, 128.0, 256.0)
LENGTHS = 256
"""Different lengths of gradients whose divergence is computed; others are rounded up to them."""
SHORTEST = 1e-3
"""Of them, over the clip: a shorter gradient counts as one of this length."""
ROUNDING = 1e-9
"""Of a gradient, relative: the look-ahead is computed anew from the released parameters."""
POSITIVE_DELTA = Between("(0, 1)")
NOT_PRIVATE = (
    "NOT PRIVATE, for the analyst only and not to be published: what this run cost each of its own "
    "records, which depends on all of them and which no epsilon covers"
)


class Trajectory:
    """The parameters after each step, for `private_sgd(..., callback=trajectory, every=1)`.

    They are released, step by step, and covered by the run's guarantee.
    """

    def __init__(self) -> None:
        self.points: list[Array] = []
        self.steps: list[int] = []

    def __call__(self, progress: Progress) -> None:
        self.points.append(progress.parameters)
        self.steps.append(progress.step)

    def where_gradients_were_taken(self, start: Array, momentum: float) -> list[Array]:
        """θ_t + μ·(θ_t − θ_{t−1}) of each step, from the parameters that the run began with."""
        if self.steps != list(range(1, len(self.steps) + 1)):
            raise ParameterError(
                "trajectory must hold every step of one run from its first: give it to "
                "private_sgd as callback=, with every=1 and no checkpoint"
            )
        points = [start, *self.points]
        velocities = [np.zeros_like(start), *(b - a for a, b in pairwise(points))]
        return [p + momentum * v for p, v in zip(points[:-1], velocities[:-1], strict=True)]


@dataclass(frozen=True)
class RecordCosts:
    """What each record cost, NOT PRIVATE: see `record_costs`.

    divergences: Σ_t ρ_t(α), a row for each record and a column for each of `orders`. epsilons: what
    the realised loss of each record exceeds with probability `delta` at most. longest: the
    divergences of a record whose gradients are as long as the clip in every step. worst: ε of the
    run at `delta`, which is differential privacy and holds for everybody; it is below `ceiling`, as
    a loss may be a little above ε with probability δ.
    """

    orders: tuple[float, ...]
    divergences: Array
    longest: Array
    delta: float
    worst: Bound

    @property
    def epsilons(self) -> Array:
        """For each record the best of all orders, by the union bound over them."""
        return self._best(self.divergences)

    @property
    def ceiling(self) -> float:
        """The same of a record whose gradients are as long as the clip in every step."""
        return float(self._best(self.longest[None, :])[0])

    def _best(self, divergences: Array) -> Array:
        alpha = np.array(self.orders)
        slack = math.log(len(alpha) / self.delta) / (alpha - 1)
        return np.asarray((divergences + slack).min(axis=1, initial=math.inf))

    def __str__(self) -> str:
        found = self.epsilons
        if not len(found):
            return f"{NOT_PRIVATE}.\nThere are no records."
        ends = np.quantile(found, (0.0, 0.1, 0.5, 0.9, 1.0))
        names = ("least", "10 %", "median", "90 %", "most")
        told = ", ".join(f"{name} {end:.4g}" for name, end in zip(names, ends, strict=True))
        lines = [
            f"{NOT_PRIVATE}.",
            f"Realised loss of {len(found)} records, each below with probability "
            f"{1 - self.delta:g}: {told}; as long as the clip in every step {self.ceiling:.4g}.",
            f"For everybody, as differential privacy: epsilon = {self.worst.upper:.4g} at delta = "
            f"{self.delta:g}.",
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<RecordCosts of {len(self.divergences)} records: {NOT_PRIVATE}>"

    def plot(self, axes: Any = None) -> Any:
        """A histogram of `epsilons` beside the run's own ε, as axes of matplotlib; NOT PRIVATE."""
        from hockeystick.figures.palette import BLUE, GREY, VERMILION
        from hockeystick.figures.plot import new_axes

        axes = new_axes() if axes is None else axes
        axes.hist(self.epsilons, bins=50, color=BLUE, label="records, realised loss")
        axes.axvline(self.ceiling, color=GREY, label="as long as the clip in every step")
        axes.axvline(self.worst.upper, color=VERMILION, label="the run, differential privacy")
        axes.set(xlabel=f"ε at δ = {self.delta:g}", ylabel="records")
        axes.set_title("What each record cost: NOT PRIVATE")
        axes.legend()
        return axes


def record_costs(
    objective: Objective,
    features: Any,
    targets: Any,
    plan: Plan,
    trajectory: Trajectory,
    *,
    delta: float,
    orders: Sequence[float] = ORDERS,
    start: Array | None = None,
) -> RecordCosts:
    """What a finished run of `private_sgd` cost each of its records; the answer is NOT PRIVATE.

    Parameters
    ----------
    objective, features, targets, plan, start: those of the run.
    trajectory: the one that the run was given as its callback.
    delta: in (0, 1). orders: of the Rényi divergences, in (1, inf), chosen without a look at the
        result.

    >>> from hockeystick import Gaussian, Poisson
    >>> from hockeystick.learn import Logistic, Plan, Trajectory, private_sgd, record_costs
    >>> x = np.linspace(-1, 1, 400)[:, None]
    >>> plan = Plan(Gaussian(2.0), Poisson(0.1), steps=100, clip=1.0, batch_size=40)
    >>> path = Trajectory()
    >>> run = private_sgd(Logistic(), x, x[:, 0] > 0, plan, rng=0, callback=path, every=1)
    >>> costs = record_costs(Logistic(), x, x[:, 0] > 0, run.plan, path, delta=1e-5)
    >>> print(costs)
    NOT PRIVATE, for the analyst only and not to be published: what this run cost each of its ...
    Realised loss of 400 records, each below with probability 0.99999: least 0.05..., ...
    For everybody, as differential privacy: epsilon = ...
    """
    chosen = tuple(_order(each) for each in orders)
    if not chosen:
        raise ParameterError("orders must be at least one number in (1, inf), got none")
    target, rate = POSITIVE_DELTA("delta", delta), _rate(plan)
    records = Records.checked("features", features, targets)
    objective.check(records)
    begin = np.zeros(objective.shape(records.width)) if start is None else np.asarray(start, float)
    begin = begin.reshape(objective.shape(records.width))
    grid = _grid()
    table = _divergences(plan.noise.noise_multiplier, rate, chosen)
    total = np.zeros((records.count, len(chosen)))
    for point in trajectory.where_gradients_were_taken(begin, plan.momentum):
        moved = _moves(objective, point, records, plan) / plan.clip * (1 + ROUNDING)
        total += table[np.minimum(np.searchsorted(grid, moved), LENGTHS - 1)]
    worst = plan.mechanism.epsilon(target, relation=plan.relation)
    return RecordCosts(chosen, total, table[-1] * len(trajectory.points), target, worst)


def _order(value: Any) -> float:
    alpha = order("order", value)
    if not 1 < alpha < math.inf:
        raise ParameterError(f"order must be in (1, inf), got {alpha!r}")
    return alpha


def _rate(plan: Plan) -> float:
    """The probability with which a step sees a record; an error where the proof does not apply."""
    if plan.relation not in (ADD_REMOVE, ZERO_OUT):
        raise RelationError(
            "relation must be add-remove or zero-out: what a record cost is told against the same "
            f"data without it, got {plan.relation}"
        )
    if not isinstance(plan.noise, Gaussian) or plan.norm != "L2":
        raise ParameterError(f"noise must be Gaussian, clipped in L2, got {plan.noise!r}")
    if isinstance(plan.sampler, EveryRecord):
        return 1.0
    if type(plan.sampler) is not Poisson:
        raise ParameterError(f"sampler must be Poisson or EveryRecord, got {plan.sampler!r}")
    return plan.sampler.rate


def _grid() -> Array:
    """Lengths of gradients, over the clip."""
    return np.geomspace(SHORTEST, 1.0, LENGTHS)


@lru_cache(maxsize=16)
def _divergences(multiplier: float, rate: float, orders: tuple[float, ...]) -> Array:
    """Of one step whose mean moves by each of these lengths, a row; a column for each order."""
    steps = (Gaussian(multiplier / length).on(Poisson(rate)) for length in _grid().tolist())
    return np.array([step.rdp(np.array(orders), relation=ADD_REMOVE).upper for step in steps])


def _moves(objective: Objective, point: Array, records: Records, plan: Plan) -> Array:
    """How long the clipped gradient of each record is."""
    if not records.count:
        return np.zeros(0)
    blocks = records.blocks(np.arange(records.count))
    rows = (
        objective.clipped_rows(point, records.take(block), plan.clip, plan.norm) for block in blocks
    )
    return np.concatenate([lengths(each, plan.norm) for each in rows])
