"""Poisson sampling: each record takes part by a coin of its own."""

from __future__ import annotations

import math
from contextlib import suppress
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hockeystick.checks import checked, declared, probability
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.evidence import Curve, Evidence, known
from hockeystick.loss.atoms import NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.divergence import divergence
from hockeystick.loss.exact import Exact
from hockeystick.loss.gaussian_mixture import GaussianMixture
from hockeystick.loss.mixed import mixed
from hockeystick.loss.mixture import MixtureLoss
from hockeystick.loss.two_sided.on_sample import amplified_loss, joint
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.binomial import binomial_weights
from hockeystick.numerics.types import Array
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, Relation
from hockeystick.samplers.sampler import (
    Sampled,
    Sampler,
    amplified,
    attained_base,
    base_loss,
    best_curve,
    renyi_curve,
)
from hockeystick.samplers.without_replacement import replaced_on_sample, told_apart

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness

MOST_TOGETHER = 1000
"""Records of one person on a sample: the pair is a mixture of as many Gaussians."""


@declared
class Poisson(Sampler):
    """Each record is drawn with probability `rate`, independently of all others.

    From a pair (P, Q) to ((1 − rate)·Q + rate·P, Q) when the record is removed and to its reverse
    when it is added or zeroed out (Zhu, Dong and Wang 2022, Theorem 11); both are composed, the
    worse one counts. When one is replaced, for noise that is added, two records on opposite sides
    of nothing: ((1−q)·N(0) + q·N(1)) against ((1−q)·N(0) + q·N(−1)), which is attained (for
    Gaussian noise Lebeda et al. 2025, Proposition 13; for Laplace and integer noise docs/maths.md);
    in general q·((1−β)·h_remove(A) + β·h_replace(A)) with A = 1 + (a−1)/q, β = a/A, which advanced
    joint convexity gives (Balle, Barthe and Gaboardi 2018, Theorem 2).

    Parameters
    ----------
    rate: in [0, 1]; 0 reveals nothing, 1 is the mechanism itself.

    >>> from hockeystick import Gaussian
    >>> round((Gaussian(1.0).on(Poisson(0.001)) * 600_000).epsilon(delta=1e-8), 8)
    5.91223894
    """

    source = "Zhu, Dong and Wang 2022, Theorem 11"
    sources: ClassVar = {
        REPLACE_ONE: "Lebeda et al. 2025, Proposition 13, also for Laplace and integer noise, and "
        "advanced joint convexity, Balle, Barthe and Gaboardi 2018, Theorem 2"
    }

    rate: float = checked(probability)
    natural_relation = ADD_REMOVE

    @property
    def poisson_rate(self) -> float:
        return self.rate

    def evidence(self, mechanism: Mechanism, relation: Relation, steps: int) -> Evidence:
        if self.rate == 0:
            return Evidence((NOTHING,))
        if relation is REPLACE_ONE:
            return self._replaced(mechanism, steps)
        base = known(mechanism, relation, steps)
        exact = Fraction(self.rate)
        pair = mixed(base.pairs[0], self.rate, exact)
        attained = base.attained and mixed(base.attained, self.rate, exact)
        return Evidence((pair,), attained, best_curve([pair], lambda: base))

    def _replaced(self, mechanism: Mechanism, steps: int) -> Evidence:
        if (own := mechanism.replaced_on_sample(self.rate)) is not None:
            return own
        pairs = [self._replaced_loss(mechanism)]
        if moves_less(mechanism):  # then not to be sampled may look better
            pairs.append(base_loss(mechanism, REPLACE_ONE))
        attained = replaced_pair(mechanism, self.rate, steps)
        return Evidence(tuple(pairs), attained, self._replaced_curve(mechanism, pairs))

    def _replaced_loss(self, mechanism: Mechanism) -> Loss:
        add, replace = base_loss(mechanism, ADD_REMOVE), base_loss(mechanism, REPLACE_ONE)
        antipodal = antipodal_pair(add, replace, self.rate)
        return antipodal or told_apart(replace, add, self.rate, Fraction(self.rate))

    def _replaced_curve(self, mechanism: Mechanism, pairs: list[Loss]) -> Curve:
        """Where the pair of one replaced is out of reach: its profile is at most q·h_replace(A),

        and (1−q)·R + q·Q is at least (1−q)·R, which leaves the pair of one removed.
        """
        best = best_curve(pairs, lambda: known(mechanism, REPLACE_ONE, 1))

        def curve(orders: Array) -> tuple[Array, Array]:
            with suppress(NumericalError):
                values = best(orders)
                if pairs[0].infinite == 0 or pairs[0].endless:
                    return values
            replace = base_loss(mechanism, REPLACE_ONE)
            apart = amplified_loss(joint([self.rate], [replace], [replace], self.rate))
            removed = divergence(mixed(base_loss(mechanism, ADD_REMOVE), self.rate), orders)
            bound = np.minimum(divergence(apart, orders), removed - math.log1p(-self.rate))
            return bound, bound

        return curve

    def evidence_by_curve(self, mechanism: Mechanism, relation: Relation) -> Evidence:
        from hockeystick.classical import rdp_poisson

        if relation is REPLACE_ONE:
            return self._replaced_by_curve(mechanism)
        curve = renyi_curve(mechanism, relation)
        return amplified(lambda few: rdp_poisson(curve, self.rate, few, factor=1), curve, self.rate)

    def _replaced_by_curve(self, mechanism: Mechanism) -> Evidence:
        """The sample without the record, with it and with the other one are all neighbours."""
        removed, replaced = (renyi_curve(mechanism, each) for each in (ADD_REMOVE, REPLACE_ONE))

        def curve(order: float) -> float:
            return max(removed(order), replaced(order))

        amplify = partial(replaced_on_sample, curve, self.rate)
        return amplified(amplify, curve, self.rate)

    def group(self, mechanism: Mechanism, size: int, relation: Relation) -> Evidence:
        pairs = known(mechanism, relation, 1).pairs
        shift = pairs[0].gaussian_shift if pairs else None
        if relation is REPLACE_ONE or shift is None:
            return super().group(mechanism, size, relation)
        if size > MOST_TOGETHER:
            raise ParameterError(
                f"size must be at most {MOST_TOGETHER} on a sample of records, got {size}; sample "
                f"the people instead, each with all their records: {mechanism!r}.group({size})"
                f".on({self!r})"
            )
        drawn = np.arange(size + 1)
        weights = binomial_weights(size, self.rate, size)
        p = GaussianMixture.of(weights, shift * drawn)
        return Evidence((MixtureLoss(p, GaussianMixture((1.0,), (0.0,))),))

    def apply(self, mechanism: Mechanism) -> Mechanism:
        return mechanism if self.rate == 1 else super().apply(mechanism)

    def may_sample(self, part: Mechanism) -> bool:
        return isinstance(part, Sampled) and isinstance(part.sampler, Poisson)

    def draw(self, population: int, rng: Randomness = None) -> Array:
        from hockeystick.random import batches

        return batches.poisson(population, self.rate, rng)


def antipodal_pair(add: Loss, replace: Loss, rate: float) -> Loss | None:
    """Two records on opposite sides of nothing, for Gaussian noise; None if they cannot be."""
    near, far = add.gaussian_shift, replace.gaussian_shift
    if near is None or far is None or abs(far - 2 * near) > 1e-15 * far:
        return None
    exact = add.exact(), replace.exact()
    twice = exact[0] and exact[1] and exact[1].numbers[0] == 2 * exact[0].numbers[0]
    return _opposite(near, rate, _exactly(add, replace, rate) if twice else None)


def replaced_pair(mechanism: Mechanism, rate: float, steps: int) -> Loss | None:
    """Two records, either drawn with probability `rate`, that some data sets have: for lower ends.

    None where they are what the dominating pair speaks of. For Gaussian noise they lie on opposite
    sides of nothing, as far apart as a replacement may move; else one of them contributes nothing,
    which is allowed if a replacement may move as far as an addition.
    """
    add, replace = base_loss(mechanism, ADD_REMOVE), base_loss(mechanism, REPLACE_ONE)
    near, far = add.gaussian_shift, replace.gaussian_shift
    if near is not None and far is not None:
        if antipodal_pair(add, replace, rate):
            return None
        return _opposite(min(near, far / 2), rate, _exactly(add, replace, rate))
    if moves_less(mechanism):
        return NOTHING
    attained = attained_base(mechanism, ADD_REMOVE, steps)
    return None if add == replace and steps == 1 else mixed(attained, rate, Fraction(rate))


def moves_less(mechanism: Mechanism) -> bool:
    """Whether replacing a record moves the query less than adding one does."""
    zero = np.zeros(1)
    add, replace = base_loss(mechanism, ADD_REMOVE), base_loss(mechanism, REPLACE_ONE)
    return bool(replace.profile(zero)[0] < add.profile(zero)[0] * (1 - 1e-12))


def _exactly(add: Loss, replace: Loss, rate: float) -> Exact | None:
    """Records on opposite sides, as far apart as a replacement and an addition may move, in exact
    numbers."""
    near, far = add.exact(), replace.exact()
    if near is None or far is None:
        return None
    move = min(near.numbers[0], far.numbers[0] / 2)
    return Exact("normal", (move, move), Fraction(rate))


def _opposite(shift: float, rate: float, origin: Exact | None = None) -> Loss:
    weights = (1 - rate, rate)
    return MixtureLoss(
        GaussianMixture(weights, (0.0, shift)),
        GaussianMixture(weights, (0.0, -shift)),
        mirrored=True,
        origin=origin,
    )
