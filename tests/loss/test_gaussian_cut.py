"""A Gaussian's losses cut off where e^ε is no float any more."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.gaussian import GaussianLoss


@pytest.mark.slow
@pytest.mark.parametrize("shift", [1.0, 20.0, 40.0])
def test_the_profile_up_to_the_ceiling(shift: float) -> None:
    """e^ε·Q[L > ceiling] is a probability also where e^ε overflows: it once was not a number."""
    loss = GaussianLoss(shift=shift).truncated(1e-6)
    for epsilon in (0.0, loss.ceiling / 2, loss.ceiling - 1.0, loss.ceiling - 1e-3):
        with mp.workdps(450):
            place = mp.mpf(epsilon) / shift + mp.mpf(shift) / 2
            end = mp.mpf(loss.ceiling) / shift + mp.mpf(shift) / 2
            more = mp.ncdf(-place) - mp.ncdf(-end)
            truth = mp.ncdf(shift - place) - mp.exp(epsilon) * more
        found = float(loss.profile(np.array([epsilon]))[0])
        assert found == pytest.approx(float(truth), rel=1e-11), epsilon


@pytest.mark.slow
def test_very_little_noise_on_a_sample_of_one() -> None:
    """It once was an error: "a profile is too rough". A drawn record is as good as named."""
    step = hs.Gaussian(0.05).on(hs.WithoutReplacement(1, 10**6))
    drawn = 1 - (1 - 1e-6) ** 2
    delta = (step * 2).delta(10.0)
    assert delta.lower <= drawn * (1 + 1e-12)
    assert drawn <= delta.upper * (1 + 1e-9)
    assert delta.upper == pytest.approx(drawn, rel=1e-8)
    once, twice = step.epsilon(1e-8), (step * 2).epsilon(1e-8)
    assert once.upper < twice.lower
    assert twice.upper - twice.lower < 1e-5 * twice.upper
