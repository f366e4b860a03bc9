"""The cover: bounds on cells hold at every point of them, by interval arithmetic and 40 digits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from hockeystick.bernoulli import cells
from hockeystick.bernoulli.certificate import _cut, _first_cells, multipliers
from hockeystick.bernoulli.channel import Channel, coins, fewer_outcomes
from hockeystick.bernoulli.corners import Cells
from hockeystick.bernoulli.excess import two_points
from hockeystick.bernoulli.symmetric import seen, symmetric_loss
from tests.oracles import bernoulli as oracle

CASES = [(1, 0.1, 2.0, 1.0), (3, 0.3, 1.2, 0.2), (2, 0.01, 40.0, 2.0), (4, 0.1, 6.0, 7.0)]


def _lagrangian(n: int, c: float, order: float, epsilon: float) -> cells.Lagrangian:
    channel = coins(n, c)
    best = seen(channel, symmetric_loss(epsilon, order), order)
    found = multipliers(channel, best)
    assert found is not None
    unit = best.log_seen
    return cells.Lagrangian(
        channel, order, unit, found.first, found.log_first - unit, found.log_second - unit
    )


def _exact(lagrangian: cells.Lagrangian, n: int, c: float, rho: float, sigma: float) -> mp.mpf:
    """F less its value at P = Q, in units of J* − 1, from x and y themselves."""
    with mp.workdps(60):
        r, s = mp.exp(mp.mpf(rho)), mp.exp(-mp.mpf(sigma))
        y = (1 - s) / (r - s)
        unit = mp.exp(mp.mpf(lagrangian.log_unit))
        first = mp.exp(mp.mpf(lagrangian.log_one)) * unit
        second = mp.exp(mp.mpf(lagrangian.log_other)) * unit
        value = oracle.lagrangian(r * y, y, lagrangian.order, n, c, first, second)
        return (value - (1 - first - second)) / unit


@pytest.mark.slow
@pytest.mark.parametrize(("n", "c", "order", "epsilon"), CASES)
def test_bounds_hold_inside_cells_of_every_size(
    n: int, c: float, order: float, epsilon: float
) -> None:
    lagrangian = _lagrangian(n, c, order, epsilon)
    loss = symmetric_loss(epsilon, order)
    rng = np.random.default_rng(5)
    centre = loss * np.exp(rng.normal(0, 0.8, (120, 2)))
    size = loss * 10.0 ** rng.uniform(-6, 0, (120, 2))
    low, high = np.maximum(centre - size, 0), centre + size
    endless = rng.uniform(size=(120, 2)) < 0.15
    low[rng.uniform(size=(120, 2)) < 0.15] = 0.0
    ends = np.where(endless, np.inf, high)
    some = Cells(low[:, 0], ends[:, 0], low[:, 1], ends[:, 1])
    upper, _, _ = cells.bounds(lagrangian, some)
    tight = 0
    for i in range(120):
        inside = low[i] + (high[i] - low[i]) * rng.uniform(0.001, 0.999, (2, 2))
        points = [*inside, (high[i] + low[i]) / 2, low[i] + 1e-9 * size[i], high[i]]
        values = [_exact(lagrangian, n, c, *map(float, point)) for point in points]
        assert max(values) <= upper[i]
        scale = max(1.0, *(abs(value) for value in values))
        tight += upper[i] - max(values) < 1e-3 * scale
    assert tight >= 20  # cells are small enough for some bounds to be close


def test_first_cells_and_their_pieces_leave_nothing_out() -> None:
    """Random points of the quadrant lie in exactly one cell, before and after cutting."""
    some = _first_cells(20.0, 1.5)
    blur = np.random.default_rng(0).uniform(0.1, 10, (2, some.rho_low.size))
    rng = np.random.default_rng(1)
    for few in (some, _cut(some, blur[0], blur[1], 20.0)):
        for rho, sigma in np.exp(rng.normal(0, 2, (200, 2))):
            inside = (few.rho_low <= rho) & (rho < few.rho_high)
            inside &= (few.sigma_low <= sigma) & (sigma < few.sigma_high)
            assert inside.sum() == 1


def test_interval_arithmetic_finds_no_larger_value() -> None:
    """python-flint encloses F, by its mean value form, on boxes that cover [0.05, 0.95]²."""
    flint = pytest.importorskip("flint")
    arb = flint.arb
    lagrangian = _lagrangian(1, 0.1, 2.0, 1.0)
    unit = math.exp(lagrangian.log_unit)
    weights = [1.0] + [-math.exp(log) * unit for log in (lagrangian.log_one, lagrangian.log_other)]

    def coin(t: Any) -> Any:
        return t * arb("0.9") + (1 - t) * arb("0.1")

    def terms(x: Any, y: Any) -> Iterator[tuple[float, float, float, Any, Any]]:
        """Weight, slopes of numerator and denominator in x and y, and both: Σ w·u²/v."""
        for weight, slope, (u, v) in (
            (weights[0], 0.8, (coin(x), coin(y))),
            (weights[1], 1.0, (x, y)),
        ):
            yield weight, slope, slope, u, v
            yield weight, -slope, -slope, 1 - u, 1 - v
        yield weights[2], 0.0, 0.0, y, x
        yield weights[2], 0.0, 0.0, 1 - y, 1 - x

    def value(x: Any, y: Any) -> Any:
        return sum((w * u * u / v for w, _, _, u, v in terms(x, y)), arb(0))

    def slopes(x: Any, y: Any) -> tuple[Any, Any]:
        by_x = sum((w * a * 2 * u / v for w, a, _, u, v in terms(x, y)), arb(0))
        by_y = sum((-w * b * (u / v) ** 2 for w, _, b, u, v in terms(x, y)), arb(0))
        back = arb(weights[2])
        by_y += back * (2 * y / x - 2 * (1 - y) / (1 - x))
        by_x -= back * ((y / x) ** 2 - ((1 - y) / (1 - x)) ** 2)
        return by_x, by_y

    p = 1 / (1 + math.exp(-symmetric_loss(1.0, 2.0)))
    goal = value(arb(p), arb(1 - p)) + arb("1e-3")
    stack, done = [(0.05, 0.95, 0.05, 0.95)], 0
    while stack:
        x0, x1, y0, y1 = stack.pop()
        x, y = arb((x0 + x1) / 2, (x1 - x0) / 2), arb((y0 + y1) / 2, (y1 - y0) / 2)
        by_x, by_y = slopes(x, y)
        around = value(x.mid(), y.mid()) + by_x * (x - x.mid()) + by_y * (y - y.mid())
        done += 1
        assert done < 20_000
        if not around < goal:
            xm, ym = (x0 + x1) / 2, (y0 + y1) / 2
            stack += [(*a, *b) for a in ((x0, xm), (xm, x1)) for b in ((y0, ym), (ym, y1))]
    assert done > 100


@pytest.mark.parametrize(("n", "c", "most"), [(1000, 0.45, 60), (1001, 0.3, 40), (500, 0.02, 20)])
def test_fewer_outcomes_tell_no_less(n: int, c: float, most: int) -> None:
    full = coins(n, c)
    few = fewer_outcomes(full, np.exp(full.log_mass), most)
    assert few.w.size <= most + 6
    for one, other in zip(full.masses, few.masses, strict=True):
        assert one.sum() == pytest.approx(1, rel=1e-12)
        assert other.sum() == pytest.approx(1, rel=1e-12)
    rng = np.random.default_rng(3)
    pairs = two_points(rng.uniform(0.01, 3, 40), rng.uniform(0.01, 3, 40))
    for order in (1.2, 2.0, 9.0):
        one, other = (ch.excess(pairs, order, 0.0)[0] for ch in (full, few))
        assert (other >= one * (1 - 1e-11)).all()
        assert (other <= one * 1.5).all()


def test_masses_of_the_channel() -> None:
    for n, c in ((1, 0.1), (7, 0.003), (40, 0.45)):
        one, zero = oracle.binomials(n, c)
        found: Channel = coins(n, c)
        for exact, mass in ((one, found.masses[0]), (zero, found.masses[1])):
            np.testing.assert_allclose(mass, [float(x) for x in exact], rtol=1e-13)
