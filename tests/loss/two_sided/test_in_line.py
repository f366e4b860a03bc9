"""Gaussian noise, one zeroed out of a sample of fixed size: three answers in line."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.two_sided.in_line import InLineGaussian
from hockeystick.numerics.types import Array


def tails(near: float, far: float, rate: float, x: mp.mpf) -> tuple[mp.mpf, mp.mpf, mp.mpf]:
    """e^loss at an outcome, and the masses beyond it."""
    s, q, d = mp.mpf(near), mp.mpf(rate), mp.mpf(far) - mp.mpf(near)
    rest = (1 - q) * mp.exp(-d * x - d * d / 2)
    grown = (rest + q * mp.exp(s * x - s * s / 2)) / (rest + q)
    other = (1 - q) * mp.ncdf(-(x + d))
    return grown, other + q * mp.ncdf(s - x), other + q * mp.ncdf(-x)


@pytest.mark.parametrize("seed", range(20))
def test_the_curve_by_its_tails(seed: int) -> None:
    """In 50 digits, at outcomes from the middle to where nothing is left; relative to what a
    rounding of the loss alone does."""
    rng = np.random.default_rng(seed)
    near = math.exp(rng.uniform(math.log(0.01), math.log(20.0)))
    far, rate = near * float(rng.choice([1.0, 1.2, 2.0])), math.exp(rng.uniform(-18.0, 0.0))
    curve = InLineGaussian(near, far, rate)
    with mp.workdps(50):
        for _ in range(3):
            x = mp.mpf(near) / 2 + mp.mpf(rng.uniform(0.01, 25.0))
            grown, p, q = tails(near, far, rate, x)
            loss = float(mp.log(grown))
            truth = float(p - grown * q)
            rounded = 2e-16 * loss * float(grown * q) / truth
            assert curve.delta(np.array([loss]))[0] == pytest.approx(
                truth, rel=1e-12 + 5 * rounded, abs=0
            )
            above = [float(each[0]) for each in curve.above(np.array([loss]))]
            assert above == pytest.approx([float(p), float(q)], rel=1e-10 + 5 * rounded, abs=0)


@pytest.mark.parametrize("share", [0.9, 0.01, 1e-9])
def test_with_a_ceiling_nothing_is_lost(share: float) -> None:
    curve = InLineGaussian(0.7, 1.4, 0.01)
    mass = share * float(curve.above(np.zeros(1))[0][0])
    ended, void = curve.truncated(mass)
    assert 0 < ended.infinite <= mass * (1 + 1e-6)
    assert 0 < void < ended.infinite
    u = np.linspace(0.0, ended.top, 40)
    assert (ended.delta(u) >= curve.delta(u) * (1 - 1e-12)).all()
    assert (ended.delta(u) <= curve.delta(u) + ended.infinite).all()
    beyond: Array = ended.delta(np.array([ended.top, 2 * ended.top]))
    assert beyond == pytest.approx(ended.infinite, rel=1e-12)
    loss = hs.Gaussian(1.4).on(hs.WithoutReplacement(1, 100)).evidence(hs.ZERO_OUT).loss
    loss.check_mass()
    loss.truncated(1e-4).check_mass()


def test_what_is_there_instead_may_be_no_farther() -> None:
    """Then it is what one removed from a Poisson sample has."""
    curve, rate = InLineGaussian(1.0, 1.0, 0.05), 0.05
    removed = hs.Gaussian(1.0).on(hs.Poisson(rate)).evidence(hs.ADD_REMOVE).loss
    u = np.linspace(0.0, 3.0, 13)
    assert curve.delta(u) == pytest.approx(removed.profile(u), rel=1e-12)


@pytest.mark.parametrize(
    ("noise", "steps", "lower", "upper"),
    [(1.0, 1, 4.1312, 4.1314), (1.0, 20, 8.0049, 8.0523), (2.0, 5, 1.3689, 1.3730)],
)
def test_what_it_saves(noise: float, steps: int, lower: float, upper: float) -> None:
    """50 of 1000: upper ends were 6.656, 12.098 and 1.825."""
    run = hs.Gaussian(noise).on(hs.WithoutReplacement(50, 1000)) * steps
    answer = run.epsilon(1e-6, relation=hs.ZERO_OUT)
    assert lower < answer.lower <= answer.upper < upper


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.01, 0.3, 100.0])
@pytest.mark.parametrize(("size", "population"), [(1, 10**8), (999, 1000)])
def test_little_noise_and_much_rarely_and_nearly_always(
    noise: float, size: int, population: int
) -> None:
    step = hs.Gaussian(noise).on(hs.WithoutReplacement(size, population))
    ends = [(step * n).epsilon(1e-6, relation=hs.ZERO_OUT) for n in (1, 100)]
    assert 0 <= ends[0].lower <= ends[0].upper <= ends[1].upper < math.inf
    unsampled = hs.Gaussian(noise).epsilon(1e-6, relation=hs.ZERO_OUT)
    assert ends[0].upper <= unsampled.upper * (1 + 1e-12)
