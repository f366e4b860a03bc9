"""Λ, the most that a change of direction near 0 gains: against ω∗h'' by direct integration."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hockeystick.loss.triples.two_laws import TwoLaws
from hockeystick.numerics.types import Array
from hockeystick.routes.game.crossing import Crossing

PAIR = TwoLaws(rate=0.3, epsilon=math.log(9)).pair(0.0)
SPACING = 0.05


def omega(y: Array) -> Array:
    """∫_|y|^∞ o, with o from the profiles of both directions, by a fine trapezoid rule."""
    u = np.linspace(0.0, PAIR.top, 20_001)
    rows = zip(PAIR.losses.tolist(), PAIR.masses.tolist(), strict=True)
    ahead, behind = np.zeros(u.size), np.zeros(u.size)
    for loss, mass in rows:
        ahead += mass * np.maximum(-np.expm1(u - loss), 0.0)
        behind += mass * math.exp(-loss) * np.maximum(-np.expm1(u + loss), 0.0)
    o = np.exp(-u / 2) * (ahead - behind) / 2
    rest = np.cumsum(((o[1:] + o[:-1]) / 2 * np.diff(u))[::-1])[::-1]
    return np.asarray(np.interp(np.abs(y), u, np.append(rest, 0.0), right=0.0))


@pytest.mark.parametrize("deviation", [0.4, 1.5, 6.0])
def test_slope_is_above_the_integral_and_near(deviation: float) -> None:
    """Of weights that end within the lattice, or far beyond what any float tells from 0."""
    k = np.arange(1500)
    log_weights = -((SPACING * k / deviation) ** 2) / 2 - 3.0
    h = np.exp(log_weights)
    bend = np.diff(np.concatenate([[h[1]], h, [0.0]]), 2)  # constant on cells around the nodes
    bend, fine = np.concatenate([bend[:0:-1], bend]), 10
    curve = np.repeat(bend, fine) / SPACING**3  # in weights over one spacing
    x = SPACING / fine * (np.arange(-400, 401) + 0.5)
    whole = np.convolve(curve[np.abs(np.arange(curve.size) - curve.size // 2) < 3000], omega(x))
    truth = 2 * float(np.abs(whole).max()) * SPACING / fine
    found = Crossing.of(PAIR, SPACING).slope(log_weights)
    assert truth * (1 - 1e-3) <= found <= 1.1 * truth
