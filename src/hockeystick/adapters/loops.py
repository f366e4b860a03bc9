"""Training loops without a framework for privacy: an accountant that is told of each step.

For a plain loop, over PyTorch or anything else, and as a callback of Lightning. That the noise is
added and that batches are drawn as `step` says is for the loop to see to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hockeystick.accountant import Accountant
from hockeystick.bound import Bound
from hockeystick.checks import probability, shown, whole
from hockeystick.errors import ParameterError
from hockeystick.mechanism import Mechanism


class OnStep:
    """Spends one mechanism each time a step is taken, and logs ε.

    With an accountant that has a budget, the step that would exceed it is not spent: it raises
    `BudgetExceeded`, before that step is taken if `on_step` is called before it.

    Parameters
    ----------
    step: the mechanism that one step is, such as Gaussian(1.1).on(Poisson(0.01)).
    delta: in [0, 1], at which ε is logged.
    accountant: where it is spent; a new one if there is none.
    log: called with {"epsilon": ε} and the number of steps; nothing is logged without it.
    every: steps from one log to the next, an integer >= 1.

    >>> from hockeystick import Gaussian, Poisson
    >>> seen = []
    >>> def log(values, steps):
    ...     seen.append((steps, round(values["epsilon"], 3)))
    >>> step = Gaussian(1.1).on(Poisson(0.01))
    >>> private = OnStep(step, delta=1e-5, log=log, every=50)
    >>> for batch in range(100):
    ...     private.on_step()  # then the clipped gradients, the noise, the optimizer
    >>> seen
    [(50, 0.433), (100, 0.55)]
    """

    def __init__(
        self,
        step: Mechanism,
        *,
        delta: float,
        accountant: Accountant | None = None,
        log: Callable[[dict[str, float], int], object] | None = None,
        every: int = 1,
    ) -> None:
        if not isinstance(step, Mechanism):
            raise ParameterError(f"step must be a Mechanism, got {shown(step)}")
        self.step, self.delta = step, probability("delta", delta)
        self.accountant = Accountant() if accountant is None else accountant
        self.log, self.every, self.steps = log, whole("every", every, 1), 0

    @property
    def epsilon(self) -> Bound:
        """ε of everything spent so far."""
        return self.accountant.epsilon(self.delta)

    def on_step(self, step: Mechanism | None = None) -> None:
        """One step, or one of another kind where noise or batches change on the way."""
        self.accountant.spend(self.step if step is None else step)
        self.steps += 1
        if self.log is not None and self.steps % self.every == 0:
            self.log({"epsilon": float(self.epsilon)}, self.steps)


def lightning_callback(step: Mechanism, *, delta: float, **options: Any) -> Any:
    """A callback for a Lightning `Trainer`: each optimizer step is spent before it is taken, and
    "epsilon" is among the logged metrics. Options as for `OnStep`, but for `log`.

    Its `state_dict` holds all that was spent, so that a checkpoint goes on where it was.
    """
    import lightning

    class Private(lightning.Callback):
        def __init__(self) -> None:
            self.private = OnStep(step, delta=delta, **options)

        def on_before_optimizer_step(self, trainer: Any, module: Any, optimizer: Any) -> None:
            def log(values: dict[str, float], _: int) -> None:
                module.log_dict(values, prog_bar=True)

            self.private.log = log
            self.private.on_step()

        def state_dict(self) -> dict[str, Any]:
            return {"account": self.private.accountant.to_json(), "steps": self.private.steps}

        def load_state_dict(self, state_dict: dict[str, Any]) -> None:
            self.private.accountant = Accountant.from_json(state_dict["account"])
            self.private.steps = state_dict["steps"]

    return Private()
