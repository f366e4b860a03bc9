"""The loss behind a guarantee that is known for ε >= 0, one curve per direction.

A guarantee H_a(P‖Q) <= h(a), H_a(Q‖P) <= h'(a) for a >= 1 is the profile of a pair (Zhu, Dong and
Wang 2022): by Theorem 6 of Balle, Barthe and Gaboardi (2018), in its two-sided form,

    e^{K(s)} = 1 + s(s+1)·∫_0^∞ (e^{su}·δ(u) + e^{−(s+1)u}·δ'(u)) du − (s+1)·δ(∞) + s·δ'(∞)

with the limits taken off under the integral. What the curves leave over is an atom at loss 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.loss.copies import Copies
from hockeystick.loss.measure import Atoms, Nodes, Tails
from hockeystick.loss.mixed import Mixed
from hockeystick.loss.points import joined, pair_of, side_of
from hockeystick.loss.strip import StripLoss
from hockeystick.loss.two_sided.cumulants import Cumulants
from hockeystick.loss.two_sided.curve import Curve
from hockeystick.loss.two_sided.panels import PanelCurve
from hockeystick.numerics.types import Array, Complex

FARTHEST_POWER = 1e7
"""Atoms without end are listed for powers of e^L up to this."""


class TwoSidedLoss(StripLoss):
    """The pair with profile `forward` for ε >= 0, and `backward` for ε >= 0 of its reverse.

    Its positive losses are those of `forward`, its negative ones the mirror image of those of
    `backward`. Without `backward` it is symmetric.
    """

    def __init__(self, forward: Curve, backward: Curve | None = None) -> None:
        self.forward, self.backward = forward, backward or forward
        self.symmetric = self.forward is self.backward
        self.continuous = forward.continuous or self.backward.continuous
        self.top, self.bottom = forward.top, -self.backward.top
        self.rough = forward.rough or self.backward.rough
        self.infinite, self.void = forward.infinite, self.backward.infinite
        self.high, self.low = forward.high, -1 - self.backward.high
        self._cumulants = self.cumulants(1.0)
        self.sketched = self._cumulants is not None

    def cumulants(self, rate: float) -> Cumulants | None:
        """K of the pair mixed at a rate, where both curves are followed by panels."""
        ahead, behind = self.forward, self.backward
        if isinstance(ahead, PanelCurve) and isinstance(behind, PanelCurve) and self.continuous:
            _ = ahead.panels, behind.panels  # an error now if a curve is too rough
            return Cumulants(ahead, behind, rate)
        return None

    @property
    def slip(self) -> float:
        return max(self.forward.slip, self.backward.slip) + self._last_digits

    @property
    def copies(self) -> Copies | None:
        return self.forward.copies if self.symmetric else None

    def profile(self, epsilon: Array) -> Array:
        epsilon = np.asarray(epsilon, dtype=float)
        value = self.forward.delta(np.maximum(epsilon, 0.0))
        if (epsilon < 0).any():
            below = np.minimum(epsilon, 0.0)
            back = -np.expm1(below) + np.exp(below) * self.backward.delta(-below)
            value = np.where(epsilon < 0, back, value)
        return value

    def log_profile(self, epsilon: Array) -> Array:
        negative = (np.asarray(epsilon) < 0).any()
        return super().log_profile(epsilon) if negative else self.forward.log_delta(epsilon)

    def reverse(self) -> Loss:
        if self.symmetric:
            return self
        turned = TwoSidedLoss(self.backward, self.forward)
        turned.origin = self.origin and self.origin.reverse()
        return turned

    def reverse_profile(self, epsilon: Array) -> Array:
        return self.reverse().profile(epsilon)

    @cached_property
    def _masses(self) -> tuple[float, float, float]:
        """P- and Q-mass of the finite losses other than atoms, and the mass of the atom at 0."""
        if not self.forward.atoms_apart:
            return 1 - self.infinite, 1 - self.void, 0.0
        zero = np.zeros(1)
        (p_up, q_up), (q_down, p_down) = self.forward.above(zero), self.backward.above(zero)
        p, q = float(p_up[0]) + float(p_down[0]), float(q_up[0]) + float(q_down[0])
        up, down = self.forward.atoms, self.backward.atoms
        rest = 1 - self.infinite - p - float(up.p.sum()) - float(down.q.sum())
        return p, q, max(rest, 0.0)

    @cached_property
    def atoms(self) -> Atoms:
        return joined(self.forward.atoms, self.backward.atoms, self._masses[2])

    def tails(self, losses: Array) -> Tails:
        up, (p, q, _) = losses >= 0, self._masses
        found = Tails(*(np.empty(losses.shape) for _ in Tails._fields))
        if up.any():
            above, q_above = self.forward.above(losses[up])
            for column, value in zip(found, (above, q_above, p - above, q - q_above), strict=True):
                column[up] = value
        if not up.all():
            below, p_below = self.backward.above(-losses[~up])
            for column, value in zip(found, (p - p_below, q - below, p_below, below), strict=True):
                column[~up] = value
        return found

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        ahead = self.forward.nodes(low, high, turn)
        behind = self.backward.nodes(-1 - high, -1 - low, turn)
        n, m = ahead.density.size, behind.density.size
        x, log_q = behind.losses, behind.log_q + behind.losses
        density = behind.density * np.exp(np.minimum(x[:m], 700.0))
        up, down = Atoms(ahead.losses[n:], ahead.log_q[n:]), Atoms(x[m:], behind.log_q[m:])
        atoms = joined(up, down, self._masses[2])
        return Nodes(
            np.concatenate([-x[:m][::-1], ahead.losses[:n], atoms.losses]),
            np.concatenate([log_q[:m][::-1], ahead.log_q[:n], atoms.log_q]),
            np.concatenate([density[::-1], ahead.density]),
        )

    def cgf(self, s: Complex | Array) -> Complex:
        if self._cumulants is None:
            return super().cgf(s)
        return self._cumulants.at(np.atleast_1d(np.asarray(s, dtype=complex)))

    def _cgf(self, s: Complex) -> Complex:
        return Loss.cgf(self, s)

    def mean(self) -> float:
        if self._cumulants is None or self.infinite:
            return super().mean()
        return self._cumulants.mean()

    def reverse_mean(self) -> float:
        return self.reverse().mean()

    def spread(self, tilt: float, frequencies: Array, resolved: float) -> Array:
        """Atoms at places that are known only roughly: assume no decay."""
        if self.rough:
            return np.ones((2, frequencies.size))
        return super().spread(tilt, frequencies, resolved)

    def sampled(self, rate: float) -> Loss:
        cumulants = self.cumulants(rate)
        if cumulants is None:
            return super().sampled(rate)
        return MixedTwoSided(self, rate, cumulants=cumulants)

    def truncated(self, mass: float) -> Loss:
        if not self.continuous:
            return self._listed(mass)
        forward, void = self.forward.truncated(mass)
        if forward is self.forward:
            return self
        return TwoSidedLoss(forward, self.backward.raised(void))

    def _listed(self, mass: float) -> Loss:
        """`truncated` where nothing is continuous: as many atoms as it takes, one by one."""
        power = 1.0
        while True:
            losses, log_q, _ = self.nodes(0.0, power, 0.0)
            p = np.exp(log_q + losses)
            if p[-1] < mass * 1e-6 or power > FARTHEST_POWER:
                break
            power *= 2
        last = int(np.searchsorted(-np.cumsum(p[::-1])[::-1], -mass))
        return AtomicLoss(
            losses[:last],
            log_q[:last],
            infinite=self.infinite + float(p[last:].sum()),
            void=self.void + float(np.exp(log_q[last:]).sum()),
        )


@dataclass(frozen=True)
class MixedTwoSided(Mixed):
    """((1−q)·Q + q·P, Q), with K from the curves mixed alike."""

    base: TwoSidedLoss
    cumulants: Cumulants = field(kw_only=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "rough", self.base.rough)

    def cgf(self, s: Complex | Array) -> Complex:
        return self.cumulants.at(np.atleast_1d(np.asarray(s, dtype=complex)))

    def mean(self) -> float:
        return math.inf if self.infinite else self.cumulants.mean()

    def reverse_mean(self) -> float:
        return self.cumulants.reverse_mean()

    def spread(self, tilt: float, frequencies: Array, resolved: float) -> Array:
        if self.rough:
            return np.ones((2, frequencies.size))
        return super().spread(tilt, frequencies, resolved)


def listed(forward: Curve, backward: Curve, nothing: float = 0.0) -> AtomicLoss:
    """The pair of two curves without a continuous part; a rest of up to `nothing` counts as 0."""
    up, down = (side_of(curve.atoms, curve.infinite) for curve in (forward, backward))
    return pair_of(up, None if forward is backward else down, nothing)
