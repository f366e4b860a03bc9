"""`hockeystick epsilon`: the smallest ε at a given δ."""

from __future__ import annotations

import click

from hockeystick.cli.shared import answer


@click.command()
@answer.question
@click.option("--delta", type=float, required=True, help="The delta of the guarantee.")
def epsilon(
    expression: str, relation: str | None, method: str, as_json: bool, delta: float
) -> None:
    """The smallest epsilon for which EXPR is (epsilon, delta)-DP.

    EXPR - reads it from standard input.

    \b
    Example:
      hockeystick epsilon "Gaussian(1.1).on(Poisson(0.01)) * 10000" --delta 1e-5
    """
    mechanism = answer.read(expression)
    bound = mechanism.epsilon(delta, **answer.options(relation, method))
    answer.show("epsilon", bound, {"delta": delta}, as_json)
