"""Moments E_q|p/q − 1|^j of a pair: the Pearson–Vajda |χ|^j divergences, in logarithms."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import cache
from typing import Any

import numpy as np

from hockeystick.checks import finite_positive, non_negative, probability, whole, wholes
from hockeystick.numerics.gauss import on_panels
from hockeystick.numerics.log_sum import log_expm1, log_sum_exp
from hockeystick.numerics.types import Array

LogMoments = Callable[[int], float]
"""j to log E_q|p/q − 1|^j."""

CURVE_ERROR = 2.0**-49
"""How far a curve's float values may be off, relatively: eight units in the last place."""
DIGITS = 30
"""Correct digits of an alternating sum, if the curve has them."""
PANELS, PANEL_POINTS = 16, 20
AT_A_TIME = 64
"""Moments that are integrated together."""
HALVINGS = 20
REACH = 9.5
"""Half-width of the range around the peak: the rest is below e^−45 of it."""


def gaussian_log_moment(order: Any, shift: float) -> Any:
    """log E_q|p/q − 1|^j for p = N(shift, 1), q = N(0, 1): all terms positive, odd j included.

    order: j, an integer >= 1 or an array of them. shift: in (0, inf).

    >>> round(math.exp(gaussian_log_moment(2, 0.2)), 12)  # e^{shift²} − 1
    0.040810774192
    """
    mu = finite_positive("shift", shift)

    def moments(j: Array) -> Array:
        def right(t: Array) -> Array:  # at z = μ/2 + t, where p/q = e^{μt}
            return j[:, None] * log_expm1(mu * t) - (t + mu / 2) ** 2 / 2

        def left(t: Array) -> Array:  # at z = μ/2 − t
            with np.errstate(divide="ignore"):
                return j[:, None] * np.log(-np.expm1(-mu * t)) - (t - mu / 2) ** 2 / 2

        def right_slope(t: Array) -> Array:
            return -j * mu / np.expm1(-mu * t) - t - mu / 2

        def left_slope(t: Array) -> Array:
            return j * mu / _expm1(mu * t) - t + mu / 2

        peaks = (
            _zero(right_slope, j * mu + np.sqrt(j) + 1),
            _zero(left_slope, mu + np.sqrt(j) + 1),
        )
        sides = [
            _log_integral(side, np.maximum(0.0, peak - REACH), peak + REACH)
            for side, peak in zip((right, left), peaks, strict=True)
        ]
        return np.logaddexp(*sides) - 0.5 * math.log(2 * math.pi)

    return _at_wholes(moments, order)


def laplace_log_moment(order: Any, shift: float) -> Any:
    """log E_q|p/q − 1|^j for Laplace laws `shift` scales apart.

    ½(1 − e^{−θ})^j + ½e^{−θ}(e^θ − 1)^j + ¼e^{−θ/2}·∫_{−θ}^θ e^{−y/2}·|e^y − 1|^j dy, θ = shift.

    order: j, an integer >= 1 or an array of them. shift: in (0, inf).

    >>> p = 2 / 3 * math.exp(0.5) + math.exp(-1) / 3  # E_q(p/q)²
    >>> abs(math.exp(laplace_log_moment(2, 0.5)) - (p - 1)) < 1e-15
    True
    """
    theta = finite_positive("shift", shift)
    top = float(log_expm1(np.array(theta)))

    def moments(j: Array) -> Array:
        def above(y: Array) -> Array:
            return j[:, None] * log_expm1(y) - y / 2

        def below(y: Array) -> Array:
            with np.errstate(divide="ignore"):
                return j[:, None] * np.log(-np.expm1(-y)) + y / 2

        # Both grow up to y = θ, at these rates there and faster before.
        slopes = -j / math.expm1(-theta) - 0.5, j / float(_expm1(np.array(theta))) + 0.5
        between = np.logaddexp(
            *(
                _log_integral(side, np.maximum(0.0, theta - 45 / slope), np.full(j.shape, theta))
                for side, slope in zip((above, below), slopes, strict=True)
            )
        )
        ends = np.logaddexp(j * (top - theta), j * top - theta) - math.log(2)
        return np.asarray(np.logaddexp(ends, between - theta / 2 - math.log(4)))

    return _at_wholes(moments, order)


def randomized_response_log_moment(order: Any, truth: float) -> Any:
    """log E_q|p/q − 1|^j for binary randomized response that tells the truth with p = `truth`.

    |2p − 1|^j·((1 − p)^(1−j) + p^(1−j)). order: j, an integer >= 1 or an array of them. truth: in
    [0, 1].

    >>> round(math.exp(randomized_response_log_moment(2, 0.75)), 12)  # 3·0.75 + 1/3·0.25 − 1
    1.333333333333
    """
    p = probability("truth", truth)

    def moments(j: Array) -> Array:
        if p == 0.5:
            return np.full(j.shape, -math.inf)
        if p in (0, 1):
            return np.where(j > 1, math.inf, math.log(2))
        lies, truths = (1 - j) * math.log1p(-p), (1 - j) * math.log(p)
        return np.asarray(j * math.log(abs(2 * p - 1)) + np.logaddexp(lies, truths))

    return _at_wholes(moments, order)


class Moments:
    """log E_q|p/q − 1|^j at integers j, of which each is computed once.

    A theorem that is given one keeps using it. `together` says that the function takes arrays.

    >>> moments = Moments(lambda j: randomized_response_log_moment(j, 0.75), together=True)
    >>> np.exp(moments.up_to(4)).round(9).tolist()
    [1.333333333, 2.222222222, 4.148148148]
    """

    @classmethod
    def of(cls, log_moments: LogMoments) -> Moments:
        """Those themselves, where they are remembered already."""
        return log_moments if isinstance(log_moments, Moments) else cls(log_moments)

    def __init__(self, log_moments: Callable[[Any], Any], *, together: bool = False) -> None:
        self._at = log_moments if together else lambda js: [log_moments(j) for j in js.tolist()]
        self._block = AT_A_TIME if together else 1
        self._first = np.empty(0)
        """Of j = 2, 3, …, as far as they were asked for."""
        self._known: dict[int, float] = {}

    def __call__(self, j: int) -> float:
        """That of j."""
        if j - 2 < self._first.size:
            return float(self._first[j - 2])
        if j not in self._known:
            self._known[j] = float(self._at(np.array([j]))[0])
        return self._known[j]

    def up_to(self, n: int) -> Array:
        """Those of j = 2, …, n."""
        if n - 1 > self._first.size:
            last = self._block * math.ceil(n / self._block)
            missing = np.arange(self._first.size + 2, last + 1)
            self._first = np.append(self._first, self._at(missing))
        return self._first[: n - 1]


def moments_of_curve(
    curve: Callable[[Any], Any], largest: int, pure_epsilon: float = math.inf
) -> LogMoments:
    """log of √(B(2⌊j/2⌋)·B(2⌈j/2⌉)) for 2 <= j <= largest, B(l) = E_q(p/q − 1)^l from the curve.

    B(l) = Σ_i (−1)^i·C(l, i)·e^{(i−1)·ε(i)} cancels about as many digits as it has terms. If the
    curve takes a `Decimal` and returns one, it is asked in the precision that 30 digits of B need,
    and believed.
    A float curve has 16 digits and no more: B is then raised by all that errors of `CURVE_ERROR` in
    its values can amount to, so it stays an upper bound, if a useless one at large l. Then
    B(l) <= (e^{ε(∞)} − 1)²·B(l − 2) helps where ε(∞) is finite (Wang, Balle and Kasiviswanathan
    2019, Section 3.2).

    >>> exact = moments_of_curve(lambda order: order / 50, 20)
    >>> abs(exact(20) - gaussian_log_moment(20, 0.2)) < 1e-12
    True
    """
    differences = _Differences(curve, 2 * math.ceil(largest / 2))
    log_top = float(log_expm1(np.array(non_negative("pure_epsilon", pure_epsilon))))

    @cache
    def even(l: int) -> float:  # noqa: E741 the paper's letter
        return min(differences(l), even(l - 2) + 2 * log_top if l > 2 else math.inf)

    def log_moment(j: int) -> float:
        low = even(2 * (j // 2))
        return low if j % 2 == 0 else min((low + even(j + 1)) / 2, low + log_top)

    return log_moment


class _Differences:
    """Upper bounds of log Σ_i (−1)^i·C(l, i)·e^{(i−1)·ε(i)}, each ε(i) known up to some error."""

    def __init__(self, curve: Callable[[Any], Any], top: int) -> None:
        rough = [(i - 1) * float(curve(float(i))) for i in range(2, top + 1)]
        self.prec = 0
        if not all(map(math.isfinite, rough)):
            return
        # No term is above 2^l·E r^l, r = p/q, and B(l) is at least B(2)^(l/2) and, because
        # r^l <= 2^(l−1)·(|r − 1|^l + 1), at least 2^(1−l)·E r^l − 1: no more than this cancels.
        nats = top * (2 * math.log(2) - min(0.0, math.log(max(rough[0], 1e-300))) / 2)
        self.prec = DIGITS + math.ceil(nats / math.log(10))
        with localcontext() as context:
            context.prec = self.prec
            values, error = _decimals(curve, top), Decimal(0)
            if values is None:  # more digits than these would be wasted on a float curve
                self.prec = context.prec = 2 * DIGITS
                values, error = [Decimal(x) for x in rough], Decimal(CURVE_ERROR)
            exponents = [Decimal(0), Decimal(0), *values]
            self.terms = [x.exp() for x in exponents]
            rounding = Decimal(10) ** (4 - self.prec)
            self.doubts = [
                term * ((error * x).exp() - 1 + rounding)
                for term, x in zip(self.terms, exponents, strict=True)
            ]

    def __call__(self, l: int) -> float:  # noqa: E741 the paper's letter
        if not self.prec:
            return math.inf
        with localcontext() as context:
            context.prec = self.prec
            bound = Decimal(0)
            for i in range(l + 1):
                sign = -1 if i % 2 else 1
                bound += math.comb(l, i) * (sign * self.terms[i] + self.doubts[i])
            if bound <= 0:
                return -math.inf
            mantissa = float(bound.scaleb(-bound.adjusted()))
            return math.log(mantissa) + bound.adjusted() * math.log(10)


def _decimals(curve: Callable[[Any], Any], top: int) -> list[Decimal] | None:
    """(i − 1)·ε(i) for i = 2, …, top from a curve that answers in `Decimal`, else None."""
    try:
        values = [curve(Decimal(i)) for i in range(2, top + 1)]
    except (TypeError, ValueError, ArithmeticError, AttributeError):  # made for floats alone
        return None
    if not all(isinstance(value, Decimal) for value in values):
        return None
    return [(i - 1) * value for i, value in enumerate(values, start=2)]


def _at_wholes(moments: Callable[[Array], Array], order: Any) -> Any:
    """At one integer as a float, at an array of them as an array: some at a time."""
    if np.ndim(order) == 0:
        return float(moments(np.array([float(whole("order", order, 1))]))[0])
    orders = np.array(wholes("order", np.ravel(order).tolist(), 1), dtype=float)
    blocks = [orders[i : i + AT_A_TIME] for i in range(0, orders.size, AT_A_TIME)]
    return np.concatenate([np.empty(0), *map(moments, blocks)]).reshape(np.shape(order))


def _log_integral(log_density: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """log of the integrals of e^{log_density}, by Gauss–Legendre rules on equal panels."""
    x, weights = _rule()
    log_terms = log_density(low[:, None] + (high - low)[:, None] * x) + np.log(weights)
    return np.asarray(log_sum_exp(log_terms) + np.log(high - low))


@cache
def _rule() -> tuple[Array, Array]:
    """On [0, 1]."""
    return on_panels(np.linspace(0.0, 1.0, PANELS + 1), PANEL_POINTS)


def _zero(decreasing: Callable[[Array], Array], high: Array) -> Array:
    """Where each of some functions that decrease changes sign, in (0, high] or beyond."""
    low = np.zeros(high.shape)
    while (beyond := decreasing(high) > 0).any():
        low, high = np.where(beyond, high, low), np.where(beyond, 2 * high, high)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        beyond = decreasing(middle) > 0
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    return high


def _expm1(x: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.asarray(np.expm1(x))
