"""Many steps with next to no noise on samples: it is evident which of them saw the record.

If the coins were told, k of n steps would see it with probability b_k, and those be one Gaussian
release of shift √k·μ: with its profile h_k

    Σ_k b_k·h_k(ε − k·log q − (n−k)·log(1−q))  <=  δ(ε)  <=  Σ_k b_k·h_k(ε)

Above, because a label that is told tells more (joint convexity of the hockey-stick divergence).
Below, because a step's loss log(1 − q + q·e^ℓ) is at least ℓ + log q, and at least log(1 − q). The
ends are k·log(1/q) or so apart, next to nothing of an ε of many thousands.

A batch of fixed size is told in the same way: q·h(1 + (e^ε − 1)/q) is at most q·h(e^ε), and its
pair dominates that of the Poisson sample of rate q, so that both ends hold for it too.
"""

from __future__ import annotations

import math

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.mixed import Mixed
from hockeystick.loss.sum import ComposedLoss
from hockeystick.loss.two_sided.amplified import AmplifiedCurve
from hockeystick.loss.two_sided.loss import TwoSidedLoss
from hockeystick.numerics.binomial import binomial_above, binomial_weights
from hockeystick.numerics.roots import last_true
from hockeystick.numerics.special import erfcx, ndtr
from hockeystick.numerics.types import Array

NAME = "closed form"
LEAST_SHIFT = 50.0
"""From this shift on, noise 1/50, bent lines have no answer and a step that counts is evident."""
LEAST_STEPS = 17
"""Fewer are added up."""
MOST_COUNTS = 10_000
"""Steps, of those that may see the record, that are told apart."""
NEGLIGIBLE = 1e-13
"""Part of δ that more steps than are told apart may have."""
ROUNDING, WEIGHT_ERROR = 1e-12, 1e-9
"""Relative errors that are charged: of losses and of probabilities."""
HALVINGS = 70
FARTHEST = 40.0
"""Deviations beyond which no float holds a normal law's mass."""


def rate_and_shift(loss: ComposedLoss) -> tuple[float, float] | None:
    """q and μ, if all steps are the same Gaussian release on the same kind of sample."""
    if len(loss.parts) > 1 or loss.infinite:
        return None
    part = loss.parts[0][0]
    if isinstance(part, Mixed) and part.base.gaussian_shift:
        return part.rate, part.base.gaussian_shift
    if isinstance(part, TwoSidedLoss) and isinstance(part.forward, AmplifiedCurve):
        if part.backward is not part.forward:
            return None
        curve = part.forward
        (constant, falling, base), *more = curve.terms
        plain = not (more or falling or curve.extra or curve.touch) and constant == curve.rate
        if plain and base.gaussian_shift:
            return curve.rate, base.gaussian_shift
    return None


def is_for(loss: ComposedLoss) -> bool:
    """Whether these are many steps with next to no noise."""
    found = rate_and_shift(loss) if loss.steps >= LEAST_STEPS else None
    return found is not None and found[1] >= LEAST_SHIFT and found[0] < 1


class Counts:
    """How many steps see the record, and both ends of δ from that."""

    def __init__(self, loss: ComposedLoss, negligible: float) -> None:
        found = rate_and_shift(loss)
        assert found is not None
        (rate, shift), steps = found, loss.steps
        most = min(steps, math.ceil(steps * rate) + 8)
        while binomial_above(most, steps, rate) > negligible:
            most = min(steps, 2 * most)
            if most > MOST_COUNTS:
                raise NumericalError(f"too many of {steps} steps may see the record")
        k = np.arange(1.0, most + 1)
        self.beyond = binomial_above(most, steps, rate)
        self.weights = binomial_weights(steps, rate, most)[1:]
        self.shifts = np.sqrt(k) * shift
        self.hidden = -k * math.log(rate) - (steps - k) * math.log1p(-rate)
        """How many nats it costs to find out."""
        self.highest = float(self.shifts[-1] * (self.shifts[-1] / 2 + FARTHEST))

    def above(self, epsilon: float) -> float:
        """The upper end of δ."""
        total = float(self.weights @ self._profiles(np.asarray(epsilon * (1 - ROUNDING))))
        return min(1.0, total * (1 + WEIGHT_ERROR) + self.beyond * (1 + WEIGHT_ERROR) + 5e-308)

    def below(self, epsilon: float) -> float:
        """The lower end."""
        total = float(self.weights @ self._profiles(epsilon * (1 + ROUNDING) + self.hidden))
        return total * (1 - WEIGHT_ERROR)

    def _profiles(self, epsilon: Array) -> Array:
        """Φ(−a) − φ(a)·Φ(−b)/φ(b), a and b = ε/shift ∓ shift/2: so far apart, nothing cancels."""
        a = epsilon / self.shifts - self.shifts / 2
        b = a + self.shifts
        return np.asarray(ndtr(-a) - 0.5 * np.exp(-0.5 * a * a) * erfcx(b / math.sqrt(2)))


def delta(loss: ComposedLoss, epsilon: float) -> Interval:
    """δ(ε)."""
    rough = Counts(loss, NEGLIGIBLE).below(epsilon)
    counts = Counts(loss, max(NEGLIGIBLE * rough, 1e-300))
    return Interval(counts.below(epsilon), counts.above(epsilon), NAME)


def epsilon(loss: ComposedLoss, delta: float) -> Interval:
    """The ε with δ(ε) = delta."""
    counts = Counts(loss, max(NEGLIGIBLE * delta, 1e-300))
    if counts.above(counts.highest) > delta:
        raise NumericalError("delta is too small for the number of steps to tell")
    lower = upper = 0.0
    if counts.above(0.0) > delta:
        upper = last_true(lambda e: counts.above(e) > delta, 0.0, counts.highest, HALVINGS)[1]
    if counts.below(0.0) > delta:
        lower = last_true(lambda e: counts.below(e) > delta, 0.0, counts.highest, HALVINGS)[0]
    return Interval(lower, upper, NAME)
