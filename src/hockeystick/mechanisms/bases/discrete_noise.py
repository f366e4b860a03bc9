"""What mechanisms that add integer noise share."""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

from hockeystick.checks import Whole, checked, declared, non_negative, whole
from hockeystick.errors import ParameterError
from hockeystick.evidence import Evidence
from hockeystick.loss.atoms import EVERYTHING, NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.exact import Exact, among
from hockeystick.loss.integer_copies import integer_copies
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.bases.additive_noise import LEAST_NOISE
from hockeystick.numerics.types import Array
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, Relation

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness, Source
    from hockeystick.random.reals import Integers
    from hockeystick.release.payer import Payer
    from hockeystick.sensitivity import Sensitivity


@declared
class DiscreteNoise(Mechanism):
    """Integer noise for a query with integer answers, independent in every entry of the answer.

    The pair is that of one entry moved by `sensitivity`. It dominates every answer whose entries
    move by as much together (L1): k steps of one unit each, in any entries, are a group of k, and
    for log-concave noise one entry moved by k attains the trade-off of a group of k (Dong, Roth and
    Su 2022, on group privacy), as its threshold tests are those of a unit step, k times over. Where
    only the L2 distance Δ of many entries is small, the pair says nothing; for discrete Gaussian
    noise, ZeroConcentratedDP(Δ²/2σ²) does (Canonne, Kamath and Steinke 2020, Theorem 14).

    Parameters
    ----------
    noise_multiplier: noise scale over sensitivity, in [0, inf].
    sensitivity: how far adding or removing one record can move the query in L1, an integer >= 1;
        the noise scale on the integers is noise_multiplier × sensitivity.
    replace_sensitivity: the same for replacing one record; 2 × sensitivity unless given.
    """

    pure: ClassVar[bool] = False
    """Whether the loss is at most (how far the query moves) / (noise scale), so that δ may be 0."""

    noise_multiplier: float = checked(non_negative)
    sensitivity: int = checked(Whole(1), default=1)
    replace_sensitivity: int | None = checked(Whole(1), default=None)

    @property
    def scale(self) -> float:
        """Scale of the noise on the integers."""
        return self.noise_multiplier * self.sensitivity

    @property
    def exact_scale(self) -> Fraction:
        """The same, not rounded."""
        return Fraction(self.noise_multiplier) * self.sensitivity

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        return Evidence((self._moved(relation),))

    def _distance(self, relation: Relation | None) -> int:
        """How far the relation lets the query move."""
        if relation is not REPLACE_ONE:
            return self.sensitivity
        return self.replace_sensitivity or 2 * self.sensitivity

    def _moved(self, relation: Relation) -> Loss:
        """The loss when the query moves as far as that."""
        steps = self._distance(relation)
        if self.scale < LEAST_NOISE:
            return EVERYTHING
        if math.isinf(self.scale):
            return NOTHING
        if max(steps, self.scale) > 1e5:
            raise ParameterError(
                f"noise_multiplier × sensitivity must be at most 100000, got {self.scale!r} for "
                f"{self!r}; on so fine a grid use the continuous mechanism of the same multiplier"
            )
        return self._loss(steps)

    def group(self, size: int) -> Mechanism:
        """The same noise on the integers; the query moves by `size` times as much."""
        size = whole("size", size, 1)
        replace = self.replace_sensitivity and self.replace_sensitivity * size
        return type(self)(self.noise_multiplier / size, self.sensitivity * size, replace)

    def copied(self, weights: Array, relation: Relation) -> Loss | None:
        """The query moves by k times as much where the record is there k times."""
        if not LEAST_NOISE <= self.scale < math.inf:
            return None
        distance = self._distance(relation)
        return integer_copies(weights, distance, self.scale, self._log_density)

    def replaced_on_sample(self, rate: float) -> Evidence | None:
        """Two records on opposite sides, if one that is replaced moves twice as far."""
        if self._distance(REPLACE_ONE) != 2 * self.sensitivity:
            return None
        near, far = (self._moved(each) for each in (ADD_REMOVE, REPLACE_ONE))
        if near is EVERYTHING or near is NOTHING:
            return None
        origin = among(far.exact(), near.exact(), Fraction(rate))
        return Evidence((self._opposite(rate, origin),))

    @abstractmethod
    def _opposite(self, rate: float, origin: Exact | None) -> Loss:
        """The loss of two records that move the query to either side, on a Poisson sample."""

    @abstractmethod
    def _log_density(self, x: Array) -> Array:
        """Of the noise on the integers, up to a constant."""

    @abstractmethod
    def _loss(self, steps: int) -> Loss:
        """The loss when the query moves by `steps` integers."""

    # running it --------------------------------------------------------------------------------

    @classmethod
    def for_query(
        cls,
        *,
        sensitivity: int | Sensitivity,
        epsilon: float,
        delta: float = 0.0,
        relation: Relation | None = None,
    ) -> Self:
        """The least noise that makes an integer query (ε, δ)-DP, exactly calibrated.

        A number is the L1 distance that one record moves the query under `relation`; a
        `Sensitivity` knows it for every relation. For a number with `REPLACE_ONE`, answers for
        records that are added or removed presume that they move the query no further.

        >>> from hockeystick import DiscreteLaplace
        >>> DiscreteLaplace.for_query(sensitivity=1, epsilon=0.5)
        DiscreteLaplace(2.0)
        """
        from hockeystick.release.for_query import distances, solve

        relation = relation or ADD_REMOVE
        distance = distances(sensitivity, "L1", relation)
        if not (distance[0].is_integer() and distance[1].is_integer()):
            raise ParameterError(
                f"integer noise needs a sensitivity in whole numbers, got {sensitivity!r}; "
                "round the query to a grid and count in its steps"
            )
        unit, replace = map(int, distance)
        return solve(
            lambda noise: cls(noise, unit, None if replace == 2 * unit else replace),
            (replace if relation is REPLACE_ONE else unit) / unit if cls.pure else None,
            epsilon=epsilon,
            delta=delta,
            relation=relation,
        )

    def release(self, value: Any, *, rng: Randomness = None, ledger: Payer | None = None) -> Any:
        """`value` plus fresh integer noise, drawn by exactly its law, without floating point.

        An integer for an integer, else an array of integers of the same shape, all of which are
        one answer. The noise is secure unless a seed or a generator is given as `rng`. With
        `ledger`, an account of one (`Ledger.account`), it is charged before noise is drawn.

        >>> from hockeystick import DiscreteGaussian
        >>> DiscreteGaussian(2.0).release([10, 20], rng=0).dtype  # a seed protects nobody
        dtype('int64')
        """
        from hockeystick.random.generators import source
        from hockeystick.release import private

        answer = private.integers("value", value)
        private.noise_scale(self, self.scale)
        if ledger is not None:
            ledger.spend(self)
        noise = self._noise(answer.size, source(rng)).reshape(answer.shape)
        return private.like(answer + noise)

    def statement(self, *, delta: float | None = None, relation: Relation | None = None) -> str:
        """What a release protects, in words."""
        from hockeystick.report import statement as words

        how = words.noise(type(self).__name__, self.scale, self._distance(relation), "L1")
        alike = self.made_for is REPLACE_ONE
        return words.statement(self, how, words.EXACT, delta, relation, alike=alike)

    @property
    def made_for(self) -> Relation | None:
        """Replaced records, where they move the query no further than added ones."""
        return REPLACE_ONE if self._distance(REPLACE_ONE) <= self.sensitivity else None

    @abstractmethod
    def _noise(self, count: int, words: Source) -> Integers:
        """Noise of scale `scale`."""
