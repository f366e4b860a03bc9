"""`hockeystick explain`: a guarantee in plain language."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import click

from hockeystick.cli.shared import answer, options, reading

if TYPE_CHECKING:
    from hockeystick.cli.shared.statement import Statement

WIDTH = 88


@click.command()
@options.question
@options.delta
def explain(expression: str, as_json: bool, delta: float, **how: Any) -> None:
    """Say in plain language what EXPR guarantees.

    EXPR - reads it from standard input.

    \b
    Example:
      hockeystick explain "Gaussian(1.1).on(Poisson(0.01)) * 10000" --delta 1e-5
    """
    from hockeystick.cli.shared.statement import Statement

    statement = Statement.of(reading.mechanism(expression), delta, **how)
    if as_json:
        answer.print_json(_json(statement))
        return
    for head, sentences in statement.paragraphs().items():
        click.secho(head, bold=True)
        for sentence in sentences:
            click.echo(textwrap.fill(sentence, WIDTH, initial_indent="  ", subsequent_indent="  "))


def _json(statement: Statement) -> dict[str, Any]:
    from hockeystick.cli.shared import statement as plain

    factor, rest = statement.odds
    updates = [{"prior": p, "posterior": statement.posterior(p)} for p in plain.PRIORS]
    return {
        "epsilon": statement.bound.upper,
        **answer.ends(statement.bound),
        "delta": statement.delta,
        "relation": statement.relation.option,
        "parts": statement.parts(),
        "attacker": {
            "false_positive_rate": plain.FALSE_POSITIVES,
            "true_positive_rate": statement.true_positives,
        },
        "bayes": {"odds_factor": factor, "except_with_probability": rest, "updates": updates},
    }
