"""Zero-concentrated differential privacy: from Rényi curves to it, and from it to (ε, δ).

(ξ, ρ)-zCDP is ε(α) <= ξ + ρ·α at all α > 1 (Bun and Steinke 2016): two numbers in place of a curve,
which add up under composition. What they forget, the curve and the exact routes of this library
keep; `ZeroConcentratedDP` is a mechanism of which they are all that is known.
"""

from __future__ import annotations

import heapq
import math
from functools import cache
from itertools import pairwise

from hockeystick.checks import (
    Between,
    finite_non_negative,
    finite_positive,
    non_negative,
)
from hockeystick.classical.conversion import positive_delta
from hockeystick.classical.orders import Curve
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.small_delta import log_of

ABOVE_ONE = Between("(1, inf]")
FIRST_LAMBDA = 2.0**-30
"""Between the orders 1 and 1 + this, the curve is taken for its value at the latter."""
ROUGHLY = 1e-6
"""Relative accuracy of ρ."""
MOST_CELLS = 20_000
"""Pieces into which the orders are cut: some 3000 of them where the curve is a straight line."""


def zcdp_epsilon(rho: float, delta: float, xi: float = 0.0) -> float:
    """ε = ξ + ρ + 2·√(ρ·log(1/δ)) (Bun and Steinke 2016, Lemma 3.5).

    rho, xi: in [0, inf). delta: in (0, 1].

    >>> round(zcdp_epsilon(0.5, 1e-5), 9)
    5.298525912
    """
    r, target = finite_non_negative("rho", rho), positive_delta(delta)
    return finite_non_negative("xi", xi) + r + 2 * math.sqrt(r * -log_of(target))


def zcdp_delta(rho: float, epsilon: float, xi: float = 0.0) -> float:
    """δ = e^{−(ε − ξ − ρ)²/(4ρ)}, 1 below ε = ξ + ρ: the inverse of `zcdp_epsilon`.

    rho, xi: in [0, inf). epsilon: in [0, inf].

    >>> round(zcdp_delta(0.5, zcdp_epsilon(0.5, 1e-5)), 12)
    1e-05
    """
    r, e = finite_non_negative("rho", rho), non_negative("epsilon", epsilon)
    over = e - finite_non_negative("xi", xi) - r
    if over < 0:
        return 1.0
    return math.exp(-over * over / (4 * r)) if r else 0.0


def zcdp_within(epsilon: float, delta: float, xi: float = 0.0) -> float:
    """The largest ρ whose (ξ, ρ)-zCDP `zcdp_epsilon` turns into (ε, δ): (√(ε − ξ + L) − √L)².

    L = log(1/δ). epsilon: in [0, inf). delta: in (0, 1]. xi: in [0, epsilon].

    >>> round(zcdp_epsilon(zcdp_within(1.0, 1e-6), 1e-6), 12)
    1.0
    """
    e, target = finite_non_negative("epsilon", epsilon), positive_delta(delta)
    room = e - finite_non_negative("xi", xi)
    if room < 0:
        raise ParameterError(f"xi must be in [0, epsilon], got {xi!r} with epsilon = {epsilon!r}")
    needed = -log_of(target)
    root = room / (math.sqrt(room + needed) + math.sqrt(needed)) if room else 0.0
    return root * root


def zcdp_of_pure(epsilon: float) -> float:
    """ρ = ε²/2 of every ε-DP mechanism (Bun and Steinke 2016, Proposition 3.3).

    epsilon: in [0, inf).

    >>> zcdp_of_pure(1.0)
    0.5
    """
    return finite_non_negative("epsilon", epsilon) ** 2 / 2


def zcdp_of_curve(curve: Curve, xi: float = 0.0, *, omega: float = math.inf) -> float:
    """The least ρ with ε(α) <= ξ + ρ·α for all α in (1, ω], to 1e-6 of itself and from above.

    From a Rényi curve, or K(λ) = λ·ε(1 + λ) <= λ·ξ + λ·(λ + 1)·ρ, to zCDP (Wang, Balle and
    Kasiviswanathan 2019, Remark 8); with a finite ω it is ω-truncated. Between the orders that are
    asked for, K is taken for its chords, below which it lies because it is convex.

    curve: α to ε(α), a true curve and not only a bound of one, in (1, inf]. xi: in [0, inf).
    omega: in (1, inf]; inf needs a finite ε(∞).

    >>> round(zcdp_of_curve(lambda order: order / 2, omega=100.0), 5)
    0.5
    >>> from hockeystick import Laplace
    >>> zcdp_of_curve(Laplace(1.0).rdp) < zcdp_of_pure(1.0)
    True
    """
    x, last = finite_non_negative("xi", xi), ABOVE_ONE("omega", omega)
    top = _value(curve, last)
    if math.isinf(top):
        raise ParameterError(
            f"curve must be finite at omega = {last!r}: give the largest order that is to hold, "
            "as omega="
        )
    if top <= x:
        return 0.0
    return _largest(cache(curve), x, last, top)


def _largest(curve: Curve, xi: float, omega: float, top: float) -> float:
    """sup (ε(α) − ξ)/α, from cells of orders that are halved where the supremum may be."""
    known = _value(curve, 1 + FIRST_LAMBDA)
    best = max((known - xi) / (1 + FIRST_LAMBDA), 0.0)
    first, rest = known - xi, 0.0
    edges = [FIRST_LAMBDA]
    while edges[-1] + 1 < omega:
        step = min(2 * edges[-1], omega - 1)
        if math.isinf(omega) and top - xi <= best * (1 + edges[-1]):
            rest = (top - xi) / (1 + edges[-1])
            break
        edges.append(step)
        best = max(best, (_value(curve, 1 + step) - xi) / (1 + step))
    heap = [(-_over_cell(curve, xi, *cell), cell) for cell in pairwise(edges)]
    heapq.heapify(heap)
    for _ in range(MOST_CELLS):
        if not heap or -heap[0][0] <= best * (1 + ROUGHLY):
            bounds = [first, rest, best, *(-bound for bound, _ in heap[:1])]
            return max(bounds) * (1 + 4e-16)
        _, (low, high) = heapq.heappop(heap)
        middle = math.sqrt(low * high)
        best = max(best, (_value(curve, 1 + middle) - xi) / (1 + middle))
        for cell in ((low, middle), (middle, high)):
            heapq.heappush(heap, (-_over_cell(curve, xi, *cell), cell))
    raise NumericalError("the curve is too rough for its zCDP to be found")


def _over_cell(curve: Curve, xi: float, low: float, high: float) -> float:
    """The largest of (K/λ − ξ)/(1 + λ) if K were its chord k₀ + k₁·λ, with k₀ <= 0."""
    one, other = low * _value(curve, 1 + low), high * _value(curve, 1 + high)
    slope = (other - one) / (high - low) - xi
    start = min(one - (slope + xi) * low, 0.0)

    def ratio(x: float) -> float:
        return (slope + start / x) / (1 + x)

    places = [low, high]
    if slope > 0:
        places.append((-start + math.sqrt(start * start - slope * start)) / slope)
    by_chord = max(ratio(x) for x in places if low <= x <= high)
    return min(by_chord, (other / high - xi) / (1 + low)) if other > xi * high else by_chord


def _value(curve: Curve, order: float) -> float:
    value = float(curve(order))
    if not value >= 0:
        raise ParameterError(f"curve must have values in [0, inf], got {value!r} at {order!r}")
    return value


# the classical bound for Gaussian noise ----------------------------------------------------------


def classical_gaussian_epsilon(shift: float, delta: float) -> float:
    """ε = θ·√(2·log(1.25/δ)) where that is below 1, else inf: it is not proven there.

    Dwork and Roth (2014, Theorem A.1): σ² >= 2·log(1.25/δ)·(Δ/ε)² for ε in (0, 1), as Balle, Barthe
    and Gaboardi (2018, Section 3) quote it before Theorem 4, which is exact.

    shift: θ = Δ/σ in [0, inf). delta: in (0, 1].

    >>> round(classical_gaussian_epsilon(0.1, 1e-5), 9)
    0.484480526
    >>> classical_gaussian_epsilon(1.0, 1e-5)
    inf
    """
    theta = finite_non_negative("shift", shift)
    epsilon = theta * math.sqrt(2 * (math.log(1.25) - log_of(positive_delta(delta))))
    return epsilon if epsilon < 1 else math.inf


def classical_gaussian_noise(epsilon: float, delta: float) -> float:
    """σ/Δ = √(2·log(1.25/δ))/ε: the noise that the classical bound asks for.

    epsilon: in (0, 1). delta: in (0, 1].

    >>> round(classical_gaussian_noise(0.5, 1e-5), 9)
    9.689610525
    """
    e = Between("(0, 1)")("epsilon", finite_positive("epsilon", epsilon))
    return math.sqrt(2 * (math.log(1.25) - log_of(positive_delta(delta)))) / e
