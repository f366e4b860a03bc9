"""Neighbouring relations: which two datasets a guarantee compares.

`noise_multiplier` is always the noise over the distance that ONE record can move the query by
being added or removed; replacing a record moves it twice as far unless the mechanism is told
otherwise by `replace_sensitivity`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar

from hockeystick.checks import shown
from hockeystick.errors import ParameterError


class Relation(Enum):
    """What changes between the two datasets that must be hard to tell apart.

    As text, on the command line and in files it is written one way; `repr` is the constant.

    >>> str(ADD_REMOVE), ADD_REMOVE
    ('add-remove', ADD_REMOVE)
    """

    ADD_REMOVE = "add-remove", "one record is added or removed", False
    REPLACE_ONE = "replace-one", "one record is replaced by another", True
    ZERO_OUT = "zero-out", "one record's contribution becomes zero", True

    _value_: str
    change: str
    """What happens to one dataset to make it the other, in words."""
    public_size: bool
    """Whether both have as many records, so that their number is taken as public."""

    def __new__(cls, name: str, change: str, public_size: bool) -> Relation:
        self = object.__new__(cls)
        self._value_ = name
        self.change, self.public_size = change, public_size
        return self

    def words(self, size: str) -> str:
        """What changes, and that the number of records is public where it is, as `size` says.

        >>> REPLACE_ONE.words("; the number of records is public")
        'one record is replaced by another; the number of records is public'
        >>> ADD_REMOVE.words("; the number of records is public")
        'one record is added or removed'
        """
        return self.change + size * self.public_size

    @classmethod
    def read(cls, name: Any, expected: str) -> Relation:
        """The relation of that name, `ADD_REMOVE` or `add-remove`; `expected` is for the message.

        >>> Relation.read("zero-out", "a name")
        ZERO_OUT
        """
        key = name.upper().replace("-", "_") if isinstance(name, str) else ""
        if key not in cls.__members__:
            raise ParameterError(f"relation must be {expected}, got {shown(name)}")
        return cls[key]

    def __str__(self) -> str:
        return self._value_

    def __repr__(self) -> str:
        return self._name_


ADD_REMOVE = Relation.ADD_REMOVE
REPLACE_ONE = Relation.REPLACE_ONE
ZERO_OUT = Relation.ZERO_OUT


class Cited:
    """What rests on a theorem, or on several by what changes."""

    source: ClassVar[str] = ""
    """The theorem: authors, year and, if it has one, number; nothing where none is named."""
    sources: ClassVar[Mapping[Relation, str]] = {}
    """The relations under which it is another one."""

    def theorem(self, relation: Relation) -> str:
        """The theorem under a relation."""
        return self.sources.get(relation, self.source)
