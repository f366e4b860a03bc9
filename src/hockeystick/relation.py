"""Neighbouring relations: which two datasets a guarantee compares.

`noise_multiplier` is always the noise over the distance that ONE record can move the query by
being added or removed; replacing a record moves it twice as far unless the mechanism is told
otherwise by `replace_sensitivity`.
"""

from __future__ import annotations

from enum import Enum


class Relation(Enum):
    """What changes between the two datasets that must be hard to tell apart."""

    ADD_REMOVE = "ADD_REMOVE"
    """One record is added or removed."""
    REPLACE_ONE = "REPLACE_ONE"
    """One record is replaced by another; the number of records is public."""
    ZERO_OUT = "ZERO_OUT"
    """One record's contribution becomes zero; the number of records is public."""

    def __repr__(self) -> str:
        return self.value


ADD_REMOVE = Relation.ADD_REMOVE
REPLACE_ONE = Relation.REPLACE_ONE
ZERO_OUT = Relation.ZERO_OUT
