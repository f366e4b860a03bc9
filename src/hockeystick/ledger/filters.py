"""What a budget lets pass: rules that stay valid when each spending depends on earlier answers.

A filter adds up a cost for each spending, in one or several coordinates, and lets it pass while the
sums are within limits that were fixed when the budget was opened. All sums are exact fractions;
costs that were computed are rounded up, limits down.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from hockeystick.calibration import calibrate
from hockeystick.errors import ParameterError
from hockeystick.ledger.amounts import (
    GRAIN,
    Amount,
    Cost,
    below,
    fits,
    lowered,
    reached,
    rounded_up,
    written,
)
from hockeystick.ledger.exact import declared
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.relation import Relation
from hockeystick.text import parse

ORDERS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Rényi orders, over the one that would be best for a Gaussian."""
LARGEST_ORDER = 2048


@dataclass(frozen=True)
class Spending:
    """What is to be charged: a mechanism as it was written, under a relation."""

    expression: str
    mechanism: Mechanism
    relation: Relation
    delta: Fraction | None = None
    """The part of a basic budget's δ that it may take."""


@dataclass(frozen=True)
class Filter(ABC):
    """Sums of costs, and the limits that they must stay within."""

    limits: tuple[Fraction, ...]
    name: ClassVar[str]
    sentence: ClassVar[str]
    needs_all: ClassVar[bool] = True
    """Whether every sum must be within its limit; else one is enough."""

    @property
    @abstractmethod
    def labels(self) -> list[str]:
        """What each coordinate is."""

    @abstractmethod
    def cost(self, spending: Spending) -> Cost:
        """What a spending adds to each sum."""

    def to_json(self) -> dict[str, Any]:
        """What `read` makes the filter from."""
        return {"filter": self.name, "limits": [written(limit) for limit in self.limits]}

    def accepts(self, total: Sequence[Amount]) -> bool:
        """Whether these sums may be reached."""
        each = (sum_ <= limit for sum_, limit in zip(total, self.limits, strict=True))
        return (all if self.needs_all else any)(each)

    def used(self, total: Sequence[Amount]) -> float:
        """The part of the budget that is gone, of the sum that decides; 1 at the limit."""
        parts = [
            reached(sum_, limit)
            for sum_, limit in zip(total, self.limits, strict=True)
            if limit >= 0
        ]
        return (max if self.needs_all else min)(parts, default=math.inf)

    def times(self, total: Sequence[Amount], cost: Cost) -> float:
        """How often a cost may still be added: an integer, or infinity."""
        each = [
            fits(limit, sum_, more)
            for limit, sum_, more in zip(self.limits, total, cost, strict=True)
        ]
        return max((min if self.needs_all else max)(each), 0)


@dataclass(frozen=True)
class Basic(Filter):
    """Σ ε_i ≤ ε and Σ δ_i ≤ δ (Rogers, Roth, Ullman and Vadhan 2016, Theorem 3.1)."""

    name = "basic"
    sentence = "the sums of all epsilons and of all deltas"

    @property
    def labels(self) -> list[str]:
        return ["epsilon", "delta"]

    def cost(self, spending: Spending) -> Cost:
        said = declared(spending.expression)
        if said is not None:
            for each in said:
                if 0 < each < GRAIN:  # no release costs so little
                    raise ParameterError(
                        f"a spending must be 0 or at least 2^-100, got {float(each)!r} in "
                        f"{spending.expression!r}"
                    )
            return said
        delta = spending.delta or Fraction(0)
        epsilon = spending.mechanism.epsilon(below(delta), relation=spending.relation).upper
        if math.isinf(epsilon):
            raise ParameterError(
                f"{spending.expression} is not epsilon-DP at delta = {float(delta)!r}, and the "
                "budget's filter adds epsilons and deltas: say with delta= (--delta) how much of "
                "the budget's delta it may take"
            )
        return rounded_up(epsilon), delta


@dataclass(frozen=True)
class GaussianOnly(Filter):
    """Σ μ_i² ≤ μ² for Gaussian noise of Δ/σ = μ_i (Smith and Thakurta 2022; Koskela, Tobaben and
    Honkela 2023): as tight as one Gaussian release."""

    name = "gdp"
    sentence = "the sum of all (sensitivity / noise)² of Gaussian releases"

    @property
    def labels(self) -> list[str]:
        return ["mu²"]

    def cost(self, spending: Spending) -> Cost:
        if not all(isinstance(part, Gaussian) for part in spending.mechanism.parts):
            raise ParameterError(
                f"the budget's filter takes Gaussian noise without sampling alone, got "
                f"{spending.expression}"
            )
        # D_2(N(μ, 1) ‖ N(0, 1)) = μ²
        return (rounded_up(spending.mechanism.rdp(2.0, relation=spending.relation).upper),)


@dataclass(frozen=True)
class RenyiOrders(Filter):
    """Σ ε_i(α) ≤ B(α) for one of a few orders α fixed in advance, each with its share of δ.

    For one order this is the filter of Feldman and Zrnic (2021, Theorem 4.1). Of m orders, let j be
    one that is within its limit when the last spending passed. On such outcomes the loss is that of
    the process which stops by order j alone, whose δ(ε) is at most δ/m; the m events add up to δ.
    """

    orders: tuple[int, ...]
    name = "renyi"
    sentence = "the sum of all Rényi divergences, at one of a few orders that share delta"
    needs_all = False

    @property
    def labels(self) -> list[str]:
        return [f"order {order}" for order in self.orders]

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | {"orders": list(self.orders)}

    def cost(self, spending: Spending) -> Cost:
        curve = spending.mechanism.rdp(list(self.orders), relation=spending.relation).upper
        return tuple(rounded_up(float(value)) for value in curve)


@dataclass(frozen=True)
class Planned(Filter):
    """A plan that was declared in advance: each mechanism as often as it says.

    The whole plan is accounted for exactly, when it is declared; stopping early costs no less.
    """

    plan: tuple[Mechanism, ...]
    name = "plan"
    sentence = "what the plan that was declared in advance still holds"

    @property
    def labels(self) -> list[str]:
        return [repr(mechanism) for mechanism in self.plan]

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | {"plan": self.labels}

    def cost(self, spending: Spending) -> Cost:
        parts = dict(spending.mechanism.parts)
        counts = tuple(Fraction(parts.pop(each, 0)) for each in self.plan)
        for part in parts:
            raise ParameterError(f"{part!r} is not in the plan of this budget")
        return counts


def basic(epsilon: Fraction, delta: Fraction) -> Basic:
    """For anything, and the only one for δ = 0."""
    return Basic((epsilon, delta))


def gaussian_only(epsilon: Fraction, delta: Fraction) -> GaussianOnly:
    """μ is that of the Gaussian whose δ(ε) is δ."""
    noise = calibrate(Gaussian, epsilon=below(epsilon), delta=below(delta))
    squared = 1 / Fraction(noise.noise_multiplier) ** 2
    return GaussianOnly((lowered(float(squared)),))


def renyi_orders(epsilon: Fraction, delta: Fraction) -> RenyiOrders:
    """Orders about the one that is best for a Gaussian, as far as they can allow anything.

    B(α) = ε + log(α/(α−1)) + log(αδ/m)/(α−1) (Canonne, Kamath and Steinke 2020, Proposition 12).
    """
    best = 2 * math.log(1 / delta) / max(float(epsilon), 1e-9)
    orders = sorted({min(max(2, round(1 + best * each)), LARGEST_ORDER) for each in ORDERS})
    limits = _renyi_limits(epsilon, delta, orders)
    while orders and limits[0] <= 0:
        orders = orders[1:]
        limits = _renyi_limits(epsilon, delta, orders)
    if not orders:
        raise ParameterError(
            f"no Rényi order up to {LARGEST_ORDER} allows anything within epsilon = "
            f"{float(epsilon)!r} and delta = {float(delta)!r}; take the filter basic"
        )
    return RenyiOrders(tuple(map(lowered, limits)), tuple(orders))


def _renyi_limits(epsilon: Fraction, delta: Fraction, orders: Sequence[int]) -> list[float]:
    log_share = math.log(delta) - math.log(len(orders) or 1)
    return [
        float(epsilon) + math.log(a / (a - 1)) + (math.log(a) + log_share) / (a - 1) for a in orders
    ]


def planned(epsilon: Fraction, delta: Fraction, plan: Mechanism, relation: Relation) -> Planned:
    """A plan that fits; the upper end of ε at δ, or of δ at ε, decides."""
    cost = plan.epsilon(below(delta), relation=relation)
    if cost.upper > epsilon and plan.delta(below(epsilon), relation=relation).upper > delta:
        raise ParameterError(
            f"the plan costs epsilon = {cost.upper!r} at delta = {float(delta)!r} ({relation}), "
            f"more than the budget's {float(epsilon)!r}"
        )
    parts = plan.parts
    return Planned(tuple(map(Fraction, parts.values())), tuple(parts))


ADAPTIVE = {"basic": basic, "gdp": gaussian_only, "renyi": renyi_orders}


def chosen(name: str, epsilon: Fraction, delta: Fraction) -> Filter:
    """The filter of that name; "auto" is Rényi's, and basic where δ is 0."""
    if name == "auto":
        name = "renyi" if delta else "basic"
    if name not in ADAPTIVE:
        raise ParameterError(f"filter must be one of auto, {', '.join(ADAPTIVE)}, got {name!r}")
    if not delta and name != "basic":
        raise ParameterError(f"filter must be basic for a budget with delta = 0, got {name!r}")
    return ADAPTIVE[name](epsilon, delta)


def read(said: dict[str, Any]) -> Filter:
    """The filter that `to_json` wrote."""
    limits = tuple(map(Fraction, said["limits"]))
    match said["filter"]:
        case "basic":
            return Basic(limits)
        case "gdp":
            return GaussianOnly(limits)
        case "renyi":
            return RenyiOrders(limits, tuple(said["orders"]))
        case "plan":
            return Planned(limits, tuple(map(parse, said["plan"])))
        case name:
            raise ParameterError(f"filter must be one this version knows, got {name!r}")
