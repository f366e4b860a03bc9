"""Losses of gamma, beta and Gaussian pairs against mpmath, by other formulas than the library's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from mpmath import mp, mpf

from hockeystick.loss.base import Loss
from hockeystick.loss.families.envelope import either_way
from hockeystick.loss.families.log_gamma import GammaLoss
from hockeystick.loss.families.logit_beta import BetaLoss
from hockeystick.loss.families.natural import NaturalLoss
from hockeystick.loss.families.positive import PositiveLosses
from hockeystick.loss.families.quadratic import QuadraticLoss
from hockeystick.loss.mixed import mixed
from hockeystick.loss.sum import ComposedLoss
from hockeystick.loss.two_sided.amplified import AmplifiedCurve
from hockeystick.loss.two_sided.loss import TwoSidedLoss
from hockeystick.loss.two_sided.term import Term
from hockeystick.numerics.stirling import excess, log_ratio, step
from hockeystick.routes.contour import route as contour
from hockeystick.routes.grid import route as lattice


class Law(NamedTuple):
    """Two laws on the line: distribution functions from below and above, for P and Q."""

    below: Callable[[Any], tuple[Any, Any]]
    above: Callable[[Any], tuple[Any, Any]]


def gamma_law(shape: float, move: float) -> Law:
    shapes = (mpf(shape) + mpf(move), mpf(shape))
    return Law(
        lambda x: tuple(mp.gammainc(k, 0, x, regularized=True) for k in shapes),
        lambda x: tuple(mp.gammainc(k, x, mp.inf, regularized=True) for k in shapes),
    )


def beta_law(start: float, move: float, total: float) -> Law:
    pairs = [(mpf(start) + m, mpf(total) - start - m) for m in (mpf(move), mpf(0))]
    return Law(
        lambda x: tuple(mp.betainc(a, b, 0, x, regularized=True) for a, b in pairs),
        lambda x: tuple(mp.betainc(b, a, 0, 1 - x, regularized=True) for a, b in pairs),
    )


def profile(loss: Loss, epsilon: float) -> tuple[float, float, float]:
    """δ(ε) and the masses P, Q above ε, at 120 digits so that nothing cancels."""
    with mp.workdps(120):
        e = mpf(epsilon)
        if isinstance(loss, QuadraticLoss):
            p, q = _gaussian_masses(loss, e)
        else:
            assert isinstance(loss, GammaLoss | BetaLoss)
            p, q = _line_masses(loss, e)
        return float(p - mp.exp(e) * q), float(p), float(q)


def _line_masses(loss: GammaLoss | BetaLoss, e: Any) -> tuple[Any, Any]:
    start, move = mpf(loss.start), mpf(loss.move)
    if isinstance(loss, GammaLoss):
        constant = mp.loggamma(start + move) - mp.loggamma(start)
        place = mp.exp((e + constant) / move)
        law = gamma_law(loss.start, loss.move)
    else:
        total = mpf(loss.total)
        constant = mp.loggamma(start + move) + mp.loggamma(total - start - move)
        constant -= mp.loggamma(start) + mp.loggamma(total - start)
        odds = mp.exp((e + constant) / move)
        place = odds / (1 + odds)
        law = beta_law(loss.start, loss.move, loss.total)
    return law.above(place) if loss.move > 0 else law.below(place)


def _gaussian_masses(loss: QuadraticLoss, e: Any) -> tuple[Any, Any]:
    d, v = mpf(loss.shift), 1 + mpf(loss.excess)
    a, b = (1 - 1 / v) / 2, d / v
    square = b * b - 4 * a * (-mp.log(v) / 2 - d * d / (2 * v) - e)
    if square < 0:
        return (mpf(1), mpf(1)) if a > 0 else (mpf(0), mpf(0))
    low, high = sorted(((-b - mp.sqrt(square)) / (2 * a), (-b + mp.sqrt(square)) / (2 * a)))
    masses = []
    for mean, scale in ((d, mp.sqrt(v)), (mpf(0), mpf(1))):
        outside = mp.ncdf((low - mean) / scale) + mp.ncdf((mean - high) / scale)
        masses.append(outside if a > 0 else 1 - outside)
    return masses[0], masses[1]


def cumulant(loss: Loss, s: complex) -> complex:
    """log ∫ p^{s+1} q^{−s} from the densities' own normalisation, at 80 digits."""
    with mp.workdps(80):
        t = mp.mpmathify(s)
        if isinstance(loss, QuadraticLoss):
            d, v = mpf(loss.shift), 1 + mpf(loss.excess)
            precision = (1 + t) / v - t
            mean = (1 + t) * d / v / precision
            square = (1 + t) * d * d / v - precision * mean**2
            return complex(-(mp.log(precision) + (1 + t) * mp.log(v) + square) / 2)
        assert isinstance(loss, GammaLoss | BetaLoss)
        start, move = mpf(loss.start), mpf(loss.move)
        total = mpf(loss.total) if isinstance(loss, BetaLoss) else None

        def normal(x: Any) -> Any:
            return mp.loggamma(x) + (mp.loggamma(total - x) if total else 0)

        return complex(
            normal(start + (1 + t) * move) - (1 + t) * normal(start + move) + t * normal(start)
        )


CASES: list[Any] = [
    GammaLoss(1.0, 1.0),
    GammaLoss(2.0, -1.0),
    GammaLoss(0.05, 1.0),
    GammaLoss(1.05, -1.0),
    GammaLoss(300.0, 5.0),
    GammaLoss(0.5, 12.0),
    GammaLoss(1e5, 3.0),
    BetaLoss(1.0, 1.0, total=3.0),
    BetaLoss(0.5, 1.0, total=3.0),
    BetaLoss(50.0, 1.0, total=2000.0),
    BetaLoss(2.0, -1.0, total=40.0),
    QuadraticLoss(1.0, 1.0),
    QuadraticLoss(1.0, -0.5),
    QuadraticLoss(0.0, 2.0),
    QuadraticLoss(0.0, -0.8),
    QuadraticLoss(4.0, -0.9),
    QuadraticLoss(-0.3, 0.05),
    QuadraticLoss(0.5, 1e-6),
    QuadraticLoss(1e-3, -1e-3),
]
each = pytest.mark.parametrize("loss", CASES, ids=repr)
EPSILONS = [-2.0, -0.1, 0.0, 0.2, 1.0, 3.0, 10.0]


@each
def test_cumulants(loss: Any) -> None:
    top = min(loss.high, 20.0)
    for s in (1e-9, 1e-6, 1e-3, 0.1 * top, 0.7 * top, 0.98 * top):
        assert loss.cgf(np.array([s]))[0].real == pytest.approx(cumulant(loss, s).real, rel=1e-12)
    for s in (complex(0.3 * top, 4.0), complex(0.2 * top, 300.0), -0.5, complex(-0.7, 20.0)):
        found, truth = complex(loss.cgf(np.array([s]))[0]), cumulant(loss, s)
        assert abs(np.exp(found - truth) - 1) < 1e-11


@each
def test_profile_and_masses(loss: Any) -> None:
    for epsilon in EPSILONS:
        delta, p, q = profile(loss, epsilon)
        point = np.array([epsilon])
        # The one-step answers of the library claim 4e-14·(1 + |log δ|/100).
        allowed = 4e-14 * (1 + 1e-2 * abs(math.log(max(delta, 1e-300))))
        assert loss.profile(point)[0] == pytest.approx(delta, rel=allowed, abs=1e-290)
        if delta > 1e-290 and epsilon >= 0:
            assert loss.log_profile(point)[0] == pytest.approx(math.log(delta), abs=1e-12)
        tails = loss.tails(point)
        assert tails.p_above[0] == pytest.approx(p, rel=1e-11, abs=1e-15)
        assert tails.q_above[0] == pytest.approx(q, rel=1e-11, abs=1e-15)
        assert tails.p_above[0] + tails.p_below[0] == pytest.approx(1, abs=1e-13)
        back = loss.reverse().profile(point)[0]
        reverse = 1 - math.exp(epsilon) + math.exp(epsilon) * profile(loss, -epsilon)[0]
        assert back == pytest.approx(reverse, abs=1e-13 * (1 + math.exp(epsilon)))


@each
def test_the_quadrature_agrees_with_the_closed_form(loss: Any) -> None:
    nodes = loss.nodes(-1.0, 0.0, 0.0)
    assert np.exp(nodes.log_q).sum() == pytest.approx(1, rel=1e-13)
    assert np.exp(nodes.log_q + nodes.losses).sum() == pytest.approx(1, rel=1e-13)
    top = min(loss.high, 4.0)
    s = np.array([0.5 * top, complex(0.5 * top, 7.0), -0.5])
    by_nodes, closed = Loss.cgf(loss, s), loss.cgf(s)
    size = loss.cgf(s.real).real  # to which the quadrature is accurate, however much cancels
    np.testing.assert_allclose(np.exp(by_nodes - size), np.exp(closed - size), rtol=0, atol=2e-13)
    assert loss.mean() == pytest.approx(Loss.mean(loss), rel=1e-11)
    assert loss.reverse_mean() == pytest.approx(Loss.mean(loss.reverse()), rel=1e-11)


@each
def test_cut_off_at_a_ceiling(loss: Any) -> None:
    cut = loss.truncated(1e-10)
    if math.isfinite(loss.top):
        assert cut is loss
        return
    assert cut.infinite == pytest.approx(1e-10, rel=1e-9)
    _, p, q = profile(loss, cut.top)
    assert (cut.infinite, cut.void) == (pytest.approx(p, rel=1e-9), pytest.approx(q, rel=1e-9))
    for s in (0.0, 0.3, 3.0, 12.0):
        nodes = cut.nodes(-1.0, s, 2.0)
        assert np.exp(nodes.log_q).sum() + cut.void == pytest.approx(1, rel=1e-12)
        assert np.exp(nodes.log_q + nodes.losses).sum() + cut.infinite == pytest.approx(
            1, rel=1e-12
        )
        assert np.isfinite(cut.cgf(np.array([s]))).all()
    inside = min(1.0, cut.top / 2)
    delta, _, _ = profile(loss, inside)
    expected = delta + math.exp(inside) * cut.void
    assert cut.profile(np.array([inside]))[0] == pytest.approx(expected, rel=1e-12)
    assert cut.profile(np.array([cut.top + 1]))[0] == cut.infinite
    assert cut.truncated(1e-3) is cut


def test_a_cut_far_out_counts_at_a_large_power() -> None:
    """E[e^{sL}] of the cut loss is decided at the ceiling, by what mass there is below it."""
    for loss in (GammaLoss(2.0, -1.0), QuadraticLoss(1.0, 1.0), BetaLoss(1.0, 1.0, total=3.0)):
        cut = loss.truncated(1e-30)
        x = np.linspace(cut.top - 12, cut.top, 400_001)
        p = -np.diff(cut.tails(x).p_above)
        middle = (x[1:] + x[:-1]) / 2
        s = 9.0
        by_masses = math.log(np.exp(s * (middle - cut.top)) @ p) + s * cut.top
        assert cut.cgf(np.array([s]))[0].real == pytest.approx(by_masses, abs=1e-7)


@each
def test_infinite_outside_the_strip(loss: Any) -> None:
    outside = [s for s in (loss.high, loss.high + 1, loss.low, loss.low - 1) if math.isfinite(s)]
    assert outside
    assert np.isposinf(loss.cgf(np.array(outside)).real).all()
    sampled = mixed(loss, 0.3)
    if math.isfinite(loss.high):
        assert sampled.cgf(np.array([loss.high]))[0].real == math.inf
    assert np.isfinite(sampled.cgf(np.array([-30.0, 0.4 * min(loss.high, 1.0)]))).all()


@pytest.mark.parametrize("start", [0.01, 0.3, 2.5, 16.0, 300.0, 1e5, 1e9])
def test_differences_of_log_gamma(start: float) -> None:
    with mp.workdps(60):
        for part in (1e-9, 1e-4, 0.2, 0.24, 0.26, 0.9, 5.0, 100.0):
            for angle in (0.0, 0.7, math.pi / 2, math.pi):
                by = start * part * complex(math.cos(angle), math.sin(angle))
                if (start + by).real <= 0.05 * start:
                    continue
                a, t = mpf(start), mp.mpmathify(by)
                truth = mp.loggamma(a + t) - mp.loggamma(a) - t * mp.psi(0, a)
                assert abs(complex(excess(start, by)) / complex(truth) - 1) < 2e-14
                moved = mp.loggamma(a + t) - mp.loggamma(a) - t * mp.log(a)
                error = abs(complex(step(start, by)) - complex(moved))
                assert error < 1e-14 * (1 + abs(complex(moved)))


def test_difference_of_logarithms() -> None:
    for x in (1e-12, 1e-3, 0.24, 0.26, -0.9, 40.0, 3 + 4j, -0.2 + 0.1j):
        with mp.workdps(60):
            truth = complex(mp.mpmathify(x) - mp.log(1 + mp.mpmathify(x)))
        assert abs(complex(log_ratio(x)) / truth - 1) < 2e-15


# both orders at once ----------------------------------------------------------------------------

HEAVY: list[Any] = [
    GammaLoss(2.0, 1.0).reverse(),
    GammaLoss(0.5, 3.0).reverse(),
    GammaLoss(30.0, 2.0).reverse(),
    BetaLoss(1.0, 1.0, total=5.0).reverse(),
    BetaLoss(4.0, 1.0, total=30.0).reverse(),
]


@pytest.mark.parametrize("loss", HEAVY, ids=repr)
def test_one_order_has_the_larger_profile(loss: Any) -> None:
    """What makes folding right: δ(P‖Q) >= δ(Q‖P) at every ε >= 0, P being without the record."""
    for epsilon in np.concatenate([[1e-6, 1e-3], np.linspace(0.05, 8, 24)]):
        with mp.workdps(60):
            heavy = profile(loss, epsilon)[0]
            light = profile(loss.reverse(), epsilon)[0]
        assert heavy >= light
    assert profile(loss, 0.0)[0] == pytest.approx(profile(loss.reverse(), 0.0)[0], rel=1e-14)


@pytest.mark.parametrize("loss", HEAVY, ids=repr)
def test_folded(loss: Any) -> None:
    folded = TwoSidedLoss(PositiveLosses(loss))
    one, other = loss.profile(np.array(EPSILONS)), loss.reverse().profile(np.array(EPSILONS))
    np.testing.assert_allclose(folded.profile(np.array(EPSILONS)), np.maximum(one, other), 1e-13)
    assert folded.symmetric
    # The general pair of a symmetric bound on the profile, which the samplers use, is the same.
    general = TwoSidedLoss(AmplifiedCurve((Term(1.0, 0.0, loss),), 1.0))
    s = np.array([1e-3, 0.2, 0.45, 0.45 + 3j, 0.1 + 30j, -0.5, -0.3 - 9j])
    s = s.real * np.where(s.real > 0, min(folded.high, 6.0), 1.0) + 1j * s.imag
    np.testing.assert_allclose(np.exp(folded.cgf(s) - general.cgf(s)), 1, rtol=0, atol=1e-10)
    assert folded.atoms.p[0] == pytest.approx(float(np.exp(general.atoms.log_q).max()), rel=1e-9)
    assert abs(folded.cgf(np.array([0.0]))[0]) < 1e-14
    assert folded.cgf(np.array([folded.high]))[0].real == math.inf
    x = np.array([-3.0, -0.4, 0.0, 0.5, 2.0])
    mass = folded.tails(x)
    ours, theirs = np.array(mass), np.array(general.tails(x))
    np.testing.assert_allclose(ours, theirs, atol=1e-12)
    cut = folded.truncated(1e-9)
    assert cut.infinite == pytest.approx(1e-9, rel=1e-6)
    for epsilon in (-1.0, 0.3):
        expected = folded.profile(np.array([epsilon]))[0] + math.exp(epsilon) * cut.void
        assert cut.profile(np.array([epsilon]))[0] == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("loss", [QuadraticLoss(1.0, 1.0), QuadraticLoss(0.5, -0.3)], ids=repr)
def test_the_envelope_of_both_orders(loss: Any) -> None:
    both = either_way(loss)
    x = np.linspace(-6, 6, 101)
    larger = np.maximum(loss.profile(x), loss.reverse().profile(x))
    found = both.profile(x)
    assert (found >= larger * (1 - 1e-15)).all()
    np.testing.assert_allclose(found, larger, rtol=1e-4)
    assert both.symmetric


@pytest.mark.slow
def test_two_steps_of_a_folded_loss() -> None:
    """A little more than two steps of the pair itself, for both orders could be mixed."""
    loss = GammaLoss(6.0, 1.0).reverse()
    assert isinstance(loss, NaturalLoss)
    folded = TwoSidedLoss(PositiveLosses(loss))
    with np.errstate(all="ignore"):
        pair = contour.epsilon(ComposedLoss([(loss, 2)]), 1e-4)
        both = lattice.epsilon(ComposedLoss([(folded, 2)]), 1e-4)
    assert pair.upper < both.lower < 1.01 * pair.upper
