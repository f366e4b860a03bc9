"""What a guarantee says in one direction: a curve δ(u) for u >= 0."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from hockeystick.loss.copies import Copies
from hockeystick.loss.measure import Atoms, Nodes
from hockeystick.numerics.types import Array


class Curve(ABC):
    """H_a(P‖Q) <= δ(u) with a = e^u, for u >= 0: not increasing, convex in a.

    It is the profile of losses u > 0 with Q-density e^{−u}·(δ″ − δ′) and P-density e^u times that;
    a jump of the slope dδ/da is an atom.
    """

    continuous: bool = True
    """Whether there is a continuous part."""
    atoms_apart: bool = True
    """Whether `atoms` lists every atom; else `above` counts them with the continuous part."""

    rough: bool = False
    """Whether it has atoms at places that are known only roughly."""
    high: float = math.inf
    """E_P[e^{su}] is finite for s below this."""
    infinite: float
    """The limit of the curve: mass at loss +inf."""
    top: float
    """Where the curve reaches its limit."""

    @property
    def slip(self) -> float:
        """How far its losses may be off, besides their own last digits."""
        return 0.0

    @property
    def copies(self) -> Copies | None:
        """How often a Gaussian release has the record, if its loss has this profile."""
        return None

    @abstractmethod
    def delta(self, u: Array) -> Array:
        """The curve."""

    def log_delta(self, u: Array) -> Array:
        """Its logarithm; −inf where it is 0 or too small for a float, unless a curve knows it."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.delta(u)))

    @property
    @abstractmethod
    def atoms(self) -> Atoms:
        """Losses u > 0 of positive mass."""

    @abstractmethod
    def above(self, u: Array) -> tuple[Array, Array]:
        """P- and Q-mass of the continuous part beyond each u >= 0."""

    @abstractmethod
    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        """Losses u > 0 with their Q-masses, for Re s in [low, high] and |Im s| up to `turn`.

        Where K is computed from panels, a sketch is enough.
        """

    @abstractmethod
    def truncated(self, mass: float) -> tuple[Curve, float]:
        """The curve when outcomes of P-mass about `mass` become infinite losses, and their Q-mass.

        The same curve and 0 where there is nothing to be cut off.
        """

    @abstractmethod
    def raised(self, by: float) -> Curve:
        """The curve and a constant: the losses +inf of the other direction."""
