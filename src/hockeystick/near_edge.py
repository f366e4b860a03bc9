"""Where about a family of mechanisms meets a target, by answers that are quick and have no ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from hockeystick.errors import HockeystickError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.edge import EdgeSearch
from hockeystick.questions import answer, game_of, lower_end, parts_of, relation_of
from hockeystick.routes.auto import AUTO, is_for_contour
from hockeystick.routes.base import CannotAnswer
from hockeystick.routes.contour.neighbours import Neighbours
from hockeystick.routes.question import EpsilonAt

ROUGHLY = 0.1
"""How near the edge is found, relative to the parameter, by answers that are rough themselves."""
GAME_ABOVE = 1.02
"""About how far a game's ε is above what is attained."""

Ends = tuple[float, float]
"""A parameter that meets the target, and one that misses it."""


class NearEdge:
    """About log of ε(δ) of `family(x)` over the target ε, in three ways."""

    def __init__(
        self, family: Callable[..., Mechanism], epsilon: float, delta: float, how: dict[str, Any]
    ) -> None:
        self.family, self.epsilon, self.delta, self.how = family, epsilon, delta, how
        self._neighbours = Neighbours(epsilon, delta)

    def ends(self, search: EdgeSearch, tolerance: float) -> Ends | None:
        """Both sides of the edge, as `EdgeSearch.bracket` finds them, or within the tolerance; None
        where quick answers are of no use."""
        start = search.start()
        first = None if start is None else self.family(search.number(start))
        if first is None or (sum(first.parts.values()) == 1 and not search.integer):
            return None  # of one step the answers themselves are quick
        excess = self._excess(first)
        if excess is None:
            return None
        # What a quick answer cannot say, the others will, or say why.
        with (
            suppress(HockeystickError, OverflowError),
            np.errstate(over="ignore", invalid="ignore"),
        ):
            rough = EdgeSearch(excess, search.allowed, search.integer).near(ROUGHLY)
            return rough and (self._along_lines(search, *rough, tolerance) or search.across(*rough))
        return None

    def _excess(self, first: Mechanism) -> Callable[[float], float] | None:
        """The way that suits such mechanisms, if one does."""
        if game_of(first, **self.how):
            return self._by_what_is_attained
        parts = parts_of(first, relation_of(first, self.how["relation"]))
        if self.how["method"] != AUTO or not all(evidence.pairs for evidence, _ in parts):
            return None
        return self._by_saddle

    def _by_saddle(self, x: float) -> float:
        return self._neighbours.by_saddle(self._loss(x))

    def _by_line(self, x: float) -> float:
        return self._neighbours.by_line(self._loss(x))

    def _by_what_is_attained(self, x: float) -> float:
        mechanism = self.family(x)
        parts = parts_of(mechanism, relation_of(mechanism, self.how["relation"]))
        question = EpsilonAt(self.delta)
        if sum(count for _, count in parts) == 1:
            attained = answer(mechanism, question, **self.how).lower
        else:
            attained = lower_end(parts, question, 0.0)
        about = math.log(attained) if attained > 0 else -math.inf
        return about + math.log(GAME_ABOVE) - math.log(self.epsilon)

    def _loss(self, x: float) -> ComposedLoss:
        """The direction that is the first to be asked, and costs most if any does."""
        mechanism = self.family(x)
        parts = parts_of(mechanism, relation_of(mechanism, self.how["relation"]))
        return ComposedLoss((evidence.loss, count) for evidence, count in parts)

    def _along_lines(
        self, search: EdgeSearch, x: float, slope: float, tolerance: float
    ) -> Ends | None:
        """The same from an x that is near, where lines of the contour say all."""
        loss = self._loss(x)
        if not (loss.smooth and is_for_contour(loss)):
            return None
        with suppress(*CannotAnswer):
            by_line = EdgeSearch(self._by_line, search.allowed, search.integer)
            if ends := by_line.across(x, slope):
                meets, misses = by_line.refined(ends, tolerance)
                if self._is_confirmed(search, by_line, meets, misses, abs(slope) * tolerance):
                    return meets, misses
                return search.across(meets, slope)
        return None

    @staticmethod
    def _is_confirmed(
        search: EdgeSearch, quick: EdgeSearch, meets: float, misses: float, error: float
    ) -> bool:
        """Whether answers with both ends say the same. Of numbers that are no counts only the one
        that meets the target is asked: the other may keep its quick answer."""
        if search.ask(meets) > 0:
            return False
        if search.integer:
            return search.ask(misses) > 0
        if abs(search.ask(meets) - quick.asked[meets]) > error:
            return False
        search.asked.setdefault(misses, quick.asked[misses])
        return True
