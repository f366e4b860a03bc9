"""`hockeystick rdp`: the Rényi divergence at given orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hockeystick.cli.shared import answer, options, reading

if TYPE_CHECKING:
    from hockeystick.mechanism import Mechanism
    from hockeystick.relation import Relation


@click.command()
@options.expression
@options.relation
@options.certify
@options.json
@click.option(
    "--orders",
    default="1.25,1.5,2,3,4,6,8,16,32,64",
    show_default=True,
    help="Orders in [0, inf], with commas or as start:stop:count.",
)
def rdp(
    expression: str, relation: Relation | None, certify: bool, as_json: bool, orders: str
) -> None:
    """The Renyi divergence of EXPR at each order.

    EXPR - reads it from standard input.

    \b
    Example:
      hockeystick rdp "Gaussian(1.1).on(Poisson(0.01)) * 10000" --orders 2,4:8:3,inf
    """
    wanted = reading.numbers("orders", orders)
    mechanism = reading.mechanism(expression)
    if certify:
        _print_proven(mechanism, wanted, relation, as_json)
        return
    bounds = mechanism.rdp(wanted, relation=relation)
    rows = [
        {"order": order, "rdp": float(upper), "lower": float(lower), "upper": float(upper)}
        for order, lower, upper in zip(wanted, bounds.lower, bounds.upper, strict=True)
    ]
    if as_json:
        answer.print_json({"rdp": rows, "method": bounds.method, "relation": str(bounds.relation)})
        return
    for row in rows:
        least, most = answer.at_least(row["lower"]), answer.at_most(row["upper"])
        asked = f"order = {row['order']!r}; at least {least}; relation: {bounds.relation}"
        click.echo(f"rdp = {most}  ({asked})")


def _print_proven(
    mechanism: Mechanism, orders: list[float], relation: Relation | None, as_json: bool
) -> None:
    """One line for each order; as JSON, with its certificate."""
    for order in orders:
        bound = mechanism.rdp(order, relation=relation, certify=True)
        answer.show("rdp", bound, {"order": order}, as_json)
