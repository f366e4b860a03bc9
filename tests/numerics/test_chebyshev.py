"""Polynomials through Chebyshev's points, against the functions that they follow."""

from __future__ import annotations

import numpy as np
import pytest

from hockeystick.numerics.chebyshev import points, through


@pytest.mark.parametrize("count", [2, 5, 12])
def test_a_polynomial_is_found_again(count: int) -> None:
    polynomial = np.polynomial.Polynomial(np.arange(1.0, count + 1))
    at = np.linspace(-1.0, 3.0, 17)
    found = through(polynomial(points(-1.0, 3.0, count)), -1.0, 3.0, at)
    np.testing.assert_allclose(found, polynomial(at), rtol=1e-12, atol=1e-9)


def test_a_smooth_function_is_followed_and_its_points_are_met() -> None:
    low, high = 0.3, 1.9
    nodes = points(low, high, 12)
    assert (np.diff(nodes) > 0).all()
    assert low < nodes[0] < nodes[-1] < high
    np.testing.assert_allclose(through(np.exp(nodes), low, high, nodes), np.exp(nodes), rtol=1e-14)
    between = np.linspace(low, high, 50)
    np.testing.assert_allclose(
        through(np.exp(nodes), low, high, between), np.exp(between), rtol=1e-12
    )
