"""zCDP: the conversions against Rényi orders tried one by one, and exact answers below."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import classical
from hockeystick.classical.known_bases import zcdp_of
from hockeystick.errors import ParameterError


@pytest.mark.parametrize(("rho", "xi"), [(0.5, 0.0), (0.01, 0.2), (3.0, 1.0)])
def test_the_conversion_is_the_best_order_of_the_curve(rho: float, xi: float) -> None:
    orders = 1 + np.geomspace(1e-4, 1e4, 200_001)
    for delta in (1e-3, 1e-9):
        best = classical.mironov_epsilon(orders, xi + rho * orders, delta).min()
        assert classical.zcdp_epsilon(rho, delta, xi) == pytest.approx(best, rel=1e-7)
        epsilon = classical.zcdp_epsilon(rho, delta, xi)
        assert classical.zcdp_delta(rho, epsilon, xi) == pytest.approx(delta, rel=1e-12)
        assert classical.zcdp_within(epsilon, delta, xi) == pytest.approx(rho, rel=1e-12)
        assert (hs.ZeroConcentratedDP(rho, xi)).epsilon(delta) <= epsilon


def test_edges() -> None:
    assert classical.zcdp_delta(0.0, 1.0) == 0.0
    assert classical.zcdp_delta(0.5, 0.1) == 1.0
    assert classical.zcdp_within(0.0, 1e-5) == 0.0
    with pytest.raises(ParameterError, match="xi must be in"):
        classical.zcdp_within(1.0, 1e-5, 2.0)
    with pytest.raises(ParameterError, match="omega"):
        classical.zcdp_of_curve(lambda order: order)


@pytest.mark.parametrize("xi", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("base", [hs.Laplace(0.5), hs.RandomizedResponse(2.0)], ids=repr)
def test_of_a_curve_with_an_end(base: hs.Mechanism, xi: float) -> None:
    """Tried at many orders: none is above the line, and one of them is close to it."""
    rho = classical.zcdp_of_curve(base.rdp, xi)
    orders = 1 + np.geomspace(1e-8, 1e3, 3000)
    room = (xi + rho * orders - np.asarray(base.rdp(orders))) / (rho * orders)
    assert room.min() >= -1e-12
    assert room.min() < 1e-5


def test_a_positive_xi_where_no_line_through_0_holds() -> None:
    """A sample: the curve leaps at an order, and with ξ > 0 the line may be flatter."""
    base = hs.Gaussian(1.0).on(hs.Poisson(0.01))
    steep = classical.zcdp_of_curve(base.rdp, omega=64.0)
    flat = classical.zcdp_of_curve(base.rdp, 5.0, omega=64.0)
    orders = np.linspace(1.001, 64.0, 500)
    curve = np.asarray(base.rdp(orders))
    assert flat < steep
    assert (curve <= (steep * orders) * (1 + 1e-12)).all()
    assert (curve <= (5.0 + flat * orders) * (1 + 1e-12)).all()
    assert (curve > (5.0 + 0.999 * flat * orders)).any()


def test_pure_dp() -> None:
    for epsilon in (0.1, 1.0, 5.0):
        exact = classical.zcdp_of_curve(hs.PureDP(epsilon).rdp)
        assert exact == pytest.approx(epsilon * math.tanh(epsilon / 2), rel=1e-5)  # KL at order 1
        assert exact <= classical.zcdp_of_pure(epsilon)


@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-12])
def test_classical_gaussian(delta: float) -> None:
    """Never below the exact answer where it is stated, and nothing said elsewhere."""
    for shift in (0.01, 0.05, 0.1):
        bound = classical.classical_gaussian_epsilon(shift, delta)
        assert hs.Gaussian(1 / shift).epsilon(delta) <= bound < 1
        assert classical.classical_gaussian_noise(bound, delta) == pytest.approx(1 / shift)
    assert classical.classical_gaussian_epsilon(2.0, delta) == math.inf


def test_what_is_known_as_zcdp() -> None:
    relation = hs.ADD_REMOVE
    assert zcdp_of(hs.Gaussian(2.0), relation) == (0.0, 0.125)
    assert zcdp_of(hs.Laplace(2.0), relation) == (0.0, 0.125)
    assert zcdp_of(hs.ZeroConcentratedDP(0.3, 0.1), relation) == (0.1, 0.3)
    assert zcdp_of(hs.ApproximateDP(1.0, 1e-6), relation) is None
    assert zcdp_of(hs.RenyiDP({2: 0.1}), relation) is None
