"""The discrete Gaussian mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.base import DiscreteLoss, Loss
from hockeystick.loss.exact import Exact
from hockeystick.loss.measure import EMPTY, Atoms, Nodes
from hockeystick.loss.opposite_integers import OppositeGaussian
from hockeystick.mechanisms.bases.discrete_noise import DiscreteNoise
from hockeystick.numerics.blocks import CHUNK
from hockeystick.numerics.types import Array

if TYPE_CHECKING:
    from hockeystick.random.generators import Source
    from hockeystick.random.reals import Integers

REACH = 10.0
"""Scales beyond which the noise is dropped: 1e-22 of its mass."""
MOST_ATOMS = 10_000_000
"""More take hundreds of megabytes; large orders ask for them."""


class DiscreteGaussian(DiscreteNoise):
    """Integer noise with P[x] ∝ e^{−x²/2σ²}, σ = noise_multiplier × sensitivity.

    Dominating pair: the noise moved by k = `sensitivity` against the noise; the loss at x is
    (2kx − k²)/2σ², a lattice of spacing k/σ² (Canonne, Kamath and Steinke 2020). An answer of many
    entries is covered in L1, not in L2: see `DiscreteNoise`.

    >>> round(DiscreteGaussian(1.0).epsilon(delta=1e-5), 6)
    4.430238
    """

    source = "Canonne, Kamath and Steinke 2020"

    def _loss(self, steps: int) -> Loss:
        exact = Exact("integer gaussian", (self.exact_scale, Fraction(steps)))
        return DiscreteGaussianLoss(self.scale, steps, exact)

    def _opposite(self, rate: float, origin: Exact | None) -> Loss:
        return OppositeGaussian(self.scale, self.sensitivity, rate, origin)

    def _log_density(self, x: Array) -> Array:
        return np.asarray(-(x**2) / (2 * self.scale**2))

    def _noise(self, count: int, words: Source) -> Integers:
        from hockeystick.random.integers import discrete_gaussian

        return discrete_gaussian(self.scale, count, words)


@dataclass(frozen=True)
class DiscreteGaussianLoss(DiscreteLoss):
    """Discrete Gaussian of scale `scale` moved by `steps` against itself."""

    scale: float
    steps: int
    origin: Exact | None = field(default=None, compare=False, repr=False)

    top = math.inf
    bottom = -math.inf
    infinite = void = 0.0
    symmetric = True

    @cached_property
    def spacing(self) -> float:  # type: ignore[override]
        return self.steps / self.scale**2

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        return Nodes(*self._between(min(low + 1, 0.0), max(high + 1, 1.0)), EMPTY)

    def mean_at(self, s: float) -> float:
        # Tilted, outcomes lie around (s+1)·steps, with a mean within 1/2 of that.
        return self.spacing * (self.steps * (s + 0.5) + 0.5)

    @cached_property
    def atoms(self) -> Atoms:
        return self._between(0.0, 1.0)

    def _between(self, low: float, high: float) -> Atoms:
        """The atoms that matter to E_Q[e^{pL}] for p in [low, high]: p moves the centre to p·k."""
        reach = REACH * self.scale + 2
        first, last = low * self.steps - reach, high * self.steps + reach
        if last - first > MOST_ATOMS:
            raise NumericalError(f"the sum over {self!r} would have {last - first:g} terms")
        x = np.arange(math.floor(first), math.ceil(last) + 1, dtype=float)
        width = 2 * self.scale**2
        centre = np.arange(-math.ceil(reach), math.ceil(reach) + 1)
        total = math.log(np.exp(-(centre**2) / width).sum())
        losses = (2 * self.steps * x - self.steps**2) / width
        return Atoms(losses, -(x**2) / width - total)

    def profile(self, epsilon: Array) -> Array:
        return np.exp(self.log_profile(epsilon))

    def log_profile(self, epsilon: Array) -> Array:
        """log of Σ P[x]·(1 − e^{ε−L(x)}) over the outcomes from the first with a larger loss on."""
        width, reach = 2 * self.scale**2, math.ceil(REACH * self.scale) + 2
        wanted = np.asarray(epsilon, dtype=float)
        first = np.ceil((wanted.ravel() * width + self.steps**2) / (2 * self.steps))
        first = np.maximum(first, -reach)[:, None]
        beyond = np.arange(self.steps + 2 * reach)
        total = math.log(np.exp(-(np.arange(-reach, reach + 1) ** 2) / width).sum())
        rows = max(1, CHUNK // beyond.size)
        logs = [np.zeros(0)]
        for i in range(0, len(first), rows):
            x = first[i : i + rows] + beyond
            losses = (2 * self.steps * x - self.steps**2) / width
            above = np.minimum(wanted.ravel()[i : i + rows, None] - losses, 0)
            log_p = -((x - self.steps) ** 2) / width
            peak = log_p.max(axis=1)
            sums = (-np.expm1(above) * np.exp(log_p - peak[:, None])).sum(axis=1)
            with np.errstate(divide="ignore"):
                logs.append(peak + np.log(sums) - total)
        return np.concatenate(logs).reshape(wanted.shape)

    def truncated(self, mass: float) -> Loss:
        """Without outcomes on either side, so that both directions stay alike."""
        more = (math.sqrt(-2 * math.log(mass)) + REACH) * self.scale / self.steps
        atoms = self._between(-more, 1 + more)
        beyond = np.cumsum(atoms.p[::-1])[::-1]
        last = int(np.searchsorted(-beyond, -mass))
        first = atoms.losses.size - last
        kept = Atoms(atoms.losses[first:last], atoms.log_q[first:last])
        gone = float(atoms.p[last:].sum() + atoms.p[:first].sum())
        return AtomicLoss(*kept, infinite=gone, void=gone, symmetric=True)
