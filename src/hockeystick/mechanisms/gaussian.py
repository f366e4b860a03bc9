"""The Gaussian mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hockeystick.loss.base import Loss
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.triples.base import Triples
from hockeystick.loss.triples.gaussian import GaussianTriples
from hockeystick.mechanisms.bases.additive_noise import AdditiveNoise
from hockeystick.relation import ADD_REMOVE, ZERO_OUT, Relation

if TYPE_CHECKING:
    from hockeystick.random.generators import Source
    from hockeystick.random.reals import Integers


class Gaussian(AdditiveNoise):
    """Gaussian noise of standard deviation σ = `noise_multiplier` × L2 sensitivity.

    Dominating pair N(1, σ²) against N(0, σ²) when a record is added or removed, N(2, σ²) when one
    is replaced: δ(ε) = Φ(1/2σ − εσ) − e^ε·Φ(−1/2σ − εσ) (Balle and Wang 2018, Theorem 5).

    >>> round(Gaussian(2.0).delta(epsilon=1.0), 9)
    0.006829595
    """

    source = "Balle and Wang 2018, Theorem 5"

    norm = "L2"

    def _loss(self, shift: float, sensitivity: float) -> Loss:
        return GaussianLoss(shift, (sensitivity, self.noise_multiplier))

    def _triples(self, relation: Relation) -> Triples | None:
        """Three points of a ball, or as far apart as a replaced record moves the query."""
        if relation is ADD_REMOVE:
            return None
        near = 1 / self.noise_multiplier
        return GaussianTriples(
            near=near, far=self.replace_sensitivity * near, zero_out=relation is ZERO_OUT
        )

    def _noise(self, scale: float, count: int, words: Source) -> Integers:
        from hockeystick.random.noise import normal

        return normal(scale, count, words)
