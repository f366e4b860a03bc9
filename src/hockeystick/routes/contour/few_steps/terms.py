"""F^n, or its terms with no, one, or at least two jumps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.series import exp_minus, log1p
from hockeystick.numerics.types import Array, Complex

Kind = Literal["all", 0, 1, 2]
"""Steps with any number of jumps; none, one, two or more."""
SERIES = 0.1
"""Below it log(1+r) − r is summed as a series: 16 terms are enough."""
LEAST_JUMP, RAREST_JUMP = 1e-150, 1e-125
"""Jumps of less, far out on a line, are taken for as much, of which the square is still a float; if
they are not far above it elsewhere there is no answer."""


@dataclass(frozen=True)
class Power:
    """What steps make of F: a row for each row of counts, and a column for each point of a line."""

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
        own = self.inverse * error[: self.count.shape[1]]
        return np.asarray(self.count @ own.T + self.moved @ error)

    def log_growth(self, error: Array) -> Array:
        """log of the factor by which an error of each column of F may make it larger, if jumps
        are of the power that they have here: also where the error is larger than F."""
        f0 = self.count @ np.log1p(self.inverse * error[: self.count.shape[1]]).T
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
    none, one = over(count, log_f0), over(count, r)
    pairs = np.maximum(one * one - over(count, r * r), 0.0) / 2
    more = over(count, np.logaddexp(0.0, log_r))
    return np.stack([none, none + peak + np.log(one), none + 2 * peak + np.log(pairs) + more])


def over(count: Array, values: Array) -> Array:
    """Σ count·values over different steps, the first axis of both."""
    each = count.reshape(count.shape + (1,) * (values.ndim - count.ndim))
    return np.asarray((each * values).sum(axis=0))


def _log1p_minus(r: Complex) -> Complex:
    """log(1+r) − r without cancellation."""
    series = np.zeros_like(r)
    for k in range(17, 1, -1):
        series = series * r + (-1) ** (k + 1) / k
    return np.where(np.abs(r) < SERIES, series * r * r, log1p(r.real, r.imag) - r)


def power(kind: Kind, f: Complex, count: Array) -> Power:
    """Π (f₀+t)^n split by jumps; rows of f are points, its columns first all f₀, then all t; rows
    of `count` are compositions, its columns the different steps.

    With r = t/f₀, S = Σ n·log(1+r) and R = Σ n·r, the terms with no jump are Π f₀^n, those with one
    R times that, and those with more e^S − 1 − R = (e^S − 1 − S) + Σ n·(log(1+r) − r) times that;
    the two brackets are each of second order and cancel no more than threefold.
    """
    different = count.shape[1]
    f0 = f[:, :different]
    inverse = 1 / np.abs(f0)
    log = count @ np.log(f0).T
    if kind in ("all", 0):
        still = np.zeros((1, *f0.shape))
        return Power(log, kind, count, inverse, still, np.ones(log.shape, dtype=bool))
    r = f[:, different:] / f0
    if np.abs(r).max(axis=0).min() < RAREST_JUMP:
        raise NumericalError("few steps: jumps are too rare for a float")
    r = np.where(np.abs(r) < LEAST_JUMP, LEAST_JUMP, r)
    first, each = count @ r.T, count[:, None, :]
    if kind == 1:
        factor, change = first, np.broadcast_to(each + 0j, (*first.shape, different))
    else:
        log_more = log1p(r.real, r.imag)
        total = count @ log_more.T
        factor = exp_minus(total) + count @ _log1p_minus(r).T
        change = each * np.expm1(total[:, :, None] - log_more)
    moved = np.abs(change / factor[:, :, None]) * inverse
    moved = np.concatenate([moved * np.abs(r), moved], axis=2)
    return Power(log + np.log(factor), kind, count, inverse, moved, np.abs(first) < 1)
