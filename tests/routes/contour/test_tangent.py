"""The lower end of ε by a tangent, against a closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.errors import NumericalError
from hockeystick.routes.contour.tangent import lower_end


def test_a_tangent_is_below_a_convex_curve() -> None:
    """Of one Gaussian, whose δ and rate are known in closed form."""
    gaussian, upper = hs.Gaussian(1.0), 2.0
    at = gaussian.delta(upper)
    rate = math.exp(upper) * 0.5 * math.erfc((upper + 0.5) / math.sqrt(2))
    for excess in (0.0, 1e-12, 1e-6, 9e-4):
        delta = at.upper * (1 + excess)
        end = lower_end(np.array([upper]), np.array([at.lower]), np.array([rate]), delta)[0]
        assert gaussian.delta(end).lower >= delta * (1 - 1e-15)
        assert upper - end <= 1.3 * (delta - at.lower) / rate + 1e-14
    with pytest.raises(NumericalError, match="not known well enough"):
        lower_end(np.array([upper]), np.array([0.9 * at.lower]), np.array([rate]), float(at))
