"""Where a vertical line ends: what is cut off is bounded between the samples of its decay too."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.contour.line import Line
from hockeystick.routes.contour.route import deltas_on
from hockeystick.routes.contour.straight import line_for


def farther(line: Line, times: int) -> Line:
    """The same line, so many times as long."""
    t = line.step * np.arange(times * (line.t.size - 1) + 1)
    return replace(line, t=t, k=line.loss.cgf(line.centre + 1j * t))


@pytest.mark.parametrize(
    ("step", "count", "epsilon"),
    [
        (
            hs.Gaussian(0.05252925239533155).on(hs.Poisson(0.015914520807533028)),
            5397,
            15414.711130043708,
        ),
        (hs.Laplace(0.1).on(hs.Poisson(0.02)), 3000, 400.0),
    ],
)
def test_a_loss_that_is_nearly_on_a_lattice(step: hs.Mechanism, count: int, epsilon: float) -> None:
    """Steps without the record lose nothing, and those with it nearly all the same: e^K comes back
    a period away. Once 9e-11 off, with both ends."""
    loss = step.evidence(hs.ADD_REMOVE).loss
    assert loss is not None
    line = line_for(ComposedLoss([(loss, count)]), epsilon, None)
    asked = np.array([epsilon])
    lower, upper = deltas_on(line, line.loss, asked)
    truth = float(np.exp(farther(line, 10).delta(asked).log_value[0]))
    assert lower[0] <= truth <= upper[0]
    assert upper[0] - lower[0] <= 1e-10 * truth


def sparse(step: float, width: int, far: float, beside: float) -> Loss:
    """Losses 0, `width` and, seldom, width + 1 steps above the least."""
    q, places = np.array([1 - far - beside, far, beside]), np.array([0, width, width + 1])
    losses = step * places
    return AtomicLoss(losses - math.log(q @ np.exp(losses)), np.log(q), spacing=step)


@pytest.mark.parametrize(
    ("step", "width", "far", "beside", "count", "epsilon"),
    [
        (0.0009, 31, 0.234, 0.0031, 700, 0.6352),
        (0.00065, 20, 0.342, 0.0011, 54, 0.0263),
    ],
)
def test_a_lattice_that_is_nearly_a_wider_one(
    step: float, width: int, far: float, beside: float, count: int, epsilon: float
) -> None:
    """Against the law itself, convolved. Once up to 2e-4 of δ off, within half a period."""
    loss = sparse(step, width, far, beside)
    size = (width + 1) * count + 1
    masses = np.zeros(2 * size)
    masses[[0, width, width + 1]] = loss.atoms.p
    law = np.fft.irfft(np.fft.rfft(masses) ** count, 2 * size)[:size]
    sums = step * np.arange(size) + count * loss.bottom
    truth = float(law @ -np.expm1(np.minimum(epsilon - sums, 0.0)))
    composed = ComposedLoss([(loss, count)])
    lower, upper = deltas_on(line_for(composed, epsilon, None), composed, np.array([epsilon]))
    assert lower[0] - 1e-11 * truth <= truth <= upper[0] + 1e-11 * truth
    assert upper[0] - lower[0] <= 1e-9 * truth


@pytest.mark.parametrize(
    ("epsilon", "rate", "count", "delta"),
    [
        (3.4847013807289686, 0.0008848778517828429, 40, 2.7e-19),  # once 2e-12 off, with both ends
        (3.5, 0.001, 100, 1e-24),
        (2.0, 0.01, 60, 1e-15),
        (5.0, 1e-4, 300, 1e-20),
    ],
)
def test_a_cut_within_the_period_of_a_lattice(
    epsilon: float, rate: float, count: int, delta: float
) -> None:
    run = hs.RandomizedResponse(epsilon).on(hs.Poisson(rate)) * count
    truth, found = run.epsilon(delta, certify=True), run.epsilon(delta, method="contour")
    assert found.lower <= truth.upper
    assert truth.lower <= found.upper
    assert found.upper - found.lower <= 1e-10 * truth


def dense_lattice(size: int, gap: int) -> Loss:
    """A bell of so many losses, every so many-th of which is left out: nearly nothing comes back
    before the end of the period, and somewhat at parts of it."""
    places = np.arange(size)
    places = places[places % gap > 0]
    log_q = -0.5 * ((places / size - 0.3) / 0.15) ** 2
    log_q -= np.log(np.exp(log_q).sum())
    losses = 3.0 / size * places
    shift = math.log(np.exp(log_q) @ np.exp(losses))
    return AtomicLoss(losses - shift, log_q, spacing=3.0 / size)


@pytest.mark.parametrize(("gap", "count"), [(60, 9), (50, 10), (7, 60)])
def test_very_many_losses_on_a_lattice(gap: int, count: int) -> None:
    """Once a cut was only found with sums at a few frequencies, and a grid answered to 1e-5."""
    loss = dense_lattice(3000, gap)
    places = np.rint((loss.atoms.losses - loss.bottom) / (3.0 / 3000)).astype(int)
    size = count * int(places.max()) + 1
    masses = np.zeros(size)
    masses[places] = loss.atoms.p
    law = np.fft.irfft(np.fft.rfft(masses, 2 * size) ** count, 2 * size)[:size]
    sums = 3.0 / 3000 * np.arange(size) + count * loss.bottom
    composed = ComposedLoss([(loss, count)])
    epsilon = composed.cgf(np.array([1.0])).real[0]
    truth = float(law @ -np.expm1(np.minimum(epsilon - sums, 0.0)))
    line = line_for(composed, epsilon, None)
    lower, upper = deltas_on(line, composed, np.array([epsilon]))
    assert lower[0] - 1e-11 * truth <= truth <= upper[0] + 1e-11 * truth
    assert upper[0] - lower[0] <= 1e-9 * truth


def binomial_delta(p: float, q: float, count: int, epsilon: float) -> float:
    """δ(ε) of coins that are heads with probability p, against q."""
    high, low, total = math.log(p / q), math.log((1 - p) / (1 - q)), []
    for heads in range(count + 1):
        over = heads * high + (count - heads) * low - epsilon
        mass = math.comb(count, heads) * p**heads * (1 - p) ** (count - heads)
        total.append(-mass * math.expm1(-max(over, 0.0)))
    return math.fsum(total)


@pytest.mark.parametrize(
    ("strength", "rate", "count", "epsilon"),
    [
        (0.6983445741777391, 0.0023516794283721452, 38, 0.0002977935973599124),
        (0.7, 0.0024, 38, 0.004),
        (1.0, 0.01, 60, 0.01),
        (0.5, 0.3, 25, 0.2),
        (2.0, 0.1, 40, 0.5),
    ],
)
@pytest.mark.parametrize("added", [False, True])
def test_both_directions_of_a_lattice(
    strength: float, rate: float, count: int, epsilon: float, added: bool
) -> None:
    """Once the other direction was cut by the decay of this one: 5e-11 of ε too small."""
    loss = hs.RandomizedResponse(strength).on(hs.Poisson(rate)).evidence(hs.ADD_REMOVE).loss
    truthful = 1 / (1 + math.exp(-strength))
    p, q = (1 - rate) * (1 - truthful) + rate * truthful, 1 - truthful
    p, q = (1 - q, 1 - p) if added else (p, q)
    composed = ComposedLoss([(loss.reverse() if added else loss, count)])
    lower, upper = deltas_on(line_for(composed, epsilon, None), composed, np.array([epsilon]))
    truth = binomial_delta(p, q, count, epsilon)
    assert lower[0] - 1e-12 * truth <= truth <= upper[0] + 1e-12 * truth
    assert upper[0] - lower[0] <= 1e-9 * truth
