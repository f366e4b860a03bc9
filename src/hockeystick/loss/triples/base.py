"""Triples: which three laws the answers on batches that differ in one record can have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from hockeystick.loss.base import Loss
from hockeystick.loss.triples.pair import VirtualPair
from hockeystick.loss.triples.roughly import Roughly
from hockeystick.numerics.types import Array


@dataclass(frozen=True)
class Triples(ABC):
    """The laws with x, with x' and with another record y in that place, for all queries.

    On a sample of fixed size the pair of a step is (1−γ)·μ_y + γ·μ_x against (1−γ)·μ_y + γ·μ_x'.
    Which triple it is an adversary decides anew at each step, from all that was seen.
    """

    rate: float = 1.0
    """The sampled fraction γ."""
    worthwhile: ClassVar[float] = 0.02
    """How far apart, relatively, the ends that pairs give must be for "auto" to ask for more: the
    envelope of a game may take a second, and where they are nearer it gains little."""

    def sampled(self, rate: float) -> Self:
        """The same laws on a sample of that fraction of the records."""
        return replace(self, rate=rate)

    @property
    def is_game(self) -> bool:
        """Whether a bound on the game can be below that of single steps."""
        return 0 < self.rate < 1

    def attained(self) -> tuple[Loss, ...]:
        """Losses of single triples, besides the one with y = x'."""
        return ()

    def divergence(self, orders: Array) -> Array:
        """What the Rényi divergences of no triple exceed; inf where nothing is known."""
        return np.full(orders.shape, np.inf)

    def roughly(self) -> Roughly | None:
        """What can be told of that pair in little time, if it takes long."""
        return None

    @abstractmethod
    def pair(self, given_away: float) -> VirtualPair:
        """What stands for every triple, where about so much mass may count as given away."""
