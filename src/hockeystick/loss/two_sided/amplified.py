"""Curves that the amplification theorems for sampling give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Self

import numpy as np

from hockeystick.loss.copies import Copies
from hockeystick.loss.measure import EMPTY, Atoms, Nodes
from hockeystick.loss.two_sided.curve import Curve
from hockeystick.loss.two_sided.panels import PanelCurve, Panels, panels_of
from hockeystick.loss.two_sided.term import Term
from hockeystick.numerics.peak import log_integrals
from hockeystick.numerics.roots import last_true_by_grids
from hockeystick.numerics.series import Array, log_mixed, log_unmixed

FIRST_PANELS = 32
"""Even steps of the losses before sampling, in which a curve is smoother than in those after."""
TILTS = 2.0 ** np.arange(-2.0, 9.0)
"""Orders of Chernoff's bound on losses too rare for panels."""
FARTHEST_DOT = 60.0
"""The last point of an endless curve."""


@dataclass(frozen=True)
class AmplifiedCurve(PanelCurve):
    """δ(u) = Σ (constant + falling/A)·h(A) with A = 1 + (e^u − 1)/rate, for u >= 0.

    The form of every amplification theorem for sampling: the record is drawn with probability
    `rate`, and 1 − β = 1 − e^u/A weighs what stands in its place (advanced joint convexity).

    Where that bends the wrong way at first, its convex envelope in a = e^u, which bounds a profile
    too because the largest profile of a mechanism is convex: up to `touch` the steepest chord.
    """

    terms: tuple[Term, ...]
    rate: float
    extra: float = 0.0
    """Added to the curve, at every u."""
    touch: float = 0.0
    slope: float = 0.0
    """−dδ/da on the chord."""

    def __post_init__(self) -> None:
        tops = log_mixed(self.rate, np.array([term.loss.top for term in self.terms]))
        limit = sum(term.constant * term.loss.infinite for term in self.terms)
        self.__dict__.update(
            top=float(tops.max()),
            infinite=self.extra + limit,
            rough=any(term.loss.rough for term in self.terms),
            high=min(term.high for term in self.terms),
        )

    @property
    def slip(self) -> float:
        return max(term.loss.slip for term in self.terms)  # a loss grows no faster on a sample

    @property
    def copies(self) -> Copies | None:
        """q·h(1 + (e^u − 1)/q) is at most q·h(e^u): what a coin that is told costs."""
        plain = len(self.terms) == 1 and not (self.extra or self.touch)
        return self.terms[0].copies(self.rate) if plain else None

    def delta(self, u: Array) -> Array:
        x = log_unmixed(self.rate, np.maximum(u, self.touch))
        total = np.full_like(x, self.extra)
        for constant, falling, loss in self.terms:
            weight = constant + falling * np.exp(-x) if falling else constant
            total += weight * loss.profile(x)
        if self.touch:
            total += self.slope * (math.exp(self.touch) - np.exp(np.minimum(u, self.touch)))
        if any(term.loss.infinite for term in self.terms):
            return total
        return np.where(u >= self.top, self.extra, total)  # not what rounding leaves there

    def truncated(self, mass: float) -> tuple[Curve, float]:
        """Terms that weigh less than the mass are taken for their bound 1."""
        order = sorted(self.terms, key=lambda term: term.constant + term.falling)
        extra = void = 0.0
        while len(order) > 1 and not order[0].falling and extra + order[0].constant <= mass / 2:
            weight, _, loss = order.pop(0)
            extra += weight
            void += weight * (1 - float(loss.profile(np.zeros(1))[0]))
        each = min(mass / 2 / sum(term.constant for term in order), 0.25)
        terms = tuple(term._replace(loss=term.loss.truncated(each)) for term in order)
        if set(terms) == set(self.terms):
            return self, 0.0
        for (constant, falling, before), after in zip(order, terms, strict=True):
            void += (constant + falling) * (after.loss.void - before.void)
        bent = replace(self, terms=terms, extra=self.extra + extra, touch=0.0, slope=0.0)
        return bent.convex() if self.touch else bent, void

    def raised(self, by: float) -> Self:
        return replace(self, extra=self.extra + by)

    @cached_property
    def panels(self) -> Panels:
        end = float(log_unmixed(self.rate, np.array([self.last]))[0])
        even = log_mixed(self.rate, np.linspace(0.0, end, FIRST_PANELS + 1))[1:-1]
        inside = np.concatenate([even, self.breaks])
        edges = np.unique(np.append(inside[inside < self.last], [0.0, self.last]))
        return panels_of(self.delta, self.infinite, edges)

    def log_beyond(self, powers: Array, least: Array) -> Array:
        """By Chernoff's bound on the losses before sampling where that is below `least`."""
        beyond = np.full(powers.shape, -math.inf)
        counted = np.flatnonzero(powers > 0)
        if math.isfinite(self.top) or not counted.size:
            return beyond
        s, x = powers[counted], float(log_unmixed(self.rate, np.array([self.last]))[0])
        for term in self.terms:
            if math.isinf(term.loss.top) and term.constant > 0:
                log_weight = math.log(term.constant / self.rate) + (s + 1) * (self.last - x)
                k = term.loss.cgf(np.add.outer(s, TILTS).ravel()).real
                bound = log_weight + (k.reshape(-1, TILTS.size) - TILTS * x).min(axis=1)
                far = counted[bound > least[counted]]
                if far.size:
                    more = log_integrals(partial(self._log_term, term), powers[far], self.last)
                    beyond[far] = np.logaddexp(beyond[far], more)
        return beyond

    def _log_term(self, term: Term, u: Array) -> Array:
        """log of one term of the curve, known where its value is no float."""
        x = log_unmixed(self.rate, u)
        with np.errstate(divide="ignore"):
            return term.loss.log_profile(x) + np.log(term.constant + term.falling * np.exp(-x))

    @cached_property
    def breaks(self) -> Array:
        """Places where the curve is not smooth."""
        losses = np.concatenate([np.append(t.loss.atoms.losses, t.loss.top) for t in self.terms])
        places = log_mixed(self.rate, losses[(losses > 0) & np.isfinite(losses)])
        return np.unique(np.append(places[places > self.touch], [self.touch] * bool(self.touch)))

    @cached_property
    def atoms(self) -> Atoms:
        losses, log_q = self._jumps([term.loss.atoms for term in self.terms])
        if not self.touch:
            return Atoms(losses, log_q)
        beyond = losses > self.touch * (1 + 1e-12)
        losses, log_q = losses[beyond], log_q[beyond]
        mass = self.slope - float(self.above(np.array([self.touch]))[1][0]) - np.exp(log_q).sum()
        if mass <= 1e-12 * self.slope:
            return Atoms(losses, log_q)
        return Atoms(np.append(self.touch, losses), np.append(math.log(mass), log_q))

    def _jumps(self, before: Sequence[Atoms]) -> Atoms:
        """The atoms, given those of the losses before sampling."""
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
        u = np.maximum(u, self.touch)
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
            positive = np.maximum(losses, 0.0)
            atoms_weight = (constant + falling * np.exp(-positive)) / self.rate
            # e^u of a large loss is no float, but its Q-mass times e^u is.
            atoms_p = np.where(beyond, np.exp(log_q + log_mixed(self.rate, positive)), 0.0)
            h = loss.profile(x)
            slope = falling / self.rate * np.exp(-2 * x) * h
            slope = slope + weight * (q_above + atoms_q.sum(axis=-1))
            q += slope - atoms_q @ atoms_weight
            part = (constant + falling * np.exp(-x)) * h - constant * loss.infinite
            p += part + a * slope - atoms_p @ atoms_weight
        return np.maximum(p, 0.0), np.maximum(q, 0.0)

    def convex(self) -> AmplifiedCurve:
        """The curve, or its envelope where the curve is not convex at a = 1."""
        start = float(self.delta(np.zeros(1))[0])
        scale = self.rate * 2.0 ** np.arange(-20.0, 12.0, 0.125)
        places = np.unique(np.concatenate([np.log1p(scale), self.breaks]))
        places = places[(places > 0) & (places < 600)]
        best = int(np.argmax((start - self.delta(places)) / np.expm1(places)))
        if best == 0:
            return self
        around = places[best - 1], places[min(best + 1, places.size - 1)]
        _, touch = last_true_by_grids(partial(self._is_steeper, start), *around, 8)
        rest = start - float(self.delta(np.array([touch]))[0])
        return replace(self, touch=touch, slope=rest / math.expm1(touch))

    def _is_steeper(self, start: float, u: Array) -> Array:
        """Whether the curve falls faster at u than the chord from a = 1 to there."""
        losses, log_q = self.atoms
        atoms = np.where(losses > u[:, None], np.exp(log_q), 0.0).sum(axis=1)
        fall = (self.above(u)[1] + atoms) * np.expm1(u)
        return np.asarray(fall > start - self.delta(u))

    @property
    def left(self) -> float:
        """The mass at loss 0, if both directions are this curve; below 0 where it is not convex at
        a = 1: there the envelope crosses it."""
        start = np.zeros(1)
        positive = float(self.above(start)[1][0]) + np.exp(self.atoms.log_q).sum()
        return float(1 - self.delta(start)[0] - 2 * positive)

    def grid(self, count: int) -> Array:
        """Places along the curve, dense where it begins and at its breaks."""
        top = min(self.top, FARTHEST_DOT)
        near = np.log1p(self.rate * np.geomspace(1e-6, np.expm1(top) / self.rate, count))
        breaks = self.breaks[self.breaks < 600]
        u = np.unique(np.concatenate([[0.0], near, np.linspace(0, top, count), breaks]))
        distinct = np.append(True, np.diff(np.exp(u)) > 1e-13 * np.exp(u[1:]))
        return np.asarray(u[distinct])

    @property
    def is_convex(self) -> bool:
        """Whether −dδ/da never grows again, to 1e-6 of itself."""
        u = self.grid(400)
        fall = -np.diff(self.delta(u)) / np.diff(np.exp(u))
        return bool((np.diff(fall) <= 1e-6 * np.abs(fall[:-1]) + 1e-12).all())


@dataclass(frozen=True)
class DiscreteCurve(AmplifiedCurve):
    """For each ℓ > 0 of discrete losses before sampling, an atom at log(1 − rate + rate·e^ℓ).

    Their list may have no end. It is made for the powers that are asked for, because rare losses
    decide large powers.
    """

    continuous = False

    def above(self, u: Array) -> tuple[Array, Array]:
        return np.zeros_like(u), np.zeros_like(u)

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        nodes = [loss.nodes(-1.0, max(high, 0.0), 0.0) for _, _, loss in self.terms]
        return Nodes(*self._jumps([Atoms(losses, log_q) for losses, log_q, _ in nodes]), EMPTY)
