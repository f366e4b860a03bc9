"""Mechanisms at the ends of their domains: nothing at all, everything, no step, no sample."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest

import hockeystick as hs
from hockeystick.errors import CannotCertify
from hockeystick.loss.exact import Exact
from hockeystick.mechanism import Mechanism
from hockeystick.questions import dominating, parts_of
from hockeystick.routes.certified.balls import of_bits
from hockeystick.routes.certified.build import task_of
from hockeystick.routes.certified.claims import at_most, delta_at_once
from hockeystick.routes.certified.reading import read
from hockeystick.routes.certified.verify import verify

NEVER, ALWAYS = hs.Poisson(0.0), hs.Poisson(1.0)
NONE, ALL = hs.WithoutReplacement(0, 10), hs.WithoutReplacement(10, 10)

NOTHING: list[Mechanism] = [
    hs.Gaussian(math.inf),
    hs.Laplace(math.inf) * 7,
    hs.DiscreteLaplace(math.inf),
    hs.DiscreteGaussian(math.inf) * 2,
    hs.RandomizedResponse(0.0),
    hs.RandomizedResponse(0.0, categories=5) * 3,
    hs.PureDP(0.0),
    hs.ApproximateDP(0.0, 0.0) * 4,
    hs.ExponentialMechanism(0.0) * 2,
    hs.PermuteAndFlip(0.0),
    hs.Gaussian(1.0).on(NEVER) * 100,
    hs.Laplace(1.0).on(NEVER),
    hs.Gaussian(1.0).on(NONE) * 5,
    hs.Gaussian(math.inf).on(hs.Poisson(0.5)) * 10,
    hs.Gaussian(math.inf) + hs.PureDP(0.0),
    hs.Gaussian(1.0) * 0,
]
EVERYTHING: list[Mechanism] = [
    hs.Gaussian(0.0),
    hs.Laplace(0.0) * 2,
    hs.DiscreteLaplace(0.0),
    hs.DiscreteGaussian(0.0),
    hs.RandomizedResponse(math.inf),
    hs.PureDP(math.inf),
    hs.ApproximateDP(1.0, 1.0),
    hs.ExponentialMechanism(math.inf) * 2,
    hs.PermuteAndFlip(math.inf),
    hs.Gaussian(0.0) + hs.Laplace(1.0),
    hs.Gaussian(0.0) + hs.Gaussian(1.0),
]


def ends(bound: hs.Bound) -> tuple[float, float]:
    """Both, proven again from what was printed."""
    assert bound.certified
    if bound.certificate:
        assert verify(read(json.dumps(bound.certificate))) == (bound.lower, bound.upper)
    return bound.lower, bound.upper


@pytest.mark.parametrize("mechanism", NOTHING, ids=repr)
def test_nothing_costs_nothing(mechanism: Mechanism) -> None:
    for delta in (0.0, 1e-5, 1.0):
        assert ends(mechanism.epsilon(delta, certify=True)) == (0, 0)
    for epsilon in (0.0, 1.0, math.inf):
        lower, upper = ends(mechanism.delta(epsilon, certify=True))
        assert lower == 0
        assert upper <= 5e-324
    for order in (1.0, 1.5, 1e4, math.inf):
        lower, upper = ends(mechanism.rdp(order, certify=True))
        assert lower == 0
        assert upper <= 5e-324


@pytest.mark.parametrize("mechanism", EVERYTHING, ids=repr)
def test_everything_has_no_bound(mechanism: Mechanism) -> None:
    for delta in (0.0, 0.999):
        assert ends(mechanism.epsilon(delta, certify=True)) == (math.inf, math.inf)
    assert ends(mechanism.epsilon(1.0, certify=True)) == (0, 0)
    for epsilon in (0.0, 1.0, math.inf):
        lower, upper = ends(mechanism.delta(epsilon, certify=True))
        assert 1 - 1e-15 <= lower <= upper == 1
    for order in (1.0, 2.0, math.inf):
        assert ends(mechanism.rdp(order, certify=True)) == (math.inf, math.inf)


@pytest.mark.parametrize(
    ("one", "same"),
    [
        (hs.Gaussian(1.0).on(ALWAYS) * 3, hs.Gaussian(1.0) * 3),
        (hs.Laplace(1.0).on(ALWAYS), hs.Laplace(1.0)),
        (hs.Gaussian(1.0).on(ALL) * 3, hs.Gaussian(1.0) * 3),
        (hs.Laplace(2.0) + hs.PureDP(0.0), hs.Laplace(2.0)),
        (hs.Gaussian(1.0) + hs.Laplace(math.inf) * 3, hs.Gaussian(1.0)),
        (hs.Gaussian(1.0) * 0 + hs.Laplace(1.0), hs.Laplace(1.0)),
        (hs.PermuteAndFlip(0.5), hs.Laplace(2.0)),
    ],
    ids=repr,
)
def test_what_changes_nothing(one: Mechanism, same: Mechanism) -> None:
    for delta in (0.0, 1e-6):
        assert ends(one.epsilon(delta, certify=True)) == ends(same.epsilon(delta, certify=True))
    for epsilon in (0.0, 0.3, math.inf):
        assert ends(one.delta(epsilon, certify=True)) == ends(same.delta(epsilon, certify=True))


def test_a_leak_is_all_that_there_is() -> None:
    """1 − (1 − δ)^n at every ε; on a sample q of it."""
    leak = hs.ApproximateDP(0.0, 2.0**-20) * 3
    truth = float(1 - (1 - Fraction(1, 2**20)) ** 3)
    for epsilon in (0.0, 2.0, math.inf):
        lower, upper = ends(leak.delta(epsilon, certify=True))
        assert lower <= truth <= upper < truth * (1 + 1e-15)
    assert ends(leak.epsilon(1e-7, certify=True)) == (math.inf, math.inf)
    assert ends(leak.epsilon(1e-5, certify=True)) == (0, 0)
    sampled = hs.Gaussian(0.0).on(hs.Poisson(0.25)) * 2
    lower, upper = ends(sampled.delta(0.1, certify=True))
    assert lower <= 1 - 0.75**2 <= upper < 1 - 0.75**2 + 1e-15


def test_a_step_of_permute_and_flip_is_one_of_laplace_noise() -> None:
    """Composed, its upper end is that of Laplace noise, and its lower that of two candidates."""
    run, noise = hs.PermuteAndFlip(0.5) * 12, hs.Laplace(2.0) * 12
    lower, upper = ends(run.epsilon(1e-6, certify=True))
    assert upper == ends(noise.epsilon(1e-6, certify=True))[1]
    plain = run.epsilon(1e-6)
    assert lower < upper
    assert abs(lower - plain.lower) < 1e-9


@pytest.mark.parametrize("number", ["-1", "3/2"])
def test_a_forged_leak(number: str) -> None:
    bound = hs.ApproximateDP(0.0, 0.5).delta(1.0, certify=True)
    said = read(json.dumps(bound.certificate))
    said["proofs"][0]["directions"][0]["parts"][0]["numbers"] = [number]
    with pytest.raises(CannotCertify):
        verify(said)


def test_a_negative_epsilon_has_no_formula() -> None:
    """δ(ε) of nothing at all is 1 − e^ε below 0."""
    bound = hs.PureDP(0.0).delta(1.0, certify=True)
    said = read(json.dumps(bound.certificate))
    said["epsilon"] = -1.0
    with pytest.raises(CannotCertify):
        verify(said)


def test_the_domain_of_a_leak() -> None:
    assert Exact("leak", (Fraction(1),)).is_pair
    assert not Exact("leak", (Fraction(1, 2), Fraction(1))).is_pair


def test_beyond_all_losses_nothing_is_left_out() -> None:
    """A list of integers is cut; −log(1 − q) is above all losses of a record added."""
    run = hs.DiscreteGaussian(3.0).on(hs.Poisson(0.1)) * 20
    with of_bits(192):
        laws = task_of(dominating(parts_of(run, hs.ADD_REMOVE))[0][1]).laws
        assert not laws[0][0].lost.is_zero()
        assert delta_at_once(laws, 2.2) == 0
        assert delta_at_once(laws, 2.1) is None
        assert at_most(laws, 2.2, 0.0, None, ())
        assert not at_most(laws, 2.0, 0.0, None, ())
