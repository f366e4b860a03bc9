"""Laws on a line: every outcome has a loss, and the masses beyond every loss are known."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.base import AtomlessLoss
from hockeystick.loss.measure import Tails
from hockeystick.numerics.gauss import on_panels
from hockeystick.numerics.roots import last_true
from hockeystick.numerics.types import Array, Complex

NORMAL_REACH = 10.0
"""Standard deviations beyond which a standard normal is dropped: 1e-22 of its mass."""
NATS = 44.0
"""Error of the trapezoid rule, e^−44 = 8e-20 relative: small even times 1e6 steps."""
ANGLE = 2.5
"""Half-width in Im ℓ of the strip for the error bound: log(1−q+q·e^ℓ) is analytic up to π."""
HIGHEST_PATH = 9.0
"""Standard deviations by which a path is lifted at most: farther up a normal law only grows."""
HALVINGS = 60
"""From a power of 2 to neighbouring floats."""


def trapezoid_step(slope: float, turn: float, precision: float = 1.0) -> float:
    """The step of the trapezoid rule under a normal law, whose error a lifted path bounds.

    Along Im z = a the error is at most exp(τa²/2 + turn·slope·a − 2πa/step) of the integral
    (Trefethen and Weideman 2014, Theorem 5.1), with τ the precision of the law and `slope` how
    fast the loss grows with the outcome.
    """
    a = min(HIGHEST_PATH / math.sqrt(precision), ANGLE / slope)
    return 2 * math.pi * a / (NATS + precision * a * a / 2 + turn * slope * a)


def panel_width(slope: float, power: float) -> float:
    """The width of panels of 40 points under a standard normal law times e^{power·loss}."""
    return min(4.0, 2 * ANGLE / slope, 50 / (power * slope))


def steepest(low: float, high: float, turn: float) -> float:
    """The largest power of e^L under the integral, or how fast it turns."""
    return max(abs(low), abs(high)) + 1 + turn


@dataclass(frozen=True, kw_only=True)
class LineLoss(AtomlessLoss):
    """The loss of a pair of laws on a line; losses above `ceiling` give the record away.

    e^{K(s)} of a sampled loss is, from some s on, the work of outcomes so rare that they do not
    matter to δ; without them K stays small and the contour can pass where it ought to. All that a
    subclass says in methods with an underscore is said of the whole law, without the ceiling.
    """

    ceiling: float = math.inf

    cut_mass: ClassVar[float | None] = None
    """The P-mass that `truncated` was asked to cut off, where it made this law."""
    smooth = True
    most_nodes = 400_000
    """More take minutes; large orders ask for them."""
    panel_points = 40

    # what each law says -------------------------------------------------------------------------

    @property
    @abstractmethod
    def _limits(self) -> tuple[float, float]:
        """The smallest and the largest loss."""

    @abstractmethod
    def _masses(self, losses: Array) -> Tails:
        """Masses above and below each loss."""

    def _p_above(self, loss: float) -> float:
        """P-mass above one loss."""
        return float(self._masses(np.array([loss])).p_above[0])

    @abstractmethod
    def _profile(self, epsilon: Array) -> Array:
        """δ(ε)."""

    @abstractmethod
    def _reverse_profile(self, epsilon: Array) -> Array:
        """δ(ε) of (Q, P)."""

    def _log_profile(self, epsilon: Array) -> Array:
        """log δ(ε)."""
        return super().log_profile(epsilon)

    def _cumulants(self, s: Complex) -> Complex:
        """K(s)."""
        return super().cgf(s)

    def _mean(self) -> float:
        """E_P[L]."""
        return super().mean()

    def _spread(self, tilt: float, frequencies: Array, resolved: float) -> Array:
        """Bounds on the characteristic function."""
        return super().spread(tilt, frequencies, resolved)

    # the ceiling --------------------------------------------------------------------------------

    @cached_property
    def cut(self) -> bool:
        """Whether there is a ceiling."""
        return self.ceiling < math.inf

    @cached_property
    def _whole(self) -> Self:
        return replace(self, ceiling=math.inf) if self.cut else self

    @cached_property
    def _beyond(self) -> tuple[float, float]:
        """P- and Q-mass above the ceiling."""
        if not self.cut:
            return 0.0, 0.0
        masses = self._whole._masses(np.array([self.ceiling]))
        return float(masses.p_above[0]), float(masses.q_above[0])

    @cached_property
    def _log_q_beyond(self) -> float:
        """log of the Q-mass above the ceiling, whose e^ceiling-fold is a probability again."""
        return math.log(self._beyond[1]) if self._beyond[1] > 0 else -math.inf

    @cached_property
    def top(self) -> float:  # type: ignore[override]
        return min(self._limits[1], self.ceiling)

    @cached_property
    def bottom(self) -> float:  # type: ignore[override]
        return self._limits[0]

    @cached_property
    def infinite(self) -> float:  # type: ignore[override]
        return self._beyond[0]

    @cached_property
    def void(self) -> float:  # type: ignore[override]
        return self._beyond[1]

    def tails(self, losses: Array) -> Tails:
        masses = self._whole._masses(np.minimum(losses, self.ceiling))
        if not self.cut:
            return masses
        p, q = self._beyond
        return Tails(
            np.where(losses < self.ceiling, np.maximum(masses.p_above - p, 0.0), 0.0),
            np.where(losses < self.ceiling, np.maximum(masses.q_above - q, 0.0), 0.0),
            masses.p_below,
            masses.q_below,
        )

    def profile(self, epsilon: Array) -> Array:
        epsilon = np.asarray(epsilon, dtype=float)
        if not self.cut:
            return self._profile(epsilon)
        at = np.minimum(epsilon, self.ceiling)
        below = self._whole._profile(at) + np.exp(at + self._log_q_beyond)
        return np.where(epsilon < self.ceiling, below, self.infinite)

    def log_profile(self, epsilon: Array) -> Array:
        return super().log_profile(epsilon) if self.cut else self._log_profile(epsilon)

    def reverse_profile(self, epsilon: Array) -> Array:
        """With a ceiling, the same as without but for the Q-mass beyond, up to ε = −ceiling."""
        if not self.cut:
            return self._reverse_profile(epsilon)
        at = np.maximum(epsilon, -self.ceiling)
        above = self._whole._reverse_profile(at) + self._beyond[1]
        below = np.minimum(epsilon, -self.ceiling)
        far = -np.expm1(below) + np.exp(below) * self.infinite
        return np.where(epsilon > -self.ceiling, above, far)

    def cgf(self, s: Complex | Array) -> Complex:
        s = np.atleast_1d(np.asarray(s, dtype=complex))
        return super().cgf(s) if self.cut else self._cumulants(s)

    def mean(self) -> float:
        return math.inf if self.infinite else self._mean()

    def spread(self, tilt: float, frequencies: Array, resolved: float) -> Array:
        if self.cut:
            return super().spread(tilt, frequencies, resolved)
        return self._spread(tilt, frequencies, resolved)

    def truncated(self, mass: float) -> Self:
        if math.isfinite(self.top):
            return self
        ended = replace(self, ceiling=self._loss_exceeded(mass))
        ended.__dict__["_whole"] = self  # which remembers what it was asked
        ended.__dict__["cut_mass"] = mass
        return ended

    def _loss_exceeded(self, mass: float) -> float:
        """The loss above which P has `mass`."""

        def beyond(level: float) -> bool:
            return self._p_above(level) > mass

        low, high = 0.0, 1.0
        while beyond(high):
            low, high = high, 2 * high
        return last_true(beyond, low, high, HALVINGS)[1]

    # quadrature ---------------------------------------------------------------------------------

    def _trapezoid(self, first: float, last: float, step: float) -> tuple[Array, float]:
        """Points a step apart, multiples of it, and the logarithm of their weight."""
        count = (last - first) / step
        if not count <= self.most_nodes:
            raise self._too_many(count)
        x = step * np.arange(math.floor(first / step), math.ceil(last / step) + 1)
        return x, math.log(step)

    def _panels(self, edges: Array) -> tuple[Array, Array]:
        """Points on panels, and the logarithms of their weights."""
        points, weights = on_panels(edges, self.panel_points)
        return points, np.log(weights)

    def _edges(self, first: float, last: float, width: float) -> Array:
        """Edges of panels at most so wide."""
        count = (last - first) / width * self.panel_points
        if not count <= self.most_nodes:
            raise self._too_many(count)
        return np.linspace(first, last, max(1, math.ceil((last - first) / width)) + 1)

    def _too_many(self, count: float) -> NumericalError:
        return NumericalError(f"the quadrature of {self!r} would need {count:g} nodes")
