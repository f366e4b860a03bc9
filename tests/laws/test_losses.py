"""What every law of a privacy loss must satisfy, whichever class it is of."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from hockeystick.errors import ParameterError
from hockeystick.loss.base import Loss
from hockeystick.loss.copies import Copies
from hockeystick.loss.labelled import LabelledLoss
from hockeystick.loss.mixed import Mixed, mixed
from hockeystick.loss.mixture import MixtureLoss
from hockeystick.loss.two_sided.loss import TwoSidedLoss
from hockeystick.numerics.types import Array
from tests.laws.losses import EXAMPLES, Build, every_class

EPSILONS = np.array([-2.1, -0.9, -0.31, 0.0, 0.17, 0.62, 1.3, 2.6])
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(20)

every = pytest.mark.parametrize(
    "build",
    [
        pytest.param(cache(build), id=f"{kind.__name__}{i}")
        for kind, builds in EXAMPLES.items()
        for i, build in enumerate(builds)
    ],
)


@pytest.mark.parametrize("kind", every_class(), ids=lambda kind: kind.__name__)
def test_every_class_has_an_example(kind: type[Loss]) -> None:
    assert kind in EXAMPLES, f"add an example of {kind.__name__} to tests/laws/losses.py"
    assert all(type(build()) is kind for build in EXAMPLES[kind])


def panels(edges: list[float]) -> tuple[Array, Array]:
    """Gauss–Legendre points and weights between neighbouring edges."""
    half = np.diff(edges)[:, None] / 2
    middle = (np.array(edges[1:]) + np.array(edges[:-1]))[:, None] / 2
    return (middle + half * POINTS).ravel(), (half * WEIGHTS).ravel()


def above(loss: Loss, epsilon: float) -> tuple[float, float]:
    """P- and Q-mass of the losses above ε, what is infinite among them."""
    tails, atoms = loss.tails(np.array([epsilon])), loss.atoms
    beyond = atoms.losses > epsilon
    p = float(tails.p_above[0]) + float(atoms.p[beyond].sum()) + loss.infinite
    return p, float(tails.q_above[0]) + float(atoms.q[beyond].sum())


def below(loss: Loss, epsilon: float) -> tuple[float, float]:
    """P- and Q-mass of the losses up to ε, what is void among them."""
    tails, atoms = loss.tails(np.array([epsilon])), loss.atoms
    before = atoms.losses <= epsilon
    q = float(tails.q_below[0]) + float(atoms.q[before].sum()) + loss.void
    return float(tails.p_below[0]) + float(atoms.p[before].sum()), q


@every
def test_both_laws_have_mass_one(build: Build) -> None:
    loss = build()
    loss.check_mass()
    for epsilon in EPSILONS.tolist():
        (p_above, q_above), (p_below, q_below) = above(loss, epsilon), below(loss, epsilon)
        assert p_above + p_below == pytest.approx(1, abs=1e-12)
        assert q_above + q_below == pytest.approx(1, abs=1e-12)


@every
def test_nothing_lies_beyond_the_ends(build: Build) -> None:
    loss = build()
    rounding = 1e-12 * (1 + abs(loss.top))
    if math.isfinite(loss.top):
        assert above(loss, loss.top + rounding)[0] == pytest.approx(loss.infinite, abs=1e-14)
        assert above(loss, loss.top - 0.01)[0] > loss.infinite
    if math.isfinite(loss.bottom):
        assert below(loss, loss.bottom - rounding)[1] == pytest.approx(loss.void, abs=1e-14)
        assert below(loss, loss.bottom + 0.01)[1] > loss.void


@every
def test_the_profile_is_that_of_the_masses(build: Build) -> None:
    """δ(ε) = P[L > ε] − e^ε·Q[L > ε], and of (Q, P) it is Q[L < −ε] − e^ε·P[L < −ε]."""
    loss = build()
    forward, backward = loss.profile(EPSILONS), loss.reverse_profile(EPSILONS)
    for epsilon, there, back in zip(EPSILONS.tolist(), forward, backward, strict=True):
        p, q = above(loss, epsilon)
        assert there == pytest.approx(p - math.exp(epsilon) * q, rel=1e-10, abs=1e-11)
        p, q = below(loss, -epsilon)
        assert back == pytest.approx(q - math.exp(epsilon) * p, rel=1e-10, abs=1e-11)


@every
def test_the_two_directions_of_a_profile(build: Build) -> None:
    loss = build()
    other = -np.expm1(EPSILONS) + np.exp(EPSILONS) * loss.profile(-EPSILONS)
    for values in (loss.reverse_profile(EPSILONS), loss.reverse().profile(EPSILONS)):
        np.testing.assert_allclose(values, other, rtol=1e-10, atol=1e-11)


@every
def test_the_logarithm_of_the_profile(build: Build) -> None:
    loss = build()
    with np.errstate(divide="ignore"):
        plain = np.log(loss.profile(EPSILONS))
    np.testing.assert_allclose(loss.log_profile(EPSILONS), plain, rtol=1e-9, atol=1e-9)


def smooth_pieces(loss: Loss, last: float) -> list[float]:
    """Places between which the profile of a loss is smooth and falls by no great factor."""
    places = {0.0, last, *np.linspace(0.0, min(last, 8.0), 9).tolist(), *np.arange(10, last, 3.0)}
    for end in (*loss.atoms.losses.tolist(), loss.top):
        places.update({end} if 0 < end < last else ())
    return sorted(places)


def far_out(loss: Loss, power: float) -> float:
    """Where e^{power·u}·(δ(u) − δ(∞)) no longer counts."""
    if math.isfinite(loss.top):
        return max(loss.top, 1e-3)
    u = np.array([4.0, 6.0, 8.0, 12.0, 18.0, 27.0, 40.0])
    small = np.exp(power * u) * (loss.profile(u) - loss.infinite) < 1e-13
    return float(u[np.argmax(small)]) if small.any() else float(u[-1])


def moments(loss: Loss, powers: Array) -> Array:
    """∫ e^{power·u}·(δ(u) − δ(∞)) du over u > 0, for each power."""
    u, weights = panels(smooth_pieces(loss, far_out(loss, float(powers.max()))))
    return np.asarray(np.exp(powers[:, None] * u) @ (weights * (loss.profile(u) - loss.infinite)))


@every
def test_k_is_that_of_the_profile(build: Build) -> None:
    """Theorem 6 of Balle, Barthe and Gaboardi (2018), in its two-sided form."""
    loss, s = build(), np.array([0.5, 2.0])
    both = moments(loss, s) + moments(loss.reverse(), -1 - s)
    total = 1 + s * (s + 1) * both - (s + 1) * loss.infinite + s * loss.void
    k = loss.cgf(s)
    np.testing.assert_allclose(np.imag(k), 0, atol=1e-12)
    np.testing.assert_allclose(np.exp(np.real(k)), total, rtol=1e-8)


@every
def test_k_at_its_two_fixed_points(build: Build) -> None:
    loss = build()
    at_zero, at_minus_one = loss.cgf(np.array([0.0]))[0], loss.cgf(np.array([-1.0]))[0]
    assert at_zero.real == pytest.approx(math.log1p(-loss.infinite), abs=1e-12)
    assert at_minus_one.real == pytest.approx(math.log1p(-loss.void), abs=1e-12)


@every
def test_the_mean_is_the_slope_of_k(build: Build) -> None:
    loss = build()
    if loss.infinite and not loss.endless:
        assert loss.mean() == math.inf
        return
    h = 0.01
    k = loss.cgf(h * np.array([-2.0, -1.0, 1.0, 2.0])).real
    slope = (8 * (k[2] - k[1]) - (k[3] - k[0])) / (12 * h)  # but for K⁽⁵⁾(0)·h⁴/30
    assert loss.mean() == pytest.approx(slope, rel=1e-5)


@every
def test_the_reverse_of_the_reverse(build: Build) -> None:
    loss = build()
    back = loss.reverse()
    again = back.reverse()
    s = np.array([-0.4, 0.3, 0.5 + 2j])
    np.testing.assert_allclose(again.cgf(s), loss.cgf(s), rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(back.cgf(-1 - s), loss.cgf(s), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(again.profile(EPSILONS), loss.profile(EPSILONS), rtol=1e-10)
    assert (again.top, again.bottom) == (loss.top, loss.bottom)
    assert (back.top, back.bottom) == (-loss.bottom, -loss.top)
    ends = (back.void, back.infinite)
    assert ends == pytest.approx((loss.infinite, loss.void), rel=1e-12, abs=1e-300)


@every
def test_mixed_at_a_rate(build: Build) -> None:
    """At 1 it is itself; twice in a row it is once at the product; δ is that of both laws."""
    loss = build()
    assert mixed(loss, 1.0) is loss
    if isinstance(loss, LabelledLoss):
        with pytest.raises(ParameterError, match="sample of a sample"):
            mixed(loss, 0.5)
        return
    half = mixed(loss, 0.5)
    values = mixed(half, 0.4).profile(EPSILONS)
    np.testing.assert_allclose(values, mixed(loss, 0.2).profile(EPSILONS), rtol=1e-9, atol=1e-13)
    # H_a((P + Q)/2 ‖ Q) = ½·H_{2a − 1}(P ‖ Q) for a > 1/2.
    a = np.array([0.6, 1.0, 1.4, 3.0])
    wanted = 0.5 * loss.profile(np.log(2 * a - 1))
    np.testing.assert_allclose(half.profile(np.log(a)), wanted, rtol=1e-9, atol=1e-12)
    half.check_mass()


@every
@pytest.mark.parametrize("mass", [1e-3, 1e-9])
def test_truncation_dominates(build: Build, mass: float) -> None:
    """And gives away no more than the mass that it moves."""
    loss = build()
    cut = loss.truncated(mass)
    cut.check_mass()
    moved = cut.infinite - loss.infinite
    assert 0 <= moved <= 2.1 * mass  # some laws move as much on either side
    assert math.isfinite(cut.top) or cut is loss
    epsilon = EPSILONS[EPSILONS >= 0]
    more = cut.profile(epsilon) - loss.profile(epsilon)
    assert (more >= -1e-13).all()
    assert (more <= moved + 1e-13).all()


@every
def test_the_density_is_that_of_the_masses(build: Build) -> None:
    loss = build()
    if not loss.smooth:
        return
    low, high = max(loss.bottom, -1.5) + 0.05, min(loss.top, 1.5) - 0.05
    edges = np.linspace(low, high, 9).tolist()
    for left, right in pairwise(edges):
        x, weights = panels([left, right])
        tails = loss.tails(np.array([left, right]))
        q = float(tails.q_above[0] - tails.q_above[1])
        p = float(tails.p_above[0] - tails.p_above[1])
        density = loss.density(x)
        assert float(weights @ density) == pytest.approx(q, rel=1e-6, abs=1e-12)
        assert float(weights @ (density * np.exp(x))) == pytest.approx(p, rel=1e-6, abs=1e-12)


@every
def test_the_characteristic_function_decays_as_it_says(build: Build) -> None:
    """|φ(t)| is no larger than said; of a sketch, about so."""
    loss, tilt = build(), 0.5
    frequencies = np.linspace(0.5, 10.0, 20)
    at, to_next = loss.spread(tilt, frequencies, 40.0)
    assert (at <= 1 + 1e-12).all()
    for part, bound in ((0.0, at), (0.0, to_next), (0.37, to_next), (0.99, to_next)):
        t = frequencies + part * 0.5
        k = loss.cgf(np.append(tilt, tilt + 1j * t)).real
        assert (np.exp(k[1:] - k[0]) <= bound + (1e-3 if loss.sketched else 1e-7)).all()


def told(copies: Copies, epsilon: float) -> float:
    """δ(ε) of the finite losses if their number is told, and none is larger than against N(0)."""
    at = epsilon + math.log(copies.floor)
    total = copies.weights[0] * max(0.0, -math.expm1(at))
    for k, weight in enumerate(copies.weights[1:], 1):
        shift = k * copies.shift
        ends = at / shift - shift / 2, at / shift + shift / 2
        p, q = (math.erfc(end / math.sqrt(2)) / 2 for end in ends)
        total += weight * (p - math.exp(at) * q)
    return float(total)


def test_to_be_told_how_many_copies_there_are_costs_no_less() -> None:
    """What a loss says of copies bounds its profile, and is its profile where they are told."""
    having = set()
    for kind, builds in EXAMPLES.items():
        for loss in (build() for build in builds):
            if loss.copies is None:
                continue
            having.add(kind)
            epsilons = np.array([0.02, 0.62, 2.6])
            most = np.array([told(loss.copies, each) for each in epsilons])
            deltas = loss.profile(epsilons) - loss.infinite
            assert (deltas <= most + 1e-12).all()
            assert not loss.copies.told or deltas == pytest.approx(most, abs=1e-12)
    assert having == {LabelledLoss, Mixed, MixtureLoss, TwoSidedLoss}
