"""Few steps on a small sample by a bent line: against mpmath, other routes, and forged."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import mpmath
import pytest

pytest.importorskip("flint")

from flint import acb, arb

import hockeystick as hs
from hockeystick.errors import CannotCertify
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.certified.balls import of_bits
from hockeystick.routes.certified.bent import Bent, BentRecipe
from hockeystick.routes.certified.bent_law import BentLaw, bent_law
from hockeystick.routes.certified.bent_plan import planned_bent
from hockeystick.routes.certified.laws import exact_of, law_of
from hockeystick.routes.certified.turned_sums import TurnedSum
from hockeystick.routes.certified.verify import verify


def steps(sigma: float, q: float, n: int) -> Any:
    return hs.Gaussian(sigma).on(hs.Poisson(q)) * n


def bent(pair: Any) -> BentLaw:
    law = bent_law(pair)
    assert law is not None
    return law


def laws(sigma: float, q: float, n: int) -> Any:
    loss = hs.Gaussian(sigma).on(hs.Poisson(q)).evidence(hs.ADD_REMOVE).loss
    return [(law_of(exact_of(part)), n) for part, n in ComposedLoss([(loss, n)]).parts]


def two_steps(sigma: float, q: float, epsilon: float) -> Any:
    """δ(ε) by the outcome of the first step, with the formula for the second: 30 digits."""
    mu, rate, e = 1 / mpmath.mpf(sigma), mpmath.mpf(q), mpmath.mpf(epsilon)

    def loss(z: Any) -> Any:
        return mpmath.log1p(rate * mpmath.expm1(mu * z - mu * mu / 2))

    def tail(z: Any) -> Any:
        return mpmath.erfc(z / mpmath.sqrt(2)) / 2

    def alone(level: Any) -> Any:
        ratio = 1 + mpmath.expm1(level) / rate
        if ratio <= 0:
            return -mpmath.expm1(level)
        z = (mpmath.log(ratio) + mu * mu / 2) / mu
        return (1 - rate) * tail(z) + rate * tail(z - mu) - mpmath.exp(level) * tail(z)

    def density(z: Any) -> Any:
        return mpmath.npdf(z) * mpmath.exp(loss(z)) * alone(e - loss(z))

    far = (mpmath.log(mpmath.expm1(e - mpmath.log1p(-rate)) / rate + 1) + mu * mu / 2) / mu
    places = [far + k * mpmath.mpf(2) ** -j for k in (-1, 1) for j in range(40)]
    ends = sorted([mpmath.mpf(z) for z in range(-12, 16)] + places + [far])
    return mpmath.quad(density, ends)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sigma", "q", "n", "delta"), [(0.5, 1e-3, 10, 1e-10), (1.0, 1e-4, 10, 1e-20)]
)
def test_answer(sigma: float, q: float, n: int, delta: float) -> None:
    run = steps(sigma, q, n)
    bound, plain = run.epsilon(delta, certify=True), run.epsilon(delta)
    assert bound.method == "bent"
    assert bound.upper - bound.lower < 1e-9 * bound.upper
    assert bound.lower <= plain.upper
    assert plain.lower <= bound.upper


@pytest.mark.slow
@pytest.mark.parametrize(("q", "delta"), [(1e-2, 1e-8)])
def test_two_steps_against_quadrature(q: float, delta: float) -> None:
    with of_bits(192), mpmath.workdps(30):
        epsilon = float(steps(1.0, q, 2).epsilon(delta))
        pair = laws(1.0, q, 2)
        recipe = planned_bent(bent(pair), epsilon, float(mpmath.log(delta)))
        ends = Bent(pair, recipe).ends(epsilon)
        exact = two_steps(1.0, q, epsilon)
        assert mpmath.mpf(float(ends.lower)) <= exact * (1 + mpmath.mpf(10) ** -15)
        assert exact * (1 - mpmath.mpf(10) ** -15) <= mpmath.mpf(float(ends.upper))
        assert ends.width < 1e-8 * delta


@pytest.mark.slow
def test_where_it_hands_over() -> None:
    """A vertical line and a bent one, where both can."""
    for sigma, q, n, delta in ((1.0, 0.05, 6, 1e-6), (2.0, 0.2, 30, 1e-7), (0.6, 0.01, 100, 1e-5)):
        straight = steps(sigma, q, n).epsilon(delta, certify=True)
        pair = laws(sigma, q, n)
        with of_bits(192):
            recipe = planned_bent(bent(pair), straight.upper, float(mpmath.log(delta)))
            line = Bent(pair, recipe)
            assert line.ends(straight.upper).lower <= delta
            assert line.ends(straight.lower).upper >= delta
            assert line.ends(straight.upper).width < 1e-6 * delta


@pytest.mark.slow
def test_moments_and_bounds() -> None:
    """G against quadrature over z, and I above what it bounds."""
    pair = laws(1.0, 1e-3, 3)
    with of_bits(192), mpmath.workdps(30):
        recipe = planned_bent(bent(pair), 0.2296, float(mpmath.log(1e-10)))
        line = Bent(pair, replace(recipe, points=2))
        odds = mpmath.mpf(1e-3) / (1 - mpmath.mpf(1e-3))

        def x(z: Any) -> Any:
            return mpmath.log1p(odds * mpmath.exp(z - mpmath.mpf("0.5")))

        for order in (acb(1.5), acb(3, 40)):
            p = mpmath.mpc(complex(order))
            exact = (
                mpmath.fsum(
                    mpmath.npdf(z) * mpmath.exp(p * x(z))
                    for z in (mpmath.mpf(j) / 32 for j in range(-450, 600))
                )
                / 32
            )
            (found,) = line._moments([order - 1])
            off = abs(exact - mpmath.mpc(complex(found)))
            assert off <= float(found.rad()) + 1e-15
            assert float(found.rad()) < 1e-18
        start = recipe.first * arb(recipe.inner)
        for b in (recipe.low, recipe.high):
            c = float(line._order)

            def size(xi: Any, b: float = b, c: float = c) -> Any:
                place = mpmath.exp(mpmath.mpc(xi, b))
                part = -mpmath.expm1(-place)
                z = place + mpmath.log(part) - mpmath.log(odds) + mpmath.mpf("0.5")
                weight = mpmath.npdf(0) * mpmath.exp(-z * z / 2) * place / part
                return abs(weight) * mpmath.exp((1 + c) * place.real)

            exact = mpmath.fsum(size(mpmath.mpf(j) / 50) for j in range(-1500, 300)) / 50
            bound = float(line._most(arb(b), start))
            assert exact <= bound
            assert bound <= 1.05 * exact


def test_sums_along_a_line() -> None:
    """Against all terms, one by one: what is a series, and what is left out."""
    with of_bits(192):
        turn = acb(0, arb(0.5)).exp()
        places = [(j * arb(0.05)).exp() * turn for j in range(-400, 60)]
        weights = [acb(arb(0.05) * (-x.abs_upper()).exp(), 0.01) for x in places]
        orders = [2 * acb(arb(0.3), k * arb(0.1)).sin() + 1 for k in range(40)]
        sums = TurnedSum(weights, places, arb(1e-20))
        for p, found in zip(orders, sums(orders), strict=True):
            pairs = zip(weights, places, strict=True)
            exact = sum((w * (p * x).exp() for w, x in pairs), acb(0))
            assert (found - exact).abs_upper() <= sums.left_out
        assert 0 < sums.left_out < 2e-20
        with pytest.raises(CannotCertify, match="X that grows"):
            TurnedSum(weights, places[::-1], arb(1e-20))


HARD = [(3.0, 1e-2, 200, 1e-40), (5.19, 3.5e-4, 1203, 7.5e-38)]


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "q", "n", "delta"), HARD)
def test_more_bits_where_more_cancels(sigma: float, q: float, n: int, delta: float) -> None:
    run = steps(sigma, q, n)
    bound, plain = run.epsilon(delta, certify=True), run.epsilon(delta)
    assert direction(bound.certificate)["bits"] == 640
    assert bound.upper - bound.lower < 1e-12 * bound.upper
    assert bound.lower <= plain.upper
    assert plain.lower <= bound.upper
    assert verify(bound.certificate) == (bound.lower, bound.upper)
    for bits in (96, 10**9):
        forged = copy.deepcopy(bound.certificate)
        direction(forged)["bits"] = bits
        with pytest.raises(CannotCertify):
            verify(forged)


@pytest.mark.slow
def test_hundreds_of_steps_and_a_delta_that_is_tiny() -> None:
    """The second by halving on a line, as no other route has a guess."""
    for run, delta in ((steps(1.0, 1e-3, 300), 1e-12), (steps(0.7, 1e-3, 100), 1e-60)):
        bound = run.epsilon(delta, certify=True)
        assert bound.upper - bound.lower < 1e-10 * bound.upper
        assert verify(bound.certificate) == (bound.lower, bound.upper)


@pytest.fixture(scope="module")
def certificate() -> Any:
    bound = steps(0.5, 1e-3, 10).epsilon(1e-10, certify=True)
    assert verify(bound.certificate) == (bound.lower, bound.upper)
    return bound.certificate


def direction(certificate: Any) -> Any:
    return certificate["proofs"][0]["directions"][0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("strip", 0.9, "a hyperbola right of 0"),
        ("low", 0.01, "a strip above it"),
        ("high", 0.8, "a strip above it"),
        ("points", 10**9, "fewer points"),
        ("cell", 1e-9, "fewer cells"),
        ("cell", -1.0, "positive steps"),
        ("first", -1, "far to the left"),
        ("far", -3.0, "an end beyond the bump"),
        ("points", 20, "end"),
        ("last", -200, "end"),
        ("step", 0.5, "end"),
        ("inner", 0.2, "."),
    ],
)
def test_forged_lines(certificate: Any, name: str, value: float, why: str) -> None:
    forged = copy.deepcopy(certificate)
    direction(forged)["line"][name] = value
    with pytest.raises(CannotCertify, match=why):
        verify(forged)


@pytest.mark.slow
def test_forged_ends(certificate: Any) -> None:
    lower, upper = direction(certificate)["lower"], direction(certificate)["upper"]
    forged = copy.deepcopy(certificate)
    direction(forged)["upper"] = lower
    with pytest.raises(CannotCertify, match="the upper end"):
        verify(forged)
    forged = copy.deepcopy(certificate)
    direction(forged).update(lower=upper * (1 + 1e-9), upper=upper * (1 + 2e-9))
    with pytest.raises(CannotCertify, match="the lower end"):
        verify(forged)
    forged = copy.deepcopy(certificate)
    direction(forged)["parts"][0]["count"] = 1
    with pytest.raises(CannotCertify):
        verify(forged)


def test_only_a_record_removed() -> None:
    pair = laws(1.0, 0.01, 3)
    assert bent_law(pair) is not None
    assert bent_law([(pair[0][0], 1)]) is None
    assert bent_law([*pair, *pair]) is None
    with of_bits(192), pytest.raises(CannotCertify, match="a record removed, or"):
        Bent([(pair[0][0], 1)], BentRecipe(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
