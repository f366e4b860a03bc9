"""Mechanisms of which only a Rényi curve is known, on samples: never below the exact divergence."""

from __future__ import annotations

import math

import pytest

import hockeystick as hs
from hockeystick import classical
from hockeystick.samplers.bases.copies import drawn_curve, group_curve

GAUSSIAN = hs.Gaussian(2.0)


@pytest.mark.parametrize("tight", [False, True])
@pytest.mark.parametrize(
    "sampler", [hs.WithoutReplacement(3, 30), hs.Poisson(0.1), hs.WithReplacement(3, 30)], ids=repr
)
@pytest.mark.parametrize("relation", [hs.REPLACE_ONE, hs.ADD_REMOVE], ids=str)
def test_above_the_exact_divergence(
    sampler: hs.Sampler, relation: hs.Relation, tight: bool
) -> None:
    for base in (GAUSSIAN, hs.Laplace(2.0)):
        curve = hs.RenyiDP(base, tight=tight)
        for order in (1.5, 2.0, 5.0, 20.0):
            bound = curve.on(sampler).rdp(order, relation=relation)
            exact = base.on(sampler).rdp(order, relation=relation)
            assert exact.lower <= bound * (1 + 1e-9)
            whole = curve.group(3 if isinstance(sampler, hs.WithReplacement) else 1)
            assert bound <= whole.rdp(order, relation=hs.REPLACE_ONE) * (1 + 1e-9)


def test_poisson_replaced_is_amplified() -> None:
    """As on a sample of fixed size with the same rate; without it, far more."""
    curve = hs.RenyiDP({2: 0.04, 8: 0.16, 32: 0.64, math.inf: 2.0})
    poisson = curve.on(hs.Poisson(0.01)).rdp(8, relation=hs.REPLACE_ONE)
    fixed = curve.on(hs.WithoutReplacement(1, 100)).rdp(8, relation=hs.REPLACE_ONE)
    assert poisson == pytest.approx(fixed, rel=1e-12)
    assert poisson < 0.01 * curve.rdp(8)


def test_a_tight_curve_gets_theorem_19() -> None:
    """With much noise and a large share of the data it is below Theorem 9 and its likes."""

    def curve(order: float) -> float:
        return order / 8

    sampler, orders = hs.WithoutReplacement(1, 2), (3.0, 6.0, 12.0)
    for order in orders:
        tight = hs.RenyiDP(curve, tight=True).on(sampler).rdp(order)
        loose = hs.RenyiDP(curve).on(sampler).rdp(order)
        theorem = classical.rdp_without_replacement_self_consistent(curve, 0.5, order)
        assert tight <= loose
        assert tight <= theorem * (1 + 1e-12)
        assert hs.Gaussian(2.0, replace_sensitivity=1).on(sampler).rdp(order) <= tight


def test_one_copy_is_one_draw() -> None:
    curve = hs.RenyiDP(lambda order: order / 50)
    one = curve.on(hs.WithReplacement(1, 100))
    other = curve.on(hs.WithoutReplacement(1, 100))
    for order in (2.0, 10.0):
        assert one.rdp(order) == pytest.approx(other.rdp(order), rel=1e-9)


@pytest.mark.parametrize("size", [2, 3, 7])
def test_groups_of_a_curve(size: int) -> None:
    """k²·ρ·α of ρ·α, and above what Laplace noise attains; at most k·ε(∞)."""
    line = group_curve(lambda order: 0.1 * order, size)
    assert line(3.0) == pytest.approx(0.3 * size**2, rel=1e-12)
    base = hs.Laplace(3.0)
    together = group_curve(lambda order: float(base.rdp(order)), size)
    for order in (1.5, 4.0, math.inf):
        assert base.group(size).rdp(order) <= together(order) * (1 + 1e-9)
        assert together(order) <= size / 3 * (1 + 1e-9)


def test_more_copies_than_are_counted() -> None:
    """By the largest loss where there is one; else nothing is known."""
    pure = drawn_curve(hs.RenyiDP({2: 0.01, math.inf: 0.1}), 200, 100_000)
    assert pure(2.0) < 0.02
    endless = drawn_curve(hs.RenyiDP(lambda order: 0.01 * order), 200, 100_000)
    assert math.isinf(endless(2.0))


@pytest.mark.parametrize("order", [1025, 3000])
def test_large_orders_of_theorem_19_are_close_to_small_ones(order: int) -> None:
    """Above 1024 the moments of small j are kept; never above Theorem 9, never below the truth."""

    def curve(x: float) -> float:
        return x / 5000

    found = classical.rdp_without_replacement_self_consistent(curve, 0.1, order)
    assert found <= classical.rdp_without_replacement(curve, 0.1, order)
    exact = hs.Gaussian(50.0, replace_sensitivity=1).on(hs.WithoutReplacement(1, 10)).rdp(order)
    assert exact <= found


def test_text() -> None:
    for value in (hs.RenyiDP.table(2, 0.1, tight=True), hs.RenyiDP(hs.Gaussian(1.0), tight=True)):
        assert hs.parse(repr(value)) == value
    with pytest.raises(hs.ParameterError, match="tight must be"):
        hs.RenyiDP({2: 0.1}, tight=2)  # type: ignore[arg-type]
