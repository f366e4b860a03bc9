"""K of sampled losses at large orders, of either sign, against integrals by mpmath."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.mixed import Mixed, mixed


def log_moment(shift: float, rate: float, power: float) -> float:
    """log E_Q[(1 − q + q·e^ℓ)^power], the integrand's peak in the middle."""
    mu, q, p = (mp.mpf(x) for x in (shift, rate, power))

    def log_ratio(z: mp.mpf) -> mp.mpf:
        return mp.log(1 - q + q * mp.exp(mu * z - mu**2 / 2))

    def slope(z: mp.mpf) -> mp.mpf:
        return p * mu * (1 - (1 - q) * mp.exp(-log_ratio(z))) - z

    low, high = sorted((mp.mpf(0), p * mu))
    peaks = [low, high]
    for _ in range(60):  # of negative powers there is one, of positive ones the highest may be 0
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    around = [x + d for x in [*peaks, low] for d in (-14, -5, -2, -0.5, 0, 0.5, 2, 5, 14)]
    start = (mp.log(1 / (q * abs(p))) + mu**2 / 2) / mu  # where the record begins to show
    around += [start + d / mu for d in (-9, -4, -1, 0, 1, 4, 9) if abs(start) < 20]
    inside = sorted({float(x) for x in around})
    return float(
        mp.log(mp.quad(lambda z: mp.npdf(z) * mp.exp(p * log_ratio(z)), inside, maxdegree=5))
    )


REVERSE = [(0.31, 0.9, 60.0), (0.5, 0.9, 900.0), (0.5, 0.5, 4096.0), (1.0, 0.01, 900.0),
           (5.0, 0.01, 4096.0), (50.0, 0.01, 300.0)]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("shift", "rate", "s"), REVERSE)
def test_large_orders_of_the_reverse(shift: float, rate: float, s: float) -> None:
    """The outcomes that decide (0.5, 0.9, 900) lie beyond ten deviations: once left out."""
    with mp.workdps(20):
        truth = log_moment(shift, rate, -s)
    loss = mixed(GaussianLoss(shift=shift), rate)
    assert loss.cgf(np.array([-1 - s])).real[0] == pytest.approx(truth, rel=1e-10)
    assert loss.nodes_at(-1 - s, 0.0).losses.size < 40_000


@pytest.mark.slow
@pytest.mark.parametrize("shift", [5.0, 50.0])
@pytest.mark.parametrize("rate", [0.5, 0.001])
def test_orders_that_the_largest_losses_decide(shift: float, rate: float) -> None:
    """By quadrature where K is small, and by the norm of e^ℓ from some order on."""
    orders = np.array([0.001, 0.3, 20.0])
    found = mixed(GaussianLoss(shift=shift), rate).cgf(orders).real
    with mp.workdps(20):
        truth = [log_moment(shift, rate, 1 + s) for s in orders.tolist()]
    np.testing.assert_allclose(found, truth, rtol=1e-10, atol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize(("rate", "s"), [(0.9, 300.0), (0.5, 300.0), (0.5, 20.0)])
def test_large_orders_of_the_reverse_of_other_laws(rate: float, s: float) -> None:
    """Two Beta laws of many counts, a record apart, whose ratio is θ/(1 − θ)."""
    count = 400
    loss = hs.BetaPosterior(400.0, 400.0).evidence(hs.REPLACE_ONE).loss
    with mp.workdps(20):
        q = mp.mpf(rate)

        def inside(x: mp.mpf) -> mp.mpf:  # x is the logarithm of the ratio
            log_beta = mp.loggamma(2 * count + 1) - mp.loggamma(count) - mp.loggamma(count + 1)
            density = log_beta + count * x - (2 * count + 1) * mp.log1p(mp.exp(x))
            return mp.exp(density - s * mp.log(1 - q + q * mp.exp(x)))

        truth = float(mp.log(mp.quad(inside, [-3, -2, -1.5, -1, -0.7, -0.4, -0.2, 0, 0.4, 1.5])))
    assert loss is not None
    assert mixed(loss, rate).cgf(np.array([-1 - s])).real[0] == pytest.approx(truth, rel=1e-10)


def test_a_shift_whose_square_is_no_float() -> None:
    loss = mixed(GaussianLoss(shift=1e-170), 0.5)
    for s in (0.5, -1.5, 40.0, -41.0):
        assert 0 <= loss.cgf(np.array([s])).real[0] < 1e-300
    assert Mixed(GaussianLoss(shift=1e170), 0.5)._pull(7.0) < 0.01
