"""`hockeystick delta`: the smallest δ at a given ε."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hockeystick.cli.shared import answer, options, reading

if TYPE_CHECKING:
    from hockeystick.relation import Relation


@click.command()
@options.question
@options.epsilon
def delta(
    expression: str, relation: Relation | None, method: str, as_json: bool, epsilon: float
) -> None:
    """The smallest delta for which EXPR is (epsilon, delta)-DP.

    EXPR - reads it from standard input.

    \b
    Example:
      hockeystick delta "Gaussian(1.1).on(Poisson(0.01)) * 10000" --epsilon 2
    """
    bound = reading.mechanism(expression).delta(epsilon, relation=relation, method=method)
    answer.show("delta", bound, {"epsilon": epsilon}, as_json)
