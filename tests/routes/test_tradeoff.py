"""Trade-offs by chords: no warning where a chord is flat, and still the closed form."""

from __future__ import annotations

import math
from collections.abc import Iterable

import mpmath
import numpy as np
import pytest

import hockeystick as hs
from hockeystick.routes.tradeoff import Profile

MU = 0.5


def laplace_type_two(alpha: float) -> float:
    """The smallest type II error between Laplace laws of scale 1/μ, 1 apart."""
    if alpha < math.exp(-MU) / 2:
        return 1 - math.exp(MU) * alpha
    return math.exp(-MU) / (4 * alpha) if alpha < 0.5 else math.exp(-MU) * (1 - alpha)


def test_a_flat_chord_is_no_warning() -> None:
    """At these errors, of `hockeystick plot`, 0·inf was a warning on standard error."""
    places = [i / 100 for i in range(101)]
    alphas = [x**3 * (10 - 15 * x + 6 * x**2) for x in places]
    errors = hs.Laplace(1 / MU).tradeoff(alphas)
    for alpha, lower, upper in zip(alphas, errors.lower, errors.upper, strict=True):
        truth = laplace_type_two(alpha)
        assert truth - 1e-6 < lower <= truth + 1e-12
        assert truth - 1e-12 <= upper < truth + 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("points", [31, 61])
def test_points_that_are_close_do_not_mislead(points: int) -> None:
    """Chords through places one rounding error apart had led below the truth, at errors near 1."""
    places = [i / (points - 1) for i in range(1, points - 1)]
    alphas = [x**3 * (10 - 15 * x + 6 * x**2) for x in places]
    errors = hs.Gaussian(1).tradeoff(alphas)
    for alpha, lower, upper in zip(alphas, errors.lower, errors.upper, strict=True):
        quantile = mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * mpmath.mpf(alpha))
        truth = mpmath.ncdf(quantile - 1)  # Φ(Φ⁻¹(1 − α) − μ)
        assert lower <= truth <= upper
        assert upper - lower < 1e-9


def test_no_place_is_asked_where_only_smaller_errors_look() -> None:
    asked: list[float] = []

    def deltas(epsilons: Iterable[float]) -> list[hs.Bound]:
        wanted = list(epsilons)
        asked.extend(wanted)
        return [hs.Gaussian(1.0).delta(each) for each in wanted]

    Profile(deltas).errors(np.array([0.2, 0.5]))
    assert max(filter(math.isfinite, asked)) <= 2.0  # the first that is above log 5
