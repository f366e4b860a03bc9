"""Descent: a run of a plan as it goes, step by step."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.random import Generator

from hockeystick.accountant import Accountant
from hockeystick.errors import ParameterError
from hockeystick.learn.checkpoint import Checkpoint, State
from hockeystick.learn.objective import Objective
from hockeystick.learn.plan import Plan
from hockeystick.learn.records import Records
from hockeystick.learn.scale.source import Source
from hockeystick.learn.turns import turns_for
from hockeystick.learn.watch import Progress, Watch, bar
from hockeystick.numerics.types import Array
from hockeystick.random.generators import Randomness, generator
from hockeystick.saving import check_writable


class Descent:
    """A run as it goes: the state, the random bits and the accountant."""

    def __init__(
        self,
        objective: Objective,
        records: Records | Source,
        plan: Plan,
        account: Accountant,
        rng: Randomness,
        start: Array | None,
        watch: Watch | None = None,
    ) -> None:
        self.objective, self.plan, self.account = objective, plan, account
        self.records = records
        self.before = account.spent
        self.watch = watch or Watch()
        self.rng = generator(rng)
        seeded = not (rng is None or isinstance(rng, Generator))
        # The state of any other generator is never written.
        self.kept = self.rng if seeded else None
        self.state = _start(objective.shape(records.width), start)
        self.turns = turns_for(plan, records, rng, self.rng, self.state.parameters.size)
        self.state.seeded, self.state.leaked = seeded, self.watch.training_loss
        self.spent = 0  # steps on the accountant, which is ahead of what is done
        self.checkpoint: Checkpoint | None = None

    def resume(self, path: Path) -> None:
        """Save to the checkpoint from now on; go on from it if there is one."""
        features = self.records.width
        self.checkpoint = Checkpoint(path, self.plan, self.objective.name, features)
        check_writable(path)  # while nothing is spent
        if not path.exists():
            return
        now = self.state
        self.state, before = self.checkpoint.load(now.parameters.shape, self.kept)
        self.state.seeded |= now.seeded
        self.state.leaked |= now.leaked
        if before != self.before:
            raise ParameterError(
                "accountant must hold what it held when the checkpoint's run began, "
                f"{before!r}, got {self.before!r}"
            )
        self.turns.resume(self.state.done, self.state.keys, self.state.taken)
        self._spend(self.state.done)

    def run(self) -> None:
        """All steps that are left; all of them are spent, however the run ends."""
        watch, steps, stop = self.watch, self.plan.steps, False
        try:
            with bar(steps, watch.progress) as show:
                while self.state.done < steps and not stop:
                    report = watch.next_report(self.state.done, steps)
                    self._spend(report)
                    self.turns.ahead(report - self.state.done)  # they are spent
                    while self.state.done < report:
                        self.step()
                    if self.checkpoint is not None:  # what was seen is never drawn again
                        self.state.keys = self.turns.segments(self.state.done)
                        self.state.taken = self.turns.taken()
                        self.checkpoint.save(self.state, self.before, self.kept)
                    if watch.watched:
                        progress = self._progress()
                        show(progress)
                        stop = watch.tell(progress)
        finally:
            # To stop by what was seen is not cheaper than to go on, nor is an error.
            self._spend(steps)

    def _spend(self, steps: int) -> None:
        """All events of the first so many steps, but those that are spent."""
        events = self.plan.events
        self.account.spend(self.plan.step, events(steps) - events(self.spent))
        self.spent = steps

    def step(self) -> None:
        """Draw, and descend; it is spent already."""
        plan, state, records = self.plan, self.state, self.records
        for batch in self.turns.batches():
            carried = plan.momentum * state.velocity
            ahead = state.parameters + carried
            ahead.flags.writeable = False  # no objective can write into it what it saw of records
            total = records.clipped_sum(self.objective, ahead, batch, plan.clip, plan.norm)
            gradient = self.turns.release(total) / plan.batch_size
            gradient += plan.regularisation * ahead
            state.velocity = carried - plan.learning_rate * gradient
            state.parameters = state.parameters + state.velocity
            state.parameters.flags.writeable = False
        state.done += 1

    def _progress(self) -> Progress:
        watch = self.watch
        parameters, plan, epsilon, loss = self.state.parameters, self.plan, None, None
        if watch.delta is not None:
            epsilon = self.account.spent.epsilon(watch.delta, relation=plan.relation)
        shown = self.records if watch.training_loss else watch.validation
        if isinstance(shown, Records):
            loss = float(self.objective.losses(parameters, shown).mean())
        return Progress(self.state.done, plan.steps, epsilon, loss, parameters.copy())


def _start(shape: tuple[int, int], start: Array | None) -> State:
    given = np.zeros(shape) if start is None else np.array(start, dtype=float)
    if given.size != shape[0] * shape[1] or not np.isfinite(given).all():
        raise ParameterError(f"start must hold {shape[0]} x {shape[1]} finite numbers")
    parameters = given.reshape(shape)
    parameters.flags.writeable = False
    return State(0, parameters, np.zeros(shape))
