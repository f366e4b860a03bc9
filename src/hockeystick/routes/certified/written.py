"""Exact numbers that a certificate keeps, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True)
class Written:
    """Fields that are plain data themselves."""

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> Self:
        """What `to_json` wrote, whatever else is said."""
        return cls(**{name: said[name] for name in cls.__dataclass_fields__})
