"""The loss of a composition in one direction: a sum of independent losses, each some times over."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property

import numpy as np

from hockeystick.loss.base import Loss, Reversed
from hockeystick.loss.copies import Copies
from hockeystick.loss.cumulants import decay_over_period
from hockeystick.loss.family import MANY, MOST_SKETCHED, Members, grouped
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.measure import LaplaceLaw
from hockeystick.loss.several import taken_apart
from hockeystick.numerics.rounding import around, exact_sum, probability_of_any
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array, Complex

NEAR_ZERO = 2.0**-7
"""−K(−x)/x is about the mean loss, also where a part of the law is at infinity."""
FEW_PARTS = 32
"""Of more different steps total variations are not added up: that takes longer than it saves."""


class ComposedLoss:
    """Σ count·loss, with K(s) = Σ count·K_i(s)."""

    def __init__(self, parts: Iterable[tuple[Loss, int]]) -> None:
        self.parts = tuple(parts)
        if any(loss.terms for loss, _ in self.parts):
            self.parts = taken_apart(self.parts)
        self.steps = sum(count for _, count in self.parts)
        """How many single losses are added up."""
        self.symmetric = all(loss.symmetric for loss, _ in self.parts)
        """Whether the other direction has the same law."""
        self.smooth = all(loss.smooth for loss, _ in self.parts)
        """Whether every part has a smooth density and nothing else."""
        self.continuous = any(loss.continuous for loss, _ in self.parts)
        """Whether any part has a continuous part."""
        self.rough = any(loss.rough for loss, _ in self.parts)
        """Whether any part has atoms at places that are known only roughly."""
        self.infinite = self.least_infinite = 0.0
        """P-mass of the event that some step's loss is infinite, rounded up and down."""
        if any(loss.infinite for loss, _ in self.parts):
            self.infinite = probability_of_any((loss.infinite, n) for loss, n in self.parts)[1]
            least = probability_of_any((loss.least_infinite, n) for loss, n in self.parts)
            self.least_infinite = least[0]

    @cached_property
    def top(self) -> float:
        """The largest finite loss, rounded up."""
        return self.highest[1]

    @cached_property
    def highest(self) -> tuple[float, float]:
        """Between which the largest finite loss lies."""
        tops = [(loss.top, count) for loss, count in self.parts]
        if not all(math.isfinite(top) for top, _ in tops):
            total = sum(count * top for top, count in tops)
            return total, total
        return around(exact_sum(tops), sum(count * loss.slip for loss, count in self.parts))

    def is_at_most(self, epsilon: float) -> bool:
        """Whether no finite loss is above ε, to the last digit where it matters."""
        rough = sum(count * loss.top for loss, count in self.parts)
        if abs(rough - epsilon) > 1e-9 * (1 + abs(rough)):
            return rough < epsilon
        return self.top <= epsilon

    @cached_property
    def slip(self) -> float:
        """How far a sum of losses may be from the real one; 0 where no single sum matters."""
        if self.smooth:
            return 0.0
        each = sum(count * loss.slip for loss, count in self.parts)
        if self.steps == 1:
            return each
        largest = max(abs(end) if math.isfinite(end) else 0.0 for end in (self.top, self.bottom))
        return each + 2 * EPS * largest

    @cached_property
    def bottom(self) -> float:
        """The smallest finite loss."""
        return sum(count * loss.bottom for loss, count in self.parts)

    @cached_property
    def spacing(self) -> float | None:
        """Spacing of a lattice that holds every value of the sum, if the parts share one."""
        common = 0.0
        for loss, _ in self.parts:
            if loss.spacing is None:
                return None
            if not common or not loss.spacing:
                common = common or loss.spacing
                continue
            ratio = Fraction(loss.spacing / common).limit_denominator(1000)
            if not ratio or abs(loss.spacing / common / ratio - 1) > 1e-14:
                return None
            common /= ratio.denominator
        return common or 1.0

    @cached_property
    def one(self) -> Loss | None:
        """The one loss that the sum amounts to, if it does: of one step, or of Gaussians alone."""
        if self.steps == 1:
            return self.parts[0][0]
        shifts = [(loss.gaussian_shift or 0.0, count) for loss, count in self.parts]
        if not all(shift for shift, _ in shifts):
            return None
        largest = max(shift for shift, _ in shifts)  # whose square may underflow
        squares = sum(count * (shift / largest) ** 2 for shift, count in shifts)
        return GaussianLoss(shift=largest * math.sqrt(squares))

    @cached_property
    def copies(self) -> list[tuple[Copies, int]]:
        """What each step has for copies, and how often it runs; none unless all steps have."""
        found = []
        for loss, count in self.parts:
            if loss.copies is None:
                return []
            found.append((loss.copies, count))
        return found

    @property
    def laplace(self) -> LaplaceLaw | None:
        """The Laplace noise of every step, if all have the same and nothing else; else None."""
        return self.parts[0][0].laplace if len(self.parts) == 1 else None

    def is_never_told_apart(self, delta: float) -> bool:
        """Whether δ(0), the total variation, is at most `delta`: it is at most the sum over all
        steps. No, where there are too many different ones to add up."""
        if len(self.parts) > FEW_PARTS:
            return False
        zero = np.zeros(1)
        total = sum(count * float(loss.profile(zero)[0]) for loss, count in self.parts)
        return total * (1 + 1e-12) <= delta

    @cached_property
    def origin(self) -> float:
        """A point of that lattice."""
        return sum(count * float(loss.atoms.losses[0]) for loss, count in self.parts)

    @cached_property
    def mean_reversed(self) -> float | None:
        """About the mean loss, under its own P, of all that is here the other way round; None
        where nothing is."""
        bases = [(loss.base, count) for loss, count in self.parts if isinstance(loss, Reversed)]
        if not bases:
            return None
        return max(-float(ComposedLoss(bases).cgf(np.array([-NEAR_ZERO]))[0].real) / NEAR_ZERO, 0.0)

    def check_mass(self) -> None:
        """Raise `NumericalError` unless every part is a law that adds up."""
        for loss, _ in self.parts:
            loss.check_mass()

    def reverse(self) -> ComposedLoss:
        """The composition in the other direction."""
        return ComposedLoss((loss.reverse(), count) for loss, count in self.parts)

    def sketch(self, most: int) -> ComposedLoss:
        """At most `most` of the parts, and a few members of each family, with about the same
        cumulants: only to plan with."""
        if len(self.parts) <= most:
            return self
        families, rest = self._grouped
        if len(rest) > most:
            stride = math.ceil(len(rest) / most)
            picked = rest[stride // 2 :: stride]
            factor = sum(count for _, count in rest) / sum(count for _, count in picked)
            rest = [(loss, round(count * factor)) for loss, count in picked]
        return ComposedLoss([*rest, *(part for group in families for part in group.sketch())])

    @property
    def is_soon_evaluated(self) -> bool:
        """Whether K takes about as long as that of a sketch: few parts, or few families."""
        families, rest = self._grouped
        return len(rest) + 2 * MOST_SKETCHED * len(families) <= FEW_PARTS

    def truncated(self, mass: float) -> ComposedLoss:
        """The sum with outcomes of P-mass about `mass`, of the largest losses, made infinite."""
        each = mass / self.steps
        return ComposedLoss((loss.truncated(each), count) for loss, count in self.parts)

    def cgf(self, s: Complex | Array) -> Complex:
        """K(s) of the sum; on the real line, where it bounds δ, not too small by interpolation."""
        total, error = self.cgf_within(s)
        return total if np.iscomplexobj(s) else total + error

    def cgf_within(self, s: Complex | Array) -> tuple[Complex, Array]:
        """K(s) of the sum, and how far it may be off where it is interpolated (see `family`)."""
        s = np.asarray(s)
        total, error = np.zeros(s.shape, dtype=complex), np.zeros(s.shape)
        families, rest = self._grouped
        for members in families:
            together, off = members.cgf(s)
            total, error = total + together, error + off
        for loss, count in rest:
            total += count * loss.cgf(s)
        return total, error

    @cached_property
    def _grouped(self) -> tuple[list[Members], list[tuple[Loss, int]]]:
        return grouped(self.parts) if len(self.parts) >= MANY else ([], list(self.parts))

    def nodes_at(self, tilt: float, turn: float) -> int:
        """How many quadrature nodes K takes on the line Re s = tilt up to |Im s| = turn."""
        return sum(loss.nodes_at(tilt, turn).losses.size for loss, _ in self.parts)

    def decay(self, tilt: float, frequencies: Array, resolved: float) -> Array:
        """Lower bounds on −log|φ(t)| of the tilted sum: at each frequency, and to the next; inf
        from half the period of a lattice on, beyond which nothing is asked."""
        total = np.zeros((2, frequencies.size))
        for loss, count in self.parts:
            bound = np.maximum(loss.spread(tilt, frequencies, resolved), 1e-300)
            total -= count * np.log(bound)
        if self.spacing is not None:
            total[:, frequencies >= math.pi / self.spacing] = math.inf
        return total

    def decay_over_period(self, tilt: float, samples: int) -> Array:
        """The same of sums on a lattice of at least two points, at that many frequencies above 0,
        evenly up to half its period."""
        assert self.spacing
        total = np.zeros((2, samples))
        for loss, count in self.parts:
            seen = decay_over_period(loss.nodes_at(tilt, 0.0), tilt, self.spacing, samples)
            total -= count * np.log(seen)
        total[:, -1] = math.inf
        return total


def both_ways(parts: Iterable[tuple[Loss, int]]) -> list[ComposedLoss]:
    """The sum of losses and, unless that is the same, its reverse."""
    forward = ComposedLoss(parts)
    return [forward] if forward.symmetric else [forward, forward.reverse()]
