"""`hockeystick account`: what the releases of a project cost, and whether the budget holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hockeystick.cli.shared import answer, options, reading

if TYPE_CHECKING:
    from hockeystick.bound import Bound
    from hockeystick.cli.shared.plan import Plan
    from hockeystick.mechanism import Mechanism
    from hockeystick.relation import Relation

DIGITS = 6


@click.command()
@click.argument("plan", metavar="PLAN", type=click.Path(dir_okay=False, allow_dash=True))
@options.asked
@options.certify
@click.pass_context
def account(
    context: click.Context,
    plan: str,
    relation: Relation | None,
    method: str,
    as_json: bool,
    certify: bool,
) -> None:
    """What the releases in a plan cost; does the budget hold?

    PLAN is a TOML file, or the same as JSON: a [budget] with epsilon and delta, and
    [releases.NAME] with an expression and, if it runs more than once, a count. Each release is
    priced alone and at the margin: by how much epsilon would fall without it. Exit code 1 if the
    budget does not hold. --relation goes before the plan's own. PLAN - reads it from standard
    input.

    \b
    Example:
      printf '%s\\n' '[budget]' 'epsilon = 2' 'delta = 1e-6' '[releases.survey]' \\
        'expression = "Laplace(2)"' 'count = 3' | hockeystick account -
    """
    from hockeystick.cli.shared.plan import read

    releases = read(reading.content(plan))
    costs = _costs(releases, relation or releases.relation, method, certify)
    if as_json:
        answer.print_json(costs)
    else:
        _print(releases, costs)
    context.exit(0 if costs["holds"] else 1)


def _costs(plan: Plan, relation: Relation | None, method: str, certify: bool) -> dict[str, Any]:
    from hockeystick.questions import relation_of

    together = plan.without(None)
    neighbours = relation_of(together, relation)

    def cost(mechanism: Mechanism) -> Bound:
        return mechanism.epsilon(plan.delta, relation=neighbours, method=method, certify=certify)

    total = cost(together)
    rows = [
        {
            "name": release.name,
            "expression": release.expression,
            "count": release.count,
            "alone": cost(release.mechanism).upper,
            "marginal": _difference(total, cost(plan.without(release))),
        }
        for release in plan.releases
    ]
    return {
        "releases": rows,
        "together": {"epsilon": total.upper, **answer.ends(total)},
        "budget": {"epsilon": plan.epsilon, "delta": plan.delta},
        "relation": str(neighbours),
        "left": _difference(plan.epsilon, total),
        "holds": bool(total <= plan.epsilon),
    }


def _difference(one: float, other: float) -> float:
    return 0.0 if one == other else float(one) - float(other)  # also where both are infinite


def _print(plan: Plan, costs: dict[str, Any]) -> None:
    from hockeystick.cli.shared import tables

    rows = [
        (
            row["name"],
            str(row["count"]),
            answer.at_most(row["alone"], DIGITS),
            answer.at_most(row["marginal"], DIGITS),
            row["expression"],
        )
        for row in costs["releases"]
    ]
    tables.show(("release", "count", "alone", "marginal", "expression"), rows, numbers=(1, 2, 3))
    total = costs["together"]["epsilon"]
    verdict = "holds" if costs["holds"] else "does not hold"
    click.echo(f"together epsilon = {answer.at_most(total)}  (delta = {plan.delta}; ", nl=False)
    proven = "; certified" if costs["together"]["certified"] else ""
    click.echo(f"relation: {costs['relation']}; method: {costs['together']['method']}{proven})")
    click.echo(f"the budget epsilon = {plan.epsilon!r} {verdict}")
