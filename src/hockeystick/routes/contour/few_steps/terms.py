"""F^n, or its terms with no, one, or at least two jumps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hockeystick.numerics.series import exp_minus, log1p
from hockeystick.numerics.types import Array, Complex

Kind = Literal["all", 0, 1, 2]
"""Steps with any number of jumps; none, one, two or more."""
SERIES = 0.1
"""Below it log(1+r) − r is summed as a series: 16 terms are enough."""


@dataclass(frozen=True)
class Power:
    """What steps make of F, at each point of a line."""

    log: Complex
    """log of the product over all steps; of its terms with so many jumps."""
    kind: Kind
    count: Array
    inverse: Array
    """1/|f₀|."""
    moved: Array
    """By how much the jumps move, relatively, with an absolute error of each column of F."""
    rare: Array
    """Whether jumps are so rare that their terms are of the first or second power of them."""

    def slope(self, error: Array) -> Array:
        """How far a small error of each column of F moves it, relatively."""
        return np.asarray(
            self.inverse @ (self.count * error[: self.count.size]) + self.moved @ error
        )

    def log_growth(self, error: Array) -> Array:
        """log of the factor by which an error of each column of F may make it larger, if jumps
        are of the power that they have here: also where the error is larger than F."""
        f0 = np.log1p(self.inverse * error[: self.count.size]) @ self.count
        if self.kind in ("all", 0):
            return np.asarray(f0)
        jumps = self.moved @ error
        return np.asarray(f0 + np.where(self.rare, 2 * np.log1p(jumps), jumps))


def log_bounds(log_f0: Array, log_t: Array, count: Array) -> Array:
    """log of bounds of the terms with no, one, and at least two jumps, of positive f₀ and t.

    The first axis is that of different steps. Π(1+r)^n − 1 − Σ n·r is at most its second order,
    ((Σ n·r)² − Σ n·r²)/2, times Π(1+r)^n.
    """
    log_r = log_t - log_f0
    peak = log_r.max(axis=0)
    r = np.exp(log_r - peak)
    none, one = _over(count, log_f0), _over(count, r)
    pairs = np.maximum(one * one - _over(count, r * r), 0.0) / 2
    more = _over(count, np.logaddexp(0.0, log_r))
    return np.stack([none, none + peak + np.log(one), none + 2 * peak + np.log(pairs) + more])


def _over(count: Array, values: Array) -> Array:
    return np.asarray(np.einsum("k,k...->...", count, values))


def _log1p_minus(r: Complex) -> Complex:
    """log(1+r) − r without cancellation."""
    series = np.zeros_like(r)
    for k in range(17, 1, -1):
        series = series * r + (-1) ** (k + 1) / k
    return np.where(np.abs(r) < SERIES, series * r * r, log1p(r.real, r.imag) - r)


def power(kind: Kind, f: Complex, count: Array) -> Power:
    """Π (f₀+t)^n split by jumps; rows of f are points, its columns first all f₀, then all t.

    With r = t/f₀, S = Σ n·log(1+r) and R = Σ n·r, the terms with no jump are Π f₀^n, those with one
    R times that, and those with more e^S − 1 − R = (e^S − 1 − S) + Σ n·(log(1+r) − r) times that;
    the two brackets are each of second order and cancel no more than threefold.
    """
    f0 = f[:, : count.size]
    inverse = 1 / np.abs(f0)
    log = np.log(f0) @ count
    if kind in ("all", 0):
        return Power(log, kind, count, inverse, np.zeros(f0.shape), np.ones(len(f), dtype=bool))
    r = f[:, count.size :] / f0
    first = r @ count
    if kind == 1:
        factor, change = first, np.broadcast_to(count + 0j, r.shape)
    else:
        log_more = log1p(r.real, r.imag)
        total = log_more @ count
        factor = exp_minus(total) + _log1p_minus(r) @ count
        change = count * np.expm1(total[:, None] - log_more)
    moved = np.abs(change / factor[:, None]) * inverse
    moved = np.hstack([moved * np.abs(r), moved])
    return Power(log + np.log(factor), kind, count, inverse, moved, np.abs(first) < 1)
