"""Sampling a fixed number of records with replacement."""

from __future__ import annotations

import math
from contextlib import suppress
from functools import cache, cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hockeystick.checks import Whole, checked, declared
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.evidence import Curve, Evidence, smaller
from hockeystick.loss.atoms import EVERYTHING, NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.divergence import divergences
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.gaussian_mixture import GaussianMixture
from hockeystick.loss.labelled import LabelledLoss
from hockeystick.loss.mixed import mixed
from hockeystick.loss.mixture import MixtureLoss
from hockeystick.loss.two_sided.amplified import AmplifiedCurve
from hockeystick.loss.two_sided.on_sample import amplified_loss, joint
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.binomial import binomial_above, binomial_weights
from hockeystick.numerics.series import Array, log_mixed
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, ZERO_OUT, Relation
from hockeystick.samplers.bases.copies import (
    CELLS,
    FEW_CELLS,
    drawn_curve,
    laplace_copies,
)
from hockeystick.samplers.bases.pure_copies import cut_at, pure_with_replacement
from hockeystick.samplers.sampler import Sampler, amplified, attained_base, base_loss, best_curve
from hockeystick.samplers.without_replacement import replaced_on_sample, same_population

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness

NEGLIGIBLE = 1e-20
"""Numbers of copies less likely than this together count as giving the record away."""
MOST_COPIES = 1000
MOST_TAIL = 10_000_000
MOST_ORDER = 64
"""Of a curve alone, orders at which the copies of the record are counted one by one."""


@declared
class WithReplacement(Sampler):
    """`size` draws from `population` records, each draw uniform and independent.

    A record is drawn k times with probability B_k = Binomial(k; size, 1/population), and then the
    query moves k times as far: the group profile h_k. With η = 1 − B_0 and A = 1 + (a−1)/η,

    - one replaced: the symmetric profile Σ_{k>=1} B_k·h_k(A) for a >= 1 (Balle, Barthe and Gaboardi
      2018, Theorem 10), attained for a single step by a mechanism that reports membership; the
      mixture Σ B_k·P_k against Q is only a lower end;
    - one added or removed: for Gaussian noise that mixture, in both directions; in general the same
      profile (Theorem 11);
    - one zeroed out: Σ B_k·((1−β)·h_k(A) + β·h_k,zero(A)) and Σ B_k·h_k,zero(A).

    For Gaussian noise Σ B_k·N(2k) against Σ B_k·N(−2k), or N(−k) when zeroed out, dominates too:
    given whom else was drawn, the k copies move the sum by at most 2k, and two mixtures of
    Gaussians are the easier to tell apart the farther their means lie in opposite directions. And
    so does N(2k) against N(0), or N(k) when zeroed out, with k revealed, because all draws may be.
    The smallest answer counts. An ε-DP mechanism stays pure, with a loss of at most
    m·log(1 + (e^ε − 1)/n) for m draws from n, and the profile is cut off there.

    Parameters
    ----------
    size: an integer >= 0; population: an integer >= 1, public, the larger of two sizes.
    """

    source = "Balle, Barthe and Gaboardi 2018, Theorem 10"
    sources: ClassVar = {ADD_REMOVE: "Balle, Barthe and Gaboardi 2018, Theorem 11"}

    size: int = checked(Whole(0))
    population: int = checked(Whole(1))
    natural_relation = REPLACE_ONE

    @cached_property
    def _copies(self) -> tuple[Array, float]:
        """B_0, B_1, … as far as they matter, and the probability of more copies."""
        chance = 1 / self.population
        most = 1
        while most < self.size and binomial_above(most, self.size, chance) > NEGLIGIBLE:
            most += 1 + most // 8
        most = min(most, self.size)
        if most > MOST_COPIES:
            raise ParameterError(
                f"size / population must be small enough that no record is drawn more than "
                f"{MOST_COPIES} times, got {self.size} / {self.population}"
            )
        rest = binomial_above(most, self.size, chance)
        return binomial_weights(self.size, chance, most), rest

    @property
    def drawn(self) -> float:
        """The probability η that a record is drawn at all."""
        return (
            -math.expm1(self.size * math.log1p(-1 / self.population))
            if self.population > 1
            else 1.0
        )

    def evidence(self, mechanism: Mechanism, relation: Relation, steps: int) -> Evidence:
        if self.size == 0:
            return Evidence((NOTHING,))
        pairs = self._pairs(mechanism, relation)
        attained = self._attained(mechanism, relation, steps)
        bounded = cut_at(pairs[0], self._largest_loss(mechanism, relation))
        pairs = pairs if bounded is None else (*pairs, bounded)
        if self._copies[1] == 0:
            return Evidence(pairs, attained, best_curve(pairs))
        curve = self._curve(mechanism, relation)
        if bounded is None:
            return Evidence(pairs, attained, curve)
        cut = best_curve((bounded,))
        return Evidence(pairs, attained, lambda orders: smaller(curve(orders), cut(orders)))

    def _largest_loss(self, mechanism: Mechanism, relation: Relation) -> float:
        """That of a mechanism of pure DP; infinite for all others."""
        moved = [base_loss(mechanism, REPLACE_ONE)]
        if relation is ZERO_OUT:
            moved.append(base_loss(mechanism, ZERO_OUT))
        if any(base.infinite or base.void for base in moved):
            return math.inf
        pure = [max(base.top, -base.bottom) for base in moved]
        return pure_with_replacement(self.size, self.population, max(pure), pure[-1])

    def evidence_by_curve(self, mechanism: Mechanism, relation: Relation) -> Evidence:
        """Given that the record is drawn, e^{(α−1)·ε} is at most the mean over its copies.

        So the curve of a sample with the record, of one without it and of one with another in its
        place is known, and the theorems for a rate of η apply.
        """
        from hockeystick import classical

        if relation is ZERO_OUT:
            return super().evidence_by_curve(mechanism, relation)
        if self.size == 0:
            return Evidence((NOTHING,))
        curve = drawn_curve(mechanism, self.size, self.population)

        def theorem(orders: Array) -> Array:
            few, value = orders <= MOST_ORDER, np.full(orders.shape, math.inf)
            if few.any() and relation is ADD_REMOVE:
                value[few] = classical.rdp_poisson(curve, self.drawn, orders[few], factor=1)
            elif few.any():
                value[few] = replaced_on_sample(curve, self.drawn, orders[few])
            return value

        return amplified(theorem, curve, self.drawn)

    def _pairs(self, mechanism: Mechanism, relation: Relation) -> tuple[Loss, ...]:
        replace = base_loss(mechanism, REPLACE_ONE).gaussian_shift
        if relation is ADD_REMOVE and replace is not None:
            return (self._or_given_away(MixtureLoss(*self._mixtures(replace))),)
        profile = self._profile_loss(mechanism, relation, self._copies[1])
        zero = base_loss(mechanism, ZERO_OUT).gaussian_shift
        if relation is ADD_REMOVE or replace is None or zero is None:
            return (profile,)
        weights, _ = self._copies
        copies = np.arange(len(weights))
        apart = MixtureLoss(
            GaussianMixture.of(weights, replace * copies),
            GaussianMixture.of(weights, -(replace if relation is REPLACE_ONE else zero) * copies),
            mirrored=relation is REPLACE_ONE,
        )
        moved = replace if relation is REPLACE_ONE else zero
        return profile, self._or_given_away(apart), self._counted(moved)

    def _counted(self, shift: float) -> Loss:
        """For Gaussian noise: how often the record is drawn is revealed."""
        weights, rest = self._copies
        copies = [
            (weight, GaussianLoss(shift=k * shift) if k else NOTHING)
            for k, weight in enumerate(weights.tolist())
        ]
        return LabelledLoss(*copies, (rest, EVERYTHING))

    def _or_given_away(self, pair: Loss) -> Loss:
        """The pair, but for more copies than are listed, which give the record away."""
        _, rest = self._copies
        return LabelledLoss((1 - rest, pair), (rest, EVERYTHING)) if rest else pair

    def _profile_loss(self, mechanism: Mechanism, relation: Relation, rest: float) -> Loss:
        weights, _ = self._copies
        groups = [mechanism.group(k) for k in range(1, len(weights))]
        replace = [base_loss(group, REPLACE_ONE) for group in groups]
        if relation is ZERO_OUT:
            zero = [base_loss(group, ZERO_OUT) for group in groups]
            without = [loss.reverse() for loss in zero]
            backward = self._amplified(without, without, rest)
            return amplified_loss(self._amplified(zero, replace, rest), backward)
        return amplified_loss(self._amplified(replace, replace, rest))

    def _curve(self, mechanism: Mechanism, relation: Relation) -> Curve:
        """As of the pair, but numbers of copies that it gives up on are counted for themselves:

        e^K grows by Σ B_k·(e^{K_k} − 1) over them, by joint convexity, with K_k of the k copies.
        """
        base = base_loss(mechanism, REPLACE_ONE)

        @cache
        def listed() -> Loss:  # made once: a curve is asked at many orders, one by one
            return self._profile_loss(mechanism, relation, 0.0)

        def curve(orders: Array) -> tuple[Array, Array]:
            one, other = divergences(listed(), orders)
            if relation is ADD_REMOVE and base.gaussian_shift is not None:
                with suppress(NumericalError):  # large orders of mixtures are out of reach
                    mixture = MixtureLoss(*self._mixtures(base.gaussian_shift))
                    one, other = divergences(mixture, orders)
            return self._with_more(one, orders, base), self._with_more(other, orders, base)

        return curve

    def _with_more(self, values: Array, orders: Array, base: Loss) -> Array:
        """The divergences with more copies than `_copies` lists taken into account."""
        from scipy.special import gammaln

        k = np.arange(len(self._copies[0]), self.size + 1, dtype=float)
        if k.size > MOST_TAIL:
            return np.full(orders.shape, math.inf)
        n, chance = self.size, 1 / self.population
        log_b = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        log_b = log_b + k * math.log(chance) + (n - k) * math.log1p(-chance)
        with_tail = values.copy()
        every = np.array([self.size * base.top])  # all draws are of the record
        with_tail[np.isinf(orders)] = log_mixed(self.drawn, every)[0]
        for i in np.flatnonzero(np.isfinite(orders)):
            s = float(orders[i]) - 1
            if base.gaussian_shift is None:
                kl, more = k * base.top, s * k * base.top
            else:
                kl = (k * base.gaussian_shift) ** 2 / 2
                more = s * (s + 1) * kl
            if s == 0:
                with_tail[i] += float(np.exp(log_b) @ kl)
                continue
            log_more = float(np.logaddexp.reduce(log_b + more))
            with_tail[i] = float(np.logaddexp(s * values[i], log_more)) / s
        return with_tail

    def _amplified(self, near: list[Loss], far: list[Loss], rest: float) -> AmplifiedCurve:
        weights, _ = self._copies
        return joint(list(weights[1:]), near, far, self.drawn, rest)

    def _mixtures(self, shift: float) -> tuple[GaussianMixture, GaussianMixture]:
        """Σ B_k·N(k·shift) and N(0)."""
        weights, _ = self._copies
        p = GaussianMixture.of(weights, shift * np.arange(len(weights)))
        return p, GaussianMixture((1.0,), (0.0,))

    def _attained(self, mechanism: Mechanism, relation: Relation, steps: int) -> Loss | None:
        base = attained_base(mechanism, relation, steps)
        # Where the record is not drawn another is, even if it is not there at all.
        moved = REPLACE_ONE if relation is ADD_REMOVE else relation
        if base.laplace is not None and self.size > 1:
            reach = attained_base(mechanism, moved, steps).top
            return laplace_copies(self._copies[0], reach, CELLS if steps == 1 else FEW_CELLS)
        if self.size > 1 and (copied := mechanism.copied(self._copies[0], moved)) is not None:
            return copied
        if base.gaussian_shift is None:
            return mixed(base, self.drawn)
        if relation is ADD_REMOVE and self._copies[1] == 0:
            return None
        shift = attained_base(mechanism, moved, steps).gaussian_shift
        if shift is None:
            return mixed(base, self.drawn)
        # Without the copies that the dominating pair gives up on.
        return MixtureLoss(*self._mixtures(shift))

    def draw(self, population: int, rng: Randomness = None) -> Array:
        from hockeystick.random import batches

        return batches.multiset(same_population(self.population, population), self.size, rng)
