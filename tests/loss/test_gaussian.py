"""δ(ε) of two normal laws, against 60 digits."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.gaussian import gaussian_log_delta


def delta(shift: float, epsilon: float) -> mp.mpf:
    """Balle and Wang 2018, Theorem 5."""
    with mp.workdps(60):
        mu, e = mp.mpf(shift), mp.mpf(epsilon)
        q = mp.erfc((e / mu + mu / 2) / mp.sqrt(2)) / 2
        return mp.erfc((e / mu - mu / 2) / mp.sqrt(2)) / 2 - mp.exp(e) * q


@pytest.mark.parametrize("epsilon", [0.5, 699.9, 700.1, 709.5, 726.7, 900.0, 5000.0])
@pytest.mark.parametrize("deviations", [-2.1, -3.9, -8.0])
def test_below_the_mean_loss(epsilon: float, deviations: float) -> None:
    """Where e^ε is no float it was cut at e^700, and δ was too large by 5e-6."""
    shift = float(-deviations + np.sqrt(deviations**2 + 2 * epsilon))
    said = np.exp(gaussian_log_delta(shift, np.array([epsilon]))[0])
    assert abs(said / float(delta(shift, epsilon)) - 1) < 1e-15 * (8 + epsilon)


def test_both_ends_hold_the_truth() -> None:
    said = (hs.Gaussian(1.207950528821263) * 651).delta(726.6624321312416, relation=hs.REPLACE_ONE)
    assert said.lower <= 0.99995113775339 <= said.upper
    assert said.upper - said.lower < 1e-12
