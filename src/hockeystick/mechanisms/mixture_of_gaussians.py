"""Gaussian noise on a query that one record moves by a random distance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Self

import numpy as np

from hockeystick.checks import call_text, declare, declared, finite_non_negative, non_negative
from hockeystick.checks import probability as in_unit
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.evidence import Evidence, smaller
from hockeystick.loss.atoms import EVERYTHING, NOTHING
from hockeystick.loss.base import Loss
from hockeystick.loss.divergence import divergences
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.gaussian_mixture import GaussianMixture
from hockeystick.loss.mixed import mixed
from hockeystick.loss.mixture import MixtureLoss
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.bases.additive_noise import LEAST_NOISE
from hockeystick.numerics.types import Array
from hockeystick.relation import REPLACE_ONE, Relation

SUM_ERROR = 1e-9
"""Probabilities that add up to 1 within this are taken as meant to."""


@declared
class MixtureOfGaussians(Mechanism):
    """Gaussian noise of scale σ on a query that a record moves by c_i with probability p_i.

    Dominating pair Σ p_i·N(c_i, σ²) against N(0, σ²) when the record is added, removed or zeroed
    out, and against Σ p_i·N(−c_i, σ²) when it is replaced; c = (0, 1), p = (1 − q, q) is Gaussian
    noise on a Poisson sample. For vectors with the norms c_i these are the worst: E(Σ p_i·e^{X_i} −
    a·Σ p_j·e^{Y_j})+ grows with every covariance of two X and falls with every one of an X and a Y,
    so that it is largest where all moves of one record are on one ray and those of the other on the
    opposite one (the argument of Slepian 1962; for N(0, σ²), Choquette-Choo, Ganesh, Steinke and
    Thakurta 2024).

    Parameters
    ----------
    noise_multiplier: σ, in [0, inf], in the units of `sensitivities`; 0 hides no move.
    sensitivities: the distances c_i, each in [0, inf).
    probabilities: the p_i, each in [0, 1]; they add up to 1.

    >>> step = MixtureOfGaussians(1.0, (0, 1, 2), (0.5, 0.3, 0.2))
    >>> round(step.delta(epsilon=0.5), 12)
    0.155811098941
    """

    source = "Choquette-Choo, Ganesh, Steinke and Thakurta 2024"
    text_constructors = ("table",)

    noise_multiplier: float
    sensitivities: tuple[float, ...]
    probabilities: tuple[float, ...]

    def __init__(
        self,
        noise_multiplier: float,
        sensitivities: Sequence[float],
        probabilities: Sequence[float],
    ) -> None:
        law = _law(
            _numbers("sensitivities", sensitivities, finite_non_negative),
            _numbers("probabilities", probabilities, in_unit),
        )
        declare(
            self,
            noise_multiplier=non_negative("noise_multiplier", noise_multiplier),
            sensitivities=tuple(law),
            probabilities=tuple(law.values()),
        )

    @classmethod
    def table(cls, noise_multiplier: float, *numbers: float) -> Self:
        """From the noise, then each distance with its probability: σ, c, p, c, p, …"""
        if not numbers or len(numbers) % 2:
            raise ParameterError(f"table must hold pairs of numbers, got {len(numbers)} numbers")
        return cls(noise_multiplier, numbers[::2], numbers[1::2])

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        if max(self.sensitivities) == 0 or math.isinf(self.noise_multiplier):
            return Evidence((NOTHING,))
        moves = [c for c in self.sensitivities if c]
        if self.noise_multiplier < LEAST_NOISE * max(moves):
            return Evidence((mixed(EVERYTHING, self._moved),))
        p = self._mixture
        if relation is REPLACE_ONE:
            pair, farthest = MixtureLoss(p, p.flipped, mirrored=True), 2 * max(moves)
        elif len(moves) == 1:  # what is known of one Gaussian, and of Poisson samples
            return Evidence((mixed(self._gaussian(moves[0]), self._moved),))
        else:
            pair, farthest = MixtureLoss(p, GaussianMixture((1.0,), (0.0,))), max(moves)
        return Evidence((pair,), curve=partial(_divergences, pair, self._gaussian(farthest)))

    def replaced_on_sample(self, rate: float) -> Evidence:
        """A record that is not drawn moves by 0: again a mixture of Gaussians."""
        seldom = [1 - rate, *(rate * p for p in self.probabilities)]
        sampled = MixtureOfGaussians(self.noise_multiplier, (0.0, *self.sensitivities), seldom)
        return sampled.evidence(REPLACE_ONE)

    @property
    def _moved(self) -> float:
        """The probability that the query moves at all."""
        if self.sensitivities[0]:
            return 1.0
        return min(1.0, math.fsum(self.probabilities[1:]))

    def _gaussian(self, move: float) -> Loss:
        return GaussianLoss(move / self.noise_multiplier, (move, self.noise_multiplier))

    @property
    def _mixture(self) -> GaussianMixture:
        means = np.array(self.sensitivities) / self.noise_multiplier
        return GaussianMixture.of(np.array(self.probabilities), means)

    def __repr__(self) -> str:
        law = zip(self.sensitivities, self.probabilities, strict=True)
        numbers = (number for pair in law for number in pair)
        return call_text("MixtureOfGaussians.table", self.noise_multiplier, *numbers)


def _divergences(pair: Loss, apart: Loss, orders: Array) -> tuple[Array, Array]:
    """Of the pair; at orders that no quadrature reaches, of the parts that are farthest apart,
    which no mixture exceeds (D_α is quasi-convex)."""
    limit = divergences(apart, orders)
    try:
        return smaller(limit, divergences(pair, orders))
    except NumericalError:
        if orders.size == 1:
            return limit
    each = [_divergences(pair, apart, order) for order in orders.ravel()[:, None]]
    one, other = (np.concatenate(side).reshape(orders.shape) for side in zip(*each, strict=True))
    return one, other


def _numbers(name: str, values: Any, domain: Any) -> list[float]:
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise ParameterError(f"{name} must be a sequence of numbers, got {values!r}")
    return [domain(name, value) for value in values]


def _law(distances: list[float], weights: list[float]) -> dict[float, float]:
    """Each distance that has a probability, in order, with that probability."""
    if len(distances) != len(weights):
        raise ParameterError(
            f"probabilities must be as many as sensitivities, {len(distances)}, got {len(weights)}"
        )
    if abs(math.fsum(weights) - 1) > SUM_ERROR:
        raise ParameterError(f"probabilities must add up to 1, got {math.fsum(weights)!r}")
    law: dict[float, float] = {}
    for distance, weight in sorted(zip(distances, weights, strict=True)):
        if weight:
            law[distance] = law.get(distance, 0.0) + weight
    return law
