"""Randomized response."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

from hockeystick.domain import non_negative, probability, whole
from hockeystick.errors import ParameterError
from hockeystick.loss import Loss
from hockeystick.losses.atoms import EVERYTHING, AtomicLoss
from hockeystick.mechanism import Mechanism, call_text
from hockeystick.mechanisms.declared import PureDP
from hockeystick.relation import Relation


@dataclass(frozen=True, repr=False)
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
    Bound(10.0, lower=10.0, method='closed form')
    """

    text_constructors = ("truthful",)

    epsilon_: float
    categories: int = 2

    def __init__(self, epsilon: float, categories: int = 2) -> None:
        object.__setattr__(self, "epsilon_", non_negative("epsilon", epsilon))
        object.__setattr__(self, "categories", whole("categories", categories, 2))

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

    def loss(self, relation: Relation) -> Loss:
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
        )

    def group(self, size: int) -> Mechanism:
        """Any ε-DP mechanism is kε-DP for k records."""
        return PureDP(self.epsilon_ * size) if whole("size", size, 1) > 1 else self

    def __repr__(self) -> str:
        categories: Any = None if self.categories == 2 else self.categories
        return call_text("RandomizedResponse", self.epsilon_, categories=categories)
