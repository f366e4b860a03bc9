"""From a Rényi curve to ε or δ: for mechanisms of which nothing else is known.

For one order α the conversion of Canonne, Kamath and Steinke (2020, Proposition 12) is used, with
the best α. Then all orders and both directions at once: by data processing any event has
probabilities (p, q) with binary Rényi divergences within the curve, so that

    δ(ε) = max { p − e^ε·q :  D_α(p‖q) <= ε(α) and D_α(q‖p) <= ε'(α) for all α }

which is the least δ that follows from the curve (Asoodeh et al. 2021). A finite set of orders gives
an upper bound; the set of (p, q) is convex, so the maximum is found by one search over p.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.series import EPS, Array
from hockeystick.routes.base import Route
from hockeystick.routes.event_set import LeastLogQ, event_set

Curve = Callable[[Array], tuple[Array, Array]]
"""Orders to Rényi divergences of the pair and of its reverse."""

NAME = "renyi"
LOG_P = np.linspace(-740.0, 0.0, 192)
SAFE = 1e-9
"""Relative margin for the searches, which stop that near the optimum."""


def epsilon(curve: Curve, delta: float) -> Interval:
    """The least ε that follows from the curve."""
    if delta == 0:
        top = max(float(side[0]) for side in curve(np.array([math.inf])))
        return Interval(0.0, max(0.0, top * (1 + 4 * EPS)), NAME)  # losses and sums are rounded

    def convert(orders: Array, values: Array) -> Array:
        return np.asarray(values + np.log1p(-1 / orders) - np.log(delta * orders) / (orders - 1))

    upper = -math.inf
    for sides in _Directions(curve):
        order, single = _best_order(partial(_converted, sides, convert), upper)
        if single <= upper:
            continue
        joint = _search(_events(sides, order), lambda p, log_q: _log_ratio(p - delta, log_q), delta)
        upper = max(upper, min(single, joint))
    return Interval(0.0, max(0.0, upper * (1 + SAFE) if upper > 0 else 0.0), NAME)


def epsilon_at_log_delta(curve: Curve, log_delta: float) -> Interval:
    """The least ε that one order of the curve gives at a δ that is too small for a float.

    ε(α) + log(1 − 1/α) − (log δ + log α)/(α − 1), of the worse direction; at most what δ = 0 takes.
    """

    def convert(orders: Array, values: Array) -> Array:
        shift = (log_delta + np.log(orders)) / (orders - 1)
        return np.asarray(values + np.log1p(-1 / orders) - shift)

    upper = 0.0
    for sides in _Directions(curve):
        upper = max(upper, _best_order(partial(_converted, sides, convert), upper)[1])
    return Interval(0.0, min(upper * (1 + SAFE), epsilon(curve, 0.0).upper), NAME)


def log_delta_at(curve: Curve, epsilon: float) -> Interval:
    """log of the least δ that one order of the curve gives, also where no float holds δ."""
    upper = -math.inf
    for sides in _Directions(curve):
        upper = max(upper, _best_order(partial(_log_converted, sides, epsilon), upper)[1])
    return Interval(-math.inf, min(0.0, upper), NAME)


def _log_converted(curve: Curve, epsilon: float, orders: Array) -> Array:
    s, values = orders - 1, curve(orders)[0]
    rounding = 16 * EPS * s * (values + epsilon)
    return np.asarray(s * (values - epsilon + np.log1p(-1 / orders)) - np.log(orders) + rounding)


def delta(curve: Curve, epsilon: float) -> Interval:
    """The least δ that follows from the curve."""
    upper = 0.0
    for sides in _Directions(curve):
        enough = math.log(upper) if upper else -math.inf
        order, log_single = _best_order(partial(_log_converted, sides, epsilon), enough)
        if log_single <= enough:
            continue
        single = math.exp(min(log_single, 0.0))
        joint = _search(_events(sides, order), lambda p, log_q: _excess(p, log_q, epsilon), 0.0)
        upper = max(upper, min(single, joint) if single > 0 else 5e-324)
    return Interval(0.0, min(1.0, upper * (1 + SAFE)), NAME)


def _converted(curve: Curve, convert: Callable[[Array, Array], Array], orders: Array) -> Array:
    return convert(orders, curve(orders)[0])


class _Directions:
    """The curve, then the curve the other way round unless that was the same wherever asked; each
    order is asked for once."""

    def __init__(self, curve: Curve) -> None:
        self._curve = curve
        self._values: dict[float, list[float]] = {}

    def __iter__(self) -> Iterator[Curve]:
        yield self._first
        if any(one != other for one, other in self._values.values()):
            yield self._second

    def _first(self, orders: Array) -> tuple[Array, Array]:
        asked = orders.tolist()
        new = np.array([order for order in asked if order not in self._values])
        if new.size:
            both = _where_known(self._curve, new)
            self._values.update(zip(new.tolist(), both.T.tolist(), strict=True))
        one, other = np.array([self._values[order] for order in asked]).T
        return one, other

    def _second(self, orders: Array) -> tuple[Array, Array]:
        one, other = self._first(orders)
        return other, one


def _where_known(curve: Curve, orders: Array) -> Array:
    """Both directions, inf at orders where a divergence cannot be computed: those are not used."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.array(curve(orders))
        return np.where(np.isnan(values), math.inf, values)
    except NumericalError:
        if orders.size == 1:
            return np.full((2, 1), math.inf)
        half = orders.size // 2
        parts = (_where_known(curve, some) for some in (orders[:half], orders[half:]))
        return np.concatenate(list(parts), axis=1)


def _log_ratio(top: Array, log_bottom: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(top > 0, np.log(top) - log_bottom, -math.inf)


def _excess(p: Array, log_q: Array, epsilon: float) -> Array:
    """p − e^ε·q."""
    with np.errstate(invalid="ignore"):  # what Q never does stays 0, also times e^inf
        exponent = np.where(np.isneginf(log_q), log_q, epsilon + log_q)
    return np.asarray(p - np.exp(np.minimum(exponent, 700.0)))


def _best_order(objective: Callable[[Array], Array], enough: float) -> tuple[float, float]:
    """The order that minimises, by ever finer geometric grids of order − 1, and the minimum; or the
    first that is `enough`, because the other direction costs that much."""
    exponents = np.arange(-14.0, 12.5, 0.5)
    best = (math.inf, 2.0)
    for _ in range(8):
        orders = 1 + 2.0**exponents
        with np.errstate(over="ignore", invalid="ignore"):
            values = objective(orders)
        values = np.where(np.isnan(values), math.inf, values)
        i = int(np.argmin(values))
        best = min(best, (float(values[i]), float(orders[i])))
        if best[0] <= enough:
            break
        width = exponents[1] - exponents[0]
        if i == len(orders) - 1 and width == 0.5 and exponents[-1] < 48:
            exponents = exponents[-1] + np.arange(0.0, 12.5, 0.5)
            continue
        exponents = np.linspace(exponents[i] - width, exponents[i] + width, 17)
    return best[1], best[0]


def _events(curve: Curve, order: float) -> LeastLogQ:
    """The least q that the curve allows for each p, by orders around the best."""
    orders = 1 + (order - 1) * 2.0 ** np.linspace(-4, 1, 21)
    return event_set(orders, *curve(orders))


def _search(
    least: LeastLogQ,
    goal: Callable[[Array, Array], Array],
    delta: float,
) -> float:
    """The maximum of the goal over p in (delta, 1), by ever finer grids: it has one peak.

    Left of the peak the goal grows no faster than log(p − delta) if delta > 0, else no faster than
    p, because the least q grows with p; so the last width bounds what the grid has missed.
    inf where no event was found, as happens below the smallest positive float: no bound then.
    """
    # With delta = 0 the goal is concave in p and 0 at 0: where it is positive, it is so below too.
    grid = np.linspace(-12.0, max(-math.log(delta), 1.0), 96) if delta else LOG_P
    best = -math.inf
    for _ in range(9):
        p = delta * (1 + np.exp(grid)) if delta else np.exp(grid)
        p = np.minimum(p, 1 - 1e-16)
        values = goal(p, least(p))
        i = int(np.argmax(values))
        best = max(best, float(values[i]))
        width = grid[1] - grid[0]
        grid = np.linspace(grid[i] - width, grid[i] + width, 48)
        grid = np.minimum(grid, -math.log(delta) if delta else 0.0)
    best += 2 * float(width) * (1.0 if delta else float(p[i]))
    return best if best > -math.inf else math.inf


def curve_of(loss: ComposedLoss) -> Curve:
    """The Rényi curve of one direction; what is known of the reverse is not used."""

    def curve(orders: Array) -> tuple[Array, Array]:
        unknown = np.full(orders.shape, math.inf)
        if loss.infinite:
            return unknown, unknown
        return loss.cgf(orders - 1).real / (orders - 1), unknown

    return curve


ROUTE = Route(
    NAME,
    "Rényi divergences, converted to (epsilon, delta) at the best orders",
    lambda loss, at: epsilon(curve_of(loss), at),
    lambda loss, at: delta(curve_of(loss), at),
)
