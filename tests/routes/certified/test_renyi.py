"""Rényi divergences between proven ends: against 40 digits, closed forms and the float curve."""

from __future__ import annotations

import json
import math
from typing import Any

import mpmath as mp
import pytest

import hockeystick as hs
from hockeystick.errors import CannotCertify, ParameterError
from hockeystick.mechanism import Mechanism
from hockeystick.routes.certified.reading import read
from hockeystick.routes.certified.verify import verify

RATE = 0.03
ORDERS = [1.0, 1 + 2.0**-30, 1.37, 2.0, 17.3, 150.0]


def laws(name: str) -> tuple[Mechanism, Any]:
    """A mechanism, and its P-density and Q-density over outcomes: (places, p, q), or atoms."""
    q = mp.mpf(RATE)
    if name == "gaussian":
        mu = 1 / mp.mpf(1.3)
        return hs.Gaussian(1.3).on(hs.Poisson(RATE)), (
            [-20, -10, -5, 0, 5, 10, 15, 20, 30, 50],
            lambda z: (1 - q) * mp.npdf(z) + q * mp.npdf(z - mu),
            mp.npdf,
        )
    r = 1 / mp.mpf(0.7)
    return hs.Laplace(0.7).on(hs.Poisson(RATE)), (
        [-60, -20, -5, 0, r / 2, r, r + 5, r + 20, r + 60],
        lambda x: (1 - q) * mp.exp(-abs(x)) / 2 + q * mp.exp(-abs(x - r)) / 2,
        lambda x: mp.exp(-abs(x)) / 2,
    )


def divergence(law: Any, order: float) -> Any:
    places, p, q = law
    if order == 1:
        return mp.quad(lambda x: p(x) * mp.log(p(x) / q(x)), places)
    s = mp.mpf(order) - 1
    value = mp.quad(lambda x: p(x) * (mp.exp(s * mp.log(p(x) / q(x))) - 1), places)
    return mp.log1p(value) / s


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gaussian", "laplace"])
@pytest.mark.parametrize("order", ORDERS[:5])
def test_sampled_noise_against_forty_digits(name: str, order: float) -> None:
    with mp.workdps(40):
        mechanism, (places, p, q) = laws(name)
        truth = max(divergence((places, p, q), order), divergence((places, q, p), order))
        bound = mechanism.rdp(order, certify=True)
        room = truth * mp.mpf(10) ** -18  # what the quadrature of the reference may err by
        assert bound.lower <= truth + room
        assert bound.upper >= truth - room
        assert bound.upper - bound.lower <= 1e-14 * truth


@pytest.mark.slow
@pytest.mark.parametrize("order", [300.0, 1100.0, 10_000.0])
def test_large_losses_of_sampled_laplace_noise_at_large_orders(order: float) -> None:
    """M is about e^87940 at the largest: what the quadrature may err by is relative to it."""
    noise, rate = 0.1, 0.3
    bound = hs.Laplace(noise).on(hs.Poisson(rate)).rdp(order, certify=True)
    with mp.workdps(60):
        r, q, alpha = 1 / mp.mpf(noise), mp.mpf(rate), mp.mpf(order)

        def power(loss: mp.mpf) -> mp.mpf:
            return (1 - q + q * mp.exp(loss)) ** alpha

        places = [*(r * (1 - mp.mpf(2) ** -k) for k in range(16)), r]
        middle = mp.quad(lambda x: mp.exp(-x) / 2 * power(2 * x - r), places)
        truth = mp.log(power(-r) / 2 + mp.exp(-r) / 2 * power(r) + middle) / (alpha - 1)
        assert bound.lower <= truth <= bound.upper
        assert bound.upper - bound.lower <= 1e-15 * truth


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "rate"), [(0.003, 0.3), (0.003, 1e-8), (0.03, 1 - 1e-9)])
def test_the_largest_losses_at_the_largest_orders(noise: float, rate: float) -> None:
    """Nearly all of M is at the atom r, or just below it: ½·v(r)^s of Q·v(r), and the density
    ¼·e^{(ℓ−r)/2}, where v falls like e^ℓ; what v lacks of q·e^ℓ is next to nothing there."""
    order = 1e4
    bound = hs.Laplace(noise).on(hs.Poisson(rate)).rdp(order, certify=True)
    with mp.workdps(60):
        r, q, alpha = 1 / mp.mpf(noise), mp.mpf(rate), mp.mpf(order)
        near = mp.exp(-r) / 2 + mp.exp(-r) / 4 / (alpha - mp.mpf(1) / 2)
        truth = (alpha * mp.log(q) + alpha * r + mp.log(near)) / (alpha - 1)
        slack = alpha * mp.exp(-r) * (1 - q) / q + mp.mpf(10) ** -40
        assert bound.lower - slack <= truth <= bound.upper + slack
        assert bound.upper - bound.lower <= 1e-15 * truth


def test_a_quadrature_that_is_too_long_is_named() -> None:
    with pytest.raises(CannotCertify, match="losses from -333 to 333 would take too many points"):
        hs.Laplace(0.003).on(hs.Poisson(0.3)).rdp(1e6, certify=True)


def test_closed_forms() -> None:
    order, e = 2.5, 0.8
    gaussian = (hs.Gaussian(1.5) * 7).rdp(order, certify=True)
    response = hs.RandomizedResponse(e).rdp(order, certify=True)
    with mp.workdps(40):
        truth = 7 * mp.mpf(order) / 2 / mp.mpf(1.5) ** 2
        assert gaussian.lower <= truth <= gaussian.upper
        high = mp.exp(mp.mpf(e)) / (1 + mp.exp(mp.mpf(e)))
        low, s = 1 - high, mp.mpf(order) - 1
        truth = mp.log(high * (high / low) ** s + low * (low / high) ** s) / s
        assert response.lower <= truth <= response.upper
    assert gaussian.upper - gaussian.lower < 1e-15
    assert hs.ApproximateDP(0.5, 1e-6).rdp(2.0, certify=True).lower == math.inf
    assert hs.Laplace(0.5).rdp(math.inf, certify=True).upper == pytest.approx(2.0, abs=1e-15)
    assert hs.Gaussian(1.0).rdp(math.inf, certify=True).lower == math.inf


@pytest.mark.parametrize("order", ORDERS)
def test_a_choice_of_bounded_range(order: float) -> None:
    """The largest over all two losses t and t − ε, searched for with 50 digits."""
    bound = hs.ExponentialMechanism(1.25).rdp(order, certify=True)
    with mp.workdps(50):
        e = mp.mpf(1.25)

        def at(t: Any) -> Any:
            p = (1 - mp.exp(t - e)) / (1 - mp.exp(-e))
            if order == 1:
                return p * t + (1 - p) * (t - e)
            s = mp.mpf(order) - 1
            return mp.log(p * mp.exp(s * t) + (1 - p) * mp.exp(s * (t - e))) / s

        low, high = mp.mpf(0), e
        for _ in range(150):
            one, two = low + (high - low) / 3, high - (high - low) / 3
            low, high = (one, high) if at(one) < at(two) else (low, two)
        truth = at((low + high) / 2)
        assert bound.lower <= truth * (1 + mp.mpf(10) ** -30)
        assert bound.upper >= truth
        assert bound.upper - bound.lower <= 1e-15
    plain = hs.ExponentialMechanism(1.25).rdp(order)
    assert plain.lower <= bound.upper
    assert plain.upper >= bound.lower


POISSON, FIXED = hs.Poisson(0.01), hs.WithoutReplacement(10, 1000)
MECHANISMS: list[Mechanism] = [
    hs.Gaussian(1.1).on(POISSON) * 10_000,
    hs.DiscreteGaussian(2).on(POISSON) * 3,
    hs.DiscreteGaussian(3),
    hs.DiscreteLaplace(2).on(POISSON),
    hs.RandomizedResponse(1.0, categories=5).on(POISSON) * 4,
    hs.PureDP(0.5) + hs.Gaussian(2.0),
    hs.ExponentialMechanism(1.0).on(POISSON),
    hs.ExponentialMechanism(1.0) + hs.Gaussian(2.0),
    hs.Gaussian(1.0).on(FIXED) * 3,
    hs.Laplace(1.0).on(FIXED),
    hs.RandomizedResponse(1.0, categories=3).on(FIXED),
]


def test_batches_of_fixed_size_are_certified_by_the_pair() -> None:
    """The worst of two answers is known to floats; what is proven is the pair of single steps."""
    step = hs.RandomizedResponse(1.0).on(FIXED)
    bound, plain = step.rdp(3.7, certify=True), step.rdp(3.7)
    assert bound.certified
    assert plain.upper < bound.upper < 2 * plain.upper
    assert bound.lower <= plain.upper * (1 + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_float_curve_meets_proven_ends_and_certificates_hold(mechanism: Mechanism) -> None:
    for order in (1.0, 3.7, 12.0):
        bound, plain = mechanism.rdp(order, certify=True), mechanism.rdp(order)
        assert bound.certified
        assert bound.order == order
        assert plain.lower <= bound.upper
        assert bound.lower <= plain.upper
        assert bound.upper <= plain.upper * (1 + 1e-12)
        assert bound.lower >= plain.lower * (1 - 1e-12)
        text = json.dumps(bound.certificate)
        assert verify(read(text)) == (bound.lower, bound.upper)
        forged = read(text)
        forged["proofs"][0]["directions"][0]["upper"] *= 1 - 1e-9
        forged["proofs"][0]["directions"][0]["lower"] *= 1 - 1e-9
        with pytest.raises(CannotCertify, match="the upper end"):
            verify(forged)


@pytest.mark.parametrize("relation", list(hs.Relation))
def test_every_relation(relation: hs.Relation) -> None:
    run = hs.Gaussian(1.0).on(POISSON) * 10
    bound, plain = (
        run.rdp(4.0, relation=relation, certify=True),
        run.rdp(4.0, relation=relation),
    )
    assert bound.lower <= plain.upper
    assert bound.upper >= plain.lower
    assert bound.upper - bound.lower <= 1e-14 * bound.upper


def test_what_is_asked_for_must_be_one_order() -> None:
    with pytest.raises(ParameterError, match="order must be one number"):
        hs.Gaussian(1.0).rdp([2.0, 3.0], certify=True)
    with pytest.raises(ParameterError, match="order"):
        hs.Gaussian(1.0).rdp(0.5, certify=True)
    with pytest.raises(CannotCertify, match="Rényi curve"):
        hs.ZeroConcentratedDP(0.1).rdp(2.0, certify=True)
