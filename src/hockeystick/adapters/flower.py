"""Flower: an accountant of clients for its strategies, with exact answers.

    from hockeystick.adapters.flower import Accountant
    strategy = DifferentialPrivacyServerSideFixedClipping(..., accountant=Accountant(config))

It is a `flwr.serverapp.PrivacyAccountant`.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from flwr.serverapp import (
    GaussianPrivacyEvent,
    NeighboringRelation,
    PrivacyConfig,
    PrivacySpent,
    SamplingMethod,
)

from hockeystick.checks import finite_positive, whole
from hockeystick.errors import ParameterError
from hockeystick.mechanism import Mechanism, compose
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE
from hockeystick.samplers.poisson import Poisson
from hockeystick.samplers.without_replacement import WithoutReplacement

NAME = "hockeystick"
RELATIONS = {
    NeighboringRelation.ADD_OR_REMOVE_ONE: ADD_REMOVE,
    NeighboringRelation.REPLACE_ONE: REPLACE_ONE,
}


class Accountant:
    """Gaussian releases over clients, sampled as the configuration says.

    A record is a client. Where one is replaced by another, the sum of clipped updates moves by up
    to twice the clipping norm, and the answer is for that.

    >>> config = PrivacyConfig(1e-5, 1000, NeighboringRelation.ADD_OR_REMOVE_ONE,
    ...                        SamplingMethod.POISSON)
    >>> accountant = Accountant(config)
    >>> accountant.compose(GaussianPrivacyEvent(1.1, 10, 1000), 10_000)
    >>> round(accountant.get_privacy_spent().epsilon, 6)
    5.192583
    """

    def __init__(self, config: Any) -> None:
        if not isinstance(config, PrivacyConfig):
            raise ParameterError(f"config must be a PrivacyConfig, got {config!r}")
        self._config = config
        self._releases: list[tuple[Any, int]] = []

    @property
    def config(self) -> Any:
        return self._config

    @property
    def num_releases(self) -> int:
        return sum(count for _, count in self._releases)

    @property
    def spent(self) -> Mechanism:
        """All releases, as one mechanism."""
        return compose((self._step(event), count) for event, count in self._releases)

    def _step(self, event: Any) -> Mechanism:
        if not isinstance(event, GaussianPrivacyEvent):
            raise ParameterError(f"event must be a GaussianPrivacyEvent, got {event!r}")
        size, population = event.sample_size, event.population_size
        if population != self._config.population_size:
            raise ParameterError(
                f"population_size must be {self._config.population_size}, that of the "
                f"configuration, got {population}"
            )
        noise = Gaussian(event.noise_multiplier)
        if self._config.sampling_method is SamplingMethod.POISSON:
            return noise.on(Poisson(size / population))
        if self._config.sampling_method is SamplingMethod.WITHOUT_REPLACEMENT:
            return noise.on(WithoutReplacement(size, population))
        return noise

    def compose(self, event: Any, count: int = 1) -> None:
        self._step(event)
        self._releases.append((event, whole("count", count, 1)))

    def get_epsilon(self, delta: float) -> float:
        """The smallest ε, a `Bound`."""
        return self.spent.epsilon(delta, relation=self._relation)

    def get_delta(self, epsilon: float) -> float:
        """The smallest δ, a `Bound`."""
        return self.spent.delta(epsilon, relation=self._relation)

    @property
    def _relation(self) -> Any:
        return RELATIONS[self._config.neighboring_relation]

    def get_privacy_spent(self, delta: float | None = None) -> Any:
        chosen = self._config.target_delta if delta is None else delta
        return PrivacySpent(float(self.get_epsilon(chosen)), chosen, self.num_releases, NAME)

    def would_exceed(self, event: Any, max_epsilon: float | None = None, count: int = 1) -> bool:
        """Whether ε at the configured δ would be above the limit; nothing is spent."""
        limit = self._config.max_epsilon if max_epsilon is None else max_epsilon
        if limit is None:
            raise ParameterError("max_epsilon must be given, here or in the configuration")
        after = compose([(self.spent, 1), (self._step(event), whole("count", count, 1))])
        epsilon = after.epsilon(self._config.target_delta, relation=self._relation)
        return bool(epsilon > finite_positive("max_epsilon", limit))

    # state ------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, object]:
        """The state, as values that JSON can write."""
        releases = [{"event": asdict(event), "count": count} for event, count in self._releases]
        return {"backend": NAME, "config": self._written(), "compositions": releases}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a state of the same configuration; nothing changes if it is of another."""
        if state.get("backend") != NAME or state.get("config") != self._written():
            raise ParameterError(
                f"state must be of the backend {NAME!r} and of this configuration, "
                f"got {state.get('backend')!r} and {state.get('config')!r}"
            )
        restored = Accountant(self._config)
        for each in state["compositions"]:
            restored.compose(GaussianPrivacyEvent(**each["event"]), each["count"])
        self._releases = restored._releases

    def _written(self) -> dict[str, Any]:
        values = asdict(self._config)
        return {name: getattr(value, "value", value) for name, value in values.items()}
