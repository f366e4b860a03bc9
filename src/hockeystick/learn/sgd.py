"""Private stochastic gradient descent that accounts for itself."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator

from hockeystick.accountant import Accountant
from hockeystick.errors import ParameterError, RelationError
from hockeystick.learn.budget import Budget
from hockeystick.learn.checkpoint import Checkpoint, State
from hockeystick.learn.objective import Objective, Records
from hockeystick.learn.plan import Plan
from hockeystick.learn.privacy import Privacy
from hockeystick.learn.watch import Callback, Progress, Watch, bar
from hockeystick.randomness import Randomness, generator
from hockeystick.series import Array

SEEDED = "The random numbers came from a seed: this run is an experiment and protects nobody."
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
    features: Array,
    targets: Array,
    plan: Plan,
    *,
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
    plan: what runs; see `Plan`.
    rng: None is secure; an integer is for experiments and makes the run repeatable.
    start: public parameters to start from; zeros by default.
    accountant: where the steps are spent, on top of what it holds.
    budget: the run is planned to end before the accountant's total exceeds it.
    delta: at which the ε so far is shown; the budget's by default.
    validation: public records whose mean loss is shown: features and targets.
    training_loss: show the loss on the private records instead. It is a leak that ε does not cover.
    callback: called with a `Progress` at each report; returning True stops the run.
    progress: whether to show a bar on standard error.
    every: steps between reports and checkpoints; a twentieth of the plan by default.
    checkpoint: a file to save to at each report, and to resume from where it exists.

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
    if delta is None and budget is not None:
        delta = budget.delta
    public = None if validation is None else _records("validation", *validation)
    watch = Watch(delta, public, training_loss, callback, progress, every)
    account = Accountant(plan.relation) if accountant is None else accountant
    if account.relation not in (None, plan.relation):
        raise RelationError(f"the accountant speaks of {account.relation!r}, the plan of {plan!r}")
    if budget is not None:
        fitting = budget.steps(account.spent, plan.step, plan.steps, plan.relation)
        plan = plan.shortened(fitting)
    records = _records("features", features, targets)
    training = _Training(objective, records, plan, account, rng, start)
    if checkpoint is not None:
        training.resume(Checkpoint(Path(checkpoint), plan))
    training.run(watch)
    notes = ((SEEDED,) if training.seeded else ()) + ((LEAKED,) if training_loss else ())
    return Run(training.state.parameters, plan, account, training.state.done, notes)


class _Training:
    """A run as it goes: the state, the random bits and the accountant."""

    def __init__(
        self,
        objective: Objective,
        records: Records,
        plan: Plan,
        account: Accountant,
        rng: Randomness,
        start: Array | None,
    ) -> None:
        self.objective, self.plan, self.account = objective, plan, account
        self.records = objective.measured(records, plan.norm)
        self.before = account.spent
        self.rng = generator(rng)
        self.seeded = not (rng is None or isinstance(rng, Generator))
        self.state = _start(objective.shape(records.features.shape[1]), start)
        self.checkpoint: Checkpoint | None = None

    def resume(self, checkpoint: Checkpoint) -> None:
        """Save to the checkpoint from now on; go on from it if there is one."""
        self.checkpoint = checkpoint
        if not checkpoint.path.exists():
            return
        rng = self.rng if self.seeded else None
        self.state, before = checkpoint.load(self.state.parameters.shape, rng)
        if before != self.before:
            raise ParameterError(
                "accountant must hold what it held when the checkpoint's run began, "
                f"{before!r}, got {self.before!r}"
            )
        self.account.spend(self.plan.step, self.state.done)

    def run(self, watch: Watch) -> None:
        """All steps that are left."""
        steps, stop = self.plan.steps, False
        with bar(steps, watch.progress) as show:
            while self.state.done < steps and not stop:
                self.step()
                if watch.due(self.state.done, steps):
                    self.save()  # before anybody sees it: what was seen is never drawn again
                    if watch.watched:
                        progress = self.progress(watch)
                        show(progress)
                        stop = watch.tell(progress)
        # To stop by what was seen is not cheaper than to go on.
        self.account.spend(self.plan.step, steps - self.state.done)

    def step(self) -> None:
        """Spend, draw, and descend."""
        self.account.spend(self.plan.step)
        drawn = self.plan.sampler.draw(len(self.records.targets), self.rng)
        for batch in drawn if isinstance(drawn, list) else [drawn]:
            self._descend(self.records.take(batch))
        self.state.done += 1

    def _descend(self, batch: Records) -> None:
        plan, state = self.plan, self.state
        ahead = state.parameters + plan.momentum * state.velocity
        total = self.objective.clipped_sum(ahead, batch, plan.clip, plan.norm)
        gradient = plan.noise.release(total, rng=self.rng) / plan.batch_size
        gradient += plan.regularisation * ahead
        state.velocity = plan.momentum * state.velocity - plan.learning_rate * gradient
        state.parameters = state.parameters + state.velocity

    def save(self) -> None:
        if self.checkpoint is not None:
            self.checkpoint.save(self.state, self.before, self.rng if self.seeded else None)

    def progress(self, watch: Watch) -> Progress:
        parameters, plan, epsilon, loss = self.state.parameters, self.plan, None, None
        if watch.delta is not None:
            epsilon = self.account.spent.epsilon(watch.delta, relation=plan.relation)
        shown = self.records if watch.training_loss else watch.validation
        if shown is not None:
            loss = float(self.objective.losses(parameters, shown).mean())
        return Progress(self.state.done, plan.steps, epsilon, loss, parameters.copy())


def _start(shape: tuple[int, int], start: Array | None) -> State:
    if start is None:
        return State(0, np.zeros(shape), np.zeros(shape))
    given = np.array(start, dtype=float)
    if given.size != shape[0] * shape[1] or not np.isfinite(given).all():
        raise ParameterError(f"start must hold {shape[0]} x {shape[1]} finite numbers")
    return State(0, given.reshape(shape), np.zeros(shape))


def _records(name: str, features: Array, targets: Array) -> Records:
    """The records as numbers; what is wrong is said without showing any of them."""
    try:
        x, y = np.asarray(features, dtype=float), np.asarray(targets, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} and their targets must be numbers") from None
    if x.ndim != 2 or y.shape != x.shape[:1]:
        raise ParameterError(
            f"{name} must be a matrix with a row for each target, got the shapes {x.shape} "
            f"and {y.shape}"
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ParameterError(f"{name} and their targets must be finite: there is NaN or infinity")
    return Records(x, y)
