"""A question as a line of Python."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

At = float | tuple[float, ...] | tuple[float, tuple[int, ...]]


@dataclass(frozen=True)
class Question:
    """`(expression).query(at, relation=..., method=...)`; of `epsilons`, at is (delta, counts)."""

    expression: str
    query: str
    at: Any
    relation: str | None = None
    method: str | None = None

    @property
    def text(self) -> str:
        """The line that asks it, after `from hockeystick import *` and `from math import inf`."""
        given = [repr(self.at)]
        if self.query == "epsilons":
            given = [repr(self.at[0]), repr(list(self.at[1]))]
        elif isinstance(self.at, tuple):
            given = [repr(list(self.at))]
        if self.relation:
            given.append(f"relation={self.relation}")
        if self.method:
            given.append(f"method={self.method!r}")
        return f"({self.expression}).{self.query}({', '.join(given)})"

    def single(self) -> list[Question]:
        """The questions for one number each that it consists of, as an oracle answers them."""
        if self.query == "epsilons":
            delta, counts = self.at
            times = [f"({self.expression}) * {count}" for count in counts]
            return [replace(self, expression=e, query="epsilon", at=delta) for e in times]
        query = "delta" if self.query == "profile" else self.query
        at = self.at if isinstance(self.at, tuple) else (self.at,)
        return [replace(self, query=query, at=each) for each in at]
