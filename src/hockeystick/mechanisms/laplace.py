"""The Laplace mechanism."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from hockeystick.checks import Whole, checked, declared
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.evidence import Evidence
from hockeystick.loss.base import Loss
from hockeystick.loss.exact import among
from hockeystick.loss.segment import SegmentLoss
from hockeystick.loss.triples.base import Triples
from hockeystick.loss.triples.laplace import LaplaceTriples
from hockeystick.loss.triples.laplace_vectors import LaplaceVectors
from hockeystick.loss.two_sided.loss import TwoSidedLoss
from hockeystick.loss.two_sided.opposite import FARTHEST, OppositeLaplace
from hockeystick.mechanisms.bases.additive_noise import AdditiveNoise
from hockeystick.numerics.rounding import quotient_error
from hockeystick.numerics.types import Array
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, ZERO_OUT, Relation

if TYPE_CHECKING:
    from hockeystick.random.generators import Source
    from hockeystick.random.reals import Integers


@declared
class Laplace(AdditiveNoise):
    """Laplace noise of scale b = `noise_multiplier` × L1 sensitivity.

    Dominating pair Lap(1, b) against Lap(0, b), or Lap(2, b) when a record is replaced; with
    θ = 1/b the loss has an atom 1/2 at θ, an atom e^{−θ}/2 at −θ and density e^{(ℓ−θ)/2}/4 between:
    δ(ε) = 1 − e^{(ε−θ)/2} (Balle, Barthe and Gaboardi 2018, Theorem 3). A vector that moves as far
    in L1 costs no more: along its way the probability F of any event changes by at most
    min(F, 1 − F)/b a unit, which the Laplace cdf attains.

    Parameters
    ----------
    noise_multiplier, replace_sensitivity, sensitivity: as of every `AdditiveNoise`.
    dimension: how many numbers the query has, an integer >= 1; any, unless given. One number costs
        less than a vector on batches of fixed size (docs/fixed-size.md): three answers on a line
        cannot all be as far apart as two of them.

    >>> Laplace(2.0).epsilon(delta=0)
    Bound(0.5, lower=0.5, method='closed form', delta=0.0, relation=ADD_REMOVE)
    """

    source = "Balle, Barthe and Gaboardi 2018, Theorem 3"

    norm = "L1"
    pure = True

    dimension: int | None = checked(Whole(1), default=None, kw_only=True)

    def _loss(self, shift: float, sensitivity: float) -> Loss:
        error = quotient_error(shift, sensitivity, self.noise_multiplier)
        quotient = (sensitivity, self.noise_multiplier)
        return SegmentLoss(shift, height=0.25, edge=0.5, slip=error, quotient=quotient)

    def _triples(self, relation: Relation) -> Triples | None:
        """Three points of a line, or of the plane."""
        if relation is ADD_REMOVE:
            return None
        near = 1 / self.noise_multiplier
        kind = LaplaceTriples if self.dimension == 1 else LaplaceVectors
        return kind(near=near, far=self.replace_sensitivity * near, zero_out=relation is ZERO_OUT)

    def replaced_on_sample(self, rate: float) -> Evidence | None:
        """Two records on opposite sides, if one that is replaced moves twice as far."""
        near, far = (self.evidence(each).loss for each in (ADD_REMOVE, REPLACE_ONE))
        if self.replace_sensitivity != 2 or near.laplace is None or near.top > FARTHEST:
            return None
        with suppress(NumericalError):  # too much noise, or too little, for panels
            loss = TwoSidedLoss(OppositeLaplace(near.laplace.shift, rate))
            loss.origin = among(far.exact(), near.exact(), Fraction(rate))
            return Evidence((loss,))
        return None

    def _numbers(self, value: Any) -> Array:
        answer = super()._numbers(value)
        if self.dimension is not None and answer.size != self.dimension:
            raise ParameterError(
                f"value must have as many numbers as the declared dimension of {self.dimension}, "
                f"got {answer.size}"
            )
        return answer

    def _noise(self, scale: float, count: int, words: Source) -> Integers:
        from hockeystick.random.noise import laplace

        return laplace(scale, count, words)
