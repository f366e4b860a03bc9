"""What mechanisms that add noise to a query share: the noise multiplier and the relations."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

from hockeystick.checks import checked, declared, finite_positive, non_negative, whole
from hockeystick.evidence import Evidence
from hockeystick.loss.atoms import EVERYTHING, NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.triples.base import Triples
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.types import Array
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, Relation

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness, Source
    from hockeystick.random.reals import Integers
    from hockeystick.release.grid import Draw
    from hockeystick.release.in_turn import InTurn
    from hockeystick.release.payer import Payer
    from hockeystick.sensitivity import Norm, Sensitivity

LEAST_NOISE = 1e-100
"""Below this the loss of a single release overflows; no noise at all is the safe description."""


@declared
class AdditiveNoise(Mechanism):
    """Noise of scale `noise_multiplier` × (how far one record can move the query).

    Parameters
    ----------
    noise_multiplier: in [0, inf]; 0 reveals everything, inf nothing.
    replace_sensitivity: how far replacing one record can move the query, in units of how far
        adding or removing one can; in (0, inf), 2 unless the query says otherwise.
    sensitivity: how far adding or removing one record can move the query, in (0, inf), in the
        query's own units: what `release` multiplies the noise by. The loss does not depend on it.
    """

    norm: ClassVar[Norm]
    """The norm that `sensitivity` is measured in when the query is a vector."""
    pure: ClassVar[bool] = False
    """Whether the loss is at most (how far the query moves) / (noise scale), so that δ may be 0."""

    noise_multiplier: float = checked(non_negative)
    replace_sensitivity: float = checked(finite_positive, default=2.0)
    sensitivity: float = checked(finite_positive, default=1.0, kw_only=True)

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        """Of the pair that is as far apart as the relation lets the query move."""
        sensitivity = self.replace_sensitivity if relation is REPLACE_ONE else 1.0
        if self.noise_multiplier / sensitivity < LEAST_NOISE:
            return Evidence((EVERYTHING,))
        shift = sensitivity / self.noise_multiplier
        if shift == 0:
            return Evidence((NOTHING,))
        return Evidence((self._loss(shift, sensitivity),), triples=self._triples(relation))

    @abstractmethod
    def _loss(self, shift: float, sensitivity: float) -> Loss:
        """The loss when the query moves by `shift` noise scales: sensitivity over multiplier."""

    def _triples(self, relation: Relation) -> Triples | None:
        """The laws that the answers on three batches can have, where their worst is known."""
        return None

    def group(self, size: int) -> Mechanism:
        """The same noise; all `size` records move the query by `size` times as much."""
        noise = self.noise_multiplier / whole("size", size, 1)
        return replace(self, noise_multiplier=noise, sensitivity=self.sensitivity * size)

    # running it --------------------------------------------------------------------------------

    @classmethod
    def for_query(
        cls,
        *,
        sensitivity: float | Sensitivity,
        epsilon: float,
        delta: float = 0.0,
        relation: Relation | None = None,
    ) -> Self:
        """The least noise that makes a query of this sensitivity (ε, δ)-DP, exactly calibrated.

        A number is the distance that one record moves the query under `relation`, in the L1 norm
        for Laplace noise and L2 for Gaussian noise; a `Sensitivity` knows it for every relation.
        For a number with `REPLACE_ONE`, nothing is known of adding and removing records: answers
        for those then presume that they move the query no further.

        >>> from hockeystick import Laplace
        >>> Laplace.for_query(sensitivity=3, epsilon=0.5)
        Laplace(2.0, sensitivity=3.0)
        """
        from hockeystick.release.for_query import distances, solve

        relation = relation or ADD_REMOVE
        unit, replace = distances(sensitivity, cls.norm, relation)
        return solve(
            lambda noise: cls(noise, replace / unit, sensitivity=unit),
            (replace if relation is REPLACE_ONE else unit) / unit if cls.pure else None,
            epsilon=epsilon,
            delta=delta,
            relation=relation,
        )

    @property
    def scale(self) -> float:
        """Scale of the noise in the query's own units."""
        return self.noise_multiplier * self.sensitivity

    def release(self, value: Any, *, rng: Randomness = None, ledger: Payer | None = None) -> Any:
        """`value` plus fresh noise: a number for a number, else an array of the same shape.

        `value` is the query's answer, computed so that one record moves it by no more than
        `sensitivity`; all numbers of an array are one answer, and the bound is on its norm.
        The noise is secure unless a seed or a generator is given as `rng`. Value and noise are
        rounded to one grid of about scale · 2^−30, the noise from a real variable and without an
        error, so that the low digits of the sum tell no more than the guarantee says. What the
        rounding of the value may add to its distance from a neighbour's, the noise is wider by.
        With `ledger`, an account of one (`Ledger.account`), it is charged before noise is drawn.

        >>> from hockeystick import Gaussian
        >>> Gaussian(2.0).release([10, 20], rng=0).shape  # a seed protects nobody
        (2,)
        """
        from hockeystick.random.generators import source
        from hockeystick.release import private

        if ledger is not None:
            private.numbers("value", self._numbers(value))  # what is refused costs nothing
            ledger.spend(self)
        return self._released(value, partial(self._noise, words=source(rng)))

    def in_turn(self, *, rng: Randomness = None) -> InTurn:
        """A function that does what `release` does, for many values one after the other.

        Where it is told how many are to come, it draws the noise of several at once.
        """
        from hockeystick.random.generators import source
        from hockeystick.release.in_turn import InTurn

        return InTurn(self._released, partial(self._noise, words=source(rng)))

    def _released(self, value: Any, draw: Draw) -> Any:
        from hockeystick.release import grid, private

        scale, answer = private.noise_scale(self, self.scale), self._numbers(value)
        least = self.sensitivity * min(1.0, self.replace_sensitivity)
        moved = grid.spread(answer.size, self.norm) / least
        return private.like(grid.released(answer, scale, moved, draw))

    def _numbers(self, value: Any) -> Array:
        """The answer, checked but for infinities: they are found where the noise is added."""
        from hockeystick.release import private

        return private.any_numbers("value", value)

    def statement(self, *, delta: float | None = None, relation: Relation | None = None) -> str:
        """What a release protects, in words, and how its noise is drawn.

        Where replacing a record moves the query no further than adding one, for all that was said,
        the guarantee for records that are added or removed is stated with that condition.

        >>> from hockeystick import Laplace
        >>> print(Laplace(2.0).statement())
        Laplace(2.0): Laplace noise of scale 2 on an answer that moves by at most 1 (L1).
        (0.5, 0)-differentially private when one record is added or removed (add-remove).
        Value and noise are rounded to one grid, the noise exactly from a real variable: ...
        """
        from hockeystick.report import statement as words

        moved = self.sensitivity * (self.replace_sensitivity if relation is REPLACE_ONE else 1)
        how = words.noise(type(self).__name__, self.scale, moved, self.norm)
        alike = self.made_for is REPLACE_ONE
        return words.statement(self, how, words.ROUNDED, delta, relation, alike=alike)

    @property
    def made_for(self) -> Relation | None:
        """Replaced records, where they move the query no further than added ones."""
        return REPLACE_ONE if self.replace_sensitivity <= 1 else None

    @abstractmethod
    def _noise(self, scale: float, count: int, words: Source) -> Integers:
        """The integers nearest to scale·Z, rounded without an error from real noise Z of scale 1.

        scale: in (0, 2^39].
        """
