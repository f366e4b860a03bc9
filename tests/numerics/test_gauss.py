"""A rule of n points is exact for polynomials up to the degree 2n − 1, and for no more."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hockeystick.numerics.gauss import gauss_legendre, on_panels


@pytest.mark.parametrize("count", [1, 2, 8, 20])
def test_exact_up_to_its_degree(count: int) -> None:
    points, weights = gauss_legendre(count)
    for degree in range(2 * count):
        exact = float(Fraction(1 + (-1) ** degree, degree + 1))
        assert weights @ points**degree == pytest.approx(exact, abs=1e-14)
    beyond = float(weights @ points ** (2 * count))
    assert beyond < 2 / (2 * count + 1) * (1 - 1e-13)


def test_panels_may_be_of_any_width() -> None:
    edges = np.array([-1.0, -0.5, 0.0, 0.25, 3.0])
    points, weights = on_panels(edges, 4)
    assert points.shape == weights.shape == (16,)
    assert (np.diff(points) > 0).all()
    for degree in range(8):
        exact = float(Fraction(3 ** (degree + 1) - (-1) ** (degree + 1), degree + 1))
        assert weights @ points**degree == pytest.approx(exact, rel=1e-14)


def test_the_rule_is_shared_and_cannot_be_written_to() -> None:
    points, _ = gauss_legendre(5)
    assert gauss_legendre(5)[0] is points
    with pytest.raises(ValueError, match="read-only"):
        points[0] = 0.0
