"""Privacy: what a finished training run guarantees, as an object and in words."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from hockeystick.bound import Bound
from hockeystick.checks import checked, declared, probability
from hockeystick.learn.plan import Plan
from hockeystick.mechanism import Mechanism
from hockeystick.relation import Relation

WEAK = (
    "delta = {} is not below 1/n for n = {} records: so weak a guarantee allows to publish one of "
    "them in the clear, drawn at random; choose a delta well below {:.2g}"
)
ROUNDED = (
    "Every step adds real noise, rounded exactly to a grid: its low bits tell no more. Batches of "
    "up to 65000 records are covered with the rounding of their sums."
)


class DeltaWarning(UserWarning):
    """A δ that is not below one over the number of records."""


class ScaleWarning(UserWarning):
    """Features so long that clipping leaves little of the gradients but their directions."""


def weak_delta(delta: float, records: int) -> str | None:
    """A warning if δ ≥ 1/n: to publish one of n records, drawn uniformly, is (0, 1/n)-DP.

    >>> weak_delta(1e-5, 1000)
    >>> weak_delta(0.01, 100)
    'delta = 0.01 is not below 1/n for n = 100 records: so weak a guarantee allows ...'
    """
    if records < 1 or delta * records < 1:
        return None
    return WEAK.format(delta, records, 1 / records)


@declared
class Privacy:
    """The mechanism that ran, its bound, and the statement to show with the result.

    It speaks of the whole plan: stopping early by what was seen does not make it cheaper.

    Parameters
    ----------
    plan: what ran. delta: in [0, 1].
    public: facts that the guarantee takes as known to everybody.
    notes: what else a reader of the statement must know.

    >>> from hockeystick import Gaussian, Poisson
    >>> plan = Plan(Gaussian(1.1), Poisson(0.01), steps=1000, clip=1.0, batch_size=512)
    >>> print(Privacy(plan, delta=1e-5))
    (1.515..., 1e-05)-differentially private: neighbours are data sets in which one record is ad...
    Mechanism: Gaussian(1.1).on(Poisson(0.01)) * 1000; gradients clipped to 1 in L2, divided by 512.
    Every step adds real noise, rounded exactly to a grid: its low bits tell no more. Batches of...
    """

    plan: Plan
    delta: float = checked(probability)
    public: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def mechanism(self) -> Mechanism:
        """What ran, as it was accounted."""
        return self.plan.mechanism

    @property
    def relation(self) -> Relation:
        """Which data sets are neighbours."""
        return self.plan.relation

    @cached_property
    def epsilon(self) -> Bound:
        """ε at `delta`, both ends."""
        return self.mechanism.epsilon(self.delta, relation=self.relation)

    def to_dict(self) -> dict[str, Any]:
        """The facts, as JSON takes them."""
        return {
            "epsilon": self.epsilon.upper,
            "epsilon_lower": self.epsilon.lower,
            "delta": self.delta,
            "relation": str(self.relation),
            "mechanism": repr(self.mechanism),
            "method": self.epsilon.method,
            "clip": self.plan.clip,
            "norm": self.plan.norm,
            "batch_size": self.plan.batch_size,
            "public": list(self.public),
            "notes": [*self.notes, ROUNDED],
        }

    def statement(self) -> str:
        """The statement, as `print` shows it."""
        return str(self)

    def _repr_html_(self) -> str:
        from hockeystick.report.html import facts

        facts_shown = {name.replace("_", " "): value for name, value in self.to_dict().items()}
        lists = {n: "; ".join(v) if isinstance(v, list) else str(v) for n, v in facts_shown.items()}
        return facts("What the training guarantees", lists.items())

    def __str__(self) -> str:
        plan = self.plan
        lines = [
            f"({self.epsilon.upper!r}, {self.delta!r})-differentially private: neighbours are data "
            f"sets in which {self.relation.words('; the number of records is public')} "
            f"({self.relation}).",
            f"Mechanism: {self.mechanism!r}; gradients clipped to {plan.clip:g} in {plan.norm}, "
            f"divided by {plan.batch_size:g}.",
        ]
        if self.public:
            lines.append(f"Taken as public: {'; '.join(self.public)}.")
        return "\n".join([*lines, *self.notes, ROUNDED])
