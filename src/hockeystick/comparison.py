"""Every bound that applies to a mechanism, side by side, each with its source."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from hockeystick import checks, questions
from hockeystick.classical import (
    compose_profile,
    epsilon_from_curve,
    gaussian_log_moment,
    improved_delta,
    laplace_log_moment,
    mironov_epsilon,
    naive_composition,
    optimal_composition,
    optimal_epsilon,
    randomized_response_log_moment,
    rdp_poisson,
    rdp_without_replacement,
    rdp_without_replacement_from_curve,
    rdp_without_replacement_self_consistent,
    strong_composition,
)
from hockeystick.errors import HockeystickError
from hockeystick.evidence import known
from hockeystick.loss.segment import SegmentLoss
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.laplace import Laplace
from hockeystick.mechanisms.randomized_response import RandomizedResponse
from hockeystick.relation import REPLACE_ONE, Relation
from hockeystick.samplers.poisson import Poisson
from hockeystick.samplers.sampler import Sampled, renyi_curve
from hockeystick.samplers.without_replacement import WithoutReplacement

Curve = Callable[[float], Any]


@dataclass(frozen=True)
class Row:
    """One bound on ε."""

    name: str
    epsilon: float
    source: str
    kind: str = "upper"
    """Whether no pair of data sets costs more ("upper") or some pair costs as much ("lower")."""


class Comparison(tuple[Row, ...]):
    """The rows, tightest last; `print` shows them as a table."""

    def __str__(self) -> str:
        width = max(len(row.name) for row in self)
        return "\n".join(
            f"{row.name:<{width}}  {row.epsilon:>14.8g}  {row.kind:<5}  {row.source}"
            for row in self
        )


def compare(mechanism: Mechanism, delta: float, *, relation: Relation | None = None) -> Comparison:
    """What each known way of accounting says ε is, for one mechanism or one repeated.

    The composition theorems get the step's (ε, δ) that suits them best; the Rényi theorems the
    conversion of their papers (Mironov 2017) and, in a row of their own, the best one; "exact" is
    this library's answer and "lower bound" a pair of data sets that costs as much.

    >>> from hockeystick import Gaussian, Poisson
    >>> table = compare(Gaussian(1.0).on(Poisson(0.01)) * 1000, delta=1e-6)
    >>> [row.name for row in table][-2:]
    ['exact', 'lower bound']
    """
    delta = checks.probability("delta", delta)
    relation = questions.relation_of(mechanism, relation)
    rows = [row for row in _rows(mechanism, delta, relation) if not math.isnan(row.epsilon)]
    rows.sort(key=lambda row: -row.epsilon)
    exact = mechanism.epsilon(delta, relation=relation)
    curve = exact.method == "renyi"
    source = "the curve, best conversion" if curve else f"dominating pair, {exact.method}"
    rows.append(Row("exact", exact.upper, source))
    rows.append(Row("lower bound", exact.lower, "a pair of neighbouring data sets", "lower"))
    return Comparison(rows)


def _rows(mechanism: Mechanism, delta: float, relation: Relation) -> Iterator[Row]:
    if len(mechanism.parts) == 1:
        ((step, count),) = mechanism.parts.items()
        yield from _compositions(step, count, delta, relation)
        for name, source, curve in _amplified_curves(step, relation):
            yield _by_papers_conversion(name, source, curve, count, delta)

    renyi = questions.renyi_curve(mechanism, relation)

    def divergence(order: float) -> float:
        return float(np.max(renyi(np.array([float(order)]))))

    value = _known(partial(optimal_epsilon, divergence, delta))
    yield Row("RDP exact curve", value, "Rényi divergences of the pair, all orders jointly")


def _compositions(step: Mechanism, count: int, delta: float, relation: Relation) -> Iterator[Row]:
    evidence = known(step, relation, 1)
    loss = evidence.loss if evidence.pairs else None
    orders = 1 + 2.0 ** np.arange(-10.0, 12.0, 0.25)
    values = np.maximum(*evidence.renyi(orders)) if loss is None else orders

    @cache  # the theorems ask at the same places
    def profile(epsilon: float) -> float:
        if loss is None:  # each order is a bound, the best of many is good enough here
            return float(np.min(improved_delta(orders, values, epsilon)))
        place = np.array([epsilon])
        return float(max(loss.profile(place)[0], loss.reverse_profile(place)[0]))

    if count == 1:  # nothing to compose
        return
    for name, theorem, source in (
        ("naive composition", naive_composition, "Dwork et al. 2006"),
        ("strong composition", strong_composition, "Dwork, Rothblum and Vadhan 2010"),
        ("optimal composition", optimal_composition, "Kairouz, Oh and Viswanath 2015"),
    ):
        value = _known(partial(compose_profile, profile, count, delta=delta, theorem=theorem))
        yield Row(name, value, f"{source}, of the step's best (ε, δ)")


def _amplified_curves(step: Mechanism, relation: Relation) -> Iterator[tuple[str, str, Curve]]:
    """Name, source and curve of each Rényi theorem for one step on a sample."""
    if not isinstance(step, Sampled):
        return
    base, sampler = step.base, step.sampler
    if isinstance(sampler, Poisson) and relation is not REPLACE_ONE:
        curve = renyi_curve(base, relation)
        printed = partial(rdp_poisson, curve, sampler.rate, factor=3)
        yield "RDP Poisson factor 3", "Zhu and Wang 2019", printed
        tight = partial(rdp_poisson, curve, sampler.rate, factor=1)
        yield "RDP Poisson factor 1", "Zhu and Wang 2019, without the factor", tight
    if isinstance(sampler, WithoutReplacement) and relation is REPLACE_ONE:
        curve, gamma = renyi_curve(base, relation), sampler.fraction
        plain = partial(rdp_without_replacement, curve, gamma, pure_epsilon=curve(math.inf))
        yield "RDP Theorem 9", "Wang, Balle and Kasiviswanathan 2019, Theorem 9", plain
        moments = _log_moments(base, relation)
        if moments is not None:
            consistent = partial(
                rdp_without_replacement_self_consistent,
                curve, gamma, pure_epsilon=curve(math.inf), log_moments=moments,
            )  # fmt: skip
            yield "RDP Theorem 19", "Wang, Balle and Kasiviswanathan 2019, Theorem 19", consistent
        taylor = partial(rdp_without_replacement_from_curve, curve, gamma)
        yield "RDP from the curve", "Taylor remainders on both sides", taylor


def _log_moments(base: Mechanism, relation: Relation) -> Callable[[int], float] | None:
    """log E|P/Q − 1|^j of the bases that are known to attain Theorem 19's premises."""
    loss = known(base, relation, 1).loss
    if loss.gaussian_shift is not None:
        return partial(gaussian_log_moment, shift=loss.gaussian_shift)
    if isinstance(base, Laplace) and isinstance(loss, SegmentLoss):
        return partial(laplace_log_moment, shift=loss.reach)
    if isinstance(base, RandomizedResponse) and base.categories == 2:
        return partial(randomized_response_log_moment, truth=1 / (1 + math.exp(-base.epsilon_)))
    return None


def _by_papers_conversion(name: str, source: str, curve: Curve, count: int, delta: float) -> Row:
    def composed(order: float) -> float:
        return count * float(curve(order))

    value = _known(partial(epsilon_from_curve, composed, delta, mironov_epsilon))
    return Row(name, value, source)


def _known(bound: Callable[[], float]) -> float:
    """The bound, or not a number where the theorem has none to offer."""
    try:
        return float(bound())
    except HockeystickError:
        return math.nan
