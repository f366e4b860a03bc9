"""`hockeystick compare`: every bound on ε in a table, each with its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hockeystick.cli.shared import answer, options, reading

if TYPE_CHECKING:
    from hockeystick.comparison import Comparison, Row
    from hockeystick.mechanism import Mechanism
    from hockeystick.relation import Relation

DIGITS = 8


@click.command()
@options.question
@options.delta
def compare(expression: str, as_json: bool, delta: float, **how: Any) -> None:
    """Every bound on epsilon, with its source.

    --method is the route of the exact answer. EXPR - reads it from standard input.

    \b
    Example:
      hockeystick compare "Gaussian(1.1).on(Poisson(0.01)) * 10000" --delta 1e-5
    """
    rows = _rows(reading.mechanism(expression), delta, **how)
    if as_json:
        asked = {"delta": delta, "relation": str(rows.relation)}
        answer.print_json({**asked, "bounds": [vars(row) for row in rows]})
        return
    from hockeystick.cli.shared import tables

    click.echo(rows.title)
    shown = [(row.name, _rounded(row), row.source) for row in rows]
    tables.show(("bound", "epsilon", "source"), shown, numbers=(1,))


def _rows(mechanism: Mechanism, delta: float, relation: Relation | None, method: str) -> Comparison:
    from hockeystick.comparison import Comparison, Row
    from hockeystick.comparison import compare as compared

    rows = compared(mechanism, delta, relation=relation)
    if method == "auto":
        return rows
    bound = mechanism.epsilon(delta, relation=relation, method=method)
    ends = (
        Row("this library", bound.upper, f"method: {bound.method}"),
        Row("lower bound", bound.lower, f"method: {bound.method}", "lower"),
    )
    others = [row for row in rows if row.name not in ("exact", "lower bound")]
    return Comparison.of([*others, *ends], mechanism, rows.relation, delta)


def _rounded(row: Row) -> str:
    end = answer.at_least if row.kind == "lower" else answer.at_most
    return end(row.epsilon, DIGITS)
