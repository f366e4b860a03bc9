"""What a computation protects, and what it does not, in words for those who read the result."""

from __future__ import annotations

import math
from collections.abc import Iterator

from hockeystick.bound import Bound
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.digits import at_most
from hockeystick.questions import relation_of
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, Relation
from hockeystick.small_delta import SmallDelta

TIME = "It is drawn by the same steps whatever it is, but for fewer than one number in 10^11."
ROUNDED = (
    "Value and noise are rounded to one grid, the noise exactly from a real variable: the low "
    f"digits of a result tell no more. {TIME}"
)
EXACT = f"The noise is drawn by exactly its law in integers; no float rounds it. {TIME}"
AS_WRITTEN = (
    "It holds for a program that does what is written here; noise that is computed in floating "
    "point can tell more in its low digits (Mironov 2012), which `release` avoids."
)
PUBLIC_SIZE = " and the number of records is public"
DELTAS = (1e-5, 1e-6, 1e-8, 1e-10)
"""What is stated where no δ was named and no ε is enough without one."""
CHOOSE = "A delta says little unless it is far below one over the number of records."
DIGITS = 6


def statement(
    mechanism: Mechanism,
    how: str,
    covers: str,
    delta: float | None,
    relation: Relation | None,
    *,
    alike: bool = False,
) -> str:
    """What ran, what it guarantees, and whether its arithmetic is covered.

    delta: None states ε without a δ where that is finite, else at some δ.
    alike: whether replacing a record moves the answer no further than adding or removing one, as
    it is where only the former distance was declared.
    """
    costs = bounds(mechanism, delta, relation or ADD_REMOVE)
    return "\n".join(
        [f"{mechanism!r}: {how}", *guarantees(costs, _neighbours(relation, alike)), covers]
    )


def of_any(
    mechanism: Mechanism,
    delta: float | None,
    relation: Relation | None,
    budget: tuple[float, float] | None = None,
) -> str:
    """The statement of any mechanism or composition, or of all that was spent of a budget.

    Where parts are made for other neighbours than those that it is about, it says so.
    """
    neighbours = relation_of(mechanism, relation)
    together = len(mechanism.parts) > 1
    ran = f"{mechanism!r}: all of it together, in any order." if together else f"{mechanism!r}"
    said = guarantees(
        bounds(mechanism, delta, neighbours), f"{neighbours.words(PUBLIC_SIZE)} ({neighbours})"
    )
    most = [f"The budget is ({budget[0]:g}, {budget[1]:g})."] if budget else []
    return "\n".join([ran, *said, *most, *hints(mechanism, neighbours), AS_WRITTEN])


def bounds(mechanism: Mechanism, delta: float | None, relation: Relation) -> list[Bound]:
    """ε at the δ, or at those that say something where none is named."""
    if delta is not None:
        return [mechanism.epsilon(delta, relation=relation)]
    pure = mechanism.epsilon(0.0, relation=relation)
    if math.isfinite(pure):
        return [pure]
    return [mechanism.epsilon(each, relation=relation) for each in DELTAS]


def guarantees(costs: list[Bound], when: str) -> Iterator[str]:
    """A sentence on each bound, and how to choose among several."""
    pairs = [f"({at_most(each, DIGITS)}, {delta_at_most(each.delta)})" for each in costs]
    yield f"{', '.join(pairs)}-differentially private when {when}."
    if len(costs) > 1:
        yield CHOOSE


def delta_at_most(delta: float) -> str:
    """δ in a few digits, not too small; by its logarithm where no float holds it."""
    if isinstance(delta, SmallDelta):
        return f"e^{at_most(delta.log, DIGITS)}"
    return at_most(delta, DIGITS)


def hints(mechanism: Mechanism, relation: Relation) -> Iterator[str]:
    """A sentence on each part that is made for other neighbours than these."""
    for part in mechanism.parts:
        own = part.made_for
        if own is None or own is relation:
            continue
        under = f"made for {own} ({own.change}) and counted here under {relation}"
        if part.natural_relation is None:  # nothing else was declared of its noise
            yield f"Note: {part!r} is {under}, if that moves its answer no further."
        else:
            yield f"Note: {part!r} is {under} ({relation.change}): is that meant to be protected?"


def _neighbours(relation: Relation | None, alike: bool) -> str:
    """Nothing follows for a record that is added from how far a replaced one moves the answer."""
    if not alike or relation is REPLACE_ONE:
        named = relation or ADD_REMOVE
        return f"{named.words(PUBLIC_SIZE)} ({named})"
    if relation is None:
        added = f"or one is added or removed ({ADD_REMOVE}), if that moves the answer no further"
        return f"{REPLACE_ONE.words(PUBLIC_SIZE)} ({REPLACE_ONE}); {added}"
    return (
        f"{relation.words(PUBLIC_SIZE)} ({relation}), if that moves the answer no further than "
        "replacing one"
    )


def noise(kind: str, scale: float, moved: float, norm: str) -> str:
    """What noise is added to what."""
    most = at_most(moved, DIGITS)
    return f"{kind} noise of scale {scale:g} on an answer that moves by at most {most} ({norm})."
