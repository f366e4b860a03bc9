"""A composition that grows: what ran before, and what is then run each number of times."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hockeystick.loss.base import Loss
from hockeystick.loss.measure import GaussianSample
from hockeystick.loss.sum import FEW_PARTS, ComposedLoss
from hockeystick.numerics.types import Array
from hockeystick.routes.contour.saddle import finite_cgf

CHERNOFF_POINTS = 2.0 ** np.arange(-4.0, 12.0, 0.25)
"""Where it is asked whether the other direction is milder."""


class Counts(NamedTuple):
    """How often each part ran before, and how often it runs each time."""

    before: tuple[int, ...]
    each: tuple[int, ...]


class Growth:
    """The losses of all parts, in one direction, with counts that grow."""

    def __init__(self, losses: Sequence[Loss], counts: Counts) -> None:
        self.losses, self.counts = losses, counts
        self.before = _sum(losses, counts.before)
        """What stays as it is."""
        self.each = _sum(losses, counts.each)
        """What is added once for each count."""

    def at(self, count: int) -> ComposedLoss:
        """All together after so many times."""
        return _sum(self.losses, [b + count * e for b, e in zip(*self.counts, strict=True)])

    def rows(self, counts: Array) -> Array:
        """How often each part runs, a row for each count."""
        before, each = np.array(self.counts.before, float), np.array(self.counts.each, float)
        return np.asarray(before + np.multiply.outer(counts, each))

    def reverse(self) -> Growth:
        """The other direction."""
        return Growth([loss.reverse() for loss in self.losses], self.counts)

    @property
    def samples(self) -> list[GaussianSample] | None:
        """The Gaussians on Poisson samples that all parts are; None where one is not."""
        samples = [loss.gaussian_sample for loss in self.losses]
        known = [sample for sample in samples if sample is not None]
        return known if len(known) == len(samples) else None

    def never_told_apart(self, counts: Array, delta: float) -> Array:
        """At which counts the total variations of all steps add up to no more than δ."""
        if len(self.losses) > FEW_PARTS or any(loss.infinite for loss in self.losses):
            return np.zeros(counts.shape, dtype=bool)
        each = np.array([float(loss.profile(np.zeros(1))[0]) for loss in self.losses])
        return np.asarray(self.rows(counts) @ each * (1 + 1e-12) <= delta)

    @cached_property
    def chernoff(self) -> tuple[Array, Array]:
        """K of what stays and of what is added, at the points of Chernoff's bound."""
        stays = self.before.parts
        before = finite_cgf(self.before, CHERNOFF_POINTS) if stays else np.zeros(1)
        return before, finite_cgf(self.each, CHERNOFF_POINTS)


def _sum(losses: Sequence[Loss], counts: Sequence[int]) -> ComposedLoss:
    return ComposedLoss((loss, n) for loss, n in zip(losses, counts, strict=True) if n)


def both_ways(losses: Sequence[Loss], counts: Counts) -> list[Growth]:
    """In one direction and, unless that is the same, in the other."""
    forward = Growth(losses, counts)
    symmetric = all(loss.symmetric for loss in losses)
    return [forward] if symmetric else [forward, forward.reverse()]
