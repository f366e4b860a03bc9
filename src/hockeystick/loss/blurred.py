"""The loss of a Gaussian release together with another."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockeystick.loss.base import Loss
from hockeystick.loss.gaussian import GaussianLoss, gaussian_log_delta
from hockeystick.loss.line import NORMAL_REACH, LineLoss, panel_width, steepest, trapezoid_step
from hockeystick.loss.measure import Nodes, Tails
from hockeystick.numerics.blocks import in_blocks
from hockeystick.numerics.log_sum import log_sum_exp
from hockeystick.numerics.special import ndtr
from hockeystick.numerics.types import Array, Complex

RESOLVE = 14.0
"""The rest is resolved to this frequency, over the shift of the Gaussian that blurs it."""
MOST_TERMS = 100_000_000
"""Nodes of both losses together: some seconds."""


@dataclass(frozen=True)
class BlurredLoss(LineLoss):
    """A Gaussian release of N(shift, 1) against N(0, 1) together with another loss.

    The sum has the smooth density Σ q_j·f(x − ℓ_j), with f that of the Gaussian's loss and the q_j
    a quadrature of the other.
    """

    shift: float
    rest: Loss

    _limits = (-math.inf, math.inf)

    @cached_property
    def infinite(self) -> float:  # type: ignore[override]
        return self.rest.infinite + self._beyond[0]

    @cached_property
    def void(self) -> float:  # type: ignore[override]
        return self.rest.void + self._beyond[1]

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        return self.rest.symmetric and not self.cut

    @cached_property
    def _other(self) -> tuple[Array, Array]:
        """Losses of the rest and their mass under Q."""
        nodes = self.rest.nodes(-1.0, 0.0, RESOLVE / self.shift)
        return nodes.losses, np.exp(nodes.log_q)

    @property
    def most_nodes(self) -> int:  # type: ignore[override]
        return MOST_TERMS // self._other[0].size

    def _over_rest(self, function: Callable[[Array], Array], losses: Array, x: Array) -> Array:
        """function(z), z the Gaussian's outcomes that give x with each loss of the rest."""

        def some(part: Array) -> Array:
            return function((part[..., None] - losses) / self.shift + self.shift / 2)

        return in_blocks(some, x, losses.size)

    def _masses(self, losses: Array) -> Tails:
        others, q = self._other
        p, mu = q * np.exp(others), self.shift
        return Tails(
            self._over_rest(lambda z: np.asarray(ndtr(mu - z) @ p), others, losses),
            self._over_rest(lambda z: np.asarray(ndtr(-z) @ q), others, losses),
            self._over_rest(lambda z: np.asarray(ndtr(z - mu) @ p), others, losses),
            self._over_rest(lambda z: np.asarray(ndtr(z) @ q), others, losses),
        )

    def _p_above(self, loss: float) -> float:
        others, q = self._other
        z = (loss - others) / self.shift - self.shift / 2
        return float(ndtr(-z) @ (q * np.exp(others)))

    def density(self, losses: Array) -> Array:
        others, masses = self._other
        q = self._over_rest(lambda z: np.asarray(np.exp(-0.5 * z * z) @ masses), others, losses)
        return np.where(losses < self.ceiling, q / (math.sqrt(2 * math.pi) * self.shift), 0.0)

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        mu, others = self.shift, self._other[0]
        first = float(others.min()) + mu * (min(low + 1, 0.0) * mu - NORMAL_REACH) - mu * mu / 2
        if self.cut:
            width = mu * panel_width(mu, steepest(low, high, turn))
            x, log_weight = self._panels(self._edges(first, self.ceiling, width))
            return self._nodes(x, log_weight, low, high)
        last = float(others.max()) + mu * (max(high + 1, 0.0) * mu + NORMAL_REACH) - mu * mu / 2
        x, log_step = self._trapezoid(first, last, mu * trapezoid_step(mu, turn))
        return self._nodes(x, log_step, low, high)

    def _nodes(self, x: Array, log_weight: float | Array, low: float, high: float) -> Nodes:
        """With a density that is good where e^{sL} with Re s in [low, high] takes its mean."""
        losses, log_q, _ = self.rest.nodes(min(low, -1.0), max(high, 0.0), RESOLVE / self.shift)
        log_density = self._over_rest(lambda z: log_sum_exp(log_q - 0.5 * z * z), losses, x)
        log_density -= math.log(math.sqrt(2 * math.pi) * self.shift)
        return Nodes(x, log_density + log_weight, np.exp(log_density))

    def _cumulants(self, s: Complex) -> Complex:
        return GaussianLoss(self.shift).cgf(s) + self.rest.cgf(s)

    def _mean(self) -> float:
        return 0.5 * self.shift**2 + self.rest.mean()

    def _profile(self, epsilon: Array) -> Array:
        losses, q = self._other
        p = q * np.exp(losses)

        def finite(part: Array) -> Array:
            return np.asarray(np.exp(gaussian_log_delta(self.shift, part[..., None] - losses)) @ p)

        return in_blocks(finite, epsilon, losses.size) + self.rest.infinite

    def _log_profile(self, epsilon: Array) -> Array:
        if self.rest.infinite:
            return super()._log_profile(epsilon)
        x = np.asarray(epsilon, dtype=float)
        tilt = max(float(x.max(initial=0.0)) / self.shift**2, 0.0)
        losses, log_q, _ = self.rest.nodes(-1.0, tilt, RESOLVE / self.shift)

        def some(part: Array) -> Array:
            terms = gaussian_log_delta(self.shift, part[..., None] - losses) + (log_q + losses)
            return np.asarray(log_sum_exp(terms))

        return in_blocks(some, x, losses.size)

    @cached_property
    def _turned(self) -> BlurredLoss:
        """(Q, P), without the ceiling."""
        return BlurredLoss(self.shift, self.rest.reverse())

    def reverse(self) -> Loss:
        return super().reverse() if self.symmetric or self.cut else self._turned

    def _reverse_profile(self, epsilon: Array) -> Array:
        return self._turned.profile(epsilon)
