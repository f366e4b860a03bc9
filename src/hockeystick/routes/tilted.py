"""What δ is at least, from K on the real line alone: Chernoff's bounds of a tilted law.

Under P tilted by e^{sL − K(s)}, for l < s < r and by Chernoff,

    P_s[L < a] <= 1/4  at  a = (K(s) − K(l) − log 4)/(s − l)
    P_s[L > b] <= 1/4  at  b = (K(r) − K(s) + log 4)/(r − s)

so that P[L >= a] >= e^{K(s) − sb}/2 and δ(a − t) >= (1 − e^−t)·e^{K(s) − sb}/2 for every t > 0. The
bound is some √K''(s)·s nats below log δ, at any size of δ, and needs no integral.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array
from hockeystick.routes.contour.saddle import finite_cgf, log_kappa

OCTAVES = np.arange(-8.0, 40.0)
"""Powers of two among which the best tilt is looked for,"""
NEAR = np.linspace(-1.5, 1.5, 97)
"""and how many octaves around it are asked."""
REACH = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
"""Places on both sides at which l and r are tried."""
LOG_SLACKS = np.linspace(-8.0, 3.0, 23)
"""log(s·t)."""
ROUNDING = 64 * EPS


class Ends(NamedTuple):
    """ε at which δ is at least e^log_delta, one pair for each choice."""

    epsilon: Array
    log_delta: Array


def epsilon(loss: ComposedLoss, log_delta: float) -> float:
    """An ε at which δ is at least e^log_delta; 0 where none was found."""
    ends = _ends(loss, lambda x, k: (k + log_kappa(x) - log_delta) / x)
    found = ends.epsilon[ends.log_delta >= log_delta]
    return max(0.0, float(found.max())) if found.size else 0.0


def log_delta(loss: ComposedLoss, epsilon: float) -> float:
    """At most log δ(ε); −inf where nothing was found."""
    ends = _ends(loss, lambda x, k: k + log_kappa(x) - x * epsilon)
    found = ends.log_delta[ends.epsilon >= epsilon]
    return float(found.max()) if found.size else -math.inf


def _ends(loss: ComposedLoss, chernoff: Callable[[Array, Array], Array]) -> Ends:
    x = 2.0**OCTAVES
    k = finite_cgf(loss, x)
    score = np.where(np.isfinite(k), chernoff(x, k), math.inf)
    s = x[int(np.argmin(score))] * 2.0**NEAR
    k = finite_cgf(loss, s)
    pairs = [_around(s, k, step) for step in REACH]
    return Ends(*(np.concatenate(each) for each in zip(*pairs, strict=True)))


def _around(points: Array, values: Array, step: int) -> tuple[Array, Array]:
    """Both ends for every tilt that has neighbours so many places away."""
    left, s, right = points[: -2 * step], points[step:-step], points[2 * step :]
    k_left, k, k_right = values[: -2 * step], values[step:-step], values[2 * step :]
    with np.errstate(invalid="ignore"):
        off = ROUNDING * (1 + np.abs(k_left) + np.abs(k) + np.abs(k_right))
        a = (k - k_left - math.log(4) - off) / (s - left)
        b = (k_right - k + math.log(4) + off) / (right - s)
        mass = k - s * b - math.log(2) - off - ROUNDING * np.abs(s * b)
    slack = np.exp(LOG_SLACKS)[:, None] / s
    epsilon = a - slack
    log_delta = mass + np.log(-np.expm1(-slack))
    known = np.isfinite(epsilon) & np.isfinite(log_delta)
    return epsilon[known], log_delta[known]
