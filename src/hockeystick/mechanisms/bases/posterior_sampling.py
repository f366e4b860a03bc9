"""What mechanisms share that release one draw from a posterior law."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial

import numpy as np

from hockeystick.evidence import Evidence
from hockeystick.loss.divergence import divergence
from hockeystick.loss.families.log_gamma import GammaLoss
from hockeystick.loss.families.logit_beta import BetaLoss
from hockeystick.loss.families.posterior import counted
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.types import Array
from hockeystick.relation import REPLACE_ONE, Relation


class PosteriorSampling(Mechanism):
    """One parameter drawn from its posterior given all records.

    The neighbours that are hardest to tell apart are known, two gamma or two beta laws, and they
    are so among data of any size: nothing need be known of the data. If it is known that at least
    so many other records of a kind are there, these may be added to the prior. Rényi divergences
    are infinite from some order on (Geumlek, Song and Chaudhuri 2017); δ(ε) is not affected.
    """

    @abstractmethod
    def pair(self, relation: Relation) -> BetaLoss | GammaLoss:
        """The loss of the two worst neighbours."""

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        pair = self.pair(relation)
        attained = None if steps == 1 or relation is not REPLACE_ONE or pair.symmetric else pair
        curve = partial(self._divergences, relation)
        return Evidence((counted(pair, relation),), attained, curve)

    def _divergences(self, relation: Relation, orders: Array) -> tuple[Array, Array]:
        pair = self.pair(relation)
        # Where the divergence ends is known to a rounding: a hair beyond is the safe side.
        orders = np.where(orders > 1, orders * (1 + 8 * np.finfo(float).eps), orders)
        one, other = divergence(pair, orders), divergence(pair.reverse(), orders)
        if relation is not REPLACE_ONE:
            return one, other
        larger = np.maximum(one, other)
        return larger, larger
