"""The privacy loss L = log dP/dQ of a pair of distributions, and its cumulants K(s).

K(s) = log E_P[e^{sL}; L finite] carries everything: composition adds it, the real line is Rényi DP,
a vertical line in the complex plane is the exact δ(ε). A `Loss` is a continuous part (given as
quadrature nodes), atoms, a P-mass `infinite` at L = +inf and a Q-mass `void` at L = −inf.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hockeystick.errors import NumericalError
from hockeystick.numerics.rounding import around_product
from hockeystick.numerics.series import (
    EPS,
    LEAST,
    Array,
    dot,
    entropy,
    exp_minus,
    log1p,
    log_mixed,
    log_unmixed,
    sin_minus,
)

Complex = NDArray[Any]
"""An array of complex128."""

EMPTY: Array = np.empty(0)
CHUNK = 1 << 18
"""Most elements of one (contour points × nodes) block: about 2 MB an array, within the cache."""

LARGE_TERM = 3.0
"""Up to e^3 for the largest term of e^K, K is computed relative to its own size, not to 1."""
FAR_EXPONENT = 300.0
"""From here on e^{sL} is not separated from the probability of L: it would overflow."""

LARGE_ORDER = 1000.0
"""From here on it is worth to look whether a sampled loss is decided by its largest values."""


def in_blocks(function: Callable[[Array], Array], x: Array, width: int) -> Array:
    """function(x) for one that makes `width` numbers of each of x, some of them at a time."""
    flat = np.ravel(x)
    rows = max(1, CHUNK // max(1, width))
    if flat.size <= rows:
        return np.asarray(function(x))
    blocks = [function(flat[i : i + rows]) for i in range(0, flat.size, rows)]
    return np.concatenate(blocks).reshape(np.shape(x))


class Nodes(NamedTuple):
    """A quadrature of a loss: E_Q[f(L)] = Σ exp(log_q)·f(losses) over continuous part and atoms.

    `density` is the Q-density of L at the first nodes, those of the continuous part, whose losses
    are monotone; the atoms follow and have none.
    """

    losses: Array
    log_q: Array
    density: Array


class Atoms(NamedTuple):
    """Losses that have positive probability, with the logarithm of their mass under Q."""

    losses: Array
    log_q: Array

    @property
    def p(self) -> Array:
        """Masses under P."""
        return np.asarray(np.exp(self.log_q + self.losses))

    @property
    def q(self) -> Array:
        """Masses under Q."""
        return np.exp(self.log_q)


class Tails(NamedTuple):
    """Masses of the continuous part above and below given losses, under P and under Q."""

    p_above: Array
    q_above: Array
    p_below: Array
    q_below: Array


NO_ATOMS = Atoms(EMPTY, EMPTY)


class Loss(ABC):
    """The law of the privacy loss of one pair (P, Q)."""

    top: float
    """The largest finite loss (inf when unbounded)."""
    bottom: float
    """The smallest finite loss (−inf when unbounded)."""
    infinite: float = 0.0
    """P-mass where Q has none, rounded up."""
    void: float = 0.0
    """Q-mass where P has none."""
    symmetric: bool = False
    """Whether (Q, P) has the same loss, so that one direction speaks for both."""
    spacing: float | None = None
    """The distance of the lattice that holds every loss, if one does; 0 for a single value."""
    continuous: bool = True
    """Whether there is a continuous part."""
    smooth: bool = False
    """Whether there is nothing but a smooth density, which `density` then gives."""
    rough: bool = False
    """Whether it has atoms at places that are known only roughly, which `tails` counts."""

    gaussian_shift: float | None = None
    """How many deviations apart P and Q are, if they are two normal laws; else None."""

    @property
    def least_infinite(self) -> float:
        """P-mass where Q has none, rounded down."""
        return self.infinite

    @property
    def slip(self) -> float:
        """How far its largest, its smallest or any single loss may be off, through rounding."""
        return self._last_digits

    @property
    def _last_digits(self) -> float:
        ends = [abs(end) for end in (self.top, self.bottom) if math.isfinite(end)]
        largest = np.abs(self.atoms.losses).max(initial=max(ends, default=0.0))
        return 4 * EPS * float(largest)

    @abstractmethod
    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        """Quadrature good for E_P[e^{sL}] with Re s in [low, high] and |Im s| up to `turn`."""

    @abstractmethod
    def profile(self, epsilon: Array) -> Array:
        """δ(ε) = E_P[(1 − e^{ε−L})+] of one step, for every real ε."""

    def log_profile(self, epsilon: Array) -> Array:
        """log δ(ε); −inf where δ is 0 or too small for a float, unless a loss knows better."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.profile(epsilon)))

    @property
    def atoms(self) -> Atoms:
        """The atoms among the finite losses."""
        return NO_ATOMS

    def tails(self, losses: Array) -> Tails:
        """Masses of the continuous part on both sides of each loss."""
        if self.continuous:
            raise NumericalError(f"{self!r} has a continuous part and must give its tails")
        nothing = np.zeros_like(losses)
        return Tails(nothing, nothing, nothing, nothing)

    def density(self, losses: Array) -> Array:
        """Q-density of a smooth loss."""
        raise NumericalError(f"{self!r} has no smooth density")

    def reverse(self) -> Loss:
        """The loss of (Q, P)."""
        return self if self.symmetric else Reversed(self)

    def reverse_profile(self, epsilon: Array) -> Array:
        """δ(ε) of one step of (Q, P)."""
        if self.symmetric:
            return self.profile(epsilon)
        return np.asarray(-np.expm1(epsilon) + np.exp(epsilon) * self.profile(-epsilon))

    def mix(self, rate: float) -> Loss:
        """The loss of ((1−rate)·Q + rate·P, Q): the record takes part with probability `rate`."""
        if rate == 1:
            return self
        return Mixed(self, rate)

    def truncated(self, mass: float) -> Loss:
        """The loss with outcomes of P-mass about `mass`, those of the largest loss, made infinite.

        A bounded loss stays as it is. The result dominates this loss, and without its mass at
        infinity it is dominated by it.
        """
        return self

    def mean(self) -> float:
        """E_P[L], the KL divergence; inf when P has mass that Q has not."""
        if self.infinite:
            return math.inf
        return self._finite_mean(self.nodes(0.0, 0.0, 0.0))

    def reverse_mean(self) -> float:
        """E_Q[−L], the KL divergence of (Q, P)."""
        return self.mean() if self.symmetric else Loss.mean(Reversed(self))

    def _finite_mean(self, nodes: Nodes) -> float:
        # E_P[L] = E_Q[L e^L − e^L + 1] + (P − Q)-mass of the finite losses: no cancellation.
        if nodes.losses.max(initial=0.0) < 600:
            terms = np.exp(nodes.log_q) @ entropy(nodes.losses)
        else:
            terms = np.exp(nodes.log_q + nodes.losses) @ nodes.losses
        return float(terms) + self.void - self.infinite

    def cgf(self, s: Complex | Array) -> Complex:
        """K(s) at each complex s; +inf where the expectation does not exist on the real line."""
        s = np.atleast_1d(np.asarray(s, dtype=complex))
        low, high, turn = s.real.min(), s.real.max(), np.abs(s.imag).max()
        # E_P[L] below is written with E_Q[e^L] = 1, so the nodes must reach where P and Q live.
        nodes = self.nodes(min(float(low), -1.0), max(float(high), 0.0), float(turn))
        rows = max(1, CHUNK // max(1, nodes.losses.size))
        log_p = nodes.log_q + nodes.losses
        largest = max((low * nodes.losses + log_p).max(), (high * nodes.losses + log_p).max())
        evaluate = self._cgf_small if largest < LARGE_TERM else self._cgf_large
        blocks = [evaluate(s[i : i + rows], nodes) for i in range(0, s.size, rows)]
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)

    def _cgf_small(self, s: Complex, nodes: Nodes) -> Complex:
        """log1p of E_P[e^{sL} − 1 − sL] + s·E_P[L] − infinite: each term of second order."""
        mean = self._finite_mean(nodes)
        losses, log_p = nodes.losses, nodes.log_q + nodes.losses
        far = np.abs(losses) * np.abs(s.real).max() > FAR_EXPONENT
        x, y = s.real * mean - self.infinite, s.imag * mean
        if far.any():
            beyond = _far_terms(s, losses[far], log_p[far])
            x, y = x + beyond.real, y + beyond.imag
            losses, log_p = losses[~far], log_p[~far]
        p = np.exp(log_p)
        real, imaginary = s.real, s.imag
        same = real[0] == real[-1] and bool((real == real[0]).all())
        exponent = (real[:1] if same else real)[:, None] * losses
        x += dot(exp_minus(exponent), p)
        if not imaginary.any():
            return log1p(x, np.zeros_like(x))
        angle = imaginary[:, None] * losses
        half = np.sin(0.5 * angle)
        sine = np.sin(angle)
        y += dot(np.expm1(exponent) * sine + sin_minus(angle, sine), p)
        np.multiply(half, half, out=half)
        if same:
            x -= 2 * dot(half, np.exp(exponent[0]) * p)
        else:
            x -= 2 * dot(half * np.exp(exponent), p)
        return log1p(x, y)

    def _cgf_large(self, s: Complex, nodes: Nodes) -> Complex:
        exponent = s.real[:, None] * nodes.losses + (nodes.log_q + nodes.losses)
        peak = exponent.max(axis=1)
        weights = np.exp(exponent - peak[:, None])
        if not s.imag.any():
            return np.asarray((peak + np.log(weights.sum(axis=1))).astype(complex))
        angle = s.imag[:, None] * nodes.losses
        total = (weights * np.cos(angle)).sum(axis=1) + 1j * (weights * np.sin(angle)).sum(axis=1)
        with np.errstate(divide="ignore"):
            return np.asarray(
                peak + np.maximum(np.log(np.abs(total)), LEAST) + 1j * np.angle(total)
            )

    def spread(
        self, tilt: float, frequencies: Array, resolved: float, guarded: bool = True
    ) -> Array:
        """An upper bound on |φ(t)| between each of the growing frequencies and the next.

        φ(t) = e^{K(tilt+it) − K(tilt)} is the characteristic function of the law tilted by
        e^{tilt·L}. It is bounded in two ways. For every t, |φ(t)| <= ρ + V/t with ρ the mass of the
        atoms and V the total variation of the density. And it is sampled: nodes are chosen for
        frequencies up to `resolved`, and beyond that the mass of nodes too far apart to follow the
        oscillation counts as if it did not decay. With atoms φ can come back between two samples,
        but (1 − |φ|²)^{1/2} is subadditive in t, which says how far at most; not so within one
        period of a lattice, for which `guarded` is False.
        """
        nodes = self.nodes(tilt, tilt, resolved)
        grow = (tilt + 1) * nodes.losses
        peak = (nodes.log_q + grow).max()
        masses = np.exp(nodes.log_q + grow - peak)
        total = masses.sum()
        masses /= total
        split = nodes.density.size
        atoms = masses[split:].sum()
        sure = np.full(frequencies.shape, atoms)
        blind = np.zeros_like(frequencies)
        if split:
            with np.errstate(divide="ignore"):
                density = np.exp(np.log(nodes.density) + grow[:split] - peak) / total
            variation = np.abs(np.diff(density)).sum() + density[0] + density[-1]
            sure = sure + variation / frequencies
            gaps = np.abs(np.diff(nodes.losses[:split], append=nodes.losses[split - 1]))
            order = np.argsort(gaps)[::-1]
            reached = np.searchsorted(-gaps[order], -2.0 / frequencies)
            blind = np.append(0.0, np.cumsum(masses[order]))[reached]
        centred = nodes.losses - nodes.losses @ masses
        seen = np.ones_like(frequencies)
        useful = 2 * blind < 1
        seen[useful] = _modulus(frequencies[useful], centred, masses) + 2 * blind[useful]
        seen = np.minimum(seen, 1.0)
        if atoms and guarded:
            steps = np.diff(frequencies, append=2 * frequencies[-1] - frequencies[-2])
            near = np.maximum(_modulus(steps, centred, masses) - 2 * blind, 0.0)
            back = np.sqrt(np.maximum.accumulate(1 - near**2))
            apart = np.maximum(np.sqrt(1 - seen**2) - back, 0.0)
            seen = np.sqrt(1 - np.minimum(apart, 1.0) ** 2)
        return np.asarray(np.minimum(seen, sure))


def _far_terms(s: Complex, losses: Array, log_p: Array) -> Complex:
    """Σ p·(e^{sL} − 1 − sL) where |Re s·L| is large: nothing cancels, and nothing overflows."""
    exponent = s[:, None] * losses
    terms = np.exp(exponent + log_p) - np.exp(log_p) * (1 + exponent)
    return np.asarray(terms.sum(axis=1))


def _modulus(frequencies: Array, losses: Array, masses: Array) -> Array:
    def some(part: Array) -> Array:
        angle = part[:, None] * losses
        return np.asarray(np.hypot(dot(np.cos(angle), masses), dot(np.sin(angle), masses)))

    return in_blocks(some, frequencies, losses.size)


@dataclass(frozen=True)
class Reversed(Loss):
    """(Q, P) of a pair (P, Q): L becomes −L and K(s) becomes K(−1−s)."""

    base: Loss

    def __post_init__(self) -> None:
        base = self.base
        fields = {
            "top": -base.bottom,
            "bottom": -base.top,
            "infinite": base.void,
            "void": base.infinite,
            "spacing": base.spacing,
            "continuous": base.continuous,
            "smooth": base.smooth,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def slip(self) -> float:
        return self.base.slip

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        losses, log_q, density = self.base.nodes(-1 - high, -1 - low, turn)
        return Nodes(-losses, log_q + losses, density * np.exp(losses[: density.size]))

    def cgf(self, s: Complex | Array) -> Complex:
        return self.base.cgf(-1 - np.asarray(s))

    def mean(self) -> float:
        return self.base.reverse_mean()

    def density(self, losses: Array) -> Array:
        return self.base.density(-losses) * np.exp(-losses)

    def profile(self, epsilon: Array) -> Array:
        return self.base.reverse_profile(epsilon)

    def reverse_profile(self, epsilon: Array) -> Array:
        return self.base.profile(epsilon)

    @property
    def atoms(self) -> Atoms:
        losses, log_q = self.base.atoms
        return Atoms(-losses, log_q + losses)

    def tails(self, losses: Array) -> Tails:
        p_above, q_above, p_below, q_below = self.base.tails(-losses)
        return Tails(q_below, p_below, q_above, p_above)

    def reverse(self) -> Loss:
        return self.base


@dataclass(frozen=True)
class Mixed(Loss):
    """((1−q)·Q + q·P, Q): each loss ℓ becomes log(1 − q + q·e^ℓ) and keeps its Q-mass.

    The pair of Poisson sampling, "remove" direction (Zhu, Dong and Wang 2022, Theorem 11).
    """

    base: Loss
    rate: float
    steepest: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        base, rate = self.base, self.rate
        floor = math.log1p(-rate)
        fields = {
            "top": float(log_mixed(rate, np.array([base.top]))[0]),
            "bottom": floor if base.void else float(log_mixed(rate, np.array([base.bottom]))[0]),
            "infinite": around_product(rate, base.infinite)[1],
            "continuous": base.continuous,
            "smooth": base.smooth,
            "steepest": rate / (rate + (1 - rate) * math.exp(-base.top)),
        }
        if not base.continuous and base.atoms.losses.size + (base.void > 0) <= 2:
            values = np.unique(self.atoms.losses)
            fields["spacing"] = float(values[-1] - values[0]) if values.size == 2 else 0.0
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def least_infinite(self) -> float:
        return around_product(self.rate, self.base.least_infinite)[0]

    @property
    def slip(self) -> float:
        return self.steepest * self.base.slip + self._last_digits

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        # (1−q+q·e^ℓ)^{s+1} is bounded as ℓ → −inf; a negative power narrows its strip.
        # It grows and turns with ℓ no faster than `steepest` times e^{sℓ} does.
        bend = turn + 0.5 * max(0.0, -1 - low)
        losses, log_q, density = self.base.nodes(
            -1.0, self.steepest * (max(high, -1.0) + 1) - 1, self.steepest * bend
        )
        mixed = log_mixed(self.rate, losses)
        split = density.size
        if split:
            slope = losses[:split] + math.log(self.rate) - mixed[:split]
            density = density * np.exp(np.minimum(-slope, 700))
        return Nodes(*self._with_void(mixed, log_q), density)

    def cgf(self, s: Complex | Array) -> Complex:
        """K(s); at large real orders by the triangle inequality for the norm of order p = s + 1,

        q·‖e^ℓ‖ <= ‖1 − q + q·e^ℓ‖ <= 1 − q + q·‖e^ℓ‖, where the two sides agree to e^−40.
        """
        s = np.atleast_1d(np.asarray(s, dtype=complex))
        if s.imag.any() or np.abs(s).max() < LARGE_ORDER or self.base.infinite:
            return super().cgf(s)
        p = np.maximum(s.real + 1, 1.0)
        k = self.base.cgf(p - 1).real
        far = k / p > 40 + np.log(p / self.rate)
        found: Complex = (k + p * math.log(self.rate) + math.exp(-40)).astype(complex)
        if not far.all():
            found[~far] = self._near_cgf(s[~far])
        return found

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

    @property
    def atoms(self) -> Atoms:
        losses, log_q = self.base.atoms
        return self._with_void(log_mixed(self.rate, losses), log_q)

    def _with_void(self, losses: Array, log_q: Array) -> Atoms:
        """Where P has no mass the mixture still has (1−q) of Q: an atom at log(1−q)."""
        if not self.base.void:
            return Atoms(losses, log_q)
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

    def mix(self, rate: float) -> Loss:
        return self.base.mix(self.rate * rate)

    def truncated(self, mass: float) -> Loss:
        cut = self.base.truncated(min(mass / self.rate, 0.25))
        return self if cut is self.base else cut.mix(self.rate)
