"""Rényi divergences of a composition in one direction, between proven ends (Theorem 15)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flint import arb

from hockeystick.errors import CannotCertify
from hockeystick.loss.exact import Exact
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.certified.balls import above, below
from hockeystick.routes.certified.build import task_of
from hockeystick.routes.certified.claims import largest, top_of
from hockeystick.routes.certified.law import Rule
from hockeystick.routes.certified.laws import exact_of, law_of
from hockeystick.routes.certified.line import Laws
from hockeystick.routes.certified.moments import log_moment, moment_rule
from hockeystick.routes.certified.proven import Proven, precisely

BITS = 320
"""Of the working precision: at an order near 1 log M is small beside 1."""
TINY = 2.0**-60
"""The order above 1 from which the divergence at 1 is bounded."""
LARGEST_ORDER = 2.0**53
"""Up to here α − 1 is exact."""

Parts = Sequence[tuple[Exact, int]]


@dataclass(frozen=True)
class RenyiAt:
    """The divergence of one order in [1, inf]."""

    order: float

    def to_json(self) -> dict[str, Any]:
        return {"asked": "rdp", "order": self.order}

    def of(self, loss: ComposedLoss) -> Proven:
        """In one direction."""
        with precisely(BITS):
            parts = [(exact_of(part), n) for part, n in loss.parts]
            order = self._s
            rules: list[list[Rule]] = [
                [moment_rule(part, exact, s) for s in self._orders(order)]
                for (part, _), (exact, _) in zip(loss.parts, parts, strict=True)
            ]
            low, high = self.ends(parts, rules)
            low, high = max(low, 0.0), max(high, 0.0)
            task = task_of(loss)
            return Proven.of(low, high, "renyi", parts=task.said, rules=rules).above(task.laws)

    @property
    def _s(self) -> float:
        return TINY if self.order == 1 else self.order - 1

    def _orders(self, s: float) -> list[float]:
        """Of the moments that are needed."""
        if math.isinf(s):
            return []
        if s > LARGEST_ORDER:
            raise CannotCertify(f"an order above {LARGEST_ORDER!r}")
        return [s, 2.0] if self.order == 1 else [s]

    def ends(self, parts: Parts, rules: Sequence[Sequence[Rule]]) -> tuple[float, float]:
        """Theorem 15: K(α−1)/(α−1); at order 1, K(s)/s less at most s/2·Σ n·(M(2) − 1); at order
        inf the largest loss; inf where a loss can be."""
        laws = [(law_of(exact), n) for exact, n in parts]
        if any(law.infinite > 0 for law, _ in laws):
            return math.inf, math.inf
        if any(not law.infinite.is_zero() for law, _ in laws):
            raise CannotCertify("it is undecided whether a loss can be infinite")
        if math.isinf(self.order):
            return largest(laws)
        total, less, s = arb(0), arb(0), self._orders(self._s)[0]
        for (exact, n), (law, _), said in zip(parts, laws, rules, strict=True):
            total += n * log_moment(exact, law, s, said[0])
            if self.order == 1:
                less += n * log_moment(exact, law, 2.0, said[1]).expm1()
        value = total / arb(s)
        return below(value - arb(s) / 2 * less), above(value)


def is_bounded(laws: Laws, most: float) -> bool:
    """Whether no loss is above this, and none infinite: then no divergence is."""
    top = top_of(laws)
    none = all(law.infinite.is_zero() for law, _ in laws)
    return none and top is not None and bool(top <= most)


def bounded_by(loss: ComposedLoss, most: float) -> dict[str, Any] | None:
    """What proves that no divergence of this direction is above this; None if nothing does."""
    with precisely(BITS):
        task = task_of(loss)
        return {"method": "milder", "parts": task.said} if is_bounded(task.laws, most) else None
