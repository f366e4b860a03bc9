"""Points of curves without end: what lies beyond the last point counts as much as it may."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.numerics.series import log_unmixed
from hockeystick.numerics.types import Array, Complex

if TYPE_CHECKING:
    from hockeystick.loss.two_sided.amplified import AmplifiedCurve

LEAST_MASS = 5e-324
"""P-mass at infinity in place of what lies beyond the last point: less than this, but not 0."""
TILTS = 2.0 ** np.arange(-6.0, 9.0)
"""Orders of Chernoff's bound."""
NEGLIGIBLE = 37.0
"""Nats below e^K at which what lies beyond is no more than its rounding."""

LogTail = Callable[[Array], Array]
"""log of a bound on E_P[e^{sL}] beyond the last point, for powers s > 0."""


class EndlessLoss(AtomicLoss):
    """Atoms through points of curves that fall below every float before they end.

    For ε and δ the rest is at infinity. Of e^{K(s)} it may be most, where s is large: there a
    bound on it is added, and off the real line K is refused.
    """

    endless = True

    def __init__(self, pair: AtomicLoss, forward: LogTail | None, backward: LogTail | None) -> None:
        losses, log_q = pair.atoms
        super().__init__(
            losses,
            log_q,
            infinite=pair.infinite or (LEAST_MASS if forward else 0.0),
            void=pair.void or (LEAST_MASS if backward else 0.0),
            symmetric=pair.symmetric,
        )
        self._pair, self._forward, self._backward = pair, forward, backward

    def reverse(self) -> Loss:
        if self.symmetric:
            return self
        pair = self._pair.reverse()
        assert isinstance(pair, AtomicLoss)
        turned = EndlessLoss(pair, self._backward, self._forward)
        turned.origin = self.origin and self.origin.reverse()
        return turned

    def mean(self) -> float:
        return self._pair.mean()

    def cgf(self, s: Complex | Array) -> Complex:
        s = np.atleast_1d(np.asarray(s, dtype=complex))
        k, real = self._pair.cgf(s), s.real
        beyond = np.full(real.shape, -math.inf)
        if self._forward is not None and (real > 0).any():
            beyond[real > 0] = self._forward(real[real > 0])
        if self._backward is not None and (real < -1).any():
            beyond[real < -1] = self._backward(-1 - real[real < -1])
        turned = s.imag != 0
        if turned.any():
            tilted = self._pair.cgf(real[turned]).real
            if (beyond[turned] > tilted - NEGLIGIBLE).any():
                raise NumericalError("K(s) depends on losses that no float holds")
        return np.where(turned, k, np.logaddexp(k.real, beyond))


def log_tail(curve: AmplifiedCurve, last: float) -> LogTail | None:
    """A bound on what E_P[e^{sL}] has beyond the loss `last`, at which the curve is next to 0.

    That is s(s+1)·∫ e^{su}·δ(u) du over u > last (Balle, Barthe and Gaboardi 2018, Theorem 6). A
    term w·h(A), h the profile of losses ℓ, is at most w·P[ℓ > x] at u = log(1 − q + q·e^x); and
    u(ℓ) <= ℓ + (last − x₀) for ℓ > x₀, the place of `last`. So it is at most

        (s+1)·w·e^{s·(last − x₀)}·E_P[e^{sℓ}; ℓ > x₀] <= (s+1)·w·e^{s·(last − x₀) + K(s+t) − t·x₀}

    for every t > 0, with K of the losses ℓ. None for a curve that has an end.
    """
    if math.isfinite(curve.top):
        return None
    x = float(log_unmixed(curve.rate, np.array([last]))[0])

    def bound(powers: Array) -> Array:
        total = np.full(powers.shape, -math.inf)
        for constant, falling, loss in curve.terms:
            weight = constant + max(falling, 0.0) * math.exp(-x)
            if math.isinf(loss.top) and weight > 0:
                k = loss.cgf(np.add.outer(powers, TILTS).ravel()).real
                most = (k.reshape(-1, TILTS.size) - TILTS * x).min(axis=1)
                each = np.log(powers + 1) + math.log(weight) + powers * (last - x) + most
                total = np.logaddexp(total, each)
        return total

    return bound
