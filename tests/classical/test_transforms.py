"""Theorems 5 and 6 of Balle, Barthe and Gaboardi (2018), there and back."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from scipy.special import ndtr

from hockeystick.classical import (
    approximate_profile,
    discrete_profile,
    gaussian_profile,
    laplace_profile,
    moment_generating_function,
    profile_from_moments,
    profile_from_tails,
)
from hockeystick.errors import NumericalError, ParameterError


def test_theorem_5_for_the_gaussian() -> None:
    """L is N(μ²/2, μ²) under the first law, and L' is so under the second."""
    mu = 0.7
    profile = profile_from_tails(
        lambda e: float(ndtr((mu**2 / 2 - e) / mu)), lambda e: float(ndtr((-e - mu**2 / 2) / mu))
    )
    for epsilon in (0.0, 0.5, 2.0):
        assert profile(epsilon) == pytest.approx(gaussian_profile(epsilon, mu), rel=1e-10, abs=0)


def test_theorem_5_for_a_discrete_pair() -> None:
    rng = np.random.default_rng(1)
    p, q = rng.dirichlet(np.ones(6), size=2)
    loss = np.log(p / q)
    by_tails = profile_from_tails(
        lambda e: float(p[loss > e].sum()), lambda e: float(q[-loss < -e].sum())
    )
    direct = discrete_profile(p, q)
    for epsilon in (0.0, 0.2, 1.0, 3.0):
        assert by_tails(epsilon) == pytest.approx(direct(epsilon), abs=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("s", [0.3, 1.5, 4.0, 0.5 + 2j, 3 - 7j])
def test_theorem_6_for_laplace(s: complex) -> None:
    """E e^{sL} in closed form: α/(2α−1)·e^{(α−1)θ} + (α−1)/(2α−1)·e^{−αθ}, α = s + 1."""
    for theta in (0.4, 1.0, 3.0):
        a = s + 1
        exact = a / (2 * a - 1) * np.exp((a - 1) * theta) + (a - 1) / (2 * a - 1) * np.exp(
            -a * theta
        )
        value = moment_generating_function(partial(laplace_profile, shift=theta), s)
        assert abs(value - exact) <= 1e-11 * abs(exact)


@pytest.mark.slow
@pytest.mark.parametrize("s", [0.01, 1.0, 6.0, 1 + 1j])
def test_theorem_6_for_the_gaussian(s: complex) -> None:
    for mu in (0.2, 1.0):
        value = moment_generating_function(partial(gaussian_profile, shift=mu), s)
        exact = np.exp(s * (s + 1) * mu**2 / 2)
        assert abs(value - exact) <= 1e-11 * abs(exact)
    assert isinstance(moment_generating_function(lambda e: laplace_profile(e, 1.0), 2.0), float)


@pytest.mark.slow
def test_theorem_6_needs_both_directions() -> None:
    p, q = np.array([0.7, 0.2, 0.1]), np.array([0.25, 0.05, 0.7])
    forward, backward = discrete_profile(p, q), discrete_profile(q, p)
    for s in (0.5, 2.0):
        exact = float((p * (p / q) ** s).sum())
        value = moment_generating_function(forward, s, backward)
        assert value == pytest.approx(exact, rel=1e-11, abs=0)
        assert abs(moment_generating_function(forward, s) / exact - 1) > 1e-3


def test_moments_at_zero_and_infinite_ones() -> None:
    assert moment_generating_function(lambda e: laplace_profile(e, 1.0), 0) == 1
    with pytest.raises(NumericalError, match="does not converge"):
        moment_generating_function(lambda e: approximate_profile(e, 1.0, 0.01), 1.0)
    with pytest.raises(ParameterError, match="real part"):
        moment_generating_function(lambda e: 0.0, -1.0)


@pytest.mark.parametrize(("mu", "epsilon"), [(1.0, 0.0), (1.0, 3.0), (0.3, 0.5), (3.0, 12.0)])
def test_the_inverse_gives_the_gaussian_profile(mu: float, epsilon: float) -> None:
    value = profile_from_moments(lambda s: np.exp(s * (s + 1) * mu**2 / 2), epsilon)
    assert value == pytest.approx(gaussian_profile(epsilon, mu), rel=1e-11, abs=0)


def test_the_inverse_does_not_depend_on_the_line() -> None:
    values = [
        profile_from_moments(lambda s: np.exp(s * (s + 1) / 2), 1.0, abscissa=c)
        for c in (0.2, 1.0, 2.5)
    ]
    assert max(values) == pytest.approx(min(values), rel=1e-11, abs=0)


def test_the_inverse_composes_what_theorem_6_gives() -> None:
    """Twenty Laplace steps and a Gaussian one: K's add up; known by brute-force convolution."""
    theta, count = 0.2, 20

    def moments(s):  # type: ignore[no-untyped-def]
        a = s + 1
        one = a / (2 * a - 1) * np.exp(s * theta) + s / (2 * a - 1) * np.exp(-a * theta)
        return one**count * np.exp(s * a * 0.5**2 / 2)

    rng = np.random.default_rng(8)
    x = rng.laplace(size=(400_000, count)) + theta
    loss = (np.abs(x) - np.abs(x - theta)).sum(axis=1) + rng.normal(0.125, 0.5, size=400_000)
    gains = np.maximum(0.0, -np.expm1(1.0 - np.maximum(loss, 1.0)))
    error = gains.std() / math.sqrt(gains.size)
    assert abs(profile_from_moments(moments, 1.0) - gains.mean()) <= 4 * error


def test_no_profile_where_the_moments_do_not_decay() -> None:
    with pytest.raises(NumericalError, match="do not decay"):
        profile_from_moments(lambda s: 0.75 * 3.0**s + 0.25 * 3.0**-s, 0.2)
