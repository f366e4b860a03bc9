"""Theorem 9 of Wang, Balle and Kasiviswanathan (2019) against its authors' own package."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import hockeystick as hs
from hockeystick.classical import mironov_epsilon, rdp_without_replacement
from tests.peers.installed import peer

rdp_acct, rdp_bank = peer("autodp.rdp_acct"), peer("autodp.rdp_bank")

pytestmark = pytest.mark.slow

STEPS, FRACTION, DELTA = 600_000, 0.001, 1e-8

CASES: list[tuple[hs.Mechanism, Callable[[float], float]]] = [
    (
        hs.Gaussian(5, replace_sensitivity=1),
        lambda order: float(rdp_bank.RDP_gaussian({"sigma": 5.0}, order)),
    ),
    (
        hs.Laplace(2, replace_sensitivity=1),
        lambda order: float(rdp_bank.RDP_laplace({"b": 2.0}, order)),
    ),
    (
        hs.RandomizedResponse.truthful(0.6),
        lambda order: float(rdp_bank.RDP_randresponse({"p": 0.6}, order)),
    ),
]


@pytest.mark.parametrize(("mechanism", "curve"), CASES, ids=lambda value: str(value)[:20])
def test_theorem_9(mechanism: hs.Mechanism, curve: Callable[[float], float]) -> None:
    theirs = rdp_acct.anaRDPacct(m=200)
    theirs.compose_subsampled_mechanism(curve, FRACTION, coeff=STEPS)

    def ours(order: float) -> float:
        return float(mechanism.rdp(order, relation=hs.REPLACE_ONE))

    pure = ours(float("inf"))
    epsilons = [
        mironov_epsilon(a, STEPS * rdp_without_replacement(ours, FRACTION, a, pure), DELTA)
        for a in range(2, 200)
    ]
    expected = theirs.get_eps(DELTA)
    assert min(epsilons) == pytest.approx(expected, rel=1e-6)
    run = mechanism.on(hs.WithoutReplacement(60, 60_000)) * STEPS
    assert run.epsilon(DELTA) < expected
