"""The queries of the analytical moments accountant: from a CGF, asked at any λ, to ε or δ.

K(λ) = log E[e^{λL}] of the privacy loss L adds up under composition, and each λ > 0 gives

    ε = (K(λ) + log(1/δ))/λ      δ = e^{K(λ) − λε}

(Wang, Balle and Kasiviswanathan 2019, (2.2) and (2.3); λ is the Rényi order less one). As K is
convex with K(0) = 0, either has one valley in λ: doubling finds two points around its lowest point
and golden sections close in. Every λ gives a valid answer, so a search that stops early, or goes
astray on a K that is only an upper bound, costs tightness and never safety.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from hockeystick.checks import finite_positive, non_negative, probability
from hockeystick.errors import ParameterError
from hockeystick.numerics.minimise import in_valley

Cgf = Callable[[float], float]
"""λ in (0, inf) to K(λ) in [0, inf]."""
ROUNDING = 2.0**-50
"""Covers the rounding of a few operations."""
BELOW_FLOATS = -800.0
"""log of a δ that no float can hold; smaller ones are not told apart."""
HUGE = 1e100
"""An ε beyond which there is nothing to gain."""


def get_epsilon(
    cgf: Cgf, delta: float, *, tolerance: float = 1e-8, largest_loss: float = math.inf
) -> float:
    """The smallest ε that one λ gives: min over λ of (K(λ) + log(1/δ))/λ, rounded up.

    Algorithm 5 of Wang, Balle and Kasiviswanathan (2019), in O(log(λ*/τ)) evaluations of K for a
    best λ of λ* >= 1 (their Proposition 23).

    Parameters
    ----------
    cgf: λ to K(λ) or an upper bound of it, such as `Accountant.cgf`; where it raises
        `NumericalError`, that λ is not used.
    delta: in [0, 1]. tolerance: τ in (0, inf), how near to λ* the search comes: |λ − λ*| <= τ, and
        τ·λ* below λ* = 1. largest_loss: the loss that is never exceeded, ε(∞), in [0, inf].

    >>> round(get_epsilon(lambda x: x * (x + 1) / 2, 1e-5), 9)  # one Gaussian, σ = 1
    5.298525912
    """
    target, most = probability("delta", delta), non_negative("largest_loss", largest_loss)
    if target == 1:
        return 0.0
    if target == 0:
        return most
    needed, near = -math.log(target), finite_positive("tolerance", tolerance)
    _, least = in_valley(lambda x: (_value(cgf, x) + needed) / x, near)
    return min(most, least * (1 + ROUNDING))


def get_delta(
    cgf: Cgf, epsilon: float, *, tolerance: float = 1e-8, largest_loss: float = math.inf
) -> float:
    """The smallest δ that one λ gives: min over λ of e^{K(λ) − λε}, at most 1, rounded up.

    cgf, tolerance, largest_loss: as in `get_epsilon`. epsilon: in [0, inf].

    >>> round(get_delta(lambda x: x * (x + 1) / 2, 5.298525912), 12)
    1e-05
    """
    budget, most = non_negative("epsilon", epsilon), non_negative("largest_loss", largest_loss)
    if budget >= most and math.isfinite(most):
        return 0.0
    budget = min(budget, HUGE)

    def log_delta(x: float) -> float:
        k, share = _value(cgf, x), x * budget
        return max(BELOW_FLOATS, k - share + ROUNDING * (k + share))

    _, least = in_valley(log_delta, finite_positive("tolerance", tolerance))
    return min(1.0, math.exp(min(least, 0.0)) * (1 + ROUNDING) + 5e-324)


def _value(cgf: Cgf, x: float) -> float:
    k = float(cgf(x))
    if not k >= 0:
        raise ParameterError(f"cgf must have values in [0, inf], got {k!r} at {x!r}")
    return k
