"""Moments E_q|p/q − 1|^j against 50 digits, to j = 200 and beyond."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

import hockeystick as hs
from hockeystick.classical import (
    gaussian_log_moment,
    laplace_log_moment,
    moments_of_curve,
    randomized_response_log_moment,
)
from hockeystick.classical.moments import Moments
from hockeystick.errors import ParameterError
from tests.support.bases import Base, gaussian, laplace, truthful


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    with mp.workdps(50):
        yield


def even(base: Base, j: int) -> mpf:
    """log E(p/q − 1)^j by the alternating sum, with digits to spare."""
    with mp.workdps(1200):
        return mp.log(mp.fsum((-1) ** i * mp.binomial(j, i) * base.power(i) for i in range(j + 1)))


@pytest.mark.slow
@pytest.mark.parametrize("j", [2, 4, 30, 200])
@pytest.mark.parametrize(
    "base", [gaussian("8"), gaussian("1"), laplace("4"), laplace("0.5"), truthful("0.75")]
)
def test_even_moments(base: Base, j: int) -> None:
    assert abs(base.log_moment(j) - even(base, j)) <= 1e-11


@pytest.mark.slow
@pytest.mark.parametrize("j", [1, 3, 41, 199])
def test_odd_moments_of_the_gaussian(j: int) -> None:
    """E[r^i; r > 1] = e^{i(i−1)μ²/2}·Φ(iμ − μ/2), so the two sides of r = 1 expand apart."""
    for shift in (0.05, 0.5, 2.0) if j < 100 else (0.5,):
        with mp.workdps(60 + j):
            mu, total = mpf(shift), mpf(0)
            for i in range(j + 1):
                above = mp.ncdf((i - mpf(1) / 2) * mu)
                sides = above + (-1) ** j * (1 - above)
                power = mp.exp(i * (i - 1) * mu * mu / 2)
                total += (-1) ** (j - i) * mp.binomial(j, i) * power * sides
            exact = mp.log(total)
        assert abs(gaussian_log_moment(j, shift) - exact) <= 1e-11


@pytest.mark.slow
@pytest.mark.parametrize("j", [1, 3, pytest.param(41, marks=pytest.mark.slow)])
def test_odd_moments_of_laplace(j: int) -> None:
    """The integral over x of q·|p/q − 1|^j, in the middle where the ratio is e^{2x − θ}."""
    for shift in (0.01, 0.5, 4.0):
        t = mpf(shift)
        with mp.workdps(20):
            middle = mp.quad(
                lambda x, t=t: mp.exp(-x) / 2 * abs(mp.expm1(2 * x - t)) ** j,
                [t * i / 40 for i in range(41)],
            )
            ends = (-mp.expm1(-t)) ** j / 2 + mp.exp(-t) * mp.expm1(t) ** j / 2
        assert abs(laplace_log_moment(j, shift) - mp.log(middle + ends)) <= 1e-11


def test_randomized_response_by_its_two_answers() -> None:
    for j in (1, 2, 7, 101):
        p = mpf(0.9)
        exact = (1 - p) * abs(p / (1 - p) - 1) ** j + p * abs((1 - p) / p - 1) ** j
        assert abs(randomized_response_log_moment(j, 0.9) - mp.log(exact)) <= 1e-12
    assert randomized_response_log_moment(3, 0.5) == -math.inf
    assert randomized_response_log_moment(3, 1) == math.inf
    assert randomized_response_log_moment(1, 1) == math.log(2)


def test_the_extremes_of_the_shift() -> None:
    """μ → 0: E|μz|^j; and e^{j(j−1)μ²/2} where p/q is large or nothing."""
    for j in (2, 3, 9):
        normal = j * math.log(1e-6) + math.log(
            2 ** (j / 2) * math.gamma((j + 1) / 2) / math.pi**0.5
        )
        assert gaussian_log_moment(j, 1e-6) == pytest.approx(normal, abs=1e-5)
        assert gaussian_log_moment(j, 30.0) == pytest.approx(j * (j - 1) * 450, rel=1e-12, abs=0)
        assert laplace_log_moment(j, 1e-7) == pytest.approx(j * math.log(1e-7), abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("largest", [7, 40, 200])
def test_a_decimal_curve_gives_every_digit(largest: int) -> None:
    def exact(order: Decimal) -> Decimal:
        """Laplace, b = 4, in whatever precision is asked for."""
        if not isinstance(order, Decimal):
            return Decimal(laplace("4").curve(order))
        ahead = order / (2 * order - 1) * ((order - 1) / 4).exp()
        behind = (order - 1) / (2 * order - 1) * (-order / 4).exp()
        return (ahead + behind).ln() / (order - 1)

    log_moment = moments_of_curve(exact, largest)
    j = largest - largest % 2
    assert abs(log_moment(j) - even(laplace("4"), j)) <= 1e-12
    if largest % 2:
        both = (even(laplace("4"), largest - 1) + even(laplace("4"), largest + 1)) / 2
        assert abs(log_moment(largest) - both) <= 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("name", ["8", "1"])
def test_a_float_curve_is_never_below(name: str) -> None:
    """Near where little cancels, useless where much does, safe everywhere."""
    base = gaussian(name)
    log_moment = moments_of_curve(base.curve, 120)
    for j in (2, 4, 6, 20, 50, 120):
        assert log_moment(j) >= even(base, j) - 1e-13 * abs(even(base, j))
    assert log_moment(2) == pytest.approx(float(even(base, 2)), abs=1e-12)
    assert log_moment(120) <= even(base, 120) + (1e-9 if name == "1" else 90)


@pytest.mark.parametrize("error", [TypeError, ValueError, ArithmeticError])
def test_a_curve_that_refuses_decimals_is_a_float_curve(error: type[Exception]) -> None:
    def curve(order: float) -> float:
        if isinstance(order, Decimal):
            raise error
        return order / 50

    assert moments_of_curve(curve, 8)(8) == moments_of_curve(lambda a: float(a) / 50, 8)(8)


def test_a_curve_of_the_library() -> None:
    mechanism = hs.Gaussian(5.0)
    ours, theirs = moments_of_curve(lambda a: a / 50, 6)(6), moments_of_curve(mechanism.rdp, 6)(6)
    assert ours <= theirs <= ours + 1e-6


def test_a_largest_loss_helps_a_float_curve() -> None:
    base = truthful("0.6")
    plain, helped = moments_of_curve(base.curve, 60), moments_of_curve(base.curve, 60, base.pure)
    for j in (12, 30, 60):
        assert even(base, j) - 1e-12 <= helped(j) <= even(base, j) + 1e-2
    assert plain(60) > helped(60) + 1


def test_the_difference_is_taken_at_zero_of_the_moments_under_q() -> None:
    """p = (.7, .3), q = (.4, .6): E_q(p/q − 1)² = .375; differences of E_p(p/q)^i give .469."""

    def curve(order: float) -> float:
        return math.log(0.7**order * 0.4 ** (1 - order) + 0.3**order * 0.6 ** (1 - order)) / (
            order - 1
        )

    assert math.exp(moments_of_curve(curve, 2)(2)) == pytest.approx(0.375, rel=1e-12, abs=0)


def test_a_curve_that_is_infinite() -> None:
    assert moments_of_curve(lambda order: math.inf if order > 3 else 1.0, 8)(4) == math.inf


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="order must be an integer"):
        gaussian_log_moment(0, 1.0)
    with pytest.raises(ParameterError, match="shift must be in"):
        laplace_log_moment(2, 0.0)


@pytest.mark.parametrize(
    ("log_moment", "parameter"),
    [
        (gaussian_log_moment, 0.2),
        (gaussian_log_moment, 6.0),
        (laplace_log_moment, 0.5),
        (randomized_response_log_moment, 0.6),
    ],
)
def test_many_moments_at_once_are_those_of_each(log_moment: Any, parameter: float) -> None:
    """In any order and shape, and remembered."""
    orders = np.array([[1, 300, 2], [65, 66, 7]])
    each = [[log_moment(j, parameter) for j in row] for row in orders.tolist()]
    assert log_moment(orders, parameter) == pytest.approx(np.array(each), rel=1e-12, abs=1e-12)
    kept = Moments(lambda j: log_moment(j, parameter), together=True)
    plain = Moments.of(lambda j: log_moment(j, parameter))
    assert kept(300) == pytest.approx(each[0][1], rel=1e-12)
    assert kept.up_to(70)[[0, 5, 63, 64]] == pytest.approx(
        [each[0][2], each[1][2], *each[1][:2]], rel=1e-12, abs=1e-12
    )
    assert plain.up_to(7)[-1] == pytest.approx(each[1][2], rel=1e-12)
    assert Moments.of(kept) is kept


@pytest.mark.parametrize("orders", [[2, 0], [2.5], 0, 2.0])
def test_orders_of_moments_are_integers(orders: Any) -> None:
    with pytest.raises(ParameterError, match="order must be an integer >= 1"):
        gaussian_log_moment(orders, 1.0)
