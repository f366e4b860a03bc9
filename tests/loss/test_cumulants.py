"""What is said of e^K off the real line, where floats cannot hold the density of Q."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.cumulants import decay_bound
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.measure import Nodes

FREQUENCIES = np.array([0.05, 0.1, 0.5, 1.0, 3.0])


@pytest.mark.parametrize("shift", [1.0, 30.0, 38.0, 45.0, 55.6, 200.0])
@pytest.mark.parametrize("resolved", [0.1, 3.0])
def test_the_decay_of_a_cut_gaussian_is_that_of_the_gaussian(shift: float, resolved: float) -> None:
    """|φ(t)| is e^{−μ²t²/2}. From μ = 39 on the density of Q under P's peak is no float."""
    cut = GaussianLoss(shift=shift).truncated(1e-27)
    bound = cut.spread(1e-3, FREQUENCIES / shift, resolved / shift)[0]
    truth = np.exp(-(FREQUENCIES**2) / 2)
    assert (bound >= truth * (1 - 1e-9)).all()
    assert (bound[:3] <= truth[:3] * (1 + 1e-9)).all()


@pytest.mark.parametrize("tilt", [0.5, 3.0, 30.0])
@pytest.mark.parametrize("noise", [0.02, 0.3, 1.0])
def test_the_decay_of_a_sampled_gaussian_far_out(noise: float, tilt: float) -> None:
    """As K itself says: a large order asks for outcomes under which Q has next to nothing."""
    loss = hs.Gaussian(noise).on(hs.Poisson(0.01)).evidence(hs.ADD_REMOVE).loss
    assert loss is not None
    t = FREQUENCIES * noise
    k = loss.cgf(np.append(tilt, tilt + 1j * t)).real
    truth = np.exp(k[1:] - k[0])
    bound = loss.spread(tilt, t, float(t[-1]))[0]
    assert (bound >= truth * (1 - 1e-9) - 1e-12).all()
    assert (bound <= truth * (1 + 1e-6) + 1e-6).all()


def test_nodes_without_a_known_density_count_as_atoms() -> None:
    """Two uniform laws of half of P each, the upper one with a Q-density that no float holds."""
    low, high = np.linspace(0.0, 1.0, 1001), np.linspace(800.0, 801.0, 1001)
    log_p = np.full(1001, np.log(0.5 / 1001))
    losses = np.append(low, high)
    density = np.append(0.5 * np.exp(-low), np.zeros(1001))
    nodes = Nodes(losses, np.append(log_p, log_p) - losses, density)
    far = np.array([1e5, 2e5])  # where the nodes say nothing
    bound = decay_bound(nodes, 0.0, far)
    assert (bound >= 0.5).all()
    assert (bound <= 0.5 + 2e-5).all()


def gaussian_epsilon(square: mp.mpf, delta: float) -> float:
    """ε(δ) of two normal laws μ apart, given μ²."""
    with mp.workdps(50):
        mu = mp.sqrt(square)

        def excess(e: mp.mpf) -> mp.mpf:
            above = mp.ncdf(mu / 2 - e / mu) - mp.exp(e) * mp.ncdf(-mu / 2 - e / mu)
            return mp.log(above) - mp.log(delta)

        start = square / 2 + 6 * mu
        return float(mp.findroot(excess, (start, start + mu / 2), solver="anderson", tol=1e-20))


@pytest.mark.slow
@pytest.mark.parametrize(("scale", "rate"), [(0.5, 0.001), (2.0, 0.0001)])
def test_large_gaussians_with_many_small_atoms(scale: float, rate: float) -> None:
    """Between the Gaussians of tiny noise alone and these with all else as Gaussian releases and
    the largest loss of Laplace noise. Once too small by 249, with both ends."""
    tiny = hs.Gaussian(0.02, 1.112) * 12_000
    rest = hs.Laplace(scale).on(hs.Poisson(rate)) * 2
    rest += hs.GaussianPair(1.0, 1.0, 0.0, 1.0).on(hs.RandomAllocation(70, 3))
    square = 12_000 * (mp.mpf(1.112) / mp.mpf(0.02)) ** 2
    found = (tiny + rest).epsilon(1.49e-10, relation=hs.REPLACE_ONE)
    most = 2 * np.log1p(rate * np.expm1(2 / scale))
    assert gaussian_epsilon(square, 1.49e-10) <= found.upper
    assert found.lower >= gaussian_epsilon(square, 1.49e-10) - 1e-6
    assert found.upper <= gaussian_epsilon(square + 3, 1.49e-10) + most + 1e-6


def test_a_small_order_beside_a_large_one_keeps_its_digits() -> None:
    """Asked alone or together, K near 0 is right relative to its own size."""
    step = hs.Gaussian(1.0).on(hs.Poisson(0.01))
    with mp.workdps(40):
        order, q = mp.mpf(1.0001), mp.mpf(0.01)
        integral = mp.quad(
            lambda x: mp.npdf(x) * (1 - q + q * mp.exp(x - 0.5)) ** order,
            [-20, -5, 0, 2, 5, 10, 20],
        )
        truth = float(mp.log(integral) / (order - 1))
    for orders in ([1.0001], [1.0001, 30.0], [1.0001, 900.0]):
        found = step.rdp(orders)
        assert truth * (1 - 3e-13) <= found.lower[0] <= truth * (1 + 1e-15)
        assert truth * (1 - 1e-15) <= found.upper[0] <= truth * (1 + 3e-13)


def test_a_rare_sample_at_order_two_beside_large_orders() -> None:
    """log(1 + q²·(e − 1)) = 1.7e-16, which 1 + K would lose."""
    found = hs.Gaussian(1.0).on(hs.Poisson(1e-8)).rdp([2.0, 50.0])
    truth = math.log1p(1e-16 * math.expm1(1.0))
    assert truth * (1 - 1e-15) <= found.upper[0] <= truth * (1 + 1e-12)
