"""Sampled Gaussians by the accountant of dp_accounting, under each of its relations."""

from __future__ import annotations

import pytest

import hockeystick as hs
from tests.peers.installed import peer

dp, pld = peer("dp_accounting"), peer("dp_accounting.pld")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

RELATIONS = {
    "ADD_OR_REMOVE_ONE": hs.ADD_REMOVE,
    "REPLACE_ONE": hs.REPLACE_ONE,
    "REPLACE_SPECIAL": hs.ZERO_OUT,
}


@pytest.mark.parametrize("name", RELATIONS)
@pytest.mark.parametrize(
    ("noise", "rate", "steps"), [(1.1, 0.004, 5000), (1.0, 0.1, 10), (0.6, 0.01, 300)]
)
def test_poisson_gaussian(name: str, noise: float, rate: float, steps: int) -> None:
    """Its losses are rounded up to multiples of 1e-4 per step, so that it is a little above ours.

    Its PLD counts a record that is replaced as moving the query twice as far, as we do.
    """
    relation = dp.NeighboringRelation[name]
    event = dp.PoissonSampledDpEvent(rate, dp.GaussianDpEvent(noise))
    accountant = pld.PLDAccountant(relation, value_discretization_interval=1e-4)
    theirs = accountant.compose(event, steps).get_epsilon(1e-6)
    run = hs.Gaussian(noise).on(hs.Poisson(rate)) * steps
    ours = run.epsilon(1e-6, relation=RELATIONS[name])
    assert ours.lower <= theirs * (1 + 1e-9)
    assert ours == pytest.approx(theirs, rel=2e-3, abs=1e-3)
