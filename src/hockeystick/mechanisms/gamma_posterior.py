"""One draw from the posterior of the rate of counts."""

from __future__ import annotations

from typing import Self

from hockeystick.checks import call_text, checked, declared, finite_positive, yes_or_no
from hockeystick.errors import RelationError
from hockeystick.loss.families.log_gamma import GammaLoss
from hockeystick.loss.families.posterior import gamma_pair, prior_count
from hockeystick.mechanisms.bases.posterior_sampling import PosteriorSampling
from hockeystick.relation import REPLACE_ONE, Relation


@declared
class GammaPosterior(PosteriorSampling):
    """λ drawn from Gamma(k + sum of the counts, rate r + number of records): Poisson counts.

    Every count is first brought to [0, `largest`]. Replacing a record leaves the rate as it is and
    moves the shape by at most c = `largest`; worst is Gamma(k) against Gamma(k + c), from which
    an independent gamma law, added, makes every pair of larger shapes, and a smaller step is never
    easier to see. The Rényi divergence is infinite from the order k/c + 1 on.

    Adding a record moves the rate too, for which no worst pair is known: that is an error, unless
    the rate is a constant (`public_rate`); then the pair is the same under every relation.

    Parameters
    ----------
    shape: k of the prior, in [0.1·largest, 1e12·largest]. The rate does not matter to privacy.
    largest: the largest count c, in (0, inf).

    >>> round(GammaPosterior(10, largest=1).epsilon(delta=1e-5), 9)
    1.525010793
    """

    text_constructors = ("public_rate",)

    shape: float = checked(finite_positive)
    largest: float = checked(finite_positive, default=1.0)
    rate_is_public: bool = checked(yes_or_no, default=False)

    def check_together(self) -> None:
        prior_count("shape", self.shape, self.largest)

    @classmethod
    def public_rate(cls, shape: float, largest: float = 1.0) -> Self:
        """With a rate that does not count the records: a constant, such as the size one expects.

        >>> from hockeystick import Poisson
        >>> step = GammaPosterior.public_rate(10, largest=1).on(Poisson(0.01))
        >>> round((step * 100).epsilon(delta=1e-5), 6)
        0.100333
        """
        return cls(shape, largest, True)

    @property
    def natural_relation(self) -> Relation | None:
        return None if self.rate_is_public else REPLACE_ONE

    def pair(self, relation: Relation) -> GammaLoss:
        if relation is not REPLACE_ONE and not self.rate_is_public:
            raise RelationError(
                f"the rate of {self!r} counts the records, so {relation!r} moves it as well; ask "
                "under REPLACE_ONE (and sample a fixed number of records), or keep the rate "
                f"constant: GammaPosterior.public_rate({self.shape!r}, {self.largest!r})"
            )
        return gamma_pair(self.shape, self.largest)

    def __repr__(self) -> str:
        name = "GammaPosterior.public_rate" if self.rate_is_public else "GammaPosterior"
        return call_text(name, self.shape, self.largest)
