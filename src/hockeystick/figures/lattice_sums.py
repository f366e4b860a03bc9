"""ε of many steps whose losses are on one lattice, by a transform of their tilted law.

The law of one step is tilted towards where the answer is, e^{cL} with c up to that of Chernoff's
bound; its power is taken in a window beyond which the sum is with a probability below e^−45, one
of the shortest of all c. What that and rounding change is far below the part `SURE` of δ that is
kept for it. Where the window is long, few frequencies are left, which take less time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.figures.powers import OUTSIDE, composed, waves
from hockeystick.figures.what_is_left import where_left
from hockeystick.loss.base import Loss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.types import Array
from hockeystick.routes.auto import answer
from hockeystick.routes.question import EpsilonAt

TILTS = np.concatenate([[-0.5, -0.1, 0.0], np.geomspace(0.002, 1e7, 190)])
"""Any is good enough that is near the best."""
FIRST = 3
"""The first that is positive."""
GAINS = np.log1p(TILTS[FIRST:]) + TILTS[FIRST:] * np.log1p(1 / TILTS[FIRST:])
"""(1 − e^−x)_+ is at most e^{cx − gain}."""
STEEPEST = 50.0
"""A tilt is less than this from one place to the next, so that e to a few of them is a float."""
SURE = 1e-6
ROUNDING = 2.0**-52
"""Of a transform, and so of the logarithm of its power for each step."""
MOST_PLACES = 1 << 16
"""More take longer than the few frequencies that are left, unless single losses reach far;"""
FAR = 10_000
"""so many places."""
LONGEST = 1 << 21
NEAR = 30.0
"""The answer is less than 30/c below Chernoff's bound."""


@dataclass(frozen=True, eq=False)
class LatticeSum:
    """Sums of independent losses, all with this law."""

    loss: Loss

    @cached_property
    def places(self) -> Array:
        """The losses, in spacings from the origin on."""
        return np.rint((self.loss.atoms.losses - self._origin) / self._spacing).astype(np.int64)

    @cached_property
    def cumulants(self) -> Array:
        """log E[e^{cL}; L finite] at each tilt, inf where no float holds it."""
        losses, log_q = self.loss.atoms
        found = np.empty(TILTS.size)
        for i, tilt in enumerate(TILTS.tolist()):
            log_terms = log_q + (1 + tilt) * losses
            largest = float(log_terms.max())
            found[i] = largest + math.log(float(np.exp(log_terms - largest).sum()))
        return found

    @property
    def _spacing(self) -> float:
        if self.loss.spacing is None:
            raise NumericalError("these losses are on no lattice")
        return self.loss.spacing

    @property
    def _origin(self) -> float:
        """How far beside a multiple of the spacing each loss is."""
        one = float(self.loss.atoms.losses[0])
        return one - self._spacing * round(one / self._spacing)

    def most(self, steps: int, delta: float) -> float:
        """Chernoff's bound on ε."""
        return float(self._bounds(steps, delta).min())

    def _bounds(self, steps: int, delta: float) -> Array:
        left = delta - steps * self.loss.infinite
        if not left > 0:
            raise NumericalError("more than δ is given away")
        found = (steps * self.cumulants[FIRST:] - GAINS - math.log(left)) / TILTS[FIRST:]
        return np.where(TILTS[FIRST:] * self._spacing < STEEPEST, np.maximum(found, 0.0), math.inf)

    def lower(self, steps: int, delta: float) -> float:
        """Not above the ε of so many steps."""
        try:
            return self._epsilon(steps, delta * (1 + SURE))
        except NumericalError:
            return self._by_routes(steps, delta).lower

    def upper(self, steps: int, delta: float) -> float:
        """Not below it."""
        try:
            return self._epsilon(steps, (delta - steps * self.loss.infinite) * (1 - SURE))
        except NumericalError:
            return self._by_routes(steps, delta).upper

    def _by_routes(self, steps: int, delta: float) -> Interval:
        return answer(EpsilonAt(delta), ComposedLoss([(self.loss, steps)]))

    def _epsilon(self, steps: int, delta: float) -> float:
        bounds = self._bounds(steps, delta)
        tilts = np.arange(FIRST, FIRST + int(np.argmin(bounds)) + 1)
        while tilts.size:
            tilt = self._shortest(steps, tilts)
            epsilon = self._tilted(steps, delta, tilt, float(bounds[tilt - FIRST]))
            # how much is more probable than what δ is about, and so is its rounding
            log_scales = steps * self.cumulants[tilts] - TILTS[tilts] * epsilon
            good = ROUNDING * steps * np.exp(log_scales) <= SURE * delta
            if good[tilts == tilt].all():
                return epsilon
            tilts = tilts[good]
        raise NumericalError("δ is too far below what is probable")

    def _tilted(self, steps: int, delta: float, best: int, middle: float) -> float:
        """By that tilt, for an answer less than `NEAR` below Chernoff's bound, the `middle`."""
        tilt, k, start = float(TILTS[best]), float(self.cumulants[best]), steps * self._origin
        low, high = (int(each[0]) for each in self._windows(steps, np.array([best])))
        least = math.floor((max(0.0, middle - NEAR / tilt) - start) / self._spacing)
        places = range(max(least, low), high + 1)
        span = max(high - low, int(np.ptp(self.places))) + 1
        losses, log_q = self.loss.atoms
        law = self.places, np.exp(log_q + (1 + tilt) * losses - k), steps
        # δ is e^{steps·K − tilt·x} times that of masses that are tilted back from the first x on
        x = start + places[0] * self._spacing
        wanted = math.exp(math.log(delta) - steps * k + tilt * x)
        if span > (LONGEST if np.ptp(self.places) > FAR else MOST_PLACES):
            return waves(*law, span).where_left(places, tilt, x, wanted, self._spacing)
        masses = composed(*law, span)
        back = self._spacing * np.arange(len(places))
        masses = masses[np.array(places) % masses.size] * np.exp(-tilt * back)
        return where_left(x + back, masses, wanted, self._spacing)

    def _shortest(self, steps: int, tilts: Array) -> int:
        """The largest tilt of those with windows of the least size."""
        low, high = self._windows(steps, tilts)
        sizes = np.ceil(np.log2(np.maximum(high - low, np.ptp(self.places)) + 1))
        return int(tilts[np.flatnonzero(sizes == sizes.min())[-1]])

    def _windows(self, steps: int, tilts: Array) -> tuple[Array, Array]:
        """The places from which on, and up to which, the sum is at each of some tilts."""
        k, some, every = self.cumulants, tilts[:, None], np.arange(TILTS.size)
        with np.errstate(divide="ignore"):
            far = (OUTSIDE + steps * (k - k[some])) / np.abs(TILTS - TILTS[some])
        behind, ahead = (
            np.where(side, far, math.inf).min(axis=1) for side in (every < some, every > some)
        )
        start = steps * self._origin
        low = np.maximum((-behind - start) / self._spacing, steps * float(self.places.min()))
        high = np.minimum((ahead - start) / self._spacing, steps * float(self.places.max()))
        return np.floor(low), np.ceil(high)
