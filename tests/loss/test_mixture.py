"""The density of a mixture of Gaussians over that of one."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from hockeystick.loss.gaussian_mixture import GaussianMixture


@pytest.mark.parametrize("x", [-30.0, -3.0, 0.0, 1e-9, 2.0, 40.0])
@pytest.mark.parametrize("least", [1e-300, 1e-30, 1e-9, 0.3])
def test_mixtures_that_hardly_hold_the_middle(x: float, least: float) -> None:
    """1 + Σ w·(e^… − 1) is a small rest of 1 where w of mean 0 is small."""
    mixture = GaussianMixture((least, 1 - least), (0.0, 5.0))
    with mp.workdps(340):
        truth = mp.log(mp.mpf(least) + mp.mpf(1 - least) * mp.exp(5 * mp.mpf(x) - mp.mpf(12.5)))
        scale = max(1, abs(5 * x), -float(mp.log(least)) if x < 0 else 1)
        for shape in ((1,), (3, 2)):
            found = mixture.log_ratio(np.full(shape, x))
            assert found.shape == shape
            assert found.ravel()[0] == pytest.approx(float(truth), rel=1e-12, abs=1e-15 * scale)
