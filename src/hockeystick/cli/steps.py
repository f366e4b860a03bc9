"""`hockeystick steps`: how often a computation may run within a budget."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from hockeystick.checks import LARGEST_WHOLE
from hockeystick.cli.shared import answer, options, reading
from hockeystick.errors import ParameterError

if TYPE_CHECKING:
    from hockeystick.mechanism import Mechanism


@click.command()
@options.question
@options.budget
@click.pass_context
def steps(
    context: click.Context,
    /,
    expression: str,
    as_json: bool,
    epsilon: float,
    delta: float,
    **how: Any,
) -> None:
    """How often EXPR may run within (epsilon, delta).

    Exit code 1 if not even once. EXPR - reads it from standard input.

    \b
    Example:
      hockeystick steps "Gaussian(1.1).on(Poisson(0.01))" --epsilon 2 --delta 1e-5
    """
    from hockeystick.checks import non_negative

    step, epsilon = reading.mechanism(expression), non_negative("epsilon", epsilon)
    most = _most(step, epsilon, delta, how)
    count = 0 if math.isinf(most) else int(most)
    after = (step * count).epsilon(delta, **how)
    following = (step * (count + 1)).epsilon(delta, **how)
    if as_json:
        answer.print_json(
            {
                "steps": most,
                "epsilon": epsilon,
                "delta": delta,
                "relation": str(after.relation),
                "after": {"epsilon": after.upper, **answer.ends(after)},
                "one_more": {"epsilon": following.upper, **answer.ends(following)},
            }
        )
    else:
        asked = f"epsilon = {epsilon!r}; delta = {delta}; relation: {after.relation}"
        click.echo(f"steps = {most}  ({asked})")
        click.echo(f"after them epsilon = {answer.at_most(after.upper)}")
        click.echo(f"with one more epsilon = {answer.at_most(following.upper)}")
    context.exit(0 if most else 1)


def _most(step: Mechanism, epsilon: float, delta: float, how: dict[str, Any]) -> float:
    """The largest count within the budget, an integer or infinity."""
    from hockeystick.calibration import AlwaysMet, calibrate

    if step.epsilon(delta, **how) > epsilon:
        return 0
    if float(step.epsilon(0.0, relation=how["relation"])) == 0 or math.isinf(epsilon) or delta == 1:
        return math.inf
    too_large = f"epsilon must be so small that 2^61 steps exceed it, got {epsilon!r}"
    try:
        run = calibrate(lambda n: step * n, epsilon=epsilon, delta=delta, integer=True, **how)
    except AlwaysMet:
        raise ParameterError(too_large) from None
    total = sum(run.parts.values())
    if total > LARGEST_WHOLE // 2:
        raise ParameterError(too_large)
    return total // sum(step.parts.values())
