"""Coins of a mechanism as a mechanism: exact where enumeration is, and as the theorems say."""

from __future__ import annotations

import math
from itertools import product

import mpmath as mp
import numpy as np
import pytest

import hockeystick as hs
from hockeystick.bernoulli import amplify, amplify_delta, largest_loss
from hockeystick.bernoulli.channel import coins
from hockeystick.bernoulli.loss import CoinCurve, coin_loss, dotted_loss
from hockeystick.errors import ParameterError
from tests.oracles import bernoulli as oracle

BASES = [
    hs.Gaussian(1.0),
    hs.Laplace(0.7),
    hs.PureDP(1.2),
    hs.ApproximateDP(0.5, 1e-2),
    hs.RandomizedResponse(1.0, categories=4),
    hs.DiscreteGaussian(1.5),
    hs.Gaussian(0.8).on(hs.Poisson(0.2)),
    hs.Gaussian(2.0) * 3,
]


@pytest.mark.parametrize("base", BASES, ids=repr)
@pytest.mark.parametrize(("c", "n"), [(0.2, 1), (0.1, 4)])
def test_one_step_has_the_contracted_profile(base: hs.Mechanism, c: float, n: int) -> None:
    mechanism = base.bernoulli(c=c, samples=n)
    for epsilon in (0.0, 0.05, 0.3, 0.9):
        before = base.delta(epsilon)
        low, high = (amplify_delta(epsilon, end, c, n) for end in (before.lower, before.upper))
        found = mechanism.delta(epsilon)
        assert found.upper >= low * (1 - 1e-9)
        assert found.upper == pytest.approx(high, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("base", BASES, ids=repr)
def test_never_more_than_the_curve_amplified_at_each_order(base: hs.Mechanism) -> None:
    mechanism = base.bernoulli(c=0.15, dimension=2)
    for order in (1.3, 2.0, 8.0, 60.0):
        curve = base.rdp(order)
        assert mechanism.rdp(order) <= amplify(curve, order, 0.15, 2, close=1e-3) * (1 + 1e-9)


@pytest.mark.parametrize(("c", "n", "steps"), [(0.1, 1, 3), (0.3, 2, 2)])
def test_composition_of_randomized_response_by_enumeration(c: float, n: int, steps: int) -> None:
    """Binary randomized response is its own worst pair, so the coins' laws are known exactly."""
    p = 1 / (1 + math.exp(-1.0))
    laws = [
        np.array([float(x) for x in oracle.coin_law([(1 - c,), (c,)], weights, n)])
        for weights in ([p, 1 - p], [1 - p, p])
    ]
    first = np.array([np.prod(x) for x in product(laws[0], repeat=steps)])
    second = np.array([np.prod(x) for x in product(laws[1], repeat=steps)])
    mechanism = hs.RandomizedResponse(1.0).bernoulli(c=c, samples=n) * steps
    for epsilon in (0.0, 0.2, 0.7, 1.1):
        exact = float(np.maximum(first - math.exp(epsilon) * second, 0).sum())
        answer = mechanism.delta(epsilon, relation=hs.REPLACE_ONE)
        assert answer.upper == pytest.approx(exact, rel=1e-8, abs=1e-12)
        assert answer.lower == pytest.approx(exact, rel=1e-8, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("s", [0.5, 3.0, 40.0])
def test_cumulants_of_a_gaussian_s_coins_by_integration(s: float) -> None:
    """Theorem 6 of Balle, Barthe and Gaboardi on the contracted profile, in mpmath."""
    c, n = 0.1, 3

    def delta(u: mp.mpf) -> mp.mpf:
        before = mp.ncdf(mp.mpf(0.5) - u) - mp.exp(u) * mp.ncdf(-mp.mpf(0.5) - u)
        return oracle.contracted(before, u, n, c)

    curve = CoinCurve(hs.Gaussian(1.0).evidence(hs.ADD_REMOVE).loss, coins(n, c))
    breaks = [0.0, *np.unique(curve.kinks).tolist()]
    integral = mp.quad(lambda u: (mp.exp(s * u) + mp.exp(-(s + 1) * u)) * delta(u), breaks)
    value = float(mp.log(1 + s * (s + 1) * integral))
    loss = hs.Gaussian(1.0).bernoulli(c=c, samples=n).evidence(hs.ADD_REMOVE).loss
    assert float(loss.cgf(np.array([s]))[0].real) == pytest.approx(value, rel=1e-11)


def test_masses_of_the_loss_add_up() -> None:
    for base in BASES:
        loss = base.bernoulli(c=0.1, samples=3).evidence(hs.ADD_REMOVE).loss
        atoms, tails = loss.atoms, loss.tails(np.array([-60.0]))
        assert atoms.p.sum() + tails.p_above[0] == pytest.approx(1, abs=1e-9)
        assert atoms.q.sum() + tails.q_above[0] == pytest.approx(1, abs=1e-9)
        assert loss.infinite == 0


def test_points_of_the_curve_are_above_it_and_close() -> None:
    base, channel = hs.Gaussian(1.0).evidence(hs.ADD_REMOVE).loss, coins(40, 0.3)
    exact, is_exact = coin_loss(base, channel)
    curve = CoinCurve(base, channel)
    dotted = dotted_loss(curve, curve)
    assert is_exact
    epsilon = np.linspace(-2, 2, 41)
    assert (dotted.profile(epsilon) >= exact.profile(epsilon) - 1e-13).all()
    assert dotted.profile(epsilon) == pytest.approx(exact.profile(epsilon), rel=2e-5)


@pytest.mark.parametrize("n", [100, 3000])
def test_many_coins(n: int) -> None:
    """Above the exact profile of one step, and close to it; the lower end stays below."""
    mechanism = hs.Gaussian(1.0).bernoulli(c=0.47, samples=n)
    for epsilon in (0.1, 1.0):
        exact = amplify_delta(epsilon, hs.Gaussian(1.0).delta(epsilon), 0.47, n)
        found = mechanism.delta(epsilon)
        assert found.lower < exact <= found.upper
        assert found.upper == pytest.approx(exact, rel=1e-3)


@pytest.mark.slow
def test_composition_is_between_what_is_attained_and_the_parts() -> None:
    step = hs.Gaussian(1.0).bernoulli(c=0.2)
    four = (step * 4).epsilon(delta=1e-5)
    assert four.lower <= four.upper
    assert four.upper <= 4 * step.epsilon(delta=0) * (1 + 1e-9)
    assert four.upper < (hs.Gaussian(1.0) * 4).epsilon(delta=1e-5) / 3


def test_curves_are_amplified_at_every_order() -> None:
    curve = hs.ZeroConcentratedDP(0.3).bernoulli(c=0.1, dimension=2)
    for order in (1.5, 4.0, 30.0):
        exact = amplify(0.3 * order, order, 0.1, 2)
        assert curve.rdp(order).upper == pytest.approx(exact.upper, rel=3e-4)
        assert curve.rdp(order) >= exact.lower
    assert curve.rdp(math.inf) == pytest.approx(2 * math.log(9))
    assert 0 < curve.rdp(1.0) <= curve.rdp(1.01)
    assert hs.RenyiDP({2: 1.0}).bernoulli(c=0.1).rdp(2.0) == pytest.approx(0.66906654, rel=2e-4)


@pytest.mark.slow
def test_coins_of_a_curve_compose() -> None:
    run = hs.ZeroConcentratedDP(0.01).bernoulli(c=0.2) * 50 + hs.Gaussian(4.0)
    before = (hs.ZeroConcentratedDP(0.01) * 50 + hs.Gaussian(4.0)).epsilon(delta=1e-5)
    assert run.epsilon(delta=1e-5) < 0.8 * before


def test_pure_dp() -> None:
    mechanism = hs.PureDP(1.0).bernoulli(c=0.1, samples=2)
    assert mechanism.epsilon(delta=0) == pytest.approx(largest_loss(1.0, 0.1, 2), rel=1e-12)


@pytest.mark.parametrize("base", [*BASES, hs.ZeroConcentratedDP(0.5)], ids=repr)
def test_text(base: hs.Mechanism) -> None:
    mechanism = base.bernoulli(c=0.1, dimension=3, samples=4)
    assert hs.parse(repr(mechanism)) == mechanism
    assert repr(hs.parse(repr(mechanism) + " * 7")) == repr(mechanism * 7)
    assert "bernoulli(c=0.1, dimension=3, samples=4)" in repr(mechanism)


def test_samples_and_groups_go_to_the_parameter() -> None:
    coin = hs.Gaussian(1.0).bernoulli(c=0.1)
    assert coin.on(hs.Poisson(0.1)) == hs.Gaussian(1.0).on(hs.Poisson(0.1)).bernoulli(c=0.1)
    assert coin.group(3) == hs.Gaussian(1.0).group(3).bernoulli(c=0.1)


@pytest.mark.slow
def test_extremes() -> None:
    base = hs.Gaussian(1.0)
    assert base.bernoulli(c=0.5).epsilon(delta=0) == 0.0
    assert base.bernoulli(c=0.0).epsilon(delta=1e-5) == base.epsilon(delta=1e-5)
    everyone = base.bernoulli(c=0.1, dimension=10**9).delta(0.5)
    assert everyone.upper == base.delta(0.5).upper
    assert 0 < everyone.lower < everyone.upper
    million = base.bernoulli(c=0.1, dimension=10**6).delta(1.0)
    assert million.upper == base.delta(1.0).upper
    assert hs.Gaussian(math.inf).bernoulli(c=0.1).epsilon(delta=0) == 0.0
    everything = hs.Gaussian(0.0).bernoulli(c=0.1)
    assert everything.epsilon(delta=0) == pytest.approx(math.log(9))
    loud = hs.Gaussian(0.01).bernoulli(c=0.1, samples=400).delta(0.5)
    assert loud.upper == 1.0
    assert loud.lower == pytest.approx(1.0)


def test_refusals() -> None:
    with pytest.raises(ParameterError, match=r"c must be in \[0, 0.5\], got 0.6"):
        hs.Gaussian(1.0).bernoulli(c=0.6)
    with pytest.raises(ParameterError, match="dimension must be an integer >= 1"):
        hs.Gaussian(1.0).bernoulli(c=0.1, dimension=0)
