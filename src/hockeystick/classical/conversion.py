"""From Rényi divergences to (ε, δ).

One order at a time: `mironov_*` is the papers' form, `improved_*` the least that follows from one
divergence by a closed form; both accept arrays. Any order gives a valid bound, so a search over
orders needs no care. `optimal_*` use all orders and both directions at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hockeystick.checks import Between, finite_positive, non_negative
from hockeystick.classical.orders import Curve
from hockeystick.errors import ParameterError
from hockeystick.numerics.minimise import at_each, closer
from hockeystick.numerics.types import Array
from hockeystick.routes import renyi
from hockeystick.small_delta import SmallDelta, given, log_of

POSITIVE_PROBABILITY = Between("(0, 1]")
Conversion = Callable[[Any, Any, float], Any]
"""order, divergence, δ to ε."""


def mironov_epsilon(order: Any, divergence: Any, delta: float) -> Any:
    """ε = ε(α) + log(1/δ)/(α − 1) (Mironov 2017, Proposition 3).

    order: α in (1, inf). divergence: ε(α) in [0, inf]. delta: in (0, 1].

    >>> round(mironov_epsilon(5.0, 2.5, 1e-5), 9)
    5.378231366
    """
    alpha, value, target = _checked(order, divergence, delta)
    return _plain(value - log_of(target) / (alpha - 1))


def improved_epsilon(order: Any, divergence: Any, delta: float) -> Any:
    """ε = ε(α) + log(1 − 1/α) − log(δ·α)/(α − 1), at least 0.

    Balle, Barthe, Gaboardi, Hsu and Sato (2020, Theorem 21); Canonne, Kamath and Steinke (2020,
    Proposition 12). order: α in (1, inf). divergence: ε(α) in [0, inf]. delta: in (0, 1].

    >>> round(improved_epsilon(5.0, 2.5, 1e-5), 9)
    4.752728337
    """
    alpha, value, target = _checked(order, divergence, delta)
    return _plain(
        np.maximum(
            0.0, value + np.log1p(-1 / alpha) - (log_of(target) + np.log(alpha)) / (alpha - 1)
        )
    )


def mironov_delta(order: Any, divergence: Any, epsilon: float) -> Any:
    """δ = e^{(α−1)·(ε(α) − ε)}, at most 1 (Mironov 2017, Proposition 3).

    order: α in (1, inf). divergence: ε(α) in [0, inf]. epsilon: in [0, inf].

    >>> round(mironov_delta(5.0, 2.5, 5.0), 12)
    4.539993e-05
    """
    alpha, value, _ = _checked(order, divergence, 1.0)
    return _plain(np.exp(np.minimum(0.0, (alpha - 1) * (value - non_negative("epsilon", epsilon)))))


def improved_delta(order: Any, divergence: Any, epsilon: float) -> Any:
    """δ = e^{(α−1)·(ε(α) − ε + log(1 − 1/α))}/α, at most 1.

    The inverse of `improved_epsilon`. order: α in (1, inf). divergence: ε(α) in [0, inf].
    epsilon: in [0, inf].

    >>> round(improved_delta(5.0, 2.5, 5.0), 12)
    3.719162e-06
    """
    alpha, value, _ = _checked(order, divergence, 1.0)
    shifted = value - non_negative("epsilon", epsilon) + np.log1p(-1 / alpha)
    return _plain(np.exp(np.minimum(0.0, (alpha - 1) * shifted - np.log(alpha))))


def pearson_vajda_delta(order: Any, log_moment: Any, epsilon: float) -> Any:
    """δ = E_q|p/q − 1|^j·(j − 1)^(j−1)/(j^j·(e^ε − 1)^(j−1)), at most 1.

    What a moment of `classical.moments` says about (ε, δ), since x − c is at most that multiple of
    x^j. Wang, Balle and Kasiviswanathan (2019, Lemma 28) print (E|p/q − 1|^j)/(e^ε − 1)^j, which is
    Markov's inequality under q and not a bound on δ.

    order: j in (1, inf). log_moment: log E_q|p/q − 1|^j. epsilon: in (0, inf).

    >>> round(pearson_vajda_delta(2.0, math.log(4.0), math.log(11.0)), 12)
    0.1
    """
    j, c = _above_one(order), math.expm1(finite_positive("epsilon", epsilon))
    shape = (j - 1) * np.log((j - 1) / (j * c)) - np.log(j)
    return _plain(np.exp(np.minimum(0.0, np.asarray(log_moment, dtype=float) + shape)))


def pearson_vajda_epsilon(order: Any, log_moment: Any, delta: float) -> Any:
    """ε = log(1 + (1 − 1/j)·(E_q|p/q − 1|^j/(j·δ))^{1/(j−1)}).

    The inverse of `pearson_vajda_delta`. Wang, Balle and Kasiviswanathan (2019, Lemma 28) print
    log ξ − 1 + log(1/δ)/j, which is no bound.

    order: j in (1, inf). log_moment: log E_q|p/q − 1|^j. delta: in (0, 1].

    >>> round(math.exp(pearson_vajda_epsilon(2.0, math.log(4.0), 0.1)), 12)
    11.0
    """
    j, target = _above_one(order), POSITIVE_PROBABILITY("delta", delta)
    logs = (np.asarray(log_moment, dtype=float) - np.log(j * target)) / (j - 1)
    return _plain(np.logaddexp(0.0, np.log1p(-1 / j) + logs))


def epsilon_from_curve(
    curve: Curve, delta: float, conversion: Conversion = improved_epsilon
) -> float:
    """The least ε that one order of the curve gives: min over α of the conversion at α.

    Orders from 1 + 2^−10 on are tried until they get worse, at most 2^40, then ever more densely
    around the best. inf if the curve is infinite at all of them.

    >>> round(epsilon_from_curve(lambda order: order / 2, 1e-5, mironov_epsilon), 9)
    5.298525912
    """

    def at(exponent: float) -> float:
        order = 1 + 2.0**exponent
        return float(conversion(order, float(curve(order)), delta))

    best, exponent = math.inf, -10.0
    for x in np.arange(-10.0, 40.0, 0.25).tolist():
        value = at(x)
        if value < best:
            best, exponent = value, x
        elif x > exponent + 2 and math.isfinite(best):
            break
    return max(0.0, closer(at_each(at), exponent, 0.25, rounds=5)[1])


def optimal_epsilon(curve: Curve, delta: float, reverse_curve: Curve | None = None) -> float:
    """The least ε that all orders of the curve imply together, in both directions.

    By data processing every event obeys the binary Rényi divergences of all orders; the largest
    p − e^ε·q among those is δ(ε) (Asoodeh, Liao, Calmon, Kosut and Sankar 2021).

    curve: order to ε(order), orders in (1, inf]. delta: in [0, 1]; of a `SmallDelta` the best
    single order is taken. reverse_curve: the same for the exchanged pair, by default `curve`.

    >>> optimal_epsilon(lambda order: order / 2, 1e-5) < 4.7284
    True
    """
    at, both = given(delta), _both(curve, reverse_curve)
    if isinstance(at, SmallDelta):
        return renyi.epsilon_at_log_delta(both, at.log).upper
    return renyi.epsilon(both, at).upper


def optimal_delta(curve: Curve, epsilon: float, reverse_curve: Curve | None = None) -> float:
    """The least δ that all orders of the curve imply together: see `optimal_epsilon`.

    >>> optimal_delta(lambda order: order / 2, 1.0) < 0.2171
    True
    """
    return renyi.delta(_both(curve, reverse_curve), non_negative("epsilon", epsilon)).upper


def _both(curve: Curve, reverse_curve: Curve | None) -> renyi.Curve:
    def sides(orders: Array) -> tuple[Array, Array]:
        one = np.array([float(curve(float(order))) for order in orders])
        if reverse_curve is None:
            return one, one
        return one, np.array([float(reverse_curve(float(order))) for order in orders])

    return sides


def _checked(order: Any, divergence: Any, delta: float) -> tuple[Array, Array, float]:
    alpha, value = _above_one(order), np.asarray(divergence, dtype=float)
    if not (value >= 0).all():
        raise ParameterError(f"divergence must be in [0, inf], got {divergence!r}")
    return alpha, value, positive_delta(delta)


def positive_delta(delta: float) -> float:
    """A δ in (0, 1], which may be a `SmallDelta`."""
    return delta if isinstance(delta, SmallDelta) else POSITIVE_PROBABILITY("delta", delta)


def _above_one(order: Any) -> Array:
    alpha = np.asarray(order, dtype=float)
    if not ((alpha > 1) & np.isfinite(alpha)).all():
        raise ParameterError(f"order must be in (1, inf), got {order!r}")
    return alpha


def _plain(value: Any) -> Any:
    return float(value) if np.ndim(value) == 0 else value
