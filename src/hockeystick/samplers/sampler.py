"""Sampler: how the records of one step are chosen, and what that does to the privacy loss."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hockeystick.checks import whole
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.loss.base import Loss
from hockeystick.mechanism import Mechanism, divergences
from hockeystick.numerics.series import Array
from hockeystick.relation import Relation

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness

LARGEST_ORDER = 512


class Sampler(ABC):
    """A random choice of records, fresh and secret at every step.

    It *draws* the batches and *accounts* for them, so what runs and what is accounted is the same.
    """

    source: ClassVar[str] = ""
    """The theorem that its loss rests on: authors, year and, if it has one, number."""
    sources: ClassVar[Mapping[Relation, str]] = {}
    """The relations under which it is another one."""

    def theorem(self, relation: Relation) -> str:
        """The theorem that its loss under a relation rests on; nothing where none is named."""
        return self.sources.get(relation, self.source)

    @property
    @abstractmethod
    def natural_relation(self) -> Relation | None:
        """The relation to answer for when the caller names none; None if any will do."""

    @property
    def poisson_rate(self) -> float | None:
        """The chance of each record, where it is drawn independently of all others."""
        return None

    @property
    def fixed_fraction(self) -> float | None:
        """The share of the records, where always as many are drawn without replacement."""
        return None

    @abstractmethod
    def loss(self, mechanism: Mechanism, relation: Relation) -> Loss:
        """The loss of a pair that dominates the mechanism when it runs on the sample."""

    def other_loss(self, mechanism: Mechanism, relation: Relation) -> Loss | None:
        """A second pair that dominates as well, where neither it nor `loss` is always better."""
        return None

    def attained(self, mechanism: Mechanism, relation: Relation, steps: int) -> Loss | None:
        """The loss of a pair of neighbouring data sets; None where `loss` is one already."""
        return mechanism.attained(relation, steps)

    def renyi(self, mechanism: Mechanism, orders: Array, relation: Relation) -> Array:
        """Rényi divergences on the sample of a mechanism that is known by its curve alone."""
        raise ParameterError(
            f"{mechanism!r} is known by its Rényi curve alone, for which no theorem covers "
            f"{self!r} under {relation!r}; declare it as PureDP, ApproximateDP or ProfileDP"
        )

    def divergences(
        self, mechanism: Mechanism, orders: Array, relation: Relation
    ) -> tuple[Array, Array]:
        """Rényi divergences on the sample, of the pair and of its reverse; the better pair's.

        Where outcomes that are too rare to be kept count as giving the record away, what the
        mechanism costs without a sample is the answer.
        """
        one, other = divergences(sampled_loss(mechanism, self, relation), orders)
        second = self.other_loss(mechanism, relation)
        if second is not None:
            with suppress(NumericalError):  # the first pair has answered
                one, other = _smaller((one, other), divergences(second, orders))
        without = self.unsampled(relation)
        if without is not None and np.isinf(one).any():
            one, other = _smaller((one, other), mechanism.renyi(orders, without))
        return one, other

    def unsampled(self, relation: Relation) -> Relation | None:
        """The relation under which the mechanism on all records costs at least as much."""
        return None

    def apply(self, mechanism: Mechanism) -> Mechanism:
        """The mechanism on a sample of the records."""
        for part in mechanism.parts:
            if isinstance(part, Sampled | Grouped) and not self.may_sample(part):
                raise ParameterError(
                    f"a sample of a sample is accounted for Poisson on Poisson only, got "
                    f"{part!r} on {self!r}"
                )
        return Sampled(mechanism, self)

    def may_sample(self, part: Mechanism) -> bool:
        """Whether what is sampled already may be sampled again."""
        return False

    def group(self, mechanism: Mechanism, size: int, relation: Relation) -> Loss:
        """The loss when all of `size` records change together."""
        raise ParameterError(
            f"no pair is known for {size} records together on {self!r}; sample the people "
            f"instead, each with all their records: {mechanism!r}.group({size}).on({self!r})"
        )

    @abstractmethod
    def draw(self, population: int, rng: Randomness = None) -> Array | list[Array]:
        """The indices of one step's batch (of every step, where an epoch is drawn as a whole).

        `rng` is None for secure randomness, an integer seed or a numpy Generator.
        """


@dataclass(frozen=True, repr=False)
class Sampled(Mechanism):
    """A mechanism that sees a random sample of the records."""

    base: Mechanism
    sampler: Sampler

    def loss(self, relation: Relation) -> Loss | None:
        if self.base.known_by_curve(relation):
            return None
        return sampled_loss(self.base, self.sampler, relation)

    def renyi(self, orders: Array, relation: Relation) -> tuple[Array, Array]:
        if not self.base.known_by_curve(relation):
            return self.sampler.divergences(self.base, orders, relation)
        value = self.sampler.renyi(self.base, orders, relation)
        return value, value

    def other_loss(self, relation: Relation) -> Loss | None:
        return self.sampler.other_loss(self.base, relation)

    def attained(self, relation: Relation, steps: int) -> Loss | None:
        return self.sampler.attained(self.base, relation, steps)

    def attained_as_one(self, relation: Relation, steps: int) -> Loss | None:
        # At one step every point of the profile may be some pair's, not all one's.
        return self.attained(relation, max(steps, 2))

    def group(self, size: int) -> Mechanism:
        return Grouped(self, size) if whole("size", size, 1) > 1 else self

    @property
    def natural_relation(self) -> Relation | None:
        return self.sampler.natural_relation

    def __repr__(self) -> str:
        several = self.base.parts != {self.base: 1}
        base = f"({self.base!r})" if several else repr(self.base)
        return f"{base}.on({self.sampler!r})"


@dataclass(frozen=True, repr=False)
class Grouped(Mechanism):
    """A mechanism on a sample, when `size` records of it belong to one person."""

    sampled: Sampled
    size: int

    def loss(self, relation: Relation) -> Loss:
        return self.sampled.sampler.group(self.sampled.base, self.size, relation)

    @property
    def natural_relation(self) -> Relation | None:
        return self.sampled.natural_relation

    def group(self, size: int) -> Mechanism:
        return Grouped(self.sampled, whole("size", self.size * whole("size", size, 1), 1))

    def __repr__(self) -> str:
        return f"{self.sampled!r}.group({self.size})"


@lru_cache(maxsize=2048)
def sampled_loss(base: Mechanism, sampler: Sampler, relation: Relation) -> Loss:
    """Kept, because the quadrature of a sampled profile is some work."""
    return sampler.loss(base, relation)


def _smaller(one: tuple[Array, Array], other: tuple[Array, Array]) -> tuple[Array, Array]:
    return np.minimum(one[0], other[0]), np.minimum(one[1], other[1])


def base_loss(mechanism: Mechanism, relation: Relation) -> Loss:
    """The loss of the mechanism before sampling."""
    loss = mechanism.loss(relation)
    if loss is None:
        raise ParameterError(
            f"{mechanism!r} is known by its Rényi curve alone; what is asked for takes the law of "
            "its loss: declare it as PureDP, ApproximateDP or ProfileDP"
        )
    return loss


def attained_base(mechanism: Mechanism, relation: Relation, steps: int) -> Loss:
    """The loss of a pair that the mechanism attains before sampling."""
    return mechanism.attained(relation, steps) or base_loss(mechanism, relation)


@lru_cache(maxsize=64)
def renyi_curve(mechanism: Mechanism, relation: Relation) -> Callable[[float], float]:
    """ε(α) of the mechanism, the larger of both directions; kept, as theorems ask again."""

    @lru_cache(maxsize=4 * LARGEST_ORDER)
    def curve(order: float) -> float:
        one, other = mechanism.renyi(np.array([float(order)]), relation)
        return float(max(one[0], other[0]))

    return curve


def amplified_curve(
    theorem: Callable[[Array], Any], curve: Callable[[float], float], rate: float, orders: Array
) -> Array:
    """A theorem that sums over all smaller orders, up to where that is cheap.

    Never more than the curve itself, nor than what pure DP is amplified to.
    """
    pure = curve(math.inf)
    most = math.log1p(rate * math.expm1(pure)) if pure < 700 else pure
    value = np.array([min(curve(float(order)), most) for order in orders.tolist()])
    few = orders <= LARGEST_ORDER
    if few.any():
        value[few] = np.minimum(value[few], theorem(orders[few]))
    return value
