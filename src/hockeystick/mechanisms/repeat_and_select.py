"""The best of a random number of runs."""

from __future__ import annotations

import math
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from hockeystick.checks import Between, checked, declared, shown
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.evidence import Evidence, known, smaller
from hockeystick.loss.atoms import EVERYTHING, NOTHING, AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.loss.divergence import divergences
from hockeystick.loss.points import symmetric_through
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.roots import last_true
from hockeystick.numerics.types import Array
from hockeystick.relation import Relation

LEAST_DELTA = 1e-30
"""The profile of one run is followed down to here; beyond, the Rényi curve answers."""
POINTS, POINTS_OF_MANY = 1500, 150
"""Of the profile of one run, where that is one step and where it is many, each of which takes
milliseconds. Between two points δ is at most (their distance in log δ)²/8 of itself too large."""
HALVINGS = 40
"""Of the search for the best ε₁, any of which is valid."""
LEAST_LEVEL = 1e-18
"""Of the profile of one run, the value at the outermost of these levels."""
LEVELS = 400
"""Losses of one run between which the pair of the lower end does not tell."""


def _base(name: str, value: Any) -> Mechanism:
    if not isinstance(value, Mechanism):
        raise ParameterError(f"{name} must be a Mechanism, got {shown(value)}")
    return value


LARGEST_LOSS = 700.0
"""Beyond it e^loss is no float, and the mass of such losses would be lost."""


@declared
class RepeatAndSelect(Mechanism):
    """K runs of a mechanism, of which the one with the best score is released; K is random.

    The score is part of what a run releases, or computed from that. K has E[z^K] =
    ((1−(1−γ)z)^{−η} − 1)/(γ^{−η} − 1): truncated negative binomial of shape η, the geometric law
    for η = 1, the logarithmic one for η = 0; or it is Poisson, and may be 0 (Papernot and Steinke
    2022). With δ₁(ε) the profile of one run, and any ε₁ >= 0,

        δ(ε) <= E[K]·δ₁(ε − (1 + η)·log R),
        R = max(1 + (1−γ)·δ₁(ε₁)/γ, 1/(γ + (1−γ)·(1−δ₁(ε₁))·e^{−ε₁})),

    and μ·δ₁(ε − μ·δ₁(0)) for Poisson K of mean μ. For let u and v be the probabilities that a run
    scores less, without the record and with it. A release has f'(v) times the density of a run,
    f(z) = E[z^K], where f' <= E[K], and f'(v)/f'(u) = ((γ + (1−γ)(1−u))/(γ + (1−γ)(1−v)))^{1+η}
    <= R^{1+η} because 1 − u <= min(1, e^{ε₁}·(1−v) + δ₁(ε₁)); for Poisson it is e^{μ(v−u)}. A pure
    ε₀ becomes less than (2 + η)·ε₀. The smaller of this and of the Rényi curve of `learn.tuned`
    counts. The lower end, for one step, is one order of the outcomes, best for small δ: those of
    loss above ℓ by their loss, and the others above them.

    Parameters
    ----------
    mechanism: one run, with its score.
    mean: E[K], in [1, inf), above 1 unless K is Poisson.
    shape: η, in (−1, inf], inf for Poisson.

    >>> from hockeystick import Gaussian
    >>> best = RepeatAndSelect(Gaussian(2.0), mean=10)
    >>> round(Gaussian(2.0).epsilon(delta=1e-6), 3), round(best.epsilon(delta=1e-6), 3)
    (2.254, 3.383)
    """

    source = "Papernot and Steinke 2022"

    mechanism: Mechanism = checked(_base)
    mean: float = checked(Between("[1, inf)"))
    shape: float = checked(Between("(-1, inf]"), default=1.0)

    def check_together(self) -> None:
        if math.isfinite(self.shape):
            self._law()

    @property
    def natural_relation(self) -> Relation | None:
        return self.mechanism.natural_relation

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        if not all(known(part, relation, 2).pairs for part in self.mechanism.parts):
            return Evidence(curve=partial(self._divergences, relation, None))
        first = float(self.mechanism.delta(0.0, relation=relation))
        if first == 0:
            return Evidence((NOTHING,))
        try:
            pair = self._pair(relation)
        except NumericalError:  # losses too large to be connected by points
            return Evidence(curve=partial(self._divergences, relation, None))
        attained = self._attained(relation)
        curve = partial(self._divergences, relation, pair)
        return Evidence((pair,), attained, curve, curve_is_tighter=True)

    def _law(self) -> tuple[float, float]:
        """γ, and the mean that it has."""
        from hockeystick.classical.selection import gamma_of

        return gamma_of(self.mean, self.shape)

    def _divergences(
        self, relation: Relation, pair: Loss | None, orders: Array
    ) -> tuple[Array, Array]:
        """The theorem's, or those of the pair where they are smaller."""
        from hockeystick.classical.selection import selected_curve

        curve = selected_curve(self.mechanism, self.mean, self.shape, relation)
        values = np.array([curve(float(order)) for order in orders.ravel()]).reshape(orders.shape)
        if pair is not None:
            with suppress(NumericalError):
                return smaller((values, values), divergences(pair, orders))
        return values, values

    # the upper end ----------------------------------------------------------------------------

    def _pair(self, relation: Relation) -> Loss:
        """A symmetric pair through points of the bound: connect the dots."""
        run = self.mechanism
        lost = float(run.delta(math.inf, relation=relation))
        if self._mean * lost >= 1:
            return EVERYTHING
        top = float(run.epsilon(0.0, relation=relation))
        pure = math.isfinite(top)
        least = max(LEAST_DELTA, lost * (1 + 1e-9))
        last = top if pure else float(run.epsilon(least, relation=relation))
        many = sum(run.parts.values()) > 1
        places = np.linspace(0.0, last, POINTS_OF_MANY if many else POINTS)
        deltas = np.array(run.profile(places, relation=relation).upper)
        deltas[-1] = 0.0 if pure else deltas[-1]
        moved = self._shift(relation)
        bound = np.minimum(self._mean * deltas, 1.0)
        kept = bound < 1
        if not kept.any():
            return EVERYTHING
        points = np.append(0.0, (places + moved)[kept] * (1 + 1e-15))
        if points[-1] > LARGEST_LOSS:
            raise NumericalError(f"losses above {LARGEST_LOSS:g} are not connected by points")
        return symmetric_through(points, np.append(1.0, bound[kept]))

    @property
    def _mean(self) -> float:
        return self._law()[1] if math.isfinite(self.shape) else self.mean

    def _shift(self, relation: Relation) -> float:
        """(1 + η)·log R with the best ε₁, or μ·δ₁(0)."""

        def delta(epsilon: float) -> float:
            return float(self.mechanism.delta(epsilon, relation=relation))

        if math.isinf(self.shape):
            return self.mean * delta(0.0)
        gamma, _ = self._law()

        def at_ends(epsilon: float) -> tuple[float, float]:
            """R where no run scores better with the record, and where all do without it."""
            value = delta(epsilon)
            other = gamma + (1 - gamma) * (1 - value) * math.exp(-epsilon)
            return 1 + (1 - gamma) * value / gamma, 1 / other

        def too_small(epsilon: float) -> bool:
            first, second = at_ends(epsilon)
            return first > second

        high = 1.0
        while too_small(high) and high < 1e6:
            high *= 2
        best = last_true(too_small, 0.0, high, HALVINGS)
        least = min(max(at_ends(epsilon)) for epsilon in best)
        return (1 + self.shape) * math.log(least) * (1 + 1e-14)

    # the lower end ----------------------------------------------------------------------------

    def _attained(self, relation: Relation) -> Loss:
        """Outcomes of loss above ℓ in its order, the others above them; nothing for many steps."""
        run = self.mechanism
        lost = float(run.delta(math.inf, relation=relation))
        if sum(run.parts.values()) > 1 or lost == 1:
            return NOTHING
        loss = known(run, relation, 1).attained_loss
        far = float(run.epsilon(min(1.0, max(LEAST_LEVEL, lost * (1 + 1e-9))), relation=relation))
        ends = max(loss.bottom, -far), min(loss.top, far)
        levels = np.linspace(*ends, LEVELS)
        p, q = _at_least(loss, levels)
        gain = self._log_slope(p) - self._log_slope(q)
        first = int(np.argmax(gain))
        p, q = np.append(p[first:], 0.0), np.append(q[first:], 0.0)
        return self._ordered(p, q)

    def _ordered(self, p: Array, q: Array) -> Loss:
        """The pair of releases, by the masses of one run from each level on, the lowest first."""
        between = [-np.diff(mass) for mass in (p, q)]
        told = (between[0] > 0) | (between[1] > 0)
        # Runs of the same loss are in a random order: each level is several.
        several = max(1, LEVELS // int(told.sum()))
        sides = []
        for mass in between:
            each = np.repeat(mass[told] / several, several)
            steps = self._between(np.cumsum(each) - each, each)
            nothing = math.exp(-self.mean) if math.isinf(self.shape) else 0.0
            rest = max(0.0, 1 - nothing - float(steps.sum()))
            sides.append(np.append(steps, [rest, nothing]))
        one, other = sides
        kept = (one > 0) & (other > 0)
        log_p, log_q = np.log(one[kept]), np.log(other[kept])
        infinite, void = float(one[~kept].sum()), float(other[~kept].sum())
        losses = log_p - log_q
        order = np.argsort(losses)
        return AtomicLoss(losses[order], log_q[order], infinite=infinite, void=void)

    def _log_slope(self, z: Array) -> Array:
        """log f'(z), but for a constant."""
        if math.isinf(self.shape):
            return self.mean * z
        gamma, _ = self._law()
        return -(1 + self.shape) * np.log1p(-(1 - gamma) * z)

    def _between(self, z: Array, d: Array) -> Array:
        """f(z + d) − f(z), without cancellation."""
        if math.isinf(self.shape):
            return np.asarray(np.exp(self.mean * (z - 1)) * np.expm1(self.mean * d))
        gamma, _ = self._law()
        eta, log = self.shape, math.log(gamma)
        rest = 1 - (1 - gamma) * z
        grown = -np.log1p(-np.minimum((1 - gamma) * d / rest, 1 - gamma))
        if eta * log == 0:
            return np.asarray(grown / -log)
        return np.asarray(rest**-eta * np.expm1(eta * grown) / math.expm1(-eta * log))


def _at_least(loss: Loss, levels: Array) -> tuple[Array, Array]:
    """P[L >= ℓ] and Q[L >= ℓ] at each level."""
    p, q = np.full(levels.shape, loss.infinite), np.zeros(levels.shape)
    if loss.continuous:
        tails = loss.tails(levels)
        p, q = p + tails.p_above, q + tails.q_above
    atoms = loss.atoms
    above = atoms.losses >= levels[:, None]
    return p + above @ atoms.p, q + above @ atoms.q
