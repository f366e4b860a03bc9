"""`hockeystick epsilon`: the smallest ε at a given δ."""

from __future__ import annotations

from typing import Any

import click

from hockeystick.cli.shared import answer, options, reading


@click.command()
@options.question
@options.certify
@options.delta
def epsilon(expression: str, as_json: bool, delta: float, **how: Any) -> None:
    """The smallest epsilon for which EXPR is (epsilon, delta)-DP.

    EXPR - reads it from standard input.

    \b
    Example:
      hockeystick epsilon "Gaussian(1.1).on(Poisson(0.01)) * 10000" --delta 1e-5
    """
    bound = reading.mechanism(expression).epsilon(delta, **how)
    answer.show("epsilon", bound, {"delta": delta}, as_json)
