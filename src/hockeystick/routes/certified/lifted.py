"""Integrals of f·e^{itL} over a range with ends, for every t up to a reach, on a lifted path.

By Cauchy the integral over [start, stop] is that over start → start+ia → stop+ia → stop, where
Im L >= 0 makes e^{itL} at most 1 (Theorem 13).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import lru_cache

import numpy as np
from flint import acb, arb, ctx

from hockeystick.errors import CannotCertify
from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import only_if
from hockeystick.routes.certified.law import Nodes, Rule

RHO = np.array([1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 14, 20, 30, 50, 100])
"""Sizes of the ellipses that are tried."""
PIECES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 512, 1024)
HEIGHTS = 3.0 ** -np.arange(6)
"""Of the path, in units of the highest: an integrand of a large order needs a low one."""
LEAST_PER_PANEL = 4
EDGE_RHO = 5
"""Of the panels of an edge: [y, 2y] then has an ellipse above the real axis."""
MOST_NODES = 20_000
MOST_PER_PANEL, DEEPEST = 1000, 200
"""Of points, and of halvings towards an edge: a certificate that asks for more is refused."""


class Integrand(ABC):
    """f and L on [start, stop], with L = sign·log v: analytic, real on the real axis."""

    start: arb
    stop: arb
    stops: bool
    """Whether `stop` is an edge, too; if not, all beyond it is bounded elsewhere."""
    slope: float
    """At least |Im log v|/|Im z|."""
    sign: int
    bend: arb
    """At least (log f)'' on the real axis."""

    @abstractmethod
    def growth(self, place: arb) -> arb:
        """(log v)' at a place."""

    @abstractmethod
    def value(self, z: acb) -> tuple[acb, acb]:
        """f and log v."""

    @abstractmethod
    def most(self, left: arb, right: arb, height: arb) -> arb:
        """At least |f| for Re z in [left, right] and |Im z| <= height."""

    @abstractmethod
    def log_most(self, left: Array, right: Array, height: Array) -> Array:
        """About its logarithm, in floats."""


def planned_path(f: Integrand, reach: float, log_tolerance: float) -> Rule:
    """Floats: how high, how many panels of an edge, and those of the lifted part."""
    start, stop = float(f.start), float(f.stop)
    highest = min(1.4 / f.slope, max(0.3, stop - start), 2.0)
    best: tuple[float, Rule] | None = None
    for height in map(float, highest * HEIGHTS):
        depth = max(2, math.ceil(math.log2(max(reach * f.slope * height / 4, 1.0))) + 1)
        edges = [start, stop] if f.stops else [start]
        points = max(_edge_points(f, edge, height, depth, log_tolerance) for edge in edges)
        panels = _panels(f, start, stop, height, log_tolerance)
        count = len(edges) * (depth + 1) * points + sum(n for n, _ in panels)
        if points > MOST_PER_PANEL or not panels:
            continue
        if best is not None and count > 0.7 * best[0]:
            break
        rule = {"height": height, "points": points, "depth": depth, "panels": panels}
        best = count, {"reach": reach, **rule}
    if best is None:
        raise CannotCertify(
            f"a quadrature over losses from {start:.3g} to {stop:.3g} would take too many points"
        )
    return best[1]


def _edge_points(f: Integrand, edge: float, height: float, depth: int, log_tolerance: float) -> int:
    """Floats: points of each panel of an edge, so that all err little enough."""
    y = height / 2.0 ** np.minimum(np.arange(1, depth + 2), depth)
    size = f.log_most(edge - 1.2 * y, edge + 1.2 * y, np.minimum(2.8 * y, 3.1 / f.slope))
    need = float(np.max(size + np.log(y))) + math.log(depth + 1) + 7.0 - log_tolerance
    return 2 * max(2, math.ceil(need / (4 * math.log(EDGE_RHO)) + 1))


def _panels(
    f: Integrand, start: float, stop: float, height: float, log_tolerance: float
) -> list[list[float]]:
    """The number of points and the ellipse of each of equal panels: the fewest in all; none where
    that is too many."""
    best: tuple[float, list[list[float]]] | None = None
    wide, high = (RHO + 1 / RHO) / 2, (RHO - 1 / RHO) / 2
    for pieces in PIECES:
        if best is not None and LEAST_PER_PANEL * pieces > best[0]:
            break
        half = (stop - start) / 2 / pieces
        middle = (start + (2 * np.arange(pieces) + 1) * half)[:, None]
        up = np.minimum(half * high, 0.98 * height) + 0 * middle
        size = f.log_most(middle - half * wide, middle + half * wide, height + up)
        need = size + math.log(half) + 1.5 - log_tolerance + math.log(pieces)
        points = np.maximum(np.ceil(need / (2 * np.log(RHO))) + 1, LEAST_PER_PANEL)
        far = (half * high > 0.97 * height) | (points > MOST_PER_PANEL)
        points = np.where(far, math.inf, points)
        choice = points.argmin(axis=1)
        chosen = points[np.arange(pieces), choice]
        if np.isfinite(chosen).all() and (best is None or chosen.sum() < best[0]):
            rows = [[2 * math.ceil(n / 2), float(RHO[k])] for n, k in zip(chosen, choice)]  # noqa: B905
            best = float(chosen.sum()), rows
    return [] if best is None or best[0] > MOST_NODES else best[1]


@lru_cache(maxsize=64)
def _gauss(points: int, bits: int) -> list[tuple[arb, arb]]:
    only_if(2 <= points <= MOST_PER_PANEL and points % 2 == 0, "an even number of points")
    half = [arb.legendre_p_root(points, k, weight=True) for k in range(points // 2)]
    return half + [(-x, w) for x, w in half]


def gauss_error(most: arb, rho: arb, points: int) -> arb:
    """Theorem 4: of the rule on [−1, 1], for |f| <= most in the ellipse of size ρ:
    64/15·most·ρ^{−2n}/(1 − ρ^{−2}), n >= 2 points."""
    return arb(64) / 15 * most * rho ** (-2 * points) / (1 - rho**-2)


def on_path(f: Integrand, rule: Rule) -> Nodes:
    """Theorem 13: the nodes on all parts of the path."""
    only_if(rule["height"] > 0 and 1 <= rule["depth"] <= DEEPEST, "a path above the real axis")
    only_if(0 < len(rule["panels"]) <= MOST_NODES and f.stop > f.start, "panels of a range")
    weights, losses, error = _raised(f, rule)
    turns = [(f.start, acb(0, 1)), (f.stop, acb(0, -1))]
    for edge, turn in turns if f.stops else turns[:1]:
        more = _edge(f, rule, edge, turn)
        weights, losses, error = weights + more[0], losses + more[1], error + more[2]
    if f.sign < 0:  # below the real axis, where −log v has a positive imaginary part
        weights = [weight.conjugate() for weight in weights]
        losses = [-loss.conjugate() for loss in losses]
    return Nodes(weights, losses, error, rule["reach"])


def _raised(f: Integrand, rule: Rule) -> tuple[list[acb], list[acb], arb]:
    """Panels at height a, whose ellipses stay between 0 and 2a."""
    weights, losses, error, a = [], [], arb(0), arb(rule["height"])
    half = (f.stop - f.start) / 2 / len(rule["panels"])
    for i, (points, size) in enumerate(rule["panels"]):
        middle, rho = f.start + (2 * i + 1) * half, arb(size)
        for x, w in _gauss(int(points), ctx.prec):
            value, log_v = f.value(acb(middle + half * x, a))
            weights.append(half * w * value)
            losses.append(log_v)
        wide, high = half * (rho + 1 / rho) / 2, half * (rho - 1 / rho) / 2
        only_if(high <= a and rho > 1, "an ellipse above the real axis")
        most = f.most(middle - wide, middle + wide, a + high)
        error += half * gauss_error(most, rho, int(points))
    return weights, losses, error


def _edge(f: Integrand, rule: Rule, edge: arb, turn: acb) -> tuple[list[acb], list[acb], arb]:
    """Panels [y, 2y] upwards, whose ellipses reach from 0.2y to 2.8y, 1.2y to either side; the
    first, [0, y], has one that goes down to −0.8y, where e^{itL} may grow."""
    weights, losses, error = [], [], arb(0)
    points, depth, reach = int(rule["points"]), int(rule["depth"]), arb(rule["reach"])
    for k in range(depth + 1):
        last = k == depth
        y = arb(rule["height"]) / 2 ** (k if last else k + 1)
        low = arb(0) if last else y
        for x, w in _gauss(points, ctx.prec):
            value, log_v = f.value(acb(edge, low + y / 2 * (1 + x)))
            weights.append(turn * y / 2 * w * value)
            losses.append(log_v)
        most = f.most(edge - arb("1.2") * y, edge + arb("1.2") * y, arb("2.8") * y)
        if last:
            most *= (reach * arb(f.slope) * arb("0.8") * y).exp()
        error += y / 2 * gauss_error(most, arb(EDGE_RHO), points)
    return weights, losses, error
