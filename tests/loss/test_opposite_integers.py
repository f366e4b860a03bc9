"""A record replaced by one on the other side, on a Poisson sample: no pair is worse, and it is one.

Against integrals and sums in many digits; against vectors, and whatever is made of them; and every
outcome of several steps.
"""

from __future__ import annotations

import math
from itertools import product

import mpmath as mp
import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.base import Loss
from hockeystick.numerics.types import Array

REPLACED = hs.REPLACE_ONE


def law(mechanism: hs.Mechanism, rate: float) -> Loss:
    return mechanism.on(hs.Poisson(rate)).evidence(REPLACED).loss


def hockey_stick(p: Array, q: Array, epsilon: float) -> float:
    return math.fsum(np.maximum(p - math.exp(epsilon) * q, 0.0))


def integer_noise(mechanism: hs.Mechanism, wide: int) -> Array:
    """Its masses from −wide to wide."""
    x, scale = np.arange(-wide, wide + 1), mechanism.noise_multiplier  # type: ignore[attr-defined]
    laplace = isinstance(mechanism, hs.DiscreteLaplace)
    weight = np.exp(-np.abs(x) / scale if laplace else -(x**2) / (2 * scale**2))
    return np.asarray(weight / weight.sum())


@pytest.mark.parametrize("rate", [1e-6, 0.05, 0.7])
@pytest.mark.parametrize("noise", [0.2, 1.0, 8.0])
def test_laplace_noise_by_integrals(noise: float, rate: float) -> None:
    with mp.workdps(40):
        _compare(noise, rate)


def _compare(noise: float, rate: float) -> None:
    reach, q = 1 / mp.mpf(noise), mp.mpf(rate)
    loss = law(hs.Laplace(noise), rate)

    def density(x: mp.mpf, side: int) -> mp.mpf:
        return ((1 - q) * mp.exp(-abs(x)) + q * mp.exp(-abs(x - side * reach))) / 2

    def loss_at(x: mp.mpf) -> mp.mpf:
        return mp.log(density(x, 1) / density(x, -1))

    assert loss.top == pytest.approx(float(loss_at(reach)), rel=1e-14)
    for share in (0.0, 0.3, 0.9):
        level = float(share * loss.top)
        place = mp.findroot(lambda x, e=level: loss_at(x) - e, (0, reach), solver="anderson")
        excess = mp.quad(
            lambda x, e=level: density(x, 1) - mp.exp(e) * density(x, -1), [place, reach, mp.inf]
        )
        found = loss.profile(np.array([level]))[0]
        assert found == pytest.approx(float(excess), rel=1e-12, abs=0)
    points = [-mp.inf, -reach, 0, reach, mp.inf]
    for s in (0.5, 3.0):
        moment = mp.quad(lambda x, s=s: density(x, 1) ** (s + 1) * density(x, -1) ** -s, points)
        found = loss.cgf(np.array([s])).real[0]
        assert found == pytest.approx(float(mp.log(moment)), rel=1e-9, abs=0)


@pytest.mark.parametrize("mechanism", [hs.DiscreteGaussian(0.5), hs.DiscreteGaussian(3.0)])
@pytest.mark.parametrize("rate", [1e-6, 0.05, 0.7])
def test_integer_gaussian_noise_by_sums(mechanism: hs.DiscreteGaussian, rate: float) -> None:
    loss, q, scale = law(mechanism, rate), mp.mpf(rate), mp.mpf(mechanism.noise_multiplier)
    with mp.workdps(60):
        noise = {x: mp.exp(-(mp.mpf(x) ** 2) / (2 * scale**2)) for x in range(-400, 401)}
        total = mp.fsum(noise.values())

        def mass(x: int, side: int) -> mp.mpf:
            return ((1 - q) * noise[x] + q * noise[x - side]) / total

        both = [(mass(x, 1), mass(x, -1)) for x in range(-399, 400)]
        for level in (0.0, 0.01, 0.5, 4.0, 60.0):
            e = mp.exp(mp.mpf(level))
            truth = float(mp.fsum(max(p - e * r, mp.mpf(0)) for p, r in both))
            if truth > 1e-290:
                found = loss.profile(np.array([level]))[0]
                assert found == pytest.approx(truth, rel=1e-10, abs=0)
        for s in (0.5, 3.0, 40.0):
            moment = float(mp.log(mp.fsum(p ** (s + 1) * r**-s for p, r in both)))
            found = loss.cgf(np.array([s])).real[0]
            assert found == pytest.approx(moment, rel=1e-9, abs=0)


@pytest.mark.parametrize("mechanism", [hs.DiscreteLaplace(1.5), hs.DiscreteGaussian(1.2)])
def test_no_two_records_of_a_vector_are_worse(mechanism: hs.Mechanism) -> None:
    """Two entries with noise of their own, each record moving them by 1 in L1 in some direction; on
    opposite sides of one entry they attain it."""
    rate, wide = 0.15, 45
    noise = integer_noise(mechanism, wide)
    plane = np.multiply.outer(noise, noise)
    moves = [(1, 0), (-1, 0), (0, 1), (0, -1), (0, 0)]
    sampled = [(1 - rate) * plane + rate * np.roll(plane, move, axis=(0, 1)) for move in moves]
    loss = law(mechanism, rate)
    for epsilon in (0.0, 0.05, 0.1, 0.15):
        bound = float(loss.profile(np.array([epsilon]))[0])
        seen = [hockey_stick(p.ravel(), q.ravel(), epsilon) for p, q in product(sampled, repeat=2)]
        assert max(seen) == pytest.approx(bound, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("seed", range(8))
def test_nothing_made_of_three_answers_is_worse(seed: int) -> None:
    """Answers without the record, with it and with the other, seen through a channel: pairs as near
    to each other as the mechanism says, and no points of a line any more."""
    rng = np.random.default_rng(seed)
    mechanism, rate = hs.DiscreteLaplace(float(rng.uniform(0.4, 2))), float(rng.uniform(0.01, 0.9))
    noise = integer_noise(mechanism, 25)
    plane = np.multiply.outer(noise, noise)
    moves = [(0, 0), *rng.permutation([(1, 0), (-1, 0), (0, 1), (0, -1)])[:2].tolist()]
    channel = rng.dirichlet(np.full(6, 0.05), plane.size)
    rest, one, other = (np.roll(plane, move, axis=(0, 1)).ravel() @ channel for move in moves)
    p, q = ((1 - rate) * rest + rate * each for each in (one, other))
    levels = np.linspace(0, 1.5, 16)
    bounds = law(mechanism, rate).profile(levels)
    for level, bound in zip(levels, bounds, strict=True):
        assert hockey_stick(p, q, level) <= bound + 1e-12


@pytest.mark.parametrize(
    ("mechanism", "rate", "steps"),
    [
        (hs.DiscreteLaplace(1.0), 0.3, 4),
        (hs.DiscreteLaplace(0.5, 2), 0.05, 3),
        (hs.DiscreteGaussian(1.0), 0.1, 2),
    ],
)
@pytest.mark.parametrize("certify", [False, True])
def test_both_ends_of_several_steps(
    mechanism: hs.Mechanism, rate: float, steps: int, certify: bool
) -> None:
    """Every outcome of several steps of two records on opposite sides."""
    if certify:
        pytest.importorskip("flint")
    move, wide = mechanism.sensitivity, 24  # type: ignore[attr-defined]
    x, scale = np.arange(-wide, wide + 1), mechanism.scale  # type: ignore[attr-defined]
    laplace = isinstance(mechanism, hs.DiscreteLaplace)
    y = np.arange(-wide - move, wide + move + 1)
    weight = np.exp(-np.abs(y) / scale if laplace else -(y**2) / (2 * scale**2))
    masses = dict(zip(y.tolist(), (weight / weight.sum()).tolist(), strict=True))
    p, q = (
        np.array([(1 - rate) * masses[k] + rate * masses[k - side * move] for k in x.tolist()])
        for side in (1, -1)
    )
    _, place = np.unique(np.round(np.log(p / q), 12), return_inverse=True)
    each_p, each_q = np.bincount(place, p), np.bincount(place, q)
    all_p, all_q = np.ones(1), np.ones(1)
    for _ in range(steps):
        all_p, all_q = np.outer(all_p, each_p).ravel(), np.outer(all_q, each_q).ravel()
    run = mechanism.on(hs.Poisson(rate)) * steps
    for epsilon in (0.02, 0.3, 0.8):
        truth = hockey_stick(all_p, all_q, epsilon)
        answer = run.delta(epsilon, relation=REPLACED, certify=certify)
        assert answer.lower <= truth * (1 + 1e-8) + 1e-9
        assert truth <= answer.upper * (1 + 1e-8) + 1e-9
        assert answer.upper - answer.lower <= 1e-6 * truth + 1e-12


def test_what_it_saves() -> None:
    """ε of 1000 steps was between 7.71 and 16.93, and between 4.16 and 9.99."""
    for mechanism, epsilon in (
        (hs.Laplace(1.0), 14.2797361553),
        (hs.DiscreteGaussian(2.0), 8.2966725),
    ):
        answer = (mechanism.on(hs.Poisson(0.05)) * 1000).epsilon(1e-6, relation=REPLACED)
        assert answer.upper == pytest.approx(epsilon, rel=1e-8)
        assert answer.upper - answer.lower < 1e-7


def test_farther_than_twice_is_still_a_pair() -> None:
    """A record that moves the query by 1 and replacing one by 3: the envelope crosses a = 1. Once
    ten steps had no upper end, one 2.643 by a line and 2.663 by its formula."""
    step = hs.DiscreteGaussian(2.0, replace_sensitivity=3).on(hs.Poisson(0.05))
    law_ = step.evidence(REPLACED).loss
    law_.check_mass()
    one = [step.epsilon(1e-6, relation=REPLACED, method=m) for m in ("closed form", "contour")]
    assert one[0].upper == pytest.approx(one[1].upper, rel=1e-3)
    ends = [(step * n).epsilon(1e-6, relation=REPLACED).upper for n in (1, 10, 1000)]
    assert ends == sorted(ends)
    assert math.isfinite(ends[-1])
    renyi = (step * 1000).epsilon(1e-6, relation=REPLACED, method="renyi")
    assert 0.8 * renyi.upper <= ends[-1] <= renyi.upper


def test_the_largest_loss_is_no_rounding_too_small() -> None:
    """log(1 − q + q·e^θ) − log(1 − q + q·e^−θ), 60 digits; once an ulp below."""
    noise, rate = 0.05668948028326933, 1e-8
    with mp.workdps(60):
        reach, q = 1 / mp.mpf(noise), mp.mpf(rate)
        both = [mp.log(1 - q + q * mp.exp(each)) for each in (reach, -reach)]
        truth = both[0] - both[1]
    for step in (hs.Laplace(noise), hs.DiscreteLaplace(noise, 2)):
        answer = step.on(hs.Poisson(rate)).epsilon(0, relation=REPLACED)
        assert mp.mpf(answer.lower) <= truth <= mp.mpf(answer.upper)
        assert answer.upper - answer.lower < 1e-13


def test_far_tails_are_as_far_off_as_their_losses() -> None:
    scale, move, rate, epsilon = mp.mpf(1.3) * 2, 2, mp.mpf(1e-8), mp.mpf(0.8038026427871551)
    with mp.workdps(60):
        noise = {x: mp.exp(-(mp.mpf(x) ** 2) / (2 * scale**2)) for x in range(-400, 401)}
        total = mp.fsum(noise.values())
        truth = mp.fsum(
            max((1 - rate) * noise[x] * (1 - mp.exp(epsilon)) + rate * (
                noise[x - move] - mp.exp(epsilon) * noise[x + move]), mp.mpf(0))
            for x in range(-398, 399)
        ) / total  # fmt: skip
    answer = (
        hs.DiscreteGaussian(1.3, 2).on(hs.Poisson(1e-8)).delta(float(epsilon), relation=REPLACED)
    )
    assert mp.mpf(answer.lower) <= truth <= mp.mpf(answer.upper)
    assert answer.upper < answer.lower * (1 + 1e-9)


def test_large_orders_and_scales_and_next_to_no_noise() -> None:
    poisson = hs.Poisson(0.1)
    for step, order in ((hs.DiscreteGaussian(3.0), 1e6), (hs.DiscreteGaussian(3.0, 100), 1e4)):
        rdp = step.on(poisson).rdp(order, relation=REPLACED)
        assert rdp.lower == pytest.approx(rdp.upper, rel=1e-9)
        removed = step.on(poisson).rdp(order)
        assert removed.upper <= rdp.upper <= removed.upper - math.log1p(-0.1) * 1.01
    wide = hs.DiscreteGaussian(15.0, 1000).on(poisson).delta(0.1, relation=REPLACED)
    assert 0 < wide.lower <= wide.upper < wide.lower * (1 + 1e-9)
    nearly_none = (hs.Laplace(1e-3).on(poisson) * 10).epsilon(1e-6, relation=REPLACED)
    assert nearly_none.lower > 6981
