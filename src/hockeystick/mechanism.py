"""Mechanism: an immutable value that says what a computation costs, composes and is sampled."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hockeystick.bound import Bound, Bounds
from hockeystick.checks import whole
from hockeystick.errors import ParameterError
from hockeystick.loss.base import Loss
from hockeystick.numerics.series import Array
from hockeystick.relation import Relation

if TYPE_CHECKING:
    from hockeystick.samplers.sampler import Sampler


class Mechanism(ABC):
    """A private computation, as the law of its privacy loss or, failing that, its Rényi curve.

    Subclasses are frozen dataclasses; each gives `loss` (and inherits the rest) or, when only a
    Rényi guarantee is known, `loss` returning None and `renyi`.
    """

    text_constructors: ClassVar[tuple[str, ...]] = ()
    """Classmethods that `parse` may call."""
    source: ClassVar[str] = ""
    """The theorem that its loss rests on: authors, year and, if it has one, number."""

    @abstractmethod
    def loss(self, relation: Relation) -> Loss | None:
        """The loss of the dominating pair (with the record, without it); None if there is none.

        The other direction is its `reverse()`. Raises `RelationError` for a relation under which
        the mechanism has no valid pair.
        """

    def renyi(self, orders: Array, relation: Relation) -> tuple[Array, Array]:
        """Rényi divergences at real orders > 1, of the pair and of its reverse."""
        loss = self.loss(relation)
        if loss is None:
            raise ParameterError(f"{self!r} declares neither a loss nor a Rényi curve")
        return divergences(loss, orders)

    renyi_is_tighter: bool = False
    """Whether `renyi` can be below the divergence of `loss`, which then no mechanism attains."""

    def attained(self, relation: Relation, steps: int) -> Loss | None:
        """The loss of a pair that two neighbouring data sets attain, in `steps` steps, for lower
        ends; None where `loss` is one already."""
        return None

    def attained_as_one(self, relation: Relation, steps: int) -> Loss | None:
        """The same, by one pair at every ε: a profile may be attained by another one at each."""
        return self.attained(relation, steps)

    def other_loss(self, relation: Relation) -> Loss | None:
        """A second pair that dominates as well, where neither it nor `loss` is always better."""
        return None

    def known_by_curve(self, relation: Relation) -> bool:
        """Whether there is only a Rényi curve and no loss."""
        return self.loss(relation) is None

    @property
    def natural_relation(self) -> Relation | None:
        """The relation to answer for when the caller names none; None if any will do."""
        return None

    def theorem(self, relation: Relation) -> str:
        """The theorem that its loss under a relation rests on; nothing where none is named."""
        return self.source

    # composition ------------------------------------------------------------------------------

    @property
    def parts(self) -> dict[Mechanism, int]:
        """The different mechanisms in it and how often each runs."""
        return {self: 1}

    def __add__(self, other: object) -> Mechanism:
        from hockeystick.composition import compose

        if not isinstance(other, Mechanism):
            return NotImplemented
        return compose([(self, 1), (other, 1)])

    def __radd__(self, other: object) -> Mechanism:
        if isinstance(other, int) and other == 0:  # the start value of sum()
            return self
        return NotImplemented

    def __mul__(self, count: int) -> Mechanism:
        from hockeystick.composition import compose

        return compose([(self, whole("count", count, 0))])

    __rmul__ = __mul__

    def on(self, sampler: Sampler) -> Mechanism:
        """This mechanism run on a random sample of the records."""
        return sampler.apply(self)

    def group(self, size: int) -> Mechanism:
        """This mechanism seen by a person who owns `size` records, all of which change together."""
        raise ParameterError(
            f"group privacy is not derived for {self!r}; declare what it guarantees to a group, "
            "as PureDP, ApproximateDP, RenyiDP or ProfileDP"
        )

    def bernoulli(self, *, c: float, dimension: int = 1, samples: int = 1) -> Mechanism:
        """Only coins are released: `samples` Bernoulli vectors whose `dimension` probabilities are
        this mechanism's answer, clipped to [c, 1 − c]."""
        from hockeystick.bernoulli.sampled import BernoulliSampled

        return BernoulliSampled(self, c, dimension, samples)

    # queries ----------------------------------------------------------------------------------

    def epsilon(
        self, delta: float, *, relation: Relation | None = None, method: str = "auto"
    ) -> Bound:
        """The smallest ε for which this is (ε, δ)-DP.

        >>> from hockeystick import Gaussian
        >>> round(Gaussian(1.0).epsilon(delta=1e-5), 9)
        4.377178096
        """
        from hockeystick import questions

        return questions.epsilon(self, delta, relation, method)

    def delta(
        self, epsilon: float, *, relation: Relation | None = None, method: str = "auto"
    ) -> Bound:
        """The smallest δ for which this is (ε, δ)-DP."""
        from hockeystick import questions

        return questions.delta(self, epsilon, relation, method)

    def rdp(self, order: Any, *, relation: Relation | None = None, method: str = "auto") -> Any:
        """Rényi divergence at any real order in [1, inf]; a number for a number, else an array."""
        from hockeystick import questions

        return questions.rdp(self, order, relation, method)

    def profile(
        self,
        epsilons: Sequence[float] | Array,
        *,
        relation: Relation | None = None,
        method: str = "auto",
    ) -> Bounds:
        """The curve δ(ε) at each given ε."""
        from hockeystick import questions

        return questions.profile(self, epsilons, relation, method)

    def tradeoff(
        self,
        alphas: Sequence[float] | Array,
        *,
        relation: Relation | None = None,
        method: str = "auto",
    ) -> Bounds:
        """The smallest type II error of any test at each type I error (f-DP)."""
        from hockeystick import questions

        return questions.tradeoff(self, alphas, relation, method)

    def epsilons(
        self,
        delta: float,
        counts: Iterable[int],
        *,
        relation: Relation | None = None,
        method: str = "auto",
    ) -> Bounds:
        """ε after each number of repetitions: the curve that a training loop logs."""
        from hockeystick import questions

        return questions.epsilons(self, delta, counts, relation, method)


def divergence(loss: Loss, orders: Array) -> Array:
    """Rényi divergences at orders from 1 (the KL divergence) to inf (the largest loss)."""
    if loss.infinite:
        return np.full(orders.shape, math.inf)
    value = np.where(np.isinf(orders), max(0.0, loss.top), 0.0)
    value[orders == 1] = loss.mean() if (orders == 1).any() else 0.0
    between = (orders > 1) & np.isfinite(orders)
    if between.any():
        s = orders[between] - 1
        value[between] = np.maximum(loss.cgf(s).real / s, 0.0)
    return value


def divergences(loss: Loss, orders: Array) -> tuple[Array, Array]:
    """Rényi divergences of the pair and of its reverse."""
    one = divergence(loss, orders)
    return one, one if loss.symmetric else divergence(loss.reverse(), orders)


def call_text(name: str, *values: object, **options: object) -> str:
    """`name(value, option=value)`, the text that `parse` reads back."""
    words = [repr(value) for value in values]
    words += [f"{key}={value!r}" for key, value in options.items() if value is not None]
    return f"{name}({', '.join(words)})"
