"""Sampler: how the records of one step are chosen, and what that does to the privacy loss."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from hockeystick.checks import declared, whole
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.evidence import Curve, Evidence, known, smaller
from hockeystick.loss.base import Loss
from hockeystick.loss.divergence import divergences
from hockeystick.mechanism import AnySampler, Mechanism
from hockeystick.numerics.types import Array
from hockeystick.relation import Relation

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness

LARGEST_ORDER = 512


class Sampler(AnySampler):
    """A random choice of records, fresh and secret at every step.

    It *draws* the batches and *accounts* for them, so what runs and what is accounted is the same.
    """

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
    def evidence(self, mechanism: Mechanism, relation: Relation, steps: int) -> Evidence:
        """What is known of a mechanism with a loss, on the sample, as one of `steps` steps (2 for
        any more)."""

    def evidence_by_curve(self, mechanism: Mechanism, relation: Relation) -> Evidence:
        """The same of a mechanism that is known by its Rényi curve alone."""
        raise ParameterError(
            f"{mechanism!r} is known by its Rényi curve alone, for which no theorem covers "
            f"{self!r} under {relation!r}; declare it as PureDP, ApproximateDP or ProfileDP"
        )

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

    def group(self, mechanism: Mechanism, size: int, relation: Relation) -> Evidence:
        """What is known when all of `size` records change together."""
        raise ParameterError(
            f"no pair is known for {size} records together on {self!r}; sample the people "
            f"instead, each with all their records: {mechanism!r}.group({size}).on({self!r})"
        )

    @abstractmethod
    def draw(self, population: int, rng: Randomness = None) -> Array | list[Array]:
        """The indices of one step's batch (of every step, where an epoch is drawn as a whole).

        `rng` is None for secure randomness, an integer seed or a numpy Generator.
        """


@declared
class Sampled(Mechanism):
    """A mechanism that sees a random sample of the records."""

    base: Mechanism
    sampler: Sampler

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        if known(self.base, relation, 1).pairs:
            return self.sampler.evidence(self.base, relation, steps)
        return self.sampler.evidence_by_curve(self.base, relation)

    def group(self, size: int) -> Mechanism:
        return Grouped(self, size) if whole("size", size, 1) > 1 else self

    @property
    def natural_relation(self) -> Relation | None:
        return self.sampler.natural_relation

    @property
    def is_foreign(self) -> bool:  # type: ignore[override]
        return not type(self.sampler).__module__.startswith("hockeystick.")

    def __repr__(self) -> str:
        several = self.base.parts != {self.base: 1}
        base = f"({self.base!r})" if several else repr(self.base)
        return f"{base}.on({self.sampler!r})"


@declared
class Grouped(Mechanism):
    """A mechanism on a sample, when `size` records of it belong to one person."""

    sampled: Sampled
    size: int

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        return self.sampled.sampler.group(self.sampled.base, self.size, relation)

    @property
    def natural_relation(self) -> Relation | None:
        return self.sampled.natural_relation

    def group(self, size: int) -> Mechanism:
        return Grouped(self.sampled, whole("size", self.size * whole("size", size, 1), 1))

    def __repr__(self) -> str:
        return f"{self.sampled!r}.group({self.size})"


def base_loss(mechanism: Mechanism, relation: Relation) -> Loss:
    """The loss of the mechanism before sampling."""
    evidence = known(mechanism, relation, 1)
    if not evidence.pairs:
        raise ParameterError(
            f"{mechanism!r} is known by its Rényi curve alone; what is asked for takes the law of "
            "its loss: declare it as PureDP, ApproximateDP or ProfileDP"
        )
    return evidence.loss


def attained_base(mechanism: Mechanism, relation: Relation, steps: int) -> Loss:
    """The loss of a pair that the mechanism attains before sampling."""
    return known(mechanism, relation, steps).attained or base_loss(mechanism, relation)


def best_curve(pairs: Sequence[Loss], without: Callable[[], Evidence] | None = None) -> Curve:
    """Rényi divergences of the best of some pairs at each order.

    Where outcomes that are too rare to be kept count as giving the record away, what the mechanism
    costs `without` a sample is the answer.
    """

    def curve(orders: Array) -> tuple[Array, Array]:
        values = divergences(pairs[0], orders)
        for pair in pairs[1:]:
            with suppress(NumericalError):  # the first pair has answered
                values = smaller(values, divergences(pair, orders))
        if without is not None and np.isinf(values[0]).any():
            values = smaller(values, without().renyi(orders))
        return values

    return curve


@lru_cache(maxsize=64)
def renyi_curve(mechanism: Mechanism, relation: Relation) -> Callable[[float], float]:
    """ε(α) of the mechanism, the larger of both directions; kept, as theorems ask again."""

    @lru_cache(maxsize=4 * LARGEST_ORDER)
    def curve(order: float) -> float:
        one, other = known(mechanism, relation, 1).renyi(np.array([float(order)]))
        return float(max(one[0], other[0]))

    return curve


def amplified(
    theorem: Callable[[Array], Any], curve: Callable[[float], float], rate: float
) -> Evidence:
    """A theorem that sums over all smaller orders, up to where that is cheap.

    Never more than the curve itself, nor than what pure DP is amplified to.
    """

    def both(orders: Array) -> tuple[Array, Array]:
        pure = curve(math.inf)
        most = math.log1p(rate * math.expm1(pure)) if pure < 700 else pure
        value = np.array([min(curve(float(order)), most) for order in orders.tolist()])
        few = orders <= LARGEST_ORDER
        if few.any():
            value[few] = np.minimum(value[few], theorem(orders[few]))
        return value, value

    return Evidence(curve=both)
