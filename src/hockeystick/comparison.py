"""Every bound that applies to a mechanism, side by side, each with its source."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any, NamedTuple, Self

import numpy as np

from hockeystick import questions
from hockeystick.classical import (
    classical_gaussian_epsilon,
    compose_profile,
    epsilon_from_curve,
    improved_delta,
    mironov_epsilon,
    naive_composition,
    optimal_composition,
    optimal_epsilon,
    rdp_poisson,
    rdp_without_replacement,
    rdp_without_replacement_from_curve,
    rdp_without_replacement_self_consistent,
    strong_composition,
    zcdp_epsilon,
)
from hockeystick.classical import known_bases as of
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.evidence import known
from hockeystick.mechanism import Mechanism
from hockeystick.relation import REPLACE_ONE, Relation
from hockeystick.routes.question import LEAST_FLOAT
from hockeystick.samplers.sampler import Sampled, renyi_curve
from hockeystick.small_delta import given, log_of

Curve = Callable[[float], Any]
OTHER_SOURCES = {"renyi": "the curve, best conversion", "game": "all queries, as a game"}
"""Where the exact answer is from, by its method, unless it is from a dominating pair."""


@dataclass(frozen=True)
class Row:
    """One bound on ε."""

    name: str
    epsilon: float
    source: str
    kind: str = "upper"
    """Whether no pair of data sets costs more ("upper") or some pair costs as much ("lower")."""


class Comparison(tuple[Row, ...]):
    """The rows, tightest last, and what they are about; `print` shows them as a table.

    `pandas.DataFrame` and `polars.DataFrame` take it, or its `to_dict()`, as a table.
    """

    mechanism: Mechanism
    relation: Relation
    delta: float

    @classmethod
    def of(
        cls, rows: Iterable[Row], mechanism: Mechanism, relation: Relation, delta: float
    ) -> Self:
        """The rows with their question."""
        self = cls(rows)
        self.mechanism, self.relation, self.delta = mechanism, relation, delta
        return self

    @property
    def title(self) -> str:
        """What every row bounds."""
        return f"epsilon at delta = {self.delta:g}, {self.relation}"

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, with what was asked."""
        asked = {"delta": float(self.delta), "log_delta": log_of(self.delta)}
        rows = [vars(row) | asked | {"relation": str(self.relation)} for row in self]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def __str__(self) -> str:
        width = max(len(row.name) for row in self)
        form = f"{{0.name:<{width}}}  {{0.epsilon:>14.8g}}  {{0.kind:<5}}  {{0.source}}"
        return "\n".join([f"{self.title}: {self.mechanism!r}", *map(form.format, self)])

    def _repr_html_(self) -> str:
        from hockeystick.report.html import short, table

        rows = [(row.name, f"{row.epsilon:.8g}", row.kind, row.source) for row in self]
        heads = ("bound", "epsilon", "kind", "source")
        return table(f"{self.title}: {short(self.mechanism)}", heads, rows)


def compare(
    mechanism: Mechanism,
    delta: float | None = None,
    *,
    log_delta: float | None = None,
    relation: Relation | None = None,
) -> Comparison:
    """What each known way of accounting says ε is, for one mechanism or one repeated.

    The composition theorems get the step's (ε, δ) that suits them best; the Rényi theorems the
    conversion of their papers (Mironov 2017) and, in a row of their own, the best one; "exact" is
    this library's answer and "lower bound" a pair of data sets that costs as much. `log_delta` in
    place of δ takes any that no float can hold; theorems that know no logarithms then get δ = 0.

    >>> from hockeystick import Gaussian, Poisson
    >>> table = compare(Gaussian(1.0).on(Poisson(0.01)) * 1000, delta=1e-6)
    >>> [row.name for row in table][-2:]
    ['exact', 'lower bound']
    """
    delta = given(delta, log_delta)
    relation = questions.relation_of(mechanism, relation)
    run = Run(mechanism, delta, relation)
    bounds = ((theorem, _bound(theorem, run)) for theorem in THEOREMS)
    rows = [Row(each.name, bound, each.source) for each, bound in bounds if bound is not None]
    rows.sort(key=lambda row: -row.epsilon)
    exact = mechanism.epsilon(delta, relation=relation)
    source = OTHER_SOURCES.get(exact.method, f"dominating pair, {exact.method}")
    rows.append(Row("exact", exact.upper, source))
    rows.append(Row("lower bound", exact.lower, "a pair of neighbouring data sets", "lower"))
    return Comparison.of(rows, mechanism, relation, delta)


@dataclass(frozen=True)
class Run:
    """What a theorem is asked for: ε at `delta` of a mechanism under a relation."""

    mechanism: Mechanism
    delta: float
    relation: Relation

    @property
    def count(self) -> int:
        """How often its step runs; 0 if there is not just one."""
        return next(iter(self.mechanism.parts.values())) if len(self.mechanism.parts) == 1 else 0

    @property
    def step(self) -> Mechanism:
        """What runs `count` times."""
        return next(iter(self.mechanism.parts))

    @property
    def sampled(self) -> Sampled | None:
        """The step, if it is a mechanism on a sample."""
        return self.step if self.count and isinstance(self.step, Sampled) else None

    @cached_property
    def profile(self) -> Callable[[float], float]:
        """ε to δ of one step, remembered: the theorems ask at the same places."""
        evidence = known(self.step, self.relation, 1)
        loss = evidence.loss if evidence.pairs else None
        orders = 1 + 2.0 ** np.arange(-10.0, 12.0, 0.25)
        values = np.maximum(*evidence.renyi(orders)) if loss is None else orders

        @cache
        def profile(epsilon: float) -> float:
            if loss is None:  # each order is a bound, the best of many is good enough here
                return max(float(np.min(improved_delta(orders, values, epsilon))), LEAST_FLOAT)
            place, is_above = np.array([epsilon]), epsilon >= max(loss.top, -loss.bottom)
            least = 0.0 if is_above else LEAST_FLOAT  # what is too small for a float is not 0
            return float(max(loss.profile(place)[0], loss.reverse_profile(place)[0], least))

        return profile


class Theorem(NamedTuple):
    """A bound on ε from the literature."""

    name: str
    source: str
    bound: Callable[[Run], float | None]
    """None where the theorem does not speak of such a run."""


def _composed(theorem: Callable[..., float], run: Run) -> float | None:
    """A composition theorem with the step's (ε, δ) that suits it best."""
    if run.count < 2:  # nothing to compose
        return None
    return compose_profile(run.profile, run.count, delta=run.delta, theorem=theorem)


def _naive(run: Run) -> float | None:
    return None if run.count else of.naive_of_run(run.mechanism, run.relation, run.delta)


def _concentrated(run: Run) -> float | None:
    total = of.zcdp_of_run(run.mechanism, run.relation)
    return zcdp_epsilon(total[1], run.delta, total[0]) if total else None


def _classical_gaussian(run: Run) -> float | None:
    shift = of.shift_of_run(run.mechanism, run.relation)
    bound = math.inf if shift is None else classical_gaussian_epsilon(shift, run.delta)
    return bound if math.isfinite(bound) else None


Amplification = Callable[[Sampled, Relation], Curve | None]
"""The Rényi curve of one step on a sample; None where the theorem does not speak of it."""


def _converted(amplified: Amplification, run: Run) -> float | None:
    """A Rényi theorem for one step on a sample, composed and converted as the papers do."""
    curve = None if run.sampled is None else amplified(run.sampled, run.relation)
    if curve is None:
        return None
    return epsilon_from_curve(
        lambda order: run.count * float(curve(order)), run.delta, mironov_epsilon
    )


def _exact_curve(run: Run) -> float:
    renyi = questions.renyi_curve(run.mechanism, run.relation)

    return optimal_epsilon(lambda order: np.max(renyi(np.array([float(order)]))), run.delta)


def _poisson(factor: int, step: Sampled, relation: Relation) -> Curve | None:
    rate = step.sampler.poisson_rate
    if rate is None or relation is REPLACE_ONE:
        return None
    return partial(rdp_poisson, renyi_curve(step.base, relation), rate, factor=factor)


def _fixed_size(
    theorem: Callable[[Mechanism, float], Curve | None], step: Sampled, relation: Relation
) -> Curve | None:
    fraction = step.sampler.fixed_fraction
    if fraction is None or relation is not REPLACE_ONE:
        return None
    return theorem(step.base, fraction)


def _plain(base: Mechanism, fraction: float) -> Curve:
    curve = renyi_curve(base, REPLACE_ONE)
    return partial(rdp_without_replacement, curve, fraction, pure_epsilon=curve(math.inf))


def _self_consistent(base: Mechanism, fraction: float) -> Curve | None:
    curve, moments = renyi_curve(base, REPLACE_ONE), of.log_moments(base, REPLACE_ONE)
    if moments is None:
        return None
    return partial(
        rdp_without_replacement_self_consistent,
        curve, fraction, pure_epsilon=curve(math.inf), log_moments=cache(moments),
    )  # fmt: skip


def _taylor(base: Mechanism, fraction: float) -> Curve:
    return partial(rdp_without_replacement_from_curve, renyi_curve(base, REPLACE_ONE), fraction)


_WANG = "Wang, Balle and Kasiviswanathan 2019"

COMPOSITIONS: tuple[tuple[str, str, Callable[..., float]], ...] = (
    ("naive composition", "Dwork et al. 2006", naive_composition),
    ("strong composition", "Dwork, Rothblum and Vadhan 2010", strong_composition),
    ("optimal composition", "Kairouz, Oh and Viswanath 2015", optimal_composition),
)
AMPLIFICATIONS: tuple[tuple[str, str, Amplification], ...] = (
    ("RDP Poisson factor 3", "Zhu and Wang 2019", partial(_poisson, 3)),
    ("RDP Poisson factor 1", "Zhu and Wang 2019, without the factor", partial(_poisson, 1)),
    ("RDP Theorem 9", f"{_WANG}, Theorem 9", partial(_fixed_size, _plain)),
    ("RDP Theorem 19", f"{_WANG}, Theorem 19", partial(_fixed_size, _self_consistent)),
    ("RDP from the curve", "Taylor remainders on both sides", partial(_fixed_size, _taylor)),
)
THEOREMS = (
    *(
        Theorem(name, f"{source}, of the step's best (ε, δ)", partial(_composed, theorem))
        for name, source, theorem in COMPOSITIONS
    ),
    Theorem("naive composition", "Dwork et al. 2006, δ in equal shares", _naive),
    Theorem("classical Gaussian", "Dwork and Roth 2014, Theorem A.1 (ε < 1)", _classical_gaussian),
    Theorem(
        "shuffling",
        "Feldman, McMillan and Talwar 2021, Theorem 3.1",
        lambda run: of.shuffled_of_run(run.mechanism, run.delta),
    ),
    Theorem("zCDP", "Bun and Steinke 2016, Lemma 3.5", _concentrated),
    *(
        Theorem(name, source, partial(_converted, amplified))
        for name, source, amplified in AMPLIFICATIONS
    ),
    Theorem("RDP exact curve", "Rényi divergences of the pair, all orders jointly", _exact_curve),
)
"""Every theorem says by itself where it applies: a new one is a new row."""


def _bound(theorem: Theorem, run: Run) -> float | None:
    """What the theorem says, if it has something to offer."""
    try:
        bound = theorem.bound(run)
    except (NumericalError, ParameterError):
        return None
    return None if bound is None or math.isnan(bound) else float(bound)
