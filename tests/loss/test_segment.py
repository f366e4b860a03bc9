"""An exponential density on a segment: K of large orders on a sample, by mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import hockeystick as hs


def truth(noise: float, rate: float, power: float) -> float:
    """log E_Q[(1 − q + q·e^ℓ)^power] of Laplace noise, on panels that double from one end."""
    with mpmath.workdps(20):
        r, q = 1 / mpmath.mpf(noise), mpmath.mpf(rate)
        end = r if power > 0 else -r
        largest = 1 - q + q * mpmath.exp(end)

        def relative(loss: mpmath.mpf) -> mpmath.mpf:
            return ((1 - q + q * mpmath.exp(loss)) / largest) ** power

        edges = sorted([end, *(end * (1 - mpmath.mpf(2) ** (1 - k)) for k in range(24))])
        between = mpmath.quad(
            lambda loss: relative(loss) * mpmath.exp(-(r + loss) / 2) / 4,
            edges,
            method="gauss-legendre",
        )
        atoms = relative(-r) / 2 + relative(r) * mpmath.exp(-r) / 2
        return float(mpmath.log(between + atoms) + power * mpmath.log(largest))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("noise", "rate", "order"), [(1.0, 0.01, 1e5), (5.0, 1e-4, 3e7), (0.1, 1e-6, 2e4)]
)
def test_cumulants_of_large_orders(noise: float, rate: float, order: float) -> None:
    loss = hs.Laplace(noise).on(hs.Poisson(rate)).evidence(hs.ADD_REMOVE).loss
    assert loss is not None
    for direction, power in ((loss, order), (loss.reverse(), 1 - order)):
        found = float(direction.cgf(np.array([order - 1])).real[0])
        assert found == pytest.approx(truth(noise, rate, power), rel=1e-14)


def test_few_points_are_enough_for_large_orders() -> None:
    loss = hs.Laplace(1.7).on(hs.Poisson(0.0074)).evidence(hs.ADD_REMOVE).loss
    assert loss is not None
    assert all(loss.nodes(*at, 0.0).losses.size < 2000 for at in ((-1.0, 1e9), (-1e9, 0.0)))


def test_divergences_alone_reach_the_end_of_a_bounded_loss() -> None:
    step = hs.Laplace(1.7206129678550832).on(hs.Poisson(0.0074))
    exact, found = step.epsilon(1e-15), step.epsilon(1e-15, method="renyi")
    assert exact.lower <= found <= exact * (1 + 1e-6)
