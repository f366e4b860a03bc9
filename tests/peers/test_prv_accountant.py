"""The accountant of Gopi, Lee and Wutschitz (2021): both of its ends are bounds, so ours meet them.

Its error is asked to be 0.01 in ε and δ/1000 in δ; the ends are as far apart as that allows.
"""

from __future__ import annotations

from typing import Any

import pytest

import hockeystick as hs
from tests.peers.installed import peer

prv = peer("prv_accountant")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

DELTA, ERROR = 1e-6, 0.01
CASES: dict[str, tuple[hs.Mechanism, Any, int]] = {
    "Gaussian": (hs.Gaussian(5.0), prv.GaussianMechanism(5.0), 20),
    "Laplace": (hs.Laplace(10.0), prv.LaplaceMechanism(0.1), 40),
    "sampled Gaussian": (
        hs.Gaussian(1.1).on(hs.Poisson(0.004)),
        prv.PoissonSubsampledGaussianMechanism(0.004, 1.1),
        3000,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_epsilon(name: str) -> None:
    step, variable, count = CASES[name]
    accountant = prv.PRVAccountant(
        prvs=[variable],
        max_self_compositions=[count],
        eps_error=ERROR,
        delta_error=DELTA / 1000,
    )
    low, _, high = accountant.compute_epsilon(DELTA, [count])
    ours = (step * count).epsilon(DELTA)
    assert low <= ours.upper
    assert ours.lower <= high
    assert high - low <= 3 * ERROR
    assert ours == pytest.approx((low + high) / 2, abs=2 * ERROR)
