"""K of curves on panels: many real orders at once, beside multiple precision and one by one."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss import gaussian
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.two_sided.amplified import AmplifiedCurve
from hockeystick.loss.two_sided.cumulants import by_size
from hockeystick.loss.two_sided.loss import TwoSidedLoss
from hockeystick.loss.two_sided.term import Term
from hockeystick.numerics.types import Array

FIXED = hs.Gaussian(1.0).on(hs.WithoutReplacement(600, 60_000))
ORDERS = np.linspace(1.1, 64.0, 100)


def theorem_6(order: float, shift: int, rate: float) -> mp.mpf:
    """The Rényi divergence of δ(u) = q·h(log(1 + (e^u − 1)/q)) both ways, h of two normal laws."""
    with mp.workdps(40):
        s, q, mu = mp.mpf(order) - 1, mp.mpf(rate), mp.mpf(shift)

        def delta(u: mp.mpf) -> mp.mpf:
            x = mp.log1p(mp.expm1(u) / q)
            return q * (mp.ncdf(mu / 2 - x / mu) - mp.exp(x) * mp.ncdf(-mu / 2 - x / mu))

        peak = s * mu**2
        knots = sorted({mp.mpf(0), q, mp.mpf(1), peak / 2, peak, peak + 15 * mu, peak + 50 * mu})
        integral = mp.quad(
            lambda u: (mp.exp(s * u) + mp.exp(-(s + 1) * u)) * delta(u), knots, maxdegree=9
        )
        return mp.log1p(s * (s + 1) * integral) / s


TRUTHS = {
    0: 0.0025289151691918325,
    7: 5.477093472752869,
    46: 55.890322776242385,
    99: 123.32173187455179,
}
"""By `theorem_6`, for places among the orders."""


def test_orders_at_once_beside_multiple_precision() -> None:
    found = FIXED.rdp(ORDERS).upper
    for place, truth in TRUTHS.items():
        assert truth * (1 - 1e-15) <= found[place] <= truth * (1 + 4e-13)


@pytest.mark.slow
@pytest.mark.parametrize("place", TRUTHS)
def test_theorem_6_in_multiple_precision(place: int) -> None:
    truth = float(theorem_6(float(ORDERS[place]), 2, 0.01))
    assert math.isclose(truth, TRUTHS[place], rel_tol=1e-15)


@pytest.mark.parametrize(
    "step",
    [
        FIXED,
        hs.Gaussian(0.3).on(hs.WithoutReplacement(6, 600)),
        hs.Laplace(1.0).on(hs.WithoutReplacement(3, 60)),
        hs.ApproximateDP(1.0, 1e-5).on(hs.WithoutReplacement(3, 60)),
    ],
    ids=repr,
)
def test_orders_at_once_are_orders_one_by_one(step: hs.Mechanism) -> None:
    orders = np.append(1.0001, np.geomspace(1.01, 900.0, 12))
    alone = [step.rdp(float(order)) for order in orders]
    together = step.rdp(orders)
    np.testing.assert_allclose(together.upper, [a.upper for a in alone], rtol=2e-13)
    np.testing.assert_allclose(together.lower, [a.lower for a in alone], rtol=2e-13)


def test_a_hundred_orders_take_few_points_of_the_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Peaks of the integrands are read off one table: without it, 60 000 points."""
    FIXED.rdp(ORDERS)  # the panels, once
    seen = []
    before = gaussian.gaussian_log_delta

    def counted(shift: float, epsilon: Array) -> Array:
        seen.append(epsilon.size)
        return before(shift, epsilon)

    monkeypatch.setattr(gaussian, "gaussian_log_delta", counted)
    FIXED.rdp(ORDERS)
    assert 0 < sum(seen) < 480 * ORDERS.size


def test_real_orders_beside_a_line_that_turns() -> None:
    """At s = 60 losses beyond the panels count, which a line that turns could not tell."""
    loss = TwoSidedLoss(AmplifiedCurve((Term(0.01, 0.0, GaussianLoss(2.0)),), 0.01))
    alone = loss.cgf(np.array([60.0])), loss.cgf(np.array([0.5 + 1j]))
    both = loss.cgf(np.array([60.0, 0.5 + 1j]))
    np.testing.assert_allclose(both, np.concatenate(alone), rtol=1e-13)


@pytest.mark.parametrize("shift", [0.01, 0.7, 2.0, 25.0])
def test_far_profiles_of_normal_laws(shift: float) -> None:
    """Far out by a series of differences, on both sides of where it begins."""
    a = np.append(max(60.0, 2 * shift) * np.array([0.999, 1.001]), [100.0, 1e4])
    epsilon = (a + shift / 2) * shift
    found = gaussian.gaussian_log_delta(shift, epsilon)
    with mp.workdps(60):
        for value, x in zip(found, epsilon, strict=True):
            low, high = mp.mpf(x) / shift - mp.mpf(shift) / 2, mp.mpf(x) / shift + mp.mpf(shift) / 2
            # Φ(−a) − e^ε·Φ(−b), as φ(a)·(m(a) − m(b)) with asymptotic series of m.
            truth = mp.log(_mills(low) - _mills(high)) - low * low / 2 - mp.log(2 * mp.pi) / 2
            assert math.isclose(value, float(truth), rel_tol=4e-16 * max(1, x) + 1e-14, abs_tol=0)


def _mills(x: mp.mpf) -> mp.mpf:
    return mp.sqrt(mp.pi / 2) * mp.exp(x * x / 2) * mp.erfc(x / mp.sqrt(2))


def test_numbers_of_one_size_share_points() -> None:
    tilts = np.array([-5.0, -1.0, -0.4, 0.1, 1.9, 2.0, 40.0, 41.0])
    groups = by_size(tilts)
    assert np.array_equal(np.concatenate(groups), np.arange(tilts.size))
    for group in groups:
        sizes = np.abs(tilts[group] + 0.5) + 1
        assert sizes.max() <= 2 * sizes.min()
        assert np.unique(np.sign(tilts[group] + 0.5)).size == 1
