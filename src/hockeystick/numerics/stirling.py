"""log Γ by Stirling's formula: what the formula leaves, and differences without cancellation."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from hockeystick.numerics.series import log1p
from hockeystick.numerics.types import Array, Complex

STIRLING_FROM = 16
"""From this modulus on Stirling's series is good to rounding."""
NEAR = 0.5
"""Up to this part of the distance to the pole at 0 Taylor's series of log Γ is used."""
TERMS = 58
SMALL = 0.25
"""Up to this modulus Taylor's series of a logarithm is used."""
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
LOG_ROOT = 0.5 * math.log(2 * math.pi)
"""log √(2π)."""
SMALL_REMAINDERS = np.array(
    [0.0]
    + [math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - LOG_ROOT for n in range(1, STIRLING_FROM)]
)
"""What Stirling's formula leaves of log n!, below where its series is used."""


def factorial_remainder(n: Array) -> Array:
    """log n! − log(√(2πn)·(n/e)^n), for whole numbers n >= 1, and 0 at 0.

    It is `remainder` on the real line, without scipy.

    >>> factorial_remainder(np.array([1.0, 100.0])).round(12).tolist()  # 1 − log √(2π), …
    [0.081061466795, 0.000833330556]
    """
    series = _stirling_series(1 / np.maximum(n, STIRLING_FROM))
    small = SMALL_REMAINDERS[np.minimum(n, STIRLING_FROM - 1).astype(int)]
    return np.where(n < STIRLING_FROM, small, series)


def _stirling_series(inverse: Array) -> Array:
    """Σ_k B_2k/(2k·(2k−1)·z^{2k−1}) at z = 1/inverse."""
    total = np.zeros_like(inverse)
    for coefficient in reversed(STIRLING):
        total = total * inverse**2 + coefficient
    return total * inverse


def remainder(z: Any) -> Complex:
    """log Γ(z) − (z − 1/2)·log z + z − log √(2π), for Re z > 0: what Stirling's formula leaves."""
    from scipy.special import loggamma

    z = np.asarray(z, dtype=complex)
    far = np.abs(z) >= STIRLING_FROM
    series = _stirling_series(1 / np.where(far, z, STIRLING_FROM))
    near = np.where(far, 1.0, z)
    plain = loggamma(near) - (near - 0.5) * np.log(near) + near - LOG_ROOT
    return np.where(far, series, plain)


def step(start: float, by: Any) -> Complex:
    """log Γ(start + by) − log Γ(start) − by·log(start)."""
    x = np.asarray(by, dtype=complex) / start
    smooth = remainder(start + np.asarray(by, dtype=complex)) - remainder(start)
    return np.asarray(start * _bent(x) - 0.5 * _log1p(x) + smooth)


def excess(start: float, by: Any) -> Complex:
    """log Γ(start + by) − log Γ(start) − by·ψ(start), to relative accuracy however small `by` is.

    Of second order in `by`, and never negative on the real line, log Γ being convex.
    """
    t = np.asarray(by, dtype=complex)
    near = np.abs(t) <= NEAR * start
    total = np.zeros_like(t)
    if near.any():
        for coefficient in reversed(_taylor(start)):
            total = total * (t / start) + coefficient
        total = np.where(near, total * (t / start) ** 2, 0.0)
    if near.all():
        return total
    from scipy.special import psi

    far = np.where(near, start, t)
    plain = step(start, far) + far * (math.log(start) - float(psi(start)))
    return np.where(near, total, plain)


@lru_cache(maxsize=1024)
def _taylor(start: float) -> tuple[float, ...]:
    """ψ⁽ᵏ⁻¹⁾(start)·startᵏ/k! for k = 2, 3, …, with ψ⁽ⁿ⁾(z) = (−1)ⁿ⁺¹·n!·ζ(n + 1, z)."""
    from scipy.special import zeta

    coefficients = []
    for k in range(2, TERMS):
        # Far out zᵏ·ζ(k, z) = z/(k − 1) + 1/2 + k/12z − …, of which one factor would underflow.
        far = start / (k - 1) + 0.5 + k / (12 * start)
        value = far if start > 1e5 else float(zeta(k, start)) * start**k
        coefficients.append((-1) ** k * value / k)
    return tuple(coefficients)


def _bent(x: Complex) -> Complex:
    """(1 + x)·log(1 + x) − x."""
    small = np.abs(x) < SMALL
    inner = np.where(small, x, 0.0)
    series = np.zeros_like(x)
    for k in range(28, 1, -1):
        series = series * inner + (-1) ** k / (k * (k - 1))
    return np.where(small, series * inner**2, (1 + x) * _log1p(x) - x)


def _log1p(x: Complex) -> Complex:
    return np.asarray(log1p(x.real, x.imag))


def log_ratio(x: Any) -> Complex:
    """x − log(1 + x)."""
    z = np.asarray(x, dtype=complex)
    small = np.abs(z) < SMALL
    inner = np.where(small, z, 0.0)
    series = np.zeros_like(z)
    for k in range(28, 1, -1):
        series = series * inner + (-1) ** k / k
    return np.where(small, series * inner**2, z - _log1p(np.where(small, 0.0, z)))
