"""One draw from the posterior of the probabilities of several categories."""

from __future__ import annotations

from typing import Any

from hockeystick.checks import call_text, checked, declare, declared
from hockeystick.errors import ParameterError
from hockeystick.loss.families.log_gamma import GammaLoss
from hockeystick.loss.families.logit_beta import BetaLoss
from hockeystick.loss.families.posterior import category_pair, prior_count
from hockeystick.mechanisms.bases.posterior_sampling import PosteriorSampling
from hockeystick.relation import Relation


def _prior_counts(name: str, values: tuple[Any, ...]) -> tuple[float, ...]:
    if len(values) < 2:
        raise ParameterError(f"{name} must be two or more numbers, got {values!r}")
    return tuple(prior_count(name, value) for value in values)


@declared
class DirichletPosterior(PosteriorSampling):
    """All probabilities drawn from Dirichlet(a₁ + records of category 1, a₂ + …).

    Replacing a record of category i by one of j changes the law of θᵢ/(θᵢ + θⱼ) only, a beta law;
    the two smallest counts a <= a' of the prior are worst: Beta(a, a'+1) against Beta(a+1, a').
    Adding, removing or zeroing out a record of category i changes the law of θᵢ, a beta law too,
    and Gamma(a+1) against Gamma(a) is worst: all is as for `BetaPosterior` with a and a'.

    Parameters
    ----------
    counts: those of the prior, two or more, each in [0.1, 1e12].

    >>> from hockeystick import REPLACE_ONE
    >>> round(DirichletPosterior(10, 20, 10).epsilon(delta=1e-5, relation=REPLACE_ONE), 9)
    1.87720428
    """

    counts: tuple[float, ...] = checked(_prior_counts)

    def __init__(self, *counts: float) -> None:
        declare(self, counts=counts)

    def pair(self, relation: Relation) -> BetaLoss | GammaLoss:
        return category_pair(self.counts, relation)

    def __repr__(self) -> str:
        return call_text("DirichletPosterior", *self.counts)
