"""Randomized response."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from hockeystick.checks import (
    Between,
    Whole,
    checked,
    declare,
    declared,
    non_negative,
    probability,
    whole,
)
from hockeystick.errors import ParameterError
from hockeystick.evidence import Evidence
from hockeystick.loss.atoms import EVERYTHING, AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.loss.exact import response
from hockeystick.loss.triples.base import Triples
from hockeystick.loss.triples.many_laws import ManyLaws
from hockeystick.loss.triples.two_laws import TwoLaws
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.pure_dp import PureDP
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, Relation

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness
    from hockeystick.release.payer import Payer
    from hockeystick.release.response import Estimate

LARGEST = 1e6
"""A larger ε hides nothing, and its probabilities have too many digits."""


@declared
class RandomizedResponse(Mechanism):
    """The truth with probability p = e^ε/(e^ε + K − 1), else one of the K − 1 others, uniformly.

    Dominating pair: the reports on two different answers, with losses ε (mass p), −ε (mass q) and
    0 (mass (K − 2)·q), q = 1/(e^ε + K − 1) (Kairouz, Bonawitz and Ramage 2016). An absent record
    counts as one that gives a fixed answer, so the pair is the same under every relation.

    Parameters
    ----------
    epsilon: in [0, inf].
    categories: K, an integer >= 2.

    >>> (RandomizedResponse(1.0) * 10).epsilon(delta=0)
    Bound(10.0, lower=10.0, method='closed form', delta=0.0, relation=ADD_REMOVE)
    """

    source = "Kairouz, Bonawitz and Ramage 2016"

    text_constructors = ("truthful",)

    epsilon_: float = checked(non_negative)
    categories: int = checked(Whole(2), default=2)

    def __init__(self, epsilon: float, categories: int = 2) -> None:
        declare(self, epsilon_=epsilon, categories=categories)

    @classmethod
    def truthful(cls, probability_of_truth: float, categories: int = 2) -> Self:
        """Randomized response that tells the truth with probability p, in [1/K, 1].

        >>> RandomizedResponse.truthful(0.75) == RandomizedResponse(math.log(3))
        True
        """
        p = probability("probability_of_truth", probability_of_truth)
        others = whole("categories", categories, 2) - 1
        if p * (others + 1) < 1:
            raise ParameterError(
                f"probability_of_truth must be in [1/categories, 1], got {probability_of_truth!r}"
            )
        return cls(math.inf if p == 1 else max(0.0, math.log(p * others / (1 - p))), categories)

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        return Evidence((self._loss(),), triples=self._triples(relation))

    def _triples(self, relation: Relation) -> Triples | None:
        """Two laws are all that there are of two answers."""
        if relation is ADD_REMOVE or not 0 < self.epsilon_ < math.inf:
            return None
        if self.categories == 2:
            return TwoLaws(epsilon=self.epsilon_)
        return ManyLaws(epsilon=self.epsilon_, categories=self.categories)

    def _loss(self) -> Loss:
        epsilon, others = self.epsilon_, self.categories - 1
        if math.isinf(epsilon):
            return EVERYTHING
        log_total = epsilon + math.log1p(others * math.exp(-epsilon))
        log_rest = math.log(others - 1) if others > 1 else -math.inf
        return AtomicLoss(
            [-epsilon, 0.0, epsilon],
            [epsilon - log_total, log_rest - log_total, -log_total],
            spacing=epsilon if others > 1 else 2 * epsilon,
            symmetric=True,
            slip=0.0,
            origin=response(epsilon, self.categories),
        )

    def group(self, size: int) -> Mechanism:
        """Any ε-DP mechanism is kε-DP for k records."""
        return PureDP(self.epsilon_ * size) if whole("size", size, 1) > 1 else self

    # running it --------------------------------------------------------------------------------

    def release(
        self,
        answers: Any,
        *,
        labels: Sequence[Any] | None = None,
        rng: Randomness = None,
        ledger: Payer | None = None,
    ) -> Any:
        """A report on each answer: one for one, else an array of the same shape.

        Answers and reports are categories 0, …, K − 1, or, where there are `labels`, the declared
        names of all categories, those names. A lie is uniform over the other K − 1
        answers; the coins are exact, without floating point, and secure unless a seed or a
        generator is given as `rng`. Each entry is one person's answer to one question: who answers
        several times spends ε each time. With `ledger`, an account of one (`Ledger.account`), one
        answer of each person is charged before a coin is drawn.

        >>> RandomizedResponse(1.0, categories=5).release([4, 0, 2], rng=0).shape
        (3,)
        >>> RandomizedResponse(9.0).release(["yes", "no"], labels=["no", "yes"], rng=0).tolist()
        ['yes', 'no']
        """
        from hockeystick.random.generators import source
        from hockeystick.release import labels as label
        from hockeystick.release import private
        from hockeystick.release.response import respond

        if self.epsilon_ > LARGEST:
            raise ParameterError(f"epsilon must be at most {LARGEST:g} to release, got {self!r}")
        names = None if labels is None else label.checked(labels, self.categories)
        numbers = self._numbers("answers", answers, names)
        if ledger is not None:
            ledger.spend(self)
        reports = respond(numbers, self.epsilon_, self.categories, source(rng))
        return private.like(reports if names is None else label.named(reports, names))

    def _numbers(self, name: str, values: Any, labels: Sequence[Any] | None) -> Any:
        from hockeystick.release import labels as label
        from hockeystick.release import private

        if labels is not None:
            return label.numbered(name, values, labels)
        return private.integers(name, values, 0, self.categories - 1)

    def statement(self, *, delta: float | None = None, relation: Relation | None = None) -> str:
        """What a report protects, in words: the answer, which another may have been."""
        from hockeystick.report import statement as words

        truth = 1 / (1 + (self.categories - 1) * math.exp(-self.epsilon_))
        how = f"an answer is reported as it is with probability {truth:.6g}, else as another one."
        return words.statement(self, how, words.EXACT, delta, relation or REPLACE_ONE)

    def estimate(
        self, reports: Any, *, labels: Sequence[Any] | None = None, confidence: float = 0.95
    ) -> Estimate:
        """The unbiased share of each answer, with a confidence interval for each by itself.

        The intervals hold for the population that the people were drawn from, independently.

        Parameters
        ----------
        reports: at least one integer in [0, K − 1], or one of the labels.
        labels: the declared names of all categories; the shares are in their order.
        confidence: in (0, 1).

        >>> survey = RandomizedResponse(1.0)
        >>> reports = survey.release([1] * 300 + [0] * 700, rng=0)
        >>> found = survey.estimate(reports)
        >>> bool(found.lower[1] < 0.3 < found.upper[1])
        True
        """
        from hockeystick.release import labels as label
        from hockeystick.release.response import estimate

        if not 0 < self.epsilon_ < math.inf:
            raise ParameterError(f"epsilon must be in (0, inf) to estimate, got {self!r}")
        confidence = Between("(0, 1)")("confidence", confidence)
        names = None if labels is None else label.checked(labels, self.categories)
        counted = self._numbers("reports", reports, names)
        if counted.size == 0:
            raise ParameterError("reports must hold at least one report, got none")
        truth = 1 / (1 + (self.categories - 1) * math.exp(-self.epsilon_))
        return replace(estimate(counted, truth, self.categories, confidence), labels=names)
