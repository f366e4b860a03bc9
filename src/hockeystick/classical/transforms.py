"""A privacy profile from the privacy loss, the moments of the loss from a profile, and back.

Balle, Barthe and Gaboardi (2018), Theorems 5 and 6. The integrals are estimates, good to about
1e-12 for profiles that are smooth but for some kinks.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hockeystick.checks import finite_non_negative, finite_positive
from hockeystick.classical.amplification import Profile
from hockeystick.classical.joint_convexity import Distribution, distribution, hockey_stick
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.numerics.gauss import on_panels
from hockeystick.numerics.types import Array

TOLERANCE = 1e-14
DEPTH = 50
"""Halvings of a panel: enough to shrink one around a kink to nothing."""
PANEL_POINTS = 20
MOST_TERMS = 400_000


def profile_from_tails(upper: Profile, reverse_lower: Profile) -> Profile:
    """δ(ε) = Pr[L > ε] − e^ε·Pr[L' < −ε] (Balle, Barthe and Gaboardi 2018, Theorem 5).

    upper: ε to Pr[L > ε], L = log(μ/μ') of z ~ μ. reverse_lower: ε to Pr[L' < −ε], L' = log(μ'/μ)
    of z ~ μ'. The profile of a mechanism is the largest over its pairs (μ, μ').

    >>> response = profile_from_tails(lambda e: 0.75 * (e < 1.09), lambda e: 0.25 * (e < 1.09))
    >>> response(0.0)
    0.5
    """

    def profile(epsilon: float) -> float:
        e = finite_non_negative("epsilon", epsilon)
        below = reverse_lower(e)
        return max(0.0, upper(e) - (math.exp(e) * below if below else 0.0))

    return profile


def discrete_profile(first: Distribution, second: Distribution) -> Profile:
    """ε to H_{e^ε}(first‖second), for probabilities on the same outcomes.

    >>> discrete_profile([0.75, 0.25], [0.25, 0.75])(0.0)
    0.5
    """
    p, q = distribution("first", first), distribution("second", second)
    return lambda epsilon: hockey_stick(p, q, math.exp(finite_non_negative("epsilon", epsilon)))


def moment_generating_function(
    profile: Profile, s: complex, reverse_profile: Profile | None = None
) -> Any:
    """E[e^{sL}] = 1 + s(s+1)·∫_0^∞ (e^{sε}·δ(ε) + e^{−(s+1)ε}·δ'(ε)) dε.

    Balle, Barthe and Gaboardi (2018), Theorem 6. A float if s is real.

    profile: ε to δ(ε) of (μ, μ'). s: real or complex, Re s >= 0. reverse_profile: δ' of (μ', μ),
    the same as `profile` if it is not given. `NumericalError` if the integral does not converge.

    >>> from hockeystick.classical import laplace_profile
    >>> value = moment_generating_function(lambda e: laplace_profile(e, 1.0), 1.5)
    >>> round(value, 11)
    2.83183754345
    """
    if not (cmath.isfinite(s) and complex(s).real >= 0):
        raise ParameterError(f"s must be a number with a real part >= 0, got {s!r}")
    other = reverse_profile or profile

    def integrand(e: float) -> complex:
        ahead = profile(e)
        exponent = s * e + math.log(ahead) if ahead > 0 else -math.inf
        if exponent.real > 700:
            raise NumericalError("the integral of the profile does not converge within floats")
        return (cmath.exp(exponent) if ahead > 0 else 0.0) + cmath.exp(-(s + 1) * e) * other(e)

    if s == 0:
        return 1.0
    value = 1 + s * (s + 1) * _integral(integrand)
    return value if isinstance(s, complex) else value.real


def profile_from_moments(
    moments: Callable[[Array], Array], epsilon: float, abscissa: float | None = None
) -> float:
    """δ(ε) = 1/(2πi)·∫_{Re s = c} φ(s)·e^{−sε}/(s(s+1)) ds: Theorem 6 inverted.

    By the trapezoid rule, whose own error is Σ_{m≠0} e^{cmT}·δ(ε + mT) with period T. The moments
    must decay along the line (a continuous loss, or many of them composed): `NumericalError` if the
    tail after 400 000 terms is not below 1e-12 of the result.

    moments: s to φ(s) = E[e^{sL}], for arrays of complex numbers. epsilon: in [0, inf).
    abscissa: c in (0, inf), to the left of where φ is infinite; by default near the saddle point.

    >>> gaussian = lambda s: np.exp(s * (s + 1) / 2)
    >>> round(profile_from_moments(gaussian, 1.0), 12)
    0.126936737507
    """
    e = finite_non_negative("epsilon", epsilon)
    c = _saddle(moments, e) if abscissa is None else finite_positive("abscissa", abscissa)
    scale = math.log(abs(complex(moments(np.array([c + 0j]))[0]))) - c * e
    # Left aliases are below e^{−cT}, those on the right below e^{scale at λ − (λ − c)T}, λ > c.
    period = (math.log(1e16) + max(0.0, -scale)) / c + _right_period(moments, c, e, scale)
    step = 2 * math.pi / period
    total, last = 0.0, math.inf
    for start in range(0, MOST_TERMS, 1000):
        t = step * np.arange(start, start + 1000)
        s = c + 1j * t
        values = moments(s) * np.exp(-s * e - scale) / (s * (s + 1))
        total += float(values.real.sum()) - (0.5 * float(values[0].real) if start == 0 else 0.0)
        last = float(np.abs(values[-100:]).max()) * float(t[-1]) / step
        if last <= 1e-15 * abs(total):
            return max(0.0, math.exp(scale) * total * step / math.pi)
    if last <= 1e-12 * abs(total):
        return max(0.0, math.exp(scale) * total * step / math.pi)
    raise NumericalError(f"the moments do not decay along Re s = {c!r}: no profile at {e!r}")


def _right_period(
    moments: Callable[[Array], Array], c: float, epsilon: float, scale: float
) -> float:
    """A period beyond which the aliases on the right are below 1e-16 of the result."""
    ahead = c * (1 + 2.0 ** np.arange(-6.0, 3.0))
    with np.errstate(all="ignore"):
        logs = np.log(np.abs(moments(ahead + 0j))) - ahead * epsilon
        periods = (math.log(1e16) + np.maximum(logs - scale, 0)) / (ahead - c)
    finite = periods[np.isfinite(periods)]
    return float(finite.min()) if finite.size else 0.0


def _saddle(moments: Callable[[Array], Array], epsilon: float) -> float:
    """Where φ(c)·e^{−cε}/(c(c+1)) is about least, among powers of 2^{1/4}."""
    c = 2.0 ** np.arange(-6.0, 12.0, 0.25)
    with np.errstate(all="ignore"):
        heights = np.log(np.abs(moments(c + 0j))) - c * epsilon - np.log(c * (c + 1))
    heights = np.where(np.isfinite(heights), heights, math.inf)
    if np.isinf(heights.min()):
        raise NumericalError("the moments are infinite at every abscissa that was tried")
    return float(c[int(np.argmin(heights))])


def _integral(function: Callable[[float], complex]) -> complex:
    """Over [0, inf), on panels that double until they add nothing more."""
    total, low, high = 0j, 0.0, 0.5
    for _ in range(16):
        piece = _panel(function, low, high, TOLERANCE * max(1.0, abs(total)), DEPTH)
        total += piece
        if abs(piece) <= 1e-17 * abs(total):
            return total
        low, high = high, 2 * high
    raise NumericalError("the integral of the profile does not converge: the moment is infinite")


def _panel(
    function: Callable[[float], complex], low: float, high: float, tolerance: float, depth: int
) -> complex:
    middle = (low + high) / 2
    coarse, left, right = (
        _gauss(function, *ends) for ends in ((low, high), (low, middle), (middle, high))
    )
    fine = left + right
    if abs(fine - coarse) <= max(tolerance, TOLERANCE * abs(fine)) or depth == 0:
        return fine
    halves = ((low, middle), (middle, high))
    return sum((_panel(function, *ends, tolerance / 2, depth - 1) for ends in halves), 0j)


def _gauss(function: Callable[[float], complex], low: float, high: float) -> complex:
    points, weights = on_panels(np.array([low, high]), PANEL_POINTS)
    values = np.array([function(x) for x in points.tolist()])
    return complex(weights @ values)
