"""`hockeystick delta`: the smallest δ at a given ε."""

from __future__ import annotations

from typing import Any

import click

from hockeystick.cli.shared import answer, options, reading


@click.command()
@options.question
@options.certify
@options.epsilon
@click.option("--log", "by_log", is_flag=True, help="Answer with the natural logarithm of delta.")
def delta(
    expression: str, as_json: bool, epsilon: float, certify: bool, by_log: bool, **how: Any
) -> None:
    """The smallest delta for which EXPR is (epsilon, delta)-DP.

    EXPR - reads it from standard input. --log answers with the natural logarithm, also where no
    float holds delta.

    \b
    Example:
      hockeystick delta "Gaussian(1.1).on(Poisson(0.01)) * 10000" --epsilon 2
    """
    mechanism = reading.mechanism(expression)
    if by_log and certify:
        raise click.UsageError("--log and --certify exclude each other.")
    if by_log:
        answer.show("log_delta", mechanism.log_delta(epsilon, **how), {"epsilon": epsilon}, as_json)
        return
    bound = mechanism.delta(epsilon, certify=certify, **how)
    answer.show("delta", bound, {"epsilon": epsilon}, as_json)
