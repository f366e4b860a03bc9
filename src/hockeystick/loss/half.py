"""A bound on the profile for ε >= 0, as the amplification theorems for sampling state it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.base import EMPTY, Atoms, Loss
from hockeystick.loss.peak import log_integral
from hockeystick.numerics.series import Array, log_mixed, log_unmixed

LAST = 1e-270
"""Where a curve falls below this, its logarithm is integrated instead, for real s only."""


class Term(NamedTuple):
    """(constant + falling/A)·h(A), with h the profile of a loss."""

    constant: float
    falling: float
    loss: Loss


@dataclass(frozen=True)
class Half:
    """δ(u) = Σ (constant + falling/A)·h(A) with A = 1 + (e^u − 1)/rate, for u >= 0.

    The form of every amplification theorem for sampling: the record is drawn with probability
    `rate`, and 1 − β = 1 − e^u/A weighs what stands in its place (advanced joint convexity).
    """

    terms: tuple[Term, ...]
    rate: float
    extra: float = 0.0
    """Added to the curve, at every u."""

    def delta(self, u: Array) -> Array:
        """The curve."""
        x = log_unmixed(self.rate, u)
        total = np.full_like(x, self.extra)
        for constant, falling, loss in self.terms:
            total += (constant + falling * np.exp(-x)) * loss.profile(x)
        return total

    @property
    def infinite(self) -> float:
        """The limit of the curve."""
        return self.extra + sum(term.constant * term.loss.infinite for term in self.terms)

    def truncated(self, mass: float) -> tuple[Half, float]:
        """The curve when outcomes of P-mass about `mass` become infinite losses, and their Q-mass.

        Terms that weigh less than that are taken for their bound 1.
        """
        order = sorted(self.terms, key=lambda term: term.constant + term.falling)
        extra = void = 0.0
        while len(order) > 1 and not order[0].falling and extra + order[0].constant <= mass / 2:
            weight, _, loss = order.pop(0)
            extra += weight
            void += weight * (1 - float(loss.profile(np.zeros(1))[0]))
        each = min(mass / 2 / sum(term.constant for term in order), 0.25)
        terms = tuple(term._replace(loss=term.loss.truncated(each)) for term in order)
        void += sum((term.constant + term.falling) * term.loss.void for term in terms)
        return Half(terms, self.rate, self.extra + extra), void

    def log_beyond(self, power: float, least: float) -> float:
        """log ∫ e^{power·u}·(δ(u) − δ(∞)) du over u > last, where δ itself is too small to keep.

        Where Chernoff's bound on the losses before sampling is below `least`, just −inf.
        """
        x = float(log_unmixed(self.rate, np.array([self.last]))[0])
        tilts = 2.0 ** np.arange(-2.0, 9.0)
        logs = [-math.inf]
        for term in self.terms:
            if math.isinf(term.loss.top) and term.constant > 0:
                log_weight = math.log(term.constant / self.rate) + (power + 1) * (self.last - x)
                bound = float((term.loss.cgf(power + tilts).real - tilts * x).min())
                if log_weight + bound > least:
                    logs.append(_log_beyond(self, term, power))
        return float(np.logaddexp.reduce(logs))

    def _log_term(self, term: Term, power: float, u: Array) -> Array:
        x = log_unmixed(self.rate, u)
        log_delta = term.loss.log_profile(x)
        if np.isneginf(log_delta).any():
            raise NumericalError("K(s) depends on losses rarer than 1e-290, which are not kept")
        with np.errstate(divide="ignore"):
            return power * u + log_delta + np.log(term.constant + term.falling * np.exp(-x))

    @cached_property
    def top(self) -> float:
        """Where the curve reaches its limit."""
        return max(float(log_mixed(self.rate, np.array([term.loss.top]))[0]) for term in self.terms)

    @cached_property
    def last(self) -> float:
        """Where the curve is within `LAST` of its limit."""

        def above(u: float) -> bool:
            return float(self.delta(np.array([u]))[0]) - self.infinite > LAST

        high = 1.0
        while high < self.top and above(high):
            high *= 2
            if high > 1e6:
                raise NumericalError("a profile does not fall to its limit")
        if high >= self.top:
            return self.top
        low = high / 2 if high > 1 else 0.0
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (middle, high) if above(middle) else (low, middle)
        return high

    @cached_property
    def breaks(self) -> Array:
        """Places where the curve is not smooth."""
        places = []
        for _, _, loss in self.terms:
            losses = np.append(loss.atoms.losses, loss.top)
            places.append(losses[(losses > 0) & np.isfinite(losses)])
        return np.unique(log_mixed(self.rate, np.concatenate(places)))

    @cached_property
    def atoms(self) -> Atoms:
        """Jumps of the slope: losses u > 0 and their mass under Q."""
        return self._jumps([loss.atoms for _, _, loss in self.terms])

    def atoms_for(self, power: float) -> Atoms:
        """The same, as many as matter to E_P[e^{power·L}], where nothing is continuous."""
        nodes = [loss.nodes(-1.0, power, 0.0) for _, _, loss in self.terms]
        return self._jumps([Atoms(losses, log_q) for losses, log_q, _ in nodes])

    def _jumps(self, before: Sequence[Atoms]) -> Atoms:
        losses, logs = [EMPTY], [EMPTY]
        for (constant, falling, _), atoms in zip(self.terms, before, strict=True):
            above = atoms.losses > 0
            x, log_q = atoms.losses[above], atoms.log_q[above]
            losses.append(log_mixed(self.rate, x))
            with np.errstate(divide="ignore"):
                logs.append(np.log((constant + falling * np.exp(-x)) / self.rate) + log_q)
        u, place = np.unique(np.concatenate(losses), return_inverse=True)
        log_masses = np.concatenate(logs)
        peak = np.full(u.size, -math.inf)
        np.maximum.at(peak, place, log_masses)
        kept = peak > -math.inf
        peak = np.where(kept, peak, 0.0)
        total = np.bincount(place, np.exp(log_masses - peak[place]), u.size)
        return Atoms(u[kept], (peak + np.log(np.maximum(total, 1e-300)))[kept])

    def above(self, u: Array) -> tuple[Array, Array]:
        """P- and Q-mass of the continuous part beyond each u >= 0."""
        x, a = log_unmixed(self.rate, u), np.exp(np.minimum(u, 700))
        p, q = np.zeros_like(x), np.zeros_like(x)
        for constant, falling, loss in self.terms:
            p_above, q_above, _, _ = loss.tails(x)
            if not falling:
                q += constant / self.rate * q_above
                p += constant / self.rate * ((1 - self.rate) * q_above + self.rate * p_above)
                continue
            weight = (constant + falling * np.exp(-x)) / self.rate
            losses, log_q = loss.atoms
            beyond = losses > x[..., None]
            atoms_q = np.where(beyond, np.exp(log_q), 0.0)
            atoms_weight = (constant + falling * np.exp(-losses)) / self.rate
            mapped = np.exp(log_mixed(self.rate, np.maximum(losses, 0)))
            h = loss.profile(x)
            slope = falling / self.rate * np.exp(-2 * x) * h
            slope = slope + weight * (q_above + atoms_q.sum(axis=-1))
            q += slope - atoms_q @ atoms_weight
            part = (constant + falling * np.exp(-x)) * h - constant * loss.infinite
            p += part + a * slope - atoms_q @ (atoms_weight * mapped)
        return np.maximum(p, 0.0), np.maximum(q, 0.0)


@lru_cache(maxsize=1024)
def _log_beyond(half: Half, term: Term, power: float) -> float:
    """One term of `Half.log_beyond`; kept, because every search begins with the same powers."""
    return log_integral(partial(half._log_term, term, power), half.last)


@dataclass(frozen=True)
class ConvexHalf(Half):
    """The lower convex envelope, in a = e^u, of a curve that bends the wrong way at first.

    From a = 1 to the place where it touches, it is the steepest chord. The largest profile of a
    mechanism is convex, so what bounds it is bounded by the envelope too.
    """

    touch: float = 0.0
    slope: float = 0.0
    """−dδ/da on the chord."""

    def delta(self, u: Array) -> Array:
        chord = super().delta(np.zeros_like(u)) - self.slope * np.expm1(np.minimum(u, self.touch))
        return np.where(u < self.touch, chord, super().delta(np.maximum(u, self.touch)))

    @cached_property
    def breaks(self) -> Array:
        places = Half(self.terms, self.rate, self.extra).breaks
        return np.append(self.touch, places[places > self.touch])

    @cached_property
    def atoms(self) -> Atoms:
        losses, log_q = Half(self.terms, self.rate, self.extra).atoms
        beyond = losses > self.touch * (1 + 1e-12)
        losses, log_q = losses[beyond], log_q[beyond]
        mass = self.slope - float(super().above(np.array([self.touch]))[1][0]) - np.exp(log_q).sum()
        if mass <= 1e-12 * self.slope:
            return Atoms(losses, log_q)
        return Atoms(np.append(self.touch, losses), np.append(math.log(mass), log_q))

    def above(self, u: Array) -> tuple[Array, Array]:
        return super().above(np.maximum(u, self.touch))

    def truncated(self, mass: float) -> tuple[Half, float]:
        half, void = super().truncated(mass)
        return convex(half), void


def convex(half: Half) -> Half:
    """The curve, or its envelope where the curve is not convex at a = 1."""
    if not any(term.falling for term in half.terms):
        return half
    start = float(half.delta(np.zeros(1))[0])

    def chord(u: Array) -> Array:
        return (start - half.delta(u)) / np.expm1(u)

    scale = half.rate * 2.0 ** np.arange(-20.0, 12.0, 0.125)
    places = np.unique(np.concatenate([np.log1p(scale), half.breaks]))
    places = places[(places > 0) & (places < 600)]
    values = chord(places)
    best = int(np.argmax(values))
    if best == 0:
        return half
    around = places[max(best - 1, 0) : best + 2]
    for _ in range(40):
        fine = np.union1d(np.linspace(around[0], around[-1], 9), places[best])
        i = int(np.argmax(chord(fine)))
        around = fine[max(i - 1, 0) : i + 2]
    touch = float(fine[i])
    slope = float(chord(np.array([touch]))[0])
    return ConvexHalf(half.terms, half.rate, half.extra, touch, slope)


def joint(
    weights: Sequence[float],
    near: Sequence[Loss],
    far: Sequence[Loss],
    rate: float,
    extra: float = 0.0,
) -> Half:
    """Σ w·((1 − β)·h_far(A) + β·h_near(A)) + extra, with β = e^u/A = rate + (1 − rate)/A."""
    terms: list[Term] = []
    for weight, one, other in zip(weights, near, far, strict=True):
        if one == other:
            terms.append(Term(weight, 0.0, one))
        else:
            terms.append(Term(weight * rate, weight * (1 - rate), one))
            terms.append(Term(weight * (1 - rate), -weight * (1 - rate), other))
    return convex(Half(tuple(terms), rate, extra))
