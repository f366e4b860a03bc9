"""`hockeystick calibrate`: the one number left open that just meets a budget."""

from __future__ import annotations

from typing import Any

import click

from hockeystick.cli.shared import answer, options, reading


@click.command()
@options.question
@options.budget
@click.pass_context
def calibrate(
    context: click.Context,
    /,
    expression: str,
    as_json: bool,
    epsilon: float,
    delta: float,
    **how: Any,
) -> None:
    """The value of ? in EXPR that just meets (epsilon, delta).

    ? stands for a noise multiplier, a rate, a count or any other number; the answer is on the
    private side. Exit code 1 if no value meets the budget. EXPR - reads it from standard input.

    \b
    Example:
      hockeystick calibrate "Gaussian(?).on(Poisson(0.01)) * 10000" --epsilon 2 --delta 1e-5
    """
    from hockeystick.calibration import NeverMet
    from hockeystick.templates import solved

    try:
        value, mechanism = solved(reading.text(expression), epsilon=epsilon, delta=delta, **how)
    except NeverMet as no:
        if as_json:
            budget = {"epsilon": epsilon, "delta": delta}
            answer.print_json({"value": None, "reason": str(no), "budget": budget})
        else:
            click.echo(f"There is no such value: {no}", err=True)
        context.exit(1)
    small = not delta and getattr(delta, "log", None) is not None
    name = "log_delta" if small else "delta"
    bound = getattr(mechanism, name)(epsilon, **how)
    if as_json:
        found = {"value": value, "expression": repr(mechanism), name: bound.upper}
        answer.print_json({**found, **answer.ends(bound), "epsilon": epsilon})
        return
    click.echo(f"? = {value!r}")
    click.echo(repr(mechanism))
    click.echo(answer.line(name, bound, {"epsilon": epsilon}))
