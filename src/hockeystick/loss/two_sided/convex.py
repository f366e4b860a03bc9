"""The convex envelope of an amplified curve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockeystick.loss.measure import Atoms
from hockeystick.loss.two_sided.amplified import AmplifiedCurve, Term
from hockeystick.numerics.types import Array


@dataclass(frozen=True)
class ConvexCurve(AmplifiedCurve):
    """The lower convex envelope, in a = e^u, of a curve that bends the wrong way at first.

    From a = 1 to the place where it touches, it is the steepest chord. The largest profile of a
    mechanism is convex, so what bounds it is bounded by the envelope too.
    """

    touch: float = 0.0
    slope: float = 0.0
    """−dδ/da on the chord."""

    @property
    def _bent(self) -> AmplifiedCurve:
        """The curve of which this is the envelope."""
        return AmplifiedCurve(self.terms, self.rate, self.extra)

    def delta(self, u: Array) -> Array:
        chord = super().delta(np.zeros_like(u)) - self.slope * np.expm1(np.minimum(u, self.touch))
        return np.where(u < self.touch, chord, super().delta(np.maximum(u, self.touch)))

    @cached_property
    def breaks(self) -> Array:
        places = self._bent.breaks
        return np.append(self.touch, places[places > self.touch])

    @cached_property
    def atoms(self) -> Atoms:
        losses, log_q = self._bent.atoms
        beyond = losses > self.touch * (1 + 1e-12)
        losses, log_q = losses[beyond], log_q[beyond]
        mass = self.slope - float(super().above(np.array([self.touch]))[1][0]) - np.exp(log_q).sum()
        if mass <= 1e-12 * self.slope:
            return Atoms(losses, log_q)
        return Atoms(np.append(self.touch, losses), np.append(math.log(mass), log_q))

    def above(self, u: Array) -> tuple[Array, Array]:
        return super().above(np.maximum(u, self.touch))

    def _with(self, terms: tuple[Term, ...], extra: float) -> AmplifiedCurve:
        return convex(AmplifiedCurve(terms, self.rate, extra))


def convex(curve: AmplifiedCurve) -> AmplifiedCurve:
    """The curve, or its envelope where the curve is not convex at a = 1."""
    if not any(term.falling for term in curve.terms):
        return curve
    start = float(curve.delta(np.zeros(1))[0])

    def chord(u: Array) -> Array:
        return (start - curve.delta(u)) / np.expm1(u)

    scale = curve.rate * 2.0 ** np.arange(-20.0, 12.0, 0.125)
    places = np.unique(np.concatenate([np.log1p(scale), curve.breaks]))
    places = places[(places > 0) & (places < 600)]
    values = chord(places)
    best = int(np.argmax(values))
    if best == 0:
        return curve
    around = places[max(best - 1, 0) : best + 2]
    for _ in range(40):
        fine = np.union1d(np.linspace(around[0], around[-1], 9), places[best])
        i = int(np.argmax(chord(fine)))
        around = fine[max(i - 1, 0) : i + 2]
    touch = float(fine[i])
    slope = float(chord(np.array([touch]))[0])
    return ConvexCurve(curve.terms, curve.rate, curve.extra, touch, slope)
