"""What the answers must satisfy: order, consistency, and the agreement of all the routes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hockeystick as hs
from tests.laws import mechanisms as the

Kind = type[hs.Mechanism]
every = the.each(the.ALL, slow=the.HEAVY)
with_loss = the.each(the.WITH_LOSS, slow=the.HEAVY)


def sampled(kind: Kind) -> st.SearchStrategy[hs.Mechanism]:
    return the.of(kind) if kind in the.BY_CURVE else the.sampled(kind)


def is_tighter_by_curve(run: hs.Mechanism) -> bool:
    return any(part.evidence(hs.ADD_REMOVE).curve_is_tighter for part in run.parts)


@every
@given(data=st.data(), count=st.sampled_from([1, 2, 25]))
@settings(max_examples=2)
def test_epsilon_and_delta_are_inverse(kind: Kind, data: st.DataObject, count: int) -> None:
    run, delta = data.draw(sampled(kind)) * count, data.draw(the.deltas)
    epsilon = run.epsilon(delta)
    assert 0 <= epsilon.lower <= epsilon.upper
    if math.isinf(epsilon):
        return
    # The ends of ε are good at δ; asking at the safe end must not give more δ than was allowed.
    back = run.delta(epsilon.upper)
    assert 0 <= back.lower <= back.upper <= 1
    assert back.lower <= delta * (1 + 1e-9)
    if kind not in the.BY_CURVE and not is_tighter_by_curve(run):
        assert run.delta(epsilon.lower).upper >= delta * (1 - 1e-9) or epsilon.lower == 0


@every
@given(data=st.data(), factor=st.floats(1.5, 100.0))
@settings(max_examples=2)
def test_decreases_with_delta_and_grows_with_count(
    kind: Kind, data: st.DataObject, factor: float
) -> None:
    mechanism, delta = data.draw(sampled(kind)), data.draw(the.deltas)
    count = data.draw(st.sampled_from([1, 3, 30]))
    here = (mechanism * count).epsilon(delta)
    assert (mechanism * count).epsilon(min(1.0, delta * factor)).lower <= here.upper
    assert here.lower <= (mechanism * (2 * count)).epsilon(delta).upper


@with_loss
@given(data=st.data(), rate=st.floats(0.01, 0.4))
@settings(max_examples=2)
def test_grows_with_the_rate(kind: Kind, data: st.DataObject, rate: float) -> None:
    mechanism, delta = data.draw(the.of(kind)), data.draw(the.deltas)
    count = data.draw(st.sampled_from([1, 30]))
    low, high = ((mechanism.on(hs.Poisson(q)) * count).epsilon(delta) for q in (rate, 2 * rate))
    assert low.lower <= high.upper
    assert high.lower <= (mechanism * count).epsilon(delta).upper


NOISY: list[Kind] = [hs.Gaussian, hs.Laplace, hs.DiscreteGaussian, hs.DiscreteLaplace]
LOUD: list[Kind] = [hs.RandomizedResponse, hs.ExponentialMechanism, hs.PureDP]


@the.each(NOISY)
@given(noise=st.floats(0.3, 4.0), delta=the.deltas, count=st.sampled_from([1, 2, 30]))
@settings(max_examples=2)
def test_decreases_with_noise(kind: Kind, noise: float, delta: float, count: int) -> None:
    """Doubled, because on the integers a slightly wider noise need not be a noisier version."""
    little, much = (kind(x) * count for x in (noise, 2 * noise))  # type: ignore[call-arg]
    assert much.epsilon(delta).lower <= little.epsilon(delta).upper
    sampler = hs.Poisson(0.1)
    little, much = (kind(x).on(sampler) * count for x in (noise, 2 * noise))  # type: ignore[call-arg]
    assert much.epsilon(delta).lower <= little.epsilon(delta).upper


@the.each(LOUD, slow=the.HEAVY)
@given(epsilon=st.floats(0.05, 1.5), delta=the.deltas, count=st.sampled_from([1, 2, 30]))
@settings(max_examples=2)
def test_grows_with_its_own_epsilon(kind: Kind, epsilon: float, delta: float, count: int) -> None:
    little, much = (kind(x) * count for x in (epsilon, 1.2 * epsilon))  # type: ignore[call-arg]
    assert little.epsilon(delta).lower <= much.epsilon(delta).upper
    assert much.epsilon(delta) <= count * 1.2 * epsilon * (1 + 1e-9)


def touch(one: hs.Bound, other: hs.Bound) -> bool:
    """Two answers to one question: each must allow some value that the other allows."""
    return one.lower <= other.upper and other.lower <= one.upper


@with_loss
@given(data=st.data(), count=st.sampled_from([40, 1000]))
@settings(max_examples=2)
def test_the_routes_agree(kind: Kind, data: st.DataObject, count: int) -> None:
    run, delta = data.draw(the.sampled(kind)) * count, data.draw(the.deltas)
    if is_tighter_by_curve(run):
        return  # the routes answer for different classes: see the reference tables
    best = run.epsilon(delta)
    lattice, renyi = run.epsilon(delta, method="lattice"), run.epsilon(delta, method="renyi")
    assert touch(best, lattice)
    assert best.lower <= renyi.upper
    assert lattice.lower <= renyi.upper
    try:
        contour = run.epsilon(delta, method="contour")
    except hs.NumericalError:
        return  # a contour that is too long says so; the lattice has answered
    assert touch(contour, lattice)
    assert touch(contour, best)


@the.each(the.WITH_LOSS, slow={*the.HEAVY, hs.DiscreteGaussian})
@given(data=st.data(), count=st.sampled_from([1, 30]))
@settings(max_examples=2)
def test_the_profile_is_a_profile(kind: Kind, data: st.DataObject, count: int) -> None:
    """Decreasing, convex in e^ε, and never below the 1 − e^ε·1 that any two laws allow."""
    run = data.draw(the.sampled(kind)) * count
    if is_tighter_by_curve(run) and count > 1:
        return  # the smaller of two profiles is not a profile
    x = np.linspace(0.0, 4.0, 9)
    curve = run.profile(x)
    assert (curve.lower <= curve.upper).all()
    assert (curve.lower >= 0).all()
    assert (curve.upper <= 1).all()
    assert (curve.lower[1:] <= curve.upper[:-1]).all()
    a = np.exp(x)
    weight = (a[2:] - a[1:-1]) / (a[2:] - a[:-2])
    chord = weight * curve.upper[:-2] + (1 - weight) * curve.upper[2:]
    assert (curve.lower[1:-1] <= chord * (1 + 1e-12) + 1e-300).all()


@with_loss
@given(data=st.data())
@settings(max_examples=2)
def test_the_tradeoff_is_a_tradeoff(kind: Kind, data: st.DataObject) -> None:
    """Convex, decreasing, between 0 and the 1 − α of a blind guess (Dong, Roth and Su 2022)."""
    run = data.draw(the.of(kind))
    alpha = np.linspace(0.0, 1.0, 7)
    curve = run.tradeoff(alpha)
    np.testing.assert_array_equal(curve, curve.lower)
    assert (curve.lower >= 0).all()
    assert (curve.lower <= curve.upper).all()
    assert (curve.upper <= 1 - alpha).all()
    assert (curve.lower[1:] <= curve.upper[:-1]).all()
    assert (curve.lower[1:-1] <= (curve.upper[:-2] + curve.upper[2:]) / 2 + 1e-12).all()
    assert curve[-1] == 0
    # A level-α test of power 1 − f(α) is one event, whose probabilities δ(ε) has to allow.
    for epsilon in (0.2, 1.0):
        assert (1 - curve.upper - math.exp(epsilon) * alpha <= run.delta(epsilon) + 1e-12).all()


@the.each(the.ALL, slow={hs.ProfileDP, hs.RepeatAndSelect})
@given(data=st.data())
@settings(max_examples=15)
def test_rdp_grows_with_the_order(kind: Kind, data: st.DataObject) -> None:
    mechanism = data.draw(sampled(kind))
    orders = np.array([1.0, 1.001, 1.5, 2.0, 3.7, 10.0, 60.0, 400.0, math.inf])
    orders = orders[(orders <= the.LARGEST_ORDER.get(kind, math.inf)) | np.isinf(orders)]
    curve = mechanism.rdp(orders)
    assert (curve >= 0).all()
    assert (curve.lower[:-1] <= curve.upper[1:] * (1 + 1e-12) + 1e-15).all()
    assert (mechanism * 3).rdp(2.0) == pytest.approx(3 * mechanism.rdp(2.0), rel=1e-12)
    if kind not in the.BY_CURVE:
        assert mechanism.rdp(math.inf) == pytest.approx(mechanism.epsilon(0), rel=1e-12)
