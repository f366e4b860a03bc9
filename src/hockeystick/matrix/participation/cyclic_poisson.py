"""Poisson samples of one group of records after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.bound import Bound
from hockeystick.checks import Whole, checked, declared, probability
from hockeystick.evidence import Evidence
from hockeystick.loss.atoms import EVERYTHING, NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.gaussian_mixture import GaussianMixture
from hockeystick.loss.mixed import mixed
from hockeystick.loss.mixture import MixtureLoss
from hockeystick.loss.several import several
from hockeystick.matrix.monte_carlo import Means
from hockeystick.matrix.participation.cyclic import Cyclic
from hockeystick.matrix.participation.pattern import LEAST_NOISE, Pattern, gaussian
from hockeystick.matrix.sensitivity.columns import squared_norms
from hockeystick.matrix.sensitivity.elliptope import is_balanced
from hockeystick.matrix.strategy import Strategy
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, Relation

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness


MOST_LISTED = 12
"""Steps of a run whose sets are all written down for simulation."""
MOST_NOISE = 1e12
"""Noise over the norm of a column beyond which coins are not worth their time: all are known."""
MOST_DIFFERENT = 16
"""Norms of columns that are told apart: more take long to compose."""


@declared
class CyclicPoisson(Pattern):
    """A record of one of `period` groups takes part, when it is its group's turn, by a coin.

    Group g has the steps g, g + period, …; which group a record is in is its own business (a hash
    of it) and may be known, its coins are secret. Where columns `period` or more apart share no
    row, each step of the group is one Gaussian release of norm ‖c_j‖ on a Poisson sample, and
    their composition is exact (Choquette-Choo et al. 2023, Theorem 4, there with the largest norm
    for all). Else the noise of a row is split among the columns J of the group in proportion to
    their entries: the releases of all columns, each with its own noise, tell more than their sum,
    and column j has μ_j² = Σ_r |c_rj|·Σ_{i∈J}|c_ri|/σ². The lower end has μ_j = ‖c_j‖/σ: for
    products of columns that are non-negative, or become so by flipping signs, what they have in
    common only adds. The worst group counts: where none is, its largest columns are those of all.
    Under REPLACE_ONE the record in the place of another must be in its group, or draw its group in
    secret as it did: of a group that is known and tells one from the other, δ may be larger.

    Parameters
    ----------
    rate: in [0, 1], within the group: a batch has population·rate/period records on average.
    period: an integer >= 1; 1 is Poisson sampling of all records at every step.
    """

    source = "Choquette-Choo et al. 2023, Theorem 4"
    secret = True
    natural_relation = ADD_REMOVE

    rate: float = checked(probability)
    period: int = checked(Whole(1))

    @property
    def words(self) -> str:
        turn = "every step" if self.period == 1 else f"every {self.period}th step"
        return f"takes part in {turn} with probability {self.rate:g}, in secret"

    def sensitivity(self, strategy: Strategy) -> Bound:
        """As if all coins had fallen so."""
        return Cyclic(self.period).sensitivity(strategy)

    def evidence(
        self, strategy: Strategy, noise: float, relation: Relation, replaced: float
    ) -> Evidence:
        if self.rate == 0:
            return Evidence((NOTHING,))
        if self.rate == 1:
            return super().evidence(strategy, noise, relation, replaced)
        above, below = _norms(strategy, self.period)
        if noise / float(above.max()) < LEAST_NOISE:
            return Evidence((EVERYTHING,), self._one(1.0, 0.0))
        if noise / float(above.max()) > MOST_NOISE:
            return Evidence((super().evidence(strategy, noise, relation, replaced).loss,), NOTHING)
        groups = [below[g :: self.period] for g in range(min(self.period, strategy.steps))]
        highest = self._worst(above)
        lowest = max(groups, key=lambda norms: (float(np.square(norms).sum()), norms.size))
        pair = self._sum(highest, noise, relation, 2.0, upper=True)
        attained = self._sum(lowest, noise, relation, replaced, upper=False)
        if strategy.bands is not None and strategy.bands <= self.period:
            return Evidence((pair,), attained)
        # What noise is split for may cost more than to know all coins.
        known = super().evidence(strategy, noise, relation, replaced)
        return Evidence((pair, known.loss), attained)

    def means(self, strategy: Strategy, noise: float) -> Means | None:
        """Of every set of steps, where all records are one group and the run is short."""
        steps = strategy.steps
        if self.period > 1 or steps > MOST_LISTED or not 0 < self.rate < 1:
            return None
        sets = np.arange(2**steps)[:, None] >> np.arange(steps) & 1
        weights = np.where(sets == 1, self.rate, 1 - self.rate).prod(axis=1)
        return Means(weights / weights.sum(), sets @ np.abs(strategy.dense()).T / noise)

    def norms(self, strategy: Strategy) -> Array:
        """Norms of the columns of the worst group: each is a Gaussian release on a sample."""
        return few(self._worst(_norms(strategy, self.period)[0]), upper=True)

    def _worst(self, above: Array) -> Array:
        groups = range(min(self.period, above.size))
        return _envelope([above[g :: self.period] for g in groups])

    def _sum(
        self, norms: Array, noise: float, relation: Relation, replaced: float, *, upper: bool
    ) -> Loss:
        """The releases of columns with these norms, each on a sample of its own."""
        counts = Counter(few(norms, upper=upper).tolist())
        opposite = relation is REPLACE_ONE
        return several(
            (self._opposite(norm * replaced / 2, noise) if opposite else self._one(norm, noise), n)
            for norm, n in counts.items()
            if norm
        )

    def _one(self, norm: float, noise: float) -> Loss:
        return mixed(gaussian(norm, noise), self.rate)

    def _opposite(self, norm: float, noise: float) -> Loss:
        """A record and the one in its place on opposite sides (Lebeda et al. 2025)."""
        shift = gaussian(norm, noise).gaussian_shift
        if shift is None:
            return self._one(norm, noise)
        weights = (1 - self.rate, self.rate)
        here, there = (GaussianMixture(weights, (0.0, move)) for move in (shift, -shift))
        return MixtureLoss(here, there, mirrored=True)

    def condition(self, relation: Relation) -> str:
        if relation is not REPLACE_ONE or self.period == 1:
            return ""
        return "The record in the place of another is in its group, or draws one in secret."

    def allows(self, order: Array, steps: int) -> bool:
        return not (np.diff(order) % self.period).any()

    def draw(self, population: int, steps: int, rng: Randomness = None) -> Iterator[Array]:
        """Each record draws its own group."""
        from hockeystick.random import runs

        return runs.cyclic_poisson(population, self.rate, self.period, steps, rng)


def _norms(strategy: Strategy, period: int) -> tuple[Array, Array]:
    """μ_j·σ of every column within its group, from above and from below."""
    slack = 1 + (strategy.rows + strategy.steps + 16) * EPS
    norms = np.sqrt(squared_norms(strategy))
    if strategy.bands is not None and strategy.bands <= period:
        return norms * slack, norms / slack
    above = np.sqrt(_split(strategy, period)) * slack
    if strategy.nonnegative:
        return above, norms / slack
    gram = strategy.gram()
    groups = (np.arange(g, strategy.steps, period) for g in range(min(period, strategy.steps)))
    if all(is_balanced(gram[np.ix_(each, each)]) for each in groups):
        return above, norms / slack
    alone = np.where(np.arange(norms.size) == np.argmax(norms), norms, 0.0)
    return above, alone / slack  # contributions to one step alone


def _split(strategy: Strategy, period: int) -> Array:
    """Σ_r |c_rj|·Σ_{i∈J}|c_ri| of every column j within its group J."""
    squares = np.empty(strategy.steps)
    matrix = np.abs(strategy.dense())
    for group in range(min(period, strategy.steps)):
        columns = matrix[:, group::period]
        squares[group::period] = columns.T @ columns.sum(axis=1)
    return squares


def few(norms: Array, *, upper: bool) -> Array:
    """The norms with at most 16 different values, none smaller (or larger) than it was: neighbours
    become equal first where that changes the sum of squares least."""
    values, place, counts = np.unique(norms, return_inverse=True, return_counts=True)
    ends, counts = list(range(values.size)), counts.tolist()  # which value stands for its like
    while len(ends) > MOST_DIFFERENT:
        squares = np.square(values[ends])
        cost = np.diff(squares) * (counts[:-1] if upper else counts[1:])
        i = int(np.argmin(cost))
        counts[i : i + 2] = [counts[i] + counts[i + 1]]
        del ends[i if upper else i + 1]
    kept = np.array(ends)
    at = np.searchsorted(kept, np.arange(values.size), side="left" if upper else "right")
    return np.asarray(values[kept[at if upper else at - 1]][place])


def _envelope(groups: list[Array]) -> Array:
    """The largest norm of any group, the second largest, …: no group has more."""
    longest = max(group.size for group in groups)
    padded = [np.append(-np.sort(-group), np.zeros(longest - group.size)) for group in groups]
    return np.asarray(np.max(padded, axis=0))
