"""Outcomes rarer than 1e-20: none is lost from an upper end, none is invented for a lower one."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

import hockeystick as hs
from hockeystick.errors import NumericalError
from hockeystick.loss.product import product


def test_rare_failures_add_up_on_a_shared_sample() -> None:
    run = (hs.ApproximateDP(1.0, 1e-20) * 2).on(hs.Poisson(0.5))
    answer = run.delta(3.0)
    assert answer.lower <= 1e-20 * (1 + 1e-15)
    assert answer.upper == pytest.approx(1e-20, rel=1e-14)
    mixed = (hs.ApproximateDP(1.0, 1e-25) + hs.DiscreteLaplace(1.0)).on(hs.Poisson(0.5))
    assert mixed.delta(5.0) == pytest.approx(5e-26, rel=1e-14)


def two_discrete_gaussians(rate: float, epsilon: float) -> tuple[mp.mpf, mp.mpf]:
    """δ, removing and adding, of two releases at σ = 1 on one Poisson sample, with 400 digits.

    The loss depends on the sum of both outcomes alone.
    """
    with mp.workdps(400):
        noise = {x: mp.exp(-(mp.mpf(x) ** 2) / 2) for x in range(-60, 61)}
        total = sum(noise.values())
        sums = {
            s: sum(noise[x] * noise[s - x] for x in range(-60, 61) if abs(s - x) <= 60) / total**2
            for s in range(-60, 61)
        }
        a, q = mp.exp(mp.mpf(epsilon)), mp.mpf(rate)
        remove = add = mp.mpf(0)
        for s in range(-58, 61):
            p, without = sums[s - 2], sums[s]
            mixed = (1 - q) * without + q * p
            remove += max(mixed - a * without, mp.mpf(0))
            add += max(without - a * mixed, mp.mpf(0))
        return remove, add


@pytest.mark.parametrize("mass", [1e-3, 1e-30, 1e-200])
@pytest.mark.parametrize(("noise", "moved"), [(0.3, 1), (1.0, 2), (5.0, 3)])
def test_a_cut_discrete_gaussian(noise: float, moved: int, mass: float) -> None:
    """Nothing is lost: what is cut is infinite, under both laws, and it is about what was asked."""
    loss = hs.DiscreteGaussian(noise, moved).evidence(hs.ADD_REMOVE).loss
    cut = loss.truncated(mass)
    assert cut.infinite == cut.void <= 2 * mass  # on both sides
    assert cut.atoms.p.sum() + cut.infinite == pytest.approx(1.0, rel=1e-13)
    assert cut.atoms.q.sum() + cut.void == pytest.approx(1.0, rel=1e-13)
    assert cut.atoms.losses == pytest.approx(-cut.atoms.losses[::-1], rel=1e-12, abs=1e-12)
    places = np.linspace(0.0, 20.0, 9)
    assert (cut.profile(places) >= loss.profile(places) * (1 - 1e-12)).all()
    assert cut.profile(places) == pytest.approx(loss.profile(places), rel=1e-9, abs=2 * mass)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [1e-20, 1e-40, 1e-100])
def test_two_discrete_gaussians_on_one_sample(delta: float) -> None:
    answer = (hs.DiscreteGaussian(1.0) * 2).on(hs.Poisson(0.5)).epsilon(delta)
    assert max(two_discrete_gaussians(0.5, answer.upper)) <= delta
    assert max(two_discrete_gaussians(0.5, answer.lower)) >= delta
    assert answer.upper - answer.lower < 1e-9


def test_both_ends_of_a_product_are_kept() -> None:
    """The reverse of two discrete Gaussians costs what they cost, however rare the outcome."""
    loss = product([(hs.DiscreteGaussian(1.0).evidence(hs.ADD_REMOVE).loss, 2)])
    places = np.array([0.0, 5.0, 15.0, 30.0])
    assert loss.reverse().profile(places) == pytest.approx(loss.profile(places), rel=1e-10)
    assert loss.profile(places)[-1] < 1e-80


@pytest.mark.slow
def test_a_long_list_falls_back_to_fewer_atoms() -> None:
    run = (hs.DiscreteGaussian(60.0) * 2).on(hs.Poisson(0.5))
    truth = (hs.Gaussian(60.0) * 2).on(hs.Poisson(0.5)).epsilon(1e-6)
    assert run.epsilon(1e-6) == pytest.approx(truth, rel=1e-2)


@pytest.mark.slow
def test_copies_that_are_given_up_are_no_lower_end() -> None:
    """A record drawn 60 times of 1000 is rarer than 1e-25, and costs 1500."""
    run = hs.Gaussian(1.0).on(hs.WithReplacement(1000, 1000))
    answer = run.delta(1500.0, relation=hs.ADD_REMOVE)
    with mp.workdps(60):
        chances = [mp.binomial(1000, k) * mp.mpf(999) ** (1000 - k) / 1000**1000 for k in range(61)]
        shift = mp.mpf(2)
        truth = mp.mpf(0)
        for k, chance in enumerate(chances[1:], 1):
            mu = shift * k
            at = mp.log(mp.expm1(1500)) - mp.log(1 - chances[0])  # about, which is enough
            truth += chance * mp.ncdf(mu / 2 - at / mu)
    assert answer.lower <= float(truth) * 2
    assert answer.upper >= float(truth) * 0.5
    assert run.epsilon(1e-25, relation=hs.ADD_REMOVE).lower < math.inf


@pytest.mark.parametrize("scale", [0.4, 1.0, 3.7])
def test_one_use_of_a_curve_has_the_digits_of_the_curve(scale: float) -> None:
    """δ = 1 − e^{(ε − 1/b)/2} up to its end, as Laplace noise has."""
    top = 1 / scale

    def curve(epsilon: float) -> float:
        return -math.expm1(min(0.0, epsilon - top) / 2)

    declared = hs.ProfileDP(curve)
    for epsilon in np.linspace(0, top * 0.999, 40).tolist():
        answer = declared.delta(epsilon)
        with mp.workdps(40):
            truth = -mp.expm1((mp.mpf(epsilon) - mp.mpf(top)) / 2)
            assert mp.mpf(answer.lower) <= truth <= mp.mpf(answer.upper)
        assert answer.upper == pytest.approx(float(truth), rel=2e-13)
    assert declared.epsilon(0) == pytest.approx(top, rel=1e-12)


@pytest.mark.slow
def test_a_curve_below_1e_270_is_still_a_curve() -> None:
    answer = hs.ProfileDP(hs.Gaussian(1.0)).on(hs.Poisson(0.1)).epsilon(1e-300)
    exact = hs.Gaussian(1.0).on(hs.Poisson(0.1)).epsilon(1e-300)
    assert answer.lower <= exact.upper * (1 + 1e-13)  # it declares the upper ends of the other
    assert answer.upper >= exact.lower
    assert answer.upper == pytest.approx(exact.upper, rel=1e-9)
    tiny = hs.ProfileDP(lambda epsilon: 1e-301 * max(0.0, 1 - epsilon))
    assert tiny.epsilon(0).upper >= 1.0


def test_sums_of_losses_are_not_rounded() -> None:
    """Next to the largest of three losses δ feels the last digits of their sum."""
    epsilon, rate = 0.7310585786300049, 0.5
    run = (hs.RandomizedResponse(epsilon) * 3).on(hs.Poisson(rate))
    top = math.log1p(rate * math.expm1(3 * epsilon))
    at = top - 1e-10
    with mp.workdps(50):
        e, q = mp.mpf(epsilon), mp.mpf(rate)
        p = 1 / (1 + mp.exp(-e))
        truth = q * p**3 - (mp.expm1(mp.mpf(at)) + q) * (1 - p) ** 3
    answer = run.delta(at)
    assert answer.upper == pytest.approx(float(truth), rel=2e-5)


def test_a_curve_that_overflows_far_out() -> None:
    curve = hs.ProfileDP(lambda epsilon: 0.1 / (1 + math.exp(epsilon)))
    assert curve.delta(1.0) == pytest.approx(0.1 / (1 + math.e), rel=1e-12)
    assert curve.delta(5000.0) < 1e-270
    assert curve.on(hs.Poisson(1e-3)).delta(705.0) < 1e-270


def test_a_single_step_that_hardly_differs() -> None:
    """δ of one step next to nothing, from its two tails: the grid has it, and no line."""
    noise, rate, epsilon = mp.mpf(7.6), mp.mpf(0.00039), mp.mpf(0.0003879538086802305)
    with mp.workdps(40):
        least = noise * mp.log(1 + mp.expm1(epsilon) / rate) + 1 / (2 * noise)  # outcome with L = ε
        below, above = mp.ncdf(-least), mp.ncdf(1 / noise - least)
        truth = float((1 - rate) * below + rate * above - mp.exp(epsilon) * below)
    step = hs.Gaussian(7.6).on(hs.Poisson(0.00039))
    answer = step.delta(float(epsilon), method="lattice")
    assert answer.lower <= truth <= answer.upper == pytest.approx(truth, rel=1e-6)
    with pytest.raises(NumericalError, match="use the lattice"):
        step.delta(float(epsilon), method="contour")
