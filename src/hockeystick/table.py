"""Tables of answers: rows as dictionaries, and as columns for whatever takes columns."""

from __future__ import annotations

from typing import Any

from hockeystick.bound import Bound


class Table(list[dict[str, Any]]):
    """The rows of a sweep: a list of dictionaries, each of numbers and one `Bound`.

    `pandas.DataFrame` and `polars.DataFrame` take it as it is, and with all that an answer knows
    as `to_dict()`.

    >>> from hockeystick import sweep
    >>> sweep("Laplace({b})", b=[1.0, 2.0], delta=0).to_dict()["relation"]
    ['add-remove', 'add-remove']
    """

    def to_rows(self) -> list[dict[str, Any]]:
        """The rows in full: instead of a bound its ends, its method and what was asked."""
        return [_full(row) for row in self]

    def to_dict(self) -> dict[str, list[Any]]:
        """The same as columns by name."""
        rows = self.to_rows()
        return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}

    def _repr_html_(self) -> str:
        from hockeystick.report.html import table

        rows = self.to_rows()
        heads = list(rows[0]) if rows else []
        return table(
            f"{len(rows)} rows", heads, [[str(row[name]) for name in heads] for row in rows]
        )


def _full(row: dict[str, Any]) -> dict[str, Any]:
    ((name, bound),) = ((n, value) for n, value in row.items() if isinstance(value, Bound))
    given = {"delta": bound.delta} if name == "epsilon" else {"epsilon": bound.epsilon}
    numbers = {n: value for n, value in row.items() if n != name}
    ends = {"lower": bound.lower, "upper": bound.upper, "method": bound.method}
    return {**numbers, name: bound.upper, **ends, **given, "relation": str(bound.relation)}
