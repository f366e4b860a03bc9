"""Advanced joint convexity: equality to rounding on random triples, and the bound above it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hockeystick.classical import advanced_joint_convexity, hockey_stick
from hockeystick.errors import ParameterError


def test_both_sides_agree_and_joint_convexity_is_above() -> None:
    rng = np.random.default_rng(7)
    strict = 0
    for _ in range(500):
        laws = rng.dirichlet(np.full(5, 0.5), size=3)
        rate, alpha = rng.uniform(), 1 + rng.exponential(2.0)
        sides = advanced_joint_convexity(*laws, rate=rate, alpha=alpha)
        assert sides.left == pytest.approx(sides.right, abs=1e-14)
        assert sides.right <= sides.bound + 1e-15
        strict += sides.right < 0.999 * sides.bound
    assert strict > 50


def test_an_exact_case() -> None:
    """By fractions: η = 1/3, α = 4, α' = 2, β = 1/2."""
    zero = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]
    one = [Fraction(3, 4), Fraction(1, 4), Fraction(0)]
    other = [Fraction(1, 8), Fraction(3, 8), Fraction(1, 2)]
    eta, amplified = Fraction(1, 3), 2
    exact = sum(
        max(
            Fraction(0),
            (1 - eta) * z + eta * a - amplified * ((1 - eta) * z + eta * b),
        )
        for z, a, b in zip(zero, one, other, strict=True)
    )
    sides = advanced_joint_convexity(
        *([float(x) for x in law] for law in (zero, one, other)), rate=1 / 3, alpha=4.0
    )
    assert sides.left == pytest.approx(float(exact), abs=1e-15)
    assert sides.right == pytest.approx(float(exact), abs=1e-15)


def test_the_ends_of_the_rate() -> None:
    zero, one, other = [0.5, 0.5], [0.9, 0.1], [0.2, 0.8]
    assert advanced_joint_convexity(zero, one, other, rate=0, alpha=2).left == 0
    whole = advanced_joint_convexity(zero, one, other, rate=1, alpha=2)
    assert whole.left == whole.right == hockey_stick(one, other, 2)


def test_hockey_stick_is_the_best_event() -> None:
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    best = max(
        sum((p - 1.2 * q)[list(event)]) for event in ((), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
    )
    assert hockey_stick(p, q, 1.2) == pytest.approx(best, abs=1e-16)
    assert hockey_stick(p, q, 0) == 1


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="alpha must be in"):
        advanced_joint_convexity([1.0], [1.0], [1.0], rate=0.5, alpha=0.5)
    with pytest.raises(ParameterError, match="first must be probabilities"):
        hockey_stick([0.5, 0.6], [0.5, 0.5], 1.0)
    with pytest.raises(ParameterError, match="same outcomes"):
        hockey_stick([1.0], [0.5, 0.5], 1.0)
