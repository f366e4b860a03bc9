"""Curves that the amplification theorems for sampling give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import NamedTuple, Self

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.base import Loss
from hockeystick.loss.measure import EMPTY, Atoms, Nodes
from hockeystick.loss.two_sided.curve import Curve
from hockeystick.loss.two_sided.panels import LEAST_DELTA, PanelCurve
from hockeystick.numerics.peak import log_integral
from hockeystick.numerics.roots import last_true_by_grids
from hockeystick.numerics.series import Array, log_mixed, log_unmixed

FARTHEST = 1e6
"""A curve that has not fallen to its limit at this u never does."""


class Term(NamedTuple):
    """(constant + falling/A)·h(A), with h the profile of a loss."""

    constant: float
    falling: float
    loss: Loss


@dataclass(frozen=True)
class AmplifiedCurve(PanelCurve):
    """δ(u) = Σ (constant + falling/A)·h(A) with A = 1 + (e^u − 1)/rate, for u >= 0.

    The form of every amplification theorem for sampling: the record is drawn with probability
    `rate`, and 1 − β = 1 − e^u/A weighs what stands in its place (advanced joint convexity).
    """

    terms: tuple[Term, ...]
    rate: float
    extra: float = 0.0
    """Added to the curve, at every u."""

    @cached_property
    def rough(self) -> bool:
        return any(term.loss.rough for term in self.terms)

    def delta(self, u: Array) -> Array:
        x = log_unmixed(self.rate, u)
        total = np.full_like(x, self.extra)
        for constant, falling, loss in self.terms:
            total += (constant + falling * np.exp(-x)) * loss.profile(x)
        return total

    @cached_property
    def infinite(self) -> float:
        return self.extra + sum(term.constant * term.loss.infinite for term in self.terms)

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
        return self._with(terms, self.extra + extra), void

    def _with(self, terms: tuple[Term, ...], extra: float) -> AmplifiedCurve:
        return replace(self, terms=terms, extra=extra)

    def raised(self, by: float) -> Self:
        return replace(self, extra=self.extra + by)

    def log_beyond(self, power: float, least: float) -> float:
        """By Chernoff's bound on the losses before sampling where that is below `least`."""
        x = self._last_before
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
        return max(float(log_mixed(self.rate, np.array([term.loss.top]))[0]) for term in self.terms)

    @cached_property
    def last(self) -> float:
        def above(u: Array) -> Array:
            return self.delta(u) - self.infinite > LEAST_DELTA

        low, high = 0.0, 1.0
        while high < self.top and above(np.array([high]))[0]:
            low, high = high, 2 * high
            if high > FARTHEST:
                raise NumericalError("a profile does not fall to its limit")
        return self.top if high >= self.top else last_true_by_grids(above, low, high, 6)[1]

    @cached_property
    def _last_before(self) -> float:
        """The loss before sampling that becomes the last."""
        return float(log_unmixed(self.rate, np.array([self.last]))[0])

    @cached_property
    def breaks(self) -> Array:
        places = []
        for _, _, loss in self.terms:
            losses = np.append(loss.atoms.losses, loss.top)
            places.append(losses[(losses > 0) & np.isfinite(losses)])
        return np.unique(log_mixed(self.rate, np.concatenate(places)))

    @cached_property
    def atoms(self) -> Atoms:
        return self._jumps([loss.atoms for _, _, loss in self.terms])

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


@lru_cache(maxsize=1024)
def _log_beyond(curve: AmplifiedCurve, term: Term, power: float) -> float:
    """One term of `log_beyond`; kept, because every search begins with the same powers."""
    return log_integral(partial(curve._log_term, term, power), curve.last)


@dataclass(frozen=True)
class DiscreteCurve(AmplifiedCurve):
    """For each ℓ > 0 of discrete losses before sampling, an atom at log(1 − rate + rate·e^ℓ).

    Their list may have no end. It is made for the powers that are asked for, because rare losses
    decide large powers.
    """

    continuous = False

    @property
    def by_panels(self) -> None:
        return None

    def above(self, u: Array) -> tuple[Array, Array]:
        return np.zeros_like(u), np.zeros_like(u)

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        nodes = [loss.nodes(-1.0, max(high, 0.0), 0.0) for _, _, loss in self.terms]
        return Nodes(*self._jumps([Atoms(losses, log_q) for losses, log_q, _ in nodes]), EMPTY)
