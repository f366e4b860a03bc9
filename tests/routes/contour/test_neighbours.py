"""What is said of neighbouring losses without ends lies between the ends of their own answers."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import hockeystick as hs
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.contour.neighbours import Neighbours

Family = Callable[[float], hs.Mechanism]


def sampled(rate: float, steps: int) -> Family:
    return lambda noise: hs.Gaussian(noise).on(hs.Poisson(rate)) * steps


def loss_of(mechanism: hs.Mechanism) -> ComposedLoss:
    parts = mechanism.parts.items()
    return ComposedLoss((part.evidence(hs.ADD_REMOVE).loss, count) for part, count in parts)


@pytest.mark.parametrize(
    ("family", "noise", "epsilon", "delta"),
    [
        (sampled(0.01, 10_000), 2.12737543, 2.0, 1e-5),
        (sampled(0.2, 400), 6.7, 3.0, 1e-9),
        (sampled(0.001, 25), 0.6003478, 1.0, 1e-6),  # on bent lines
    ],
)
def test_the_line_of_one_serves_its_neighbours(
    family: Family, noise: float, epsilon: float, delta: float
) -> None:
    epsilon = float(family(noise).epsilon(delta))
    neighbours = Neighbours(epsilon, delta)
    neighbours.by_line(loss_of(family(0.97 * noise)))
    for near in (0.999, 1 + 1e-6, 1.0, 1.002):
        bound = family(near * noise).epsilon(delta)
        over = neighbours.by_line(loss_of(family(near * noise)))
        newton = 2 * (near - 1) ** 2 * bound.upper * 40  # what one step leaves, at the most
        assert over == pytest.approx(math.log(bound.upper / epsilon), abs=5e-11 + newton)


def test_the_saddle_point_is_right_to_some_per_cent() -> None:
    neighbours = Neighbours(2.0, 1e-5)
    for noise in (1.0, 2.0, 10.0):
        run = sampled(0.01, 10_000)(noise)
        over = neighbours.by_saddle(loss_of(run))
        assert over == pytest.approx(math.log(run.epsilon(1e-5) / 2), abs=0.02)
