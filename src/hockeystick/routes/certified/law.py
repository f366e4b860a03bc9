"""What a proof knows of one step: its law, and that law on one vertical line."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flint import acb, acb_mat, arb

from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import around_zero, disc, power, powers, total
from hockeystick.routes.certified.discs import Discs
from hockeystick.routes.certified.quick import as_discs, turned_sums
from hockeystick.routes.certified.quick import power as power_of_discs

NEGLIGIBLE = 2.0**-72
"""Share of M(c) of a node that is left out of arrays, and charged: less than they round."""

Rule = dict[str, Any]
"""How to integrate, as plain numbers: planned in floats, and kept in the certificate."""


class Tilted(ABC):
    """M(s) = E_P[e^{sL}; L finite] on the line Re s = c."""

    @property
    @abstractmethod
    def mass(self) -> arb:
        """M(c)."""

    @abstractmethod
    def values(self, step: float, count: int) -> list[acb]:
        """M(c + i·n·step), n < count."""

    def relative(self, step: float, count: int, n: int) -> Discs:
        """(M(c + i·k·step)/M(c))^n for k < count, as discs."""
        return as_discs([[power(x / self.mass, n) for x in self.values(step, count)]])[0]

    @abstractmethod
    def decay(self, t: Array) -> Array:
        """At least log(|M(c+iu)|/M(c)) for u from each t to the next; the last, for all beyond."""

    reach: float = math.inf
    """Up to which t the values are good."""

    @property
    def work(self) -> int:
        """About how many products one value takes."""
        return 1


@dataclass(frozen=True)
class Nodes:
    """M(c + it) = Σ weight·e^{it·loss} ± error for 0 <= t <= reach, with Im loss >= 0."""

    weights: list[acb]
    losses: list[acb]
    error: arb
    reach: float = math.inf

    @cached_property
    def mass(self) -> arb:
        return total(self.weights).real + around_zero(self.error)

    def values(self, step: float, count: int) -> list[acb]:
        """Small steps, large steps, and one product of matrices."""
        small = max(1, math.isqrt(count))
        large = -(-count // small)
        turn = acb(0, arb(step))
        rows, columns = [], []
        for weight, loss in zip(self.weights, self.losses, strict=True):
            angle = turn * loss
            columns.append(powers(angle.exp(), small))
            rows.append([weight * x for x in powers((small * angle).exp(), large)])
        slack = disc(self.error)
        product = acb_mat(rows).transpose() * acb_mat(columns)
        return [value + slack for value in product.entries()[:count]]

    def relative(self, step: float, count: int, mass: arb, n: int = 1) -> Discs:
        """The n-th powers of all values, over that of a mass, as discs (Theorem 21); weights that
        are next to nothing are in the error."""
        weights, losses, error = [], [], self.error / mass
        for weight, loss in zip(self.weights, self.losses, strict=True):
            share = weight / mass
            if (size := share.abs_upper()) < NEGLIGIBLE:
                error += size
            else:
                weights.append(share)
                losses.append(loss)
        values = turned_sums(weights, losses, error, step, count)
        return power_of_discs(values, n)


class Splits(Tilted):
    """One with atoms, whose values can be had apart from the rest."""

    atoms: Nodes
    others: Nodes | None = None
    """All nodes but the atoms, if it has nodes."""

    @abstractmethod
    def rest(self, t: Array) -> Array:
        """At least what is not atoms adds to |M(c+iu)|/M(c), for all u >= t."""


class Law(ABC):
    """The loss of one step, in one direction."""

    infinite: arb
    """P-mass where the loss is infinite."""
    lost: arb
    """At most the P-mass of finite losses that a table leaves out."""
    bound_only: bool = False
    """Whether it only dominates the law that is meant, so that no lower end follows."""

    width: float = 0.0
    """About how wide the loss is, beside those of laws that are nearly alike."""

    @property
    def alike(self) -> object:
        """The same of laws for which one rule will do."""
        return id(self)

    @property
    def top(self) -> arb | None:
        """The largest finite loss, or what none is above, listed or not; None if there is none."""
        return None

    @abstractmethod
    def rule(self, order: float, reach: float, log_tolerance: float) -> Rule:
        """Planned in floats: how to integrate e^{sL} for Re s = order, 0 <= Im s <= reach."""

    def rule_at(self, order: float, log_tolerance: float, log_m: float = 0.0) -> Rule:
        """Enough to know M(order), about e^log_m, with an error of so much of it."""
        return self.rule(order, 0.0, log_m + log_tolerance)

    @abstractmethod
    def tilted(self, order: float, rule: Rule) -> Tilted:
        """The law on the line Re s = order, by that rule; proven."""

    def profile(self, epsilon: arb) -> arb | None:
        """δ(ε) of the single step, where there is a formula for it."""
        return None

    def atoms(self) -> list[tuple[arb, arb]]:
        """P-masses and losses of the atoms."""
        return []
