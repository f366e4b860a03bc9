"""The loss of several releases together, as one pair: what a sample shared by them is put on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
from scipy.special import ndtr

from hockeystick.errors import NumericalError, ParameterError
from hockeystick.loss.atoms import EVERYTHING, NOTHING, AtomicLoss
from hockeystick.loss.base import AtomlessLoss, Loss
from hockeystick.loss.gaussian import (
    ANGLE,
    MOST_NODES,
    NATS,
    REACH,
    GaussianLoss,
    gaussian_log_delta,
    legendre,
)
from hockeystick.loss.measure import EMPTY, Atoms, Nodes, Tails
from hockeystick.numerics.blocks import CHUNK, in_blocks
from hockeystick.numerics.series import Array
from hockeystick.numerics.types import Complex

NEGLIGIBLE = (1e-280, 1e-30)
"""Atoms rarer than this count as giving the record away; the second where they are very many."""
MOST_ATOMS = 200_000
MOST_PAIRS = 20_000_000
MOST_AT_ONCE = 1_000_000
RESOLVE = 14.0
"""The rest is resolved to this frequency, over the shift of the Gaussian that blurs it."""


def product(parts: Sequence[tuple[Loss, int]]) -> Loss:
    """The loss of all parts, each as often as it runs; Gaussians and atoms are merged exactly."""
    if any(loss.infinite == 1 for loss, _ in parts):
        return EVERYTHING
    try:
        return _product(parts, NEGLIGIBLE[0])
    except NumericalError:
        return _product(parts, NEGLIGIBLE[1])


def _product(parts: Sequence[tuple[Loss, int]], negligible: float) -> Loss:
    variance, rest = 0.0, cast(Loss, NOTHING)
    for loss, count in parts:
        if type(loss) is GaussianLoss:
            variance += count * loss.shift**2
        elif loss.continuous:
            rest = _only(rest, loss, count)
        else:
            rest = _sum(rest, _power(_listed(loss, negligible), count))
    if not variance:
        return rest
    gaussian = GaussianLoss(math.sqrt(variance))
    return gaussian if rest is NOTHING else BlurredLoss(gaussian.shift, rest)


def _listed(loss: Loss, negligible: float) -> Loss:
    """A discrete loss of finitely many atoms; rarer ones count as giving the record away."""
    return loss.truncated(negligible) if math.isinf(loss.top) else loss


def _only(rest: Loss, loss: Loss, count: int) -> Loss:
    if rest is NOTHING and count == 1:
        return loss
    raise ParameterError(
        "on one shared sample there may be any number of Gaussian and of discrete releases and one "
        "other; put the sampler on each part if each draws its own sample"
    )


def _power(loss: Loss, count: int) -> Loss:
    """A list of atoms added to itself, by doubling."""
    total = cast(Loss, NOTHING)
    while count:
        if count & 1:
            total = _sum(total, loss)
        count >>= 1
        loss = _sum(loss, loss) if count else loss
    return total


def _sum(one: Loss, other: Loss) -> Loss:
    """Two lists of atoms, or one list and a loss with none to spare."""
    if one is NOTHING:
        return other
    if one.continuous:
        raise ParameterError(
            "on one shared sample a continuous release other than Gaussian cannot be joined by a "
            "discrete one; put the sampler on each part if each draws its own sample"
        )
    if other is NOTHING:
        return one
    pairs = one.atoms.losses.size * other.atoms.losses.size
    if pairs > MOST_PAIRS:
        raise NumericalError(f"the releases on one sample have {pairs} pairs of losses to add")
    atoms = Atoms(EMPTY, EMPTY)
    rows = max(1, MOST_AT_ONCE // other.atoms.losses.size)
    for i in range(0, one.atoms.losses.size, rows):
        losses = one.atoms.losses[i : i + rows, None] + other.atoms.losses
        log_q = one.atoms.log_q[i : i + rows, None] + other.atoms.log_q
        atoms = _merged(np.append(atoms.losses, losses), np.append(atoms.log_q, log_q))
        if atoms.losses.size > MOST_ATOMS:
            raise NumericalError(
                f"the releases on one sample have more than {MOST_ATOMS} different losses"
            )
    return AtomicLoss(
        *atoms,
        infinite=one.infinite + (1 - one.infinite) * other.infinite,
        void=one.void + (1 - one.void) * other.void,
        symmetric=one.symmetric and other.symmetric,
    )


def _merged(losses: Array, log_q: Array) -> Atoms:
    """Losses that agree to 13 decimals as one, the largest, with the sum of their masses.

    In logarithms, because floats may be too small for a mass.
    """
    rounded, place = np.unique(np.round(losses, 13), return_inverse=True)
    values, peak = np.full((2, rounded.size), -math.inf)
    np.maximum.at(values, place, losses)
    np.maximum.at(peak, place, log_q)
    return Atoms(values, peak + np.log(np.bincount(place, np.exp(log_q - peak[place]))))


@dataclass(frozen=True)
class BlurredLoss(AtomlessLoss):
    """A Gaussian release of N(shift, 1) against N(0, 1) together with another loss.

    The sum has the smooth density Σ q_j·f(x − ℓ_j), with f that of the Gaussian's loss and the q_j
    a quadrature of the other; outcomes above `ceiling` count as giving the record away.
    """

    shift: float
    rest: Loss
    ceiling: float = math.inf

    smooth = True

    def __post_init__(self) -> None:
        cut = self.ceiling < math.inf
        fields = {
            "top": self.ceiling,
            "bottom": -math.inf,
            "symmetric": self.rest.symmetric and not cut,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        p, q = self._above(np.array([self.ceiling])) if cut else (np.zeros(1), np.zeros(1))
        object.__setattr__(self, "infinite", self.rest.infinite + float(p[0]))
        object.__setattr__(self, "void", self.rest.void + float(q[0]))

    @cached_property
    def _other(self) -> tuple[Array, Array]:
        """Losses of the rest and their mass under Q."""
        nodes = self.rest.nodes(-1.0, 0.0, RESOLVE / self.shift)
        return nodes.losses, np.exp(nodes.log_q)

    def _log_density(self, x: Array, low: float, high: float) -> Array:
        """log of the Q-density, good where e^{sL} with Re s in [low, high] takes its mean."""
        losses, log_q, _ = self.rest.nodes(min(low, -1.0), max(high, 0.0), RESOLVE / self.shift)
        rows = max(1, CHUNK // losses.size)
        found = []
        for i in range(0, x.size, rows):
            z = (x[i : i + rows, None] - losses) / self.shift + self.shift / 2
            exponent = log_q - 0.5 * z * z
            peak = exponent.max(axis=1)
            found.append(peak + np.log(np.exp(exponent - peak[:, None]).sum(axis=1)))
        return np.concatenate(found) - math.log(math.sqrt(2 * math.pi) * self.shift)

    def _mean(self, function: Callable[[Array], Array], x: Array, weights: Array) -> Array:
        """Σ weight·function(z), z the Gaussian's outcome that gives x with a loss of the rest."""
        losses = self._other[0]

        def some(part: Array) -> Array:
            z = (part[..., None] - losses) / self.shift + self.shift / 2
            return np.asarray(function(z) @ weights)

        return in_blocks(some, x, losses.size)

    def _above(self, x: Array) -> tuple[Array, Array]:
        losses, q = self._other
        p_above = self._mean(lambda z: ndtr(self.shift - z), x, q * np.exp(losses))
        return p_above, self._mean(lambda z: ndtr(-z), x, q)

    def tails(self, losses: Array) -> Tails:
        x = np.minimum(losses, self.ceiling)
        others, q = self._other
        p_above, q_above = self._above(x)
        return Tails(
            np.maximum(p_above - (self.infinite - self.rest.infinite), 0.0),
            np.maximum(q_above - (self.void - self.rest.void), 0.0),
            self._mean(lambda z: ndtr(z - self.shift), x, q * np.exp(others)),
            self._mean(ndtr, x, q),
        )

    def density(self, losses: Array) -> Array:
        q = self._mean(lambda z: np.exp(-0.5 * z * z), losses, self._other[1])
        return np.where(losses < self.ceiling, q / (math.sqrt(2 * math.pi) * self.shift), 0.0)

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        mu = self.shift
        others = self._other[0]
        first = float(others.min()) + mu * (min(low + 1, 0.0) * mu - REACH) - mu * mu / 2
        last = float(others.max()) + mu * (max(high + 1, 0.0) * mu + REACH) - mu * mu / 2
        if self.ceiling < math.inf:
            power = max(abs(low), abs(high)) + 1 + turn
            x, weight = self._panels(first, min(4.0 * mu, 2 * ANGLE, 50 / power))
            return self._nodes(x, weight, low, high)
        a = min(9.0, ANGLE / mu)
        step = mu * 2 * math.pi * a / (NATS + a * a / 2 + turn * mu * a)
        count = math.ceil((last - first) / step)
        if count * others.size > 100 * MOST_NODES:
            raise NumericalError(f"the quadrature of {self!r} would need {count} nodes")
        x = first + step * np.arange(count + 1)
        return self._nodes(x, np.full(x.size, step), low, high)

    def _panels(self, first: float, width: float) -> tuple[Array, Array]:
        count = math.ceil((self.ceiling - first) / width)
        points, weights = legendre()
        edges = np.linspace(first, self.ceiling, count + 1)
        half = (edges[1] - edges[0]) / 2
        x = (edges[:-1, None] + half * (points + 1)).ravel()
        return x, np.tile(half * weights, count)

    def _nodes(self, x: Array, weight: Array, low: float, high: float) -> Nodes:
        log_density = self._log_density(x, low, high)
        return Nodes(x, log_density + np.log(weight), np.exp(log_density))

    def cgf(self, s: Complex | Array) -> Complex:
        if self.ceiling < math.inf:
            return super().cgf(s)
        return GaussianLoss(self.shift).cgf(s) + self.rest.cgf(s)

    def mean(self) -> float:
        return (
            0.5 * self.shift**2 + self.rest.mean() if math.isinf(self.ceiling) else super().mean()
        )

    def profile(self, epsilon: Array) -> Array:
        losses, q = self._other
        p = q * np.exp(losses)

        def finite(part: Array) -> Array:
            return np.asarray(np.exp(gaussian_log_delta(self.shift, part[..., None] - losses)) @ p)

        value = in_blocks(finite, np.asarray(epsilon, dtype=float), losses.size)
        if self.ceiling < math.inf:
            value = value + np.exp(np.minimum(epsilon, self.ceiling)) * (self.void - self.rest.void)
            value = np.where(epsilon < self.ceiling, value, self.infinite - self.rest.infinite)
        return np.asarray(value + self.rest.infinite)

    def log_profile(self, epsilon: Array) -> Array:
        if self.ceiling < math.inf or self.rest.infinite:
            return super().log_profile(epsilon)
        x = np.asarray(epsilon, dtype=float)
        tilt = max(float(x.max(initial=0.0)) / self.shift**2, 0.0)
        losses, log_q, _ = self.rest.nodes(-1.0, tilt, RESOLVE / self.shift)

        def some(part: Array) -> Array:
            terms = gaussian_log_delta(self.shift, part[..., None] - losses) + (log_q + losses)
            peak = terms.max(axis=-1)
            return np.asarray(peak + np.log(np.exp(terms - peak[..., None]).sum(axis=-1)))

        return in_blocks(some, x, losses.size)

    def reverse(self) -> Loss:
        if self.symmetric or self.ceiling < math.inf:
            return super().reverse()
        return BlurredLoss(self.shift, self.rest.reverse())

    def reverse_profile(self, epsilon: Array) -> Array:
        if self.ceiling < math.inf:
            return super().reverse_profile(epsilon)
        return BlurredLoss(self.shift, self.rest.reverse()).profile(epsilon)

    def truncated(self, mass: float) -> Loss:
        if math.isfinite(self.top):
            return self
        low, high = -1e3, float(self._other[0].max()) + self.shift * (self.shift + 40)
        for _ in range(100):
            middle = (low + high) / 2
            beyond = float(self._above(np.array([middle]))[0][0])
            low, high = (middle, high) if beyond > mass else (low, middle)
        return replace(self, ceiling=high)
