"""Sums of very many losses of very few values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hockeystick.routes.adding.law import Law, Tilt, power


@pytest.mark.parametrize("count", [3, 10**9])
def test_a_single_value_however_often(count: int) -> None:
    """Once a list of 10⁹ factorials, for minutes and gigabytes."""
    law = Law(np.array([2.5]), np.array([1 - 2.0**-40]), True)
    found = power(law, count, 100, Tilt(0.0, 0.0))
    assert found is not None
    assert found.losses.tolist() == [2.5 * count]
    assert found.masses[0] == pytest.approx(math.exp(-(2.0**-40) * count), rel=1e-7)
