"""Privacy profiles δ(ε) in closed form.

`shift` is how many noise scales the query moves, θ = Δ/b or Δ/σ: in [0, inf]. ε is any real number
(δ(ε) = 1 − e^ε + e^ε·δ(−ε) below 0, for these symmetric pairs), alone or in an array.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hockeystick.checks import non_negative, probability
from hockeystick.errors import ParameterError
from hockeystick.loss.gaussian import gaussian_log_delta
from hockeystick.numerics.types import Array


def laplace_log_profile(epsilon: Any, shift: float) -> Any:
    """log δ(ε) of Laplace noise: log(1 − e^{(ε − θ)/2}), −inf from ε = θ on.

    Balle, Barthe and Gaboardi (2018), Theorem 3.

    >>> laplace_log_profile([0.5, 1.0], 1.0).round(12).tolist()
    [-1.508691549446, -inf]
    """
    theta = non_negative("shift", shift)

    def log_delta(e: Array) -> Array:
        x = np.minimum(e - theta, 0.0) / 2
        with np.errstate(divide="ignore"):  # δ = 0 at x = 0
            return np.where(x < -0.7, np.log1p(-np.exp(x)), np.log(-np.expm1(x)))

    return _profile(epsilon, theta, log_delta)


def laplace_profile(epsilon: Any, shift: float) -> Any:
    """δ(ε) = [1 − e^{(ε − θ)/2}]_+ of Laplace noise (Balle, Barthe and Gaboardi 2018, Theorem 3).

    >>> round(laplace_profile(0.5, 1.0), 12)
    0.221199216929
    """
    return _exp(laplace_log_profile(epsilon, shift))


def gaussian_log_profile(epsilon: Any, shift: float) -> Any:
    """log δ(ε) of Gaussian noise, finite and accurate where δ itself underflows.

    Balle, Barthe and Gaboardi (2018), Theorem 4, after Balle and Wang (2018).

    >>> round(gaussian_log_profile(100.0, 1.0), 9)
    -4960.254553817
    """
    theta = non_negative("shift", shift)
    return _profile(epsilon, theta, lambda e: _gaussian_log_delta(e, theta))


def gaussian_profile(epsilon: Any, shift: float) -> Any:
    """δ(ε) = Φ(θ/2 − ε/θ) − e^ε·Φ(−θ/2 − ε/θ) of Gaussian noise.

    Balle, Barthe and Gaboardi (2018), Theorem 4, after Balle and Wang (2018).

    >>> round(gaussian_profile(1.0, 1.0), 12)
    0.126936737507
    """
    return _exp(gaussian_log_profile(epsilon, shift))


def approximate_profile(epsilon: Any, base_epsilon: float, base_delta: float) -> Any:
    """The largest profile of any (ε₀, δ₀)-private mechanism.

    δ(ε) = δ₀ + (1 − δ₀)·[e^{ε₀} − e^ε]_+/(1 + e^{ε₀}): that of the pair to which Kairouz, Oh and
    Viswanath (2015) reduce them all. epsilon: in [0, inf], a number or an array.
    base_epsilon: ε₀ in [0, inf]. base_delta: δ₀ in [0, 1].

    >>> approximate_profile([0.0, 1.0, 2.0], 1.0, 1e-6).round(9).tolist()
    [0.462117695, 1e-06, 1e-06]
    """
    e0, d0 = non_negative("base_epsilon", base_epsilon), probability("base_delta", base_delta)
    e = np.asarray(epsilon, dtype=float)
    if not (e >= 0).all():
        raise ParameterError(f"epsilon must be in [0, inf], got {epsilon!r}")
    if math.isinf(e0):
        ahead = np.where(np.isinf(e), 0.0, 1.0)
    else:
        ahead = -np.expm1(np.minimum(e - e0, 0.0)) / (1 + math.exp(-e0))
    delta = d0 + (1 - d0) * ahead
    return float(delta) if delta.ndim == 0 else delta


def _profile(epsilon: Any, shift: float, log_delta: Callable[[Array], Array]) -> Any:
    """log δ at any real ε from its values at ε >= 0, and at the ends of the range of the shift."""
    e = np.asarray(epsilon, dtype=float)
    if np.isnan(e).any():
        raise ParameterError(f"epsilon must be a number, got {epsilon!r}")
    ahead = np.abs(e)
    if shift == 0:
        value = np.full(e.shape, -math.inf)
    elif math.isinf(shift):
        value = np.where(np.isinf(ahead), -math.inf, 0.0)
    else:
        value = np.where(np.isinf(ahead), -math.inf, log_delta(np.where(np.isinf(ahead), 0, ahead)))
    with np.errstate(divide="ignore"):
        mirrored = np.logaddexp(np.log(-np.expm1(-ahead)), value - ahead)
    result = np.where(e < 0, mirrored, value)
    return float(result) if result.ndim == 0 else result


def _gaussian_log_delta(epsilon: Array, theta: float) -> Array:
    """1 − δ = Φ(a) + φ(a)·m(b) where δ is near 1, with Mills' ratio m; no cancellation there."""
    from scipy.special import erfcx, ndtr

    flat = np.atleast_1d(epsilon)
    a, b = flat / theta - theta / 2, flat / theta + theta / 2
    density = np.exp(-0.5 * a * a) / math.sqrt(2 * math.pi)
    missing = ndtr(a) + density * math.sqrt(math.pi / 2) * erfcx(b / math.sqrt(2))
    near = np.log1p(-np.where(a < -2, missing, 0.0))
    return np.where(a < -2, near, gaussian_log_delta(theta, flat)).reshape(epsilon.shape)


def _exp(logs: Any) -> Any:
    return math.exp(logs) if isinstance(logs, float) else np.exp(logs)
