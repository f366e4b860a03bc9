"""`/api/samplers`: the same run under four ways to choose the batches, next to each other."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hockeystick.errors import HockeystickError, RelationError
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.digits import at_least, at_most
from hockeystick.page.errors import WRONG, Refused
from hockeystick.page.resource import Json, Resource, Run, number, read_delta, read_run
from hockeystick.page.schema import (
    ASKED_NUMBER,
    FLAG,
    INTEGER,
    NUMBER,
    RUN,
    TEXT,
    listed,
    or_null,
    record,
)
from hockeystick.relation import ZERO_OUT, Relation
from hockeystick.samplers.poisson import Poisson
from hockeystick.samplers.random_allocation import RandomAllocation
from hockeystick.samplers.sampler import Sampled, Sampler
from hockeystick.samplers.shuffled import Shuffled
from hockeystick.samplers.without_replacement import WithoutReplacement

FINEST = 10**9
"""Records at most of which a rate is said to be a share."""
KINDS: dict[str, tuple[str, str]] = {
    "Poisson": (
        "Poisson sampling",
        "Each record joins each batch by a coin of its own; batches differ in size.",
    ),
    "WithoutReplacement": (
        "fixed size",
        "Each batch is drawn afresh, so many records and none twice. Whoever is not drawn makes "
        "room for another, and both are seen.",
    ),
    "Shuffled": (
        "shuffled",
        "The records in a random order, cut into batches: what most training loops do. No "
        "amplification is known, so an epoch costs what one full release does.",
    ),
    "RandomAllocation": (
        "random allocation",
        "Each record chooses its batch of an epoch by itself: every record once, balls into bins.",
    ),
}
"""The words of a sampler, and what it does."""


@dataclass(frozen=True)
class Plan:
    """A mechanism on so large a share of the records, so often."""

    base: Mechanism
    rate: float
    size: int
    population: int
    steps: int

    @property
    def epoch(self) -> int:
        """Steps in which every record is seen about once."""
        return max(1, round(self.population / self.size))

    @property
    def epochs(self) -> int:
        """As many as the steps fill, the last one counted whole."""
        return -(-self.steps // self.epoch)

    def run(self, name: str) -> Mechanism:
        """The same under one of the samplers."""
        match name:
            case "Poisson":
                return self.base.on(Poisson(self.rate)) * self.steps
            case "WithoutReplacement":
                return self.base.on(WithoutReplacement(self.size, self.population)) * self.steps
            case "Shuffled":
                return self.base.on(Shuffled(self.size)) * self.epochs
        return self.base.on(RandomAllocation(self.epoch)) * self.epochs

    def note(self, name: str) -> str:
        """What is not quite the same."""
        if name not in ("Shuffled", "RandomAllocation"):
            return ""
        exact = self.size * self.epoch == self.population and self.steps % self.epoch == 0
        about = "" if exact else ", the last one counted whole"
        steps = "1 step is" if self.steps == 1 else f"{self.steps} steps are"
        epochs = "1 epoch" if self.epochs == 1 else f"{self.epochs} epochs"
        return f" {steps} {epochs} of {self.epoch}{about}."


def samplers(asked: Json) -> Json:
    """One row for each sampler, under one relation; zero-out, which all have, unless one is asked.

    >>> asked = {"run": {"expression": "Gaussian(0.8).on(Poisson(0.001)) * 1000"}, "delta": 1e-5}
    >>> [row["shown"][:5] for row in samplers(asked | {"sampler": "Shuffled"})["rows"]]
    ['5.679']
    """
    run, delta = read_run(asked["run"]), read_delta(asked)
    plan = _plan(run)
    relation = run.relation or ZERO_OUT
    wanted = asked.get("sampler")
    names = [wanted] if wanted else list(KINDS)
    return {
        "relation": str(relation),
        "rate": plan.rate,
        "steps": plan.steps,
        "rows": [_row(name, plan, run, relation, delta) for name in names],
    }


def _plan(run: Run) -> Plan:
    parts = list(run.mechanism.parts.items())
    if len(parts) != 1 or not isinstance(parts[0][0], Sampled):
        raise Refused(
            WRONG, "to compare samplers, write one step: mechanism.on(sampler) * count", run.path
        )
    ((step, count),) = parts
    assert isinstance(step, Sampled)
    share = _share(step.sampler)
    if share is None or not 0 < share.numerator <= share.denominator:
        raise Refused(
            WRONG,
            f"the share of the records is not known from {step.sampler!r}; write the run with "
            "Poisson(rate) or WithoutReplacement(size, population)",
            run.path,
        )
    if isinstance(step.sampler, RandomAllocation):
        count *= step.sampler.steps
    rate = getattr(step.sampler, "rate", float(share))
    size = getattr(step.sampler, "size", share.numerator)
    return Plan(step.base, rate, size, round(size / share), count)


def _share(sampler: Sampler) -> Fraction | None:
    """The chance of a record to be in a batch."""
    size, population = getattr(sampler, "size", None), getattr(sampler, "population", None)
    if size is not None and population:
        return Fraction(size, population)
    if isinstance(sampler, RandomAllocation):
        return Fraction(1, sampler.steps)
    rate = getattr(sampler, "rate", None)
    return None if rate is None else Fraction(rate).limit_denominator(FINEST)


def _row(name: str, plan: Plan, run: Run, relation: Relation, delta: float) -> Json:
    (words, does), changed = KINDS[name], plan.note(name)
    mechanism = plan.run(name)
    row: Json = {
        "sampler": name,
        "words": words,
        "expression": repr(mechanism),
        "relation": str(relation),
        "yours": type(_sampler(run)).__name__ == name,
        "epsilon": None,
        "shown": "",
        "lower": None,
        "shown_lower": "",
        "note": does + changed,
    }
    try:
        bound, asked = mechanism.epsilon(delta, relation=relation), relation
    except RelationError as error:
        if name != "Shuffled":
            return row | {"note": str(error)}
        bound, asked = mechanism.epsilon(delta, relation=ZERO_OUT), ZERO_OUT
        row["note"] += (
            f" Under {relation} there is no guarantee at all: one record more moves all that come "
            f"after it to other batches. This is under {ZERO_OUT}."
        )
    except HockeystickError as error:
        return row | {"note": str(error)}
    ends = {"epsilon": number(bound.upper), "lower": number(bound.lower)}
    digits = {"shown": at_most(bound.upper), "shown_lower": at_least(bound.lower)}
    return row | ends | digits | {"relation": str(asked)}


def _sampler(run: Run) -> Sampler | None:
    step = next(iter(run.mechanism.parts))
    return step.sampler if isinstance(step, Sampled) else None


RESOURCE = Resource(
    "samplers",
    "The same run under Poisson, fixed-size, shuffled and random-allocation batches.",
    samplers,
    record(
        relation=TEXT,
        rate={"type": "number"},
        steps=INTEGER,
        rows=listed(
            record(
                sampler=TEXT,
                words=TEXT,
                expression=TEXT,
                relation=TEXT,
                yours=FLAG,
                epsilon=or_null(NUMBER),
                shown=TEXT,
                lower=or_null(NUMBER),
                shown_lower=TEXT,
                note=TEXT,
            )
        ),
    ),
    record(
        ("sampler",),
        run=RUN,
        delta=ASKED_NUMBER,
        sampler={"type": "string", "enum": list(KINDS)},
    ),
)
