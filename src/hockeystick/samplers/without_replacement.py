"""Sampling a fixed number of records without replacement."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hockeystick.checks import Whole, checked, declared, whole
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.evidence import Curve, Evidence, known, smaller
from hockeystick.loss.atoms import NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.exact import among
from hockeystick.loss.mixed import mixed
from hockeystick.loss.triples.base import Triples
from hockeystick.loss.two_sided.amplified import AmplifiedCurve
from hockeystick.loss.two_sided.in_line import InLineGaussian
from hockeystick.loss.two_sided.loss import TwoSidedLoss
from hockeystick.loss.two_sided.on_sample import amplified_loss, joint
from hockeystick.loss.two_sided.term import Term
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.types import Array
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, ZERO_OUT, Relation
from hockeystick.samplers.sampler import (
    Sampler,
    amplified,
    attained_base,
    base_loss,
    best_curve,
    renyi_curve,
)

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness


@declared
class WithoutReplacement(Sampler):
    """`size` of `population` records, every subset of that size as likely as any other.

    With γ = size/population and (P, Q) the pair of the mechanism when a record is *replaced* —
    when the record is not drawn, another takes its place:

    - one replaced: the symmetric profile γ·h(1 + (a−1)/γ) for a >= 1, the largest of each single
      step (Balle, Barthe and Gaboardi 2018, Theorem 9), which dominates under composition (Zhu,
      Dong and Wang 2022, Theorem 11); the lower end is ((1−γ)·Q + γ·P, Q) or its reverse, or a
      triple of three laws; for several steps of Gaussian noise, of Laplace noise on one number or
      of binary randomized response the game of an adversary who chooses their queries
      (docs/fixed-size.md) has a smaller upper end;
    - one added or removed: ((1−γ)·Q + γ·P, Q) and its reverse (Lebeda et al. 2025), `population`
      being the larger of the two sizes: the guarantee holds for all data at least that large;
    - one zeroed out: γ·((1−β)·h_replace(A) + β·h_zero(A)) and γ·h_zero(A), by advanced joint
      convexity; for Gaussian and Laplace noise three answers in line in place of the first
      (docs/maths.md).

    Parameters
    ----------
    size: an integer in [0, population]; population: an integer >= 1, public.

    >>> from hockeystick import Gaussian
    >>> step = Gaussian(5, replace_sensitivity=1).on(WithoutReplacement(60, 60_000))
    >>> round((step * 600_000).epsilon(delta=1e-8), 4)
    0.7971
    >>> round((step * 600_000).epsilon(delta=1e-8, method="contour"), 9)  # of single steps
    0.852086082
    """

    source = "Balle, Barthe and Gaboardi 2018, Theorem 9"
    sources: ClassVar = {
        ADD_REMOVE: "Lebeda et al. 2025",
        ZERO_OUT: "advanced joint convexity, Balle, Barthe and Gaboardi 2018, Theorem 2",
    }

    size: int = checked(Whole(0))
    population: int = checked(Whole(1))
    natural_relation = REPLACE_ONE

    def check_together(self) -> None:
        if self.size > self.population:
            raise ParameterError(
                f"size must be at most the population of {self.population} when records are drawn "
                f"without replacement, got {self.size}"
            )

    @property
    def fraction(self) -> float:
        """The sampled fraction γ."""
        return self.size / self.population

    @property
    def exact_fraction(self) -> Fraction:
        """γ, not rounded."""
        return Fraction(self.size, self.population)

    @property
    def fixed_fraction(self) -> float:
        return self.fraction

    def evidence(self, mechanism: Mechanism, relation: Relation, steps: int) -> Evidence:
        pairs = (fixed_size_loss(mechanism, relation, self.fraction, self.exact_fraction),)
        if self.size == 0:
            return Evidence(pairs)
        unsampled = REPLACE_ONE if relation is ADD_REMOVE else relation
        curve = best_curve(pairs, lambda: known(mechanism, unsampled, 1))
        game = known(mechanism, relation, 1).triples
        triples = game.sampled(self.fraction) if game and relation is not ADD_REMOVE else None
        if triples and triples.is_game:
            curve = _with_triples(curve, triples)
        attained = self._attained(mechanism, relation, steps)
        also = triples.attained() if triples and attained and triples.rate < 1 else ()
        return Evidence(pairs, attained, curve, triples=triples, also_attained=also)

    def _attained(self, mechanism: Mechanism, relation: Relation, steps: int) -> Loss | None:
        if relation is ADD_REMOVE:
            base = known(mechanism, REPLACE_ONE, steps).attained
            return base and mixed(base, self.fraction, self.exact_fraction)
        if relation is REPLACE_ONE and steps == 1:
            return None
        return mixed(attained_base(mechanism, relation, steps), self.fraction, self.exact_fraction)

    def evidence_by_curve(self, mechanism: Mechanism, relation: Relation) -> Evidence:
        from hockeystick import classical

        if relation is ZERO_OUT:
            return super().evidence_by_curve(mechanism, relation)
        curve, rate = renyi_curve(mechanism, REPLACE_ONE), self.fraction
        tight = known(mechanism, REPLACE_ONE, 1).curve_is_attained

        def theorem(few: Array) -> Array:
            if relation is ADD_REMOVE:
                return np.asarray(classical.rdp_poisson(curve, rate, few, factor=1))
            return replaced_on_sample(curve, rate, few, tight=tight)

        return amplified(theorem, curve, rate)

    def apply(self, mechanism: Mechanism) -> Mechanism:
        return mechanism if self.size == self.population else super().apply(mechanism)

    def draw(self, population: int, rng: Randomness = None) -> Array:
        from hockeystick.random import batches

        return batches.subset(same_population(self.population, population), self.size, rng)


def _with_triples(curve: Curve, triples: Triples) -> Curve:
    """Rényi divergences add up whatever an adversary chooses: those of the worst triple, at each
    order, where they are known to be smaller than the pair's."""

    def both(orders: Array) -> tuple[Array, Array]:
        values = curve(orders)
        with suppress(NumericalError):
            most = triples.divergence(orders)
            values = smaller(values, (most, most))
        return values

    return both


def fixed_size_loss(
    mechanism: Mechanism,
    relation: Relation,
    fraction: float,
    exact_fraction: Fraction | None = None,
) -> Loss:
    """The loss when the record is drawn with probability `fraction`, else another in its place."""
    if fraction == 0:
        return NOTHING
    replace = base_loss(mechanism, REPLACE_ONE)
    if relation is ADD_REMOVE:
        return mixed(replace, fraction, exact_fraction)
    if fraction == 1:
        return base_loss(mechanism, relation)
    if relation is REPLACE_ONE:
        return told_apart(replace, replace, fraction, exact_fraction)
    return told_apart(base_loss(mechanism, ZERO_OUT), replace, fraction, exact_fraction, fixed=True)


def told_apart(
    drawn: Loss, instead: Loss, rate: float, exact_rate: Fraction | None, *, fixed: bool = False
) -> Loss:
    """The loss of a record that is drawn with this probability, and then told by `drawn`, else what
    is there by `instead`: q·((1−β)·h_instead(A) + β·h_drawn(A)), by advanced joint convexity. In
    the other direction it is the same, or, of a record zeroed out of a sample of `fixed` size,
    q·h_drawn(A)."""
    without, loss = drawn.reverse(), None
    if fixed and not drawn == instead == without:
        back = joint([rate], [without], [without], rate)
        loss = in_line(drawn, instead, rate, back) or amplified_loss(
            joint([rate], [drawn], [instead], rate), back
        )
    loss = loss or amplified_loss(joint([rate], [drawn], [instead], rate))
    if exact_rate:
        loss.origin = among(drawn.exact(), instead.exact(), exact_rate, fixed=fixed)
    return loss


def in_line(drawn: Loss, instead: Loss, rate: float, back: AmplifiedCurve) -> Loss | None:
    """The loss of a record that is zeroed out, for Gaussian and Laplace noise: no three answers are
    worse than those in line, that without contribution between the others (docs/maths.md).

    For Laplace noise moved by θ scales, where what is there instead is θ' away, the profile is
    q·h(1 + (a−1)/r), r = q/(q + (1−q)·e^{−(θ'−θ)}). None for other noise.
    """
    near, far = drawn.gaussian_shift, instead.gaussian_shift
    if near and far and far >= near:
        with suppress(NumericalError):  # too much noise, or too little, for panels
            return TwoSidedLoss(InLineGaussian(near, far, rate), back)
        return None
    exact = drawn.exact(), instead.exact()
    move, away = (each.laplace_move if each else None for each in exact)
    if move is None or away is None or away < move:
        return None
    seen = rate / (rate + (1 - rate) * math.exp(move - away))
    return amplified_loss(AmplifiedCurve((Term(rate, 0.0, drawn),), seen), back)


def replaced_on_sample(
    curve: Callable[[float], float], rate: float, orders: Array, *, tight: bool = False
) -> Array:
    """The best theorem for a sample with or without the record, of which only a curve is known.

    Whatever stands in its place when it is not drawn, and the two records, are all neighbours.
    """
    from hockeystick import classical

    pure = curve(math.inf)
    plain = (
        classical.rdp_without_replacement_self_consistent
        if tight
        else classical.rdp_without_replacement
    )
    one = plain(curve, rate, orders, pure)
    other = classical.rdp_without_replacement_from_curve(curve, rate, orders)
    return np.asarray(np.minimum(one, other))


def same_population(declared: int, given: int) -> int:
    """The population, if what is drawn from is what was accounted for."""
    if whole("population", given, 1) != declared:
        raise ParameterError(f"population must be the declared {declared}, got {given}")
    return declared
