"""Arrays of discs: a complex double and how far the number may be from it (Theorem 19).

The radii of `balls`, for thousands of numbers at once. What is trusted is + − × of doubles: every
result is within u = 2^−53 of its size, but for underflow, and a product of complex numbers within
√5·u (Brent, Percival and Zimmermann 2007). The exponential and the logarithm are made of these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, ctx

from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import above, only_if

U = 2.0**-53
TINY = 1e-290
"""More than underflow takes away in one operation."""
UP = 1 + 2.0**-40
"""More than a few roundings of a radius."""
TERMS = 19
"""Of the series of (e^z − 1)/z: beyond, for |z| <= 0.87, it is below 1e-19."""
REDUCED = 16 * U
"""Relative error of that series, and of what is left of the argument."""
BLOCK = 16
"""Of a sum of products: its error grows with the number of terms."""
LEAST_EXPONENT = -690.0
"""Below it e^x is less than underflow is charged with."""
MOST_TURNS = 2.0**19
"""Up to which multiples of the first parts below are exact."""


def _parts(x: arb) -> tuple[float, float, float]:
    """Two doubles of 33 bits and one more, whose sum is x but for 2^−110."""
    parts = []
    for _ in range(2):
        mantissa, exponent = math.frexp(float(x))
        parts.append(math.ldexp(float(round(mantissa * 2.0**33)), exponent - 33))
        x = x - parts[-1]
    return parts[0], parts[1], float(x)


with ctx.workprec(256):
    LOG_2, RIGHT_ANGLE = _parts(arb(2).log()), _parts(arb.pi() / 2)
    INVERSES = [float(1 / arb(k).gamma()) for k in range(2, TERMS + 2)]


def size(z: Array) -> Array:
    """At least |z|: with M the larger part and m the smaller, M² + m² <= (M + m/2)²."""
    if not np.iscomplexobj(z):
        return np.asarray(np.abs(z) * UP)
    x, y = np.abs(z.real), np.abs(z.imag)
    out, less = np.maximum(x, y), np.minimum(x, y)
    less *= 0.5
    out += less
    out *= UP
    return np.asarray(out)


@dataclass(frozen=True)
class Discs:
    """|number − mid| <= rad, for each of an array."""

    mid: Array
    rad: Array

    @classmethod
    def of(cls, mid: Array, rad: float | Array = 0.0) -> Discs:
        mid = mid if np.iscomplexobj(mid) else np.asarray(mid, float)
        return cls(mid, np.zeros(mid.shape) + rad)

    @classmethod
    def column(cls, balls: Sequence[arb]) -> Discs:
        """Real balls, each a row of its own."""
        mid = np.array([[float(x)] for x in balls])
        rad = np.array([[above(abs(x - float(x)))] for x in balls])
        return cls.of(mid, rad)

    @property
    def most(self) -> Array:
        """At least |number|."""
        return np.asarray((size(self.mid) + self.rad) * UP)

    def __getitem__(self, key: Any) -> Discs:
        return Discs(self.mid[key], self.rad[key])

    def __add__(self, other: Discs) -> Discs:
        mid = self.mid + other.mid
        return Discs(mid, (self.rad + other.rad + U * size(mid)) * UP)

    def __neg__(self) -> Discs:
        return Discs(-self.mid, self.rad)

    def __sub__(self, other: Discs) -> Discs:
        return self + -other

    def __mul__(self, other: Discs) -> Discs:
        mid = self.mid * other.mid
        one, two = size(self.mid), size(other.mid)
        rad = one * (other.rad + 3 * U * two) + two * self.rad + self.rad * other.rad
        return Discs(mid, (rad + TINY) * UP)

    def expm1(self) -> Discs:
        """e^z − 1: as relative to z as the disc is, where z is small."""
        turned, small, scale = self._reduced()
        mid = scale * turned * (1 + small)
        plain = (scale == 1) & (turned == 1)
        out = np.where(plain, small, mid - 1)
        error = np.where(plain, REDUCED * size(small), REDUCED * size(mid) + U * size(out))
        return Discs(out, (error + size(mid) * self._spread() + TINY) * UP)

    def exp(self) -> Discs:
        turned, small, scale = self._reduced()
        mid = scale * turned * (1 + small)
        return Discs(mid, (size(mid) * (REDUCED + self._spread()) + TINY) * UP)

    def _spread(self) -> Array:
        """At least |e^r − 1| over |r| <= rad, with room for the reduced exponential's own error."""
        return np.where(self.rad <= 0.5, self.rad * (1 + self.rad) * (1 + 2.0**-30), math.inf)

    def _reduced(self) -> tuple[Array, Array, Array]:
        """e^z = scale·turned·(1 + small) with `turned` a power of i and `scale` one of 2; of real
        numbers all is real."""
        x = np.maximum(self.mid.real, LEAST_EXPONENT)
        twos = np.rint(x / LOG_2[0])
        only_if(np.all(np.abs(twos) <= 1000), "exponentials of numbers that are not too large")
        z = ((x - twos * LOG_2[0]) - twos * LOG_2[1]) - twos * LOG_2[2]
        turned = np.ones(z.shape)
        if np.iscomplexobj(self.mid):
            turned, down = self._turned()
            z = z + 1j * down
        series = np.full(z.shape, INVERSES[-1], z.dtype)
        for inverse in INVERSES[-2::-1]:
            series = series * z + inverse
        return turned, z * series, np.ldexp(1.0, twos.astype(int))

    def _turned(self) -> tuple[Array, Array]:
        """The power of i in e^{i·y}, and what is left of y."""
        y = self.mid.imag
        turns = np.rint(y / RIGHT_ANGLE[0])
        only_if(np.all(np.abs(turns) <= MOST_TURNS), "angles that are not too large")
        down = ((y - turns * RIGHT_ANGLE[0]) - turns * RIGHT_ANGLE[1]) - turns * RIGHT_ANGLE[2]
        return np.array([1, 1j, -1, -1j])[turns.astype(int) & 3], down

    def log1p(self) -> Discs:
        """log(1 + z), checked by the exponential: with w about log(1 + z) and 1 + z = e^w·(1 + r)
        it is w + r, but for r². Where the disc comes near −1, or the other branch, its radius is
        infinite."""
        x, y = self.mid.real, self.mid.imag
        with np.errstate(all="ignore"):
            guess = np.log1p(x)
            if np.iscomplexobj(self.mid):
                guess = 0.5 * np.log1p((2 + x) * x + y * y) + 1j * np.arctan2(y, 1 + x)
            lost = ~np.isfinite(guess) | (size(1 / (1 + self.mid)) * self.rad > 0.2)
            lost |= np.abs(guess.imag) > 2.8
        exact = Discs.of(np.where(lost, 0, guess))
        back = (-exact).expm1()
        r = back + self + self * back
        if (far := size(self.mid) > 1).any():  # there 1 + z and e^−w are far from 1
            one = Discs.of(np.ones(self.mid.shape))
            other = (one + self) * (-exact).exp() - one
            r = Discs(np.where(far, other.mid, r.mid), np.where(far, other.rad, r.rad))
        rough = np.where(r.most <= 0.25, r.most * r.most, math.inf)
        log = exact + Discs(r.mid, (r.rad + rough) * UP)
        return Discs(log.mid, np.where(lost, math.inf, log.rad))

    def times(self, factor: float | Array) -> Discs:
        """By real doubles."""
        mid = self.mid * factor
        return Discs(mid, (np.abs(factor) * self.rad + U * size(mid) + TINY) * UP)

    def sum(self, axis: int) -> Discs:
        """A sum in any order."""
        count = self.mid.shape[axis]
        rounding = (count * U * size(self.mid)).sum(axis=axis)
        rad = self.rad.sum(axis=axis)
        return Discs(self.mid.sum(axis=axis), (rad + 2 * rounding) * UP * (1 + 2 * count * U))

    def __matmul__(self, other: Discs) -> Discs:
        """Sums of products, each of `BLOCK` in any order, and then of these sums."""
        total: Discs | None = None
        for start in range(0, self.mid.shape[-1], BLOCK):
            some = slice(start, start + BLOCK)
            part = _block(self[..., some], other[..., some, :])
            total = part if total is None else total + part
        assert total is not None
        return total


def _block(left: Discs, right: Discs) -> Discs:
    one, two = left.most, right.most
    rad = left.rad @ two + one @ (right.rad + 3 * (BLOCK + 2) * U * two)
    return Discs(left.mid @ right.mid, (rad + BLOCK * TINY) * UP)
