"""ε of many steps whose losses are on one lattice, by a transform of their tilted law.

The law of one step is tilted towards where the answer is, e^{cL} with c up to that of Chernoff's
bound; its power is taken in a window beyond which the sum is with a probability below e^−45, one
of the shortest of all c. What that and rounding change is far below the part `SURE` of δ that is
kept for it. Where the window is long, the routes of the library are faster.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.base import Loss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.types import Array, Complex
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
OUTSIDE = 45.0
SURE = 1e-6
ROUNDING = 2.0**-52
"""Of a transform, and so of the logarithm of its power for each step."""
MOST_PLACES = 1 << 17
"""More take longer than the contour of the lattice, unless single losses reach far;"""
FAR = 10_000
"""so many places."""
LONGEST = 1 << 21
LARGE = 700.0
"""e to this is still a float."""
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

    def _tilted(self, steps: int, delta: float, tilt: int, middle: float) -> float:
        """By that tilt, for an answer less than `NEAR` below Chernoff's bound, the `middle`."""
        x, masses = self._masses(steps, tilt, middle)
        # δ is e^{steps·K − tilt·middle} times that of these masses
        log_scale = steps * float(self.cumulants[tilt]) - float(TILTS[tilt]) * middle
        return where_left(x, masses, math.exp(math.log(delta) - log_scale), self._spacing)

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

    def _masses(self, steps: int, best: int, middle: float) -> tuple[Array, Array]:
        """Losses x from not far below the middle on, and P-masses there times
        e^{tilt·middle − steps·K}."""
        tilt, k = float(TILTS[best]), float(self.cumulants[best])
        low, high = (int(each[0]) for each in self._windows(steps, np.array([best])))
        size = 1 << max(int(max(high - low, np.ptp(self.places)) + 1).bit_length(), 4)
        if size > (LONGEST if np.ptp(self.places) > FAR else MOST_PLACES):
            raise NumericalError("the lattice of the sum is too long")
        losses, log_q = self.loss.atoms
        law = np.bincount(self.places % size, np.exp(log_q + (1 + tilt) * losses - k), size)
        found = np.maximum(np.fft.irfft(_power(np.fft.rfft(law), steps), size), 0.0)
        start, least = steps * self._origin, max(0.0, middle - NEAR / tilt)
        places = np.arange(max(math.floor((least - start) / self._spacing), low), high + 1)
        x = start + places * self._spacing
        return x, found[places % size] * np.exp(-tilt * (x - middle))


def where_left(x: Array, masses: Array, wanted: float, spacing: float) -> float:
    """The ε >= 0 at which Σ mass·(1 − e^{ε − x})_+ is as wanted, for masses at all larger places.

    >>> where_left(np.array([0.0, 1.0]), np.array([0.5, 0.5]), -0.5 * math.expm1(-0.25), 1.0)
    0.75
    """
    masses = masses[::-1]
    above = (np.cumsum(masses) - _discounted(masses, math.exp(-spacing)))[::-1]
    good = np.flatnonzero(above <= wanted)
    if not good.size or (good[0] == 0 and x[0] > 0):
        raise NumericalError("ε is not where Chernoff's bound has it")
    k = int(good[0])
    if k == 0:
        return 0.0
    share = float((above[k - 1] - wanted) / (above[k - 1] - above[k]))
    growth = math.expm1(spacing) if spacing < LARGE else math.inf
    if math.isinf(growth):  # e^{spacing}·share, by logarithms
        return (
            float(x[k - 1] + max(spacing + math.log(share), 0.0)) if share > 0 else float(x[k - 1])
        )
    return max(0.0, float(x[k - 1] + math.log1p(growth * share)))


def _power(values: Complex, exponent: int) -> Complex:
    """The powers of values up to 1, but for those far below rounding."""
    size = np.abs(values)
    near = np.flatnonzero(size > math.exp(-OUTSIDE / exponent))
    found = np.zeros(values.shape, dtype=complex)
    found[near] = np.exp(exponent * np.log(values[near]))
    return found


def _discounted(values: Array, decay: float) -> Array:
    """Σ_{j <= k} decay^{k−j}·v_j at each k: over ever longer stretches."""
    total, stretch = values.copy(), 1
    while stretch < total.size and decay**stretch > 0:
        total[stretch:] += decay**stretch * total[:-stretch].copy()
        stretch *= 2
    return total
