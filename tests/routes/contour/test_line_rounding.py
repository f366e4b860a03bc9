"""The rounding of K along a line is within what the line says, judged by K in balls."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.base import Loss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.series import EPS
from hockeystick.routes.certified.balls import of_bits
from hockeystick.routes.certified.laws import exact_of, law_of
from hockeystick.routes.contour.line import Line

POINTS = 16


def line_at(loss: Loss, n: int, order: float) -> Line:
    """A line through a given order, with a step of half a deviation."""
    whole = ComposedLoss([(loss, n)])
    k = float(whole.cgf(np.array([order])).real[0])
    step = float(np.float32(0.5 * math.sqrt((order * order + order) / (2 * max(k, 1e-300)))))
    t = step * np.arange(POINTS)
    right = order * 1.01
    far = float(whole.cgf(np.array([right])).real[0])
    slope = (far - k) / (right - order)
    return Line(whole, slope, order, step, t, whole.cgf(order + 1j * t), (right, far), -80.0)


def error_of(line: Line) -> float:
    """Σ |terms|·|error of K|/Σ |terms|, in units of 4·EPS."""
    ((loss, n),) = line.loss.parts
    with of_bits(192):
        law = law_of(exact_of(loss))
        rule = law.rule(line.centre, 1.1 * POINTS * line.step, -80.0)
        values = law.tilted(line.centre, rule).values(line.step, POINTS)
        exact = [value.log() for value in values]
    one = loss.cgf(line.centre + 1j * line.t)
    with of_bits(192):
        off = [abs(complex(ball - k)) for k, ball in zip(one.tolist(), exact, strict=True)]
    error = np.array([min(x, abs(x - 2 * math.pi)) for x in off])
    weight = np.exp((line.k - line.k[0]).real) * line._weight
    return float(weight @ error / weight.sum()) * n / (4 * EPS)


FOUND = [
    (hs.RandomizedResponse(0.7959095883239018).on(hs.Poisson(0.4248965566999119)), 257_000, 0.05),
    (hs.Laplace(0.7834195535730474).on(hs.Poisson(0.5755641573406681)), 147_000, 0.05),
    (hs.Gaussian(3.3897015161336546).on(hs.Poisson(5.901921703124255e-05)), 1820, 223.0),
    (hs.Gaussian(0.6920996781255373).on(hs.Poisson(0.003036286073841258)), 202, 5.6),
    pytest.param(
        hs.Gaussian(0.05972).on(hs.Poisson(0.008)), 200_000, 0.003, marks=pytest.mark.slow
    ),
]
"""Where the error was more than was said: the other direction at a small order, a rare bump, losses
of hundreds of nats."""


@pytest.mark.parametrize(("mechanism", "n", "order"), FOUND)
def test_where_more_was_lost_than_was_said(mechanism: Mechanism, n: int, order: float) -> None:
    loss = mechanism.evidence(hs.ADD_REMOVE).loss
    for each in (loss, loss.reverse()):
        line = line_at(each, n, float(np.float32(order)))
        assert error_of(line) <= 64 + line._rounding(line.k, line.right[1])


@pytest.mark.slow
def test_random_lines() -> None:
    rng = np.random.default_rng(17)
    checked = 0
    for _ in range(60):
        noise, rate = (
            float(10 ** rng.uniform(-0.3, 1)),
            hs.Poisson(float(10 ** rng.uniform(-4, -0.3))),
        )
        kinds = [hs.Gaussian(noise), hs.Laplace(noise), hs.RandomizedResponse(noise / 5)]
        loss = kinds[int(rng.integers(3))].on(rate).evidence(hs.ADD_REMOVE).loss
        loss = loss.reverse() if rng.integers(2) else loss
        n, orders = int(10 ** rng.uniform(1, 7)), np.geomspace(0.05, 200, 40)
        k = np.array([float(loss.cgf(np.array([c])).real[0]) for c in orders])
        place = int(np.argmin(np.abs(n * k - rng.uniform(1, 60))))
        if not 0.5 < n * k[place] < 100:
            continue
        line = line_at(loss, n, float(np.float32(orders[place])))
        assert error_of(line) <= 0.7 * (64 + line._rounding(line.k, line.right[1])), (
            loss,
            n,
            orders[place],
        )
        checked += 1
    assert checked > 25


def test_large_orders_of_q_against_a_mixture() -> None:
    """v^−300 draws the bump of Q far to the left of 0, where the quadrature must still be."""
    sigma, rate, order = 6.141142268309383, 0.2584045613587053, 300
    loss = hs.Gaussian(sigma).on(hs.Poisson(rate)).evidence(hs.ADD_REMOVE).loss
    with mp.workdps(30):
        mu, q, h = 1 / mp.mpf(sigma), mp.mpf(rate), mp.mpf(1) / 8

        def term(j: int) -> mp.mpf:
            return mp.npdf(h * j) * (1 - q + q * mp.exp(mu * h * j - mu * mu / 2)) ** -order

        truth = float(mp.log(h * mp.fsum(term(j) for j in range(-400, 200))))
    assert loss.reverse().cgf(np.array([float(order)])).real[0] == pytest.approx(truth, rel=1e-14)
