"""Many answers of one game: a profile from few lattices, ε after each of many steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from hockeystick.loss.triples.base import Triples
from hockeystick.numerics.types import Array
from hockeystick.routes.base import CannotAnswer
from hockeystick.routes.game.route import epsilons_of, least_steps, profile_to

DOWN_TO = (1e-10, 1e-40, 1e-150)
"""The least δ for which a lattice of a profile is made; the next where a point lies beyond."""
TOGETHER = 4
"""The largest of the counts that share a lattice, over the smallest."""
LEFT_OVER = 1.2
"""They may be so much farther apart, if no others are left over then."""
MOST_COUNTS = 16
"""Of those; another is answered by the next larger one, as δ grows with the steps."""


class PlayedProfile:
    """Upper ends of δ(ε) for equal steps, from lattices that are kept."""

    def __init__(self, triples: Triples, steps: int) -> None:
        self._triples, self._steps = triples, steps
        self._left = list(DOWN_TO)
        self._reach = 0.0
        self._lattices: list[tuple[float, Array]] = []

    def upper(self, epsilons: Sequence[float]) -> Array:
        """At each ε; 1 where nothing is known."""
        x = np.array(epsilons, dtype=float)
        farthest = float(np.max(x[np.isfinite(x)], initial=-1.0))
        while self._left and farthest >= self._reach:
            self._make(self._left.pop(0))
        found = [np.ones(x.size), *(_chords(x, *each) for each in self._lattices)]
        return np.asarray(np.min(found, axis=0))

    def _make(self, delta: float) -> None:
        """The lattice down to that δ; where there is none, there is none farther on either."""
        try:
            spacing, profile = profile_to(self._triples, self._steps, delta)
        except CannotAnswer:
            self._left = []
            return
        self._lattices.append((spacing, profile))
        self._reach = spacing * float(np.count_nonzero(profile > delta))


def _chords(epsilons: Array, spacing: float, profile: Array) -> Array:
    """δ at each ε from a profile on a lattice, with chords in e^ε between; beyond it, the last."""
    x = np.minimum(epsilons, spacing * (profile.size - 1))
    k = np.minimum((x / spacing).astype(int), profile.size - 2)
    share = np.clip(np.expm1(x - k * spacing) / math.expm1(spacing), 0.0, 1.0)
    return np.asarray((profile[k] + share * (profile[k + 1] - profile[k])) * (1 + 1e-12))


def played_epsilons(triples: Triples, delta: float, counts: Array) -> Array:
    """Upper ends of ε after each number of steps, which grow; inf where nothing is known."""
    found = np.full(counts.shape, np.inf)
    least = math.inf
    with suppress(*CannotAnswer):
        least = least_steps(triples, delta, max(int(counts[-1]), 2)) if counts.size else least
    last = counts.size
    while last and counts[last - 1] >= least:
        smallest = counts[last - 1] / TOGETHER
        if counts[0] > smallest / LEFT_OVER:
            smallest = counts[0]
        smallest = max(smallest, least)
        first = int(np.searchsorted(counts, smallest))
        places = np.unique(np.linspace(first, last - 1, min(last - first, MOST_COUNTS)).astype(int))
        with suppress(*CannotAnswer):
            some = epsilons_of(triples, delta, counts[places].tolist())
            found[first:last] = some[np.searchsorted(places, np.arange(first, last))]
        last = first
    return np.asarray(np.minimum.accumulate(found[::-1])[::-1])  # fewer steps cost no more
