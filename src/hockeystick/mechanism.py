"""Mechanism: an immutable value that says what a computation costs, composes and is sampled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from hockeystick import curves, log_questions, questions
from hockeystick.bound import Bound, Bounds
from hockeystick.checks import CallText, counted, non_negative, shown, steps_in_all, whole
from hockeystick.errors import ParameterError, RelationError
from hockeystick.evidence import Evidence, known
from hockeystick.in_words import InWords
from hockeystick.loss.base import Loss
from hockeystick.loss.product import product
from hockeystick.numerics.types import Array
from hockeystick.relation import Cited, Relation
from hockeystick.routes.question import DeltaAt
from hockeystick.small_delta import given


class AnySampler(CallText, Cited, ABC):
    """What `Mechanism.on` takes. `Sampler` says all that it must know."""

    @abstractmethod
    def apply(self, mechanism: Mechanism) -> Mechanism:
        """The mechanism on a sample of the records."""


class Mechanism(InWords, CallText, Cited, ABC):
    """A private computation, as the law of its privacy loss or, failing that, its Rényi curve.

    Subclasses are `declared`; each gives its `evidence` and inherits the rest.
    """

    @abstractmethod
    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        """What is known of the loss when this is one of `steps` steps; 2 stands for any more.

        Raises `RelationError` for a relation under which nothing is known.
        """

    @property
    def natural_relation(self) -> Relation | None:
        """The relation to answer for when the caller names none; None if any will do."""
        return None

    @property
    def made_for(self) -> Relation | None:
        """The relation that its sampler draws for, or that its noise was declared for; else None.

        For hints in a statement: `natural_relation` alone decides what is answered.
        """
        return self.natural_relation

    is_foreign: bool
    """Whether its class is of another package, so that its losses are checked when they are used:
    the tests of this one try the laws of a loss on every class that it has."""

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        cls.is_foreign = not cls.__module__.startswith("hockeystick.")

    # composition ------------------------------------------------------------------------------

    @property
    def parts(self) -> dict[Mechanism, int]:
        """The different mechanisms in it and how often each runs."""
        return {self: 1}

    def __add__(self, other: object) -> Mechanism:
        if not isinstance(other, Mechanism):
            return NotImplemented
        return compose([(self, 1), (other, 1)])

    def __radd__(self, other: object) -> Mechanism:
        if isinstance(other, int) and other == 0:  # the start value of sum()
            return self
        return NotImplemented

    def __mul__(self, count: int) -> Mechanism:
        return compose([(self, whole("count", count, 0))])

    __rmul__ = __mul__

    def on(self, sampler: AnySampler) -> Mechanism:
        """This mechanism run on a random sample of the records."""
        if not isinstance(sampler, AnySampler):
            raise ParameterError(
                f"sampler must be a Sampler such as Poisson(0.01), got {shown(sampler)}"
            )
        return sampler.apply(self)

    def group(self, size: int) -> Mechanism:
        """This mechanism seen by a person who owns `size` records, all of which change together."""
        raise ParameterError(
            f"group privacy is not derived for {self!r}; declare what it guarantees to a group, "
            "as PureDP, ApproximateDP, RenyiDP or ProfileDP"
        )

    def replaced_on_sample(self, rate: float) -> Evidence | None:
        """What is known of it on a Poisson sample when one record is replaced, where that is more
        than its pairs tell."""
        return None

    def copied(self, weights: Array, relation: Relation) -> Loss | None:
        """The loss of a pair that is attained when a record is there k times with probability
        weights[k], against not at all; None where no such pair is known."""
        return None

    def bernoulli(
        self,
        *,
        c: float | Sequence[float],
        d: float | Sequence[float] | None = None,
        dimension: int = 1,
        samples: int = 1,
    ) -> Mechanism:
        """Only coins are released: `samples` Bernoulli vectors whose `dimension` probabilities are
        this mechanism's answer, clipped to [c, 1 − c]; or, given lists, to [c_i, d_i] each."""
        from hockeystick.bernoulli.box_sampled import coins_of_mechanism

        return coins_of_mechanism(self, c, d, dimension, samples)

    # questions --------------------------------------------------------------------------------

    def epsilon(
        self,
        delta: float | None = None,
        *,
        log_delta: float | None = None,
        relation: Relation | None = None,
        method: str = "auto",
        certify: bool = False,
    ) -> Bound:
        """The smallest ε for which this is (ε, δ)-DP; with `certify`, between proven ends.

        `log_delta` in place of δ takes any that no float can hold, e^−100000 say.

        >>> from hockeystick import Gaussian
        >>> round(Gaussian(1.0).epsilon(delta=1e-5), 9)
        4.377178096
        >>> round(Gaussian(1.0).epsilon(log_delta=-100_000), 6)
        447.684241
        """
        at = given(delta, log_delta)
        return log_questions.epsilon_at(self, at, relation, method, certify)

    def delta(
        self,
        epsilon: float,
        *,
        relation: Relation | None = None,
        method: str = "auto",
        certify: bool = False,
    ) -> Bound:
        """The smallest δ for which this is (ε, δ)-DP; with `certify`, between proven ends."""
        question = DeltaAt(non_negative("epsilon", epsilon))
        return questions.answer(self, question, relation, method, certify)

    def log_delta(
        self, epsilon: float, *, relation: Relation | None = None, method: str = "auto"
    ) -> Bound:
        """The natural logarithm of `delta(epsilon)`, also where no float holds δ; −inf if it is 0.

        >>> from hockeystick import Gaussian
        >>> Gaussian(1.0).delta(100.0).upper < 1e-300
        True
        >>> round(Gaussian(1.0).log_delta(100.0), 6)
        -4960.254554
        """
        return log_questions.log_delta_of(self, epsilon, relation, method)

    def rdp(self, order: Any, *, relation: Relation | None = None, certify: bool = False) -> Any:
        """Rényi divergence at any real order in [0, inf]; a number for a number, else an array.

        With `certify`, of one order in [1, inf], between proven ends.
        """
        if certify:
            return questions.proven_divergence(self, order, relation)
        return curves.rdp(self, order, relation)

    def profile(
        self,
        epsilons: Sequence[float] | Array,
        *,
        relation: Relation | None = None,
        method: str = "auto",
    ) -> Bounds:
        """The curve δ(ε) at each given ε."""
        answers = curves.profile(self, epsilons, relation, method)
        return self._told(answers, relation, epsilon=np.array(epsilons, dtype=float))

    def tradeoff(
        self,
        alphas: Sequence[float] | Array,
        *,
        relation: Relation | None = None,
        method: str = "auto",
    ) -> Bounds:
        """The smallest type II error of any test at each type I error (f-DP)."""
        answers = curves.tradeoff(self, alphas, relation, method)
        return self._told(answers, relation, alpha=np.array(alphas, dtype=float))

    def epsilons(
        self,
        delta: float | None = None,
        counts: Iterable[int] | None = None,
        *,
        log_delta: float | None = None,
        relation: Relation | None = None,
        method: str = "auto",
    ) -> Bounds:
        """ε after each number of repetitions: the curve that a training loop logs."""
        wanted, at = counted(counts), given(delta, log_delta)
        found = curves.each_epsilon(self, at, wanted, relation, method)
        return self._told(curves.as_bounds(*found), relation, delta=at, counts=np.array(wanted))

    def _told(self, answers: Bounds, relation: Relation | None, **asked: Any) -> Bounds:
        relation = questions.relation_of(self, relation)
        return answers.about(self, relation, **asked)


class Composition(Mechanism):
    """Several mechanisms run on the same data, each some number of times, in any order.

    The flat multiset {mechanism: count}: composing adds counts and never nests. Valid for adaptive
    choice of what is asked, as long as the list of mechanisms and counts is fixed in advance. At
    most 2^62 steps in all.
    """

    def __init__(self, parts: dict[Mechanism, int] | None = None) -> None:
        self._parts = parts or {}

    @property
    def parts(self) -> dict[Mechanism, int]:
        return dict(self._parts)

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        """Of all parts together, as one release: for sampling once and for all."""
        parts = [(known(part, relation, 2), count) for part, count in self._parts.items()]
        curve = questions.renyi_curve(self, relation)
        if not all(evidence.pairs for evidence, _ in parts):
            return Evidence(curve=curve)
        attained = None
        if any(evidence.attained for evidence, _ in parts):
            attained = product([(evidence.attained_loss, count) for evidence, count in parts])
        together = product([(evidence.loss, count) for evidence, count in parts])
        return Evidence((together,), attained, curve)

    @property
    def natural_relation(self) -> Relation | None:
        relations = {part.natural_relation for part in self._parts} - {None}
        if len(relations) > 1:
            names = ", ".join(sorted(str(relation) for relation in relations))
            raise RelationError(
                f"the parts speak of different neighbours ({names}); name one with relation= or "
                "--relation"
            )
        return relations.pop() if relations else None

    def group(self, size: int) -> Mechanism:
        return compose((part.group(size), count) for part, count in self._parts.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Composition) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(frozenset(self._parts.items()))

    def __repr__(self) -> str:
        if not self._parts:
            return "Composition()"
        return " + ".join(
            f"{mechanism!r} * {count}" if count > 1 else repr(mechanism)
            for mechanism, count in self._parts.items()
        )


def compose(terms: Iterable[tuple[Mechanism, int]]) -> Mechanism:
    """The composition of mechanisms with counts, at most 2^62 steps in all.

    One mechanism, once, is itself.
    """
    total: dict[Mechanism, int] = {}
    for term, count in terms:
        parts = term.parts
        if count == 1 and not total:
            total = parts  # a copy already: adding one more term to a long sum stays cheap
        elif count:
            for mechanism, times in parts.items():
                total[mechanism] = total.get(mechanism, 0) + times * count
    steps_in_all(sum(total.values()))
    if len(total) == 1 and next(iter(total.values())) == 1:
        return next(iter(total))
    return Composition(total)
