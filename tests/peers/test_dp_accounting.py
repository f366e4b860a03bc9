"""The accountants of dp_accounting: PLD must bracket ours, RDP must not be below it.

Not asked, because its answers there are known to be wrong: several randomized responses or
exponential mechanisms in one `SelfComposedDpEvent` (the count is lost), and replace-one Gaussians
by RDP (the sensitivity is that of add/remove).
"""

from __future__ import annotations

import math
from typing import Any

import pytest

import hockeystick as hs
from tests.peers.installed import peer

dp, pld, rdp = (peer(f"dp_accounting{part}") for part in ("", ".pld", ".rdp"))

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def gaussian(noise: float, rate: float | None, count: int) -> tuple[hs.Mechanism, Any]:
    mechanism: hs.Mechanism = hs.Gaussian(noise)
    event = dp.GaussianDpEvent(noise)
    if rate is not None:
        mechanism = mechanism.on(hs.Poisson(rate))
        event = dp.PoissonSampledDpEvent(rate, event)
    return mechanism * count, dp.SelfComposedDpEvent(event, count)


def laplace(noise: float, rate: float | None, count: int) -> tuple[hs.Mechanism, Any]:
    mechanism: hs.Mechanism = hs.Laplace(noise)
    event = dp.LaplaceDpEvent(noise)
    if rate is not None:
        mechanism = mechanism.on(hs.Poisson(rate))
        event = dp.PoissonSampledDpEvent(rate, event)
    return mechanism * count, dp.SelfComposedDpEvent(event, count)


def mixture() -> tuple[hs.Mechanism, Any]:
    parts = [gaussian(1.0, 0.01, 500), gaussian(4.0, None, 3), laplace(5.0, None, 4)]
    return sum((m for m, _ in parts), start=hs.Composition()), dp.ComposedDpEvent(
        [e for _, e in parts]
    )


CASES = {
    "Gaussian": gaussian(1.0, None, 1),
    "Gaussian, composed": gaussian(10.0, None, 50),
    "sampled Gaussian": gaussian(1.1, 256 / 60000, 5000),
    "little noise": gaussian(0.5, 0.01, 1000),
    "few sampled Gaussians": gaussian(1.0, 0.1, 10),
    "Laplace": laplace(1.0, None, 1),
    "Laplace, composed": laplace(5.0, None, 60),
    "sampled Laplace": laplace(1.0, 0.05, 300),
    "mixture": mixture(),
}
RDP_CASES = [name for name in CASES if name != "sampled Laplace"]
cases = pytest.mark.parametrize("name", CASES)
deltas = pytest.mark.parametrize("delta", [1e-3, 1e-6])


@cases
@deltas
def test_pld(name: str, delta: float) -> None:
    """Its losses are rounded up, so that it is above ours, by a little."""
    mechanism, event = CASES[name]
    theirs = pld.PLDAccountant(value_discretization_interval=1e-4).compose(event).get_epsilon(delta)
    ours = mechanism.epsilon(delta)
    assert ours.lower <= theirs * (1 + 1e-9)
    assert ours == pytest.approx(theirs, rel=3e-3, abs=1e-3)


@pytest.mark.parametrize("name", RDP_CASES)
@deltas
def test_rdp(name: str, delta: float) -> None:
    """A looser route to the same number: above ours, and not absurdly."""
    mechanism, event = CASES[name]
    theirs = rdp.RdpAccountant().compose(event).get_epsilon(delta)
    ours = mechanism.epsilon(delta)
    assert ours.lower <= theirs
    assert ours >= 0.5 * theirs - 0.05
    assert mechanism.epsilon(delta, method="renyi") <= theirs * (1 + 1e-6)


@pytest.mark.parametrize("order", [1.5, 2.0, 8.0, 32.0])
@pytest.mark.parametrize("name", ["Gaussian, composed", "sampled Gaussian", "Laplace, composed"])
def test_divergences(name: str, order: float) -> None:
    """Whole orders agree; between them theirs is a bound."""
    mechanism, event = CASES[name]
    accountant = rdp.RdpAccountant(orders=[order]).compose(event)
    theirs = float(accountant._rdp[0])
    ours = mechanism.rdp(order)
    assert ours.lower <= theirs * (1 + 1e-9)
    assert ours == pytest.approx(theirs, rel=1e-6 if order == int(order) else 0.05)


@pytest.mark.parametrize(("epsilon", "count"), [(math.log(3), 10), (0.5, 30)])
def test_randomized_response_one_by_one(epsilon: float, count: int) -> None:
    """Composed singly, which its count survives; its p is the chance of a random answer."""
    event = dp.RandomizedResponseDpEvent(2 / (math.exp(epsilon) + 1), 2)
    accountant = pld.PLDAccountant(dp.NeighboringRelation.REPLACE_ONE)
    for _ in range(count):
        accountant.compose(event)
    theirs = accountant.get_epsilon(1e-4)
    ours = (hs.RandomizedResponse(epsilon) * count).epsilon(1e-4)
    assert ours == pytest.approx(theirs, rel=1e-3)


@pytest.mark.parametrize(("noise", "sensitivity"), [(3.0, 1), (1.5, 2)])
@pytest.mark.parametrize("count", [1, 5])
def test_discrete_noise(noise: float, sensitivity: int, count: int) -> None:
    law = peer("dp_accounting.pld.privacy_loss_distribution")
    scale = noise * sensitivity
    for mechanism, theirs in (
        (
            hs.DiscreteGaussian(noise, sensitivity=sensitivity),
            law.from_discrete_gaussian_mechanism(scale, sensitivity=sensitivity),
        ),
        (
            hs.DiscreteLaplace(noise, sensitivity=sensitivity),
            law.from_discrete_laplace_mechanism(1 / scale, sensitivity=sensitivity),
        ),
    ):
        composed = theirs.self_compose(count)
        for epsilon in (0.2, 1.0):
            delta = composed.get_delta_for_epsilon(epsilon)
            ours = (mechanism * count).delta(epsilon)
            assert ours == pytest.approx(delta, rel=5e-3, abs=1e-9)
            assert ours.lower <= delta * (1 + 1e-9) + 1e-12
