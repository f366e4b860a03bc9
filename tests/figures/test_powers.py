"""Wide sums on a lattice from few frequencies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import hockeystick as hs
from hockeystick.errors import NumericalError
from hockeystick.evidence import known
from hockeystick.figures import lattice_sums
from hockeystick.figures.lattice_sums import LatticeSum
from hockeystick.figures.on_lattice import above
from hockeystick.figures.powers import waves
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.auto import answer
from hockeystick.routes.question import EpsilonAt


@pytest.mark.parametrize("truth", [0.5, 0.9])
def test_a_window_of_coins(truth: float) -> None:
    steps, decay = 1_000_000, 0.003
    middle, deviation = steps * truth, math.sqrt(steps * truth * (1 - truth))
    law = waves(np.array([0, 1]), np.array([1 - truth, truth]), steps, int(24 * deviation))
    assert law.values.size < 60
    for first in (middle - 2 * deviation, middle, middle + 3 * deviation):
        k = np.arange(int(first), int(middle + 10 * deviation))
        wanted = np.sum(np.exp(-decay * (k - k[0])) * stats.binom.pmf(k, steps, truth))
        assert law.beyond(int(k[0]), int(k[-1]), decay) == pytest.approx(wanted, rel=1e-7)


def test_frequencies_that_come_back_are_not_overlooked() -> None:
    """Losses at every other place alone: the transform is as large at π as at 0."""
    with pytest.raises(NumericalError, match="too many"):
        waves(np.array([0, 2]), np.array([0.5, 0.5]), 1_000_000, 20_000)


def test_few_frequencies_say_what_a_contour_does(monkeypatch: pytest.MonkeyPatch) -> None:
    step = hs.Laplace(2, replace_sensitivity=1).on(hs.WithoutReplacement(100, 1000))
    pair = above(known(step, hs.REPLACE_ONE, 2).loss, 41_930)
    assert pair.infinite < 1e-16  # what rounding leaves of the profile at the largest loss
    wanted = answer(EpsilonAt(1e-8), ComposedLoss([(pair, 41_930)]))

    def refuse(*given: object) -> None:
        raise AssertionError("by another route")

    monkeypatch.setattr(LatticeSum, "_by_routes", refuse)
    monkeypatch.setattr(lattice_sums, "composed", refuse)
    side = LatticeSum(pair)
    low, high = side.lower(41_930, 1e-8), side.upper(41_930, 1e-8)
    assert wanted.lower * (1 - 1e-6) < low < wanted.lower < wanted.upper < high
    assert high < wanted.upper * (1 + 1e-6)
