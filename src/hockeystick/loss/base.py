"""The privacy loss L = log dP/dQ of a pair of distributions, and its cumulants K(s).

K(s) = log E_P[e^{sL}; L finite] carries everything: composition adds it, the real line is Rényi DP,
a vertical line in the complex plane is the exact δ(ε). A `Loss` is a continuous part (given as
quadrature nodes), atoms, a P-mass `infinite` at L = +inf and a Q-mass `void` at L = −inf.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.coherence import contradiction
from hockeystick.loss.copies import Copies
from hockeystick.loss.cumulants import cumulants, decay_bound, mean_loss, slope_at
from hockeystick.loss.exact import Exact
from hockeystick.loss.family import Family
from hockeystick.loss.measure import NO_ATOMS, Atoms, GaussianSample, LaplaceLaw, Nodes, Tails
from hockeystick.loss.quadrature import quadrature
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array, Complex


class Loss(ABC):
    """The law of the privacy loss of one pair (P, Q).

    What decides safety has no default: a law says where it ends, what it has at infinity, its
    atoms and the masses of its continuous part. `DiscreteLoss` and `AtomlessLoss` say one of the
    two for laws that have only the other. `check_mass` refuses a law that does not add up.
    """

    top: float
    """The largest finite loss (inf when unbounded)."""
    bottom: float
    """The smallest finite loss (−inf when unbounded)."""
    infinite: float
    """P-mass where Q has none, rounded up."""
    void: float
    """Q-mass where P has none."""
    continuous: bool
    """Whether there is a continuous part."""
    symmetric: bool = False
    """Whether (Q, P) has the same loss, so that one direction speaks for both."""
    spacing: float | None = None
    """The distance of the lattice that holds every loss, if one does; 0 for a single value."""
    smooth: bool = False
    """Whether there is nothing but a smooth density, which `density` then gives."""
    rough: bool = False
    """Whether it has atoms at places that are known only roughly, which `tails` counts."""
    sketched: bool = False
    """Whether the nodes are but a sketch to plan with: then `cgf` has a better source."""
    endless: bool = False
    """Whether `infinite` is of losses that no float holds, and K counts them."""
    origin: Exact | None = None
    """The pair in exact numbers that the floats are rounded from, if that is known."""
    terms: tuple[tuple[Loss, int], ...] | None = None
    """The losses that it is the sum of, and how often each, where it is known by them alone."""
    gaussian_shift: float | None = None
    """How many deviations apart P and Q are, if they are two normal laws; else None."""
    gaussian_sample: GaussianSample | None = None
    """What is sampled, if this is a Gaussian on a Poisson sample; else None."""
    laplace: LaplaceLaw | None = None
    """What Laplace noise it is the loss of, on a Poisson sample or not; else None."""

    @property
    def kin(self) -> tuple[Family, float] | None:
        """A family of losses that differ in one number, and this one's number, if it has one."""
        return None

    @property
    def copies(self) -> Copies | None:
        """How often a Gaussian release has the record, if that is what this is the loss of."""
        return None

    @property
    def least_infinite(self) -> float:
        """P-mass where Q has none, rounded down."""
        return self.infinite

    @property
    def slip(self) -> float:
        """How far its largest, its smallest or any single loss may be off, through rounding."""
        return self._last_digits

    @cached_property
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
    @abstractmethod
    def atoms(self) -> Atoms:
        """The atoms among the finite losses."""

    @abstractmethod
    def tails(self, losses: Array) -> Tails:
        """Masses of the continuous part on both sides of each loss."""

    def check_mass(self) -> None:
        """Raise `NumericalError` unless what is said of this law fits together: P- and Q-mass are
        1, nothing lies beyond the ends, the profile is that of the masses, and a symmetric law is
        its own mirror image. Remembered: routes ask before they trust a grid."""
        if self._contradiction:
            raise NumericalError(f"{self!r} contradicts itself: {self._contradiction}")

    @cached_property
    def _contradiction(self) -> str:
        return contradiction(self, self._last_digits)

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

    def exact(self) -> Exact | None:
        """The pair in exact numbers, for a proof; None where it is not of a kind known that way."""
        return self.origin

    def sampled(self, rate: float) -> Loss | None:
        """The loss of ((1−rate)·Q + rate·P, Q), where there is a better one than `mixed` makes."""
        return None

    def truncated(self, mass: float) -> Loss:
        """The loss with outcomes of P-mass about `mass`, those of the largest loss, made infinite:
        it dominates, and is dominated without its infinite mass. A bounded loss stays."""
        return self

    def mean(self) -> float:
        """E_P[L], the KL divergence; inf when P has mass that Q has not."""
        if self.infinite:
            return math.inf
        return mean_loss(self.nodes(0.0, 0.0, 0.0), self.infinite, self.void)

    def reverse_mean(self) -> float:
        """E_Q[−L], the KL divergence of (Q, P)."""
        return self.mean() if self.symmetric else Loss.mean(Reversed(self))

    def mean_at(self, s: float) -> float:
        """About K'(s), the mean of the losses under the law tilted by s, or somewhat more."""
        return slope_at(self.cgf, s)

    def cgf(self, s: Complex | Array) -> Complex:
        """K(s) at each complex s; +inf where the expectation does not exist on the real line."""
        s = np.atleast_1d(np.asarray(s, dtype=complex))
        low, high, turn = s.real.min(), s.real.max(), np.abs(s.imag).max()
        # E_P[L] is written with E_Q[e^L] = 1, so the nodes must reach where P and Q live.
        nodes = quadrature(self, min(float(low), -1.0), max(float(high), 0.0), float(turn))
        return cumulants(s, nodes, self.infinite, self.void)

    def nodes_at(self, tilt: float, turn: float) -> Nodes:
        """Those with which K is summed on the line Re s = tilt, up to |Im s| = turn."""
        return quadrature(self, min(tilt, -1.0), max(tilt, 0.0), turn)

    def spread(self, tilt: float, frequencies: Array, resolved: float) -> Array:
        """Upper bounds on |φ(t)|: at each of the growing frequencies, and from it to the next, from
        the last one to infinity.

        φ(t) = e^{K(tilt+it) − K(tilt)} is the characteristic function of the law tilted by
        e^{tilt·L}. Nodes are chosen for frequencies up to `resolved`.
        """
        return decay_bound(self.nodes_at(tilt, resolved), tilt, frequencies)


class DiscreteLoss(Loss):
    """Atoms and nothing else."""

    continuous = False

    def tails(self, losses: Array) -> Tails:
        nothing = np.zeros_like(losses)
        return Tails(nothing, nothing, nothing, nothing)


class AtomlessLoss(Loss):
    """A continuous part and nothing else."""

    continuous = True

    @property
    def atoms(self) -> Atoms:
        return NO_ATOMS


@dataclass(frozen=True)
class Reversed(Loss):
    """(Q, P) of a pair (P, Q): L becomes −L and K(s) becomes K(−1−s)."""

    base: Loss

    def __post_init__(self) -> None:
        base, sample, laplace = self.base, self.base.gaussian_sample, self.base.laplace
        self.__dict__.update(
            top=-base.bottom,
            bottom=-base.top,
            infinite=base.void,
            void=base.infinite,
            spacing=base.spacing,
            continuous=base.continuous,
            smooth=base.smooth,
            sketched=base.sketched,
            rough=base.rough,
            gaussian_sample=sample and sample._replace(remove=not sample.remove),
            laplace=laplace and laplace._replace(added=not laplace.added),
        )

    @property
    def kin(self) -> tuple[Family, float] | None:
        kin = self.base.kin
        return kin and (kin[0].reverse(), kin[1])

    @property
    def slip(self) -> float:
        return self.base.slip

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        return self._mirrored(self.base.nodes(-1 - high, -1 - low, turn))

    def _mirrored(self, nodes: Nodes) -> Nodes:
        losses, log_q, density = nodes
        return Nodes(-losses, log_q + losses, density * np.exp(losses[: density.size]))

    def cgf(self, s: Complex | Array) -> Complex:
        return self.base.cgf(-1 - np.asarray(s))

    def nodes_at(self, tilt: float, turn: float) -> Nodes:
        return self._mirrored(self.base.nodes_at(-1 - tilt, turn))

    def spread(self, tilt: float, frequencies: Array, resolved: float) -> Array:
        return self.base.spread(-1 - tilt, frequencies, resolved)

    def mean(self) -> float:
        return self.base.reverse_mean()

    def exact(self) -> Exact | None:
        base = self.base.exact()
        return base and base.reverse()

    def density(self, losses: Array) -> Array:
        return self.base.density(-losses) * np.exp(-losses)

    def profile(self, epsilon: Array) -> Array:
        return self.base.reverse_profile(epsilon)

    def reverse_profile(self, epsilon: Array) -> Array:
        return self.base.profile(epsilon)

    @cached_property
    def atoms(self) -> Atoms:
        losses, log_q = self.base.atoms
        return Atoms(-losses, log_q + losses)

    def tails(self, losses: Array) -> Tails:
        p_above, q_above, p_below, q_below = self.base.tails(-losses)
        return Tails(q_below, p_below, q_above, p_above)

    def reverse(self) -> Loss:
        return self.base
