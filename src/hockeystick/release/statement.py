"""What a release protects, and what it does not, in words for those who read the result."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal

from hockeystick.mechanism import Mechanism
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, Relation

FLOATING_POINT = (
    "The noise is computed in floating point, which the guarantee does not cover: the low digits "
    "of a result can tell more (Mironov 2012). Where that matters, round the answer to integers "
    "and use DiscreteLaplace or DiscreteGaussian, or a snapping mechanism."
)
EXACT = "The noise is drawn by exactly its law in integers; floating point takes no part."

PUBLIC_SIZE = " and the number of records is public"


def statement(
    mechanism: Mechanism,
    how: str,
    covers: str,
    delta: float,
    relation: Relation | None,
    *,
    alike: bool = False,
) -> str:
    """Three lines: what ran, what it guarantees, and whether its arithmetic is covered.

    alike: whether replacing a record moves the answer no further than adding or removing one, as
    it is where only the former distance was declared.
    """
    epsilon = rounded_up(mechanism.epsilon(delta, relation=relation or ADD_REMOVE))
    when = _neighbours(relation, alike)
    return (
        f"{mechanism!r}: {how}\n"
        f"({epsilon}, {rounded_up(delta)})-differentially private when {when}.\n"
        f"{covers}"
    )


def _neighbours(relation: Relation | None, alike: bool) -> str:
    """Nothing follows for a record that is added from how far a replaced one moves the answer."""
    if not alike or relation is REPLACE_ONE:
        return (relation or ADD_REMOVE).words(PUBLIC_SIZE)
    if relation is None:
        added = "or one is added or removed, if that moves the answer no further"
        return f"{REPLACE_ONE.words(PUBLIC_SIZE)}; {added}"
    return f"{relation.words(PUBLIC_SIZE)}, if that moves the answer no further than replacing one"


def noise(kind: str, scale: float, moved: float, norm: str) -> str:
    """What noise is added to what."""
    most = rounded_up(moved)
    return f"{kind} noise of scale {scale:g} on an answer that moves by at most {most} ({norm})."


def rounded_up(value: float) -> str:
    """Six digits, never less than the value.

    >>> rounded_up(0.5), rounded_up(1.00000001)
    ('0.5', '1.00001')
    """
    digits = Context(prec=6, rounding=ROUND_CEILING)
    return f"{float(Decimal(repr(float(value))).normalize(digits)):g}"
