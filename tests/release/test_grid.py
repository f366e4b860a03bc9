"""Values and noise on one grid: neighbours reach the same floats, bit for bit."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.release import grid

EVERY = 3 * 2**12
"""Noise of so many steps on either side is gone through, all of it."""


def everything(steps: float, count: int) -> Any:
    """All noise there is, near enough, instead of a draw."""
    return np.arange(-EVERY, EVERY + 1)[:count]


def reached(value: Any, scale: float, monkeypatch: Any) -> set[bytes]:
    """Every float that a value can become, on a grid of about scale · 2^−8, within 10 scales."""
    monkeypatch.setattr(grid, "FINE", 8)
    answer = np.full(2 * EVERY + 1, value)
    noisy = grid.released(answer, scale, 0.0, everything)
    near = np.abs(noisy - float(value)) <= 10 * scale
    return {x.tobytes() for x in noisy[near]}


NEIGHBOURS = [
    (0.1, 0.4, 1.0),
    (0.1, 1.1, 0.7),
    (-0.5, 0.5, 1.9),
    (1 / 3, math.nextafter(1 / 3, 1), 0.125),
    (0, 1, 3.0),
    (10**6, 10**6 + 1, 1.7),
    (2**60 + 129, 2**60 + 130, 1.0),
    (2**60 + 129, 2**60 + 130, 300.0),
    (-(2**61) - 3, -(2**61) - 2, 1e4),
    (2.0**52 + 1, 2.0**52 + 2, 1.3),
    (5, 6, 2.0**12),
    (2**62 + 1, 2**62 + 2, 2.0**20),
]


@pytest.mark.parametrize(("one", "other", "scale"), NEIGHBOURS)
def test_neighbours_reach_the_same_floats(
    one: Any, other: Any, scale: float, monkeypatch: Any
) -> None:
    """Both sets hold all that lies near: a float in one alone would tell the value for certain."""
    ours, theirs = (reached(value, scale, monkeypatch) for value in (one, other))
    middle = (float(one) + float(other)) / 2
    inner = 9 * scale - abs(float(one) - float(other))

    def near(floats: set[bytes]) -> set[bytes]:
        return {x for x in floats if abs(np.frombuffer(x)[0] - middle) < inner}

    assert near(ours) == near(theirs)
    assert near(ours)


@pytest.mark.parametrize("kind", [hs.Gaussian, hs.Laplace])
@pytest.mark.parametrize("value", [1 / 3, math.pi, -1e-12, 7.0, 12345])
def test_releases_are_on_the_grid_of_their_scale(kind: Any, value: float) -> None:
    step = 2.0**-30  # of scales in [1, 2)
    noisy = kind(1.5).release(np.full(500, value), rng=3)
    assert (noisy / step == np.rint(noisy / step)).all()
    assert len(np.unique(noisy)) > 498


def test_integers_stay_integers_until_the_noise_is_added() -> None:
    """2^60 + 129 − 2 is nearer to 2^60, which the value alone is not."""
    value, steps = np.array(2**60 + 129), 2**30
    for added, wanted in ((-2, 2**60), (0, 2**60 + 256), (126, 2**60 + 256), (258, 2**60 + 512)):
        noisy = grid.released(value, 1.0, 0.0, lambda *_: np.array([added * steps]))  # noqa: B023
        assert int(noisy) == wanted
    assert math.isfinite(hs.Laplace(1.0).release(2**60 + 129))


@pytest.mark.parametrize("kind", ["i", "u"])
@pytest.mark.parametrize("scale", [1e-30, 2.0**-30, 0.75, 1.0, 2.0**30, 2.0**31, 2.0**45, 1e30])
def test_integers_by_fractions(kind: str, scale: float) -> None:
    """The value on the grid plus the noise, as fractions; a float of the sum in the end."""
    rng = np.random.default_rng(8)
    values = rng.integers(0, 2**40, 40) * (1 if kind == "u" else rng.choice([-1, 1], 40))
    noise = rng.integers(-(2**36), 2**36, 40)
    exponent, _ = grid._steps(scale, 0.0)
    noisy = grid.released(values.astype(f"{kind}8"), scale, 0.0, lambda *_: noise)
    step = Fraction(2) ** exponent
    for value, added, sum_ in zip(values.tolist(), noise.tolist(), noisy.tolist(), strict=True):
        exact = (math.floor(value / step + Fraction(1, 2)) + added) * step
        assert sum_ == pytest.approx(float(exact), rel=2**-52)


def test_integers_of_64_bits() -> None:
    for value in (2**63 - 1, -(2**63), 2**64 - 1):
        assert hs.Gaussian(1.0).release(value) == float(value)
        assert grid.released(np.array([value]), 1.0, 0.0, lambda *_: np.array([0])) == float(value)


@pytest.mark.parametrize(("norm", "size"), [("L1", 1), ("L1", 5000), ("L2", 1), ("L2", 10**6)])
@pytest.mark.parametrize("multiplier", [0.3, 1.0, 77.0, 1e6])
@pytest.mark.parametrize("replace", [0.5, 2.0])
def test_the_noise_is_wider_by_what_rounding_moves(
    norm: Any, size: int, multiplier: float, replace: float
) -> None:
    """In every relation, distance over noise scale is no more than was claimed, and hardly less."""
    sensitivity = 3.0
    scale = multiplier * sensitivity
    least = sensitivity * min(1.0, replace)
    exponent, steps = grid._steps(scale, grid.spread(size, norm) / least)
    step = Fraction(2) ** exponent
    wide = Fraction(steps) * step
    root = math.isqrt(size) + (math.isqrt(size) ** 2 < size)
    apart = step * (size if norm == "L1" else root)
    for distance in (Fraction(sensitivity), Fraction(sensitivity) * Fraction(replace)):
        claimed = distance / (Fraction(multiplier) * Fraction(sensitivity))
        assert (distance + apart) / wide <= claimed
    assert wide / Fraction(scale) - 1 < max(2e-6, multiplier * grid.spread(size, norm) * 2.0**-34)


def test_values_on_the_grid_cost_no_noise() -> None:
    drawn: list[float] = []

    def draw(steps: float, count: int) -> Any:
        drawn.append(steps)
        return np.zeros(count, dtype=np.int64)

    grid.released(np.array([1, 2]), 1.0, 1e6, draw)
    grid.released(np.array([1.0, 2.0]), 1.0, 1e6, draw)
    assert drawn[0] == 2**30 * (1 + 2.0**-50)
    assert drawn[1] / 2**36 > 1 + 1e6 / 2**36


@pytest.mark.parametrize("scale", [1e-280, 1e280, 5e-324])
def test_scales_without_a_grid(scale: float) -> None:
    with pytest.raises(hs.ParameterError, match=r"must be in \[2\^-901, 2\^900\) to be rounded"):
        hs.Laplace(1.0, sensitivity=scale).release(1.0)


def test_values_beyond_the_grid_are_not_shown() -> None:
    for value, scale in ((9.1827e300, 1e-100), (-9.1827e307, 1e-200)):
        with pytest.raises(hs.ParameterError, match=r"below 2\^1023 steps of the grid") as caught:
            hs.Gaussian(scale).release(value)
        assert "9.18" not in str(caught.value)


@pytest.mark.parametrize("value", [math.nan, -math.inf, [1.0, math.inf], np.float32("nan")])
def test_what_is_not_finite_is_refused_and_costs_nothing(value: Any) -> None:
    for refused in (hs.Gaussian(1.0).release, hs.Laplace(1.0).in_turn(rng=0)):
        with pytest.raises(hs.ParameterError, match="finite, but holds a NaN or an infinity"):
            refused(value)

    class Payer:
        def spend(self, mechanism: Any) -> None:
            raise AssertionError("charged")

    with pytest.raises(hs.ParameterError, match="finite, but holds"):
        hs.Gaussian(1.0).release(value, ledger=Payer())


def test_short_floats_have_the_grid_of_long_ones() -> None:
    short = np.array([0.1, 1000.3, -7.7], dtype=np.float32)
    long = short.astype(float)
    assert (hs.Gaussian(2.0).release(short, rng=1) == hs.Gaussian(2.0).release(long, rng=1)).all()


def test_a_grid_that_is_too_coarse_is_refused() -> None:
    with pytest.raises(hs.ParameterError, match="noise_multiplier times the entries"):
        hs.Laplace(1e11).release(1.0)
    with pytest.raises(hs.ParameterError, match="noise_multiplier times the entries"):
        hs.Laplace(1e8).release(np.zeros(1000))
    assert math.isfinite(hs.Laplace(1e10).release(1.0))
