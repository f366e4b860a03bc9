"""The pairs that dominate one draw from a posterior over categories, whatever the data."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from hockeystick.checks import finite_positive
from hockeystick.errors import ParameterError
from hockeystick.loss.base import Loss
from hockeystick.loss.families.log_gamma import GammaLoss
from hockeystick.loss.families.logit_beta import BetaLoss
from hockeystick.loss.families.positive import PositiveLosses
from hockeystick.loss.two_sided.loss import TwoSidedLoss
from hockeystick.relation import REPLACE_ONE, Relation

LEAST, MOST = 0.1, 1e12
"""With fewer counts than this a draw gives its records away; with more it says nothing of one."""


def prior_count(name: str, value: Any, unit: float = 1.0) -> float:
    """A number in [0.1, 1e12], times the unit in which records count."""
    number = finite_positive(name, value)
    least, most = LEAST * unit, MOST * unit
    if not least <= number <= most:
        raise ParameterError(f"{name} must be in [{least!r}, {most!r}], got {value!r}")
    return number


@lru_cache(maxsize=256)
def category_pair(counts: tuple[float, ...], relation: Relation) -> BetaLoss | GammaLoss:
    """The worst two neighbours of a Dirichlet posterior, in the order whose δ(ε) is the larger.

    Replaced: record of the second rarest category a' instead of the rarest a, by prior counts, on
    no other data; Beta(a, a'+1) against Beta(a+1, a'). Added or removed: one of the rarest, on
    ever more data of other categories; Gamma(a+1) against Gamma(a).
    """
    rarest, second = sorted(counts)[:2]
    if relation is REPLACE_ONE:
        return BetaLoss(rarest + 1, -1.0, total=rarest + second + 1)
    return GammaLoss(rarest, 1.0)


@lru_cache(maxsize=256)
def gamma_pair(shape: float, largest: float) -> GammaLoss:
    """Gamma(shape + largest) against Gamma(shape); kept, as it remembers what is asked often."""
    return GammaLoss(shape, largest)


@lru_cache(maxsize=256)
def counted(pair: BetaLoss | GammaLoss, relation: Relation) -> Loss:
    """The loss that stands for the pair under a relation.

    A record that is added, removed or zeroed out is in the first law and not in the second; of one
    that is replaced either law may come first.
    """
    if relation is not REPLACE_ONE or pair.symmetric:
        return pair
    # Gamma laws: to be without the record is the heavier tail, so its order comes first.
    up = pair if pair.move < 0 else pair.reverse()
    assert isinstance(up, BetaLoss | GammaLoss)
    return TwoSidedLoss(PositiveLosses(up))
