"""A question as a line of Python."""

from __future__ import annotations

import ast
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

    @classmethod
    def read(cls, text: str) -> Question:
        """The question that a line asks."""
        call = ast.parse(text.strip(), mode="eval").body
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Attribute)
        values = [_value(each) for each in call.args]
        at = values[0] if len(values) == 1 else (values[0], values[1])
        words = {word.arg: ast.unparse(word.value).strip("'") for word in call.keywords}
        expression = ast.unparse(call.func.value)
        return cls(expression, call.func.attr, at, words.get("relation"), words.get("method"))

    def single(self) -> list[Question]:
        """The questions for one number each that it consists of, as an oracle answers them."""
        if self.query == "epsilons":
            delta, counts = self.at
            times = [f"({self.expression}) * {count}" for count in counts]
            return [replace(self, expression=e, query="epsilon", at=delta) for e in times]
        query = "delta" if self.query == "profile" else self.query
        at = self.at if isinstance(self.at, tuple) else (self.at,)
        return [replace(self, query=query, at=each) for each in at]


def _value(node: ast.expr) -> Any:
    """A number or a list of numbers; inf is one."""
    if isinstance(node, ast.List):
        return tuple(_value(each) for each in node.elts)
    text = ast.unparse(node)
    return float(text) if text == "inf" else ast.literal_eval(node)
