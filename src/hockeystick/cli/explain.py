"""`hockeystick explain`: a guarantee in plain language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hockeystick.cli.shared import answer, options, reading

if TYPE_CHECKING:
    from hockeystick.report.explanation import Explanation


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
    from hockeystick.report.explanation import INDENT, Explanation

    explanation = Explanation.of(reading.mechanism(expression), delta, **how)
    if as_json:
        answer.print_json(_json(explanation))
        return
    for line in str(explanation).splitlines():
        click.secho(line, bold=not line.startswith(INDENT))


def _json(explanation: Explanation) -> dict[str, Any]:
    from hockeystick.report.explanation import FALSE_POSITIVES, PRIORS

    factor, rest = explanation.odds
    updates = [{"prior": p, "posterior": explanation.posterior(p)} for p in PRIORS]
    return {
        "epsilon": explanation.bound.upper,
        **answer.ends(explanation.bound),
        "delta": explanation.delta,
        "relation": str(explanation.relation),
        "parts": explanation.parts(),
        "attacker": {
            "false_positive_rate": FALSE_POSITIVES,
            "true_positive_rate": explanation.true_positives,
        },
        "bayes": {"odds_factor": factor, "except_with_probability": rest, "updates": updates},
    }
