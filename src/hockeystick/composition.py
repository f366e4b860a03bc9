"""The flat multiset {mechanism: count}: composing adds counts and never nests."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hockeystick.checks import steps_in_all
from hockeystick.errors import RelationError
from hockeystick.loss.base import Loss
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.series import Array
from hockeystick.relation import Relation


class Composition(Mechanism):
    """Several mechanisms run on the same data, each some number of times, in any order.

    Valid for adaptive choice of what is asked, as long as the list of mechanisms and counts is
    fixed in advance. At most 2^62 steps in all.
    """

    def __init__(self, parts: dict[Mechanism, int] | None = None) -> None:
        self._parts = parts or {}

    @property
    def parts(self) -> dict[Mechanism, int]:
        return dict(self._parts)

    def loss(self, relation: Relation) -> Loss | None:
        """The loss of all parts together, as one release: for sampling once and for all."""
        from hockeystick.loss.product import product

        losses = [(part.loss(relation), count) for part, count in self._parts.items()]
        known = [(loss, count) for loss, count in losses if loss is not None]
        return product(known) if len(known) == len(losses) else None

    def attained(self, relation: Relation, steps: int) -> Loss | None:
        from hockeystick.loss.product import product

        found = {part: part.attained(relation, max(steps, 2)) for part in self._parts}
        if not any(found.values()):
            return None
        losses = [(found[part] or part.loss(relation), n) for part, n in self._parts.items()]
        return product([(loss, count) for loss, count in losses if loss is not None])

    def known_by_curve(self, relation: Relation) -> bool:
        return any(part.known_by_curve(relation) for part in self._parts)

    def group(self, size: int) -> Mechanism:
        return compose((part.group(size), count) for part, count in self._parts.items())

    def renyi(self, orders: Array, relation: Relation) -> tuple[Array, Array]:
        one, other = np.zeros(orders.shape), np.zeros(orders.shape)
        for mechanism, count in self._parts.items():
            forward, backward = mechanism.renyi(orders, relation)
            one, other = one + count * forward, other + count * backward
        return one, other

    @property
    def natural_relation(self) -> Relation | None:
        relations = {m.natural_relation for m in self._parts} - {None}
        if len(relations) > 1:
            names = ", ".join(sorted(str(r) for r in relations))
            raise RelationError(
                f"the parts speak of different neighbours ({names}); name one with relation="
            )
        return relations.pop() if relations else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Composition) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(frozenset(self._parts.items()))

    def __repr__(self) -> str:
        if not self._parts:
            return "Composition()"
        return " + ".join(
            f"{mechanism!r} * {count}" if count > 1 else repr(mechanism)
            for mechanism, count in self._parts.items()
        )


def compose(terms: Iterable[tuple[Mechanism, int]]) -> Mechanism:
    """The composition of mechanisms with counts, at most 2^62 steps in all.

    One mechanism, once, is itself.
    """
    total: dict[Mechanism, int] = {}
    for term, count in terms:
        parts = term.parts
        if count == 1 and not total:
            total = parts  # a copy already: adding one more term to a long sum stays cheap
        elif count:
            for mechanism, times in parts.items():
                total[mechanism] = total.get(mechanism, 0) + times * count
    steps_in_all(sum(total.values()))
    if len(total) == 1 and next(iter(total.values())) == 1:
        return next(iter(total))
    return Composition(total)
