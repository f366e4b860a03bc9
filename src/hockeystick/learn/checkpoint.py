"""Checkpoint: a run that was interrupted goes on as if it had not been.

One JSON file, written whole or not at all. The accountant is in it, so what was spent before the
interruption cannot be forgotten. The state of the random generator is kept only for a run that
was started with a seed; the state of a secure one would give away the noise of every step. That
there was a seed, or a leak, is kept for good. Correlated noise cannot go on without the noise of
earlier steps: its keys are kept, and the file is for its owner alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from hockeystick.accountant import Accountant
from hockeystick.errors import ParameterError
from hockeystick.learn.plan import Plan
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.types import Array
from hockeystick.saving import check_private, read_object, write_whole

FORMAT = "hockeystick checkpoint"
VERSION = 1


@dataclass
class State:
    """Where a run is: steps done, θ, the momentum's u.

    seeded, leaked: whether any step so far had a seed, or showed the loss on private records.
    keys: of correlated noise, and for how many steps each was used; else None.
    taken: with correlated noise, a digest of who took part so far.
    """

    done: int
    parameters: Array
    velocity: Array
    seeded: bool = False
    leaked: bool = False
    keys: list[tuple[int, int]] | None = None
    taken: str = ""


@dataclass(frozen=True)
class Checkpoint:
    """A place to save to and to resume from.

    Parameters
    ----------
    path: of the file. plan: what the run does. objective, features: the objective's name and the
        number of features. A file of another plan, objective or number of features is refused.
    """

    path: Path
    plan: Plan
    objective: str
    features: int

    def save(self, state: State, before: Mechanism, rng: Generator | None) -> None:
        """Write the state and what was spent before the run.

        `rng` is None where its state must not be kept.
        """
        accountant = Accountant(self.plan.relation)
        accountant.spend(before)
        content = {
            "format": FORMAT,
            "version": VERSION,
            "plan": plan_text(self.plan),
            "objective": self.objective,
            "features": self.features,
            "done": state.done,
            "seeded": state.seeded,
            "leaked": state.leaked,
            "parameters": state.parameters.tolist(),
            "velocity": state.velocity.tolist(),
            "keys": None if state.keys is None else [(hex(key), n) for key, n in state.keys],
            "taken": state.taken,
            "generator": None if rng is None else rng.bit_generator.state,
            "before": json.loads(accountant.to_json()),
        }
        write_whole(self.path, json.dumps(content), private=state.keys is not None)

    def load(self, shape: tuple[int, int], rng: Generator | None) -> tuple[State, Mechanism]:
        """The state and what was spent before the run; sets the generator to where it was."""
        content = read_object(self.path, FORMAT, VERSION)
        self._check(content)
        if content.get("keys") is not None:
            check_private(self.path)
        try:
            state = State(
                int(content["done"]),
                np.array(content["parameters"], dtype=float).reshape(shape),
                np.array(content["velocity"], dtype=float).reshape(shape),
                bool(content["seeded"]),
                bool(content["leaked"]),
                [(int(key, 16), int(steps)) for key, steps in content.get("keys") or ()],
                str(content.get("taken", "")),
            )
            before = Accountant.from_json(json.dumps(content["before"])).spent
            kept = content["generator"]
            if rng is not None and kept is not None:
                rng.bit_generator.state = kept
            if not 0 <= state.done <= self.plan.steps:
                raise ValueError(f"its steps are not in [0, {self.plan.steps}]")
        except (KeyError, TypeError, ValueError, ArithmeticError) as error:
            raise ParameterError(f"the checkpoint {self.path} does not fit: {error}") from None
        except RecursionError:
            raise ParameterError(f"the checkpoint {self.path} is nested too deeply") from None
        if rng is not None and kept is None:
            # The seed would start its numbers again, and with them the noise of earlier steps.
            raise ParameterError(
                f"rng must be None to resume the checkpoint {self.path}, whose run went on without "
                "a seed"
            )
        return state, before

    def _check(self, content: dict[str, Any]) -> None:
        own = {
            "plan": plan_text(self.plan),
            "objective": self.objective,
            "features": self.features,
        }
        names = {"plan": "plan", "objective": "objective", "features": "number of features"}
        for key, value in own.items():
            if content.get(key) != value:
                raise ParameterError(
                    f"the checkpoint {self.path} is of another {names[key]}: resume with the one "
                    "it was started with, or choose another file"
                )


def plan_text(plan: Plan) -> dict[str, Any]:
    """The plan as JSON takes it: all that must be the same when the run is resumed."""
    values = {field.name: getattr(plan, field.name) for field in fields(plan)}
    return {
        name: value if isinstance(value, int | float) else repr(value)
        for name, value in values.items()
    }
