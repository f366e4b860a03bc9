"""The approximations for particular data: the normal laws they come from; they bound nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from mpmath import mp, mpf

from hockeystick import classical
from hockeystick.classical import (
    approximate_divergence_on_bad_data,
    approximate_divergence_on_good_data,
    rdp_lower_bound,
)
from hockeystick.errors import ParameterError


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    with mp.workdps(30):
        yield


def limits(values: list[mpf], noise: float, sample: int) -> tuple[mpf, mpf]:
    """Mean and variance of the noisy mean of a sample, for all of whose subsets it is checked."""
    n = len(values)
    mean = mp.fsum(values) / n
    spread = mp.fsum((x - mean) ** 2 for x in values) / n
    return mean, (1 - mpf(sample) / n) / sample * spread + mpf(noise) ** 2 / mpf(sample) ** 2


def divergence(p: tuple[mpf, mpf], q: tuple[mpf, mpf], order: float) -> mpf:
    """D_α of two normal laws by quadrature."""
    (m, v), (c, w), a = p, q, mpf(order)
    width = 40 * mp.sqrt(max(v, w))

    def log_ratio(x: mpf) -> mpf:
        return mp.log(w / v) / 2 - (x - m) ** 2 / (2 * v) + (x - c) ** 2 / (2 * w)

    def density(x: mpf) -> mpf:
        return mp.exp(-((x - m) ** 2) / (2 * v)) / mp.sqrt(2 * mp.pi * v)

    points = [m + width * i / 20 for i in range(-20, 21)]
    if order == 1:
        return mp.quad(lambda x: density(x) * log_ratio(x), points)
    return mp.log(mp.quad(lambda x: density(x) * mp.exp((a - 1) * log_ratio(x)), points)) / (a - 1)


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 1.5, 2, 8])
@pytest.mark.parametrize(("n", "sample", "noise"), [(20, 4, 1.5), (200, 20, 3.0)])
def test_bad_data(n: int, sample: int, noise: float, order: float) -> None:
    half = mpf(1) / 2
    other = [-half] * n
    data = [*other[:-1], half]
    exact = divergence(limits(data, noise, sample), limits(other, noise, sample), order)
    value = approximate_divergence_on_bad_data(order, noise, sample / n, n)
    assert value == pytest.approx(float(exact), rel=1e-12, abs=0)


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 2, 8])
def test_good_data(order: float) -> None:
    n, sample, half = 21, 7, mpf(1) / 2
    other = [half] * 10 + [-half] * 11
    data = [*other[:-1], half]
    exact = divergence(limits(data, 2.0, sample), limits(other, 2.0, sample), order)
    value = approximate_divergence_on_good_data(order, 2.0, sample / n, n)
    assert value == pytest.approx(float(exact), rel=1e-12, abs=0)


def test_the_variance_of_a_sample() -> None:
    """The limit's variance without noise is the paper's up to n/(n − 1), by all subsets."""
    values = [mpf(1) / 2] * 3 + [-mpf(1) / 2] * 4
    means = [mp.fsum(each) / 3 for each in combinations(values, 3)]
    center = mp.fsum(means) / len(means)
    exact = mp.fsum((x - center) ** 2 for x in means) / len(means)
    mean, variance = limits(values, 0.0, 3)
    assert center == pytest.approx(float(mean), rel=1e-14, abs=0)
    assert exact == pytest.approx(float(variance * 7 / 6), rel=1e-14, abs=0)


def test_they_are_not_bounds() -> None:
    """The first pair of Proposition 20 is real data, and costs more than either says."""
    sigma, gamma = 1.0, 0.001
    for order in (8, 14):
        truth = rdp_lower_bound(lambda a: a / (2 * sigma**2), gamma, order)
        bad = approximate_divergence_on_bad_data(order, sigma, gamma, 100_000)
        good = approximate_divergence_on_good_data(order, sigma, gamma, 100_001)
        assert good < bad < truth
        assert type(good) is type(bad) is float


def test_the_ends() -> None:
    bad, good = approximate_divergence_on_bad_data, approximate_divergence_on_good_data
    wall = 1 + 4 / (0.1 * 0.9) * 100 / 99
    assert bad(wall * (1 - 1e-9), 2.0, 0.1, 100) < math.inf
    assert bad(wall * (1 + 1e-9), 2.0, 0.1, 100) == math.inf
    assert bad(math.inf, 2.0, 0.1, 100) == good(math.inf, 2.0, 0.1, 101) == math.inf
    assert bad(math.inf, 2.0, 0, 100) == good(math.inf, 2.0, 0, 101) == 0
    assert bad(8, 2.0, 1, 100) == good(8, 2.0, 1, 101) == 1  # α/(2σ²), nothing sampled


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.5, 1.0, 0.1, 101), "order must be in"),
        ((2, 0.0, 0.1, 101), "noise_multiplier must be in"),
        ((2, 1.0, 1.1, 101), "gamma must be in"),
        ((2, 1.0, 0.1, 1), "population must be an integer"),
        ((2, 1.0, 0.1, 10.5), "population must be an integer"),
    ],
)
def test_bad_input(arguments, message: str) -> None:  # type: ignore[no-untyped-def]
    for function in (approximate_divergence_on_bad_data, approximate_divergence_on_good_data):
        with pytest.raises(ParameterError, match=message):
            function(*arguments)


def test_half_of_the_data_needs_an_odd_number() -> None:
    with pytest.raises(ParameterError, match="population must be odd"):
        approximate_divergence_on_good_data(2, 1.0, 0.1, 100)


@pytest.mark.parametrize("order", [1.0, 1.5, 8.0])
def test_on_data_the_two_examples_are_cases(order: float) -> None:
    n = 1001
    bad = np.full(n, -0.5)
    bad[-1] = 0.5
    found = classical.approximate_divergence_on_data(order, 5, 0.1, bad, n - 1, -0.5)
    expected = classical.approximate_divergence_on_bad_data(order, 5, 0.1, n)
    assert found == pytest.approx(expected, rel=1e-9)
    good = np.repeat([0.5, -0.5], [n // 2 + 1, n // 2])
    found = classical.approximate_divergence_on_data(order, 5, 0.1, good, 0, -0.5)
    expected = classical.approximate_divergence_on_good_data(order, 5, 0.1, n)
    assert found == pytest.approx(expected, rel=1e-9)


def test_on_data_refused() -> None:
    for values in ([0.1], [0.1, 0.7], [[0.1, 0.2]], [0.1, float("nan")]):
        with pytest.raises(ParameterError, match="values must be"):
            classical.approximate_divergence_on_data(2.0, 5, 0.1, values, 0, 0.0)
