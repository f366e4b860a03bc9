"""`hockeystick calibrate`: the one number left open that just meets a budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from hockeystick.cli.shared import answer, options, reading
from hockeystick.errors import ParameterError

if TYPE_CHECKING:
    from hockeystick.mechanism import Mechanism


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
    from hockeystick.templates import template

    family = template(reading.text(expression))
    integer = _takes_integers_only(family)
    try:
        value, mechanism = _solved(family, epsilon=epsilon, delta=delta, integer=integer, **how)
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
        solved = {"value": value, "expression": repr(mechanism), name: bound.upper}
        answer.print_json({**solved, **answer.ends(bound), "epsilon": epsilon})
        return
    click.echo(f"? = {value!r}")
    click.echo(repr(mechanism))
    click.echo(answer.line(name, bound, {"epsilon": epsilon}))


def _solved(family: Callable[[float], Mechanism], **budget: Any) -> tuple[float, Mechanism]:
    """The number that just meets the budget, and the mechanism that it makes."""
    from hockeystick.calibration import calibrate as solve

    tried: dict[Mechanism, float] = {}

    def remembered(number: float) -> Mechanism:
        mechanism = family(number)
        tried[mechanism] = number
        return mechanism

    mechanism = solve(remembered, **budget)
    return tried[mechanism], mechanism


def _takes_integers_only(family: Callable[[float], Mechanism]) -> bool:
    """Whether the open number is a count of something."""
    if any(_is_one(family, value) for value in (0.5, 1.5)):
        return False
    return any(_is_one(family, 10**power) for power in range(19))


def _is_one(family: Callable[[float], Mechanism], value: float) -> bool:
    try:
        family(value)
    except ParameterError:
        return False
    return True
