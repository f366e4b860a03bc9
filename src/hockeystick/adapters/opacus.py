"""Opacus: importing this module registers the accountant "hockeystick".

    import hockeystick.adapters.opacus
    engine = PrivacyEngine(accountant="hockeystick")

Then `make_private`, `make_private_with_epsilon`, `get_epsilon` and checkpoints work as with its own
accountants, and answer exactly.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from opacus import PrivacyEngine
from opacus.accountants import IAccountant
from opacus.accountants.registry import register_accountant

from hockeystick.ahead import Ahead
from hockeystick.checks import non_negative, probability
from hockeystick.errors import ParameterError
from hockeystick.mechanism import Mechanism, compose
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.relation import Relation
from hockeystick.samplers.poisson import Poisson

NAME = "hockeystick"


class Accountant(IAccountant):
    """Steps of DP-SGD: Gaussian noise on Poisson samples, each (σ, rate, steps) of `history`.

    The history is all of its state, and what it costs is asked of it alone: σ and the rate may
    change at every step.

    >>> accountant = Accountant()
    >>> accountant.history = [(1.1, 0.01, 10_000)]
    >>> round(accountant.get_epsilon(delta=1e-5), 6)
    5.192583
    """

    def __init__(self) -> None:
        super().__init__()
        self._ahead = Ahead()

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """One step of noise σ on a sample to which each record came with this probability."""
        noise = non_negative("noise_multiplier", noise_multiplier)
        rate = probability("sample_rate", sample_rate)
        steps = 0
        if self.history and tuple(self.history[-1][:2]) == (noise, rate):
            steps = self.history.pop()[2]
        self.history.append((noise, rate, steps + 1))

    def get_optimizer_hook_fn(self, sample_rate: float) -> Callable[[Any], None]:
        """What the optimizer calls after each step.

        Where k batches were accumulated under one noise σ, a record may have come to several of
        them: their sum is that of k steps with noise σ/√k each, and is accounted as those.
        """

        def hook(optimizer: Any) -> None:
            batches = optimizer.accumulated_iterations
            noise = optimizer.noise_multiplier
            if batches > 1:
                noise = math.nextafter(noise / math.sqrt(batches), 0.0)
            for _ in range(batches):
                self.step(noise_multiplier=noise, sample_rate=sample_rate)

        return hook

    @property
    def spent(self) -> Mechanism:
        """All steps of the history, as one mechanism."""
        return compose(
            (Gaussian(noise).on(Poisson(rate)), steps) for noise, rate, steps in self.history
        )

    def get_epsilon(
        self, delta: float, *, relation: Relation | None = None, method: str = "auto"
    ) -> float:
        """The smallest ε for all steps, a `Bound`; relation: one record added or removed, unless
        another is named."""
        # A loop that asks after each step is answered in blocks.
        spent = dict(self.spent.parts)
        return self._ahead.epsilon(spent, probability("delta", delta), relation, method)

    def __len__(self) -> int:
        """The number of steps."""
        return sum(steps for _, _, steps in self.history)

    @classmethod
    def mechanism(cls) -> str:
        return NAME

    def __getstate__(self) -> dict[str, Any]:
        return {"history": self.history}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _ahead=Ahead())


def _checking_batches(make_private: Callable[..., Any]) -> Callable[..., Any]:
    """`make_private`, which alone knows how batches are drawn: this accountant is for Poisson."""

    @functools.wraps(make_private)
    def checked(self: Any, *, poisson_sampling: bool = True, **options: Any) -> Any:
        if isinstance(self.accountant, Accountant) and not poisson_sampling:
            raise ParameterError(
                f"the accountant {NAME!r} is for batches drawn by Poisson sampling; "
                "poisson_sampling=False draws others, whose steps it must not amplify"
            )
        return make_private(self, poisson_sampling=poisson_sampling, **options)

    checked.__dict__["checks_batches"] = True
    return checked


register_accountant(NAME, Accountant, force=True)
if not hasattr(PrivacyEngine.make_private, "checks_batches"):  # loaded again
    PrivacyEngine.make_private = _checking_batches(PrivacyEngine.make_private)
