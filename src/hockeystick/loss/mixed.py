"""The loss when the record takes part with some probability."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.base import Loss
from hockeystick.loss.copies import Copies
from hockeystick.loss.exact import Exact
from hockeystick.loss.family import Family
from hockeystick.loss.line import ANGLE, NATS
from hockeystick.loss.measure import Atoms, GaussianSample, Nodes, Tails
from hockeystick.numerics.roots import last_true
from hockeystick.numerics.rounding import around_product
from hockeystick.numerics.series import log_mixed, log_unmixed
from hockeystick.numerics.types import Array, Complex

LARGE_ORDER = 1000.0
"""From here on it is worth to look whether a sampled loss is decided by its largest values."""
LARGE_POWER = 100.0
"""The same for normal laws μ apart, in orders times μ²: ‖e^ℓ‖ of order p is e^{(p−1)·μ²/2}."""
PULLS = 12
"""Halvings of an order, which need not be known well."""
LEAST_SHIFT = 0.3
"""From here on the strip in which a sampled normal loss is analytic decides how wide a step is."""


def mixed(loss: Loss, rate: float, exact_rate: Fraction | None = None) -> Loss:
    """The loss of ((1−rate)·Q + rate·P, Q): the record takes part with probability `rate`, rounded
    from `exact_rate` where that is known."""
    if rate == 1:
        return loss
    own = loss.sampled(rate, exact_rate) if isinstance(loss, Mixed) else loss.sampled(rate)
    return Mixed(loss, rate, exact_rate) if own is None else own


@dataclass(frozen=True)
class Mixed(Loss):
    """((1−q)·Q + q·P, Q): each loss ℓ becomes log(1 − q + q·e^ℓ) and keeps its Q-mass.

    The pair of Poisson sampling, "remove" direction (Zhu, Dong and Wang 2022, Theorem 11).
    """

    base: Loss
    rate: float
    exact_rate: Fraction | None = field(default=None, repr=False, compare=False)
    """What `rate` is rounded from, if that is known."""
    steepest: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        base, rate = self.base, self.rate
        floor = math.log1p(-rate)
        bottom, top = log_mixed(rate, np.array([base.bottom, base.top])).tolist()
        self.__dict__.update(
            top=top,
            bottom=floor if base.void else bottom,
            infinite=around_product(rate, base.infinite)[1] if base.infinite else 0.0,
            void=0.0,
            continuous=base.continuous,
            smooth=base.smooth,
            sketched=base.sketched,
            steepest=rate / (rate + (1 - rate) * math.exp(-base.top)),
        )
        if base.gaussian_shift is not None:
            self.__dict__["gaussian_sample"] = GaussianSample(base.gaussian_shift, rate, True)
        if base.laplace and not base.laplace.added:
            self.__dict__["laplace"] = base.laplace._replace(rate=base.laplace.rate * rate)
        if not base.continuous and base.atoms.losses.size + (base.void > 0) <= 2:
            values = np.unique(self.atoms.losses)
            self.__dict__["spacing"] = float(values[-1] - values[0]) if values.size == 2 else 0.0

    @property
    def kin(self) -> tuple[Family, float] | None:
        kin = self.base.kin
        return kin and (MixedFamily(kin[0], self.rate), kin[1])

    @property
    def copies(self) -> Copies | None:
        shift = self.base.gaussian_shift
        return Copies(np.array([1 - self.rate, self.rate]), shift) if shift else None

    @cached_property
    def least_infinite(self) -> float:
        return around_product(self.rate, self.base.least_infinite)[0]

    @cached_property
    def slip(self) -> float:
        return self.steepest * self.base.slip + self._last_digits

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        # (1−q+q·e^ℓ)^{s+1} is bounded as ℓ → −inf.
        # It grows and turns with ℓ no faster than `steepest` times e^{sℓ} does.
        power = max(0.0, -1 - low)
        bounded = math.isfinite(self.base.bottom)
        losses, log_q, density = self.base.nodes(
            -1.0 - (self.steepest * power if bounded else self._pull(power)),
            self.steepest * (max(high, -1.0) + 1) - 1,
            self.steepest * (turn if bounded else self._bend(turn, power)),
        )
        mixed = log_mixed(self.rate, losses)
        split = density.size
        if split:
            slope = losses[:split] + math.log(self.rate) - mixed[:split]
            density = density * np.exp(np.minimum(-slope, 700))
        if self.base.void:
            mixed, log_q = self._with_void(mixed, log_q)
        return Nodes(mixed, log_q, density)

    def _pull(self, power: float) -> float:
        """About the order r, rounded up, for which e^{−rℓ} times the law of Q has its peak where
        (1−q+q·e^ℓ)^{−power} times it does: r = power·q·e^ℓ/(1−q+q·e^ℓ) at the mean loss ℓ there."""
        if not power:
            return 0.0
        log_odds = math.log(self.rate) - math.log1p(-self.rate)

        def is_short(r: float) -> bool:
            return r < power / (1 + math.exp(min(-self._mean_at(-1 - r) - log_odds, 700.0)))

        return last_true(is_short, 0.0, power, PULLS)[1]

    def _mean_at(self, s: float) -> float:
        """About the mean of the base's losses under the law tilted by s."""
        shift = self.base.gaussian_shift
        # A power would be an error where it overflows.
        return self.base.mean_at(s) if shift is None else shift * shift * (s + 0.5)

    def _bend(self, turn: float, power: float) -> float:
        """How fast (1−q+q·e^ℓ)^{−power} turns: it narrows the strip in which that is small.

        Where |Im ℓ| <= π/2 it is at most (1−q)^{−power}, and its mean is at least 1 by Jensen's
        inequality. Between normal laws the step of their trapezoid rule for that strip is the one
        for `ANGLE` if (44 + π/2·turn + nats)/(π/2) = (44 + ANGLE·bend)/ANGLE, with these nats.
        """
        bend = turn + 0.5 * power
        if (self.base.gaussian_shift or 0.0) < LEAST_SHIFT:
            return bend
        nats = -power * math.log1p(-self.rate)
        narrow = math.pi / 2
        return min(bend, turn + (NATS + nats) / narrow - NATS / ANGLE)

    def cgf(self, s: Complex | Array) -> Complex:
        """K(s); at large real orders by the triangle inequality for the norm of order p = s + 1,

        q·‖e^ℓ‖ <= ‖1 − q + q·e^ℓ‖ <= 1 − q + q·‖e^ℓ‖, where the two sides agree to e^−40.
        """
        s = np.atleast_1d(np.asarray(s, dtype=complex))
        if s.imag.any() or self.base.infinite or np.abs(s).max() < self._large_order:
            return super().cgf(s)
        p = np.maximum(s.real + 1, 1.0)
        k = self.base.cgf(p - 1).real
        far = k / p > 40 + np.log(p / self.rate)
        bound: Complex = (k + p * math.log(self.rate) + math.exp(-40)).astype(complex)
        if not far.all():
            bound[~far] = self._near_cgf(s[~far])
        return bound

    @cached_property
    def _large_order(self) -> float:
        shift = self.base.gaussian_shift
        return min(LARGE_ORDER, LARGE_POWER / shift / shift) if shift else LARGE_ORDER

    def _near_cgf(self, s: Complex) -> Complex:
        try:
            return super().cgf(s)
        except NumericalError:
            # Beyond reach, Q against the mixture is no worse than the mixture against Q: with
            # orders λ >= 2 and t = 1 − q + q·r it is E_Q[t^{1−λ}] <= E_Q[t^λ] for symmetric pairs.
            if s.size > 1:
                return np.concatenate([self._near_cgf(point) for point in s[:, None]])
            if s.real[0] > -2 or not self.base.symmetric:
                raise
            return self.cgf(-1 - s)

    def density(self, losses: Array) -> Array:
        base = log_unmixed(self.rate, losses)
        inside = base > -math.inf
        base = np.where(inside, base, 0.0)
        return np.where(inside, self.base.density(base) * np.exp(losses - base) / self.rate, 0.0)

    @cached_property
    def atoms(self) -> Atoms:
        losses, log_q = self.base.atoms
        atoms = Atoms(log_mixed(self.rate, losses), log_q)
        return self._with_void(*atoms) if self.base.void else atoms

    def _with_void(self, losses: Array, log_q: Array) -> Atoms:
        """Where P has no mass the mixture still has (1−q) of Q: an atom at log(1−q)."""
        return Atoms(
            np.append(losses, math.log1p(-self.rate)), np.append(log_q, math.log(self.base.void))
        )

    def tails(self, losses: Array) -> Tails:
        p_above, q_above, p_below, q_below = self.base.tails(log_unmixed(self.rate, losses))
        q = self.rate
        return Tails((1 - q) * q_above + q * p_above, q_above,
                     (1 - q) * q_below + q * p_below, q_below)  # fmt: skip

    def profile(self, epsilon: Array) -> Array:
        # q·h(1 + (e^ε − 1)/q), an identity (Balle, Barthe and Gaboardi 2018, Theorem 2).
        base = log_unmixed(self.rate, epsilon)
        inside = base > -math.inf
        value = self.rate * self.base.profile(np.where(inside, base, 0.0))
        return np.where(inside, value, -np.expm1(np.minimum(epsilon, 0.0)))

    def reverse_profile(self, epsilon: Array) -> Array:
        base = -log_unmixed(self.rate, -epsilon)
        inside = base < math.inf
        base = np.where(inside, base, 0.0)
        growth = np.exp(np.where(inside, epsilon - base, 0.0))
        return np.where(inside, self.rate * growth * self.base.reverse_profile(base), 0.0)

    def exact(self) -> Exact | None:
        base = self.base.exact()
        return base.on_sample(self.exact_rate) if base and self.exact_rate else None

    def sampled(self, rate: float, exact_rate: Fraction | None = None) -> Loss:
        both = self.exact_rate and exact_rate and self.exact_rate * exact_rate
        return mixed(self.base, self.rate * rate, both)

    def truncated(self, mass: float) -> Loss:
        cut = self.base.truncated(min(mass / self.rate, 0.25))
        return self if cut is self.base else mixed(cut, self.rate, self.exact_rate)


@dataclass(frozen=True)
class MixedFamily(Family):
    """A family's members on a Poisson sample of one rate."""

    base: Family
    rate: float

    def at(self, x: float) -> Loss:
        return mixed(self.base.at(x), self.rate)
