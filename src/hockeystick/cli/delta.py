"""`hockeystick delta`: the smallest δ at a given ε."""

from __future__ import annotations

from typing import Any

import click

from hockeystick.cli.shared import answer, options, reading


@click.command()
@options.question
@options.certify
@options.epsilon
def delta(expression: str, as_json: bool, epsilon: float, **how: Any) -> None:
    """The smallest delta for which EXPR is (epsilon, delta)-DP.

    EXPR - reads it from standard input.

    \b
    Example:
      hockeystick delta "Gaussian(1.1).on(Poisson(0.01)) * 10000" --epsilon 2
    """
    bound = reading.mechanism(expression).delta(epsilon, **how)
    answer.show("delta", bound, {"epsilon": epsilon}, as_json)
