"""Long lines in arrays of discs: sums over all nodes, and over all points (Theorem 21).

z^{a+b·m} is a product of two entries of short tables, found in balls; a sum Σ_j A_j·z_j^k over all
k < count is one product of matrices, and so is Σ_k of terms that turn with ε.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from flint import acb, arb

from hockeystick.routes.certified.balls import above, powers, total
from hockeystick.routes.certified.discs import TINY, UP, Discs, U, size

ROUNDED = 4 * U
"""More than a ball of the working precision is off once its middle is a complex double."""


def as_discs(balls: Sequence[Sequence[acb]]) -> Discs:
    """Rows of balls; the radius of their sum is at least that of each."""
    mid = np.array([[complex(x) for x in row] for row in balls])
    rad = above(total(total(row) for row in balls).rad())
    return Discs(mid, (rad + ROUNDED * size(mid) + TINY) * UP)


def tables(bases: Sequence[acb], count: int) -> Discs:
    """z^0, …, z^(count−1) of each base in a row: products of two powers found in balls."""
    small = max(1, math.isqrt(count))
    large = -(-count // small)
    low = as_discs([powers(z, small) for z in bases])
    high = as_discs([powers(z**small, large) for z in bases])
    both = Discs(high.mid[:, :, None], high.rad[:, :, None]) * Discs(
        low.mid[:, None], low.rad[:, None]
    )
    mid, rad = (x.reshape(len(bases), -1)[:, :count] for x in (both.mid, both.rad))
    return Discs(mid, rad)


def turned_sums(
    weights: Sequence[acb], losses: Sequence[acb], error: arb, step: float, count: int
) -> Discs:
    """Σ_j weight·e^{ik·step·loss} ± error for k < count."""
    if not weights:
        return Discs(np.zeros(count), np.full(count, above(error)))
    small = max(1, math.isqrt(count))
    large = -(-count // small)
    turn = acb(0, arb(step))
    low = tables([(turn * loss).exp() for loss in losses], small)
    high = tables([(small * turn * loss).exp() for loss in losses], large)
    each = as_discs([[weight] for weight in weights])
    rows = high * each
    product = Discs(rows.mid.T, rows.rad.T) @ low
    mid, rad = (x.reshape(-1)[:count] for x in (product.mid, product.rad))
    return Discs(mid, (rad + above(error)) * UP)


def power(discs: Discs, n: int) -> Discs:
    """By squarings."""
    out = discs
    for bit in bin(n)[3:]:
        out = out * out
        out = out * discs if bit == "1" else out
    return out


def kernel(order: float, step: float, count: int) -> Discs:
    """1/(s(s+1)) at s = order + ik·step: conj(s)·conj(s+1)/(|s|²·|s+1|²). With t and 1 + order
    rounded once each, s and s+1 are within 2u, the sums of squares within 4u, the inverse of their
    product within 10u, conj(s)·conj(s+1) within 7u, and all within 20u; 24u is charged."""
    t = step * np.arange(float(count))
    near, far = order - 1j * t, (1 + order) - 1j * t
    squares = (order * order + t * t) * ((1 + order) * (1 + order) + t * t)
    mid = near * far * (1 / squares)
    return Discs(mid, (24 * U * size(mid) + TINY) * UP)


class Quick:
    """Terms of a line, and their sum for every ε."""

    def __init__(self, terms: Discs, step: arb) -> None:
        count = terms.mid.size
        self._step, self._small = step, max(1, math.isqrt(count))
        self._large = -(-count // self._small)
        spare = self._large * self._small - count
        mid, rad = np.append(terms.mid, np.zeros(spare)), np.append(terms.rad, np.zeros(spare))
        shape = self._large, self._small
        self._terms = Discs(mid.reshape(shape), rad.reshape(shape))

    def sum(self, epsilon: arb) -> arb:
        """Re Σ_k term·e^{−ik·step·ε}."""
        turn = acb(0, -self._step * epsilon)
        low = tables([turn.exp()], self._small)
        high = tables([(self._small * turn).exp()], self._large)
        all_ = high @ (self._terms @ Discs(low.mid.T, low.rad.T))
        return arb(float(all_.mid[0, 0].real), float(all_.rad[0, 0]))


def two_or_more(flat: Discs, rest: Discs, n: int) -> Discs:
    """(a + c)^n − a^n − n·a^{n−1}·c =: R_n, as R_n = (a + c)·R_{n−1} + (n−1)·a^{n−2}·c²."""
    whole, square = flat + rest, rest * rest
    total, falling = square, flat
    for k in range(3, n + 1):
        total = whole * total + (falling * square).times(float(k - 1))
        falling = falling * flat
    return total
