"""Private stochastic gradient descent that accounts for itself."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.random import Generator

from hockeystick.accountant import Accountant
from hockeystick.errors import BudgetExceeded, ParameterError, RelationError
from hockeystick.learn.budget import Budget
from hockeystick.learn.descent import Descent
from hockeystick.learn.objective import Objective
from hockeystick.learn.plan import Plan
from hockeystick.learn.privacy import Privacy
from hockeystick.learn.records import Records
from hockeystick.learn.scale.recognise import source_or_none
from hockeystick.learn.scale.source import Source
from hockeystick.learn.watch import Callback, Watch
from hockeystick.mechanism import compose
from hockeystick.mechanisms.correlated import Correlated
from hockeystick.numerics.types import Array
from hockeystick.questions import relation_of
from hockeystick.random.generators import Randomness, known_secure

SEEDED = "The random numbers came from a seed: this run is an experiment and protects nobody."
UNKNOWN = (
    "The random numbers came from the caller's {}, which is not known to be secure: if it is not, "
    "this run is an experiment and protects nobody."
)
FINISHED = "The checkpoint was of a finished run: nothing was trained on these records again."
LEAKED = "The loss on the private records was shown during the run, which no epsilon covers."


@dataclass(frozen=True)
class Run:
    """A finished run: the parameters, the plan that is accounted for, and the accountant.

    `taken` steps were taken; fewer than `plan.steps` only if the callback stopped the run.
    """

    parameters: Array
    plan: Plan
    accountant: Accountant
    taken: int
    notes: tuple[str, ...] = ()

    def privacy(self, delta: float) -> Privacy:
        """What this run guarantees by itself; the accountant knows what was spent before, too."""
        return Privacy(self.plan, delta, notes=self.notes)


def private_sgd(
    objective: Objective,
    features: Any,
    targets: Any,
    plan: Plan,
    *,
    noise: Correlated | None = None,
    rng: Randomness = None,
    start: Array | None = None,
    accountant: Accountant | None = None,
    budget: Budget | None = None,
    delta: float | None = None,
    validation: tuple[Array, Array] | None = None,
    training_loss: bool = False,
    callback: Callback | None = None,
    progress: bool = False,
    every: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Run:
    """Minimise the objective by noisy gradients of clipped records, exactly as planned.

    Every step is spent on the accountant before its noise is drawn, as `plan.step`, the same value
    whose sampler draws the batch and whose noise is added. All iterates are covered, not only the
    last (Song, Chaudhuri and Sarwate 2013; Abadi et al. 2016).

    Parameters
    ----------
    features: a matrix of finite numbers, a row for each record. targets: a finite number for each.
        Data larger than memory: a `Source` and None, a mapped array and its targets, a Dask
        collection and its targets, or a folder of Parquet files and the name of a column.
    plan: what runs; see `Plan`.
    noise: of a matrix mechanism, in place of the plan's noise and sampler. The whole run is spent
        as one event before the first step; its matrix has as many steps as the plan.
    rng: None is secure; an integer is for experiments and makes the run repeatable. A generator
        that `hockeystick.random.generator()` did not make is noted in the statement, and none
        goes together with a checkpoint.
    start: public parameters to start from; zeros by default.
    accountant: where the steps are spent, on top of what it holds.
    budget: the run is planned to end before the accountant's total exceeds it.
    delta: at which the ε so far is shown; the budget's by default.
    validation: public records whose mean loss is shown: features and targets.
    training_loss: show the loss on the private records instead. It is a leak that ε does not cover.
    callback: called with a `Progress` at each report; returning True stops the run.
    progress: whether to show a bar on standard error.
    every: steps between reports and checkpoints; a twentieth of the plan by default. Noise and
        batches are drawn for many of them at once, so that what a seed repeats depends on it.
    checkpoint: a file to save to at each report, and to resume from where it exists. The plan, the
        objective and the number of features must be those of the file.

    >>> import numpy as np
    >>> from hockeystick import Gaussian, Poisson
    >>> from hockeystick.learn import Logistic, Plan, private_sgd
    >>> x = np.linspace(-1, 1, 400)[:, None]
    >>> plan = Plan(Gaussian(2.0), Poisson(0.1), steps=100, clip=1.0, batch_size=40)
    >>> run = private_sgd(Logistic(), x, x[:, 0] > 0, plan, rng=0)
    >>> run.accountant.spent
    Gaussian(2.0).on(Poisson(0.1)) * 100
    >>> bool(run.parameters[0, 0] > 1)
    True
    """
    if noise is not None:
        plan = plan.with_noise(noise)
    if delta is None and budget is not None:
        delta = budget.delta
    public = None if validation is None else Records.checked("validation", *validation)
    watch = Watch(delta, public, training_loss, callback, progress, every)
    if checkpoint is not None and isinstance(rng, Generator):
        raise ParameterError(
            "rng must be None or a seed where there is a checkpoint: a generator that is made anew "
            "when the run is resumed could repeat its noise"
        )
    account = Accountant(plan.relation) if accountant is None else accountant
    _check_relation(account, plan)
    if budget is not None:
        plan = _within(budget, account, plan)
    records = _records(objective, features, targets, watch)
    if public is not None:
        _check_validation(objective, public, records)
    descent = Descent(objective, records, plan, account, rng, start, watch)
    if checkpoint is not None:
        descent.resume(Path(checkpoint))
    finished = 0 < descent.state.done == plan.steps
    descent.run()
    state = descent.state
    notes = [*records.notes] + [SEEDED] * state.seeded
    if isinstance(rng, Generator) and not known_secure(rng):
        notes.append(UNKNOWN.format(type(rng.bit_generator).__name__))
    notes += [LEAKED] * state.leaked + [FINISHED] * finished
    return Run(state.parameters.copy(), plan, account, state.done, tuple(notes))


def _within(budget: Budget, account: Accountant, plan: Plan) -> Plan:
    """The plan, as long as the budget allows; a correlated run is all or nothing."""
    events = plan.events(plan.steps)
    fitting = budget.steps(account.spent, plan.step, events, plan.relation)
    if fitting < events and isinstance(plan.noise, Correlated):
        raise BudgetExceeded(
            f"a run of correlated noise costs the same however early it ends, and {plan.noise!r} "
            f"is not within {budget!r} after what was spent: give it more noise"
        )
    return plan.shortened(fitting) if fitting < events else plan


def _check_relation(account: Accountant, plan: Plan) -> None:
    """The accountant must answer for the neighbours that the plan is about."""
    own = account.relation
    if own is None:
        own = relation_of(compose([(account.spent, 1), (plan.step, 1)]), None)
    if own is not plan.relation:
        raise RelationError(
            f"the accountant answers for {own!r}, but the plan is for {plan.relation!r}: make it "
            f"Accountant({plan.relation!r})"
        )


def _records(objective: Objective, features: Any, targets: Any, watch: Watch) -> Records | Source:
    """The records, checked: in memory, or where they are."""
    source = source_or_none(features, targets)
    if source is None:
        records = Records.checked("features", features, targets)
        objective.check(records)
        return records
    if watch.training_loss:
        raise ParameterError(
            "training_loss must be False for data that are not in memory: give public records as "
            "validation"
        )
    source.check(objective)
    return source


def _check_validation(objective: Objective, public: Records, records: Records | Source) -> None:
    own, given = records.width, public.width
    if given != own:
        raise ParameterError(
            f"validation must have as many features as the records, {own}, got {given}"
        )
    objective.check(public)
