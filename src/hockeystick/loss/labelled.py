"""The loss when a label that says nothing about the record decides which pair is seen."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.loss.atoms import EVERYTHING, NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.copies import Copies, copies_of
from hockeystick.loss.measure import Atoms, Nodes, Tails
from hockeystick.numerics.series import log1p
from hockeystick.numerics.types import Array, Complex


class LabelledLoss(Loss):
    """With probability w_i the pair (P_i, Q_i), and i is revealed: e^K = Σ w_i·e^{K_i}.

    Revealing the label can only cost privacy, so this dominates the mechanism that hides it.
    """

    def __init__(self, *parts: tuple[float, Loss]) -> None:
        # What is infinite for certain has no finite part to account for.
        self.parts = tuple((w, loss) for w, loss in parts if w > 0 and loss.infinite < 1)
        certain = sum(w for w, loss in parts if loss.infinite == 1)
        self._missing = certain
        losses = [loss for _, loss in self.parts]
        self.top = max(loss.top for loss in losses)
        self.bottom = min(loss.bottom for loss in losses)
        self.infinite = certain + sum(weight * loss.infinite for weight, loss in self.parts)
        self.void = certain + sum(weight * loss.void for weight, loss in self.parts)
        self.symmetric = all(loss.symmetric for loss in losses)
        self.continuous = any(loss.continuous for loss in losses)
        self.smooth = all(loss.smooth for loss in losses)
        self.sketched = any(loss.sketched for loss in losses)

    @cached_property
    def copies(self) -> Copies | None:
        """Those that the label tells of plain Gaussians; those of the one part that there is."""
        (share, first), *others = self.parts
        if first.copies and not others:
            return first.copies.times(share)
        shifts = [0.0 if loss == NOTHING else loss.gaussian_shift for _, loss in self.parts]
        known = [shift for shift in shifts if shift is not None]
        if len(known) < len(shifts):
            return None
        copies = copies_of(known, [weight for weight, _ in self.parts])
        return copies and copies._replace(told=True)

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        each = [(weight, loss.nodes(low, high, turn)) for weight, loss in self.parts]
        density = np.concatenate([weight * nodes.density for weight, nodes in each])
        smooth = [(w, n.losses[: n.density.size], n.log_q[: n.density.size]) for w, n in each]
        rough = [(w, n.losses[n.density.size :], n.log_q[n.density.size :]) for w, n in each]
        both = smooth + rough
        return Nodes(
            np.concatenate([losses for _, losses, _ in both]),
            np.concatenate([log_q + math.log(weight) for weight, _, log_q in both]),
            density,
        )

    def cgf(self, s: Complex | Array) -> Complex:
        # log1p Σ w·expm1(K_i): the K_i are small, and their weights add up to 1.
        values = [(weight, loss.cgf(s)) for weight, loss in self.parts]
        peak = np.max([k.real for _, k in values], axis=0)
        terms = [weight * np.expm1(np.where(peak < 30, k, 0)) for weight, k in values]
        small = np.sum(terms, axis=0) - self._missing
        finite = np.where(np.isinf(peak), 0.0, peak)  # where one K does not exist nor does the sum
        large = peak + np.log(
            sum(weight * np.exp(np.where(np.isinf(peak), 0.0, k - finite)) for weight, k in values)
        )
        return np.where(peak < 30, log1p(np.real(small), np.imag(small)), large)

    def mean(self) -> float:
        if self.infinite:
            return math.inf
        return sum(weight * loss.mean() for weight, loss in self.parts)

    def reverse_mean(self) -> float:
        if self.void:
            return math.inf
        return sum(weight * loss.reverse_mean() for weight, loss in self.parts)

    def spread(self, tilt: float, frequencies: Array, resolved: float) -> Array:
        point = np.array([tilt])
        masses = [
            (weight * math.exp(float(loss.cgf(point)[0].real)), loss) for weight, loss in self.parts
        ]
        total = sum(mass for mass, _ in masses)
        bounds = [mass / total * loss.spread(tilt, frequencies, resolved) for mass, loss in masses]
        return np.asarray(sum(bounds))

    def profile(self, epsilon: Array) -> Array:
        finite = sum(weight * loss.profile(epsilon) for weight, loss in self.parts)
        return np.asarray(finite + self._missing)

    def reverse_profile(self, epsilon: Array) -> Array:
        finite = sum(weight * loss.reverse_profile(epsilon) for weight, loss in self.parts)
        return np.asarray(finite + self._missing)

    def density(self, losses: Array) -> Array:
        return np.asarray(sum(weight * loss.density(losses) for weight, loss in self.parts))

    @cached_property
    def atoms(self) -> Atoms:
        each = [(weight, loss.atoms) for weight, loss in self.parts]
        return Atoms(
            np.concatenate([atoms.losses for _, atoms in each]),
            np.concatenate([atoms.log_q + math.log(weight) for weight, atoms in each]),
        )

    def tails(self, losses: Array) -> Tails:
        each = [(weight, loss.tails(losses)) for weight, loss in self.parts]
        columns = (sum(w * tails[i] for w, tails in each) for i in range(4))
        return Tails(*(np.asarray(column) for column in columns))

    def reverse(self) -> Loss:
        if self.symmetric:
            return self
        return self._map(lambda loss: loss.reverse())

    def truncated(self, mass: float) -> Loss:
        return self._map(lambda loss: loss.truncated(mass))

    def _map(self, change: Callable[[Loss], Loss]) -> Loss:
        parts = [(weight, change(loss)) for weight, loss in self.parts]
        return LabelledLoss(*parts, (self._missing, EVERYTHING))

    def sampled(self, rate: float) -> Loss:
        raise ParameterError("a sample of a sample is accounted for Poisson sampling only")
