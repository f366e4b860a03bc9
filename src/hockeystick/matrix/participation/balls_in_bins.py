"""One secret bin of steps for each record."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.bound import Bound
from hockeystick.checks import Whole, checked, declared
from hockeystick.errors import ParameterError
from hockeystick.evidence import Evidence
from hockeystick.loss.allocation.epoch import allocation
from hockeystick.loss.allocation.replacing import replaced as replacing
from hockeystick.loss.atoms import NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.several import several
from hockeystick.matrix.monte_carlo import Means
from hockeystick.matrix.participation.cyclic import Cyclic
from hockeystick.matrix.participation.pattern import LEAST_NOISE, Pattern
from hockeystick.matrix.strategy import Strategy
from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, Relation

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness

SHARES = 24
"""Common parts that are tried, between none and all that there is."""
ORDERS = (2, 6, 20)
"""Rényi orders for which the best common part is taken: for large δ, and for small ones."""


@declared
class BallsInBins(Pattern):
    """A record takes part in the steps j, j + `bins`, j + 2·`bins`, … of one secret j, uniform.

    With m_j = |C|·1_{j, j+bins, …}/σ and M their products, the pair of worst contributions is
    Σ_j N(m_j)/bins against N(0) (Choquette-Choo et al. 2024). What depends on M grows with each
    entry, and with M in the order of positive semidefinite matrices; M = τ·11ᵀ + d·1 is a Gaussian
    release μ² = τ and a random allocation (Feldman and Shenfeld 2025) to `bins` steps with μ² = d.
    So, for any τ >= 0, above M <= M + d·1 − (M − τ)₊ <= τ·11ᵀ + d·1, d the largest eigenvalue of (M
    − τ)₊, the first in that order and the second in each entry; and below, for C >= 0, τ the least
    entry of M and d the least on its diagonal less τ.

    Parameters
    ----------
    bins: an integer >= 1.
    """

    source = "Choquette-Choo et al. 2024; Feldman and Shenfeld 2025"
    secret = True
    natural_relation = ADD_REMOVE

    bins: int = checked(Whole(1))

    @property
    def words(self) -> str:
        return f"takes part in every {self.bins}th step from a random one on, in secret"

    def sensitivity(self, strategy: Strategy) -> Bound:
        """As if the bin were known."""
        return Cyclic(self.bins).sensitivity(strategy)

    def evidence(
        self, strategy: Strategy, noise: float, relation: Relation, replaced: float
    ) -> Evidence:
        known = super().evidence(strategy, noise, relation, replaced)
        self._check(strategy)
        pair = known.loss
        shift = pair.gaussian_shift
        if shift is None or self.bins == 1:
            return Evidence(known.pairs, known.attained if self.bins == 1 else NOTHING)
        gram, slack = self.products(strategy, noise), _slack(strategy)
        opposite = relation is REPLACE_ONE
        best = dict.fromkeys(_above(gram * slack, order) for order in ORDERS)
        pairs = [self._pair(common, own, opposite, True) for common, own in best]
        return Evidence((*pairs, pair), self._attained(strategy, gram / slack, opposite, replaced))

    def products(self, strategy: Strategy, noise: float) -> Array:
        """M, of |C|."""
        matrix = np.abs(strategy.dense())
        sums = np.stack([matrix[:, j :: self.bins].sum(axis=1) for j in range(self.bins)])
        return np.asarray(sums @ sums.T / noise / noise)

    def means(self, strategy: Strategy, noise: float) -> Means:
        """In as many dimensions as bins: a root of M."""
        self._check(strategy)
        values, vectors = np.linalg.eigh(self.products(strategy, noise))
        roots = vectors * np.sqrt(np.maximum(values, 0.0))
        return Means(np.full(self.bins, 1 / self.bins), roots)

    def _check(self, strategy: Strategy) -> None:
        if self.bins > strategy.steps:
            raise ParameterError(
                f"bins must be at most the {strategy.steps} steps of the matrix, got {self.bins}"
            )

    def _pair(self, common: float, own: float, opposite: bool, upper: bool) -> Loss:
        """A common Gaussian part, and one that is allocated."""
        parts: list[Loss] = []
        least = 0.0 if upper else LEAST_NOISE  # an upper end leaves nothing out
        if common > least:
            parts.append(GaussianLoss(math.sqrt(common) * (2 if opposite else 1)))
        if own > least:
            epoch = allocation(GaussianLoss(math.sqrt(own)), self.bins, upper=upper)
            parts.append(replacing(epoch) if opposite and upper else epoch)
        return several((each, 1) for each in parts)

    def _attained(self, strategy: Strategy, gram: Array, opposite: bool, replaced: float) -> Loss:
        """Contributions that are all the same; where one is replaced, by one that gives nothing."""
        if not strategy.nonnegative or (opposite and replaced < 1):
            return NOTHING
        common = float(gram.min())
        own = float(np.diag(gram).min()) - common
        return self._pair(common, own, False, False)

    def allows(self, order: Array, steps: int) -> bool:
        return order.size > 0 and order.tolist() == [*range(order[0] % self.bins, steps, self.bins)]

    def draw(self, population: int, steps: int, rng: Randomness = None) -> Iterator[Array]:
        """One allocation, the same in every epoch."""
        from hockeystick.random import runs

        return runs.balls_in_bins(population, self.bins, steps, rng)


def _slack(strategy: Strategy) -> float:
    return 1 + 4 * (strategy.rows + strategy.steps + 16) * EPS


def _above(gram: Array, order: int) -> tuple[float, float]:
    """The common part and the own one of a matrix above M, best at a Rényi order."""
    shares = np.linspace(0.0, float(gram.max()), SHARES + 1)
    ends = [(float(tau), _largest_eigenvalue(np.maximum(gram - tau, 0.0))) for tau in shares]
    power = order * (order - 1) / 2
    return min(ends, key=lambda end: power * end[0] + _log_moment(end[1], len(gram), order))


def _log_moment(own: float, bins: int, order: int) -> float:
    """log E_Q[(mean of `bins` likelihood ratios)^α] for N(√d, 1) against N(0, 1).

    α!/b^α times the coefficient of x^α in (Σ_k e^{k(k−1)d/2}·x^k/k!)^b, by Euler's recurrence.
    """
    k = np.arange(order + 1)
    largest = order * (order - 1) / 2 * own
    if largest > 600:  # too large for a float, and one ratio decides
        return largest - (order - 1) * math.log(bins)
    factorials = np.cumprod(np.maximum(k, 1.0))
    series = np.exp(k * (k - 1) / 2 * own) / factorials
    power = np.zeros(order + 1)
    power[0] = 1.0
    for n in range(1, order + 1):
        i = np.arange(1, n + 1)
        power[n] = np.sum((i * (bins + 1) - n) * series[i] * power[n - i]) / n
    return math.log(power[order]) + math.log(factorials[order]) - order * math.log(bins)


def _largest_eigenvalue(matrix: Array) -> float:
    """Of a non-negative symmetric matrix, rounded up; never more than the largest sum of a row."""
    rows = float(matrix.sum(axis=1).max()) * (1 + 4 * len(matrix) * EPS)
    top = float(np.linalg.eigvalsh(matrix)[-1])
    return min(rows, top + 4 * len(matrix) * EPS * rows)
