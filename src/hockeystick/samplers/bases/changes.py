"""From the couplings of batches to the loss of a mechanism on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.loss.base import Loss
from hockeystick.loss.points import pair_of, side_through
from hockeystick.loss.two_sided.amplified import AmplifiedCurve
from hockeystick.loss.two_sided.on_sample import DOTS, amplified_loss
from hockeystick.loss.two_sided.term import Term
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.types import Array
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, ZERO_OUT, Relation
from hockeystick.samplers.sampler import base_loss

if TYPE_CHECKING:
    from hockeystick.classical.couplings import Coupling

Batch = tuple[int, ...]
Law = dict[Batch, Fraction]

NEW, NULL = -1, -2
"""What may stand in the place of a record: another one, or one that contributes nothing."""
RARE = 1e-14
"""Changes so rare together count as giving the record away: weights are rounded numbers, and what
should be equal differs in its last digits."""
ROUNDING = 1e-15
"""Sums of a few weights are as far from 1 by rounding alone."""
SAME_DIGITS = 12
"""Records whose couplings agree to so many digits differ in how often they are drawn at most."""


class Change(NamedTuple):
    """What makes one batch of another: so many records taken out, put in, zeroed out or back."""

    out: int
    into: int
    zeroed: int

    @classmethod
    def of(cls, one: Batch, other: Batch) -> Self:
        """The change from one batch to another.

        >>> Change.of((1, 2, 3), (1, 4))
        Change(out=2, into=1, zeroed=0)
        >>> Change.of((1, 2), (NULL, 2))
        Change(out=0, into=0, zeroed=1)
        """
        out, into = {*one} - {*other}, {*other} - {*one}
        zeroed = int(bool(out and into) and NULL in out | into)
        return cls(len(out) - zeroed, len(into) - zeroed, zeroed)

    def cost(self) -> float:
        """How many records change, a replaced one counted twice: close batches are coupled."""
        return float(self.out + self.into + self.zeroed)


REMOVAL = Change(1, 0, 0)


def laws_of(law: Mapping[Batch, Fraction], record: int, relation: Relation) -> tuple[Law, Law]:
    """The batches of two data sets that differ in the record."""
    place = {REPLACE_ONE: (NEW,), ZERO_OUT: (NULL,), ADD_REMOVE: ()}[relation]
    other: Law = {}
    for batch, chance in law.items():
        left = tuple(each for each in batch if each != record)
        changed = batch if record not in batch else (*place, *left)
        other[changed] = other.get(changed, Fraction(0)) + chance
    return dict(law), other


def coupled_loss(
    mechanism: Mechanism, relation: Relation, one: list[Coupling], other: list[Coupling]
) -> Loss | None:
    """The loss that dominates for every record, given the couplings of each in both directions.

    None where it takes more than is known of the mechanism: of groups, or of a replacement.
    """
    forward = _curves(mechanism, one, backward=False)
    backward = forward if relation is REPLACE_ONE else _curves(mechanism, other, backward=True)
    if forward is None or backward is None:
        return None
    if len(forward) == len(backward) == 1:
        return amplified_loss(forward[0], None if relation is REPLACE_ONE else backward[0])
    sides = [side_through(*_largest(curves)) for curves in (forward, backward)]
    return pair_of(sides[0], None if relation is REPLACE_ONE else sides[1])


def _largest(curves: list[AmplifiedCurve]) -> tuple[Array, Array]:
    """Points of the largest of several curves; between them, it lies below the chords."""
    coarse = curves[0].grid(DOTS // 10)
    highest = np.unique(np.argmax([curve.delta(coarse) for curve in curves], axis=0))
    u = np.unique(np.concatenate([curves[i].grid(DOTS // highest.size) for i in highest]))
    u = u[np.append(True, np.diff(np.exp(u)) > 1e-13 * np.exp(u[1:]))]
    return u, np.max([curve.delta(u) for curve in curves], axis=0)


def _curves(
    mechanism: Mechanism, couplings: Iterable[Coupling], *, backward: bool
) -> list[AmplifiedCurve] | None:
    """The different curves of δ; of records that differ in how often they are drawn, one."""
    different: dict[object, Coupling] = {}
    for each in map(_without_rare, couplings):
        digits = {kind: round(weight, SAME_DIGITS) for kind, weight in each.far.items()}
        alike = frozenset(digits.items()) if each.rate < 1 else None
        if alike not in different or different[alike].rate < each.rate:
            different[alike] = each
    loss_of = partial(_loss_of, mechanism, backward)
    kinds = {kind for each in different.values() for kind in (*each.far, *each.near) if any(kind)}
    losses = {kind: loss_of(kind) for kind in kinds}
    known = {kind: loss for kind, loss in losses.items() if loss is not None}
    if len(known) < len(losses):
        return None
    return [_curve(each, known) for each in different.values()]


def _without_rare(coupling: Coupling) -> Coupling:
    """The coupling without the rarest of its distances."""
    far, near = ({k: w for k, w in d.items() if w > RARE} for d in (coupling.far, coupling.near))
    return replace(coupling, far=far, near=near)


def _curve(coupling: Coupling, losses: dict[Change, Loss]) -> AmplifiedCurve:
    """η·((1 − β)·Σ far·h(A) + β·Σ near·h(A)), with β = η + (1 − η)/A; 1 for what was left out."""
    rate, shares = coupling.rate, dict[Loss, tuple[float, float]]()
    lacking = max(2 - sum(coupling.far.values()) - sum(coupling.near.values()), 0.0)
    for kind, loss in losses.items():  # of some mechanisms, all changes cost the same
        far, near = shares.get(loss, (0.0, 0.0))
        far, near = far + coupling.far.get(kind, 0.0), near + coupling.near.get(kind, 0.0)
        shares[loss] = far, near
    terms = [
        Term(rate * (rate * near + (1 - rate) * far), rate * (1 - rate) * (near - far), loss)
        if far != near
        else Term(rate * near, 0.0, loss)
        for loss, (far, near) in shares.items()
        if far or near
    ]
    curve = AmplifiedCurve(tuple(terms), rate, rate * lacking if lacking > ROUNDING else 0.0)
    return curve.convex() if any(term.falling for term in terms) else curve


def _loss_of(mechanism: Mechanism, backward: bool, change: Change) -> Loss | None:
    """The loss when a batch changes so; None if that is not known of the mechanism."""
    out, into, zeroed = change
    if zeroed and not out and not into:
        loss = _of_group(mechanism, zeroed, ZERO_OUT)
        return loss and (loss.reverse() if backward else loss)
    if out == into and not zeroed:
        return _of_group(mechanism, out, REPLACE_ONE)
    loss = _of_group(mechanism, out + into + 2 * zeroed, ADD_REMOVE)
    if loss is None or loss.symmetric:
        return loss
    if zeroed or (out and into):
        return None
    return loss if out else loss.reverse()


def _of_group(mechanism: Mechanism, size: int, relation: Relation) -> Loss | None:
    if size == 1:
        return base_loss(mechanism, relation)
    try:
        group = mechanism.group(size)
    except ParameterError:  # it says nothing of groups
        return None
    return base_loss(group, relation)
