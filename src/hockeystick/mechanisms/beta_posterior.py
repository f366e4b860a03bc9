"""One draw from the posterior of a probability."""

from __future__ import annotations

from hockeystick.checks import checked, declared
from hockeystick.loss.families.log_gamma import GammaLoss
from hockeystick.loss.families.logit_beta import BetaLoss
from hockeystick.loss.families.posterior import category_pair, prior_count
from hockeystick.mechanisms.bases.posterior_sampling import PosteriorSampling
from hockeystick.relation import Relation


@declared
class BetaPosterior(PosteriorSampling):
    """θ drawn from Beta(a + successes in the data, b + failures in the data).

    With a <= b, the pair when a record is replaced is Beta(a, b+1) against Beta(a+1, b), as if
    there were no other records: mixing both with one independent beta law gives every other pair
    of neighbours. When one is added, removed or zeroed out it is Gamma(a+1) against Gamma(a), the
    limit of many failures and no success: G/(G + H) with H gamma gives every other pair. The Rényi
    divergence is infinite from the order a + 1 on.

    Parameters
    ----------
    successes, failures: the counts a and b of the prior, in [0.1, 1e12].

    >>> from hockeystick import REPLACE_ONE
    >>> round(BetaPosterior(10, 10).epsilon(delta=1e-5, relation=REPLACE_ONE), 9)
    1.87720428
    """

    successes: float = checked(prior_count)
    failures: float = checked(prior_count)

    def pair(self, relation: Relation) -> BetaLoss | GammaLoss:
        return category_pair((self.successes, self.failures), relation)
