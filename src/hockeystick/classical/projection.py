"""The best CGF bound that follows from any bound: Proposition 24 of the moments accountant.

A true K is convex with K(0) = 0, and nowhere steeper than the largest loss ε(∞). So K <= K̄ implies
K <= F[K̄] <= K̄, where F[K̄] is the largest function of that kind that is nowhere above K̄. It
increases, and so does F[K̄](λ)/λ (Wang, Balle and Kasiviswanathan 2019, Proposition 24, which has
F[K̄] <= K by a slip). On F[K̄] the searches of the moments accountant meet one valley, on K̄ maybe
several; their minimum is the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hockeystick.checks import finite_non_negative, finite_positive, non_negative
from hockeystick.classical.moments_accountant import Cgf
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.numerics.types import Array

CLOSER = 8
ROUNDS = 8
"""As often the ends of a straight part of the projection are looked for, 8 times closer each."""
UP = 1 + 2.0**-50
"""Covers the rounding of an interpolation between positive numbers."""


def project_points(
    lambdas: Sequence[float] | Array,
    bounds: Sequence[float] | Array,
    *,
    largest_loss: float = math.inf,
) -> Cgf:
    """F[K̄] of a bound that is known at some λ only: the lower convex hull of its points and (0, 0).

    Beyond the last λ it rises by ε(∞) per unit of λ, or at once to inf if that is not known.

    Parameters
    ----------
    lambdas: in (0, inf), in any order. bounds: K̄ at each, in [0, inf]; inf where nothing is known.
    largest_loss: ε(∞), in [0, inf].

    >>> projected = project_points([1, 2, 3, 4], [1.0, 5.0, 6.0, 10.0])
    >>> [round(projected(x), 9) for x in (0, 1, 2, 3, 4, 5)]
    [0.0, 1.0, 3.5, 6.0, 10.0, inf]
    """
    x, y = np.asarray(lambdas, dtype=float), np.asarray(bounds, dtype=float)
    if x.ndim != 1 or x.shape != y.shape:
        raise ParameterError(
            f"lambdas and bounds must be two lists of the same length, got {x.shape} and {y.shape}"
        )
    points: dict[float, float] = {}
    for each, bound in zip(x.tolist(), y.tolist(), strict=True):
        where = finite_positive("lambda", each)
        points[where] = min(non_negative("bound", bound), points.get(where, math.inf))
    return _hull(points, non_negative("largest_loss", largest_loss))


def project_cgf(
    cgf: Cgf, lambdas: Sequence[float] | Array, *, largest_loss: float = math.inf
) -> Cgf:
    """F[K̄] of a bound that is a function of λ.

    First the hull of its values at `lambdas`, then of more values near the ends of each straight
    part, and last the smaller of the hull and K̄ itself. So it is never above K̄ and never below K
    anywhere, and convex unless K̄ is not convex between two neighbours of `lambdas` on the hull.

    Parameters
    ----------
    cgf: λ to K̄(λ) in [0, inf]; where it raises `NumericalError`, nothing is known.
    lambdas: where to look first, in (0, inf). largest_loss: ε(∞), in [0, inf].

    >>> bumpy = project_cgf(lambda x: x * x + max(0.0, 1 - abs(x - 3)), range(1, 10))
    >>> bumpy(1.5), round(bumpy(3), 9), bumpy(8.5)  # a chord from 2.5 to 3.5
    (2.25, 9.75, 72.25)
    """

    def bound(x: float) -> float:
        try:
            return non_negative("cgf", cgf(x))
        except NumericalError:
            return math.inf

    steepest = non_negative("largest_loss", largest_loss)
    asked = {finite_positive("lambda", x): bound(x) for x in map(float, lambdas)}
    if not asked:
        raise ParameterError("lambdas must hold at least one number, got none")
    for _ in range(ROUNDS):
        closer = _around_straight_ends(sorted(asked), {x for x, _ in _corners(asked, steepest)})
        asked |= {x: bound(x) for x in closer if x not in asked}
    hull = _hull(asked, steepest)
    return lambda x: min(hull(x), bound(x)) if x > 0 else 0.0


def _corners(points: dict[float, float], steepest: float) -> list[tuple[float, float]]:
    """The corners of the lower convex hull of the points, (0, 0) and slopes up to the steepest."""
    corners = [(0.0, 0.0)]
    for point in sorted(points.items()):
        while len(corners) > 1 and _slope(corners[-2], point) <= _slope(corners[-2], corners[-1]):
            corners.pop()
        if _slope(corners[-1], point) <= steepest and math.isfinite(point[1]):
            corners.append(point)
    return corners


def _slope(one: tuple[float, float], other: tuple[float, float]) -> float:
    return (other[1] - one[1]) / (other[0] - one[0])


def _hull(points: dict[float, float], steepest: float) -> Cgf:
    """The hull as a function, with the given bounds themselves at the given points."""
    x, y = np.array(_corners(points, steepest)).T

    def value(at: float) -> float:
        where = finite_non_negative("lambda", at)
        inside = float(np.interp(where, x, y))
        beyond = steepest * float(where - x[-1]) if where > x[-1] else 0.0
        return min((inside + beyond) * UP, points.get(where, math.inf))

    return value


def _around_straight_ends(asked: list[float], corners: set[float]) -> list[float]:
    """Points between each corner and its neighbours, if one of these is above the hull."""
    closer: list[float] = []
    for left, middle, right in zip([0.0, *asked], asked, [*asked[1:], asked[-1]], strict=False):
        if middle in corners and not {left, right} <= corners:
            for a, b in ((left, middle), (middle, right)):
                closer += np.linspace(a, b, CLOSER + 1)[1:-1].tolist()
    return closer
