"""Bounds on a profile, proven by their chords; records on opposite sides, proven as they are."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np
import pytest

pytest.importorskip("flint")

import hockeystick as hs
from hockeystick.errors import CannotCertify
from hockeystick.loss.exact import Exact, among
from hockeystick.loss.sum import ComposedLoss, both_ways
from hockeystick.routes.auto import ROUTES
from hockeystick.routes.certified import answers
from hockeystick.routes.certified.reading import read
from hockeystick.routes.certified.renyi import RenyiAt
from hockeystick.routes.certified.verify import verify

POISSON, FIXED = hs.Poisson(0.05), hs.WithoutReplacement(50, 1000)
BOUNDS = [
    (hs.Laplace(1.0).on(FIXED), hs.ZERO_OUT),
    (hs.DiscreteLaplace(2.0, 2).on(FIXED), hs.ZERO_OUT),
    (hs.DiscreteGaussian(1.5).on(FIXED), hs.ZERO_OUT),
    (hs.Gaussian(2.0, replace_sensitivity=1.5).on(POISSON), hs.REPLACE_ONE),
    (hs.Laplace(1.0, replace_sensitivity=3).on(POISSON), hs.REPLACE_ONE),
    (hs.DiscreteGaussian(2.0, replace_sensitivity=3).on(POISSON), hs.REPLACE_ONE),
]
ATTAINED = [
    (hs.Laplace(1.0).on(POISSON), hs.REPLACE_ONE),
    (hs.Laplace(0.2).on(hs.Poisson(1e-4)), hs.REPLACE_ONE),
    (hs.DiscreteLaplace(2.0, 3).on(POISSON), hs.REPLACE_ONE),
    (hs.DiscreteGaussian(0.7).on(hs.Poisson(0.6)), hs.REPLACE_ONE),
    (hs.RandomizedResponse(1.0).on(POISSON), hs.REPLACE_ONE),
    (hs.RandomizedResponse(1.0, categories=5).on(FIXED), hs.ZERO_OUT),
    (hs.ApproximateDP(0.5, 1e-9).on(POISSON), hs.REPLACE_ONE),
    (hs.ExponentialMechanism(1.0).on(FIXED), hs.ZERO_OUT),
    (hs.DiscreteGaussian(2.0).on(FIXED), hs.REPLACE_ONE),
]
Step = tuple[hs.Mechanism, hs.Relation]


def pair(step: Step, count: int) -> list[ComposedLoss]:
    return both_ways([(step[0].evidence(step[1], min(count, 2)).loss, count)])


@pytest.mark.parametrize("count", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in (7, 500))])
@pytest.mark.parametrize("step", BOUNDS, ids=str)
def test_a_bound_is_proven_nearly_as_it_is(step: Step, count: int) -> None:
    """Against the uncertified pair of the same bound, by a grid; parts in 1e5 above it."""
    run, relation = step[0] * count, step[1]
    proven = run.epsilon(1e-6, relation=relation, certify=True)
    plain = run.epsilon(1e-6, relation=relation, method="lattice" if count > 1 else "auto")
    dominating = max(_lower(side) for side in pair(step, count))
    assert proven.certified
    assert dominating * (1 - 1e-9) <= proven.upper <= plain.upper * (1 + 4e-4)
    assert 0 < proven.lower <= plain.upper
    assert verify(read(json.dumps(proven.certificate))) == (proven.lower, proven.upper)


def _lower(side: ComposedLoss) -> float:
    return ROUTES["closed form" if side.steps == 1 else "lattice"].epsilon(side, 1e-6).lower


@pytest.mark.parametrize("count", [1, 5, 800])
@pytest.mark.parametrize("step", ATTAINED, ids=str)
def test_pairs_are_proven_to_the_last_digits(step: Step, count: int) -> None:
    run, relation = step[0] * count, step[1]
    proven = run.epsilon(1e-6, relation=relation, certify=True)
    plain = [answers.epsilon(side, 1e-6) for side in pair(step, count)]
    assert proven.upper == max(each.upper for each in plain)
    assert max(each.lower for each in plain) <= proven.upper
    assert proven.upper - max(each.lower for each in plain) <= 1e-6 * proven.upper
    found = run.epsilon(1e-6, relation=relation, method="contour" if count > 20 else "auto")
    assert found.lower <= proven.upper
    assert verify(read(json.dumps(proven.certificate))) == (proven.lower, proven.upper)


@pytest.mark.parametrize("noise", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("rate", [1e-4, 0.3])
def test_opposite_laplace_noise_by_integrals(noise: float, rate: float) -> None:
    """δ of one step, and a Rényi divergence, by integrals in 40 digits."""
    with mp.workdps(40):
        reach, q = 1 / mp.mpf(noise), mp.mpf(rate)

        def density(x: mp.mpf, side: int) -> mp.mpf:
            return ((1 - q) * mp.exp(-abs(x)) + q * mp.exp(-abs(x - side * reach))) / 2

        top = mp.log(density(reach, 1) / density(reach, -1))
        level = float(top / 3)
        place = mp.findroot(
            lambda x: mp.log(density(x, 1) / density(x, -1)) - level, (0, reach), solver="anderson"
        )
        excess = mp.quad(
            lambda x: density(x, 1) - mp.exp(level) * density(x, -1), [place, reach, mp.inf]
        )
        points = [-mp.inf, -reach, 0, reach, mp.inf]
        moment = mp.quad(lambda x: density(x, 1) ** 4 * density(x, -1) ** -3, points)
        order = mp.log(moment) / 3
    step = hs.Laplace(noise).on(hs.Poisson(rate))
    delta = step.delta(level, relation=hs.REPLACE_ONE, certify=True)
    assert delta.lower <= float(excess) * (1 + 1e-15)
    assert float(excess) <= delta.upper * (1 + 1e-15)
    assert delta.upper - delta.lower < 1e-14 * delta
    rdp = step.rdp(4, relation=hs.REPLACE_ONE, certify=True)
    assert rdp.lower <= float(order) * (1 + 1e-15)
    assert float(order) <= rdp.upper * (1 + 1e-15)
    assert rdp.upper - rdp.lower < 1e-12 * rdp


def test_a_bound_has_no_lower_end() -> None:
    """What dominates costs more than what is attained."""
    for side in pair(BOUNDS[0], 20):
        assert answers.epsilon(side, 1e-6).lower == 0 < answers.epsilon(side, 1e-6).upper
        assert answers.delta(side, 0.3).lower == 0 < answers.delta(side, 0.3).upper
        assert RenyiAt(3.0).of(side).lower == 0 < RenyiAt(3.0).of(side).upper


def test_a_lower_end_of_a_bound_is_not_verified() -> None:
    step, relation = BOUNDS[0]
    said = dict((step * 20).epsilon(1e-6, relation=relation, certify=True).certificate or {})
    forged: dict[str, Any] = copy.deepcopy(said)
    forged["proofs"] = forged["proofs"][:1]
    assert verify(read(json.dumps(forged)))[0] == 0
    for each in forged["proofs"][0]["directions"]:
        each["lower"] = each["upper"] / 2
    with pytest.raises(CannotCertify, match="a lower end"):
        verify(read(json.dumps(forged)))


def test_rdp_of_a_bound_is_that_of_its_list() -> None:
    """Above what is attained, and near what the bound has."""
    step, relation = BOUNDS[0]
    run = step * 30
    for order in (1.0, 1.5, 8.0, 60.0):
        proven, plain = (run.rdp(order, relation=relation, certify=c) for c in (True, False))
        assert plain.lower * (1 - 1e-9) <= proven.upper
        assert proven.upper == pytest.approx(plain.upper, rel=1e-3)
        assert verify(read(json.dumps(proven.certificate))) == (proven.lower, proven.upper)


def test_pairs_in_exact_numbers() -> None:
    far, near = (Exact("laplace", (Fraction(k, 3),)) for k in (2, 1))
    opposite = among(far, near, Fraction(1, 7))
    assert opposite is not None
    assert opposite.opposite
    assert opposite.symmetric
    assert opposite.reverse() is opposite
    assert Exact.from_json(opposite.to_json()) == opposite
    zeroed = among(near, far, Fraction(1, 7), fixed=True)
    assert zeroed is not None
    assert not zeroed.symmetric
    assert zeroed.reverse().turned
    assert zeroed.reverse().reverse() == zeroed
    assert Exact.from_json(zeroed.reverse().to_json()) == zeroed.reverse()
    assert among(far, far, Fraction(1, 7)) == far.of_fixed_size(Fraction(1, 7))
    assert among(far, None, Fraction(1, 7)) is None
    assert among(far, Exact("normal", (Fraction(1), Fraction(0))), Fraction(1, 7)) is None
    scales = Exact("integer laplace", (Fraction(20), Fraction(20)), Fraction(1, 10), fixed=True)
    assert replace(scales, instead=(Fraction(20), Fraction(40))).is_pair
    assert not replace(scales, instead=(Fraction(1, 2), Fraction(1))).is_pair  # another noise
    said = opposite.to_json()
    for wrong in ({"instead": ["0"]}, {"instead": ["1/3", "2"]}, {"turned": True}, {"rate": "1"}):
        assert not Exact.from_json({**said, **wrong}).is_pair, wrong


def test_the_same_floats_of_other_numbers_are_not_the_same() -> None:
    """50 of 1000 and a rate of 0.05, which is a double above 1/20: once a sum of both took the
    numbers of the first for both."""
    one = hs.RandomizedResponse(1.0).on(FIXED).evidence(hs.REPLACE_ONE).loss
    other = hs.RandomizedResponse(1.0).on(POISSON).evidence(hs.REPLACE_ONE).loss
    assert one.atoms.losses == pytest.approx(other.atoms.losses, rel=0, abs=0)
    assert one != other
    assert len(ComposedLoss([(one, 3), (other, 4)]).parts) == 2
    rates = {part.exact().rate for part, _ in ComposedLoss([(one, 3), (other, 4)]).parts}  # type: ignore[union-attr]
    assert rates == {Fraction(1, 20), Fraction(0.05)}


def test_integer_gaussian_noise_on_a_sample_of_fixed_size() -> None:
    """δ of one step by Theorem 9 of Balle, Barthe and Gaboardi, with 40 digits: the outcome in the
    middle has a loss of 0, and no sign."""
    with mp.workdps(40):
        scale, gamma, epsilon = mp.mpf(2), mp.mpf(1) / 20, mp.mpf(0.05)
        noise = {x: mp.exp(-(mp.mpf(x) ** 2) / (2 * scale**2)) for x in range(-80, 81)}
        total = mp.fsum(noise.values())
        grown = 1 + mp.expm1(epsilon) / gamma
        terms = (max(noise[x - 2] - grown * noise[x], mp.mpf(0)) for x in range(-78, 81))
        truth = float(gamma * mp.fsum(terms) / total)
    run = hs.DiscreteGaussian(2.0).on(FIXED)
    answer = run.delta(0.05, relation=hs.REPLACE_ONE, certify=True)
    assert answer.lower <= truth * (1 + 1e-15)
    assert truth <= answer.upper * (1 + 1e-15)
    assert answer.upper - answer.lower < 1e-14 * truth
    assert np.isclose(float(run.delta(0.05, relation=hs.REPLACE_ONE)), truth, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.05, 0.5, 20.0])
def test_three_gaussian_answers_in_line(noise: float) -> None:
    """As near to the uncertified bound with little noise as with much: losses are listed up to 14
    deviations beyond the mean of the record's own answer, where 6 once left no proof."""
    step = hs.Gaussian(noise).on(FIXED)
    for count, delta in ((1, 1e-6), (1, 1e-30), (20, 1e-12)):
        run = step * count
        proven = run.epsilon(delta, relation=hs.ZERO_OUT, certify=True)
        plain = run.epsilon(delta, relation=hs.ZERO_OUT)
        assert plain.lower <= proven.upper
        assert plain.upper * (1 - 1e-4) <= proven.upper <= plain.upper * (1 + 2e-3)
