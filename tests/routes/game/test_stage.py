"""Weights of a stage: raised until they fall slowly, never lowered."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hockeystick.errors import NumericalError
from hockeystick.routes.game.stage import Stage, slowed


def test_slowed_weights_make_a_slow_spline() -> None:
    """−h' <= slope·h for the quadratic spline itself, and what goes on beyond the lattice."""
    spacing, slope = 0.1, 3.0
    x = spacing * np.arange(200)
    stage = Stage(5, -(x**2) / 2, 0.01, 1e-9)
    slow = slowed(stage, slope, spacing)
    assert (slow.log_weights >= stage.log_weights).all()
    assert np.allclose(slow.log_weights[:25], stage.log_weights[:25])  # it is slow there
    half = np.exp(slow.log_weights)
    fine = 50
    comb = np.zeros(fine * (2 * half.size - 1))
    comb[::fine] = np.concatenate([half[:0:-1], half])
    box = np.full(fine, 1 / fine)
    for _ in range(3):
        comb = np.convolve(comb, box)
    middle = fine * (half.size - 1) + 3 * (fine - 1) // 2
    spline = comb[middle : middle + 150 * fine]
    falls = -np.diff(spline) / (spacing / fine)
    assert (falls <= slope * spline[:-1] * (1 + 1e-3)).all()
    goes_on = slow.log_weights[-1] - math.log1p(slope * spacing) * np.arange(1, 400)
    masses = np.exp(goes_on + (x[-1] + spacing * np.arange(1, 400)) / 2)
    assert masses.sum() <= slow.infinite - stage.infinite <= 2.1 * masses.sum()


def test_weights_that_would_never_end_are_refused() -> None:
    """Beyond the lattice masses are weights times e^{x/2}: a slope of 1/2 is not summable."""
    stage = Stage(5, -np.arange(200.0), 0.01, 1e-9)
    with pytest.raises(NumericalError, match="too slowly"):
        slowed(stage, 0.4, 0.1)
