"""Matrix mechanisms as events, and back."""

from __future__ import annotations

import pytest

import hockeystick as hs
from tests.adapters.hosts import adapter, host

dp = host("dp_accounting", "dp-accounting")
ours = adapter("dp_accounting", "dp_accounting", "dp-accounting")

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("leaves", [1600, [400, 400, 3]])
def test_trees_both_ways(leaves: int | list[int]) -> None:
    """δ of the library's own accountant, which knows trees by Rényi divergences, is above ours."""
    event = dp.SingleEpochTreeAggregationDpEvent(8.83, leaves)
    run = ours.from_event(event, hs.ZERO_OUT)
    rdp = host("dp_accounting.rdp", "dp-accounting")
    relation = dp.NeighboringRelation.REPLACE_SPECIAL
    theirs = rdp.RdpAccountant(neighboring_relation=relation).compose(event).get_epsilon(1e-6)
    assert 0.9 * theirs < run.epsilon(1e-6) < theirs
    whole = hs.Correlated(hs.matrix.tree(803, restart_every=400), 8.83, hs.Once())
    assert ours.to_event(whole) == dp.SingleEpochTreeAggregationDpEvent(8.83, [400, 400, 3])
    assert ours.from_event(ours.to_event(run), hs.ZERO_OUT) == run


def test_known_steps_are_a_gaussian_event() -> None:
    run = hs.Correlated(hs.matrix.square_root(64), 10.0, hs.MinSeparated(every=16, at_most=4))
    event = ours.to_event(run)
    assert event.noise_multiplier == pytest.approx(10 / 3.9606202681, rel=1e-9)
    back = ours.from_event(event, hs.ADD_REMOVE)
    assert run.epsilon(1e-6).lower <= back.epsilon(1e-6) <= run.epsilon(1e-6) * (1 + 1e-9)


def test_batches_in_turns_keep_that_nobody_can_be_added() -> None:
    """Cyclic batches are no Gaussian event, which accountants answer for add-remove as well."""
    run = hs.Correlated(hs.matrix.square_root(64), 10.0, hs.Cyclic(period=16))
    event = ours.to_event(run)
    rdp = host("dp_accounting.rdp", "dp-accounting")
    for accountant in (ours.Accountant, rdp.RdpAccountant):
        for name in ("ADD_OR_REMOVE_ONE", "REPLACE_ONE"):
            assert not accountant(dp.NeighboringRelation[name]).supports(event)
    relation = dp.NeighboringRelation.REPLACE_SPECIAL
    exact = run.epsilon(1e-6, relation=hs.ZERO_OUT)
    assert exact.lower <= ours.Accountant(relation).compose(event).get_epsilon(1e-6)
    assert ours.Accountant(relation).compose(event).get_epsilon(1e-6) <= exact * (1 + 1e-9)
    theirs = rdp.RdpAccountant(neighboring_relation=relation).compose(event).get_epsilon(1e-6)
    gaussian = dp.GaussianDpEvent(10 / float(run.sensitivity))
    plain = rdp.RdpAccountant().compose(gaussian).get_epsilon(1e-6)
    assert theirs == pytest.approx(plain, rel=1e-9)


def test_cyclic_poisson_is_a_composition_of_samples() -> None:
    run = hs.Correlated(hs.matrix.toeplitz(200, (1, 0.5)), 2.0, hs.CyclicPoisson(0.1, 4))
    back = ours.from_event(ours.to_event(run), hs.ADD_REMOVE)
    assert sum(back.parts.values()) == 50
    assert back.epsilon(1e-6) == pytest.approx(run.epsilon(1e-6), rel=1e-9)
    pld = host("dp_accounting.pld", "dp-accounting")
    theirs = pld.PLDAccountant().compose(ours.to_event(run)).get_epsilon(1e-6)
    assert run.epsilon(1e-6) <= theirs <= 1.01 * run.epsilon(1e-6)


def test_what_the_library_cannot_say() -> None:
    strategy = hs.matrix.toeplitz(8, (1, 0.5))
    for run in (
        hs.Correlated(strategy, 2.0, hs.Poisson(0.1)),
        hs.Correlated(strategy, 2.0, hs.BallsInBins(4)),
        hs.Correlated(strategy, 2.0, hs.Once(), replace_sensitivity=1.0),
    ):
        with pytest.raises(hs.ParameterError, match="no event"):
            ours.to_event(run)
