"""What a law of a loss is told by: a quadrature, its atoms, the masses beyond a loss."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hockeystick.numerics.types import Array

EMPTY: Array = np.empty(0)


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


class GaussianSample(NamedTuple):
    """(1−rate)·N(0, 1) + rate·N(shift, 1) and N(0, 1), one against the other."""

    shift: float
    rate: float
    remove: bool
    """Whether the mixture is P; else it is Q."""


class LaplaceLaw(NamedTuple):
    """Laplace noise, on a Poisson sample or not: what the law of such a loss is told by."""

    shift: float
    """θ, how far the noise is moved, over its scale."""
    rate: float = 1.0
    """The probability to take part."""
    added: bool = False
    """Whether the pair is (Q, P)."""


class Tails(NamedTuple):
    """Masses of the continuous part above and below given losses, under P and under Q."""

    p_above: Array
    q_above: Array
    p_below: Array
    q_below: Array

    def between(self) -> tuple[Array, Array, Array, Array]:
        """P-masses between neighbours among the losses, which grow, and from how large a tail each
        is taken; then Q-masses.

        From the side where less is left. No tail may grow again: the noise of tails that are known
        roughly would add up, cell by cell, where only what is positive is kept.
        """
        return *_between(self.p_above, self.p_below), *_between(self.q_above, self.q_below)


def _between(above: Array, below: Array) -> tuple[Array, Array]:
    above, below = np.minimum.accumulate(above), np.maximum.accumulate(below)
    smaller = above[:-1] < below[1:]
    masses = np.where(smaller, above[:-1] - above[1:], below[1:] - below[:-1])
    return masses, np.where(smaller, above[:-1], below[1:])


NO_ATOMS = Atoms(EMPTY, EMPTY)
