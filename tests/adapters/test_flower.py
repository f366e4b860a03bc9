"""The accountant inside Flower: a federated run in memory, and its state."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from tests.adapters.hosts import adapter, host

flwr = host("flwr.serverapp", "flower")
common = host("flwr.app", "flower")
strategies = host("flwr.serverapp.strategy", "flower")
ours = adapter("flower", "flwr", "flower")

pytestmark = pytest.mark.filterwarnings("ignore")

CLIENTS = 5
Grid: type = flwr.Grid


def config(**changes: Any) -> Any:
    values = {
        "target_delta": 1e-5,
        "population_size": CLIENTS,
        "neighboring_relation": flwr.NeighboringRelation.ADD_OR_REMOVE_ONE,
        "sampling_method": flwr.SamplingMethod.NO_AMPLIFICATION,
    }
    return flwr.PrivacyConfig(**(values | changes))


class Clients(Grid):  # type: ignore[misc]
    """Clients in memory: each answers with the parameters moved by its own vector."""

    def set_run(self, run: Any) -> None:
        pass

    @property
    def run(self) -> Any:
        raise NotImplementedError

    def create_message(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    def get_node_ids(self) -> Iterable[int]:
        return range(1, CLIENTS + 1)

    def push_messages(self, messages: Iterable[Any]) -> Iterable[str]:
        raise NotImplementedError

    def pull_messages(self, message_ids: Iterable[str]) -> Iterable[Any]:
        raise NotImplementedError

    def send_and_receive(self, messages: Iterable[Any], *, timeout: Any = None) -> Any:
        return [self._reply(message) for message in messages]

    def _reply(self, message: Any) -> Any:
        (arrays,) = message.content.array_records.values()
        client = message.metadata.dst_node_id
        moved = [array + client for array in arrays.to_numpy_ndarrays()]
        content = common.RecordDict(
            {
                "arrays": common.ArrayRecord(moved),
                "metrics": common.MetricRecord({"num-examples": 1}),
            }
        )
        return common.Message(content, reply_to=message)


def federated(accountant: Any, rounds: int, noise: float = 4.0) -> Any:
    base = strategies.FedAvg(
        fraction_train=1.0,
        fraction_evaluate=0.0,
        min_train_nodes=CLIENTS,
        min_available_nodes=CLIENTS,
    )
    strategy = strategies.DifferentialPrivacyServerSideFixedClipping(
        base, noise, 1.0, CLIENTS, accountant=accountant
    )
    task = host("flwr.supercore.task_identity", "flower").TaskIdentity
    task.task_id = task.run_id = task.node_id = 1  # as the process of a server app has them
    start = common.ArrayRecord([np.zeros(3, dtype=np.float32)])
    strategy.start(grid=Clients(), initial_arrays=start, num_rounds=rounds)
    return strategy


def test_a_federated_run() -> None:
    accountant = ours.Accountant(config())
    strategy = federated(accountant, rounds=4)
    spent = strategy.privacy_spent()
    assert spent.epsilon == (hs.Gaussian(4.0) * 4).epsilon(1e-5)
    assert (spent.delta, spent.num_releases, spent.accounting_method) == (1e-5, 4, "hockeystick")


def test_a_run_stops_before_its_budget_is_exceeded() -> None:
    limit = (hs.Gaussian(4.0) * 3).epsilon(1e-5) + 1e-9
    accountant = ours.Accountant(config(max_epsilon=float(limit)))
    with pytest.raises(Exception, match="exceed max_epsilon"):
        federated(accountant, rounds=10)
    assert accountant.num_releases == 3


@pytest.mark.parametrize(
    ("sampling", "relation", "step"),
    [
        ("POISSON", "ADD_OR_REMOVE_ONE", hs.Gaussian(1.5).on(hs.Poisson(0.05))),
        ("WITHOUT_REPLACEMENT", "REPLACE_ONE", hs.Gaussian(1.5).on(hs.WithoutReplacement(5, 100))),
        ("NO_AMPLIFICATION", "ADD_OR_REMOVE_ONE", hs.Gaussian(1.5)),
    ],
)
def test_the_ways_to_sample(sampling: str, relation: str, step: hs.Mechanism) -> None:
    chosen = config(
        population_size=100,
        sampling_method=flwr.SamplingMethod[sampling],
        neighboring_relation=flwr.NeighboringRelation[relation],
    )
    accountant = ours.Accountant(chosen)
    accountant.compose(flwr.GaussianPrivacyEvent(1.5, 5, 100), 7)
    assert accountant.spent == step * 7
    ours_says = accountant.get_epsilon(1e-5)
    how = hs.REPLACE_ONE if relation == "REPLACE_ONE" else hs.ADD_REMOVE
    assert ours_says == (step * 7).epsilon(1e-5, relation=how)
    assert accountant.get_delta(float(ours_says)) == pytest.approx(1e-5, rel=1e-6)


def test_its_own_accountant_is_too_low_when_a_client_is_replaced() -> None:
    host("dp_accounting", "dp-accounting")
    chosen = config(
        population_size=100,
        sampling_method=flwr.SamplingMethod.WITHOUT_REPLACEMENT,
        neighboring_relation=flwr.NeighboringRelation.REPLACE_ONE,
    )
    event = flwr.GaussianPrivacyEvent(1.0, 50, 100)
    answers = []
    for made in (ours.Accountant(chosen), flwr.RdpAccountant(chosen)):
        made.compose(event, 5)
        answers.append(made.get_epsilon(1e-5))
    exact, theirs = answers
    assert theirs < exact.lower


def test_the_state_goes_through_json() -> None:
    accountant = ours.Accountant(config())
    accountant.compose(flwr.GaussianPrivacyEvent(2.0, 5, CLIENTS), 3)
    again = ours.Accountant(config())
    again.load_state_dict(json.loads(json.dumps(accountant.state_dict())))
    assert again.spent == accountant.spent
    other = ours.Accountant(config(target_delta=1e-6))
    with pytest.raises(hs.ParameterError, match="configuration"):
        other.load_state_dict(accountant.state_dict())
    assert other.num_releases == 0


def test_bad_arguments() -> None:
    accountant = ours.Accountant(config())
    with pytest.raises(hs.ParameterError, match="population_size must be 5"):
        accountant.compose(flwr.GaussianPrivacyEvent(2.0, 5, 6))
    with pytest.raises(hs.ParameterError, match="count must be"):
        accountant.compose(flwr.GaussianPrivacyEvent(2.0, 5, CLIENTS), 0)
    with pytest.raises(hs.ParameterError, match="max_epsilon must be given"):
        accountant.would_exceed(flwr.GaussianPrivacyEvent(2.0, 5, CLIENTS))
    assert accountant.num_releases == 0
