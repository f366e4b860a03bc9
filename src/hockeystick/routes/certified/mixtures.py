"""Several sampled normal laws at once, a row each: v, w, and the errors of Theorem 3 (Theorem 19).

What `SampledNormal` says of one law in balls, in arrays of discs.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np

from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import only_if
from hockeystick.routes.certified.discs import Discs, size
from hockeystick.routes.certified.law import Rule
from hockeystick.routes.certified.sampled_normal import MOST_NODES, SampledNormal

NEAR = 1 + 1e-12
"""More than the roundings of a few sums, products and quotients of positive doubles."""
MOST_TERMS = 10_000_000
"""Of a sum for several laws."""
LARGEST_EXPONENT = 600.0
LEAST_PI = 3.1415926
ROOT = 0.39894228040143
"""At least 1/√(2π) once it is multiplied by `NEAR`."""


class Mixtures:
    """v and w of several laws on one line."""

    def __init__(self, parts: Sequence[SampledNormal]) -> None:
        self._numbers = np.array([each.law.rounded for each in parts])
        self.c, self.p = Discs.column([parts[0].c]), Discs.column([parts[0].p])
        self._columns()

    def _columns(self) -> None:
        one = self._numbers
        self.q, self.up, self.down = (Discs(one[:, [i]], one[:, [i + 3]]) for i in range(3))

    def rows(self, some: slice) -> Mixtures:
        """Some of them."""
        out = copy(self)
        out._numbers = self._numbers[some]
        out._columns()
        return out

    def logs(self, z: Discs) -> tuple[Discs, Discs]:
        """log v and log w."""
        return self._mixed(self.up, z), self._mixed(self.down, -z)

    def tilt(self, log_v: Discs, log_w: Discs) -> Discs:
        """(c+1)·log v − c·log w."""
        return self.p * log_v - self.c * log_w

    def _mixed(self, shift: Discs, z: Discs) -> Discs:
        """log(1 + q·(e^{shift·z − shift²/2} − 1))."""
        if not shift.most.any():
            return Discs.of(np.zeros(z.mid.shape))
        return (self.q * (shift * z - (shift * shift).times(0.5)).expm1()).log1p()

    def lift(self, height: Array) -> Array:
        """At least |f(x + i·height)|/f(x): e^{height²/2}·cos(height·down/2)^{−c}."""
        b = Discs.of(height)
        half = (b * self.down).times(0.5)
        turn = Discs(1j * half.mid, half.rad).exp()
        cosine = Discs(turn.mid.real, turn.rad) - Discs.of(np.ones(1))
        return at_most(((b * b).times(0.5) - self.c * cosine.log1p()).exp())

    def tails(self, said: Sequence[Rule]) -> Array:
        """At least h/√(2π)·Σ f beyond the ends, where it falls geometrically:
        (log f)' = −x + p·up·g + c·down·g', g' the share of the second term in w."""
        for each in said:
            only_if(type(each["first"]) is type(each["last"]) is int, "whole numbers of steps")
        h = column(said, "step")
        right, left = column(said, "last") * h, -column(said, "first") * h
        ends = Discs.of(right, np.abs(right) * 2.0**-52)
        grown = ends * self.down + (self.down * self.down).times(0.5)
        grown = Discs.of(np.minimum(at_least(grown), LARGEST_EXPONENT)).exp()
        rest = np.maximum(at_least(Discs.of(np.ones(1)) - self.q), 0.0)
        share = NEAR / (1 + rest * np.maximum(at_least(grown), 0.0) / at_most(self.q) / NEAR)
        pull = self.p * self.up + self.c * self.down * Discs.of(share)
        fall = right / NEAR - at_most(pull)
        only_if(bool(np.all(fall > 0) and np.all(left > 0)), "the ends of the quadrature beyond")
        out = self._at(right) / _grown(h * fall) + self._at(-left) / _grown(h * left)
        return h * ROOT * NEAR * out * NEAR

    def _at(self, place: Array) -> Array:
        """At least f(x)·√(2π), x within rounding of a place."""
        x = Discs.of(place, np.abs(place) * 2.0**-52)
        return at_most((self.tilt(*self.logs(x)) - (x * x).times(0.5)).exp())

    def bend(self, width: Array) -> Array:
        """At least how far a log density is below its chord: width²/8·(p·up²/4 − 1)₊."""
        most = np.maximum(at_most((self.p * self.up * self.up).times(0.25)) - 1, 0.0)
        return np.asarray(most * width * width / 8 * NEAR)

    def within(self, height: Array, angle: float) -> bool:
        """Whether height·shift is below an angle, for certain."""
        both = np.maximum(at_most(self.up), at_most(self.down))
        return bool(np.all(height * both * NEAR < angle) and np.all(height > 0))


def at_most(discs: Discs) -> Array:
    """Floats that are not below real numbers."""
    return np.asarray(discs.mid.real + discs.rad + np.abs(discs.mid.real) * 2.0**-50)


def at_least(discs: Discs) -> Array:
    """Floats that are not above real numbers."""
    return np.asarray(discs.mid.real - discs.rad - np.abs(discs.mid.real) * 2.0**-50)


def nodes(said: Sequence[Rule]) -> tuple[Discs, Array]:
    """The places j·step of each row, as many as the longest has, and which of them are its own."""
    first, last, step = (column(said, name) for name in ("first", "last", "step"))
    most = (last - first).max() + 1
    only_if(most <= MOST_NODES and most * len(said) <= MOST_TERMS, "few enough points")
    j = first + np.arange(int((last - first).max()) + 1)
    place = np.minimum(j, last) * step
    return Discs.of(place, size(place) * 2.0**-52), np.where(j <= last, 1.0, 0.0)


def unlisted(laws: Mixtures, said: Sequence[Rule]) -> tuple[Array, Array, Array]:
    """Of sums on the real axis: the share η, at most what h·Σ φ·g has beyond the ends, and h·Σ φ,
    as in `SampledNormal.unlisted`."""
    b, h = column(said, "strip"), column(said, "step")
    only_if(laws.within(b, LEAST_PI) and bool(np.all(h > 0)), "a strip within that of the loss")
    share = _share(2 * laws.lift(b) * NEAR, b, h)
    normal = np.zeros_like(h)
    for end in (column(said, "last") * h, -column(said, "first") * h):
        only_if(bool(np.all(end > 0)), "ends beyond 0")
        square = Discs.of(end, end * 2.0**-52)
        normal += at_most((square * square).times(-0.5).exp()) / _grown(h * end)
    return share, laws.tails(said), h * ROOT * NEAR * normal * NEAR


def lifted_errors(laws: Mixtures, said: Sequence[Rule]) -> Array:
    """At least the error on the lifted line over M(c) >= 1, as in `SampledNormal.error`."""
    a, h = column(said, "height"), column(said, "step")
    only_if(laws.within(2 * a, LEAST_PI) and bool(np.all(h > 0)), "a line within the strip")
    share = _share((1 + laws.lift(2 * a)) * NEAR, a, h)
    return (share + laws.lift(a) * laws.tails(said) * NEAR) * NEAR


def _share(size_: Array, height: Array, h: Array) -> Array:
    share = size_ / _grown(2 * LEAST_PI * height / h) * NEAR
    only_if(bool(np.all(share < 0.5)), "a finer step of the quadrature")
    return share


def _grown(x: Array) -> Array:
    """At most e^x − 1, x > 0 but for rounding."""
    below = np.minimum(x / NEAR, LARGEST_EXPONENT)
    return np.maximum(at_least(Discs.of(below).expm1()), 0.0)


def column(said: Sequence[Rule], name: str) -> Array:
    return np.array([[float(each[name])] for each in said])
